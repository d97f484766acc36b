"""Numbers as their bits: floats as integers, signed integers as unsigned ones, and back."""

from __future__ import annotations

from xdsl.dialects.builtin import bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute, SSAValue

from ...builder import BlockBuilder
from ...dialects.relax.attrs import element_type_of
from ...dialects.relax.dtypes import is_float, is_unsigned, ui8, ui16, ui32, ui64

SIGNED = {8: i8, 16: i16, 32: i32, 64: i64}
UNSIGNED = {8: ui8, 16: ui16, 32: ui32, 64: ui64}
_WIDTHS: dict[Attribute, int] = {
    **{element: bits for bits, element in SIGNED.items()},
    **{element: bits for bits, element in UNSIGNED.items()},
    f64: 64,
    f32: 32,
    f16: 16,
    bf16: 16,
    i1: 1,
}


def width(element: Attribute) -> int:
    """Returns the number of bits of an element type."""
    return _WIDTHS[element]


def unsigned(g: BlockBuilder, x: SSAValue) -> SSAValue:
    """Returns integers with their bits, none of which is a sign."""
    element = element_type_of(x.type)
    return x if is_unsigned(element) else g.astype(x, dtype=UNSIGNED[width(element)])


def signed(g: BlockBuilder, x: SSAValue) -> SSAValue:
    """Returns integers with their bits, the first of which is the sign."""
    element = element_type_of(x.type)
    return g.astype(x, dtype=SIGNED[width(element)]) if is_unsigned(element) else x


def as_integer(g: BlockBuilder, x: SSAValue) -> SSAValue:
    """Returns the bits of floats as unsigned integers."""
    return g.bitcast(x, dtype=UNSIGNED[width(element_type_of(x.type))])


def as_float(g: BlockBuilder, x: SSAValue, element: Attribute) -> SSAValue:
    """Returns the floats that unsigned integers are the bits of."""
    return g.bitcast(x, dtype=element)


def ordered(g: BlockBuilder, x: SSAValue) -> SSAValue:
    """Returns integers in the total order of floats: -NaN, -inf, ..., -0, 0, ..., inf, NaN; others as they are."""
    element = element_type_of(x.type)
    if not is_float(element):
        return x
    bits = width(element)
    integer = SIGNED[bits]
    code = g.bitcast(x, dtype=integer)
    # All bits but the sign are turned over where the sign is set.
    flipped = g.bitwise_xor(code, g.constant((1 << (bits - 1)) - 1, integer))
    return g.where(g.less(code, g.constant(0, integer)), flipped, code)
