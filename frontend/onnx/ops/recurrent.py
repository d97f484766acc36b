"""Recurrent layers: a loop over time whose cell is a product with the state and what follows it; the products with the input come first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.sizes import number_of, size_array
from ..node import Node
from ..table import Table, converters, exactly
from ..values import Tensor, Value
from .control_flow import iterated

TABLE: Table = {}
op = converters(TABLE)

MAX_UNROLLED = 4
"""Sequences that are longer become loops."""

Function = Callable[[Node, SSAValue, float, float], SSAValue]


def _affine(node: Node, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    return node.g.add(node.g.multiply(x, node.constant(alpha)), node.constant(beta))


def _scaled_tanh(node: Node, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    return node.g.multiply(node.g.tanh(node.g.multiply(x, node.constant(beta))), node.constant(alpha))


def _hard_sigmoid(node: Node, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    return node.g.clip(_affine(node, x, alpha, beta), min=0.0, max=1.0)


def _elu(node: Node, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    g = node.g
    low = g.multiply(g.subtract(g.exp(g.minimum(x, node.constant(0))), node.constant(1)), node.constant(alpha))
    return g.where(g.greater(x, node.constant(0)), x, low)


ACTIVATIONS: dict[str, tuple[Function, float, float]] = {
    "relu": (lambda node, x, a, b: node.g.nn.relu(x), 0, 0),
    "tanh": (lambda node, x, a, b: node.g.tanh(x), 0, 0),
    "sigmoid": (lambda node, x, a, b: node.g.sigmoid(x), 0, 0),
    "affine": (_affine, 1, 0),
    "leakyrelu": (lambda node, x, a, b: node.g.nn.leakyrelu(x, alpha=a), 0.01, 0),
    "thresholdedrelu": (
        lambda node, x, a, b: node.g.where(node.g.greater(x, node.constant(a)), x, node.constant(0)),
        1,
        0,
    ),
    "scaledtanh": (_scaled_tanh, 1, 1),
    "hardsigmoid": (_hard_sigmoid, 0.2, 0.5),
    "elu": (_elu, 1, 0),
    "softsign": (lambda node, x, a, b: node.g.divide(x, node.g.add(node.g.abs(x), node.constant(1))), 0, 0),
    "softplus": (lambda node, x, a, b: node.g.nn.softplus(x), 0, 0),
}
"""The functions that a layer may name, with their default `alpha` and `beta`."""

RANKS = {0: exactly(3), 1: exactly(3), 2: exactly(3), 3: exactly(2), 4: exactly(1)}
"""The numbers of dims of what every layer takes."""

Cell = Callable[["Direction", SSAValue, Sequence[SSAValue]], list[SSAValue]]
"""Returns the next states from the products with the input `[batch, gates * hidden]` and the states."""


@dataclass
class Layer:
    """What a node says of all directions."""

    node: Node
    gates: int
    names: Sequence[str]
    """The functions of a direction, where the node names none."""

    def __post_init__(self) -> None:
        node = self.node
        self.batch_first = bool(node.attr("layout", 0))
        direction = node.attr("direction", "forward")
        if direction not in ("forward", "reverse", "bidirectional"):
            raise Unsupported(f"the direction {direction!r} is not known")
        self.backwards = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
        self.hidden = int(node.attr("hidden_size", 0) or number_of(node.shape(2)[2], "size of the hidden state"))
        self.clip = float(node.attr("clip", 0.0))

    def part(self, index: int, direction: int) -> SSAValue | None:
        """Returns what an operand has for one direction, `None` if it is left out."""
        node, g = self.node, self.node.g
        if not node.has(index):
            return None
        value = node.x(index)
        return g.squeeze(g.strided_slice(value, axes=[0], begin=[direction], end=[direction + 1]), axis=[0])

    def functions(self, direction: int) -> list[Callable[[SSAValue], SSAValue]]:
        """Returns the functions of a direction; numbers are given in the order of the functions that take them."""
        node, count = self.node, len(self.names)
        named = [name.lower() for name in node.attr("activations", list(self.names) * len(self.backwards))]
        alphas, betas = list(node.attr("activation_alpha", [])), list(node.attr("activation_beta", []))
        expected = count * len(self.backwards)
        if len(named) != expected:
            raise Unsupported(f"takes {expected} activations, got {len(named)}")
        made: list[Callable[[SSAValue], SSAValue]] = []
        for position, name in enumerate(named):
            if name not in ACTIVATIONS:
                raise Unsupported(f"the activation {name!r} is not known")
            function, alpha, beta = ACTIVATIONS[name]
            alpha = alphas.pop(0) if alphas and alpha else alpha
            beta = betas.pop(0) if betas and (beta or name == "affine") else beta
            if position // count == direction:
                made.append(lambda x, f=function, a=alpha, b=beta: f(node, self.clipped(x), a, b))
        return made

    def clipped(self, x: SSAValue) -> SSAValue:
        """Returns the argument of a function within the limit that the node sets."""
        return self.node.g.clip(x, min=-self.clip, max=self.clip) if self.clip else x


class Direction:
    """One direction of a layer: its weights, and the loop."""

    def __init__(self, layer: Layer, index: int):
        self.layer, self.node, self.index = layer, layer.node, index
        g, hidden = layer.node.g, layer.hidden
        self.functions = layer.functions(index)
        weight, recurrent = layer.part(1, index), layer.part(2, index)
        assert weight is not None and recurrent is not None
        self.weight, self.recurrent = (g.permute_dims(item, axes=[1, 0]) for item in (weight, recurrent))
        bias = layer.part(3, index)
        width = layer.gates * hidden
        self.bias = None if bias is None else g.split(bias, indices=[width], axis=0)

    def gates(self, value: SSAValue, count: int) -> list[SSAValue]:
        """Returns the parts of a product, one a gate."""
        return list(self.node.g.split(value, sections=count, axis=1)) if count > 1 else [value]

    def run(self, cell: Cell, states: Sequence[SSAValue]) -> tuple[SSAValue, list[SSAValue]]:
        """Returns the hidden states of all times `[time, batch, hidden]`, and the last states."""
        node, g, layer = self.node, self.node.g, self.layer
        x = node.x(0)
        x = g.permute_dims(x, axes=[1, 0, 2]) if layer.batch_first else x
        time = node.shape(0)[1 if layer.batch_first else 0]
        backwards = layer.backwards[self.index]
        lengths = node.cast(node.x(4), i64) if node.has(4) else None
        products = g.matmul(x, self.weight)
        products = g.add(products, self.bias[0]) if self.bias is not None else products
        products = g.flip(products, axis=0) if backwards else products
        kind = node.kind(0)

        def body(number: Tensor, values: Sequence[Value]) -> tuple[Value | None, list[Value], list[Value]]:
            place = node.importer.materialized(number)
            current = [node.importer.materialized(item) for item in values if isinstance(item, Tensor)]
            following = cell(self, node.g.take(products, place, axis=0), current)
            output = following[0]
            if lengths is not None:
                following, output = self._kept(place, time, lengths, current, following)
            tensors = [Tensor(value=item, kind=kind) for item in following]
            return None, [*tensors], [Tensor(value=output, kind=kind)]

        limit = Tensor(known=size_array([time], ()))
        carried = [Tensor(value=item, kind=kind) for item in states]
        results = iterated(node, limit, None, carried, body, 1, MAX_UNROLLED)
        values = [node.importer.materialized(item) for item in results if isinstance(item, Tensor)]
        outputs = g.flip(values[-1], axis=0) if backwards else values[-1]
        return outputs, values[:-1]

    def _kept(
        self,
        place: SSAValue,
        time: Known,
        lengths: SSAValue,
        current: Sequence[SSAValue],
        following: Sequence[SSAValue],
    ) -> tuple[list[SSAValue], SSAValue]:
        """Returns states that stay as they are beyond the length of a sequence, and outputs that are 0 there."""
        g = self.node.g
        if self.layer.backwards[self.index]:
            last = g.subtract(g.symbol_value(g.shape(time)), g.constant(1, i64))
            place = g.subtract(last, place)
        active = g.expand_dims(g.less(place, lengths), axis=[1])
        states = [g.where(active, new, old) for new, old in zip(following, current, strict=True)]
        return states, g.where(active, following[0], g.zeros_like(following[0]))


def _layer(node: Node, gates: int, names: Sequence[str], cell: Cell, states: Sequence[int]) -> Sequence[SSAValue]:
    """Returns the outputs of a layer: all hidden states, then the last states, from the operands with the initial ones."""
    g, layer = node.g, Layer(node, gates, names)
    batch = node.shape(0)[0 if layer.batch_first else 1]
    outputs: list[SSAValue] = []
    finals: list[list[SSAValue]] = [[] for _ in states]
    for index in range(len(layer.backwards)):
        initial: list[SSAValue] = []
        for operand in states:
            if not node.has(operand):
                initial.append(g.zeros(g.shape(batch, layer.hidden), dtype=node.element(0)))
                continue
            value = node.x(operand)
            axis = 1 if layer.batch_first else 0
            initial.append(g.squeeze(g.strided_slice(value, axes=[axis], begin=[index], end=[index + 1]), axis=[axis]))
        every, last = Direction(layer, index).run(cell, initial)
        outputs.append(every)
        for collected, value in zip(finals, last, strict=True):
            collected.append(value)
    axis = 1 if layer.batch_first else 0
    every = g.stack(*outputs, axis=1)
    every = g.permute_dims(every, axes=[2, 0, 1, 3]) if layer.batch_first else every
    return [every, *(g.stack(*collected, axis=axis) for collected in finals)]


@op("RNN", ranks=RANKS)
def _rnn(node: Node) -> Sequence[SSAValue]:
    def cell(way: Direction, product: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
        g = node.g
        total = g.add(product, g.matmul(states[0], way.recurrent))
        total = total if way.bias is None else g.add(total, way.bias[1])
        return [way.functions[0](total)]

    return _layer(node, 1, ["tanh"], cell, [5])


@op("GRU", ranks=RANKS)
def _gru(node: Node) -> Sequence[SSAValue]:
    """Converts a node. The gates are update, reset, hidden; `linear_before_reset` takes the product before the reset."""
    before = bool(node.attr("linear_before_reset", 0))

    def cell(way: Direction, product: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
        g, (state,) = node.g, states
        width = 2 * way.layer.hidden
        inputs = g.split(product, indices=[width], axis=1)
        recurrent = g.split(way.recurrent, indices=[width], axis=1)
        bias = None if way.bias is None else g.split(way.bias[1], indices=[width], axis=0)
        total = g.add(inputs[0], g.matmul(state, recurrent[0]))
        total = total if bias is None else g.add(total, bias[0])
        update, reset = (way.functions[0](item) for item in way.gates(total, 2))
        if before:
            candidate = g.matmul(state, recurrent[1])
            candidate = candidate if bias is None else g.add(candidate, bias[1])
            candidate = g.multiply(reset, candidate)
        else:
            candidate = g.matmul(g.multiply(reset, state), recurrent[1])
            candidate = candidate if bias is None else g.add(candidate, bias[1])
        hidden = way.functions[1](g.add(inputs[1], candidate))
        kept = g.multiply(update, state)
        return [g.add(g.multiply(g.subtract(node.constant(1), update), hidden), kept)]

    return _layer(node, 3, ["sigmoid", "tanh"], cell, [5])


@op("LSTM", ranks=RANKS)
def _lstm(node: Node) -> Sequence[SSAValue]:
    """Converts a node. The gates are input, output, forget, cell; peepholes let the gates see the cell."""
    couples = bool(node.attr("input_forget", 0))

    def cell(way: Direction, product: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
        g, (state, memory) = node.g, states
        total = g.add(product, g.matmul(state, way.recurrent))
        total = total if way.bias is None else g.add(total, way.bias[1])
        enter, leave, keep, new = way.gates(total, 4)
        peepholes = way.layer.part(7, way.index)
        parts = None if peepholes is None else g.split(peepholes, sections=3, axis=0)
        if parts is not None:
            enter = g.add(enter, g.multiply(parts[0], memory))
            keep = g.add(keep, g.multiply(parts[2], memory))
        enter = way.functions[0](enter)
        keep = g.subtract(node.constant(1), enter) if couples else way.functions[0](keep)
        memory = g.add(g.multiply(keep, memory), g.multiply(enter, way.functions[1](new)))
        if parts is not None:
            leave = g.add(leave, g.multiply(parts[1], memory))
        return [g.multiply(way.functions[0](leave), way.functions[2](memory)), memory]

    return _layer(node, 4, ["sigmoid", "tanh", "tanh"], cell, [5, 6])
