"""ONNX's node suite through the importer: `python tests/oracles/oracle_onnx.py [--native] [--tenth] [TEXT...]`.

Prints a table of ops with the numbers of cases that passed, passed with inputs fixed, were refused by name, were wrong, crashed; then each
case that did not pass, with the reason. The cases run in another process, which is started again behind a case that ends it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.onnx_cases import ENGINES, Outcome, in_tenth, op_of, outcome, suite

WORDS = ("pass", "fixed", "refused", "wrong", "crash")


def main() -> int:
    """Runs the suite; returns 1 if a result is wrong or something crashed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", nargs="*", help="cases whose name contains one of these alone")
    parser.add_argument("--native", action="store_true", help="run machine code besides the interpreter")
    parser.add_argument("--tenth", action="store_true", help="the cases of CI alone")
    parser.add_argument("--from", dest="first", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--quiet", action="store_true", help="without the table of ops")
    args = parser.parse_args()
    cases = [case for case in suite() if not args.text or any(text in case.name for text in args.text)]
    cases = [case for case in cases if in_tenth(case)] if args.tenth else cases
    runs = [ENGINES["interpret"], *([ENGINES["native"]] if args.native else [])]
    if args.first is not None:
        for case in cases[args.first :]:
            result = outcome(case, runs)
            print(json.dumps([case.name, result.word, result.detail]), flush=True)
        return 0
    outcomes = _in_processes(cases)
    return _report(cases, outcomes, args.quiet)


def _in_processes(cases: list[Any]) -> dict[str, Outcome]:
    """Returns the outcome of each case; a process that dies takes one case with it."""
    outcomes: dict[str, Outcome] = {}
    first = 0
    while first < len(cases):
        command = [sys.executable, __file__, *sys.argv[1:], "--from", str(first)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
        outcomes |= {name: Outcome(word, detail) for name, word, detail in lines}
        first += len(lines)
        if first < len(cases):
            outcomes[cases[first].name] = Outcome(
                "crash", f"the process ended with {done.returncode}: {done.stderr[-300:]}"
            )
            first += 1
    return outcomes


def _report(cases: list[Any], outcomes: dict[str, Outcome], quiet: bool) -> int:
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        table[op_of(case)][outcomes[case.name].word] += 1
    total = sum(table.values(), Counter[str]())
    print(f"{'op':30}" + "".join(f"{word:>9}" for word in WORDS))
    for op, counts in sorted(table.items()) if not quiet else ():
        print(f"{op:30}" + "".join(f"{counts[word]:9}" for word in WORDS))
    print(f"{'all':30}" + "".join(f"{total[word]:9}" for word in WORDS))
    for case in cases:
        result = outcomes[case.name]
        if result.word not in ("pass", "fixed"):
            print(f"{result.word:8}{case.name}: {result.detail}")
    passed = total["pass"] + total["fixed"]
    print(f"{passed} of {len(cases)} pass: {100 * passed / max(len(cases), 1):.1f} %")
    return 1 if total["wrong"] or total["crash"] else 0


if __name__ == "__main__":
    sys.exit(main())
