"""Tells which ops have effects: what may be removed when unused, and what may stand in a dataflow block."""

from __future__ import annotations

from collections.abc import Container
from functools import cache

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.traits import MemoryEffect, Pure, is_side_effect_free

from ...dialects.relax.base import TensorOp
from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.core import CallPackedOp, DataflowOp, InvokePureClosureOp, MatchCastOp
from ...dialects.walks import inner_blocks, ops_inside
from ...kinds import kind_test
from .call_graph import is_call

_has_none = kind_test(MatchCastOp, InvokePureClosureOp, arith.ConstantOp)
_has_those_inside = kind_test(DataflowOp, scf.IfOp, scf.ForOp, scf.WhileOp)
_is_packed_call = kind_test(CallPackedOp)
_is_cast = kind_test(MatchCastOp)


def has_effects(op: Operation, pure: Container[str]) -> bool:
    """Returns whether running an op can be observed other than through its results; `pure` names functions without effects."""
    if _is_pure_tensor_op(type(op)) or _has_none(op):
        return False
    if _is_packed_call(op):
        return not op.prop("pure", False)
    if is_call(op):
        return op.callee.string_value() not in pure
    if _has_those_inside(op):
        return any(_body_has_effects(block, pure) for block in inner_blocks(op))
    if op.dialect_name() in ("arith", "linalg"):
        # Not all of them have the trait; on tensors, which is all that there is at this stage, they are pure.
        return False
    return not is_side_effect_free(op)


@cache
def _is_pure_tensor_op(op_type: type[Operation]) -> bool:
    """Returns whether all that is said of the effects of a class of tensor ops is that there are none."""
    return issubclass(op_type, TensorOp) and op_type.get_traits_of_type(MemoryEffect) == [Pure()]


def is_removable(op: Operation, pure: Container[str]) -> bool:
    """Returns whether an op may go when nothing reads its results: it has no effects, and checks nothing at run time.

    `pure` names the functions whose calls may go, too: `RemovableFunctions`.
    """
    if has_effects(op, pure):
        return False
    return not any(map(_is_cast, ops_inside(op) if op.regions else (op,)))


class PureFunctions(Container[str]):
    """The names of the functions whose calls have no effects; they are found when the first call is looked at, which many modules lack."""

    def __init__(self, module: ModuleOp):
        self._module = module
        self._names: set[str] | None = None

    def __contains__(self, name: object) -> bool:
        if self._names is None:
            self._names = self._found()
        return name in self._names

    def _found(self) -> set[str]:
        pure = {function.sym_name.data for function in functions(self._module)}
        while True:
            impure = {
                function.sym_name.data
                for function in functions(self._module)
                if function.sym_name.data in pure
                and any(self.must_run(op, pure) for op in function.body.block.ops if op.next_op is not None)
            }
            if not impure:
                return pure
            pure -= impure

    def must_run(self, op: Operation, names: Container[str]) -> bool:
        """Returns whether a function with such an op is none of these, of which `names` are left."""
        return has_effects(op, names)


class RemovableFunctions(PureFunctions):
    """The names of the functions whose calls may go when nothing reads their results: those that check nothing at run time either."""

    def must_run(self, op: Operation, names: Container[str]) -> bool:
        return not is_removable(op, names)


def _body_has_effects(block: Block, pure: Container[str]) -> bool:
    return any(has_effects(op, pure) for op in block.ops if op.next_op is not None)
