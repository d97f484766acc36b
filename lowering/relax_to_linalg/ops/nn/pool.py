"""Pooling as one reduction over the windows of padded data; a mean is divided by the number of items that count.

The sizes of the window dims come from an operand without content.

    %y = relax.nn.max_pool2d %x {pool_size = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}

becomes

    %p = tensor.insert_slice %x into %lowest[0, 0, 1, 1]
    %window = tensor.empty() : tensor<3x3xf32>
    linalg.generic ins(%p, %window) %y[n, c, h, w] max= %p[n, c, 2 * h + i, 2 * w + j]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import AnyFloat, IntegerType, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from .....dialects.relax.attrs import dims_of
from .....dialects.relax.base import dims
from .....dialects.relax.base import element as relax_element
from .....dialects.relax.dtypes import accumulator, is_unsigned
from .....dialects.relax.ops.nn import pool as nn_pool
from .....dialects.relax.rules.window import Window, canonical_dims
from .....dialects.symbolic.expressions import Dim, add, ceildiv
from ....emit import scalar
from ....emit.op_builder import OpBuilder
from ....emit.tensor_builder import PARALLEL, REDUCTION, ScalarBuilder, Size, element
from ...builder import LinalgBuilder
from ...rule import Rules
from ...window import padded

Combine: TypeAlias = Callable[[OpBuilder, SSAValue, SSAValue], SSAValue]
Divisor: TypeAlias = Callable[[ScalarBuilder], SSAValue]
"""Emits the number of items in a window, as an `index`, in a body whose iteration dims are those of the result."""


def _lowest(element_type: Attribute, unsigned: bool) -> float:
    if isinstance(element_type, AnyFloat):
        return float("-inf")
    assert isinstance(element_type, IntegerType)
    return 0 if unsigned else -(1 << (element_type.width.data - 1))


def _sum_type(element_type: Attribute) -> Attribute:
    narrow = isinstance(element_type, IntegerType) and element_type.width.data < 32
    return i32 if narrow else accumulator(element_type)


def _result_sizes(op: nn_pool.PoolLikeOp, b: LinalgBuilder) -> list[Size]:
    return b.sizes(dims_of(op.result.type))


def _reduced(
    op: nn_pool.PoolLikeOp,
    b: LinalgBuilder,
    data: SSAValue,
    windows: Sequence[Window],
    wide: Attribute,
    initial: float,
    combine: Combine,
) -> SSAValue:
    """Combines the items of each window of the data, which is padded already, in the type `wide`."""
    at, out_at = op.positions(), op.out_positions()
    rank = len(at)
    sizes = _result_sizes(op, b)
    unsigned = is_unsigned(relax_element(op.x))
    exprs = [AffineExpr.constant(0)] * rank
    for axis in range(rank):
        exprs[at[axis]] = AffineExpr.dimension(out_at[axis])
    for item, window in enumerate(windows):
        start = AffineExpr.dimension(out_at[2 + item]) * window.stride
        exprs[at[2 + item]] = start + AffineExpr.dimension(rank + item) * window.dilation
    total = rank + len(windows)
    maps = [
        AffineMap(total, 0, tuple(exprs)),
        AffineMap(total, 0, tuple(AffineExpr.dimension(rank + item) for item in range(len(windows)))),
        AffineMap(total, 0, tuple(AffineExpr.dimension(axis) for axis in range(rank))),
    ]

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        return combine(s, args[2], scalar.cast(s, args[0], wide, unsigned, unsigned))

    shape = b.empty(b.sizes([window.size for window in windows]), element(data))
    output = b.filled(initial, wide, sizes)
    iterators = [PARALLEL] * rank + [REDUCTION] * len(windows)
    return b.generic([data, shape], [output], maps, iterators, body)[0]


def _padded(op: nn_pool.PoolOp, b: LinalgBuilder, data: SSAValue, fill: float) -> SSAValue:
    at = op.positions()
    before, after = [0] * len(at), [0] * len(at)
    for axis, window in zip(at[2:], op.windows(), strict=True):
        before[axis] = window.before
        after[axis] = window.after + (window.stride - 1 if op.prop("ceil_mode", False) else 0)
    return padded(b, data, dims_of(op.x.type) or (), b.constant(fill, element(data)), before, after)


def _max_pool(op: nn_pool.MaxPoolOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    unsigned = is_unsigned(relax_element(op.x))
    lowest = _lowest(element(x), unsigned)
    wide = accumulator(element(x))

    def combine(s: OpBuilder, best: SSAValue, item: SSAValue) -> SSAValue:
        return scalar.maximum(s, best, item, unsigned)

    result = _reduced(op, b, _padded(op, b, x, lowest), op.windows(), wide, lowest, combine)
    if wide == element(x):
        return [result]
    return [
        b.elementwise([result], _result_sizes(op, b), element(x), lambda s, args: scalar.cast(s, args[0], element(x)))
    ]


def _mean(
    op: nn_pool.PoolLikeOp, b: LinalgBuilder, total: SSAValue, divisor: Divisor, element_type: Attribute
) -> SSAValue:
    """Returns the sums over the numbers of items, rounded once to the element type."""
    unsigned = is_unsigned(relax_element(op.x))

    def body(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
        items = scalar.cast(s, divisor(s), args[0].type)
        return scalar.cast(s, scalar.div(s, args[0], items, unsigned), element_type, unsigned, unsigned)

    return b.elementwise([total], _result_sizes(op, b), element_type, body)


def _avg_pool(op: nn_pool.AvgPoolOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    windows = op.windows()
    total = _reduced(op, b, _padded(op, b, x, 0), windows, _sum_type(element(x)), 0, scalar.add)
    sizes = canonical_dims(dims(op.x) or (), op.positions())[2:]
    spatial = [b.size(size) if size is not None else b.dim(x, op.positions()[2 + i]) for i, size in enumerate(sizes)]
    return [_mean(op, b, total, _counter(op, b, windows, spatial), element(x))]


def _counter(op: nn_pool.AvgPoolOp, b: LinalgBuilder, windows: Sequence[Window], sizes: Sequence[Size]) -> Divisor:
    """Returns the function that emits the number of items that count in a window."""
    include, ceil_mode, out_at = op.includes_padding(), op.prop("ceil_mode", False), op.out_positions()

    def divisor(s: ScalarBuilder) -> SSAValue:
        items: SSAValue | None = None
        constant = 1
        for axis, (window, size) in enumerate(zip(windows, sizes, strict=True)):
            assert isinstance(window.size, int)
            if not ceil_mode and (include or (window.before == 0 and window.after == 0)):
                constant *= window.size
                continue
            axis_items = _items(s, window, window.size, b.as_index(size), out_at[2 + axis], include)
            items = axis_items if items is None else s.insert(arith.MuliOp(items, axis_items))
        if items is None:
            return s.index(constant)
        return items if constant == 1 else s.insert(arith.MuliOp(items, s.index(constant)))

    return divisor


def _items(s: ScalarBuilder, window: Window, count: int, size: SSAValue, dim: int, include: bool) -> SSAValue:
    """Returns how many of the `count` items of a window lie inside, at least 1: items first..last of start + item * dilation."""
    stride, dilation = s.index(window.stride), s.index(window.dilation)
    start = s.insert(arith.SubiOp(s.insert(arith.MuliOp(s.iteration(dim), stride)), s.index(window.before)))
    end = s.insert(arith.AddiOp(size, s.index(window.after))) if include else size
    last_offset = s.insert(arith.SubiOp(s.insert(arith.SubiOp(end, s.index(1))), start))
    last = s.insert(arith.DivSIOp(s.insert(arith.MaxSIOp(last_offset, s.index(0))), dilation))
    last = s.insert(arith.MinSIOp(last, s.index(count - 1)))
    items = s.insert(arith.AddiOp(last, s.index(1)))
    if not include:
        missing = s.insert(arith.MaxSIOp(s.insert(arith.SubiOp(s.index(0), start)), s.index(0)))
        rounded = s.insert(arith.AddiOp(missing, s.index(window.dilation - 1)))
        items = s.insert(arith.SubiOp(items, s.insert(arith.DivSIOp(rounded, dilation))))
    return s.insert(arith.MaxSIOp(items, s.index(1)))


def _at_least_one(s: ScalarBuilder, items: SSAValue) -> SSAValue:
    # The mean of nothing is 0: a quotient of integers by 0 has no meaning.
    return s.insert(arith.MaxSIOp(items, s.index(1)))


def _adaptive_avg_pool(op: nn_pool.AdaptiveAvgPoolOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    at, out_at = op.positions(), op.out_positions()
    sizes = canonical_dims(dims(op.x) or (), at)[2:]
    counts = canonical_dims(dims_of(op.result.type) or (), out_at)[2:]
    regular = [_regular(size, count) for size, count in zip(sizes, counts, strict=True)]
    windows = [window for window in regular if window is not None]
    wide = _sum_type(element(x))
    if len(windows) == len(regular):
        total = _reduced(op, b, x, windows, wide, 0, scalar.add)
        extents = [b.as_index(b.size(window.size)) for window in windows]
        return [_mean(op, b, total, lambda s: _at_least_one(s, _multiplied(s, extents)), element(x))]
    spatial = [b.as_index(b.size(size)) for size in sizes]
    numbers = [b.as_index(b.size(count)) for count in counts]

    def bounds(s: ScalarBuilder, axis: int) -> tuple[SSAValue, SSAValue]:
        index = s.iteration(out_at[2 + axis])
        start = s.insert(arith.DivUIOp(s.insert(arith.MuliOp(index, spatial[axis])), numbers[axis]))
        following = s.insert(arith.MuliOp(s.insert(arith.AddiOp(index, s.index(1))), spatial[axis]))
        rounded = s.insert(arith.AddiOp(following, s.insert(arith.SubiOp(numbers[axis], s.index(1)))))
        return start, s.insert(arith.DivUIOp(rounded, numbers[axis]))

    def divisor(s: ScalarBuilder) -> SSAValue:
        pairs = [bounds(s, axis) for axis in range(len(sizes))]
        return _at_least_one(s, _multiplied(s, [s.insert(arith.SubiOp(end, start)) for start, end in pairs]))

    rank = len(at)
    unsigned = is_unsigned(relax_element(op.x))

    def body(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
        location = [s.iteration(out_at[axis]) for axis in range(2)]
        inside: SSAValue | None = None
        for axis in range(len(sizes)):
            start, end = bounds(s, axis)
            index = s.insert(arith.AddiOp(start, s.iteration(rank + axis)))
            within = s.insert(arith.CmpiOp(index, end, "slt"))
            inside = within if inside is None else s.insert(arith.AndIOp(inside, within))
            last = s.insert(arith.SubiOp(spatial[axis], s.index(1)))
            location.append(s.insert(arith.MinSIOp(index, last)))
        item = s.insert(tensor.ExtractOp(x, [location[at.index(axis)] for axis in range(rank)], element(x)))
        item = scalar.cast(s, item, wide, unsigned, unsigned)
        assert inside is not None
        return scalar.add(s, args[1], scalar.select(s, inside, item, s.constant(0, wide)))

    widths = [_width(size, count) for size, count in zip(sizes, counts, strict=True)]
    total_rank = rank + len(sizes)
    maps = [
        AffineMap(total_rank, 0, tuple(AffineExpr.dimension(rank + axis) for axis in range(len(sizes)))),
        AffineMap(total_rank, 0, tuple(AffineExpr.dimension(axis) for axis in range(rank))),
    ]
    iterators = [PARALLEL] * rank + [REDUCTION] * len(sizes)

    def summed(b: LinalgBuilder) -> SSAValue:
        shape, output = b.empty(b.sizes(widths), element(x)), b.filled(0, wide, _result_sizes(op, b))
        return b.generic([shape], [output], maps, iterators, body)[0]

    total = b.nonempty(b.sizes(sizes), _result_sizes(op, b), wide, summed)
    return [_mean(op, b, total, divisor, element(x))]


def _width(size: Dim, count: Dim) -> Dim:
    """Returns a bound of the window sizes, which differ by at most one."""
    assert isinstance(count, int)
    return add(ceildiv(size, count), 1)


def _multiplied(s: OpBuilder, values: Sequence[SSAValue]) -> SSAValue:
    result = values[0]
    for value in values[1:]:
        result = s.insert(arith.MuliOp(result, value))
    return result


def _regular(size: Dim, count: Dim) -> Window | None:
    """Returns the window of a dim if all its windows have one size and do not overlap."""
    if size is not None and size == count:
        return Window(1)
    if count == 1:
        return Window(size)
    if isinstance(size, int) and isinstance(count, int) and size % count == 0:
        return Window(size // count, size // count)
    return None


RULES: Rules = {
    nn_pool.MaxPool1DOp: _max_pool,
    nn_pool.MaxPool2DOp: _max_pool,
    nn_pool.MaxPool3DOp: _max_pool,
    nn_pool.AvgPool1DOp: _avg_pool,
    nn_pool.AvgPool2DOp: _avg_pool,
    nn_pool.AvgPool3DOp: _avg_pool,
    nn_pool.AdaptiveAvgPool1DOp: _adaptive_avg_pool,
    nn_pool.AdaptiveAvgPool2DOp: _adaptive_avg_pool,
    nn_pool.AdaptiveAvgPool3DOp: _adaptive_avg_pool,
}
