"""Normalizations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import accumulator
from ....dialects.symbolic.expressions import apply
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.value_types import element_of, sizes_of
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)

TRAINING = "normalizes by the statistics of the batch and keeps them: export the module after eval()"


@op("_native_batch_norm_legit_no_training", "_batch_norm_no_update")
def _batch_norm(node: Node) -> Sequence[SSAValue | None]:
    return [_with_statistics(node, "input"), None, None, None]


@op("native_batch_norm", "_native_batch_norm_legit", "_native_batch_norm_legit_functional", "_batch_norm_with_update")
def _native_batch_norm(node: Node) -> Sequence[SSAValue | None]:
    if node.arguments.get("training", True):
        raise Unsupported(TRAINING)
    # The functional form, which an export makes of the others, also returns the running statistics: they stay.
    return [_with_statistics(node, "input"), None, None, node.x("running_mean"), node.x("running_var")]


@op("batch_norm")
def _plain_batch_norm(node: Node) -> SSAValue:
    if node["training"]:
        raise Unsupported(TRAINING)
    return _with_statistics(node, "input")


@op("_native_batch_norm_legit.no_stats")
def _batch_norm_of_batch(node: Node) -> Sequence[SSAValue | None]:
    """Converts a node: the statistics are those of the data, and nothing is kept."""
    x = node.x("input")
    if not node["training"]:
        raise Unsupported(TRAINING)
    axes = [axis for axis in range(len(sizes_of(x))) if axis != 1]
    wide = accumulator(element_of(x))
    return _normalized(node, node.cast(x, wide), axes, float(node["eps"]), 1, keepdims=False)


def _with_statistics(node: Node, name: str) -> SSAValue:
    g, x = node.g, node.x(name)
    wide = accumulator(element_of(x))
    mean, variance = node.x("running_mean", wide), node.x("running_var", wide)
    gamma = node.x("weight", wide) if node.has("weight") else g.ones_like(mean)
    beta = node.x("bias", wide) if node.has("bias") else g.zeros_like(mean)
    operands = [node.cast(x, wide), gamma, beta, mean, variance]
    return g.nn.batch_norm(*operands, axis=1, epsilon=float(node["eps"]), training=False)[0]


def _normalized(
    node: Node, x: SSAValue, axes: list[int], epsilon: float, channel: int | None, keepdims: bool = True
) -> Sequence[SSAValue]:
    """Returns a tensor normalized over axes, with `weight` and `bias`, the mean, and the inverse of the deviation."""
    g, wide = node.g, element_of(x)
    mean = g.mean(x, axis=axes, keepdims=True)
    centered = g.subtract(x, mean)
    variance = g.mean(g.square(centered), axis=axes, keepdims=True)
    inverse = g.rsqrt(g.add(variance, node.number(epsilon, wide)))
    result = g.multiply(centered, inverse)
    for name, target in (("weight", "multiply"), ("bias", "add")):
        if node.has(name):
            value = node.x(name, wide)
            trailing = len(sizes_of(x)) - 2
            if channel is not None and trailing > 0:
                value = g.expand_dims(value, axis=list(range(1, trailing + 1)))
            result = g.op(target, result, value)
    if not keepdims:
        mean, inverse = (g.squeeze(item, axis=axes) for item in (mean, inverse))
    return [result, mean, inverse]


@op("layer_norm", "native_layer_norm")
def _layer_norm(node: Node) -> SSAValue | Sequence[SSAValue | None]:
    g, x = node.g, node.x("input")
    rank, count = node.rank("input"), len(node["normalized_shape"])
    axes = list(range(rank - count, rank))
    epsilon = float(node["eps"])
    if node.op == "native_layer_norm" and (node.is_read(1) or node.is_read(2)):
        return _normalized(node, node.cast(x, accumulator(element_of(x))), axes, epsilon, None)
    shape = node.sizes("normalized_shape")
    gamma = node.x("weight") if node.has("weight") else g.ones(g.shape(*shape), dtype=element_of(x))
    beta = node.x("bias") if node.has("bias") else g.zeros(g.shape(*shape), dtype=element_of(x))
    result = g.nn.layer_norm(x, gamma, beta, axes=axes, epsilon=epsilon)
    return result if node.op == "layer_norm" else [result, None, None]


@op("rms_norm", "_fused_rms_norm")
def _rms_norm(node: Node) -> SSAValue | Sequence[SSAValue | None]:
    """Converts a node. torch's default epsilon is that of the type in which it computes."""
    g, x = node.g, node.x("input")
    rank, count = node.rank("input"), len(node["normalized_shape"])
    axes = list(range(rank - count, rank))
    default = {"f64": 2.220446049250313e-16}.get(str(element_of(x)), 1.1920928955078125e-07)
    epsilon = float(node["eps"]) if node.has("eps") else default
    if node.op == "_fused_rms_norm" and node.is_read(1):
        raise Unsupported("the deviation as a result has no counterpart")
    if node.has("weight"):
        weight = node.x("weight", element_of(x))
    else:
        weight = g.ones(g.shape(*node.sizes("normalized_shape")), dtype=element_of(x))
    result = g.nn.rms_norm(x, weight, axes=axes, epsilon=epsilon)
    return result if node.op == "rms_norm" else [result, None]


