"""Activations, and softmax."""

from __future__ import annotations

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ....dialects.symbolic.expressions import product
from ...model.problems import Unsupported
from ...model.value_types import element_of, sizes_of
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)


@op("Relu")
def _relu(node: Node) -> SSAValue:
    return node.g.nn.relu(node.x(0))


@op("LeakyRelu")
def _leaky_relu(node: Node) -> SSAValue:
    return node.g.nn.leakyrelu(node.x(0), alpha=float(node.attr("alpha", 0.01)))


@op("PRelu")
def _prelu(node: Node) -> SSAValue:
    """Converts a node. The slope is broadcast to the operand, however many dims it has."""
    g, x = node.g, node.x(0)
    return g.where(g.less(x, node.constant(0)), g.multiply(node.x(1), x), x)


@op("Elu")
def _elu(node: Node) -> SSAValue:
    return _exponential(node, 1.0, node.attr("alpha", 1.0))


@op("Selu")
def _selu(node: Node) -> SSAValue:
    gamma = node.attr("gamma", 1.05070102214813232421875)
    return _exponential(node, gamma, gamma * node.attr("alpha", 1.67326319217681884765625))


@op("Celu")
def _celu(node: Node) -> SSAValue:
    alpha = node.attr("alpha", 1.0)
    if not alpha:
        raise Unsupported("alpha must not be 0")
    return _exponential(node, 1.0, alpha, 1 / alpha)


def _exponential(node: Node, above: float, below: float, inner: float = 1.0) -> SSAValue:
    """Returns `above * x` where x is positive, else `below * (exp(inner * x) - 1)`."""
    g, x = node.g, node.x(0)
    scaled = x if inner == 1 else g.multiply(x, node.constant(inner))
    # Of the side that is not chosen, exp would overflow.
    low = g.minimum(scaled, node.constant(0))
    negative = g.multiply(g.subtract(g.exp(low), node.constant(1)), node.constant(below))
    positive = x if above == 1 else g.multiply(x, node.constant(above))
    return g.where(g.greater(x, node.constant(0)), positive, negative)


@op("HardSigmoid")
def _hard_sigmoid(node: Node) -> SSAValue:
    return _line(node, node.attr("alpha", 0.2), node.attr("beta", 0.5))


@op("HardSwish")
def _hard_swish(node: Node) -> SSAValue:
    return node.g.multiply(node.x(0), _line(node, 1 / 6, 0.5))


def _line(node: Node, alpha: float, beta: float) -> SSAValue:
    g = node.g
    return g.clip(g.add(g.multiply(node.x(0), node.constant(alpha)), node.constant(beta)), min=0.0, max=1.0)


@op("Softplus")
def _softplus(node: Node) -> SSAValue:
    return node.g.nn.softplus(node.x(0))


@op("Softsign")
def _softsign(node: Node) -> SSAValue:
    g, x = node.g, node.x(0)
    return g.divide(x, g.add(g.abs(x), node.constant(1)))


@op("Mish")
def _mish(node: Node) -> SSAValue:
    g, x = node.g, node.x(0)
    return g.multiply(x, g.tanh(g.nn.softplus(x)))


@op("Gelu")
def _gelu(node: Node) -> SSAValue:
    return node.g.op("nn.gelu_tanh" if node.attr("approximate", "none") == "tanh" else "nn.gelu", node.x(0))


@op("Swish")
def _swish(node: Node) -> SSAValue:
    g, x, alpha = node.g, node.x(0), node.attr("alpha", 1.0)
    if alpha == 1:
        return g.nn.silu(x)
    return g.multiply(x, g.sigmoid(g.multiply(x, node.constant(alpha))))


@op("ThresholdedRelu")
def _thresholded_relu(node: Node) -> SSAValue:
    g, x = node.g, node.x(0)
    return g.where(g.greater(x, node.constant(node.attr("alpha", 1.0))), x, node.constant(0))


@op("Shrink")
def _shrink(node: Node) -> SSAValue:
    g, x = node.g, node.x(0)
    bias, limit = node.constant(node.attr("bias", 0.0)), node.attr("lambd", 0.5)
    low = g.where(g.less(x, node.constant(-limit)), g.add(x, bias), node.constant(0))
    return g.where(g.greater(x, node.constant(limit)), g.subtract(x, bias), low)


@op("Softmax", "LogSoftmax", "Hardmax")
def _softmax(node: Node) -> SSAValue:
    """Converts a node. Before version 13 all dims from the axis on are one, and the axis is 1 by default."""
    g, x = node.g, node.x(0)
    shape = node.shape(0)
    flattens = node.since < 13
    axis = node.axis(1 if flattens and len(shape) > 1 else -1)
    flattens = flattens and axis != len(shape) - 1
    if flattens:
        x = g.reshape(x, [product(shape[:axis]), product(shape[axis:])])
        axis = 1
    if node.op == "Hardmax":
        result = _hardmax(node, x, axis)
    else:
        result = g.op("nn.softmax" if node.op == "Softmax" else "nn.log_softmax", x, axis=axis)
    return g.reshape(result, list(shape)) if flattens else result


def _hardmax(node: Node, x: SSAValue, axis: int) -> SSAValue:
    """Returns one at the first largest element and zero elsewhere."""
    g = node.g
    place = g.argmax(x, axis=axis, keepdims=True)
    dims = sizes_of(x)
    places = g.arange([0, dims[axis], 1], dtype=element_of(place))
    places = g.reshape(places, [dims[axis], *(1 for _ in dims[axis + 1 :])])
    return node.cast(g.equal(place, places), node.element(0))


@op("Dropout")
def _dropout(node: Node) -> list[SSAValue]:
    """Converts a node. The identity and a mask of ones; a model that drops is trained, which is told by a constant operand."""
    x = node.x(0)
    if node.has(2) and bool(node.number(2, 0)) and node.number(1, 0.5) != 0:
        raise Unsupported("drops at random (training_mode)")
    mask_type = i1 if node.since >= 10 else node.element(0)
    return [x, node.g.ones_like(x, dtype=mask_type)] if node.wants(1) else [x]
