"""Winograd's convolution as one contraction, of padded data, the transformed kernel and the matrices of the other two transforms.

    %y = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>}

becomes

    %p = tensor.insert_slice %x into %zeros[0, 0, 1, 1]
    linalg.generic %y[n, o, y, x] += %p[n, c, 2 (y floordiv 2) + i, 2 (x floordiv 2) + j] * %k[u, v, c, o]
                                     * %a[y mod 2, u] * %a[x mod 2, v] * %b[u, i] * %b[v, j]

with 4 for 2 where the kernel is [6, 6, C, O]. It says what is computed; loops that compute each transform once
are those of the schedule `winograd`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, f32
from xdsl.ir import SSAValue

from .....dialects.relax.attrs import dims_of
from .....dialects.relax.base import dims
from .....dialects.relax.ops.nn.winograd import WinogradConv2DOp
from .....dialects.relax.rules.winograd import Transform
from ....emit import scalar
from ....emit.op_builder import OpBuilder
from ....emit.tensor_builder import PARALLEL, REDUCTION
from ...builder import LinalgBuilder
from ...rule import Rules


def _winograd_conv2d(op: WinogradConv2DOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (data, kernel), tile = operands, op.tile()
    batch, channels, *spatial = dims(op.data) or (None,) * 4
    result = list(dims_of(op.result.type) or ())  # pyright: ignore[reportAttributeAccessIssue]
    if channels == 0:
        return [b.filled(0, f32, b.sizes(result))]
    top, left = (window.before for window in op.windows())
    whole = [tile.padded_size(size) for size in result[2:]]
    padded = data
    if top or left or None in whole or whole != spatial:
        padded = b.insert_slice(data, b.filled(0, f32, b.sizes([batch, channels, *whole])), [0, 0, top, left])
    results, windows = (_constant(b, transform) for transform in (tile.result, tile.data))

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        *factors, total = args
        product = factors[0]
        for factor in factors[1:]:
            product = scalar.mul(s, product, factor)
        return scalar.add(s, total, product)

    inputs = [padded, kernel, results, results, windows, windows]
    iterators = [PARALLEL] * 4 + [REDUCTION] * 5
    return list(b.generic(inputs, [b.filled(0, f32, b.sizes(result))], tile.maps(), iterators, body))


def _constant(b: LinalgBuilder, transform: Transform) -> SSAValue:
    """Returns a matrix as a constant tensor."""
    type_ = TensorType(f32, [len(transform), len(transform[0])])
    values = [value for row in transform for value in row]
    return b.insert(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type_, values)))


RULES: Rules = {WinogradConv2DOp: _winograd_conv2d}
