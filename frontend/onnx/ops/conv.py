"""Convolutions."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from ....dialects.symbolic.expressions import apply, equal
from ...model.problems import Unsupported
from ...model.sizes import number_hint
from ...model.value_types import sizes_of
from ..node import Node
from ..table import Table, converters, exactly
from .linear_algebra import requantized
from .windows import halves, padding, padding_mode, spatial

TABLE: Table = {}
op = converters(TABLE)


@op("Conv")
def _conv(node: Node) -> SSAValue:
    result = convolved(node, node.x(0), node.x(1), 1)
    return with_bias(node, result, 2)


def convolved(node: Node, data: SSAValue, weight: SSAValue, weight_index: int) -> SSAValue:
    """Returns the convolution that the attributes of a node describe."""
    rank = node.rank(0) - 2
    if not 1 <= rank <= 3:
        raise Unsupported(f"convolves 1 to 3 spatial dims, got {rank}")
    kernel = known_sizes(node, weight_index)
    strides, dilations = spatial(node, "strides", rank), spatial(node, "dilations", rank)
    return node.g.op(
        f"nn.conv{rank}d",
        data,
        weight,
        strides=strides,
        padding=padding(node, node.shape(0)[2:], kernel, strides, dilations),
        dilation=dilations,
        groups=node.attr("group", 1),
    )


def known_sizes(node: Node, index: int) -> list[int]:
    """Returns the spatial sizes of a kernel."""
    shape = node.shape(index)[2:]
    sizes = [size for size in shape if isinstance(size, int)]
    if len(sizes) != len(shape):
        raise Unsupported(f"the size of the kernel must be a number, got {', '.join(map(str, shape))}")
    declared = [int(size) for size in node.attr("kernel_shape", sizes)]
    if declared != sizes:
        raise Unsupported(f"kernel_shape must be that of the weight, {sizes}, got {declared}")
    return sizes


def with_bias(node: Node, result: SSAValue, index: int) -> SSAValue:
    """Returns a convolution plus one number for each channel, if that operand is given."""
    if not node.has(index):
        return result
    channels, given = sizes_of(result)[1], node.shape(index)
    if len(given) != 1 or equal(given[0], channels) is False:
        shown = f"[{', '.join(map(str, given))}]"
        raise Unsupported(f"the bias must have one number for each of {channels} channels, got the shape {shown}")
    return node.g.add(result, channelwise(node, node.x(index), node.rank(0)))


def channelwise(node: Node, value: SSAValue, rank: int) -> SSAValue:
    """Returns a vector of channels in the shape that is broadcast to a tensor with the channels at dim 1."""
    return value if rank <= 2 else node.g.expand_dims(value, axis=list(range(1, rank - 1)))


@op("ConvTranspose")
def _conv_transpose(node: Node) -> SSAValue:
    """Converts a node. Padding by `auto_pad` that is negative, as of a stride greater than the kernel, adds zeros on its side."""
    rank = node.rank(0) - 2
    if not 1 <= rank <= 3:
        raise Unsupported(f"convolves 1 to 3 spatial dims, got {rank}")
    kernel, sizes = known_sizes(node, 1), node.shape(0)[2:]
    strides, dilations = spatial(node, "strides", rank), spatial(node, "dilations", rank)
    extra = spatial(node, "output_padding", rank, 0)
    mode = padding_mode(node)
    pads = [int(item) for item in node.attr("pads", [0] * (2 * rank))] if mode in ("NOTSET", "") else [0] * (2 * rank)
    wanted = node.attributes.get("output_shape")
    front = [0] * rank
    if wanted is not None or mode.startswith("SAME"):
        for axis in range(rank):
            size, extent = sizes[axis], (kernel[axis] - 1) * dilations[axis] + 1
            if not isinstance(size, int):
                raise Unsupported(f"the padding of a dim of size {size} depends on that size; {number_hint([size])}")
            target = size * strides[axis] if wanted is None else int(wanted[len(wanted) - rank + axis])
            total = strides[axis] * (size - 1) + extra[axis] + extent - target
            before, after = halves(total, upper=mode == "SAME_UPPER")
            if total < 0 and not mode.startswith("SAME"):
                before, after = 0, total
            pads[axis], pads[rank + axis] = max(before, 0), max(after, 0)
            front[axis] = max(-before, 0)
            extra[axis] += max(-after, 0)
    # Where more is added at the end than a stride has places for, zeros follow; cutting less from the end is the same.
    surplus = [
        max(item - max(stride, dilation) + 1, 0)
        for item, stride, dilation in zip(extra, strides, dilations, strict=True)
    ]
    result = node.g.op(
        f"nn.conv{rank}d_transpose",
        node.x(0),
        node.x(1),
        strides=strides,
        padding=pads,
        dilation=dilations,
        output_padding=[item - more for item, more in zip(extra, surplus, strict=True)],
        groups=node.attr("group", 1),
    )
    if any(surplus) or any(front):
        width = [0] * 4 + [item for sides in zip(front, surplus, strict=True) for item in sides]
        result = node.g.nn.pad(result, pad_width=width)
    return with_bias(node, result, 2)


@op("ConvInteger")
def _conv_integer(node: Node) -> SSAValue:
    data, weight = shifted(node, 0, 2), shifted(node, 1, 3, channel=0)
    return convolved(node, data, weight, 1)


def shifted(node: Node, index: int, zero_point: int, channel: int | None = None) -> SSAValue:
    """Returns integers less their zero point, in i32; `channel` is the dim that a vector of zero points belongs to."""
    g = node.g
    value = g.astype(node.x(index), dtype=i32)
    if not node.has(zero_point):
        return value
    zero = g.astype(node.x(zero_point), dtype=i32)
    if channel is not None and node.rank(zero_point) == 1 and node.shape(zero_point) != (1,):
        zero = g.expand_dims(zero, axis=list(range(1, node.rank(index))))
    return g.subtract(value, zero)


@op("QLinearConv")
def _qlinear_conv(node: Node) -> SSAValue:
    """Operands: x, its scale and zero point, w, its scale and zero point, the scale and zero point of the result, the bias."""
    g = node.g
    sums = convolved(node, shifted(node, 0, 2), shifted(node, 3, 5, channel=0), 3)
    sums = with_bias(node, sums, 8)
    scale = node.cast(node.x(4), f32)
    if node.rank(4) == 1 and node.shape(4) != (1,):
        scale = channelwise(node, scale, node.rank(0))
    elif node.rank(4) == 1:
        scale = g.reshape(scale, [])
    return requantized(node, sums, g.multiply(node.cast(node.x(1), f32), scale), 6, 7)


@op("Col2Im", ranks={0: exactly(3), 1: exactly(1), 2: exactly(1)})
def _col2im(node: Node) -> SSAValue:
    """Converts a node. Each column is added to the places of its window: the counterpart of gathering windows."""
    g = node.g
    image, block = node.ints(1), node.ints(2)
    rank = len(image)
    strides, dilations = spatial(node, "strides", rank), spatial(node, "dilations", rank)
    pads = [int(item) for item in node.attr("pads", [0] * (2 * rank))]
    batch, columns, blocks = node.shape(0)
    items = prod(block)
    channels = apply("floordiv", columns, items)
    places, inside = np.zeros((1, 1), np.int64), np.ones((1, 1), np.bool_)
    for axis in range(rank):
        size, extent = image[axis], (block[axis] - 1) * dilations[axis] + 1
        count = (size + pads[axis] + pads[rank + axis] - extent) // strides[axis] + 1
        along = np.arange(block[axis])[:, None] * dilations[axis] + np.arange(count) * strides[axis] - pads[axis]
        shape = (len(places) * len(along), places.size // len(places) * count)
        places = (places[:, None, :, None] * size + np.clip(along, 0, size - 1)[None, :, None, :]).reshape(shape)
        kept = ((along >= 0) & (along < size))[None, :, None, :]
        inside = (inside[:, None, :, None] & kept).reshape(shape)
    values = g.reshape(node.x(0), [batch, channels, items, blocks])
    values = g.where(g.constant(inside), values, node.constant(0))
    values = g.reshape(values, [batch, channels, places.size])
    indices = g.broadcast_to(g.constant(places.reshape(-1)), [batch, channels, places.size])
    zeros = g.zeros(g.shape(batch, channels, prod(image)), dtype=node.element(0))
    return g.reshape(g.scatter_elements(zeros, indices, values, axis=2, reduction="add"), [batch, channels, *image])
