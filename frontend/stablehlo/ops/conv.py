"""Convolutions with any order of dims, dilations of both operands, groups and padding."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ...model.problems import Unsupported
from ...model.value_types import sizes_of
from ..bindings import stablehlo
from ..node import Node, known_sizes
from ..table import Table, converters
from .linear_algebra import factor_type
from .manipulate import declared, padded, reversed_along, transposed

TABLE: Table = {}
op = converters(TABLE)

MAX_SPATIAL = 3


@op("convolution")
def _convolution(node: Node) -> SSAValue:
    count = len(node.shape(0)) - 2
    pads = node.ints("padding", [0] * (2 * count))
    return _convolved(node, pads)


@op("dynamic_conv")
def _dynamic_convolution(node: Node) -> SSAValue:
    return _convolved(node, [int(item) for item in node.known(2).reshape(-1)])


def _convolved(node: Node, pads: Sequence[int]) -> SSAValue:
    """Returns a convolution, with the dims of the operands in the order that `relax.nn.conv` takes by default."""
    if 0 in node.result.sizes:
        return node.g.zeros(declared(node), dtype=node.result.element)
    # Invariant: after the steps above it, each step sees NC... and OI... of `count` spatial dims.
    numbers = stablehlo.ConvDimensionNumbers(node.attribute("dimension_numbers"))
    g, count = node.g, node.rank(0) - 2
    element = factor_type(node)
    x, kernel = node.cast(node.x(0), element), node.cast(node.x(1), element)
    x = transposed(
        node, x, [numbers.input_batch_dimension, numbers.input_feature_dimension, *numbers.input_spatial_dimensions]
    )
    kernel = transposed(
        node,
        kernel,
        [
            numbers.kernel_output_feature_dimension,
            numbers.kernel_input_feature_dimension,
            *numbers.kernel_spatial_dimensions,
        ],
    )
    strides = node.ints("window_strides", [1] * count)
    dilations = node.ints("rhs_dilation", [1] * count)
    turned = [axis + 2 for axis, flag in enumerate(node.flags("window_reversal", count)) if flag]
    kernel = reversed_along(node, kernel, turned)
    inner = [step - 1 for step in node.ints("lhs_dilation", [1] * count)]
    low, high = list(pads[0::2]), list(pads[1::2])
    if any(inner) or any(pad < 0 for pad in pads):
        zero = g.constant(0, element)
        x = padded(node, x, zero, [0, 0, *low], [0, 0, *high], [0, 0, *inner])
        low = high = [0] * count
    batches, groups = int(node.attr("batch_group_count", 1)), int(node.attr("feature_group_count", 1))
    if batches > 1:
        x, groups = _batches_as_groups(node, x, batches), batches
    if count > MAX_SPATIAL:
        raise Unsupported(f"a convolution has at most {MAX_SPATIAL} spatial dims, got {count}")
    if count == 0:
        x, kernel = g.expand_dims(x, axis=[2]), g.expand_dims(kernel, axis=[2])
        strides, dilations, low, high = [1], [1], [0], [0]
    result = node.result.element
    y = g.op(
        f"nn.conv{max(count, 1)}d",
        x,
        kernel,
        strides=strides,
        padding=[*low, *high],
        dilation=dilations,
        groups=groups,
        out_dtype=None if result == element else result,
    )
    y = g.squeeze(y, axis=[2]) if count == 0 else y
    y = node.cast(y, result)
    places = [numbers.output_batch_dimension, numbers.output_feature_dimension, *numbers.output_spatial_dimensions]
    return transposed(node, y, sorted(range(count + 2), key=lambda index: places[index]))


def _batches_as_groups(node: Node, x: SSAValue, groups: int) -> SSAValue:
    """Returns the images of group i of the batch as channels of group i."""
    batch, channels, *spatial = sizes_of(x)
    (batch,) = known_sizes([batch], "the batch of a convolution with groups of it")
    (channels,) = known_sizes([channels], "the channels of a convolution with groups of the batch")
    rank = len(spatial)
    x = node.g.reshape(x, [groups, batch // groups, channels, *spatial])
    x = node.g.permute_dims(x, axes=[1, 0, 2, *range(3, 3 + rank)])
    return node.g.reshape(x, [batch // groups, groups * channels, *spatial])
