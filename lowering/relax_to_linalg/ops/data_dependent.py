"""Ops whose result dims depend on the data: the size is computed, and bounded by the operand's.

The results are built in tensors of the bounding size, of which the leading part is returned.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import SSAValue

from ....dialects.relax.base import element as relax_element
from ....dialects.relax.dtypes import is_unsigned
from ....dialects.relax.ops import data_dependent
from .. import loops, reshape, scalar
from ..builder import LinalgBuilder, Size, element, tensor_shape
from ..op_builder import OpBuilder
from ..rule import Rules
from .indexing import iterations
from .manipulate import known_dims, sizes_of
from .sorting import merge_sort, number, precedes


def _nonzero(op: data_dependent.NonzeroOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    x = operands[0] if tensor_shape(operands[0]) else reshape.flatten(b, operands[0])
    sizes: list[Size] = sizes_of(b, operands[0], known_dims(op)) or [1]
    rank, bound = len(sizes), loops.product(b, sizes)

    def visit(s: OpBuilder, position: list[SSAValue], carried: Sequence[SSAValue]) -> list[SSAValue]:
        count, found = carried
        value = loops.extract(s, x, position)
        # What is written for a zero is overwritten by the next element, or lies in the column beyond the last one.
        for axis in range(rank):
            found = loops.insert(s, s.insert(arith.IndexCastOp(position[axis], i64)), found, [axis, count])
        nonzero = scalar.compare(s, "ne", value, s.constant(0, value.type))
        return [loops.select(s, nonzero, loops.add(s, count, 1), count), found]

    columns = b.empty([rank, loops.add(b, bound, 1)], i64)
    count, found = loops.for_each(b, sizes, [b.index(0), columns], visit)
    size = loops.minimum(b, count, bound)
    return [b.extract_slice(found, [0, 0], [rank, size], [1, 1])]


def _unique(op: data_dependent.UniqueOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    shape = known_dims(op)
    place = op.place(len(shape))
    x = reshape.flatten(b, operands[0]) if place is None else operands[0]
    sizes = sizes_of(b, x, shape) if place is not None else b.shape(x)
    axis = place or 0
    bound = sizes[axis]
    unsigned = is_unsigned(relax_element(op.x))
    other = [size for i, size in enumerate(sizes) if i != axis]

    def before(b: OpBuilder, left: SSAValue, right: SSAValue) -> SSAValue:
        first, second = (b.insert(arith.IndexCastOp(item, IndexType())) for item in (left, right))

        def compare(b: OpBuilder, position: list[SSAValue], state: Sequence[SSAValue]) -> list[SSAValue]:
            # The first difference decides: (it precedes, it is decided).
            x_left, x_right = (
                loops.extract(b, x, [*position[:axis], item, *position[axis:]]) for item in (first, second)
            )
            below, above = precedes(b, x_left, x_right, unsigned), precedes(b, x_right, x_left, unsigned)
            result = scalar.select(b, state[1], state[0], below)
            return [result, loops.either(b, state[1], loops.either(b, below, above))]

        if not other:
            return precedes(b, loops.extract(b, x, [first]), loops.extract(b, x, [second]), unsigned)
        no = scalar.logical_not(b, loops.true(b))
        return loops.for_each(b, other, [no, no], compare)[0]

    size = b.as_index(bound)
    work = b.empty([loops.mul(b, bound, 2)], i64)
    (work,) = loops.for_range(b, 0, size, [work], number)
    work, offset = merge_sort(b, work, size, before)

    def group(s: OpBuilder, index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        count, first, inverse, counts = carried
        item = loops.extract(s, work, [loops.add(s, index, offset)])
        last = loops.extract(s, work, [loops.add(s, loops.maximum(s, loops.sub(s, index, 1), 0), offset)])
        starts = loops.either(s, loops.less(s, index, 1), before(s, last, item))
        count = loops.select(s, starts, loops.add(s, count, 1), count)
        current = loops.sub(s, count, 1)
        first_item = scalar.select(s, starts, item, loops.extract(s, first, [current]))
        first = loops.insert(s, first_item, first, [current])
        own = loops.as_index(s, current)
        inverse = loops.insert(
            s, s.insert(arith.IndexCastOp(own, i64)), inverse, [s.insert(arith.IndexCastOp(item, IndexType()))]
        )
        more = scalar.add(s, loops.extract(s, counts, [current]), s.constant(1, i64))
        counts = loops.insert(s, scalar.select(s, starts, s.constant(1, i64), more), counts, [current])
        return [count, first, inverse, counts]

    buffers = [b.filled(0, i64, [bound]) for _ in range(3)]
    count, first, inverse, counts = loops.for_range(b, 0, size, [b.index(0), *buffers], group)
    if not op.prop("sorted", True):
        first, inverse, counts = _by_arrival(b, bound, first, inverse, counts)
    found = loops.minimum(b, count, bound)
    indices = b.extract_slice(first, [0], [found], [1])

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        places: list[Size] = list(iterations(s, len(sizes)))
        item = loops.extract(s, indices, [places[axis]])
        places[axis] = s.insert(arith.IndexCastOp(item, IndexType()))
        return loops.extract(s, x, places)

    distinct = b.elementwise([], [*sizes[:axis], found, *sizes[axis + 1 :]], element(x), body)
    results = [distinct]
    if op.prop("return_index", False):
        results.append(indices)
    if op.prop("return_inverse", False):
        results.append(inverse)
    if op.prop("return_counts", False):
        results.append(b.extract_slice(counts, [0], [found], [1]))
    return results


def _by_arrival(
    b: LinalgBuilder, bound: Size, first: SSAValue, inverse: SSAValue, counts: SSAValue
) -> Sequence[SSAValue]:
    """Renumbers groups in the order of their first items: returns first items, groups of all items, and counts."""

    def visit(s: OpBuilder, index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        arrived, rank, new_first, new_inverse, new_counts = carried
        group = s.insert(arith.IndexCastOp(loops.extract(s, inverse, [index]), IndexType()))
        item = s.insert(arith.IndexCastOp(index, i64))
        is_first = scalar.compare(s, "eq", loops.extract(s, first, [group]), item)
        known = loops.extract(s, rank, [group])
        number = scalar.select(s, is_first, s.insert(arith.IndexCastOp(arrived, i64)), known)
        rank = loops.insert(s, number, rank, [group])
        own = s.insert(arith.IndexCastOp(number, IndexType()))
        kept = scalar.select(s, is_first, item, loops.extract(s, new_first, [own]))
        new_first = loops.insert(s, kept, new_first, [own])
        new_inverse = loops.insert(s, number, new_inverse, [index])
        new_counts = loops.insert(s, loops.extract(s, counts, [group]), new_counts, [own])
        return [loops.select(s, is_first, loops.add(s, arrived, 1), arrived), rank, new_first, new_inverse, new_counts]

    buffers = [b.filled(0, i64, [bound]) for _ in range(4)]
    return loops.for_range(b, 0, bound, [b.index(0), *buffers], visit)[2:]


RULES: Rules = {
    data_dependent.NonzeroOp: _nonzero,
    data_dependent.UniqueOp: _unique,
}
