"""Replaces products of quantized tensors by integer products and corrections for their zero points: a rule for each op."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i8, i16, i32
from xdsl.ir import Attribute, SSAValue

from ...dialects.relax.base import dims, element
from ...dialects.relax.dtypes import ui8
from ...dialects.relax.ops.binary import AddOp, MultiplyOp, SubtractOp
from ...dialects.relax.ops.linear_algebra import MatmulOp
from ...dialects.relax.ops.manipulate import ExpandDimsOp, PadOp, PermuteDimsOp, RepeatOp
from ...dialects.relax.ops.nn.conv import Conv2DOp
from ...dialects.relax.ops.nn.pool import AvgPool2DOp
from ...dialects.relax.ops.qnn.contraction import QnnBatchMatmulOp, QnnConv2DOp, QnnDenseOp
from ...dialects.relax.ops.reduction import SumOp
from ...dialects.relax.rules.qnn_rules import limits
from ...dialects.symbolic.expressions import Dim
from .qnn_arithmetic import QuantizedEmitter, Rules, is_zero, numbers_of, rank_of, require_ranks


def factors(emit: QuantizedEmitter, lhs: SSAValue, rhs: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Returns two factors in types that a product takes: equal ones, or i8 and ui8; else i16, or i32 if one of them is."""
    types = {element(lhs), element(rhs)}
    if len(types) == 1 or types == {i8, ui8}:
        return lhs, rhs
    wide = i32 if i32 in types else i16
    return emit.cast(lhs, wide), emit.cast(rhs, wide)


