"""Conversions between element types, and their bits."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i1, i8
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import is_float, ui8
from ...model.problems import Unsupported
from ...model.value_types import element_of, sizes_of
from ..bits import UNSIGNED, width
from ..node import Node
from ..table import Table, converters
from ..types import tensor_shape

TABLE: Table = {}
elementwise = converters(TABLE, is_elementwise=True)
op = converters(TABLE)


@elementwise("convert")
def _convert(node: Node) -> SSAValue:
    result = node.result
    x = node.x(0)
    if result.small is not None and is_float(node.element()):
        # What is too large for the bits is the nearest number that they hold.
        low = -(1 << (result.small.bits - 1)) if result.small.is_signed else 0
        high = (1 << (result.small.bits - result.small.is_signed)) - 1
        return node.cast(
            node.g.clip(x, min=float(low), max=float(high)), i8 if result.small.is_signed else result.element
        )
    return node.cast(x, result.element)


@op("bitcast_convert")
def _bitcast(node: Node) -> SSAValue:
    """Converts an op. Narrower elements than the operand's are a new last dim, wider ones take it away; the lowest bits come first."""
    g, x, source, result = node.g, node.x(0), tensor_shape(node.op.operands[0].type), node.result
    target = result.element
    if source.small_float is not None or result.small_float is not None:
        raise Unsupported("the bits of floats of less than 16 bits have no counterpart")
    source_bits = source.small.bits if source.small is not None else width(source.element)
    target_bits = result.small.bits if result.small is not None else width(target)
    if source_bits == target_bits:
        return x if source.element == target else g.bitcast(x, dtype=target)
    wide = UNSIGNED[max(source_bits, target_bits, 8)]
    step = min(source_bits, target_bits)
    places = g.constant(np.arange(0, max(source_bits, target_bits), step), wide)
    code = g.astype(x, dtype=ui8) if source.element == i1 else g.bitcast(x, dtype=UNSIGNED[width(source.element)])
    if source.small is not None:
        code = g.bitwise_and(code, g.constant((1 << source_bits) - 1, element_of(code)))
    if source_bits > target_bits:
        spread = g.right_shift(g.expand_dims(code, axis=[len(sizes_of(x))]), places)
        if target == i1:
            return g.not_equal(g.bitwise_and(spread, g.constant(1, wide)), g.constant(0, wide))
        return g.bitcast(g.astype(spread, dtype=UNSIGNED[width(target)]), dtype=target)
    moved = g.left_shift(g.astype(code, dtype=wide), places)
    return g.bitcast(g.sum(moved, axis=[len(sizes_of(x)) - 1]), dtype=target)
