"""Inserts ops at one point of the IR, with each constant made once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint


def constant(value: float | bool, element_type: Attribute) -> Operation:
    """Returns a scalar constant op; an integer is taken modulo the width of its type."""
    if isinstance(element_type, IndexType):
        return arith.ConstantOp(IntegerAttr(int(value), element_type))
    if isinstance(element_type, IntegerType):
        width = element_type.width.data
        wrapped = int(value) & ((1 << width) - 1)
        signed = wrapped - (1 << width) if width > 1 and wrapped >> (width - 1) else wrapped
        return arith.ConstantOp(IntegerAttr(signed, element_type))
    assert isinstance(element_type, AnyFloat)
    return arith.ConstantOp(FloatAttr(float(value), element_type))


class OpBuilder:
    """Inserts ops at a point, and remembers index constants."""

    def __init__(self, point: InsertPoint):
        self._builder = Builder(point)
        self._constants: dict[tuple[Any, Attribute], SSAValue] = {}

    def insert(self, op: Operation) -> SSAValue:
        """Inserts an op and returns its first result."""
        self._builder.insert(op)
        return op.results[0]

    def insert_op(self, op: Operation) -> Sequence[SSAValue]:
        """Inserts an op and returns all its results."""
        self._builder.insert(op)
        return op.results

    def constant(self, value: float | bool, element_type: Attribute) -> SSAValue:
        """Returns a scalar constant of a (signless) type, made once per point."""
        key = (repr(value), element_type)
        if key not in self._constants:
            self._constants[key] = self.insert(constant(value, element_type))
        return self._constants[key]

    def index(self, value: int) -> SSAValue:
        """Returns an `index` constant."""
        return self.constant(value, IndexType())
