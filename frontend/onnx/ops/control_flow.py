"""`If`, `Loop` and `Scan`: taken or unrolled where the import knows the way, else `scf`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import GraphProto
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, SSAValue

from ....builder import BlockBuilder
from ....dialects.relax.attrs import dims_of, element_type_of, tensor_type
from ....dialects.symbolic.expressions import Dim, equal, symbols
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.sizes import dims_in, size_array
from ..node import Node, normalized
from ..table import Table, converters
from ..values import Failed, Tensor, Value

TABLE: Table = {}
op = converters(TABLE)

MAX_UNROLLED = 32
"""Loops of more iterations stay loops."""


@op("If")
def _if(node: Node) -> Sequence[Value]:
    then, otherwise = node.attributes["then_branch"], node.attributes["else_branch"]
    if node.is_known(0):
        taken = then if bool(node.known(0).reshape(-1)[0]) else otherwise
        return _checked(node.importer.run_graph(taken, ()))
    return _branches(node, then, otherwise)


def _checked(outputs: Sequence[Value]) -> Sequence[Value]:
    """Returns the outputs of a subgraph; what failed inside has been noted there."""
    if any(isinstance(item, Failed) for item in outputs):
        raise Unsupported("")
    return outputs


@dataclass
class Draft:
    """Ops that wait for their place: a block under another name, and what it yields."""

    block: Block
    values: list[SSAValue]

    def enter(self, builder: BlockBuilder, arguments: Sequence[SSAValue] = ()) -> None:
        """Moves the ops to the end of a builder's block."""
        for item in list(self.block.ops):
            item.detach()
            builder.block.add_op(item)
        replaced = dict(zip(self.block.args, arguments, strict=True))
        for old, new in replaced.items():
            old.replace_all_uses_with(new)
        # What is yielded is not used by any op yet, and may be an argument as it is.
        self.values = [replaced.get(value, value) for value in self.values]  # pyright: ignore[reportArgumentType, reportCallIssue]


def _drafted(
    node: Node, write: Callable[[Sequence[SSAValue]], list[SSAValue]], types: Sequence[Attribute] = ()
) -> Draft:
    block = Block(arg_types=types)
    with node.importer.inserting(node.g.inner(block)):
        values = write(block.args)
    return Draft(block, values)


def _branches(node: Node, then: GraphProto, otherwise: GraphProto) -> Sequence[Value]:
    """Converts a node. Both branches yield tensors of the same types: a size that differs is known when the program runs."""
    outer = frozenset(node.importer.symbols)
    kinds: list[int] = []

    def writer(graph: GraphProto) -> Callable[[Sequence[SSAValue]], list[SSAValue]]:
        def write(_: Sequence[SSAValue]) -> list[SSAValue]:
            outputs = _checked(node.importer.run_graph(graph, ()))
            tensors = [item for item in outputs if isinstance(item, Tensor)]
            if len(tensors) != len(outputs):
                raise Unsupported("a branch that depends on values yields tensors alone", _origin(node.tensor(0)))
            kinds[:] = [item.kind for item in tensors]
            return [node.importer.materialized(item) for item in tensors]

        return write

    drafts = [_drafted(node, writer(graph)) for graph in (then, otherwise)]
    types = [_joined(a.type, b.type, outer) for a, b in zip(drafts[0].values, drafts[1].values, strict=True)]

    def branch(draft: Draft) -> Callable[[BlockBuilder], list[SSAValue]]:
        def write(g: BlockBuilder) -> list[SSAValue]:
            draft.enter(g)
            return [_as(g, value, wanted) for value, wanted in zip(draft.values, types, strict=True)]

        return write

    condition = node.x(0) if node.rank(0) == 0 else node.g.reshape(node.x(0), [])
    results = node.g.if_(condition, branch(drafts[0]), branch(drafts[1]))
    listed = results if isinstance(results, tuple) else [results]
    return [Tensor(value=value, kind=kind) for value, kind in zip(listed, kinds, strict=True)]


def _as(g: BlockBuilder, value: SSAValue, wanted: Attribute) -> SSAValue:
    return value if value.type == wanted else g.match_cast(value, wanted)


