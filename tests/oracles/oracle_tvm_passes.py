"""Runs passes of ours and of TVM on the modules that TVM's own tests build (`tvm_corpus.py`), and compares the results, strictly.

python tests/oracles/oracle_tvm_passes.py FOLDER combine-parallel-matmul eliminate-common-subexpr [--show 3]

Computations that repeat or that nothing reads count. What is not compared: names, bindings that compute nothing, blocks, and the places of bindings.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvm import relax
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException, VerifyException

sys.path.insert(0, str(Path(__file__).parents[1]))

from xdsl_relax.frontend.tvm import UnsupportedError, from_relax, to_relax
from xdsl_relax.passes.cleanup.eliminate_common_subexpr import EliminateCommonSubexprPass
from xdsl_relax.passes.contraction.combine_parallel_matmul import CombineParallelMatmulPass

from oracles.graph_form import plainer
from oracles.normal_form import difference, flaw_of
from oracles.oracle_graph import opaque_kernels, run
from oracles.tvm_corpus import Entry, entries

PAIRS: dict[str, tuple[Callable[[Any], Any], Callable[[ModuleOp], None]]] = {
    "combine-parallel-matmul": (
        relax.transform.CombineParallelMatmul(),
        run(CombineParallelMatmulPass(only_weights=False)),
    ),
    "eliminate-common-subexpr": (relax.transform.EliminateCommonSubexpr(), run(EliminateCommonSubexprPass())),
    "eliminate-common-subexpr-calls": (
        relax.transform.EliminateCommonSubexpr(call_only=True),
        run(EliminateCommonSubexprPass(call_only=True)),
    ),
}


@dataclass(frozen=True)
class Outcome:
    """What came out: "same", "different", "ill-formed" (of the reference, or given), "not imported", or "unchanged" by both."""

    kind: str
    detail: str = ""


def compare(name: str, entry: Entry) -> Outcome:
    """Runs both passes on a module."""
    reference_pass, our_pass = PAIRS[name]
    try:
        given = to_relax(from_relax(entry.module()))
    except (AttributeError, UnsupportedError, ValueError):
        return Outcome("not imported")
    if (flaw := flaw_of(given)) is not None:
        return Outcome("ill-formed", f"given: {flaw}")
    ours = from_relax(given)
    try:
        our_pass(ours)
        ours.verify()
        result = to_relax(ours)
    except (PassFailedException, VerifyException, UnsupportedError) as error:
        return Outcome("different", f"ours fails: {error}\n{given.script()}")
    if (flaw := flaw_of(result)) is not None:
        return Outcome("different", f"our result is not well-formed: {flaw}\n{given.script()}\n{result.script()}")
    try:
        reference = reference_pass(given)
    except Exception as error:  # TVM raises under many types.
        return Outcome("ill-formed", f"the reference fails: {str(error).splitlines()[-1]}")
    if (flaw := flaw_of(reference)) is not None:
        return Outcome("ill-formed", f"the reference's result: {flaw}\n{given.script()}\n{reference.script()}")
    try:
        where = difference(plainer(result), plainer(reference), strict=True)
        if where is not None:
            return Outcome("different", f"{where}\ngiven:\n{given.script()}")
        changed = difference(plainer(given), plainer(reference), strict=True) is not None
    except (VerifyException, UnsupportedError) as error:
        return Outcome("not compared", str(error))
    return Outcome("same" if changed else "unchanged by both")


def main() -> int:
    """Prints the table; 1 if a result differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="what tvm_corpus.py wrote")
    parser.add_argument("names", nargs="+", choices=sorted(PAIRS))
    parser.add_argument("--files", nargs="*", default=(), help="parts of the names of files")
    parser.add_argument("--show", type=int, default=1, help="how many differences to print (default: 1)")
    parser.add_argument("--kind", default="different", help="the outcome to print")
    options = parser.parse_args()
    status = 0
    for name in options.names:
        counts: Counter[str] = Counter()
        for entry in entries(options.folder, options.files):
            with opaque_kernels():
                outcome = compare(name, entry)
            counts[outcome.kind] += 1
            if outcome.kind == options.kind and counts[outcome.kind] <= options.show:
                print(f"--- {name}, {entry.test}: {outcome.detail}", flush=True)
        print(f"{name}:", ", ".join(f"{kind} {count}" for kind, count in counts.most_common()), flush=True)
        status |= counts["different"] > 0
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
