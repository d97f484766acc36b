"""Emits whether sizes are in range, in f64 beside the integers: a product that wraps around in 64 bits is merely large there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import f64, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation

from ...dialects.symbolic.limits import MOST, MOST_BYTES, SizeLimit
from ...dialects.symbolic.nodes import Apply, Known, Leaf
from ..emit.constructors import binary, compare_floats, constant, converted, select, shown

_ARITHMETIC: dict[str, type[IRDLOperation]] = {
    "+": arith.AddfOp,
    "-": arith.SubfOp,
    "*": arith.MulfOp,
}


class RangeCheckEmitter:
    """Emits at one place whether sizes are in range.

    `insert` puts an op there, `leaf` gives the `index` value of a leaf. What sums and products wrap is right again where the result
    fits, so that of these the result alone is checked; all other operators, and comparisons, are right only on operands in range.
    """

    def __init__(self, insert: Callable[[Operation], SSAValue], leaf: Callable[[Leaf], SSAValue]):
        self._insert = insert
        self._leaf = leaf
        self._values: dict[Known, SSAValue] = {}
        self._moderate: dict[Known, SSAValue] = {}
        self._in_range: dict[Known, dict[SSAValue, None]] = {}
        self._operands: dict[Known, dict[SSAValue, None]] = {}
        self._numbers: dict[float, SSAValue] = {}

    def holds(self, limit: SizeLimit) -> SSAValue:
        """Returns whether a limit holds, as `i1`."""
        conditions = [condition for dim in limit.dims for condition in self.in_range(dim)]
        if limit.width:
            conditions.append(self.fits(limit.width, limit.dims))
        return self.all(conditions)

    def all(self, conditions: Iterable[SSAValue]) -> SSAValue:
        """Returns the conjunction of conditions, at least one."""
        return reduce(lambda lhs, rhs: self._insert(binary(arith.AndIOp, lhs, rhs)), dict.fromkeys(conditions))

    def fits(self, width: int, dims: Sequence[Known]) -> SSAValue:
        """Returns whether a tensor has bytes that can be addressed; a dim that is empty counts as one element."""
        known = prod(max(dim, 1) for dim in dims if isinstance(dim, int))
        # Many large dims are no number of f64.
        total = self._number(float(min(width * known, 2 * MOST_BYTES)))
        for dim in dims:
            if not isinstance(dim, int):
                factor = self._at_least_one(self._value(dim))
                total = self._insert(binary(arith.MulfOp, total, factor))
        return self._less_equal(total, self._number(float(MOST_BYTES)))

    def in_range(self, size: Known) -> list[SSAValue]:
        """Returns conditions that together say that a size is what its expression means."""
        return list(self._conditions(size))

    def _conditions(self, size: Known) -> dict[SSAValue, None]:
        if size not in self._in_range:
            own = {self._is_moderate(size): None} if isinstance(size, Apply) else {}
            self._in_range[size] = self._operands_in_range(size) | own
        return self._in_range[size]

    def _operands_in_range(self, size: Known) -> dict[SSAValue, None]:
        if size not in self._operands:
            operands: dict[SSAValue, None] = {}
            if isinstance(size, Leaf):
                for part in size.parts:
                    operands |= self._conditions(part)
            elif isinstance(size, Apply):
                check = self._operands_in_range if size.op in ("+", "-", "*") else self._conditions
                operands = check(size.lhs) | check(size.rhs)
            self._operands[size] = operands
        return self._operands[size]

    def _is_moderate(self, size: Known) -> SSAValue:
        if size not in self._moderate:
            value = self._value(size)
            magnitude = self._larger(value, self._insert(binary(arith.SubfOp, self._number(0.0), value)))
            self._moderate[size] = self._less_equal(magnitude, self._number(float(MOST)))
        return self._moderate[size]

    def _value(self, size: Known) -> SSAValue:
        """Returns a size as f64, a quotient not rounded down and a remainder as its divisor: not less than it is."""
        value = self._values.get(size)
        if value is None:
            value = self._values[size] = self._emitted(size)
        return value

    def _emitted(self, size: Known) -> SSAValue:
        if isinstance(size, int):
            return self._number(float(size))
        if isinstance(size, Leaf):
            whole = shown(self._insert(converted(arith.IndexCastOp, self._leaf(size), i64)), str(size))
            return self._insert(converted(arith.SIToFPOp, whole, f64))
        lhs, rhs = self._value(size.lhs), self._value(size.rhs)
        match size.op:
            case "mod":
                return rhs
            case "floordiv":
                divisor = (
                    self._number(float(max(size.rhs, 1))) if isinstance(size.rhs, int) else self._at_least_one(rhs)
                )
                return self._insert(binary(arith.DivfOp, lhs, divisor))
            case "max":
                return self._larger(lhs, rhs)
            case "min":
                is_less = self._insert(compare_floats("olt", lhs, rhs))
                return self._insert(select(is_less, lhs, rhs))
            case _:
                return self._insert(binary(_ARITHMETIC[size.op], lhs, rhs))

    def _larger(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        is_more = self._insert(compare_floats("ogt", lhs, rhs))
        return self._insert(select(is_more, lhs, rhs))

    def _at_least_one(self, value: SSAValue) -> SSAValue:
        return self._larger(value, self._number(1.0))

    def _less_equal(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self._insert(compare_floats("ole", lhs, rhs))

    def _number(self, value: float) -> SSAValue:
        if value not in self._numbers:
            self._numbers[value] = self._insert(constant(value, f64))
        return self._numbers[value]
