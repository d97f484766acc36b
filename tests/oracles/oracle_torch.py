"""torch's table of ops (OpInfo) through the importer: `python tests/oracles/oracle_torch.py [--native] [--dtype float16] [--tenth] [TEXT...]`.

Each sample of each op is exported, imported, run and compared with torch. Prints a table of ops with the numbers of samples that passed, were
refused by name, that torch itself cannot run or export, that were wrong, crashed; then each kind of refusal with its count, and each sample that
is wrong or crashed. The samples run in another process, which is started again behind an op that ends it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.main_runs import ENGINES
from harness.outcomes import Outcome, Row, in_tenth, one_line, print_case, print_table, rows_apart
from harness.torch_cases import cases, name_of, ops, outcome

WORDS = ("pass", "refused", "theirs", "wrong", "crash")


def main() -> int:
    """Runs the samples; returns 1 if a result is wrong or something crashed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", nargs="*", help="ops of these names alone; with a '*' at the end those that start so")
    parser.add_argument("--native", action="store_true", help="run machine code besides the interpreter")
    parser.add_argument("--dtype", default="float32", help="the dtype of the samples (float32)")
    parser.add_argument("--tenth", action="store_true", help="the ops of CI alone")
    parser.add_argument("--samples", type=int, help="at most so many samples of an op, spread evenly")
    parser.add_argument("--log", type=Path, help="write what became of each sample there, as lines of JSON")
    parser.add_argument("--from", dest="first", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    dtype = getattr(torch, args.dtype)
    chosen = [op for op in ops(dtype) if not args.text or any(_named(op, text) for text in args.text)]
    chosen = [op for op in chosen if in_tenth(op.name)] if args.tenth else chosen
    if args.first is None:
        return _report(rows_apart(__file__, [name_of(op) for op in chosen]), args.log)
    torch.set_num_threads(1)
    runs = [ENGINES["interpret"], *([ENGINES["native"]] if args.native else [])]
    for op in chosen[args.first :]:
        outcomes: dict[str, Outcome] = {}
        try:
            for case in cases(op, dtype, args.samples):
                outcomes[case.name] = outcome(case, runs)
        except Exception as error:
            outcomes[name_of(op)] = Outcome("theirs", one_line(error))
        print_case(name_of(op), outcomes)
    return 0


def _named(op: object, text: str) -> bool:
    return name_of(op).startswith(text[:-1]) if text.endswith("*") else text in (name_of(op), op.name)  # pyright: ignore[reportAttributeAccessIssue]


def _report(rows: list[Row], log: Path | None) -> int:
    if log is not None:
        log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for op, _, word, _ in rows:
        table[op][word] += 1
    total = print_table("op", table, WORDS)
    refused = Counter(_reason(detail) for _, _, word, detail in rows if word == "refused")
    for reason, count in refused.most_common():
        print(f"refused {count:5} {reason}")
    for _, sample, word, detail in rows:
        if word in ("wrong", "crash"):
            print(f"{word:8}{sample}: {detail}")
    tried = len(rows) - total["theirs"]
    print(f"{total['pass']} of {tried} samples that torch exports pass: {100 * total['pass'] / max(tried, 1):.1f} %")
    whole = [counts for counts in table.values() if counts["pass"] and not counts["refused"]]
    print(
        f"{len(whole)} of {len(table)} ops pass whole, {sum(bool(counts['pass']) for counts in table.values())} in part or whole"
    )
    return 1 if total["wrong"] or total["crash"] else 0


def _reason(detail: str) -> str:
    """Returns the name and the reason of the first construct that is refused, without where it stands."""
    return re.sub(r" at '[^']*'", "", detail.partition("kind")[2].partition(": ")[2] or detail.partition(": ")[2])[:140]


if __name__ == "__main__":
    sys.exit(main())
