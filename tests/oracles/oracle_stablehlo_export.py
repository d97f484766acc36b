"""All op cases as programs of StableHLO: `python tests/oracles/oracle_stablehlo_export.py [FAMILY...]`.

Each program is verified by jax's bindings, run by XLA, imported again and run by the interpreter. Prints for each family how many cases agree
both times, agree as the reference interpreter of the StableHLO project runs them where XLA does not, are refused by name, have sizes that the op takes as symbols alone, or are wrong, with their own sizes; then how many are wrong with
sizes of 0, 1 and 2, and what is wrong. CI runs a quarter of the cases.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.stablehlo_export import WORDS, ZEROS_COUNT, check_case, check_quantized_case, check_sizes
from harness.symbolic_cases import symbolic_cases


def main() -> int:
    """Runs the cases; returns 1 if a result is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    families = sorted(path.stem for path in Path(__file__).resolve().parents[1].joinpath("cases").glob("[!_]*.py"))
    parser.add_argument("family", nargs="*", help=f"of {', '.join(families)}; all by default")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    refused, total = Counter[str](), Counter[str]()
    print(f"{'family':<18}" + "".join(f"{word:>12}" for word in (*WORDS, "sizes wrong")))
    for family in args.family or families:
        cases = [case for case in import_module(f"cases.{family}").CASES if ZEROS_COUNT not in case.name]
        run = check_quantized_case if family == "qnn" else check_case
        outcomes = [(case.name, run(case)) for case in cases]
        counts = Counter(outcome.word for _, outcome in outcomes)
        refused.update(outcome.detail for _, outcome in outcomes if outcome.word == "refused")
        wrong = [] if family == "qnn" else [text for case in symbolic_cases(cases) for text in check_sizes(case)]
        counts["sizes wrong"] = len(wrong)
        total += counts
        print(f"{family:<18}" + "".join(f"{counts[word]:12}" for word in (*WORDS, "sizes wrong")), flush=True)
        wrong += [f"{name}: {outcome.detail}" for name, outcome in outcomes if outcome.word == "wrong"]
        for text in wrong:
            print(f"  {text}")
    print(f"{'all':<18}" + "".join(f"{total[word]:12}" for word in (*WORDS, "sizes wrong")))
    for reason, count in refused.most_common():
        print(f"refused {count:5} {reason}")
    return int(bool(total["wrong"] or total["sizes wrong"]))


if __name__ == "__main__":
    sys.exit(main())
