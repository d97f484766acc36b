"""`func.call` with symbolic sizes: symbols belong to a function, so caller and callee may name the same size differently.

A parameter `tensor<?x8xf32, #relax.sym<n>>` takes an operand `tensor<?x8xf32, #relax.sym<2 * k>>`; in this call `n` is `2 * k`, also in the
types of the results (`dialects/relax/calls.py`). xDSL asks for equal types. `CallOp` is a subclass of xDSL's with the same name, and
`EXTENDED_FUNC` has it in place of xDSL's; passes that create calls create these.

For upstream: "func.call asks the types of the callee's parameters whether they accept those of the operands; by default they are equal."
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import Dialect, Operation
from xdsl.irdl import OpDef, traits_def
from xdsl.traits import SymbolUserOpInterface

from ..relax.calls import verify_call_op
from .redefinition import redefined


class BindsCalleeSymbols(SymbolUserOpInterface):
    """A call whose operands say what the symbols of the callee are."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, func.CallOp)
        verify_call_op(op)


_TRAITS = traits_def(BindsCalleeSymbols())
_CALL = redefined(func.CallOp, traits=_TRAITS)


class CallOp(func.CallOp):
    """Calls a function, whose symbols the operands bind."""

    traits = _TRAITS

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _CALL

    def verify_(self) -> None:
        _CALL.verify(self)


EXTENDED_FUNC = Dialect(
    "func", [CallOp if op is func.CallOp else op for op in func.Func.operations], [*func.Func.attributes]
)
