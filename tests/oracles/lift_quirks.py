"""What the reference gets wrong, or refuses, in parameter lifting, and modules without it.

Each quirk has a function that rewrites a module so that the quirk cannot occur, and keeps the rest. A difference between our result and
the reference's is explained by a quirk when it disappears with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

from generators.lift_modules import size_of
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.rewriter import Rewriter
from xdsl_relax.dialects.relax.function_signature import functions, is_private, return_op, update_signature
from xdsl_relax.dialects.relax.ops.core import DataflowOp, MatchCastOp, OutputOp, StopLiftParamsOp, TupleOp
from xdsl_relax.dialects.relax.ops.unary import TanhOp
from xdsl_relax.dialects.relax.type_dims import map_dims
from xdsl_relax.dialects.relax.vocabulary.attributes import NUM_INPUT
from xdsl_relax.dialects.symbolic.expressions import Dim, substitute, symbols
from xdsl_relax.frontend.tvm.vocabulary import IMPLICIT, SIZES
from xdsl_relax.passes.cleanup.canonicalize_bindings import CanonicalizeBindingsPass
from xdsl_relax.passes.cleanup.dead_code_elimination import DeadCodeEliminationPass
from xdsl_relax.passes.cleanup.eliminate_common_subexpr import EliminateCommonSubexprPass
from xdsl_relax.passes.lifting.lift_plan import readers
from xdsl_relax.passes.rewriting.dataflow_blocks import inline_dataflow, keep_outputs
from xdsl_relax.passes.rewriting.value_types import retype


def functions_with_weights(module: ModuleOp) -> list[func.FuncOp]:
    """Returns the functions that say where their weights begin."""
    return [function for function in functions(module) if NUM_INPUT.of(function) is not None]


def return_fields(module: ModuleOp) -> None:
    """Lets public functions return the fields of a tuple that they make for the one result."""
    for function in functions(module):
        if is_private(function):
            continue
        last = return_op(function)
        (returned,) = last.operands if len(last.operands) == 1 else (None,)
        bundle = returned
        while bundle is not None and isinstance(bundle.owner, MatchCastOp) and is_implicit(bundle.owner):
            bundle = bundle.owner.input
        if returned is not None and bundle is not None and isinstance(bundle.owner, TupleOp):
            last.operands = bundle.owner.fields
            erase_unread(returned)
            update_signature(function, None, [])


def is_implicit(owner: object) -> TypeGuard[MatchCastOp]:
    """Returns whether an op is a cast that TVM does not have."""
    return isinstance(owner, MatchCastOp) and IMPLICIT in owner.attributes


def return_what_depends_on_inputs(module: ModuleOp) -> None:
    """Lets functions return nothing that weights alone tell."""
    return_fields(module)
    for function in functions_with_weights(module):
        known: set[SSAValue] = set(function.body.block.args[: NUM_INPUT.of(function)])
        for op in function.walk():
            if isinstance(op, DataflowOp):
                continue
            if any(operand in known for operand in op.operands):
                known |= set(op.results)
                if isinstance(op, OutputOp):
                    outer = op.parent_op()
                    assert outer is not None
                    known |= {
                        result for result, value in zip(outer.results, op.operands, strict=True) if value in known
                    }
        last = return_op(function)
        returned = list(last.operands)
        last.operands = [value for value in returned if value in known] or [function.body.block.args[0]]
        for value in returned:
            erase_unread(value)
        update_signature(function, None, [])


def erase_unread(value: SSAValue) -> None:
    """Erases the tuples, and the casts that TVM does not have, that only the return has read."""
    owner = value.owner
    if value.first_use is None and (isinstance(owner, TupleOp) or is_implicit(owner)):
        operands = list(owner.operands)
        Rewriter.erase_op(owner)
        for operand in operands:
            erase_unread(operand)


def compute_once(module: ModuleOp) -> None:
    """Merges equal expressions."""
    for cleanup in (CanonicalizeBindingsPass(), EliminateCommonSubexprPass(), DeadCodeEliminationPass()):
        cleanup.apply(Context(), module)


def give_sizes(module: ModuleOp) -> None:
    """Gives each symbol a size."""

    def size(dim: Dim) -> Dim:
        return dim if dim is None else substitute(dim, {name: size_of(name) for name in symbols(dim)})

    for function in functions(module):
        function.attributes.pop(SIZES, None)
        for arg in function.body.block.args:
            retype(arg, map_dims(arg.type, size))
        for op in function.walk():
            for result in op.results:
                retype(result, map_dims(result.type, size))
        update_signature(function)


def erase_casts(module: ModuleOp) -> None:
    """Gives sizes, also to weights of which only casts tell them, and erases the casts that then change nothing."""
    give_sizes(module)
    told: dict[int, Attribute] = {}
    casts = [op for op in module.walk() if isinstance(op, MatchCastOp)]
    for op in casts:
        if isinstance(op.input, BlockArgument):
            told[op.input.index - len(op.input.block.args)] = op.result.type
    for function in functions_with_weights(module):
        for position, value_type in told.items():
            retype(function.body.block.args[position], value_type)
        update_signature(function)
    for op in casts:
        if op.input.type == op.result.type:
            op.result.replace_all_uses_with(op.input)
            Rewriter.erase_op(op)


def read_in_common(module: ModuleOp) -> None:
    """Lets each function read all weights, outside of dataflow blocks, where nothing is lifted."""
    for function in functions_with_weights(module):
        last = return_op(function)
        read = [TanhOp.build_from(arg) for arg in function.body.block.args[NUM_INPUT.of(function) :] if is_tensor(arg)]
        function.body.block.insert_ops_before(read, last)
        last.operands = [*last.operands, *(op.result for op in read)]
        update_signature(function, None, [])


def is_tensor(value: SSAValue) -> bool:
    """Returns whether a value is a tensor."""
    return value.type.name == "tensor"


def erase_unread_stops(module: ModuleOp) -> None:
    """Erases each `stop_lift_params` that no op reads."""
    for function in functions_with_weights(module):
        for op in reversed(list(function.walk())):
            if isinstance(op, StopLiftParamsOp) and not any(True for _ in readers(op.result)):
                for use in list(op.result.uses):
                    block = use.operation.parent_op()
                    assert isinstance(block, DataflowOp)
                    keep_outputs(block, [result.first_use is not None for result in block.outputs])
                Rewriter.erase_op(op)


def name_tuples(module: ModuleOp) -> None:
    """Names the tuples that calls take, which makes them bindings in TVM."""
    for op in module.walk():
        if isinstance(op, TupleOp) and op.result.name_hint is None:
            if any(isinstance(use.operation, func.CallOp | TupleOp) for use in op.result.uses):
                op.result.name_hint = "bundle"


def leave_dataflow_blocks(module: ModuleOp) -> None:
    """Moves all ops out of dataflow blocks."""
    for op in [op for op in module.walk() if isinstance(op, DataflowOp)]:
        inline_dataflow(op)


QUIRKS: dict[str, Callable[[ModuleOp], None]] = {
    "a lifted value is returned": return_what_depends_on_inputs,
    "an expression occurs twice": compute_once,
    "a size is a symbol": give_sizes,
    "match_cast": erase_casts,
    "no weight in common": read_in_common,
    "nothing reads stop_lift_params": erase_unread_stops,
    "a tuple inside of a call": name_tuples,
    "effects in dataflow blocks": leave_dataflow_blocks,
    "a tuple is returned by its name": return_fields,
}
"""The rewrites by the name of the quirk, in the order in which they are applied."""


def without(module: ModuleOp, names: frozenset[str]) -> ModuleOp:
    """Returns a copy of a module in which quirks cannot occur."""
    changed = module.clone()
    for name, rewrite in QUIRKS.items():
        if name in names:
            rewrite(changed)
    changed.verify()
    return changed
