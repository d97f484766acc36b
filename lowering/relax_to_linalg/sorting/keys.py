"""Keys of sorting: unsigned integers whose order is that of the elements.

    f32: the bits %b become    %b ^ ((%b >> 31) | 0x80000000)    one key for -0.0 and 0.0, all ones for NaN
    i8:  %x becomes            (extui %x) ^ 0x80

A descending order is the ascending one of the complements, so what is equal keeps its place in both.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, i32, i64
from xdsl.ir import Attribute, SSAValue

from ....records import record
from ...emit import scalar
from ...emit.op_builder import OpBuilder

DIGIT = 8
"""The bits of a digit."""


@record
class SortKeys:
    """How elements of a type become keys."""

    source: Attribute
    """The (signless) element type."""
    unsigned: bool
    descending: bool

    @property
    def type(self) -> IntegerType:
        """The type of the keys: 32 bits, or 64 for elements that have more."""
        return i32 if cast(AnyFloat | IntegerType, self.source).bitwidth <= 32 else i64

    @property
    def digits(self) -> int:
        """The number of digits that differ between keys, the lowest first."""
        bits = self.source.bitwidth if isinstance(self.source, IntegerType) else self.type.width.data
        return -(-bits // DIGIT)

    def key(self, b: OpBuilder, x: SSAValue) -> SSAValue:
        """Emits the key of an element."""
        ascending = self._of_float(b, x) if isinstance(x.type, AnyFloat) else self._of_integer(b, x)
        return b.insert(arith.XOrIOp(ascending, b.constant(-1, self.type))) if self.descending else ascending

    def _of_integer(self, b: OpBuilder, x: SSAValue) -> SSAValue:
        return self.integer(b, scalar.cast(b, x, self.type, unsigned=True))

    def integer(self, b: OpBuilder, x: SSAValue) -> SSAValue:
        """Emits the ascending key of the bits of an integer, and the bits of such a key."""
        bits = cast(IntegerType, self.source).width.data
        return x if self.unsigned or bits == 1 else b.insert(arith.XOrIOp(x, b.constant(1 << (bits - 1), self.type)))

    def _of_float(self, b: OpBuilder, x: SSAValue) -> SSAValue:
        x = scalar.widen(b, x)
        width = self.type.width.data
        bits = b.insert(arith.BitcastOp(x, self.type))
        negative = b.insert(arith.ShRSIOp(bits, b.constant(width - 1, self.type)))
        sign = b.constant(-(1 << (width - 1)), self.type)
        key = b.insert(arith.XOrIOp(bits, b.insert(arith.OrIOp(negative, sign))))
        key = scalar.select(b, scalar.compare(b, "eq", x, b.constant(0, x.type)), sign, key)
        return scalar.select(b, scalar.compare(b, "ne", x, x), b.constant(-1, self.type), key)