def _joined(lhs: Attribute, rhs: Attribute, outer: frozenset[str]) -> Attribute:
    """Returns the type of what is either; sizes that differ, or have names that are not known outside, have none."""
    element = element_type_of(lhs)
    if element != element_type_of(rhs):
        raise Unsupported(f"yields elements of {element} on one way, of {element_type_of(rhs)} on the other")
    left, right = dims_of(lhs), dims_of(rhs)
    if left is None or right is None or len(left) != len(right):
        names = sorted({name for dim in (*(left or ()), *(right or ())) for name in symbols(dim)})
        hint = f"; give {', '.join(names)} a number (dims) if the condition depends on sizes" if names else ""
        raise Unsupported(f"yields {lhs} on one way, {rhs} on the other{hint}")
    return tensor_type([_common(a, b, outer) for a, b in zip(left, right, strict=True)], element)


def _common(lhs: Dim, rhs: Dim, outer: frozenset[str]) -> Dim:
    return lhs if equal(lhs, rhs) and set(symbols(lhs)) <= outer else None


# Loops

Body = Callable[[Tensor, Sequence[Value]], "tuple[Value | None, list[Value], list[Value]]"]
"""Inserts one iteration, from its number and the carried values: whether there is another one, the next values, what is collected."""


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
    number = dims_in(limit.known)[0] if limit is not None and limit.is_known else None
    starts = bool(first.known.reshape(-1)[0]) if first is not None and first.is_known else first is None
    if first is not None and first.is_known and not starts:
        number = 0
    holds_lists = any(not isinstance(item, Tensor) for item in carried)
    may_unroll = isinstance(number, int) and (number <= most_unrolled or holds_lists) and starts | (number == 0)
    if may_unroll and isinstance(number, int):
        outputs = _unrolled(node, number, carried, body, scans)
        if outputs is not None:
            return outputs
    if holds_lists:
        raise Unsupported("carries a sequence, so the number of iterations must be known", _origin(limit, first))
    return _while(node, limit, first, [item for item in carried if isinstance(item, Tensor)], body, scans)


def _origin(*tensors: Tensor | None) -> list[str]:
    """Returns the inputs of the model that unknown tensors come from."""
    return sorted({name for item in tensors if item is not None and not item.is_known for name in item.origin})


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
    if not collected:
        if scans > 0:
            raise Unsupported("collects the values of a loop that has no iterations")
        return values
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