@op("group_norm", "native_group_norm")
def _group_norm(node: Node) -> SSAValue | Sequence[SSAValue | None]:
    g, x = node.g, node.x("input")
    groups = node.int("num_groups" if node.op == "group_norm" else "group")
    shape = node.shape("input")
    rank, channels = len(shape), shape[1]
    if node.op == "native_group_norm" and (node.is_read(1) or node.is_read(2)):
        return _group_statistics(node, x, groups)
    gamma, beta = (
        node.x(name) if node.has(name) else g.op(default, g.shape(channels), dtype=element_of(x))
        for name, default in (("weight", "ones"), ("bias", "zeros"))
    )
    axes = list(range(2, rank))
    if not axes:
        x = g.expand_dims(x, axis=[2])
    result = g.nn.group_norm(
        x, gamma, beta, num_groups=groups, channel_axis=1, axes=axes or [2], epsilon=float(node["eps"])
    )
    result = result if axes else g.squeeze(result, axis=[2])
    return result if node.op == "group_norm" else [result, None, None]


def _group_statistics(node: Node, x: SSAValue, groups: int) -> Sequence[SSAValue]:
    """Returns a group norm with mean and inverse deviation of each group."""
    g, wide = node.g, accumulator(element_of(x))
    shape = sizes_of(x)
    count: Known = 1
    for size in shape[1:]:
        product = apply("*", count, size)
        assert product is not None
        count = product
    parts = g.reshape(node.cast(x, wide), [shape[0], groups, apply("floordiv", count, groups)])
    mean = g.mean(parts, axis=[2], keepdims=True)
    centered = g.subtract(parts, mean)
    inverse = g.rsqrt(g.add(g.mean(g.square(centered), axis=[2], keepdims=True), node.number(float(node["eps"]), wide)))
    result = g.reshape(g.multiply(centered, inverse), list(shape))
    for name, target in (("weight", "multiply"), ("bias", "add")):
        if node.has(name):
            value = node.x(name, wide)
            value = g.expand_dims(value, axis=list(range(1, len(shape) - 1))) if len(shape) > 2 else value
            result = g.op(target, result, value)
    return [result, *(g.squeeze(item, axis=[2]) for item in (mean, inverse))]


@op("instance_norm")
def _instance_norm(node: Node) -> SSAValue:
    if not node["use_input_stats"]:
        return _with_statistics(node, "input")
    x = node.x("input")
    axes = list(range(2, node.rank("input")))
    return _normalized(node, node.cast(x, accumulator(element_of(x))), axes, float(node["eps"]), 1)[0]
