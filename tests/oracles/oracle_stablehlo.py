"""The suites of the StableHLO project through the importer: `python tests/oracles/oracle_stablehlo.py --stablehlo CHECKOUT [--native] [TEXT...]`.

CHECKOUT is a clone of github.com/openxla/stablehlo, or the folders `stablehlo/tests/interpret` and `stablehlo/testdata` of one. Prints how many
programs passed, were refused by name, were wrong, crashed, and use what is not imported (complex numbers, tokens, several replicas); then each that did not pass, with the reason. The programs run in another
process, which is started again behind a program that ends it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.outcomes import Outcome, Row, print_case, print_table, rows_apart
from harness.stablehlo_cases import (
    Case,
    Imported,
    data_suite,
    imported,
    interpret_suite,
    interpreted,
    native,
)

WORDS = ("pass", "refused", "wrong", "crash", "outside")


def main() -> int:
    """Runs the suites; returns 1 if a result is wrong or something crashed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", nargs="*", help="programs whose name contains one of these alone")
    parser.add_argument("--stablehlo", type=Path, required=True, help="the checkout")
    parser.add_argument("--native", action="store_true", help="run machine code besides the interpreter")
    parser.add_argument("--every", type=int, default=1, help="every N-th program alone")
    parser.add_argument("--batch", type=int, default=16, help="programs that are compiled together")
    parser.add_argument("--from", dest="first", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    cases = [*interpret_suite(args.stablehlo), *data_suite(args.stablehlo)]
    cases = [case for case in cases if not args.text or any(text in case.name for text in args.text)][:: args.every]
    if args.first is not None:
        for start in range(args.first, len(cases), args.batch):
            for name, result in _outcomes(cases[start : start + args.batch], args.native).items():
                print_case(name, {name: result})
        return 0
    return _report(rows_apart(__file__, [case.name for case in cases]))


def _outcomes(cases: list[Case], is_native: bool) -> dict[str, Outcome]:
    """Returns what became of a batch of cases: in the interpreter, then, of what passed, in machine code."""
    items = {case.name: imported(case) for case in cases}
    outcomes = {name: item if isinstance(item, Outcome) else interpreted(item) for name, item in items.items()}
    passed = [item for name, item in items.items() if isinstance(item, Imported) and outcomes[name].word == "pass"]
    if is_native and passed:
        for item, result in zip(passed, native(passed), strict=True):
            outcomes[item.case.name] = result
    return outcomes


def _report(rows: list[Row]) -> int:
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        table[row.case.partition("/")[0]][row.word] += 1
        if row.word not in ("pass", "outside"):
            print(f"{row.word:8}{row.case}: {row.detail}")
    total = print_table("suite", table, WORDS)
    for suite, counts in table.items():
        share = 100 * counts["pass"] / max(sum(counts.values()) - counts["outside"], 1)
        print(f"{suite}: {share:.1f} % of what is not outside pass")
    return 1 if total["wrong"] or total["crash"] else 0


if __name__ == "__main__":
    sys.exit(main())
