"""Tensors from nothing but a shape or bounds."""

from __future__ import annotations

import math
from typing import Any

from xdsl.dialects.builtin import f64, i64
from xdsl.ir import Attribute, SSAValue

from ....dialects.relax.dtypes import is_float
from ....dialects.symbolic.nodes import Apply, Symbol
from ...model.problems import Unsupported
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)


@op("full", "full_like", "new_full", "fill.Scalar", "fill.Tensor")
def _full(node: Node) -> SSAValue:
    value = "fill_value" if "fill_value" in node.arguments else "value"
    return _filled(node, node[value])


def _filled(node: Node, value: Any) -> SSAValue:
    """Returns a tensor of the result's shape with one number everywhere."""
    return node.g.full(node.g.shape(*node.result_dims()), node.operand(value, node.element()))


@op(
    "zeros",
    "zeros_like",
    "new_zeros",
    "empty.memory_format",
    "empty_strided",
    "empty_like",
    "new_empty",
    "new_empty_strided",
)
def _zeros(node: Node) -> SSAValue:
    """Converts a node. What is empty holds zeros: any number would do."""
    return _filled(node, 0)


@op("ones", "ones_like", "new_ones")
def _ones(node: Node) -> SSAValue:
    return _filled(node, 1)


@op("scalar_tensor")
def _scalar_tensor(node: Node) -> SSAValue:
    return node.x("s")


@op("empty_permuted")
def _empty_permuted(node: Node) -> SSAValue:
    return _filled(node, 0)


@op("arange", "arange.start", "arange.start_step")
def _arange(node: Node) -> SSAValue:
    """Converts a node. Floats are counted first, each is then a multiple of the step, as torch has them."""
    g, element = node.g, node.element()
    start = node["start"] if "start" in node.arguments else 0
    end = node["end"]
    step = node["step"] if "step" in node.arguments else 1
    if all(isinstance(item, int | Symbol | Apply) for item in (start, end, step)):
        if not isinstance(step, int):
            raise Unsupported(f"the step must be a number, got {step}")
        return _integers(node, start, end, step, element)
    if not all(isinstance(item, int | float) for item in (start, end, step)):
        raise Unsupported("bounds that are floats of sizes have no counterpart")
    count = max(math.ceil((end - start) / step), 0)
    places = g.arange(start=0, end=count, dtype=f64 if is_float(element) else i64)
    if not is_float(element):
        return g.add(g.multiply(places, g.constant(int(step), i64)), g.constant(int(start), i64))
    return g.add(g.multiply(places, g.constant(float(step), f64)), g.constant(float(start), f64))


def _integers(node: Node, start: Any, end: Any, step: int, element: Attribute) -> SSAValue:
    g = node.g
    wide = i64 if not is_float(element) else element
    if isinstance(start, int) and isinstance(end, int):
        if (end - start) * step <= 0:
            return g.zeros(g.shape(0), dtype=element)
        return g.arange(start=start, end=end, step=step, dtype=wide)
    return g.arange([start, end, step], dtype=wide)


@op("linspace")
def _linspace(node: Node) -> SSAValue:
    """Converts a node: counted from the nearer end, so that both ends are exact."""
    g, steps = node.g, node.int("steps")
    start, end = node["start"], node["end"]
    if not isinstance(start, int | float) or not isinstance(end, int | float):
        raise Unsupported("bounds that depend on data have no counterpart")
    places = g.arange(start=0, end=steps, dtype=f64) if steps else g.zeros(g.shape(0), dtype=f64)
    step = (float(end) - float(start)) / (steps - 1) if steps > 1 else 0.0
    low = g.add(g.multiply(places, g.constant(step, f64)), g.constant(float(start), f64))
    rest = g.subtract(g.constant(float(steps - 1), f64), places)
    high = g.subtract(g.constant(float(end), f64), g.multiply(rest, g.constant(step, f64)))
    return g.where(g.less(places, g.constant(steps / 2, f64)), low, high) if steps > 1 else low


@op("eye", "eye.m")
def _eye(node: Node) -> SSAValue:
    return node.g.eye(node.g.shape(*node.result_dims()), dtype=node.element())


RANDOM = (
    "rand",
    "randn",
    "randint",
    "randint.low",
    "randperm",
    "rand_like",
    "randn_like",
    "randint_like",
    "randint_like.low_dtype",
    "bernoulli",
    "bernoulli.p",
    "multinomial",
    "normal.float_float",
    "normal.Tensor_float",
    "normal.float_Tensor",
    "normal.Tensor_Tensor",
    "normal_functional",
    "uniform",
    "exponential",
    "cauchy",
    "geometric",
    "log_normal",
    "poisson",
    "rrelu_with_noise_functional",
    "_fused_dropout",
)


@op(*RANDOM)
def _random(node: Node) -> SSAValue:
    raise Unsupported("draws random numbers: results are a function of the arguments")
