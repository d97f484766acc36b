"""Winograd's convolutions as one contraction, of padded data, the transformed kernel and the matrices of the other two transforms.

    %y = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>}

becomes

    %p = tensor.insert_slice %x into %zeros[0, 0, 1, 1]
    linalg.generic %y[n, o, y, x] += %p[n, c, 2 (y floordiv 2) + i, 2 (x floordiv 2) + j] * %k[u, v, c, o]
                                     * %a[y mod 2, u] * %a[x mod 2, v] * %b[u, i] * %b[v, j]

with 4 for 2 where the kernel is [6, 6, C, O]. It says what is computed; loops that compute each transform once
are those of the schedule `winograd`. That of bytes has the same factors, all of them i32, with channels last and a kernel in blocks; what
it sums is shifted right.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, IntegerType, TensorType, f32, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from .....dialects.relax.attrs import dims_of
from .....dialects.relax.base import dims, element
from .....dialects.relax.dtypes import is_unsigned
from .....dialects.relax.ops.nn.winograd import IntegerWinogradConv2DOp, WinogradConv2DOp, WinogradOp
from .....dialects.relax.rules.winograd import INTEGER_SHIFT, TWO, Transform, WinogradTile
from ....emit import scalar
from ....emit.op_builder import OpBuilder
from ....emit.tensor_builder import PARALLEL, REDUCTION
from ....emit.tensor_builder import element as data_type
from ...builder import LinalgBuilder
from ...rule import Rules


def _winograd_conv2d(op: WinogradConv2DOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    tile = op.tile()
    return [_contract(op, operands, b, tile, tile.maps(), 1, f32)]


def _integer_winograd_conv2d(
    op: IntegerWinogradConv2DOp, operands: Sequence[SSAValue], b: LinalgBuilder
) -> list[SSAValue]:
    sums = _contract(op, operands, b, TWO, TWO.integer_maps(op.block()), 3, i32)
    shift = b.constant(INTEGER_SHIFT, i32)
    return [b.elementwise([sums], b.shape(sums), i32, lambda s, xs: s.insert(arith.ShRSIOp(xs[0], shift)))]


def _contract(
    op: WinogradOp,
    operands: Sequence[SSAValue],
    b: LinalgBuilder,
    tile: WinogradTile,
    maps: Sequence[AffineMap],
    channel: int,
    element_type: AnyFloat | IntegerType,
) -> SSAValue:
    """Emits the sums of all products; maps are those of padded data, kernel, matrices and result, whose channels are that dim."""
    data, kernel = operands
    sizes, result = list(dims(op.data) or ()), list(dims_of(op.results[0].type) or ())
    if sizes[channel] == 0:
        return b.filled(0, element_type, b.sizes(result))
    starts, whole = [0] * len(sizes), list(sizes)
    spatial = (axis for axis in range(1, len(sizes)) if axis != channel)
    for axis, window in zip(spatial, op.windows(), strict=True):
        starts[axis], whole[axis] = window.before, tile.padded_size(result[axis])
    padded = data
    if any(starts) or None in whole or whole != sizes:
        padded = b.insert_slice(data, b.filled(0, data_type(data), b.sizes(whole)), starts)
    results, windows = (_constant(b, transform, element_type) for transform in (tile.result, tile.data))
    unsigned = is_unsigned(element(op.data))

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        *factors, total = args
        image, *others = factors
        product = scalar.cast(s, image, element_type, unsigned)
        for factor in others:
            product = scalar.mul(s, product, scalar.cast(s, factor, element_type))
        return scalar.add(s, total, product)

    inputs = [padded, kernel, results, results, windows, windows]
    iterators = [PARALLEL] * 4 + [REDUCTION] * 5
    (sums,) = b.generic(inputs, [b.filled(0, element_type, b.sizes(result))], maps, iterators, body)
    return sums


def _constant(b: LinalgBuilder, transform: Transform, element_type: AnyFloat | IntegerType) -> SSAValue:
    """Returns a matrix as a constant tensor."""
    shape, values = [len(transform), len(transform[0])], [value for row in transform for value in row]
    if isinstance(element_type, IntegerType):
        integers = DenseIntOrFPElementsAttr.from_list(TensorType(element_type, shape), [int(value) for value in values])
        return b.insert(arith.ConstantOp(integers))
    return b.insert(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(element_type, shape), values)))


RULES: Rules = {WinogradConv2DOp: _winograd_conv2d, IntegerWinogradConv2DOp: _integer_winograd_conv2d}
