"""`If`, `Loop` and `Scan`: taken or unrolled where the import knows the way, else `scf`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from onnx import GraphProto
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, SSAValue

from ....builder import BlockBuilder
from ....dialects.symbolic.expressions import product
from ...model.problems import Unsupported
from ...model.sizes import dims_in, size_array
from ...model.value_types import normalized
from ..node import Node
from ..table import Table, converters
from ..values import Failed, Tensor, Value
from .drafts import Draft, drafted, joined_type, origin_of, with_type
from .while_loop import Body, while_loop

TABLE: Table = {}
op = converters(TABLE)

MAX_UNROLLED = 32
"""Loops of more iterations stay loops."""


@op("If")
def _if(node: Node) -> Sequence[Value]:
    then, otherwise = node.attributes["then_branch"], node.attributes["else_branch"]
    for name, branch in (("then_branch", then), ("else_branch", otherwise)):
        if len(branch.output) != node.outputs:
            raise Unsupported(f"the node has {node.outputs} results, its {name} has {len(branch.output)}")
    if node.is_known(0):
        taken = then if node.number(0, False) else otherwise
        return _checked(node.importer.run_graph(taken, ()))
    return _branches(node, then, otherwise)


def _checked(outputs: Sequence[Value]) -> Sequence[Value]:
    """Returns the outputs of a subgraph; what failed inside has been noted there."""
    failed = [item for item in outputs if isinstance(item, Failed)]
    if failed:
        raise Unsupported(failed[0].reason)
    return outputs


def _branches(node: Node, then: GraphProto, otherwise: GraphProto) -> Sequence[Value]:
    """Converts a node. Both branches yield tensors of the same types: a size that differs is known when the program runs."""
    outer = frozenset(node.importer.symbols)
    kinds: list[int] = []

    def writer(graph: GraphProto) -> Callable[[Sequence[SSAValue]], list[SSAValue]]:
        def write(_: Sequence[SSAValue]) -> list[SSAValue]:
            outputs = _checked(node.importer.run_graph(graph, ()))
            tensors = [item for item in outputs if isinstance(item, Tensor)]
            if len(tensors) != len(outputs):
                raise Unsupported("a branch that depends on values yields tensors alone", origin_of(node.tensor(0)))
            kinds[:] = [item.kind for item in tensors]
            return [node.importer.materialized(item) for item in tensors]

        return write

    drafts = [drafted(node, writer(graph)) for graph in (then, otherwise)]
    types = [joined_type(a.type, b.type, outer) for a, b in zip(drafts[0].values, drafts[1].values, strict=True)]

    def branch(draft: Draft) -> Callable[[BlockBuilder], list[SSAValue]]:
        def write(g: BlockBuilder) -> list[SSAValue]:
            draft.enter(g)
            return [with_type(g, value, wanted) for value, wanted in zip(draft.values, types, strict=True)]

        return write

    condition = node.x(0) if node.rank(0) == 0 else node.g.reshape(node.x(0), [])
    results = node.g.if_(condition, branch(drafts[0]), branch(drafts[1]))
    listed = results if isinstance(results, tuple) else [results]
    return [Tensor(value=value, kind=kind) for value, kind in zip(listed, kinds, strict=True)]


# Loops


@op("Loop")
def _loop(node: Node) -> Sequence[Value]:
    graph = node.attributes["body"]
    carried = [node.any(index) for index in range(2, len(node.inputs))]

    def body(number: Tensor, values: Sequence[Value]) -> tuple[Value | None, list[Value], list[Value]]:
        condition = Tensor(known=np.array(True))
        outputs = _checked(node.importer.run_graph(graph, [number, condition, *values]))
        return outputs[0], list(outputs[1 : 1 + len(values)]), list(outputs[1 + len(values) :])

    limit = node.tensor(0) if node.has(0) else None
    first = node.tensor(1) if node.has(1) else None
    return iterated(node, limit, first, carried, body, node.outputs - len(carried))


def iterated(
    node: Node,
    limit: Tensor | None,
    first: Tensor | None,
    carried: Sequence[Value],
    body: Body,
    scans: int,
    most_unrolled: int = MAX_UNROLLED,
) -> Sequence[Value]:
    """Returns the last carried values and what is collected, `scans` of them: unrolled if the number of iterations is known and small."""
    # Invariant: what is unrolled has the iterations that the loop would have, whatever the values are.
    for item in (limit, first):
        if item is not None and product(item.shape) != 1:
            raise Unsupported(f"takes one number of iterations and one condition, got a tensor of {list(item.shape)}")
    number = dims_in(limit.known)[0] if limit is not None and limit.is_known else None
    starts = bool(first.known.reshape(-1)[0]) if first is not None and first.is_known else first is None
    if (first is not None and first.is_known and not starts) or (isinstance(number, int) and number < 0):
        number = 0
    holds_lists = any(not isinstance(item, Tensor) for item in carried)
    may_unroll = isinstance(number, int) and (number <= most_unrolled or holds_lists) and starts | (number == 0)
    if number == 0:
        limit = Tensor(known=np.array(0, np.int64))
    # The shape of what no iteration collects is that of what the loop would collect.
    if may_unroll and isinstance(number, int) and (number > 0 or not scans):
        outputs = _unrolled(node, number, carried, body, scans)
        if outputs is not None:
            return outputs
    if holds_lists:
        raise Unsupported("carries a sequence, so the number of iterations must be known", origin_of(limit, first))
    return while_loop(node, limit, first, [item for item in carried if isinstance(item, Tensor)], body, scans)


def _unrolled(node: Node, count: int, carried: Sequence[Value], body: Body, scans: int) -> Sequence[Value] | None:
    """Returns the outputs of all iterations one after the other; `None` if whether there is another one depends on values."""
    block = Block()
    collected: list[list[Value]] = []
    values = list(carried)
    with node.importer.inserting(node.g.inner(block)):
        for number in range(count):
            condition, values, items = body(Tensor(known=np.array(number, np.int64)), values)
            collected.append(items)
            if condition is None:
                continue
            if not isinstance(condition, Tensor) or not condition.is_known:
                return None
            if not condition.known.reshape(-1)[0]:
                break
    # The ops follow those around them: the scratch block was there to be dropped.
    Draft(block, []).enter(node.g)
    return [*values, *(_stacked(node, items) for items in zip(*collected, strict=True))]


def _stacked(node: Node, items: Sequence[Value]) -> Value:
    tensors = [item for item in items if isinstance(item, Tensor)]
    if len(tensors) != len(items):
        raise Unsupported("collects tensors alone")
    if all(item.is_known and item.weight is None for item in tensors):
        arrays = [item.known for item in tensors]
        if all(array.dtype != object for array in arrays):
            return Tensor(known=np.stack(arrays), kind=tensors[0].kind)
    values = [node.importer.materialized(item) for item in tensors]
    return Tensor(value=node.g.stack(*values, axis=0), kind=tensors[0].kind)


@op("Scan")
def _scan(node: Node) -> Sequence[Value]:
    """Converts a node. The state goes through, the scanned inputs are read and the collected outputs are stacked along their axes."""
    if node.since < 9:
        return _scan_8(node)
    scanned = int(node.attr("num_scan_inputs", 1))
    graph = node.attributes["body"]
    if not 0 < scanned <= len(node.inputs):
        raise Unsupported(f"num_scan_inputs must be 1 to {len(node.inputs)}, got {scanned}")
    states = len(node.inputs) - scanned
    sequences = [node.tensor(states + index) for index in range(scanned)]
    ranks = [len(item.shape) for item in sequences]
    axes = [normalized(axis, rank) for axis, rank in zip(_each(node, "scan_input_axes", scanned), ranks, strict=True)]
    backwards = _each(node, "scan_input_directions", scanned)
    size = sequences[0].shape[axes[0]]
    sources = [node.importer.materialized(item) for item in sequences]
    sources = [
        node.g.flip(value, axis=axis) if way else value
        for value, axis, way in zip(sources, axes, backwards, strict=True)
    ]

    def body(number: Tensor, values: Sequence[Value]) -> tuple[Value | None, list[Value], list[Value]]:
        place = node.importer.materialized(number)
        items = [
            Tensor(value=node.g.take(value, place, axis=axis), kind=item.kind)
            for value, axis, item in zip(sources, axes, sequences, strict=True)
        ]
        outputs = _checked(node.importer.run_graph(graph, [*values, *items]))
        return None, list(outputs[:states]), list(outputs[states:])

    limit = Tensor(known=size_array([size], ()))
    results = list(
        iterated(node, limit, None, [node.any(index) for index in range(states)], body, node.outputs - states)
    )
    collected = results[states:]
    out_axes = _each(node, "scan_output_axes", len(collected))
    out_backwards = _each(node, "scan_output_directions", len(collected))
    moved = [
        _placed(node, value, axis, bool(way))
        for value, axis, way in zip(collected, out_axes, out_backwards, strict=True)
    ]
    return [*results[:states], *moved]


def _each(node: Node, name: str, count: int) -> list[int]:
    """Returns an attribute with one integer for each tensor that is scanned or collected."""
    given = [int(item) for item in node.attr(name, [0] * count)]
    if len(given) != count:
        raise Unsupported(f"{name} must have {count} entries, got {len(given)}")
    return given


def _placed(node: Node, value: Value, axis: int, backwards: bool) -> Value:
    """Returns what was collected along dim 0 with that dim at an axis, reversed if it is filled from the end."""
    assert isinstance(value, Tensor)
    rank = len(value.shape)
    place = normalized(axis, rank)
    if place == 0 and not backwards:
        return value
    result = node.importer.materialized(value)
    result = node.g.flip(result, axis=0) if backwards else result
    order = [*range(1, place + 1), 0, *range(place + 1, rank)]
    return Tensor(value=node.g.permute_dims(result, axes=order) if place else result, kind=value.kind)


def _scan_8(node: Node) -> Sequence[Value]:
    """Returns the outputs of version 8, whose operands have a batch dim: one scan for each item of the batch."""
    if node.has(0):
        raise Unsupported("sequences of several lengths have no counterpart")
    g, graph, scanned = node.g, node.attributes["body"], int(node.attr("num_scan_inputs", 1))
    operands = [node.tensor(index) for index in range(1, len(node.inputs))]
    if not 0 < scanned <= len(operands):
        raise Unsupported(f"num_scan_inputs must be 1 to {len(operands)}, got {scanned}")
    states = len(operands) - scanned
    batch, time = operands[-1].shape[:2]
    if not isinstance(batch, int):
        raise Unsupported(f"the size of the batch must be known, got {batch}")
    backwards = _each(node, "directions", scanned)
    every: list[Sequence[Value]] = []
    for number in range(batch):
        place = g.constant(number, i64)
        items = [
            Tensor(value=g.take(node.importer.materialized(item), place, axis=0), kind=item.kind) for item in operands
        ]
        sources = [node.importer.materialized(item) for item in items[states:]]
        sources = [g.flip(value, axis=0) if way else value for value, way in zip(sources, backwards, strict=True)]

        def body(
            number: Tensor, values: Sequence[Value], sources: Sequence[SSAValue] = sources
        ) -> tuple[Value | None, list[Value], list[Value]]:
            place = node.importer.materialized(number)
            read = [Tensor(value=node.g.take(value, place, axis=0)) for value in sources]
            outputs = _checked(node.importer.run_graph(graph, [*values, *read]))
            return None, list(outputs[:states]), list(outputs[states:])

        limit = Tensor(known=size_array([time], ()))
        every.append(iterated(node, limit, None, items[:states], body, node.outputs - states))
    return [_stacked(node, values) for values in zip(*every, strict=True)]
