"""Checks of sizes at run time: what constraints of ops, declared ranges and calls leave open when the program is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet

from xdsl.dialects import cf, func
from xdsl.ir import Operation, SSAValue

from ...dialects.relax.attrs import ShapeType
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.calls import call_sizes
from ...dialects.relax.symbol_ranges import declared_ranges
from ...dialects.relax.type_dims import defined_symbols
from ...dialects.symbolic.conditions import Condition
from ...dialects.symbolic.expressions import Known, Leaf, Symbol
from ...dialects.symbolic.limits import SizeLimit, limit_symbols
from ...dialects.symbolic.order import Interval, Ranges
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

    def __init__(self, function: str, b: LinalgBuilder, asserted: AbstractSet[Condition | SizeLimit] = frozenset()):
        self.function = function
        self.b = b
        self._asserted = set(asserted)
        """Conditions on symbols alone that hold where the builder stands."""

    def nested(self, b: LinalgBuilder) -> SizeChecks:
        """Returns the checks inside of a region: what is asserted there does not hold behind it."""
        return SizeChecks(self.function, b, self._asserted)

    def check_limits(self, op: Operation, limits: Iterable[SizeLimit], at_entry: AbstractSet[str]) -> None:
        """Asserts that sizes are in range of which some symbol is not known `at_entry`, each once."""
        for limit in limits:
            names = limit_symbols(limit)
            if limit in self._asserted or names <= at_entry or not self.b.symbols.keys() >= names:
                continue
            self._asserted.add(limit)
            shape = " x ".join(map(str, limit.dims))
            holds = self.b.range_checks().holds(limit)
            self.b.insert_op(cf.AssertOp(holds, str(OpError(op, f"{limit.op}: the size {shape} is out of range"))))

    def check_op(self, op: RelaxOp, operand_size: Callable[[int, int], SSAValue]) -> None:
        """Asserts what the constraints of an op leave to run time, each once; `operand_size` gives a dim of an operand."""
        self._check(op, op.name, op.conditions(), operand_size)

    def check_call(self, op: func.CallOp, callee: func.FuncOp, operand_size: Callable[[int, int], SSAValue]) -> None:
        """Asserts that operands have the sizes that the callee expects, in the ranges that it declares, where nothing proves it.

        Sizes in shape values must not be negative; those in tensors never are. `operand_size` gives a dim of an operand.
        """
        inputs, operands = callee.function_type.inputs.data, tuple(value.type for value in op.operands)
        shapes = (value_type for value_type in inputs if isinstance(value_type, ShapeType))
        intervals: dict[str, Interval] = {name: (0, None) for shape in shapes for name in defined_symbols(shape)}
        intervals.update(declared_ranges(callee).intervals)
        if not intervals and inputs == operands:
            return
        names, context = call_sizes(inputs, operands, self.b.ranges)
        for name, (low, high) in intervals.items():
            context.is_below(names.get(name), low or 0)
            context.is_below(high, names.get(name))
        self._check(op, f"call of {op.callee}", context.conditions, operand_size)

    def _check(
        self,
        op: Operation,
        subject: str,
        conditions: Iterable[Condition],
        operand_size: Callable[[int, int], SSAValue],
    ) -> None:
        """Asserts conditions in front of an op, each once."""
        for condition in conditions:
            if condition in self._asserted or not self.b.symbols.keys() >= condition.symbols:
                continue
            dims = condition.operand_dims
            if not dims:
                self._asserted.add(condition)
            sizes: dict[Leaf, SSAValue] = {dim: operand_size(dim.operand, dim.axis) for dim in dims}
            lhs, rhs = (self.b.emit_size(size, sizes) for size in (condition.lhs, condition.rhs))
            names = _name(condition.lhs), _name(condition.rhs)
            self.b.check(lhs, condition.relation, rhs, str(OpError(op, f"{subject}: expected {condition}")), names)

    def check_symbol(self, name: str, size: SSAValue, may_be_negative: bool) -> None:
        """Asserts that the size of a new symbol is in the range that the function declares for it."""
        ranges = Ranges({name: self.b.ranges.of(Symbol(name))})
        low, high = ranges.intervals[name]
        for bound, relation in ((low or (0 if may_be_negative else None), ">="), (high, "<=")):
            if bound is not None:
                message = f"{self.function}: match_cast: expected {ranges.text(name)}"
                self.b.check(size, relation, self.b.index(bound), message, (name, ""))


def _name(size: Known) -> str:
    """Returns what an error calls a size; a number is in its text."""
    return "" if isinstance(size, int) else str(size)
