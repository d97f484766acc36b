"""Loops whose number of iterations the program finds out, as `scf.while`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, SSAValue

from ....builder import BlockBuilder
from ....dialects.relax.attrs import dims_of, element_type_of, tensor_type
from ....dialects.symbolic.expressions import symbols
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.sizes import dims_in
from ..node import Node
from ..values import Tensor, Value
from .drafts import Draft, drafted, joined_type, origin_of, with_type

Body = Callable[[Tensor, Sequence[Value]], "tuple[Value | None, list[Value], list[Value]]"]
"""Inserts one iteration, from its number and the carried values: whether there is another one, the next values, what is collected."""

MOST_DRAFTS = 8
"""How often the types of what a loop carries may change until they hold for all iterations."""


@dataclass(eq=False)
class _Iteration:
    """The ops of one iteration, and what they yield."""

    draft: Draft
    carried: int
    has_condition: bool
    collected_kinds: Sequence[int]

    @property
    def condition(self) -> SSAValue | None:
        """Whether there is another iteration, if this one says so."""
        return self.draft.values[0] if self.has_condition else None

    @property
    def following(self) -> list[SSAValue]:
        """The values that the next iteration takes."""
        return self.draft.values[self.has_condition :][: self.carried]

    @property
    def collected(self) -> list[SSAValue]:
        """What this iteration adds to the buffers."""
        return self.draft.values[self.has_condition + self.carried :]


def while_loop(
    node: Node, limit: Tensor | None, first: Tensor | None, carried: Sequence[Tensor], body: Body, scans: int
) -> Sequence[Value]:
    """Returns the last carried values and what is collected.

    The loop carries its number, whether it goes on, the values, and a buffer for each thing that is collected.
    """
    importer, g = node.importer, node.g
    count = dims_in(limit.known)[0] if limit is not None and limit.is_known else None
    if scans > 0 and count is None:
        trips = f" '{node.proto.input[0]}'" if limit is not None else ""
        reason = f"collects values, so the largest number of iterations{trips} must be known before the program runs"
        raise Unsupported(reason, origin_of(limit))
    values = [importer.materialized(item) for item in carried]
    kinds = [item.kind for item in carried]
    outer = frozenset(importer.symbols)
    types, iteration = _settled(node, body, [value.type for value in values], kinds, outer)
    buffers = _buffers(g, count, iteration.collected, outer, origin_of(limit, first))
    again = g.constant(True) if first is None else _scalar(g, importer.materialized(first))
    most = None if limit is None else _scalar(g, importer.materialized(limit))
    start = [with_type(g, value, wanted) for value, wanted in zip(values, types, strict=True)]

    def goes_on(inner: BlockBuilder, number: SSAValue, condition: SSAValue, *_: SSAValue) -> SSAValue:
        return condition if most is None else inner.logical_and(condition, inner.less(number, most))

    def iterate(inner: BlockBuilder, number: SSAValue, condition: SSAValue, *rest: SSAValue) -> list[SSAValue]:
        iteration.draft.enter(inner, [number, *rest[: len(types)]])
        goes_on_after = _scalar(inner, condition if iteration.condition is None else iteration.condition)
        following = [with_type(inner, value, wanted) for value, wanted in zip(iteration.following, types, strict=True)]
        filled = [
            inner.scatter_nd(buffer, inner.reshape(number, [1, 1]), inner.expand_dims(item, axis=[0]))
            for buffer, item in zip(rest[len(types) :], iteration.collected, strict=True)
        ]
        return [inner.add(number, inner.constant(1, "i64")), goes_on_after, *following, *filled]

    rounds, _, *results = g.while_([g.constant(0, "i64"), again, *start, *buffers], goes_on, iterate)
    finals, filled = results[: len(types)], results[len(types) :]
    if iteration.has_condition or first is not None:
        filled = [_first_rows(g, buffer, rounds) for buffer in filled]
    return [
        Tensor(value=value, kind=kind)
        for value, kind in zip([*finals, *filled], [*kinds, *iteration.collected_kinds], strict=True)
    ]


def _settled(
    node: Node, body: Body, types: list[Attribute], kinds: Sequence[int], outer: frozenset[str]
) -> tuple[list[Attribute], _Iteration]:
    """Returns the types that the carried values have in all iterations, which name no size from inside, and an iteration on them."""
    for _ in range(MOST_DRAFTS):
        iteration = _iteration(node, body, types, kinds)
        joined = [joined_type(a, b.type, outer) for a, b in zip(types, iteration.following, strict=True)]
        if joined == types:
            return types, iteration
        types = joined
    raise Unsupported("the types of what the loop carries do not settle")


def _iteration(node: Node, body: Body, types: Sequence[Attribute], kinds: Sequence[int]) -> _Iteration:
    importer = node.importer
    has_condition = True
    collected_kinds: list[int] = []

    def write(arguments: Sequence[SSAValue]) -> list[SSAValue]:
        nonlocal has_condition
        number, *rest = arguments
        inputs = [Tensor(value=importer.named(value), kind=kind) for value, kind in zip(rest, kinds, strict=True)]
        condition, following, items = body(Tensor(value=number), inputs)
        has_condition = condition is not None
        yielded = [*([] if condition is None else [condition]), *following, *items]
        tensors = [item for item in yielded if isinstance(item, Tensor)]
        if len(tensors) != len(yielded):
            raise Unsupported("a loop yields tensors alone")
        collected_kinds.extend(item.kind for item in tensors[len(tensors) - len(items) :])
        return [importer.materialized(item) for item in tensors]

    draft = drafted(node, write, [tensor_type([], i64), *types])
    return _Iteration(draft, len(types), has_condition, collected_kinds)


def _buffers(
    g: BlockBuilder, count: Known | None, collected: Sequence[SSAValue], outer: frozenset[str], inputs: Sequence[str]
) -> list[SSAValue]:
    """Returns a buffer with a row for each iteration, for each thing that is collected."""
    buffers: list[SSAValue] = []
    for item in collected:
        sizes = dims_of(item.type) or ()
        if any(size is None or not set(symbols(size)) <= outer for size in sizes):
            raise Unsupported("collects tensors whose sizes are only known inside of the loop", inputs)
        buffers.append(g.zeros(g.shape(count, *sizes), dtype=element_type_of(item.type)))
    return buffers


def _scalar(g: BlockBuilder, value: SSAValue) -> SSAValue:
    return g.reshape(value, []) if dims_of(value.type) else value


def _first_rows(g: BlockBuilder, buffer: SSAValue, rows: SSAValue) -> SSAValue:
    """Returns the rows of a buffer that the loop has written."""
    sizes = dims_of(buffer.type) or ()
    rank = len(sizes)
    full = g.shape_to_tensor(g.shape(*sizes))
    end = g.scatter_elements(full, g.constant(np.zeros(1, np.int64)), g.reshape(rows, [1]), axis=0)
    return g.dynamic_strided_slice(
        buffer, g.constant(np.zeros(rank, np.int64)), end, g.constant(np.ones(rank, np.int64))
    )
