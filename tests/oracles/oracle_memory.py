"""Compares the memory planning of ours and of TVM: the same tensors in the same storages, of the same sizes, in the same order.

python tests/oracles/oracle_memory.py plan --seeds 0:500          # relax-static-plan-memory and StaticPlanBlockMemory
python tests/oracles/oracle_memory.py kill --seeds 0:500          # relax-kill-after-last-use and KillAfterLastUse, after planning
python tests/oracles/oracle_memory.py style --seeds 0:500         # relax-convert-to-destination-style and CallTIRRewrite, without branches

Both sides start from the same module, as TVM lowers it; results must be equal up to the names of values.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

import tvm
from tvm import relax
from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl_relax.dialects.relax.attrs import ObjectType
from xdsl_relax.dialects.relax.function_signature import functions
from xdsl_relax.dialects.relax.ops.core import CallPackedOp, MatchCastOp, ShapeOp
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.frontend.tvm.diagnostics import UnsupportedError
from xdsl_relax.passes import PASSES
from xdsl_relax.passes.cleanup.canonicalize_bindings import CanonicalizeBindingsPass
from xdsl_relax.passes.memory.convert_to_destination_style import is_foreign_kernel
from xdsl_relax.passes.memory.kill_after_last_use import drop_unused_tuples
from xdsl_relax.passes.rewriting.kernel_functions import is_kernel

sys.path.insert(0, str(Path(__file__).parents[1]))

from generators.memory_modules import Generator

from oracles.normal_form import flaw_of

transform = relax.transform

LOWER = (
    transform.LegalizeOps,
    transform.RewriteDataflowReshape,
    transform.ToNonDataflow,
    transform.RemovePurityChecking,
)
PLAN = (*LOWER, transform.CallTIRRewrite)


@dataclass(frozen=True)
class Stage:
    """What both sides start from, and what each does then."""

    start: Sequence[Callable[[], Any]]
    reference: Callable[[], Any]
    ours: str


STAGES: dict[str, Stage] = {
    "style": Stage(LOWER, transform.CallTIRRewrite, "relax-convert-to-destination-style"),
    "plan": Stage(PLAN, transform.StaticPlanBlockMemory, "relax-static-plan-memory"),
    "kill": Stage((*PLAN, transform.StaticPlanBlockMemory), transform.KillAfterLastUse, "relax-kill-after-last-use"),
}


@dataclass(frozen=True)
class Outcome:
    """What came out: "same", "ill-formed": the reference's result is; "deliberate", as the pass says; "not imported"; or "different"."""

    kind: str
    detail: str = ""


def clean(module: ModuleOp) -> ModuleOp:
    """Takes the fields of tuples directly, and drops tuples that nothing reads; what they keep alive depends on how they are written."""
    CanonicalizeBindingsPass().apply(Context(), module)
    for function in functions(module):
        drop_unused_tuples(function)
    return module


def comparable_text(module: ModuleOp) -> str:
    """Returns the functions that are no kernels, without the names of values."""
    texts: list[str] = []
    for function in list(module.body.block.ops):
        if not isinstance(function, func.FuncOp) or is_kernel(function) or is_foreign_kernel(function):
            continue
        for op in list(function.walk()):
            if isinstance(op, ShapeOp):
                stand_before_use(op)
            for value in (
                *op.results,
                *(arg for region in op.regions for block in region.blocks for arg in block.args),
            ):
                value._name = None
            op.attributes = {name: attr for name, attr in op.attributes.items() if not name.startswith("tvm.")}
            if isinstance(op, CallPackedOp) and all(isinstance(result.type, ObjectType) for result in op.results):
                drop_results(op)
        texts.append(str(function))
    return "\n".join(texts)


def stand_before_use(op: ShapeOp) -> None:
    """Moves the sizes of one tensor to where they are read; TVM has them there."""
    (use,) = op.result.uses
    op.detach()
    Rewriter.insert_op(op, InsertPoint.before(use.operation))


def drop_results(op: CallPackedOp) -> None:
    """Removes results that stand for nothing: TVM gives a call without results an object."""
    if op.results and all(result.first_use is None for result in op.results):
        new = CallPackedOp.create(operands=op.operands, properties=op.properties, attributes=op.attributes)
        Rewriter.insert_op(new, InsertPoint.before(op))
        Rewriter.erase_op(op)


def compare(name: str, module: Any) -> Outcome:
    """Runs a pass of both sides on a module of TVM and compares the results."""
    stage = STAGES[name]
    start = tvm.transform.Sequential([make() for make in stage.start])(module)
    if (flaw := flaw_of(start)) is not None:
        return Outcome("ill-formed", flaw)
    try:
        ours = from_relax(start)
    except UnsupportedError as error:
        return Outcome("not imported", str(error))
    if name == "kill":
        start, ours = to_relax(clean(ours)), ours.clone()
    branches = any(isinstance(op, scf.IfOp) for op in ours.walk())
    PASSES[stage.ours]()().apply(Context(), ours)
    ours.verify()
    exported = to_relax(ours)
    flaw = flaw_of(exported)
    if flaw is not None:
        return Outcome("different", f"our result is not well-formed: {flaw}\n{ours}")
    reference = stage.reference()(start)
    if (flaw := flaw_of(reference)) is not None:
        return Outcome("ill-formed", flaw)
    left, right = comparable_text(clean(from_relax(exported))), comparable_text(clean(from_relax(reference)))
    if left == right:
        return Outcome("same")
    if name == "kill" and branches:
        return Outcome("deliberate", "the reference kills nothing after a branch")
    if name == "plan" and any(isinstance(op, MatchCastOp) for op in ours.walk()):
        return Outcome("deliberate", "the reference forgets that a cast tensor is in use")
    return Outcome(
        "different", "\n".join(unified_diff(right.splitlines(), left.splitlines(), "reference", "ours", "", "", 8))
    )


def main(argv: list[str] | None = None) -> int:
    """The command line; 1 if a result differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(STAGES))
    parser.add_argument("--seeds", metavar="FIRST:LAST", default="0:100", help="random modules (default: 0:100)")
    parser.add_argument("--show", type=int, default=1, help="how many differences to print (default: 1)")
    parser.add_argument("--kind", default="different", help="the outcome to print")
    args = parser.parse_args(argv)
    outcomes: Counter[str] = Counter()
    first, last = map(int, args.seeds.split(":"))
    for seed in range(first, last):
        outcome = compare(args.name, to_relax(Generator(seed, branches=args.name != "style").module()[0]))
        outcomes[outcome.kind] += 1
        if outcome.kind == args.kind and outcomes[outcome.kind] <= args.show:
            print(f"seed {seed}: {outcome.detail}")
    print(", ".join(f"{kind} {count}" for kind, count in sorted(outcomes.items())))
    return 1 if outcomes["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
