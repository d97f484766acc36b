"""Recurrent layers: a loop over time whose cell is a product with the state and what follows it; the products with the input come first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....builder import BlockBuilder
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.value_types import element_of, sizes_of
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)

MAX_UNROLLED = 4
"""Sequences that are longer become loops."""

Cell = Callable[[BlockBuilder, SSAValue, Sequence[SSAValue]], list[SSAValue]]
"""Returns the next states, the output first, from the product with the input and the states."""


@op("lstm.input")
def _lstm(node: Node) -> Sequence[SSAValue]:
    """Converts a node. The gates are input, forget, cell, output."""

    def make(weights: Sequence[SSAValue], biases: Sequence[SSAValue], projection: SSAValue | None) -> Cell:
        def cell(g: BlockBuilder, product: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
            total = _affine(g, product, states[0], weights[1], biases)
            enter, keep, new, leave = g.split(total, sections=4, axis=1)
            memory = g.add(g.multiply(g.sigmoid(keep), states[1]), g.multiply(g.sigmoid(enter), g.tanh(new)))
            hidden = g.multiply(g.sigmoid(leave), g.tanh(memory))
            return [hidden if projection is None else g.matmul(hidden, projection), memory]

        return cell

    return _layers(node, node.values("hx"), make)


@op("gru.input")
def _gru(node: Node) -> Sequence[SSAValue]:
    """Converts a node. The gates are reset, update, new; the product with the state is reset, not the state."""

    def make(weights: Sequence[SSAValue], biases: Sequence[SSAValue], projection: SSAValue | None) -> Cell:
        def cell(g: BlockBuilder, product: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
            recurrent = g.matmul(states[0], weights[1])
            recurrent = g.add(recurrent, biases[1]) if biases else recurrent
            (reset, update, new), (own_reset, own_update, own_new) = (
                g.split(item, sections=3, axis=1) for item in (product, recurrent)
            )
            reset, update = g.sigmoid(g.add(reset, own_reset)), g.sigmoid(g.add(update, own_update))
            new = g.tanh(g.add(new, g.multiply(reset, own_new)))
            return [g.add(new, g.multiply(update, g.subtract(states[0], new)))]

        return cell

    return _layers(node, [node.value("hx")], make)


@op("rnn_tanh.input", "rnn_relu.input")
def _rnn(node: Node) -> Sequence[SSAValue]:
    def make(weights: Sequence[SSAValue], biases: Sequence[SSAValue], projection: SSAValue | None) -> Cell:
        def cell(g: BlockBuilder, product: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
            total = _affine(g, product, states[0], weights[1], biases)
            return [g.tanh(total) if node.op == "rnn_tanh" else g.nn.relu(total)]

        return cell

    return _layers(node, [node.value("hx")], make)


def _affine(
    g: BlockBuilder, product: SSAValue, state: SSAValue, weight: SSAValue, biases: Sequence[SSAValue]
) -> SSAValue:
    total = g.add(product, g.matmul(state, weight))
    return g.add(total, biases[1]) if biases else total


def _layers(node: Node, states: Sequence[SSAValue], make: Callable[..., Cell]) -> Sequence[SSAValue]:
    """Returns the outputs of the last layer and the last states of all: of each layer one direction after the other."""
    if node["train"] and float(node["dropout"]) > 0:
        raise Unsupported("drops at random: export the module after eval()")
    g, x = node.g, node.value("input")
    batched, first = len(sizes_of(x)) == 3, bool(node["batch_first"])
    if not batched:
        x = g.expand_dims(x, axis=[1])
        states = [g.expand_dims(state, axis=[1]) for state in states]
    elif first:
        x = g.permute_dims(x, axes=[1, 0, 2])
    params, layers = node.values("params"), node.int("num_layers")
    directions = 2 if node["bidirectional"] else 1
    each = len(params) // (layers * directions)
    finals: list[list[SSAValue]] = [[] for _ in states]
    for layer in range(layers):
        outputs: list[SSAValue] = []
        for direction in range(directions):
            index = layer * directions + direction
            weights, biases, projection = _weights(node, params[index * each : (index + 1) * each])
            initial = [_part(g, state, index) for state in states]
            cell = make(weights, biases, projection)
            every, last = _run(node, x, weights[0], biases, initial, cell, direction == 1)
            outputs.append(every)
            for collected, value in zip(finals, last, strict=True):
                collected.append(value)
        x = g.concat(*outputs, axis=2) if directions > 1 else outputs[0]
    results = [g.stack(*collected, axis=0) for collected in finals]
    if not batched:
        return [g.squeeze(item, axis=[1]) for item in (x, *results)]
    return [g.permute_dims(x, axes=[1, 0, 2]) if first else x, *results]


def _part(g: BlockBuilder, state: SSAValue, index: int) -> SSAValue:
    return g.squeeze(g.strided_slice(state, axes=[0], begin=[index], end=[index + 1]), axis=[0])


def _weights(node: Node, params: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue], SSAValue | None]:
    """Returns the transposed weights of the input and the state, both biases if there are any, and the transposed projection."""
    count = 4 if node["has_biases"] else 2
    turned = [node.g.permute_dims(item, axes=[1, 0]) for item in (*params[:2], *params[count:])]
    return turned[:2], list(params[2:count]), turned[2] if len(turned) > 2 else None


def _run(
    node: Node,
    x: SSAValue,
    weight: SSAValue,
    biases: Sequence[SSAValue],
    states: Sequence[SSAValue],
    cell: Cell,
    backwards: bool,
) -> tuple[SSAValue, Sequence[SSAValue]]:
    """Returns the outputs of all times `[time, batch, hidden]`, and the last states."""
    g = node.g
    time: Known = sizes_of(x)[0]
    products = g.matmul(x, weight)
    products = g.add(products, biases[0]) if biases else products
    products = g.flip(products, axis=0) if backwards else products
    if isinstance(time, int) and time <= MAX_UNROLLED:
        every: list[SSAValue] = []
        for index in range(time):
            states = cell(g, _part(g, products, index), states)
            every.append(states[0])
        outputs = g.stack(*every, axis=0)
    else:
        buffer = g.zeros(g.shape(time, *sizes_of(states[0])), dtype=element_of(x))
        limit = g.symbol_value(g.shape(time))

        def step(inner: BlockBuilder, number: SSAValue, filled: SSAValue, *current: SSAValue) -> Any:
            following = cell(inner, inner.take(products, number, axis=0), current)
            row = inner.expand_dims(following[0], axis=[0])
            written = inner.scatter_nd(filled, inner.reshape(number, [1, 1]), row)
            return [inner.add(number, inner.constant(1, i64)), written, *following]

        _, outputs, *states = g.while_(
            [g.constant(0, i64), buffer, *states],
            lambda inner, number, *_: inner.less(number, limit),
            step,
        )
    return g.flip(outputs, axis=0) if backwards else outputs, states
