"""Sorting along an axis: a stable bottom-up merge sort of indices, then a gather.

    %y = relax.sort %x : (tensor<7xf32>) -> tensor<7xf32>

becomes

    %both = tensor.empty() : tensor<14xi64>                        two buffers of indices: runs of one are merged into the other
    scf.while (%width = 1, %from = 0) { scf.for each pair of runs { merge } ; %width * 2, the other buffer }
    linalg.generic %y[d0] = %x[entry d0 of the buffer that was merged into last]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Attribute, SSAValue

from ....dialects.relax.base import element as relax_element
from ....dialects.relax.dtypes import is_unsigned
from ....dialects.relax.ops import sorting
from ....dialects.symbolic.expressions import Dim
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import Size, element
from ..builder import LinalgBuilder, signless
from ..rule import Rules
from .indexing import iterations
from .manipulate import known_dims, sizes_of

Before = Callable[[OpBuilder, SSAValue, SSAValue], SSAValue]


def precedes(b: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool) -> SSAValue:
    """Returns whether `x` comes strictly before `y` in ascending order; NaN is larger than every number."""
    x, y = scalar.widen(b, x), scalar.widen(b, y)
    if not scalar.is_float(x):
        return scalar.compare(b, "lt", x, y, unsigned)
    x_nan, y_nan = b.insert(arith.CmpfOp(x, x, "uno")), b.insert(arith.CmpfOp(y, y, "uno"))
    last = b.both(y_nan, scalar.logical_not(b, x_nan))
    return b.either(scalar.compare(b, "lt", x, y), last)


def merge_sort(b: OpBuilder, work: SSAValue, size: SSAValue, before: Before) -> tuple[SSAValue, SSAValue]:
    """Sorts `size` numbers so that `before(a, b)`, a strict order, never holds for a later against an earlier one; stable.

    `work` holds them as i64 in its first half, its second half is scratch; O(n log n) comparisons. Returns it together with
    the offset of the half that holds the result. The runs of one half are merged into the other one, back and forth: `offset` swaps.
    """

    def one_pass(b: OpBuilder, values: Sequence[SSAValue]) -> list[SSAValue]:
        work, width, offset = values
        other = b.insert(arith.SubiOp(size, offset))
        double = b.insert(arith.AddiOp(width, width))

        def one_pair(b: OpBuilder, start: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            middle = b.as_index(b.minimum(b.add(start, width), size))
            stop = b.minimum(b.add(start, double), size)

            def one_item(b: OpBuilder, target: SSAValue, state: Sequence[SSAValue]) -> list[SSAValue]:
                left, right, work = state
                # A run that is used up is read at its last item, which is ignored.
                held_left = b.minimum(left, b.sub(middle, 1))
                held_right = b.minimum(right, b.sub(stop, 1))
                item_left = b.extract(work, [b.add(held_left, offset)])
                item_right = b.extract(work, [b.add(held_right, offset)])
                right_is_left = b.less(right, stop)
                smaller = b.both(right_is_left, before(b, item_right, item_left))
                used_up = scalar.logical_not(b, b.less(left, middle))
                take_right = b.either(used_up, smaller)
                item = scalar.select(b, take_right, item_right, item_left)
                work = b.insert_element(item, work, [b.add(target, other)])
                next_left = b.select(take_right, left, b.add(left, 1))
                next_right = b.select(take_right, b.add(right, 1), right)
                return [next_left, next_right, work]

            return [b.for_range(start, stop, [start, middle, carried[0]], one_item)[2]]

        (work,) = b.for_range(0, size, [work], one_pair, step=double)
        return [work, double, other]

    result = b.while_loop(
        [work, b.index(1), b.index(0)],
        lambda b, values: b.less(values[1], size),
        one_pass,
    )
    return result[0], result[2]


def argsort(
    b: LinalgBuilder, x: SSAValue, sizes: Sequence[Size], axis: int, descending: bool, unsigned: bool
) -> SSAValue:
    """Returns the indices (i64) that sort a tensor along an axis."""
    size = b.as_index(sizes[axis])
    outer = [extent for i, extent in enumerate(sizes) if i != axis]
    work = b.empty([b.mul(sizes[axis], 2)], i64)
    initial = [b.empty(sizes, i64), work]

    def one_row(b: OpBuilder, position: list[SSAValue], carried: Sequence[SSAValue]) -> list[SSAValue]:
        def at(index: SSAValue) -> list[SSAValue]:
            return [*position[:axis], index, *position[axis:]]

        def key(b: OpBuilder, item: SSAValue) -> SSAValue:
            return b.extract(x, at(b.insert(arith.IndexCastOp(item, IndexType()))))

        def before(b: OpBuilder, left: SSAValue, right: SSAValue) -> SSAValue:
            first, second = key(b, left), key(b, right)
            return precedes(b, second, first, unsigned) if descending else precedes(b, first, second, unsigned)

        result, work = carried
        (work,) = b.for_range(0, size, [work], number)
        work, offset = merge_sort(b, work, size, before)

        def store(b: OpBuilder, index: SSAValue, values: Sequence[SSAValue]) -> list[SSAValue]:
            item = b.extract(work, [b.add(index, offset)])
            return [b.insert_element(item, values[0], at(index))]

        (result,) = b.for_range(0, size, [result], store)
        return [result, work]

    return b.for_each(outer, initial, one_row)[0]


def number(b: OpBuilder, index: SSAValue, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Writes an index at its own place: the body of a loop that numbers items from 0."""
    return [b.insert_element(b.insert(arith.IndexCastOp(index, i64)), values[0], [index])]


