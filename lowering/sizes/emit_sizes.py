"""Emits expressions of sizes as `arith` on `index`: the one way from the algebra to code."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation

from ...dialects.symbolic.nodes import Apply, Known, Leaf
from ...dialects.symbolic.order import NO_RANGES, Ranges, is_nonnegative
from ..emit.constructors import binary

_OPS: dict[str, type[IRDLOperation]] = {
    "+": arith.AddiOp,
    "-": arith.SubiOp,
    "*": arith.MuliOp,
    "floordiv": arith.FloorDivSIOp,
    "min": arith.MinSIOp,
    "max": arith.MaxSIOp,
}


class SizeEmitter:
    """Emits sizes at one place, each once.

    `insert` puts an op there, `constant` and `leaf` give the values of numbers and leaves. A divisor that the ranges do not prove
    positive is handed to `check_divisor`, and is taken as at least 1: memory is planned with the same arithmetic before anything is
    asserted, and must not divide by 0.
    """

    def __init__(
        self,
        insert: Callable[[Operation], SSAValue],
        constant: Callable[[int], SSAValue],
        leaf: Callable[[Leaf], SSAValue],
        check_divisor: Callable[[SSAValue, Known], None] = lambda divisor, size: None,
        ranges: Ranges = NO_RANGES,
    ):
        self._insert = insert
        self._constant = constant
        self._leaf = leaf
        self._check_divisor = check_divisor
        self._ranges = ranges
        self._values: dict[Known, SSAValue] = {}

    def value(self, size: Known) -> SSAValue:
        """Returns the `index` value of a size."""
        value = self._values.get(size)
        if value is None:
            value = self._values[size] = self._emitted(size)
        return value

    def _emitted(self, size: Known) -> SSAValue:
        if isinstance(size, int):
            return self._constant(size)
        if isinstance(size, Leaf):
            return self._leaf(size)
        if size.op == "mod":
            # The dividend stands there once: what is read back of nested remainders would double with each of them.
            divisor = self._divisor(size)
            rest = self._insert(binary(arith.RemSIOp, self.value(size.lhs), divisor))
            if is_nonnegative(size.lhs, self._ranges):
                return rest
            return self._insert(binary(arith.RemSIOp, self._insert(binary(arith.AddiOp, rest, divisor)), divisor))
        lhs = self.value(size.lhs)
        rhs = self._divisor(size) if size.op == "floordiv" else self.value(size.rhs)
        return self._insert(binary(_OPS[size.op], lhs, rhs))

    def _divisor(self, size: Apply) -> SSAValue:
        if is_nonnegative(Apply("-", size.rhs, 1), self._ranges):
            return self.value(size.rhs)
        divisor = self.value(size.rhs)
        # Held as the value of an expression of its own, so that it is emitted and checked once.
        held = Apply("max", 1, size.rhs)
        if held not in self._values:
            self._check_divisor(divisor, size)
            self._values[held] = self._insert(binary(arith.MaxSIOp, divisor, self._constant(1)))
        return self._values[held]
