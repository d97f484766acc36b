"""A stable bottom-up merge sort of numbers by any strict order.

%both = tensor.empty() : tensor<14xi64>                        two buffers of numbers: runs of one are merged into the other
scf.while (%width = 1, %from = 0) { scf.for each pair of runs { merge } ; %width * 2, the other buffer }
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ...emit import scalar
from ...emit.op_builder import OpBuilder

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


def number(b: OpBuilder, index: SSAValue, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Writes an index at its own place: the body of a loop that numbers items from 0."""
    return [b.insert_element(b.insert(arith.IndexCastOp(index, i64)), values[0], [index])]
