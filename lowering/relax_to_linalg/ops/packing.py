"""Packed weights: a padded copy in panels, and a contraction that reads panel `n floordiv 64`, lane `n mod 64`.

Groups of rows, four of 8 bits or two of bf16, are read likewise: group `k floordiv 4`, step `k mod 4`.

    %p = relax.pack_weight %w : (tensor<128x100xf32>) -> tensor<2x128x64xf32>
    %y = relax.packed_matmul %x, %p

becomes

    %padded = tensor.insert_slice %w into %zeros[0, 0] : tensor<128x100xf32> into tensor<128x128xf32>
    linalg.generic %p[d0, d1, d2] = %padded[d1, 64 * d0 + d2]
    linalg.generic %y[d0, d1] += %x[d0, d2] * %p[d1 floordiv 64, d2, d1 mod 64]
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import dims
from ....dialects.relax.base import element as relax_element
from ....dialects.relax.dtypes import is_unsigned
from ....dialects.relax.ops import packing
from ....dialects.symbolic.expressions import apply, ceildiv
from ...emit.tensor_builder import element
from ..builder import LinalgBuilder, signless
from ..reshape import collapse, reshape
from ..rule import Rules
from .linear_algebra import contract


def _pack_weight(op: packing.PackWeightOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (weight,) = operands
    shape = dims(op.weight) or (None, None)
    rows, columns = shape[0], shape[-1]
    sizes = b.sizes(dims_of(op.result.type))
    columns_of_panel = op.panel_columns
    width = apply("*", ceildiv(columns, columns_of_panel), columns_of_panel)
    group = packing.group_of(relax_element(op.weight))
    height = apply("*", ceildiv(rows, group), group) if group > 1 else rows
    if (height, width) != (rows, columns):
        padded = b.filled(0, element(weight), b.sizes((height, width)))
        weight = b.insert_slice(weight, padded, [0, 0])
    panel, row, lane, step = (AffineExpr.dimension(axis) for axis in range(4))
    if group > 1:
        row = row * group + step
    source = AffineMap(len(sizes), 0, (row, panel * columns_of_panel + lane))
    return [b.elementwise([weight], sizes, element(weight), lambda s, args: args[0], maps=[source])]


def _packed_matmul(op: packing.PackedMatmulOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    lhs, packed = operands
    sizes = b.sizes(dims_of(op.result.type))
    rank = len(sizes)
    parallel = [AffineExpr.dimension(axis) for axis in range(rank)]
    k, column = AffineExpr.dimension(rank), AffineExpr.dimension(rank - 1)
    group, width = packing.group_of(relax_element(op.packed)), packing.panel_of(dims(op.packed))
    maps = [
        AffineMap(rank + 1, 0, (*parallel[:-1], k)),
        AffineMap(rank + 1, 0, (column // width, k // group, column % width, k % group))
        if group > 1
        else AffineMap(rank + 1, 0, (column // width, k, column % width)),
        AffineMap(rank + 1, 0, tuple(parallel)),
    ]
    element_type = signless(element_type_of(op.result.type))
    signs = is_unsigned(relax_element(op.lhs)), is_unsigned(relax_element(op.packed))
    if group == 1 and all(size == 1 for size in sizes[:-1]):
        return [_single_row(op, lhs, packed, b, element_type, signs)]
    return [contract(b, lhs, packed, maps, sizes, rank, 1, element_type, *signs)]


def _single_row(
    op: packing.PackedMatmulOp,
    lhs: SSAValue,
    packed: SSAValue,
    b: LinalgBuilder,
    element_type: Attribute,
    signs: tuple[bool, bool],
) -> SSAValue:
    """Multiplies one row: panel and lane are dims of their own, so that the weight is read from front to end."""
    result_dims = dims_of(op.result.type) or ()
    panel, lane, k = (AffineExpr.dimension(axis) for axis in range(3))
    row = (*[AffineExpr.constant(0)] * (len(result_dims) - 1), k)
    maps = [AffineMap(3, 0, row), AffineMap(3, 0, (panel, k, lane)), AffineMap(3, 0, (panel, lane))]
    columns, width = op.columns.value.data, packing.panel_of(dims(op.packed))
    panels = -(-columns // width)
    total = contract(b, lhs, packed, maps, [panels, width], 2, 1, element_type, *signs)
    flat = collapse(b, total, [[0, 1]])
    if columns != panels * width:
        flat = b.extract_slice(flat, [0], [columns], [1])
    return reshape(b, flat, (columns,), result_dims, b.sizes(result_dims))


RULES: Rules = {
    packing.PackWeightOp: _pack_weight,
    packing.PackedMatmulOp: _packed_matmul,
}
