"""Checks of sizes at run time: what constraints of ops, declared ranges and calls leave open when the program is compiled."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from xdsl.dialects import func
from xdsl.ir import SSAValue

from ...dialects.relax.base import RelaxOp
from ...dialects.relax.calls import call_symbols
from ...dialects.relax.symbol_ranges import declared_ranges
from ...dialects.symbolic.conditions import Condition, SizeContext
from ...dialects.symbolic.expressions import Leaf
from ...dialects.upstream.op_error import OpError
from .builder import LinalgBuilder


class SizeChecks:
    """Asserts conditions on sizes where a builder stands.

    `%y = relax.add %a, %b : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<m>>) -> ...` leaves open whether `n = m`:
    ```mlir
    %holds = arith.cmpi eq, %n, %m : index
    cf.assert %holds, "relax.add: expected n = m"
    ```
    """

    def __init__(self, function: str, b: LinalgBuilder, asserted: AbstractSet[Condition] = frozenset()):
        self.function = function
        self.b = b
        self._asserted = set(asserted)
        """Conditions on symbols alone that hold where the builder stands."""

    def nested(self, b: LinalgBuilder) -> SizeChecks:
        """Returns the checks inside of a region: what is asserted there does not hold behind it."""
        return SizeChecks(self.function, b, self._asserted)

    def check_op(self, op: RelaxOp, operand_size: Callable[[int, int], SSAValue]) -> None:
        """Asserts what the constraints of an op leave to run time, each once; `operand_size` gives a dim of an operand."""
        for condition in op.conditions():
            if condition in self._asserted or not self.b.symbols.keys() >= condition.symbols:
                continue
            dims = condition.operand_dims
            if not dims:
                self._asserted.add(condition)
            sizes: dict[Leaf, SSAValue] = {dim: operand_size(dim.operand, dim.axis) for dim in dims}
            lhs, rhs = (self.b.emit_size(size, sizes) for size in (condition.lhs, condition.rhs))
            self.b.check(lhs, condition.relation, rhs, str(OpError(op, f"{op.name}: expected {condition}")))

    def check_call(self, op: func.CallOp, callee: func.FuncOp) -> None:
        """Asserts that the sizes of a call are in the ranges that the callee declares, where those of this function do not prove it."""
        ranges = declared_ranges(callee)
        if not ranges:
            return
        names = call_symbols(callee.function_type.inputs.data, [value.type for value in op.operands], self.b.ranges)
        context = SizeContext(self.b.ranges)
        for name, (low, high) in ranges.intervals.items():
            context.is_below(names.get(name), low or 0)
            context.is_below(high, names.get(name))
        for condition in context.conditions:
            lhs, rhs = (self.b.as_index(self.b.size(size)) for size in (condition.lhs, condition.rhs))
            self.b.check(lhs, ">=", rhs, str(OpError(op, f"call of {op.callee}: expected {condition}")))

    def check_symbol(self, name: str, size: SSAValue) -> None:
        """Asserts that the size of a new symbol is in the range that the function declares for it."""
        low, high = self.b.ranges.intervals.get(name, (None, None))
        for bound, relation in ((low or None, ">="), (high, "<=")):
            if bound is not None:
                message = f"{self.function}: match_cast: expected {self.b.ranges.text(name)}"
                self.b.check(size, relation, self.b.index(bound), message)
