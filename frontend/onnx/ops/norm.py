"""Normalizations."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import TensorProto
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import accumulator
from ....dialects.symbolic.expressions import shapes_equal
from ...model.problems import Unsupported
from ..node import Node
from ..table import Table, at_least, converters

TABLE: Table = {}
op = converters(TABLE)


@op("BatchNormalization")
def _batch_normalization(node: Node) -> Sequence[SSAValue]:
    """Converts a node. Before version 14 more than one output says that the statistics are those of the data."""
    if not node.attr("spatial", 1):
        raise Unsupported("statistics for each place (spatial = 0) have no counterpart")
    g, element = node.g, node.element(0)
    training = bool(node.attr("training_mode", 0)) or (node.since < 14 and node.wants(1))
    operands = [node.cast(node.x(index), element) for index in range(1, 5)]
    if training:
        return _trained(node, operands)
    results = g.nn.batch_norm(node.x(0), *operands, axis=1, epsilon=float(node.attr("epsilon", 1e-5)), training=False)
    return [results[0]]


def _trained(node: Node, operands: Sequence[SSAValue]) -> Sequence[SSAValue]:
    momentum = 1 - float(node.attr("momentum", 0.9))
    epsilon = float(node.attr("epsilon", 1e-5))
    results = node.g.nn.batch_norm(node.x(0), *operands, axis=1, epsilon=epsilon, training=True, momentum=momentum)
    moving = [node.cast(results[index], node.element(index + 2)) for index in (1, 2)]
    return [results[0], *moving]


@op("InstanceNormalization")
def _instance_normalization(node: Node) -> SSAValue:
    return node.g.nn.instance_norm(
        node.x(0),
        node.x(1),
        node.x(2),
        channel_axis=1,
        axes=list(range(2, node.rank(0))),
        epsilon=float(node.attr("epsilon", 1e-5)),
    )


@op("LayerNormalization")
def _layer_normalization(node: Node) -> Sequence[SSAValue]:
    g, x, rank = node.g, node.x(0), node.rank(0)
    axes = list(range(node.axis(-1), rank))
    epsilon = float(node.attr("epsilon", 1e-5))
    normalized = node.shape(0)[axes[0] :]
    plain = shapes_equal(node.shape(1), normalized) and (not node.has(2) or shapes_equal(node.shape(2), normalized))
    if plain and not node.wants(1) and not node.wants(2) and node.element(1) == node.element(0):
        bias = node.x(2) if node.has(2) else g.zeros_like(node.x(1))
        return [g.nn.layer_norm(x, node.x(1), bias, axes=axes, epsilon=epsilon)]
    wide = f32 if node.attr("stash_type", 1) == TensorProto.FLOAT else node.element(0)
    wide = wide if accumulator(node.element(0)) == wide else accumulator(node.element(0))
    x = node.cast(x, wide)
    mean = g.mean(x, axis=axes, keepdims=True)
    centered = g.subtract(x, mean)
    variance = g.mean(g.square(centered), axis=axes, keepdims=True)
    inverse = g.rsqrt(g.add(variance, g.constant(epsilon, wide)))
    result = g.multiply(
        node.cast(g.multiply(centered, inverse), node.element(0)), node.cast(node.x(1), node.element(0))
    )
    if node.has(2):
        result = g.add(result, node.cast(node.x(2), node.element(0)))
    return [result, mean, inverse]


@op("RMSNormalization", "SimplifiedLayerNormalization")
def _rms_normalization(node: Node) -> SSAValue:
    g, rank = node.g, node.rank(0)
    axes = list(range(node.axis(-1), rank))
    epsilon = float(node.attr("epsilon", 1e-5))
    if shapes_equal(node.shape(1), node.shape(0)[axes[0] :]) and node.element(1) == node.element(0):
        return g.nn.rms_norm(node.x(0), node.x(1), axes=axes, epsilon=epsilon)
    wide = accumulator(node.element(0))
    x = node.cast(node.x(0), wide)
    inverse = g.rsqrt(g.add(g.mean(g.square(x), axis=axes, keepdims=True), g.constant(epsilon, wide)))
    return g.multiply(node.cast(g.multiply(x, inverse), node.element(1)), node.x(1))


@op("GroupNormalization")
def _group_normalization(node: Node) -> SSAValue:
    """Converts a node. Before version 21 scale and bias are those of groups, since then those of channels."""
    g, shape = node.g, node.shape(0)
    groups, rank = int(node.attr("num_groups", 1)), len(shape)
    scale, bias = node.x(1), node.x(2)
    if node.since < 21:
        channels = shape[1]
        if not isinstance(channels, int):
            raise Unsupported(f"the number of channels must be known, got {channels}")
        scale, bias = (g.repeat(item, repeats=channels // groups, axis=0) for item in (scale, bias))
    return g.nn.group_norm(
        node.x(0),
        scale,
        bias,
        num_groups=groups,
        channel_axis=1,
        axes=list(range(2, rank)),
        epsilon=float(node.attr("epsilon", 1e-5)),
    )


@op("LRN", ranks={0: at_least(2)})
def _lrn(node: Node) -> SSAValue:
    """Converts a node. The squares of neighboring channels are summed by slices of the padded tensor."""
    g, x = node.g, node.x(0)
    size, rank, channels = int(node.attr("size", 1)), node.rank(0), node.shape(0)[1]
    if size < 1:
        raise Unsupported(f"size must be at least 1, got {size}")
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
    width = [0] * (2 * rank)
    width[2:4] = [before, after]
    padded = g.nn.pad(g.square(x), pad_width=width)
    if not isinstance(channels, int):
        raise Unsupported(f"the number of channels must be known, got {channels}")
    parts = [g.strided_slice(padded, axes=[1], begin=[i], end=[i + channels]) for i in range(size)]
    total = parts[0]
    for part in parts[1:]:
        total = g.add(total, part)
    scale = g.multiply(total, node.constant(node.attr("alpha", 1e-4) / size))
    base = g.add(scale, node.constant(node.attr("bias", 1.0)))
    return g.divide(x, g.power(base, node.constant(node.attr("beta", 0.75))))


@op("LpNormalization")
def _lp_normalization(node: Node) -> SSAValue:
    g, x, axis = node.g, node.x(0), node.axis(-1)
    if node.attr("p", 2) == 1:
        norm = g.sum(g.abs(x), axis=[axis], keepdims=True)
    else:
        norm = g.sqrt(g.sum(g.square(x), axis=[axis], keepdims=True))
    # What is all zeros stays so.
    zero = g.equal(norm, node.constant(0))
    return g.where(zero, node.constant(0), g.divide(x, g.where(zero, node.constant(1), norm)))