def _gathered(b: LinalgBuilder, x: SSAValue, order: SSAValue, sizes: Sequence[Size], axis: int) -> SSAValue:
    """Returns the elements that indices name."""

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        location: list[Size] = list(iterations(s, len(sizes)))
        location[axis] = s.insert(arith.IndexCastOp(args[0], IndexType()))
        return s.extract(x, location)

    return b.elementwise([order], sizes, element(x), body)


def _converted(b: LinalgBuilder, order: SSAValue, sizes: Sequence[Size], target: Attribute) -> SSAValue:
    if element(order) == target:
        return order
    return b.elementwise([order], sizes, target, lambda s, args: scalar.cast(s, args[0], target))


def _order(op: sorting.SortingOp, x: SSAValue, b: LinalgBuilder, descending: bool) -> tuple[SSAValue, list[Size], int]:
    sizes = sizes_of(b, x, known_dims(op))
    axis = op.normalized_axis(len(sizes))
    return argsort(b, x, sizes, axis, descending, is_unsigned(relax_element(op.x))), sizes, axis


def _sort(op: sorting.SortOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    order, sizes, axis = _order(op, operands[0], b, op.prop("descending", False))
    return [_gathered(b, operands[0], order, sizes, axis)]


def _argsort(op: sorting.ArgsortOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    order, sizes, _ = _order(op, operands[0], b, op.prop("descending", False))
    return [_converted(b, order, sizes, signless(op.index_type()))]


def _topk(op: sorting.TopKOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    order, sizes, axis = _order(op, operands[0], b, op.prop("largest", True))
    count = op.count(known_dims(op)[axis])
    kept = [size if i != axis else _count(b, op, count, size) for i, size in enumerate(sizes)]
    if kept[axis] is not sizes[axis]:
        order = b.extract_slice(order, [0] * len(sizes), kept, [1] * len(sizes))
    values = [_gathered(b, operands[0], order, kept, axis)] if op.prop("ret_type", "both") != "indices" else []
    if op.prop("ret_type", "both") == "values":
        return values
    return [*values, _converted(b, order, kept, signless(op.index_type()))]


def _count(b: LinalgBuilder, op: sorting.TopKOp, count: Dim, size: Size) -> Size:
    if count is not None:
        return b.size(count)
    return size if op.prop("k", 1) < 1 else b.minimum(op.prop("k", 1), size)


RULES: Rules = {
    sorting.SortOp: _sort,
    sorting.ArgsortOp: _argsort,
    sorting.TopKOp: _topk,
}
