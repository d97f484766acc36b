"""Transposed convolutions: the product of each item with each tap of the kernel, then sums of the products that meet at a position.

    %y = relax.nn.conv1d_transpose %x, %w {strides = array<i64: 2>}    of a kernel with 4 taps

becomes

    linalg.generic %p[n, o, t, i] += %x[n, c, i] * %w[c, o, t]
    linalg.generic %y[n, o, d] += %p[n, o, d mod 2, d floordiv 2]                 on the slice from 0 on
    linalg.generic %y[n, o, d + 2] += %p[n, o, d mod 2 + 2, d floordiv 2]         on the slice from 2 on

Where a kernel has as many taps as its stride, each item of the result is one product, and they are transposed.

Nothing else is multiplied or added, so that Inf and NaN reach what they belong to alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise, product
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from .....dialects.relax.attrs import dims_of, element_type_of
from .....dialects.relax.base import dims
from .....dialects.relax.base import element as relax_element
from .....dialects.relax.dtypes import accumulator_of, is_unsigned
from .....dialects.relax.ops.nn import conv as nn_conv
from .....dialects.relax.rules.window import Window
from .....records import record
from ....emit import scalar
from ....emit.op_builder import OpBuilder
from ....emit.tensor_builder import PARALLEL, REDUCTION, Size, element, projection, tensor_shape
from ...builder import LinalgBuilder, LoweringError, signless
from ...regroup import join_dims
from ...rule import Rules
from ..indexing import iterations
from ..linear_algebra import contract, convert
from .conv import canonical_to, grouped

MOST_SLICES = 32
"""The most slices that are added: each is an op. More products are gathered one by one."""


@record
class _Slice:
    """The items of a result that some turns of taps reach: a tap every `stride` items."""

    first: int
    count: Size
    turns: Mapping[int, int]
    """The turns, each with how far the first item is from where the first item of the data meets the first tap of the turn."""


@record
class _Axis:
    """A spatial dim of a transpose: item i of the data and tap k of the kernel meet in item `i * stride + k * dilation - before`."""

    size: Size
    taps: int
    window: Window
    extra: int
    """How much larger the result is than `size * stride`."""

    @property
    def step(self) -> int:
        """From one tap that may meet an item of the result to the next."""
        return self.window.stride if self.window.dilation == 1 or self.window.stride == 1 else 1

    @property
    def rounds(self) -> int:
        """How many taps may meet an item of the result."""
        return -(-self.taps // self.step)

    @property
    def has_slices(self) -> bool:
        """Returns whether turns reach slices of the result, which no size of the data makes negative."""
        if self.step != self.window.stride:
            return False
        return isinstance(self.size, int) or all(self._reached(turn, 1)[1] >= 0 for turn in range(self.rounds))

    @property
    def meets_once(self) -> bool:
        """Returns whether each item of the result is one product, and each product is one of them."""
        return self.taps == self.window.stride and self.window.dilation == 1 and self.window.before == self.extra == 0

    def _reached(self, turn: int, size: int) -> tuple[int, int]:
        """Returns the first item of the result that a turn reaches, and how many there are for a size of the data."""
        start = turn * self.window.stride * self.window.dilation - self.window.before
        first = max(0, start)
        return first, self.window.stride * size + min(self.extra, start) - first

    def slices(self, b: LinalgBuilder) -> list[_Slice]:
        """Returns what each turn reaches."""
        return [self._slice(turn, *self._reached_of(b, turn)) for turn in range(self.rounds)]

    def stretches(self, b: LinalgBuilder) -> list[_Slice]:
        """Returns the items that the same turns reach, of up to two turns and a known size; else what each turn reaches."""
        slices = self.slices(b)
        ends = [each.first + each.count for each in slices if isinstance(each.count, int)]
        if self.rounds > 2 or len(ends) < len(slices):
            return slices
        places = sorted({*ends, *(each.first for each in slices)})
        stretches: list[_Slice] = []
        for first, end in pairwise(places):
            turns = {
                turn: ahead + first - each.first
                for each, last in zip(slices, ends, strict=True)
                for turn, ahead in each.turns.items()
                if each.first <= first and end <= last
            }
            if turns:
                stretches.append(_Slice(first, end - first, turns))
        return stretches

    def _slice(self, turn: int, first: int, count: Size) -> _Slice:
        start = turn * self.window.stride * self.window.dilation - self.window.before
        return _Slice(first, count, {turn: first - start})

    def _reached_of(self, b: LinalgBuilder, turn: int) -> tuple[int, Size]:
        """Returns the first item of the result that a turn reaches, and how many there are."""
        first, none = self._reached(turn, 0)
        count = b.add(b.mul(self.size, self.window.stride), none)
        return first, max(0, count) if isinstance(count, int) else count

    def meeting(self, s: OpBuilder, position: SSAValue, turn: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
        """Returns the tap of a turn, the item of the data that it meets at a position of the result, and whether there are such."""
        # Without dilation every `stride`-th tap meets an item; with it taps are tried one by one.
        stride, dilation = self.window.stride, self.window.dilation
        reached = s.as_index(s.add(position, self.window.before))
        # As an unsigned number a negative index is large.
        if self.step == stride:
            block = s.as_index(s.floordiv(reached, stride))
            phase = s.as_index(s.sub(reached, s.mul(block, stride)))
            tap = s.as_index(s.add(phase, s.mul(turn, stride)))
            item = s.as_index(s.sub(block, s.mul(turn, dilation)))
            exists = s.compare("ult", tap, s.index(self.taps)) if self.taps % stride else None
        else:
            tap, rest = turn, s.as_index(s.sub(reached, s.mul(turn, dilation)))
            item = s.as_index(s.floordiv(rest, stride))
            exists = s.compare("eq", s.as_index(s.mul(item, stride)), rest)
        meets = s.compare("ult", item, s.as_index(self.size))
        if exists is not None:
            meets = s.both(meets, exists)
        return tap, item, meets


def _conv_transpose(op: nn_conv.ConvTransposeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    """Returns, at each position, the sum of the products of items of the data and taps of the kernel that meet there."""
    data, kernel = operands
    data_at, kernel_at = op.data_positions(), op.kernel_positions()
    taps = [tensor_shape(kernel)[axis] for axis in kernel_at[2:]]
    windows = op.windows([(dims(op.weight) or ())[axis] for axis in kernel_at[2:]])
    if DYNAMIC_INDEX in taps:
        unknown = next(str(window.size) for window in windows if not isinstance(window.size, int))
        raise LoweringError(f"the spatial dims of the kernel must be static, got {unknown}")
    axes: list[_Axis] = []
    for at, count, window, padding in zip(data_at[2:], taps, windows, op.output_paddings(), strict=True):
        extent = window.dilation * (count - 1) + 1
        extra = extent + padding - window.before - window.after - window.stride
        axes.append(_Axis(b.dim(data, at), count, window, extra))
    result_type = element_type_of(op.result.type)
    wide = accumulator_of(relax_element(op.data), result_type)
    sizes = b.sizes(dims_of(op.result.type))
    products = _products(op, b, data, kernel, wide)
    in_slices = all(axis.has_slices for axis in axes) and 0 < prod(axis.rounds for axis in axes) <= MOST_SLICES
    sums = _side_by_side if all(axis.meets_once for axis in axes) else _sum_of_slices if in_slices else _met
    total = b.nonempty(
        [axis.size for axis in axes], sizes, signless(wide), lambda inner: sums(op, inner, products, sizes, axes)
    )
    signs = [is_unsigned(relax_element(operand)) for operand in op.operands]
    return [convert(b, total, sizes, result_type, all(signs))]


def _product_dims(op: nn_conv.ConvTransposeOp) -> tuple[int, list[int], list[int]]:
    """Returns where the channels, the taps and the items stand in the products: channels behind the batch, or last as in the result."""
    spatial = op.SPATIAL_RANK
    last = op.out_positions()[1] == spatial + 1
    first = 1 if last else 2
    return (
        2 * spatial + 1 if last else 1,
        [*range(first, first + spatial)],
        [*range(first + spatial, first + 2 * spatial)],
    )


def _products(
    op: nn_conv.ConvTransposeOp, b: LinalgBuilder, data: SSAValue, kernel: SSAValue, wide: Attribute
) -> SSAValue:
    """Returns the product of each item of the data and each tap, in the order of `_product_dims`."""
    data_at, kernel_at, groups = list(op.data_positions()), list(op.kernel_positions()), op.group_count
    channel, taps_at, items_at = _product_dims(op)
    taken, given = b.shape(data), b.shape(kernel)
    sizes: list[Size] = [taken[data_at[0]]] * (2 * op.SPATIAL_RANK + 2)
    sizes[channel] = given[kernel_at[1]]
    for axis, tap, item in zip(range(2, op.SPATIAL_RANK + 2), taps_at, items_at, strict=True):
        sizes[tap], sizes[item] = given[kernel_at[axis]], taken[data_at[axis]]
    dim = [AffineExpr.dimension(axis + (groups > 1 and axis >= channel)) for axis in range(len(sizes))]
    group = AffineExpr.dimension(channel)
    if groups > 1:
        sizes.insert(channel, groups)
    rank = len(sizes)
    inputs = AffineExpr.dimension(rank)
    data_exprs = canonical_to(data_at, [dim[0], inputs, *(dim[axis] for axis in items_at)])
    kernel_exprs = canonical_to(kernel_at, [inputs, dim[channel], *(dim[axis] for axis in taps_at)])
    if groups > 1:
        data, data_exprs = grouped(b, data, data_exprs, data_at[1], groups, group)
        kernel, kernel_exprs = grouped(b, kernel, kernel_exprs, kernel_at[0], groups, group)
    maps = [
        AffineMap(rank + 1, 0, tuple(data_exprs)),
        AffineMap(rank + 1, 0, tuple(kernel_exprs)),
        projection(rank + 1, range(rank)),
    ]
    signs = is_unsigned(relax_element(op.data)), is_unsigned(relax_element(op.weight))
    products = contract(b, data, kernel, maps, sizes, rank, 1, wide, *signs)
    return join_dims(b, products, channel) if groups > 1 else products


def _side_by_side(
    op: nn_conv.ConvTransposeOp, b: LinalgBuilder, products: SSAValue, sizes: Sequence[Size], axes: Sequence[_Axis]
) -> SSAValue:
    """Returns the result, in its layout: the products of an item with all taps lie where it was."""
    out_at = op.out_positions()
    channel, taps_at, items_at = _product_dims(op)
    # Of each dim of the result, those of the products.
    parts: list[list[int]] = [[]] * len(sizes)
    parts[out_at[0]], parts[out_at[1]] = [0], [channel]
    for at, item, tap in zip(out_at[2:], items_at, taps_at, strict=True):
        parts[at] = [item, tap]
    order = [part for each in parts for part in each]
    given, rank = b.shape(products), len(order)
    read = AffineMap(rank, 0, tuple(AffineExpr.dimension(order.index(part)) for part in range(rank)))
    kind = element(products)
    # A sum begins at zero, which makes of -0 what it is.
    (total,) = b.generic(
        [products],
        [b.empty([given[part] for part in order], kind)],
        [read, projection(rank, range(rank))],
        [PARALLEL] * rank,
        lambda s, args: scalar.add(s, args[0], s.constant(0, kind)),
    )
    for at, each in enumerate(parts):
        total = join_dims(b, total, at) if len(each) > 1 else total
    return total


def _sum_of_slices(
    op: nn_conv.ConvTransposeOp, b: LinalgBuilder, products: SSAValue, sizes: Sequence[Size], axes: Sequence[_Axis]
) -> SSAValue:
    """Returns the result, in its layout: turns of taps add to slices of it, where neighbors are of different taps.

    Turns have all their taps: products of those that the kernel lacks are 0. Those that meet in the same rows are added at once; along
    rows each turn is added to all that it reaches, rather than to ends of rows.
    """
    rank = len(sizes)
    _, taps_at, _ = _product_dims(op)
    whole = list(b.shape(products))
    for axis, at in zip(axes, taps_at, strict=True):
        whole[at] = axis.rounds * axis.step
    if any(whole[at] != axis.taps for axis, at in zip(axes, taps_at, strict=True)):
        products = b.insert_slice(products, b.filled(0, element(products), whole), [0] * len(whole))
    total = b.filled(0, element(products), sizes)
    spatial = op.out_positions()[2:]
    for slices in product(*(axis.stretches(b) for axis in axes[:-1]), axes[-1].slices(b)):
        firsts: list[Size] = [0] * rank
        counts = list(sizes)
        for each, at in zip(slices, spatial, strict=True):
            firsts[at], counts[at] = each.first, each.count
        if 0 in counts:
            continue
        reads = [
            _products_of_turns(op, b, products, whole, axes, slices, turns)
            for turns in product(*(each.turns for each in slices))
        ]
        held = b.extract_slice(total, firsts, counts, [1] * rank)
        maps = [*(read for _, read in reads), projection(rank, range(rank))]
        added = b.generic([value for value, _ in reads], [held], maps, [PARALLEL] * rank, _added)
        total = b.insert_slice(added[0], total, firsts, sizes=counts)
    return total


def _added(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
    """Returns the sum of the last value and the others, in their order."""
    *values, total = args
    return reduce(lambda total, value: scalar.add(s, total, value), values, total)


def _products_of_turns(
    op: nn_conv.ConvTransposeOp,
    b: LinalgBuilder,
    products: SSAValue,
    whole: Sequence[Size],
    axes: Sequence[_Axis],
    slices: Sequence[_Slice],
    turns: Sequence[int],
) -> tuple[SSAValue, AffineMap]:
    """Returns the products of a turn of each axis, and which of them each item of a slice of the result reads."""
    out_at = op.out_positions()
    channel, taps_at, items_at = _product_dims(op)
    reads = [AffineExpr.constant(0)] * len(whole)
    starts: list[Size] = [0] * len(whole)
    taken = list(whole)
    reads[0], reads[channel] = AffineExpr.dimension(out_at[0]), AffineExpr.dimension(out_at[1])
    for axis, part, turn, at, tap, item in zip(axes, slices, turns, out_at[2:], taps_at, items_at, strict=True):
        ahead, stride = part.turns[turn], axis.window.stride
        place = AffineExpr.dimension(at)
        if stride == 1:
            # An operand that is read at a loop alone has the size of the loop.
            starts[item], taken[item] = ahead, part.count
            reads[tap], reads[item] = AffineExpr.constant(turn), place
        else:
            place = place + ahead if ahead else place
            reads[tap], reads[item] = place % stride + turn * stride, place // stride
    read = b.extract_slice(products, starts, taken, [1] * len(whole)) if taken != whole else products
    return read, AffineMap(len(out_at), 0, tuple(reads))


def _met(
    op: nn_conv.ConvTransposeOp, b: LinalgBuilder, products: SSAValue, sizes: Sequence[Size], axes: Sequence[_Axis]
) -> SSAValue:
    """Returns the result, in its layout: what meets at each position is gathered and added."""
    out_at, kind = op.out_positions(), element(products)
    channel, taps_at, items_at = _product_dims(op)
    rank, count = len(sizes), len(axes)

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        at = iterations(s, rank + count)
        meetings = [
            axis.meeting(s, at[position], turn)
            for axis, position, turn in zip(axes, out_at[2:], at[rank:], strict=True)
        ]
        taps, items, meets = zip(*meetings, strict=True)
        meet = reduce(s.both, meets)
        place = [at[out_at[0]]] * (2 * count + 2)
        place[channel] = at[out_at[1]]
        for axis, index in zip((*taps_at, *items_at), (*taps, *items), strict=True):
            place[axis] = s.as_index(s.select(meet, index, 0))
        value = s.extract(products, place)
        return scalar.add(s, args[1], scalar.select(s, meet, value, s.constant(0, kind)))

    # The dims that are summed have the sizes of an operand that nothing is read from.
    turns = b.empty([axis.rounds for axis in axes], kind)
    maps = [projection(rank + count, range(rank, rank + count)), projection(rank + count, range(rank))]
    iterators = [PARALLEL] * rank + [REDUCTION] * count
    return b.generic([turns], [b.filled(0, kind, sizes)], maps, iterators, body)[0]


RULES: Rules = {
    nn_conv.Conv1DTransposeOp: _conv_transpose,
    nn_conv.Conv2DTransposeOp: _conv_transpose,
    nn_conv.Conv3DTransposeOp: _conv_transpose,
}
