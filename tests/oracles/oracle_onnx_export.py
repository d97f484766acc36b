"""All op cases as models of ONNX: `python tests/oracles/oracle_onnx_export.py [FAMILY...]`.

Prints for each family how many cases agree as onnxruntime runs them, as onnx's reference evaluator does where that has no kernel, are refused
by name, or are wrong, with their own sizes; then what is wrong with sizes of 0, 1 and 2. CI runs half of these sizes, and a third of the
quantized cases.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.onnx_export import EVALUATORS_ROUND, UNSAFE, check_case, check_quantized_case, check_sizes
from harness.symbolic_cases import symbolic_cases


def main() -> int:
    """Runs the cases; returns 1 if a result is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    families = sorted(path.stem for path in Path(__file__).resolve().parents[1].joinpath("cases").glob("[!_]*.py"))
    parser.add_argument("family", nargs="*", help=f"of {', '.join(families)}; all by default")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    is_wrong = False
    print(f"{'family':<18}{'onnxruntime':>12}{'reference':>12}{'refused':>12}{'wrong':>12}{'sizes wrong':>12}")
    for family in args.family or families:
        cases = [case for case in import_module(f"cases.{family}").CASES if case.name not in EVALUATORS_ROUND]
        run = check_quantized_case if family == "qnn" else check_case
        outcomes = {case.name: run(case) for case in cases}
        counts = Counter(outcome.word for outcome in outcomes.values())
        sized = [] if family == "qnn" else [case for case in symbolic_cases(cases) if not case.name.startswith(UNSAFE)]
        wrong = [text for case in sized for text in check_sizes(case)]
        columns = (counts[word] for word in ("onnxruntime", "reference", "refused", "wrong"))
        print(f"{family:<18}", *(f"{count:>11}" for count in (*columns, len(wrong))), flush=True)
        wrong += [f"{name}: {outcome.detail}" for name, outcome in outcomes.items() if outcome.word == "wrong"]
        for text in wrong:
            print(f"  {text}")
        is_wrong |= bool(wrong)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
