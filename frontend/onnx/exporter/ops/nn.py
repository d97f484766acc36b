"""Activations, softmax, normalizations, attention and losses; f16 and bf16 are computed in f32 and rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i1, i64

from .....dialects.relax.dtypes import numpy_dtype
from .....dialects.relax.ops.nn import activation, attention, loss, norm, softmax
from .....dialects.symbolic.expressions import Known, apply, sub
from ..nodes import Nodes
from ..table import Rule, Rules, Scope, is_positive, known
from .reduction import mean

# Klambauer et al., Self-Normalizing Neural Networks (2017), equation 14.
_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


def _rounded_once(function: Callable[[Any, Nodes, str], str]) -> Rule:
    """Makes a rule of a function of the op and the widened data."""

    def rule(op: Any, args: Sequence[str], scope: Scope) -> str:
        nodes = scope.nodes
        return nodes.cast(function(op, nodes, nodes.wide(args[0])), nodes.element(args[0]))

    return rule


def _relu(op: Any, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    x = nodes.ordered(args[0])
    zero = nodes.ordered(nodes.like(0, args[0]))
    return nodes.unordered(nodes.add("Max", x, zero), nodes.element(args[0]))


def _positive(nodes: Nodes, x: str, otherwise: str) -> str:
    return nodes.where(nodes.compare("Greater", x, nodes.like(0, x)), x, otherwise)


def _leaky_relu(op: activation.LeakyReluOp, nodes: Nodes, x: str) -> str:
    return _positive(nodes, x, nodes.add("Mul", x, nodes.like(op.prop("alpha", 0.01), x)))


def _gelu(op: Any, nodes: Nodes, x: str) -> str:
    erf = nodes.add("Erf", nodes.add("Mul", x, nodes.like(math.sqrt(0.5), x)))
    half = nodes.like(0.5, x)
    return nodes.add("Mul", x, nodes.add("Add", half, nodes.add("Mul", half, erf)))


def _gelu_tanh(op: Any, nodes: Nodes, x: str) -> str:
    cube = nodes.add("Mul", x, nodes.add("Mul", x, x))
    inner = nodes.add("Add", x, nodes.add("Mul", cube, nodes.like(0.044715, x)))
    tanh = nodes.add("Tanh", nodes.add("Mul", inner, nodes.like(math.sqrt(2 / math.pi), x)))
    return nodes.add("Mul", nodes.add("Mul", x, nodes.like(0.5, x)), nodes.add("Add", tanh, nodes.like(1, x)))


def _selu(op: Any, nodes: Nodes, x: str) -> str:
    # Near 0 the exponential less 1 loses all digits: tanh(x / 2) (exp(x) + 1) is the same number.
    low = nodes.add("Min", x, nodes.like(0, x))
    tanh = nodes.add("Tanh", nodes.add("Mul", low, nodes.like(0.5, x)))
    less_one = nodes.add("Mul", tanh, nodes.add("Add", nodes.add("Exp", low), nodes.like(1, x)))
    scaled = _positive(nodes, x, nodes.add("Mul", less_one, nodes.like(_SELU_ALPHA, x)))
    return nodes.add("Mul", scaled, nodes.like(_SELU_SCALE, x))


def _softplus(op: activation.SoftplusOp, nodes: Nodes, x: str) -> str:
    beta, threshold = op.prop("beta", 1.0), op.prop("threshold", 20.0)
    scaled = nodes.add("Mul", x, nodes.like(beta, x))
    # log(1 + e) is log(u) e / (u - 1) for the rounded u = 1 + e, which is exact to the last digits (Kahan).
    exponential, unit = nodes.add("Exp", scaled), nodes.like(1, x)
    total = nodes.add("Add", exponential, unit)
    rounded = nodes.add("Sub", total, unit)
    is_zero = nodes.compare("Equal", rounded, nodes.like(0, x))
    is_infinite = nodes.add("IsInf", total, element=i1)
    kept = nodes.where(nodes.add("Or", is_zero, is_infinite), unit, rounded)
    logarithm = nodes.add("Div", nodes.add("Mul", nodes.add("Log", total), exponential), kept)
    logarithm = nodes.where(is_zero, exponential, nodes.where(is_infinite, total, logarithm))
    return nodes.where(
        nodes.compare("Greater", scaled, nodes.like(threshold, x)),
        x,
        nodes.add("Div", logarithm, nodes.like(beta, x)),
    )


def _prelu(op: activation.PReluOp, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    x, alpha = map(nodes.wide, args)
    rank = len(scope.dims(op.x, args[0]))
    shape = [1] * rank
    if rank:
        shape[op.channel_axis(rank)] = -1
    slopes = nodes.moved("Reshape", [alpha], [nodes.integers(shape)])
    return nodes.cast(_positive(nodes, x, nodes.add("Mul", slopes, x)), nodes.element(args[0]))


def _softmax(op_type: str) -> Rule:
    def rule(op: softmax.SoftmaxLikeOp, args: Sequence[str], scope: Scope) -> str:
        nodes = scope.nodes
        axis = op.normalized(len(scope.dims(op.x, args[0])))
        return nodes.cast(nodes.add(op_type, nodes.wide(args[0]), axis=axis), nodes.element(args[0]))

    return rule


def _dropout(op: softmax.DropoutOp, args: Sequence[str], scope: Scope) -> list[str]:
    return [args[0], scope.filled(1, scope.nodes.element(args[0]), scope.dims(op.x, args[0]))]


# Normalizations


def _along(scope: Scope, vector: str, axes: Sequence[int], rank: int) -> str:
    """Returns a parameter with the dims `axes` of an array of some rank, ready to broadcast."""
    nodes = scope.nodes
    ordered = nodes.transposed(nodes.wide(vector), sorted(range(len(axes)), key=lambda index: axes[index]))
    return nodes.unsqueezed(ordered, [axis for axis in range(rank) if axis not in axes])


def _affine(op: Any, nodes: Nodes, x: str, gamma: str, beta: str) -> str:
    if op.prop("scale", True):
        x = nodes.add("Mul", x, gamma)
    return nodes.add("Add", x, beta) if op.prop("center", True) else x


def _deviation(scope: Scope, x: str, epsilon: float) -> str:
    """Returns the square root of variances, which are made larger by a number."""
    return scope.nodes.add("Sqrt", scope.nodes.add("Add", x, scope.nodes.like(epsilon, x)))


def _standardized(scope: Scope, x: str, dims: Sequence[Known], axes: Sequence[int], epsilon: float) -> str:
    nodes = scope.nodes
    centered = nodes.add("Sub", x, mean(scope, x, dims, axes, True))
    squares = mean(scope, nodes.add("Mul", centered, centered), dims, axes, True)
    return nodes.add("Div", centered, _deviation(scope, squares, epsilon))


def _layer_norm(op: norm.LayerNormOp, args: Sequence[str], scope: Scope) -> str:
    nodes, dims = scope.nodes, scope.dims(op.x, args[0])
    axes = op.normalized(len(dims))
    x = _standardized(scope, nodes.wide(args[0]), dims, axes, op.prop("epsilon", norm.EPSILON))
    gamma, beta = (_along(scope, arg, axes, len(dims)) for arg in args[1:])
    return nodes.cast(_affine(op, nodes, x, gamma, beta), nodes.element(args[0]))


def _rms_norm(op: norm.RMSNormOp, args: Sequence[str], scope: Scope) -> str:
    nodes, dims = scope.nodes, scope.dims(op.x, args[0])
    axes, x = op.normalized(len(dims)), nodes.wide(args[0])
    squares = mean(scope, nodes.add("Mul", x, x), dims, axes, True)
    x = nodes.add("Div", x, _deviation(scope, squares, op.prop("epsilon", norm.EPSILON)))
    return nodes.cast(nodes.add("Mul", x, _along(scope, args[1], axes, len(dims))), nodes.element(args[0]))


def _l2_normalize(op: norm.L2NormalizeOp, args: Sequence[str], scope: Scope) -> str:
    nodes, x = scope.nodes, scope.nodes.wide(args[0])
    axes = op.normalized(len(scope.dims(op.x, args[0])))
    total = nodes.reduced("ReduceSum", nodes.add("Mul", x, x), axes, True) if axes else nodes.add("Mul", x, x)
    length = nodes.add("Sqrt", nodes.add("Max", total, nodes.like(op.prop("eps"), x)))
    return nodes.cast(nodes.add("Div", x, length), nodes.element(args[0]))


def _group_norm(op: norm.GroupNormOp, args: Sequence[str], scope: Scope) -> str:
    nodes, dims = scope.nodes, scope.dims(op.x, args[0])
    channel, groups = op.channel(len(dims)), op.prop("num_groups")
    axes = [axis + (axis > channel) for axis in op.normalized(len(dims))]
    (each,) = known([apply("floordiv", dims[channel], groups)])
    split: list[Known] = [*dims[:channel], groups, each, *dims[channel + 1 :]]
    x = scope.reshaped(nodes.wide(args[0]), split)
    x = _standardized(scope, x, split, [channel + 1, *axes], op.prop("epsilon", norm.EPSILON))
    gamma, beta = (_along(scope, arg, [channel], len(dims)) for arg in args[1:])
    return nodes.cast(_affine(op, nodes, scope.reshaped(x, dims), gamma, beta), nodes.element(args[0]))


def _instance_norm(op: norm.InstanceNormOp, args: Sequence[str], scope: Scope) -> str:
    nodes, dims = scope.nodes, scope.dims(op.x, args[0])
    axes, channel = op.normalized(len(dims)), op.channel(len(dims))
    x = _standardized(scope, nodes.wide(args[0]), dims, axes, op.prop("epsilon", norm.EPSILON))
    gamma, beta = (_along(scope, arg, [channel], len(dims)) for arg in args[1:])
    return nodes.cast(_affine(op, nodes, x, gamma, beta), nodes.element(args[0]))


def _batch_norm(op: norm.BatchNormOp, args: Sequence[str], scope: Scope) -> list[str]:
    nodes, dims = scope.nodes, scope.dims(op.x, args[0])
    x, gamma, beta, old_mean, old_variance = map(nodes.wide, args)
    element, rank, channel = nodes.element(args[0]), len(dims), op.channel(len(dims))
    average, variance = old_mean, old_variance
    new_mean, new_variance = args[3], args[4]
    if op.prop("training", True):
        others = [axis for axis in range(rank) if axis != channel]
        average = mean(scope, x, dims, others)
        centered = nodes.add("Sub", x, _along(scope, average, [channel], rank))
        variance = mean(scope, nodes.add("Mul", centered, centered), dims, others)
        # The share of what was before is 1 less the momentum as the element type has it.
        momentum = numpy_dtype(nodes.element(x)).type(op.prop("momentum", 0.1))
        shares = [nodes.like(1 - momentum, x), nodes.like(momentum, x)]
        new_mean, new_variance = (
            nodes.cast(nodes.add("Add", nodes.add("Mul", old, shares[0]), nodes.add("Mul", new, shares[1])), element)
            for old, new in ((old_mean, average), (old_variance, variance))
        )
    factor = nodes.add("Reciprocal", _deviation(scope, variance, op.prop("epsilon", norm.EPSILON)))
    y = nodes.add("Sub", x, _along(scope, average, [channel], rank))
    y = nodes.add("Mul", y, _along(scope, factor, [channel], rank))
    y = _affine(op, nodes, y, _along(scope, gamma, [channel], rank), _along(scope, beta, [channel], rank))
    return [nodes.cast(y, element), new_mean, new_variance]


# Attention


def _visible(op: attention.AttentionLikeOp, queries: Known, keys: Known, scope: Scope) -> str | None:
    """Returns which key (column) each query (row) sees."""
    causal_mask, window = op.prop("causal_mask"), op.prop("window_size")
    if causal_mask is None:
        return None
    nodes = scope.nodes
    last = scope.indices(queries)
    if causal_mask == "BottomRight":
        last = nodes.add("Add", last, scope.sizes.scalar(known([sub(keys, queries)])[0]))
    last, key = nodes.unsqueezed(last, [1]), nodes.unsqueezed(scope.indices(keys), [0])
    visible = nodes.compare("LessOrEqual", key, last)
    if window is None:
        return visible
    first = nodes.add("Sub", last, nodes.scalar(window, i64))
    return nodes.add("And", visible, nodes.compare("Greater", key, first))


def _attention(op: attention.AttentionLikeOp, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    shapes = [scope.dims(operand, arg) for operand, arg in zip(op.operands[:3], args[:3], strict=True)]
    query, key, value = (nodes.transposed(nodes.wide(arg), [0, 2, 1, 3]) for arg in args[:3])
    (_, queries, heads, depth), (_, keys, key_heads, _) = shapes[:2]
    if heads != key_heads:
        (times,) = known([apply("floordiv", heads, key_heads)])
        key, value = (
            _repeated_heads(scope, array, shape, times) for array, shape in zip((key, value), shapes[1:], strict=True)
        )
    scores = nodes.add("MatMul", query, nodes.transposed(key, [0, 1, 3, 2]))
    scale = op.prop("scale")
    if scale is not None:
        factor = nodes.like(scale, scores)
    elif isinstance(depth, int):
        factor = nodes.like(np.divide(1.0, math.sqrt(depth)) if depth else np.inf, scores)
    else:
        factor = nodes.add(
            "Reciprocal", nodes.add("Sqrt", nodes.cast(scope.sizes.scalar(depth), nodes.element(scores)))
        )
    scores = nodes.add("Mul", scores, factor)
    if len(args) == 4:
        scores = nodes.add("Add", scores, nodes.wide(args[3]))
    visible = _visible(op, queries, keys, scope)
    if visible is not None:
        scores = nodes.where(visible, scores, nodes.like(-np.inf, scores))
    # A query that sees no key gives zeros: the largest score is at least the lowest number, the sum of weights at least 1.
    lowest = nodes.like(np.finfo(numpy_dtype(nodes.element(scores))).min, scores)
    largest = nodes.add("Max", nodes.reduced("ReduceMax", scores, [3], True), lowest)
    weights = nodes.add("Exp", nodes.add("Sub", scores, largest))
    total = nodes.add("Max", nodes.reduced("ReduceSum", weights, [3], True), nodes.like(1, scores))
    result = nodes.add("Div", nodes.add("MatMul", weights, value), total)
    return nodes.cast(nodes.transposed(result, [0, 2, 1, 3]), nodes.element(args[0]))


def _repeated_heads(scope: Scope, x: str, shape: Sequence[Known], times: Known) -> str:
    batch, length, heads, depth = shape
    spread = scope.expanded(scope.nodes.unsqueezed(x, [2]), [batch, heads, times, length, depth])
    return scope.reshaped(spread, [batch, apply("*", heads, times), length, depth])


# Losses


def _cross_entropy(op: loss.CrossEntropyWithLogitsOp, args: Sequence[str], scope: Scope) -> str:
    nodes, dims = scope.nodes, scope.dims(op.predictions, args[0])
    products = nodes.add("Mul", nodes.wide(args[0]), nodes.wide(args[1]))
    result = nodes.add("Neg", nodes.reduced("ReduceSum", products, range(len(dims))))
    if len(dims) > 1:
        result = nodes.add("Div", result, nodes.cast(scope.sizes.scalar(dims[0]), nodes.element(result)))
    return nodes.cast(result, nodes.element(args[0]))


def _nll_loss(op: loss.NLLLossOp, args: Sequence[str], scope: Scope) -> str:
    nodes, dims = scope.nodes, scope.dims(op.predictions, args[0])
    predictions = nodes.wide(args[0])
    targets = nodes.cast(args[1], i64)
    axis = 1 if len(dims) > 1 else 0
    classes, zero = dims[axis], nodes.scalar(0, i64)
    weights = nodes.wide(args[2]) if len(args) > 2 else scope.filled(1, nodes.element(predictions), [classes])
    inside = nodes.add(
        "And",
        nodes.compare("GreaterOrEqual", targets, zero),
        nodes.compare("Less", targets, scope.sizes.scalar(classes)),
    )
    chosen = nodes.where(inside, targets, zero)
    if not is_positive(classes):
        # No target is valid; there must be something to read all the same.
        predictions = scope.with_one_more(predictions, dims, axis, 0)
        weights = scope.with_one_more(weights, [classes], 0, 1)
    weight = nodes.where(inside, nodes.gathered(weights, chosen, 0), nodes.like(np.nan, weights))
    picked = nodes.moved("GatherElements", [predictions], [nodes.unsqueezed(chosen, [axis])], axis=axis)
    picked = nodes.squeezed(picked, [axis])
    nothing = nodes.like(0, weights)
    ignored = nodes.compare("Equal", targets, nodes.scalar(op.prop("ignore_index", -100), i64))
    weight = nodes.where(ignored, nothing, weight)
    losses = nodes.where(ignored, nothing, nodes.add("Neg", nodes.add("Mul", picked, weight)))
    every = range(len(scope.dims(op.targets, args[1])))
    match op.prop("reduction", "mean"):
        case "none":
            result = losses
        case "sum":
            result = nodes.reduced("ReduceSum", losses, every)
        case _:
            total, count = (nodes.reduced("ReduceSum", value, every) for value in (losses, weight))
            result = nodes.add("Div", total, count)
    return nodes.cast(result, nodes.element(args[0]))


def _sigmoid_times(op: Any, nodes: Nodes, x: str) -> str:
    exponential = nodes.add("Exp", nodes.add("Neg", x))
    return nodes.add("Div", x, nodes.add("Add", exponential, nodes.like(1, x)))


RULES: Rules = {
    activation.ReluOp: _relu,
    activation.LeakyReluOp: _rounded_once(_leaky_relu),
    activation.PReluOp: _prelu,
    activation.GeluOp: _rounded_once(_gelu),
    activation.GeluTanhOp: _rounded_once(_gelu_tanh),
    activation.SiluOp: _rounded_once(_sigmoid_times),
    activation.SeluOp: _rounded_once(_selu),
    activation.SoftplusOp: _rounded_once(_softplus),
    softmax.SoftmaxOp: _softmax("Softmax"),
    softmax.LogSoftmaxOp: _softmax("LogSoftmax"),
    softmax.DropoutOp: _dropout,
    norm.LayerNormOp: _layer_norm,
    norm.RMSNormOp: _rms_norm,
    norm.L2NormalizeOp: _l2_normalize,
    norm.GroupNormOp: _group_norm,
    norm.InstanceNormOp: _instance_norm,
    norm.BatchNormOp: _batch_norm,
    attention.AttentionOp: _attention,
    attention.AttentionBiasOp: _attention,
    loss.CrossEntropyWithLogitsOp: _cross_entropy,
    loss.NLLLossOp: _nll_loss,
}
