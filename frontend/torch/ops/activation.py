"""Activations, softmax and dropout."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import accumulator
from ...model.problems import Unsupported
from ...model.value_types import element_of
from ..node import Node
from ..table import Table, converters
from .elementwise import exponential_less_one

TABLE: Table = {}
op = converters(TABLE)

TRAINING = "drops at random: export the module after eval()"


@op("relu")
def _relu(node: Node) -> SSAValue:
    x = node.x("self")
    return x if element_of(x) == i1 else node.g.nn.relu(x)


@op("relu6")
def _relu6(node: Node) -> SSAValue:
    return node.g.clip(node.x("self"), min=0, max=6)


@op("gelu")
def _gelu(node: Node) -> SSAValue:
    return node.g.op("nn.gelu_tanh" if node["approximate"] == "tanh" else "nn.gelu", node.x("self"))


@op("silu")
def _silu(node: Node) -> SSAValue:
    return node.g.nn.silu(node.x("self"))


@op("leaky_relu")
def _leaky_relu(node: Node) -> SSAValue:
    return node.g.nn.leakyrelu(node.x("self"), alpha=float(node["negative_slope"]))


@op("elu", "selu", "celu")
def _elu(node: Node) -> SSAValue:
    """Converts a node: `scale * x` where x is positive, else `scale * alpha * (exp(input_scale * x) - 1)`."""
    g, element = node.g, accumulator(node.element())
    alpha, scale, inner = 1.67326319217681884765625, 1.05070102214813232421875, 1.0
    if node.op == "elu":
        alpha, scale, inner = (float(node[name]) for name in ("alpha", "scale", "input_scale"))
    elif node.op == "celu":
        alpha, scale = float(node["alpha"]), 1.0
        inner = 1 / alpha
    x, zero = node.x("self", element), node.number(0, element)
    # Of the side that is not chosen, exp would overflow.
    low = g.minimum(x, zero)
    low = low if inner == 1 else g.multiply(low, node.number(inner, element))
    negative = g.multiply(exponential_less_one(node, low), node.number(alpha * scale, element))
    positive = x if scale == 1 else g.multiply(x, node.number(scale, element))
    return g.where(g.greater(x, zero), positive, g.where(g.isnan(x), x, negative))


@op("hardtanh")
def _hardtanh(node: Node) -> SSAValue:
    return node.g.clip(node.x("self"), min=node["min_val"], max=node["max_val"])


@op("hardsigmoid", "hardswish")
def _hard(node: Node) -> SSAValue:
    g, element = node.g, accumulator(node.element())
    x = node.x("self", element)
    line = g.clip(g.add(x, node.number(3, element)), min=0, max=6)
    line = line if node.op == "hardsigmoid" else g.multiply(x, line)
    return g.divide(line, node.number(6, element))


@op("softplus")
def _softplus(node: Node) -> SSAValue:
    return node.g.nn.softplus(node.x("self"), beta=float(node["beta"]), threshold=float(node["threshold"]))


@op("prelu", "_prelu_kernel")
def _prelu(node: Node) -> SSAValue:
    """Converts a node: one slope for all, or one for each index of dim 1."""
    g, x, weight = node.g, node.x("self"), node.x("weight")
    if node.rank("self") == 0:
        weight = g.reshape(weight, shape=[])
    if node.op == "prelu" and node.rank("weight") == 1 and node.rank("self") > 2:
        weight = g.expand_dims(weight, axis=list(range(1, node.rank("self") - 1)))
    return g.where(g.greater(x, node.number(0)), x, g.multiply(weight, x))


@op("_softmax", "_log_softmax", "softmax.int", "log_softmax.int", "_safe_softmax")
def _softmax(node: Node) -> SSAValue:
    """Converts a node. Of 16-bit floats that become f32 the result is rounded once; a row that is all `-inf` is zeros if it is safe."""
    g, name = node.g, "nn.log_softmax" if "log" in node.op else "nn.softmax"
    x = node.x("self")
    if node.rank("self") == 0:
        return g.op("zeros_like" if "log" in node.op else "ones_like", x)
    axis = node.axis("dim")
    result = g.op(name, x, axis=axis)
    if node.op != "_safe_softmax":
        return result
    lowest = g.max(x, axis=[axis], keepdims=True)
    return g.where(g.equal(lowest, node.number(float("-inf"))), node.number(0), result)


@op("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout")
def _dropout(node: Node) -> SSAValue:
    if node["train"] and float(node["p"]) > 0:
        raise Unsupported(TRAINING)
    return node.x("input")


@op("native_dropout")
def _native_dropout(node: Node) -> Sequence[SSAValue]:
    if node["train"] is not False and float(node["p"]) > 0:
        raise Unsupported(TRAINING)
    x = node.x("input")
    return [x, node.g.ones_like(x, dtype=i1)]


@op("mish")
def _mish(node: Node) -> SSAValue:
    g, element = node.g, accumulator(node.element())
    x = node.x("self", element)
    return g.multiply(x, g.tanh(g.nn.softplus(x)))


@op("log_sigmoid_forward")
def _log_sigmoid(node: Node) -> Sequence[SSAValue]:
    """Converts a node: `min(x, 0) - log(1 + exp(-|x|))`; the buffer is for gradients alone."""
    g, element = node.g, accumulator(node.element())
    x = node.x("self", element)
    result = g.subtract(g.minimum(x, node.number(0, element)), g.nn.softplus(g.negative(g.abs(x))))
    return [result, g.zeros(g.shape(*node.result_dims(1)), dtype=node.element(1))]