def matmul(emit: QuantizedEmitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Returns the matrix product in i32."""
    lhs, rhs = factors(emit, lhs, rhs)
    return emit.op(MatmulOp, lhs, rhs, out_dtype=None if element(lhs) == i32 else i32)


def transposed(emit: QuantizedEmitter, matrices: SSAValue) -> SSAValue:
    """Swaps the last two dims."""
    rank = rank_of(matrices)
    return emit.op(PermuteDimsOp, matrices, axes=[*range(rank - 2), rank - 1, rank - 2])


def sum_of(emit: QuantizedEmitter, q: SSAValue, axes: Sequence[int], *, keepdims: bool) -> SSAValue:
    """Returns the sum over axes in i32."""
    return emit.op(SumOp, emit.cast(q, i32), axis=axes, keepdims=keepdims)


def corrected(
    emit: QuantizedEmitter,
    product: SSAValue,
    of_rhs: SSAValue | None,
    of_lhs: SSAValue | None,
    of_both: SSAValue | None,
) -> SSAValue:
    """Returns `(product - of_rhs) + (of_both - of_lhs)` without the terms that are 0, each named for the zero points in it."""
    if of_rhs is not None:
        product = emit.op(SubtractOp, product, of_rhs)
    if of_lhs is None:
        return product
    if of_both is None:
        return emit.op(SubtractOp, product, of_lhs)
    return emit.op(AddOp, product, emit.op(SubtractOp, of_both, of_lhs))


def zero_points_term(
    emit: QuantizedEmitter, lhs: SSAValue, rhs: SSAValue, count: int, axis: int, rank: int
) -> SSAValue:
    """Returns `lhs * rhs * count`, where the zero point rhs may go along an axis."""
    numbers = numbers_of(lhs), numbers_of(rhs)
    if numbers[0] is not None and numbers[1] is not None:
        values = (numbers[0].astype(np.int64) * numbers[1] * count).astype(np.int32)
        return emit.parameter(np.asarray(values), axis, rank, i32)
    product = emit.op(MultiplyOp, emit.parameter(lhs, 0, rank, i32), emit.parameter(rhs, axis, rank, i32))
    return emit.op(MultiplyOp, product, emit.constant(np.asarray(count), i32))


def canonicalize_dense(op: QnnDenseOp, emit: QuantizedEmitter) -> SSAValue:
    """Returns `T1 - T2 + (T4 - T3)` of the matrix product, the sums of the rows of the data, those of the weight, and a number."""
    require_ranks(op.weight)
    lhs_zero, rhs_zero, rank = op.input_zero_point, op.kernel_zero_point, rank_of(op.data)
    inner = (dims(op.data) or (None,))[-1]
    if not is_zero(lhs_zero) and not is_zero(rhs_zero) and not isinstance(inner, int):
        data = emit.difference(op.data, lhs_zero, 0)
        return matmul(emit, data, transposed(emit, emit.difference(op.weight, rhs_zero, 0)))
    of_rhs = of_lhs = of_both = None
    product = matmul(emit, op.data, transposed(emit, op.weight))
    if not is_zero(rhs_zero):
        sums = sum_of(emit, op.data, [-1], keepdims=True)
        of_rhs = emit.op(MultiplyOp, sums, emit.parameter(rhs_zero, rank - 1, rank, i32))
    if not is_zero(lhs_zero):
        sums = sum_of(emit, op.weight, [1], keepdims=False)
        of_lhs = emit.op(MultiplyOp, sums, emit.parameter(lhs_zero, 0, 1, i32))
        if of_rhs is not None:
            assert isinstance(inner, int)
            of_both = zero_points_term(emit, lhs_zero, rhs_zero, inner, 0, 1)
    return corrected(emit, product, of_rhs, of_lhs, of_both)


def canonicalize_batch_matmul(op: QnnBatchMatmulOp, emit: QuantizedEmitter) -> SSAValue:
    """Returns the four terms of dense, for each pair of matrices."""
    require_ranks(op.x, op.y)
    x_zero, y_zero = op.x_zero_point, op.y_zero_point
    inner = (dims(op.x) or (None,))[-1]
    if not is_zero(x_zero) and not is_zero(y_zero) and not isinstance(inner, int):
        x = emit.difference(op.x, x_zero, 0)
        return matmul(emit, x, transposed(emit, emit.difference(op.y, y_zero, 0)))
    of_y = of_x = of_both = None
    product = matmul(emit, op.x, transposed(emit, op.y))
    if not is_zero(y_zero):
        sums = sum_of(emit, op.x, [2], keepdims=True)
        of_y = emit.op(MultiplyOp, sums, emit.parameter(y_zero, 0, 3, i32))
    if not is_zero(x_zero):
        sums = emit.op(ExpandDimsOp, sum_of(emit, op.y, [2], keepdims=False), axis=[1])
        of_x = emit.op(MultiplyOp, sums, emit.parameter(x_zero, 0, 3, i32))
        if of_y is not None:
            assert isinstance(inner, int)
            of_both = zero_points_term(emit, x_zero, y_zero, inner, 0, 3)
    return corrected(emit, product, of_y, of_x, of_both)


def convolution_attributes(op: QnnConv2DOp) -> dict[str, Attribute]:
    """Returns the attributes that `relax.nn.conv2d` shares."""
    return {name: value for name, value in op.properties.items() if name != "out_dtype"}


def convolution(
    emit: QuantizedEmitter, data: SSAValue, weight: SSAValue, attributes: Mapping[str, Attribute]
) -> SSAValue:
    """Returns the convolution in i32."""
    data, weight = factors(emit, data, weight)
    properties: dict[str, Any] = {**attributes, **({} if element(data) == i32 else {"out_dtype": i32})}
    return emit.op(Conv2DOp, data, weight, **properties)


def canonicalize_conv2d(op: QnnConv2DOp, emit: QuantizedEmitter) -> SSAValue:
    """Returns the four terms of dense, where the sums of the data are those of its windows.

    The data is padded with its zero point first. Falls back on the convolution of the differences, in i32, for groups (but not for
    depthwise convolutions), for a kernel with a zero point and dilation, sizes that are not known, a result in another layout than
    the data, padding with a zero point that is not known, and window sums that an i32 may not hold.
    """
    require_ranks(op.data, op.weight)
    attributes = convolution_attributes(op)
    if _falls_back(op):
        data = emit.difference(op.data, op.input_zero_point, 0)
        weight = emit.difference(op.weight, op.kernel_zero_point, op.kernel_positions()[0])
        return convolution(emit, data, weight, attributes)
    data = _padded(op, emit)
    if data is not op.data:
        attributes.pop("padding")
    product = convolution(emit, data, op.weight, attributes)
    channel = op.out_positions()[1]
    of_kernel = of_data = of_both = None
    if not is_zero(op.kernel_zero_point):
        sums = _window_sums(op, emit, data)
        of_kernel = emit.op(MultiplyOp, sums, emit.parameter(op.kernel_zero_point, channel, 4, i32))
    if not is_zero(op.input_zero_point):
        sums = sum_of(emit, op.weight, op.kernel_positions()[1:], keepdims=False)
        scaled = emit.op(MultiplyOp, sums, emit.parameter(op.input_zero_point, 0, 1, i32))
        of_data = emit.along(scaled, channel, 4)
        if of_kernel is not None:
            count = prod(size for size in _taps(op) if isinstance(size, int))
            of_both = zero_points_term(emit, op.input_zero_point, op.kernel_zero_point, count, channel, 4)
    return corrected(emit, product, of_kernel, of_data, of_both)


def _falls_back(op: QnnConv2DOp) -> bool:
    # A zero point of the kernel is corrected by sums over windows, which are of known size, without dilation, and small enough for i32.
    if op.group_count > 1 and not is_depthwise(op):
        return True
    if not is_zero(op.input_zero_point) and numbers_of(op.input_zero_point) is None and _pads(op):
        return True
    if is_zero(op.kernel_zero_point):
        return False
    taps = _taps(op)
    if any(not isinstance(size, int) for size in taps) or op.out_positions() != op.data_positions():
        return True
    if any(window.dilation > 1 for window in op.windows(taps[1:])):
        return True
    greatest = max(map(abs, limits(element(op.data))))
    sizes = [size for size in taps if isinstance(size, int)]
    return greatest * sizes[0] * prod(sizes[1:]) ** 2 >= 2**31


def _padded(op: QnnConv2DOp, emit: QuantizedEmitter) -> SSAValue:
    zero_point = numbers_of(op.input_zero_point)
    if not _pads(op) or is_zero(op.input_zero_point):
        return op.data
    assert zero_point is not None
    widths = [0] * 8
    for axis, window in zip(op.data_positions()[2:], op.windows([None, None]), strict=True):
        widths[2 * axis : 2 * axis + 2] = [window.before, window.after]
    low, high = limits(element(op.data))
    data, value = op.data, int(zero_point)
    if not low <= value <= high:
        data = emit.cast(data, i32)
    return emit.op(PadOp, data, pad_width=widths, pad_value=float(value))


def _window_sums(op: QnnConv2DOp, emit: QuantizedEmitter, data: SSAValue) -> SSAValue:
    """Returns the sum of each window: its mean times its size, the mean being exact."""
    channel = op.data_positions()[1]
    depthwise = is_depthwise(op)
    sums = emit.cast(data, i32) if depthwise else sum_of(emit, data, [channel], keepdims=True)
    sizes = [size for size in _taps(op)[1:] if isinstance(size, int)]
    windows = op.windows(sizes)
    if prod(sizes) > 1:
        sums = emit.op(MultiplyOp, sums, emit.constant(np.asarray(prod(sizes)), i32))
    padding = op.properties.get("padding") if data is op.data else None
    if prod(sizes) > 1 or padding is not None or any(window.stride > 1 for window in windows):
        sums = emit.op(
            AvgPool2DOp,
            sums,
            pool_size=sizes,
            strides=[window.stride for window in windows],
            padding=padding,
            layout=op.properties.get("data_layout"),
            count_include_pad=True,
        )
    outputs, inputs = (dims(op.weight) or ())[op.kernel_positions()[0]], op.group_count
    if depthwise and outputs != inputs:
        assert isinstance(outputs, int)
        sums = emit.op(RepeatOp, sums, repeats=outputs // inputs, axis=channel)
    return sums


def is_depthwise(op: QnnConv2DOp) -> bool:
    """Returns whether each group has one input channel."""
    kernel = dims(op.weight)
    if kernel is None or op.group_count == 1:
        return False
    return kernel[op.kernel_positions()[1]] == 1 and isinstance(kernel[op.kernel_positions()[0]], int)


def _taps(op: QnnConv2DOp) -> list[Dim]:
    """Returns the sizes that a window is summed over: the input channels of a group, the height and the width."""
    kernel = dims(op.weight) or ()
    return [kernel[axis] for axis in op.kernel_positions()[1:]]


def _pads(op: QnnConv2DOp) -> bool:
    return any(window.before or window.after for window in op.windows([None, None]))


RULES: Rules = {
    QnnDenseOp: canonicalize_dense,
    QnnBatchMatmulOp: canonicalize_batch_matmul,
    QnnConv2DOp: canonicalize_conv2d,
}
