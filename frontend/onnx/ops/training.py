"""Steps of optimizers (`ai.onnx.preview.training`), as functions of weights, gradients and state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ...model.problems import Unsupported
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE, "ai.onnx.preview.training")

Step = Callable[[SSAValue, SSAValue, Sequence[SSAValue]], list[SSAValue]]
"""Returns the new weight and the new state from a weight, its gradient and its state."""


def _stepped(node: Node, states: int, step: Step) -> Sequence[SSAValue]:
    """Returns all new weights, then each kind of new state; operands are the rate, the time, and these lists."""
    g = node.g
    count = (len(node.inputs) - 2) // (2 + states)
    results: list[list[SSAValue]] = []
    for index in range(count):
        weight, gradient, *state = (node.x(2 + part * count + index) for part in range(2 + states))
        decay = g.multiply(weight, _number(node, "norm_coefficient", 0.0, 2 + index))
        results.append(step(weight, g.add(gradient, decay), state))
    return [value for column in zip(*results, strict=True) for value in column]


def _number(node: Node, name: str, default: float, like: int) -> SSAValue:
    return node.g.constant(float(node.attr(name, default)), node.element(like))


def _rate(node: Node) -> SSAValue:
    return node.cast(node.g.reshape(node.x(0), []), node.element(2))


def _has_begun(node: Node) -> SSAValue:
    return node.g.greater(node.g.reshape(node.x(1), []), node.g.constant(0, i64))


def _time(node: Node) -> SSAValue:
    return node.cast(node.g.reshape(node.x(1), []), node.element(2))


@op("Adagrad")
def _adagrad(node: Node) -> Sequence[SSAValue]:
    g = node.g
    slowed = g.add(g.multiply(_time(node), _number(node, "decay_factor", 0.0, 2)), node.g.constant(1, node.element(2)))
    rate = g.divide(_rate(node), slowed)

    def step(weight: SSAValue, gradient: SSAValue, state: Sequence[SSAValue]) -> list[SSAValue]:
        squares = g.add(state[0], g.square(gradient))
        scale = g.add(g.sqrt(squares), _number(node, "epsilon", 1e-6, 2))
        return [g.subtract(weight, g.divide(g.multiply(rate, gradient), scale)), squares]

    return _stepped(node, 1, step)


@op("Adam")
def _adam(node: Node) -> Sequence[SSAValue]:
    g = node.g
    unit = g.constant(1, node.element(2))
    alpha, beta = _number(node, "alpha", 0.9, 2), _number(node, "beta", 0.999, 2)
    left = g.sqrt(g.subtract(unit, g.power(beta, _time(node))))
    adjusted = g.divide(g.multiply(_rate(node), left), g.subtract(unit, g.power(alpha, _time(node))))
    rate = g.where(_has_begun(node), adjusted, _rate(node))

    def step(weight: SSAValue, gradient: SSAValue, state: Sequence[SSAValue]) -> list[SSAValue]:
        mean = g.add(g.multiply(alpha, state[0]), g.multiply(g.subtract(unit, alpha), gradient))
        squares = g.add(g.multiply(beta, state[1]), g.multiply(g.subtract(unit, beta), g.square(gradient)))
        scale = g.add(g.sqrt(squares), _number(node, "epsilon", 1e-6, 2))
        moved = g.subtract(weight, g.divide(g.multiply(rate, mean), scale))
        kept = g.subtract(unit, _number(node, "norm_coefficient_post", 0.0, 2))
        return [g.multiply(kept, moved), mean, squares]

    return _stepped(node, 2, step)


@op("Momentum")
def _momentum(node: Node) -> Sequence[SSAValue]:
    g, mode = node.g, node.attr("mode", "standard")
    if mode not in ("standard", "nesterov"):
        raise Unsupported(f"the mode {mode!r} is not known")
    alpha = _number(node, "alpha", 0.9, 2)
    beta = g.where(_has_begun(node), _number(node, "beta", 1.0, 2), g.constant(1, node.element(2)))

    def step(weight: SSAValue, gradient: SSAValue, state: Sequence[SSAValue]) -> list[SSAValue]:
        speed = g.add(g.multiply(alpha, state[0]), g.multiply(beta, gradient))
        way = g.add(gradient, g.multiply(alpha, speed)) if mode == "nesterov" else speed
        return [g.subtract(weight, g.multiply(_rate(node), way)), speed]

    return _stepped(node, 1, step)
