"""Runs a pass of ours and the reference's on the same module and compares the results, structurally up to names.

python tests/oracle_lift.py lift-shared --seeds 0:200        # random modules
python tests/oracle_lift.py lift FILE.json                   # one module, with both results where they differ
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tvm
from tvm import relax
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import PassFailedException, VerifyException
from xdsl_relax.dialects.relax.attrs import ObjectType
from xdsl_relax.dialects.relax.core import (
    ConstantOp,
    DataflowOp,
    MatchCastOp,
    OutputOp,
    ShapeOp,
    TupleGetItemOp,
    TupleOp,
)
from xdsl_relax.dialects.relax.scope import defined_symbols, used_symbols
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.frontend.tvm.vocabulary import CALLABLE
from xdsl_relax.passes.bundle_model_params import BundleModelParamsPass
from xdsl_relax.passes.canonicalize_bindings import CanonicalizeBindingsPass
from xdsl_relax.passes.dataflow_blocks import dissolve
from xdsl_relax.passes.dead_code_elimination import DeadCodeEliminationPass
from xdsl_relax.passes.expand_tuple_arguments import ExpandTupleArgumentsPass
from xdsl_relax.passes.lazy_get_input import LazyGetInputPass
from xdsl_relax.passes.lazy_set_output import LazySetOutputPass
from xdsl_relax.passes.lift_transform_params import LiftTransformParamsPass
from xdsl_relax.passes.remove_unused_outputs import RemoveUnusedOutputsPass
from xdsl_relax.passes.remove_unused_parameters import RemoveUnusedParametersPass

sys.path.insert(0, str(Path(__file__).parent))


@dataclass(frozen=True)
class Pair:
    """A pass of the reference, and ours that is to do the same."""

    reference: Callable[[], Any]
    ours: Callable[[], ModulePass]


PAIRS: dict[str, Pair] = {
    "lift": Pair(relax.transform.LiftTransformParams, lambda: LiftTransformParamsPass(bundle=True)),
    "lift-shared": Pair(
        lambda: relax.transform.LiftTransformParams(shared_transform=True),
        lambda: LiftTransformParamsPass(shared=True, bundle=True),
    ),
    "lift-list": Pair(
        lambda: relax.transform.LiftTransformParams(shared_transform=["f1", "f0"]),
        lambda: LiftTransformParamsPass(shared=("f1", "f0"), bundle=True),
    ),
    "bundle": Pair(relax.transform.BundleModelParams, BundleModelParamsPass),
    "expand": Pair(relax.transform.ExpandTupleArguments, ExpandTupleArgumentsPass),
    "unused-parameters": Pair(relax.transform.RemoveUnusedParameters, RemoveUnusedParametersPass),
    "unused-outputs": Pair(relax.transform.RemoveUnusedOutputs, RemoveUnusedOutputsPass),
    "dce": Pair(relax.transform.DeadCodeElimination, DeadCodeEliminationPass),
    "canonicalize": Pair(relax.transform.CanonicalizeBindings, CanonicalizeBindingsPass),
    "lazy-get": Pair(relax.transform.LazyGetInput, LazyGetInputPass),
    "lazy-set": Pair(relax.transform.LazySetOutput, LazySetOutputPass),
}


SHARED = ("lift-shared", "lift-list")


@dataclass(frozen=True)
class Outcome:
    """What came out.

    "same"; "refused" by both; "ill-formed": the reference's result, or it has none; "deliberate": ours does more, as docs/lifting.md
    says; "different".
    """

    kind: str
    detail: str = ""


def normal_form(module: Any) -> Any:
    """Returns a module without what both sides may write in several ways.

    These are names, trivial bindings, blocks, the place of a binding, reads of a tuple that repeat, and dead bindings.
    """
    passes = [relax.transform.CanonicalizeBindings(), relax.transform.EliminateCommonSubexpr()]
    imported = from_relax(tvm.transform.Sequential([*passes, relax.transform.CanonicalizeBindings()])(module))
    for function in imported.body.block.ops:
        if isinstance(function, func.FuncOp):
            straighten(function)
    imported.verify()
    return to_relax(imported)


def straighten(function: func.FuncOp) -> None:
    """Puts the ops of a function into the order in which its results, from the first to the last, ask for them."""
    block = function.body.block
    for op in list(block.ops):
        if isinstance(op, DataflowOp):
            dissolve(op)
    items: dict[tuple[SSAValue, int], SSAValue] = {}
    for op in list(block.ops):
        if isinstance(op, TupleGetItemOp):
            first = items.setdefault((op.tuple_value, op.index.value.data), op.result)
            if first is not op.result:
                op.result.replace_all_uses_with(first)
                Rewriter.erase_op(op)
    for op in list(block.ops):
        if isinstance(op, TupleOp) and (whole := taken_apart(op)) is not None:
            op.result.replace_all_uses_with(whole)
            Rewriter.erase_op(op)
    terminator = block.last_op
    ops = [op for op in block.ops if op is not terminator]
    placed: dict[Operation, None] = {}

    def place(op: Operation) -> None:
        if op not in placed:
            inside = [operand for inner in op.walk() for operand in inner.operands]
            for operand in inside:
                if isinstance(operand.owner, Operation) and operand.owner.parent is block:
                    place(operand.owner)
            placed[op] = None

    for op in needed_casts(function):
        place(op)
    for op in (op for op in ops if not isinstance(op, MatchCastOp) and not is_side_effect_free(op)):
        place(op)
    place(terminator)
    for op in block.ops:
        op.attributes.pop("tvm.alias", None)
        if isinstance(op, TupleOp | ShapeOp | ConstantOp):
            op.results[0]._name = None
    for op in [op for op in ops if op not in placed][::-1]:
        Rewriter.erase_op(op)
    for op in placed:
        op.detach()
        block.add_op(op)


def needed_casts(function: func.FuncOp) -> list[Operation]:
    """Returns the casts that define a symbol which the results depend on; the reference drops any other one that nothing reads."""
    block = function.body.block
    live: set[Operation] = set()
    pending = [
        block.last_op,
        *(op for op in block.ops if not isinstance(op, MatchCastOp) and not is_side_effect_free(op)),
    ]
    known = set().union(*(defined_symbols(arg.type) for arg in block.args))
    while pending:
        op = pending.pop()
        if op in live:
            continue
        live.add(op)
        pending += [
            value.owner for inner in op.walk() for value in inner.operands if isinstance(value.owner, Operation)
        ]
        wanted = set().union(*(used_symbols(result.type) for result in op.results)) - known
        for cast in block.ops:
            if wanted and isinstance(cast, MatchCastOp) and (found := defined_symbols(cast.result.type) & wanted):
                wanted -= found
                known |= found
                pending.append(cast)
    return [op for op in block.ops if op in live and isinstance(op, MatchCastOp)]


def taken_apart(op: TupleOp) -> SSAValue | None:
    """Returns the tuple of which an op joins all fields again."""
    owners = [value.owner for value in op.fields]
    if not owners or not all(isinstance(one, TupleGetItemOp) for one in owners):
        return None
    whole = owners[0].tuple_value
    found = [(one.tuple_value, one.index.value.data) for one in owners]
    return whole if found == [(whole, index) for index in range(len(whole.type.types.data))] else None


def declare_loader(function: Any) -> None:
    """Says of an argument that loads parameters, and is not used, what it is; the dialect has one type for all objects."""
    if not isinstance(function, func.FuncOp):
        return
    given = function.arg_attrs
    entries = [DictionaryAttr({}) for _ in function.body.block.args] if given is None else list(given.data)
    for index, arg in enumerate(function.body.block.args):
        if arg.name_hint == "fget_param" and arg.first_use is None:
            signature = FunctionType.from_lists([i64, ObjectType()], [ObjectType()])
            entries[index] = DictionaryAttr({CALLABLE: ArrayAttr([StringAttr("pure"), signature])})
    function.arg_attrs = ArrayAttr(entries)


def flaw_of(module: Any) -> str | None:
    """Returns why a module is not well-formed, `None` if it is."""
    try:
        return "not well-formed" if relax.analysis.well_formed(module) is False else None
    except Exception as error:  # TVM raises under many types.
        return str(error).splitlines()[0]


def compare(name: str, module: Any) -> Outcome:
    """Runs both passes on a module of TVM and compares the results."""
    pair = PAIRS[name]
    try:
        reference = pair.reference()(module)
    except Exception as error:  # TVM raises under many types.
        reference, refusal = None, str(error).splitlines()[0]
    imported = from_relax(module)
    try:
        pair.ours().apply(Context(), imported)
        imported.verify()
    except (PassFailedException, VerifyException) as error:
        if reference is None:
            return Outcome("refused", f"{refusal} / {error}")
        return Outcome("different", f"ours refuses: {error}\nreference:\n{reference.script()}")
    if reference is None:
        return Outcome("ill-formed", refusal)
    if (flaw := flaw_of(reference)) is not None:
        return Outcome("ill-formed", flaw)
    for function in imported.body.block.ops:
        declare_loader(function)
    ours = to_relax(imported)
    if (flaw := flaw_of(ours)) is not None:
        return Outcome("different", f"our result is not well-formed: {flaw}\n{ours.script()}")
    left, right = normal_form(ours), normal_form(reference)
    try:
        tvm.ir.assert_structural_equal(left, right)
    except ValueError as error:
        where = str(error).splitlines()[1]
        reason = deliberate(from_relax(module)) if name in SHARED else None
        if reason is not None:
            return Outcome("deliberate", f"{reason}: {where}")
        return Outcome("different", f"{where}\nours:\n{left.script()}\nreference:\n{right.script()}")
    return Outcome("same")


def deliberate(module: ModuleOp) -> str | None:
    """Returns why a shared transform of ours is to differ from the reference's, `None` if it is not.

    The reference lifts nothing whose type has a symbol, and renames symbols of the first function wrongly in the others; it lifts
    nothing where no two functions use a weight in common.
    """
    used: list[set[int]] = []
    for function in module.body.block.ops:
        if not isinstance(function, func.FuncOp) or "relax.num_input" not in function.attributes:
            continue
        count = function.attributes["relax.num_input"].value.data
        weights = function.body.block.args[count:]
        if any(used_symbols(weight.type) for weight in weights):
            return "symbols of weights"
        used.append({index for index, weight in enumerate(weights) if weight.first_use is not None})
    if len(used) > 1 and sum(map(len, used)) == len(set[int]().union(*used)):
        return "nothing in common"
    return None


def random_relax_module(seed: int, tame: bool = True) -> Any:
    """Returns a random module as TVM has it; a tame one returns nothing that can be lifted, and computes nothing twice."""
    from lift_modules import random_module

    module = random_module(seed)
    if not tame:
        return to_relax(module)
    for function in module.body.block.ops:
        if isinstance(function, func.FuncOp) and "relax.num_input" in function.attributes:
            return_inputs_only(function)
    passes = [relax.transform.CanonicalizeBindings(), relax.transform.EliminateCommonSubexpr()]
    passes += [relax.transform.CanonicalizeBindings(), relax.transform.DeadCodeElimination()]
    return tvm.transform.Sequential(passes)(to_relax(module))


def return_inputs_only(function: func.FuncOp) -> None:
    """Lets a function return only what depends on its inputs; the reference forgets that other results are needed."""
    count = function.attributes["relax.num_input"].value.data
    known = set(function.body.block.args[:count])
    for op in function.walk():
        if isinstance(op, DataflowOp):
            continue
        if any(operand in known for operand in op.operands):
            known |= set(op.results)
            if isinstance(op, OutputOp):
                outer = op.parent_op().results
                known |= {result for result, value in zip(outer, op.operands, strict=True) if value in known}
    returned = function.body.block.last_op
    kept = [value for value in returned.operands if value in known] or [function.body.block.args[0]]
    returned.operands = kept
    inputs = function.function_type.inputs.data
    function.function_type = FunctionType.from_lists(inputs, [value.type for value in kept])


def main(argv: list[str] | None = None) -> int:
    """The command line; 1 if a result differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(PAIRS))
    parser.add_argument("file", nargs="?", help="a module: FILE.json or FILE.py")
    parser.add_argument("--seeds", metavar="FIRST:LAST", help="random modules instead of a file")
    parser.add_argument("--wild", action="store_true", help="random modules with what the reference gets wrong")
    parser.add_argument("--show", type=int, default=1, help="how many differences to print (default: 1)")
    parser.add_argument("--kind", default="different", help="the outcome to print")
    args = parser.parse_args(argv)
    modules: list[tuple[str, Any]] = []
    if args.seeds:
        first, last = map(int, args.seeds.split(":"))
        modules = [(f"seed {seed}", seed) for seed in range(first, last)]
    elif args.file:
        from xdsl_relax.frontend.tvm.load import load_module

        modules = [(args.file, load_module(args.file)[0])]
    found: Counter[str] = Counter()
    shown = 0
    for label, module in modules:
        outcome = compare(args.name, random_relax_module(module, not args.wild) if isinstance(module, int) else module)
        found[outcome.kind] += 1
        if outcome.kind == args.kind and shown < args.show:
            shown += 1
            print(f"{label}: {outcome.detail}")
    print(", ".join(f"{kind} {count}" for kind, count in sorted(found.items())))
    return 1 if found["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
