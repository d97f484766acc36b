"""ONNX's node suite through the importer: `python tests/oracles/oracle_onnx.py [--native] [--tenth] [TEXT...]`.

Prints a table of ops with the numbers of cases that passed, passed with inputs fixed, were refused by name, were wrong, crashed; then each
case that did not pass, with the reason. The cases run in another process, which is started again behind a case that ends it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.main_runs import ENGINES
from harness.onnx_cases import op_of, outcome, suite
from harness.outcomes import Row, in_tenth, print_case, print_table, rows_apart

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
    cases = [case for case in cases if in_tenth(case.name)] if args.tenth else cases
    runs = [ENGINES["interpret"], *([ENGINES["native"]] if args.native else [])]
    if args.first is not None:
        for case in cases[args.first :]:
            print_case(case.name, {case.name: outcome(case, runs)})
        return 0
    rows = rows_apart(__file__, [case.name for case in cases])
    return _report({case.name: op_of(case) for case in cases}, rows, args.quiet)


def _report(ops: dict[str, str], rows: list[Row], quiet: bool) -> int:
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        table[ops[row.case]][row.word] += 1
    total = print_table("op", table, WORDS, rows=not quiet)
    for row in rows:
        if row.word not in ("pass", "fixed"):
            print(f"{row.word:8}{row.case}: {row.detail}")
    passed = total["pass"] + total["fixed"]
    print(f"{passed} of {len(rows)} pass: {100 * passed / max(len(rows), 1):.1f} %")
    return 1 if total["wrong"] or total["crash"] else 0


if __name__ == "__main__":
    sys.exit(main())