def _while(
    node: Node, limit: Tensor | None, first: Tensor | None, carried: Sequence[Tensor], body: Body, scans: int
) -> Sequence[Value]:
    """Converts a node. A loop carries its number, whether it goes on, the values, and a buffer for each thing that is collected."""
    # Invariant: each carried value has one type in all iterations, which names no size that is defined inside.
    importer, g = node.importer, node.g
    outer = frozenset(importer.symbols)
    count: Known | None = dims_in(limit.known)[0] if limit is not None and limit.is_known else None
    if scans > 0 and count is None:
        raise Unsupported("collects values, so the largest number of iterations must be known", _origin(limit, first))
    values = [importer.materialized(item) for item in carried]
    kinds = [item.kind for item in carried]
    collected_kinds: list[int] = []
    types = [value.type for value in values]
    has_condition = True

    def write(arguments: Sequence[SSAValue]) -> list[SSAValue]:
        nonlocal has_condition
        number, *rest = arguments
        inputs = [Tensor(value=importer.settled(value), kind=kind) for value, kind in zip(rest, kinds, strict=True)]
        condition, following, items = body(Tensor(value=number), inputs)
        has_condition = condition is not None
        again = [] if condition is None else [condition]
        tensors = [item for item in (*again, *following, *items) if isinstance(item, Tensor)]
        if len(tensors) != len(again) + len(following) + len(items):
            raise Unsupported("a loop yields tensors alone")
        collected_kinds[:] = [item.kind for item in tensors[len(again) + len(following) :]]
        return [importer.materialized(item) for item in tensors]

    scalar = tensor_type([], i64)
    for _ in range(8):
        draft = _drafted(node, write, [scalar, *types])
        first_value = 1 if has_condition else 0
        following = draft.values[first_value : first_value + len(types)]
        joined = [_joined(a, b.type, outer) for a, b in zip(types, following, strict=True)]
        if joined == types:
            break
        types = joined
    else:
        raise Unsupported("the types of what the loop carries do not settle")
    items = draft.values[first_value + len(types) :]
    buffers: list[SSAValue] = []
    for item in items:
        sizes = dims_of(item.type) or ()
        if any(size is None or not set(symbols(size)) <= outer for size in sizes):
            raise Unsupported("collects tensors whose sizes are only known inside of the loop", _origin(limit, first))
        buffers.append(g.zeros(g.shape(count, *sizes), dtype=element_type_of(item.type)))
    again = g.constant(True) if first is None else importer.materialized(first)
    again = again if not dims_of(again.type) else g.reshape(again, [])
    most = None if limit is None else importer.materialized(limit)
    most = most if most is None or not dims_of(most.type) else g.reshape(most, [])
    start = [_as(g, value, wanted) for value, wanted in zip(values, types, strict=True)]

    def goes_on(inner: BlockBuilder, number: SSAValue, condition: SSAValue, *_: SSAValue) -> SSAValue:
        return condition if most is None else inner.logical_and(condition, inner.less(number, most))

    def iterate(inner: BlockBuilder, number: SSAValue, condition: SSAValue, *rest: SSAValue) -> list[SSAValue]:
        draft.enter(inner, [number, *rest[: len(types)]])
        condition = draft.values[0] if has_condition else condition
        condition = condition if not dims_of(condition.type) else inner.reshape(condition, [])
        following = [
            _as(inner, value, wanted)
            for value, wanted in zip(draft.values[first_value : first_value + len(types)], types, strict=True)
        ]
        filled = [
            inner.scatter_nd(buffer, inner.reshape(number, [1, 1]), inner.expand_dims(item, axis=[0]))
            for buffer, item in zip(rest[len(types) :], draft.values[first_value + len(types) :], strict=True)
        ]
        return [inner.add(number, inner.constant(1, "i64")), condition, *following, *filled]

    initial = [g.constant(0, "i64"), again, *start, *buffers]
    results = g.while_(initial, goes_on, iterate)
    rounds, _, *rest = results
    finals = [Tensor(value=value, kind=kind) for value, kind in zip(rest[: len(types)], kinds, strict=True)]
    collected: list[Value] = []
    for buffer, kind in zip(rest[len(types) :], collected_kinds, strict=True):
        if has_condition or first is not None:
            buffer = _first_rows(g, buffer, rounds)
        collected.append(Tensor(value=buffer, kind=kind))
    return [*finals, *collected]


def _first_rows(g: BlockBuilder, buffer: SSAValue, rows: SSAValue) -> SSAValue:
    """Returns the rows of a buffer that the loop has written."""
    sizes = dims_of(buffer.type) or ()
    rank = len(sizes)
    full = g.shape_to_tensor(g.shape(*sizes))
    end = g.scatter_elements(full, g.constant(np.zeros(1, np.int64)), g.reshape(rows, [1]), axis=0)
    return g.dynamic_strided_slice(
        buffer, g.constant(np.zeros(rank, np.int64)), end, g.constant(np.ones(rank, np.int64))
    )


@op("Scan")
def _scan(node: Node) -> Sequence[Value]:
    """Converts a node. The state goes through, the scanned inputs are read and the collected outputs are stacked along their axes."""
    if node.since < 9:
        return _scan_8(node)
    scanned = int(node.attr("num_scan_inputs", 1))
    graph = node.attributes["body"]
    states = len(node.inputs) - scanned
    sequences = [node.tensor(states + index) for index in range(scanned)]
    ranks = [len(item.shape) for item in sequences]
    axes = [
        normalized(axis, rank) for axis, rank in zip(node.attr("scan_input_axes", [0] * scanned), ranks, strict=True)
    ]
    backwards = node.attr("scan_input_directions", [0] * scanned)
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
    out_axes = node.attr("scan_output_axes", [0] * len(collected))
    out_backwards = node.attr("scan_output_directions", [0] * len(collected))
    moved = [
        _placed(node, value, axis, bool(way))
        for value, axis, way in zip(collected, out_axes, out_backwards, strict=True)
    ]
    return [*results[:states], *moved]


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
    states = len(operands) - scanned
    batch, time = operands[-1].shape[:2]
    if not isinstance(batch, int):
        raise Unsupported(f"the size of the batch must be known, got {batch}")
    backwards = node.attr("directions", [0] * scanned)
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
