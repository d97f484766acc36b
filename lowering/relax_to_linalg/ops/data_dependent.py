"""Ops whose result dims depend on the data: the size is computed, and bounded by the operand's.

The results are built in tensors of the bounding size, of which the leading part is returned.

    %y = relax.nonzero %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<1x?xi64>

becomes

    %e = tensor.empty(%n + 1) : tensor<1x?xi64>
    %count, %all = scf.for %i = 0 to %n iter_args(%at = 0, %out = %e) {
      tensor.insert %i into %out[0, %at]                           the next index overwrites it if %x[%i] is 0
      scf.yield %at + (%x[%i] != 0), ...
    %size = arith.minsi %count, %n
    %y = tensor.extract_slice %all[0, 0] [1, %size] [1, 1]
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import SSAValue

from ....dialects.relax.base import element as relax_element
from ....dialects.relax.dtypes import is_unsigned
from ....dialects.relax.ops import data_dependent
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import Size, element, tensor_shape
from .. import reshape
from ..builder import LinalgBuilder
from ..rule import Rules
from ..sorting.merge_sort import merge_sort, number, precedes
from .indexing import iterations
from .manipulate import known_dims, sizes_of


def _nonzero(op: data_dependent.NonzeroOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    x = operands[0] if tensor_shape(operands[0]) else reshape.flatten(b, operands[0])
    sizes: list[Size] = sizes_of(b, operands[0], known_dims(op)) or [1]
    rank, bound = len(sizes), b.product(sizes)

    def visit(s: OpBuilder, position: list[SSAValue], carried: Sequence[SSAValue]) -> list[SSAValue]:
        count, positions = carried
        value = s.extract(x, position)
        # What is written for a zero is overwritten by the next element, or lies in the column beyond the last one.
        for axis in range(rank):
            positions = s.insert_element(s.insert(arith.IndexCastOp(position[axis], i64)), positions, [axis, count])
        nonzero = scalar.compare(s, "ne", value, s.constant(0, value.type))
        return [s.select(nonzero, s.add(count, 1), count), positions]

    columns = b.empty([rank, b.add(bound, 1)], i64)
    count, positions = b.for_each(sizes, [b.index(0), columns], visit)
    size = b.minimum(count, bound)
    return [b.extract_slice(positions, [0, 0], [rank, size], [1, 1])]


def _unique(op: data_dependent.UniqueOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    shape = known_dims(op)
    chosen_axis = op.normalized_axis(len(shape))
    x = reshape.flatten(b, operands[0]) if chosen_axis is None else operands[0]
    sizes = sizes_of(b, x, shape) if chosen_axis is not None else b.shape(x)
    axis = chosen_axis or 0
    bound = sizes[axis]
    unsigned = is_unsigned(relax_element(op.x))
    other = [size for i, size in enumerate(sizes) if i != axis]

    def before(b: OpBuilder, left: SSAValue, right: SSAValue) -> SSAValue:
        first, second = (b.insert(arith.IndexCastOp(item, IndexType())) for item in (left, right))

        def compare(b: OpBuilder, position: list[SSAValue], state: Sequence[SSAValue]) -> list[SSAValue]:
            # The first difference decides: (it precedes, it is decided).
            x_left, x_right = (b.extract(x, [*position[:axis], item, *position[axis:]]) for item in (first, second))
            below, above = precedes(b, x_left, x_right, unsigned), precedes(b, x_right, x_left, unsigned)
            result = scalar.select(b, state[1], state[0], below)
            return [result, b.either(state[1], b.either(below, above))]

        if not other:
            return precedes(b, b.extract(x, [first]), b.extract(x, [second]), unsigned)
        no = scalar.logical_not(b, b.true())
        return b.for_each(other, [no, no], compare)[0]

    size = b.as_index(bound)
    work = b.empty([b.mul(bound, 2)], i64)
    (work,) = b.for_range(0, size, [work], number)
    work, offset = merge_sort(b, work, size, before)

    def group(s: OpBuilder, index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        count, first, inverse, counts = carried
        item = s.extract(work, [s.add(index, offset)])
        last = s.extract(work, [s.add(s.maximum(s.sub(index, 1), 0), offset)])
        starts = s.either(s.less(index, 1), before(s, last, item))
        count = s.select(starts, s.add(count, 1), count)
        current = s.sub(count, 1)
        first_item = scalar.select(s, starts, item, s.extract(first, [current]))
        first = s.insert_element(first_item, first, [current])
        own = s.as_index(current)
        inverse = s.insert_element(
            s.insert(arith.IndexCastOp(own, i64)), inverse, [s.insert(arith.IndexCastOp(item, IndexType()))]
        )
        more = scalar.add(s, s.extract(counts, [current]), s.constant(1, i64))
        counts = s.insert_element(scalar.select(s, starts, s.constant(1, i64), more), counts, [current])
        return [count, first, inverse, counts]

    buffers = [b.filled(0, i64, [bound]) for _ in range(3)]
    count, first, inverse, counts = b.for_range(0, size, [b.index(0), *buffers], group)
    if not op.prop("sorted", True):
        first, inverse, counts = _by_arrival(b, bound, first, inverse, counts)
    distinct_count = b.minimum(count, bound)
    indices = b.extract_slice(first, [0], [distinct_count], [1])

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        location: list[Size] = list(iterations(s, len(sizes)))
        item = s.extract(indices, [location[axis]])
        location[axis] = s.insert(arith.IndexCastOp(item, IndexType()))
        return s.extract(x, location)

    distinct = b.elementwise([], [*sizes[:axis], distinct_count, *sizes[axis + 1 :]], element(x), body)
    results = [distinct]
    if op.prop("return_index", False):
        results.append(indices)
    if op.prop("return_inverse", False):
        results.append(inverse)
    if op.prop("return_counts", False):
        results.append(b.extract_slice(counts, [0], [distinct_count], [1]))
    return results


def _by_arrival(
    b: LinalgBuilder, bound: Size, first: SSAValue, inverse: SSAValue, counts: SSAValue
) -> Sequence[SSAValue]:
    """Renumbers groups in the order of their first items: returns first items, groups of all items, and counts."""

    def visit(s: OpBuilder, index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        arrived, rank, new_first, new_inverse, new_counts = carried
        group = s.insert(arith.IndexCastOp(s.extract(inverse, [index]), IndexType()))
        item = s.insert(arith.IndexCastOp(index, i64))
        is_first = scalar.compare(s, "eq", s.extract(first, [group]), item)
        known = s.extract(rank, [group])
        number = scalar.select(s, is_first, s.insert(arith.IndexCastOp(arrived, i64)), known)
        rank = s.insert_element(number, rank, [group])
        own = s.insert(arith.IndexCastOp(number, IndexType()))
        kept = scalar.select(s, is_first, item, s.extract(new_first, [own]))
        new_first = s.insert_element(kept, new_first, [own])
        new_inverse = s.insert_element(number, new_inverse, [index])
        new_counts = s.insert_element(s.extract(counts, [group]), new_counts, [own])
        return [s.select(is_first, s.add(arrived, 1), arrived), rank, new_first, new_inverse, new_counts]

    buffers = [b.filled(0, i64, [bound]) for _ in range(4)]
    return b.for_range(0, bound, [b.index(0), *buffers], visit)[2:]


RULES: Rules = {
    data_dependent.NonzeroOp: _nonzero,
    data_dependent.UniqueOp: _unique,
}
