"""What every emitter of `arith` can do: constants, and index arithmetic on `int | SSAValue` that folds what is known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from . import constructors
from .constructors import INDEX

Index: TypeAlias = "int | SSAValue"
"""A size or an index: known, or an `index` value."""


class Emitter(ABC):
    """Inserts ops; how and where is up to the subclass."""

    @abstractmethod
    def insert_op(self, op: Operation) -> Sequence[SSAValue]:
        """Inserts an op and returns its results."""

    @abstractmethod
    def constant(self, value: float | bool, element_type: Attribute) -> SSAValue:
        """Returns a constant of a type; equal ones may be one value."""

    def insert(self, op: Operation) -> SSAValue:
        """Inserts an op and returns its first result."""
        # Taken apart rather than indexed, which xDSL does in Python.
        value, *_ = self.insert_op(op)
        return value

    def true(self) -> SSAValue:
        """Returns the `i1` that holds."""
        return self.constant(True, i1)

    def index(self, value: int) -> SSAValue:
        """Returns an `index` constant."""
        return self.constant(value, INDEX)

    def as_index(self, index: Index) -> SSAValue:
        """Returns an index as an SSA value."""
        return self.index(index) if isinstance(index, int) else index

    def add(self, lhs: Index, rhs: Index) -> Index:
        """Returns `lhs + rhs`."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs + rhs
        if lhs == 0:
            return rhs
        return lhs if rhs == 0 else self._binary(arith.AddiOp, lhs, rhs)

    def sub(self, lhs: Index, rhs: Index) -> Index:
        """Returns `lhs - rhs`."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs - rhs
        if lhs is rhs:
            return 0
        return lhs if rhs == 0 else self._binary(arith.SubiOp, lhs, rhs)

    def mul(self, lhs: Index, rhs: Index) -> Index:
        """Returns `lhs * rhs`."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs * rhs
        if lhs == 0 or rhs == 0:
            return 0
        if lhs == 1:
            return rhs
        return lhs if rhs == 1 else self._binary(arith.MuliOp, lhs, rhs)

    def product(self, factors: Sequence[Index]) -> Index:
        """Returns the product of all factors, 1 for none."""
        total: Index = 1
        for factor in factors:
            total = self.mul(total, factor)
        return total

    def floordiv(self, lhs: Index, rhs: Index) -> Index:
        """Returns the quotient, rounded down."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs // rhs
        return lhs if rhs == 1 else self._binary(arith.FloorDivSIOp, lhs, rhs)

    def ceildiv(self, lhs: Index, rhs: Index) -> Index:
        """Returns the quotient of sizes, rounded up."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return -(-lhs // rhs)
        return lhs if rhs == 1 else self.floordiv(self.add(lhs, self.sub(rhs, 1)), rhs)

    def round_down(self, lhs: Index, rhs: int) -> Index:
        """Returns the largest multiple of `rhs` that is at most `lhs`."""
        return self.mul(self.floordiv(lhs, rhs), rhs)

    def minimum(self, lhs: Index, rhs: Index) -> Index:
        """Returns the smaller index, compared as signed."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return min(lhs, rhs)
        return lhs if lhs is rhs else self._binary(arith.MinSIOp, lhs, rhs)

    def maximum(self, lhs: Index, rhs: Index) -> Index:
        """Returns the larger index, compared as signed."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return max(lhs, rhs)
        return lhs if lhs is rhs else self._binary(arith.MaxSIOp, lhs, rhs)

    def select(self, condition: SSAValue, on_true: Index, on_false: Index) -> SSAValue:
        """Returns `on_true` where the condition holds, else `on_false`."""
        return self.insert(constructors.select(condition, self.as_index(on_true), self.as_index(on_false)))

    def compare(self, predicate: str, lhs: Index, rhs: Index) -> SSAValue:
        """Returns `arith.cmpi` of two indices: eq, ne, slt, sle, sgt or sge."""
        return self.insert(constructors.compare(predicate, self.as_index(lhs), self.as_index(rhs)))

    def less(self, lhs: Index, rhs: Index) -> SSAValue:
        """Returns whether `lhs < rhs`, compared as signed."""
        return self.compare("slt", lhs, rhs)

    def both(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """Returns the conjunction of two `i1`."""
        return self.insert(constructors.binary(arith.AndIOp, lhs, rhs))

    def either(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """Returns the disjunction of two `i1`."""
        return self.insert(constructors.binary(arith.OrIOp, lhs, rhs))

    def _binary(self, op: type[IRDLOperation], lhs: Index, rhs: Index) -> SSAValue:
        return self.insert(constructors.binary(op, self.as_index(lhs), self.as_index(rhs)))
