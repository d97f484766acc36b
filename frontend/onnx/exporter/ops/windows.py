"""Convolutions and pooling; what nodes of ONNX do not compute as the dialect does is computed from gathered windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from xdsl.dialects.builtin import f32, i32, i64
from xdsl.ir import Attribute

from .....dialects.relax.attrs import element_type_of
from .....dialects.relax.base import element
from .....dialects.relax.dtypes import accumulator_of, is_float, is_unsigned, numpy_dtype, ui32, ui64
from .....dialects.relax.ops.nn import conv, pool
from .....dialects.relax.rules.window import Window
from .....dialects.symbolic.expressions import Known, add, apply, product, sub
from ....model.problems import Unsupported
from ..nodes import wider
from ..table import Rules, Scope, is_positive, known
from .manipulate import flipped, padded


def _canonical(scope: Scope, x: str, dims: Sequence[Known], positions: Sequence[int]) -> tuple[str, tuple[Known, ...]]:
    return scope.nodes.transposed(x, positions), tuple(dims[position] for position in positions)


def _laid_out(scope: Scope, x: str, positions: Sequence[int]) -> str:
    return scope.nodes.transposed(x, [positions.index(axis) for axis in range(len(positions))])


def gathered_windows(
    scope: Scope, x: str, windows: Sequence[Window], counts: Sequence[Known], sizes: Sequence[Known]
) -> str:
    """Returns the windows of the last dims of a value, padded already: of each dim the windows, then the items of a window."""
    nodes, axis = scope.nodes, 2
    for window, count, size in zip(windows, counts, sizes, strict=True):
        starts = nodes.add("Mul", scope.indices(count), nodes.scalar(window.stride, i64))
        items = nodes.add("Mul", scope.indices(size), nodes.scalar(window.dilation, i64))
        place = nodes.add("Add", nodes.unsqueezed(starts, [1]), nodes.unsqueezed(items, [0]))
        x = nodes.gathered(x, place, axis)
        axis += 2
    return x


def _pairs(windows: Sequence[Window]) -> list[tuple[int, int]]:
    return [(0, 0), (0, 0), *((window.before, window.after) for window in windows)]


def _contracted(
    scope: Scope,
    x: str,
    dims: Sequence[Known],
    kernel: str,
    shape: Sequence[Known],
    windows: Sequence[Window],
    groups: int,
) -> str:
    """Returns the convolution of a value, padded already and with the dims that it has then, as a product of matrices."""
    nodes, rank = scope.nodes, len(windows)
    sizes = shape[2:]
    counts = [
        known([add(apply("floordiv", sub(size, window.extent()), window.stride), 1)])[0]
        for size, window in zip(dims[2:], windows, strict=True)
    ]
    inputs, (outputs,) = shape[1], known([apply("floordiv", shape[0], groups)])
    view = gathered_windows(scope, x, windows, counts, sizes)
    split: list[Known] = [dims[0], groups, inputs]
    for count, size in zip(counts, sizes, strict=True):
        split += [count, size]
    view = scope.reshaped(view, split)
    view = nodes.transposed(
        view, [0, 1, *(3 + 2 * axis for axis in range(rank)), 2, *(4 + 2 * axis for axis in range(rank))]
    )
    (depth,), (places,) = known([product([inputs, *sizes])]), known([product(counts)])
    view = scope.reshaped(view, [dims[0], groups, places, depth])
    matrix = nodes.transposed(scope.reshaped(kernel, [groups, outputs, depth]), [0, 2, 1])
    result = nodes.transposed(nodes.add("MatMul", view, matrix), [0, 1, 3, 2])
    return scope.reshaped(result, [dims[0], shape[0], *counts])


def _accumulated(op: conv.ConvLikeOp, scope: Scope, args: Sequence[str]) -> list[str]:
    """Returns data and kernel in the type that products are summed in."""
    sums = accumulator_of(element(op.operands[0]), element_type_of(op.results[0].type))
    return [scope.nodes.wide(scope.nodes.converted(arg, sums)) for arg in args]


def _converted(op: conv.ConvLikeOp, scope: Scope, x: str) -> str:
    """Returns sums, which wrap around in their type, as elements of the result."""
    result = element_type_of(op.results[0].type)
    return scope.nodes.converted(scope.nodes.cast(x, accumulator_of(element(op.operands[0]), result)), result)


def _unblocked(op: conv.ConvOp, scope: Scope, kernel: str, dims: Sequence[Known]) -> tuple[str, Sequence[Known]]:
    """Returns a kernel with the channels of a block beside the blocks, in one dim, and its dims."""
    if not op.kernel_block:
        return kernel, dims
    axes = op.kernel_axes()
    together = scope.nodes.transposed(kernel, list(chain(*axes)))
    sizes = known([product([dims[k] for k in each]) for each in axes])
    return scope.reshaped(together, sizes), sizes


def _conv(op: conv.ConvOp, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    data, kernel = _accumulated(op, scope, args)
    data, dims = _canonical(scope, data, scope.dims(op.data, args[0]), op.data_positions())
    kernel, sizes = _unblocked(op, scope, kernel, scope.dims(op.weight, args[1]))
    kernel, shape = _canonical(scope, kernel, sizes, op.kernel_positions())
    windows = op.windows(shape[2:])
    options: dict[str, Any] = {
        "strides": [window.stride for window in windows],
        "dilations": [window.dilation for window in windows],
        "pads": _pads(windows),
        "group": op.group_count,
    }
    if nodes.element(data) == f32:
        result = nodes.add("Conv", data, kernel, **options)
    else:
        x = padded(scope, data, _pairs(windows), 0)
        sizes = [add(size, w.before + w.after) for size, w in zip(dims[2:], windows, strict=True)]
        result = _contracted(scope, x, [*dims[:2], *known(sizes)], kernel, shape, windows, op.group_count)
    return _laid_out(scope, _converted(op, scope, result), op.out_positions())


def _conv_transpose(op: conv.ConvTransposeOp, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    data, kernel = _accumulated(op, scope, args)
    data, dims = _canonical(scope, data, scope.dims(op.data, args[0]), op.data_positions())
    kernel, shape = _canonical(scope, kernel, scope.dims(op.weight, args[1]), op.kernel_positions())
    windows, extra, groups = op.windows(shape[2:]), op.output_paddings(), op.group_count
    fits = all(more < window.stride for more, window in zip(extra, windows, strict=True))
    if nodes.element(data) == f32 and fits and all(map(is_positive, dims)):
        result = nodes.add(
            "ConvTranspose",
            data,
            kernel,
            strides=[window.stride for window in windows],
            dilations=[window.dilation for window in windows],
            pads=_pads(windows),
            output_padding=list(extra),
            group=groups,
        )
    else:
        result = _spread_and_contracted(scope, data, dims, kernel, shape, windows, extra, groups)
    return _laid_out(scope, _converted(op, scope, result), op.out_positions())


def _spread_and_contracted(
    scope: Scope,
    data: str,
    dims: Sequence[Known],
    kernel: str,
    shape: Sequence[Known],
    windows: Sequence[Window],
    extra: Sequence[int],
    groups: int,
) -> str:
    """Returns a transposed convolution as a convolution, by the flipped kernel, of data with zeros between its items."""
    nodes, x, sizes = scope.nodes, data, list(dims[2:])
    for axis, window in enumerate(windows, start=2):
        size = sizes[axis - 2]
        (many,) = known([apply("*", size, window.stride)])
        if window.stride > 1:
            apart = nodes.unsqueezed(x, [axis + 1])
            pairs = [(0, 0)] * (len(dims) + 1)
            pairs[axis + 1] = (0, window.stride - 1)
            apart = padded(scope, apart, pairs, 0)
            x = scope.reshaped(apart, [*dims[:2], *sizes[: axis - 2], many, *sizes[axis - 1 :]])
            (many,) = known([apply("max", sub(many, window.stride - 1), 0)])
            x = nodes.sliced(x, axis, nodes.integers([0]), scope.sizes.vector(many))
        sizes[axis - 2] = many
    pairs = [(0, 0), (0, 0)]
    for axis, (window, more) in enumerate(zip(windows, extra, strict=True)):
        extent = window.extent()
        if not isinstance(extent, int):
            raise Unsupported("a transposed convolution whose kernel has symbolic sizes")
        pairs.append((extent - 1, extent - 1 + more))
        sizes[axis] = known([add(sizes[axis], 2 * (extent - 1) + more)])[0]
    x = padded(scope, x, pairs, 0)
    for axis in range(len(windows)):
        kernel = flipped(nodes, kernel, axis + 2)
    inputs = known([apply("floordiv", shape[0], groups)])[0]
    swapped = scope.reshaped(kernel, [groups, inputs, *shape[1:]])
    swapped = nodes.transposed(swapped, [0, 2, 1, *range(3, 3 + len(windows))])
    (outputs,) = known([apply("*", shape[1], groups)])
    steps = [Window(window.size, 1, window.dilation) for window in windows]
    result = _contracted(
        scope,
        x,
        [*dims[:2], *sizes],
        scope.reshaped(swapped, [outputs, inputs, *shape[2:]]),
        [outputs, inputs, *shape[2:]],
        steps,
        groups,
    )
    for axis, (window, size, more) in enumerate(zip(windows, dims[2:], extra, strict=True), start=2):
        # The last place that a result has, which is none of the data if that is empty.
        (last,) = known([add(apply("*", sub(size, 1), window.stride), window.extent(), more - window.after)])
        result = nodes.sliced(result, axis, nodes.integers([window.before]), scope.sizes.vector(last))
    return result


def _counts(op: pool.PoolLikeOp, dims: Sequence[Known]) -> tuple[Known, ...]:
    return known(op.result_sizes(op.size_context(), dims[2:]))


def _with_ends(op: pool.PoolOp, windows: Sequence[Window]) -> list[tuple[int, int]]:
    """Returns the padding with what the last windows of `ceil_mode` may reach beyond the end."""
    beyond = [window.stride - 1 if op.prop("ceil_mode", False) else 0 for window in windows]
    return [
        (0, 0),
        (0, 0),
        *((window.before, window.after + more) for window, more in zip(windows, beyond, strict=True)),
    ]


def _windows_of(scope: Scope, x: str, windows: Sequence[Window], counts: Sequence[Known]) -> tuple[str, list[int]]:
    """Returns the windows of a value, padded already, and the axes of their items."""
    view = gathered_windows(scope, x, windows, counts, known([window.size for window in windows]))
    return view, [3 + 2 * axis for axis in range(len(windows))]


def _largest(scope: Scope, x: str, windows: Sequence[Window], counts: Sequence[Known]) -> str:
    view, axes = _windows_of(scope, x, windows, counts)
    return scope.nodes.reduced("ReduceMax", view, axes)


def _summand(kind: Attribute) -> Attribute:
    """Returns the type that elements are summed in: integers of 8 and 16 bits in 32 bits."""
    if is_float(kind) or numpy_dtype(kind).itemsize >= 4:
        return wider(kind) if is_float(kind) else kind
    return ui32 if is_unsigned(kind) else i32


def _max_pool(op: pool.MaxPoolOp, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    kind = nodes.element(args[0])
    dims = scope.dims(op.x, args[0])
    x, dims = _canonical(scope, nodes.ordered(args[0]), dims, op.positions())
    windows, counts = op.windows(), _counts(op, dims)
    if is_float(kind):
        options = _options(windows)
        if nodes.element(x) == f32 and _is_plain(op, windows):
            options["pads"] = _pads(windows)
        else:
            x = padded(scope, x, _with_ends(op, windows), -np.inf)
        if nodes.element(x) == f32:
            # The node leaves NaN out; where one is in a window, a pool of marks tells.
            marks = nodes.add("MaxPool", nodes.cast(nodes.is_nan(x), f32), **options)
            result = nodes.add("MaxPool", x, **options)
            is_nan = nodes.compare("Greater", marks, nodes.scalar(0, f32))
        else:
            result = _largest(scope, x, windows, counts)
            marks = _largest(scope, nodes.cast(nodes.is_nan(x), i32), windows, counts)
            is_nan = nodes.compare("Greater", marks, nodes.scalar(0, i32))
        result = nodes.where(is_nan, nodes.like(np.nan, result), result)
        if "pads" not in options:
            result = _cut(scope, result, counts)
    else:
        lowest = np.iinfo(numpy_dtype(nodes.element(x))).min
        least = np.iinfo(numpy_dtype(kind)).min if kind != ui64 else lowest
        x = padded(scope, x, _with_ends(op, windows), least)
        result = _largest(scope, x, windows, counts)
    return _laid_out(scope, nodes.unordered(result, kind), op.out_positions())


def _is_plain(op: pool.PoolOp, windows: Sequence[Window]) -> bool:
    """Returns whether the padding is one that nodes take: less than the window, and no `ceil_mode`, which runtimes read differently."""
    return not op.prop("ceil_mode", False) and all(
        isinstance(window.size, int) and max(window.before, window.after) < window.size for window in windows
    )


def _pads(windows: Sequence[Window]) -> list[int]:
    return [window.before for window in windows] + [window.after for window in windows]


def _options(windows: Sequence[Window]) -> dict[str, Any]:
    return {
        "kernel_shape": [window.size for window in windows],
        "strides": [window.stride for window in windows],
        "dilations": [window.dilation for window in windows],
    }


def _cut(scope: Scope, x: str, counts: Sequence[Known]) -> str:
    """Returns the first windows of each dim: the padding for the last one may make room for one more."""
    nodes = scope.nodes
    for axis, count in enumerate(counts, start=2):
        x = nodes.sliced(x, axis, nodes.integers([0]), scope.sizes.vector(count))
    return x


def _items(scope: Scope, window: Window, count: Known, size: Known, includes_padding: bool) -> str:
    """Returns how many items of each window along a dim count, at least 1."""
    nodes = scope.nodes
    assert isinstance(window.size, int)
    starts = nodes.add("Mul", scope.indices(count), nodes.scalar(window.stride, i64))
    starts = nodes.add("Sub", starts, nodes.scalar(window.before, i64))
    items = nodes.constant(np.arange(window.size) * window.dilation)
    places = nodes.add("Add", nodes.unsqueezed(starts, [1]), items)
    end = known([add(size, window.after if includes_padding else 0)])[0]
    counted = nodes.compare("Less", places, scope.sizes.scalar(end))
    if not includes_padding:
        counted = nodes.add("And", counted, nodes.compare("GreaterOrEqual", places, nodes.scalar(0, i64)))
    total = nodes.reduced("ReduceSum", nodes.cast(counted, i64), [1])
    return nodes.add("Max", total, nodes.scalar(1, i64))


def _outer(scope: Scope, factors: Sequence[str]) -> str:
    """Returns the outer product of vectors, one for each spatial dim."""
    nodes, rank = scope.nodes, len(factors)
    shaped = [
        nodes.unsqueezed(factor, [axis for axis in range(rank) if axis != index])
        for index, factor in enumerate(factors)
    ]
    result = shaped[0]
    for factor in shaped[1:]:
        result = nodes.add("Mul", result, factor)
    return result


def _quotient(scope: Scope, total: str, counts: str) -> str:
    """Returns the mean; that of integers is truncated."""
    nodes = scope.nodes
    return nodes.add("Div", total, nodes.cast(counts, nodes.element(total)))


def _avg_pool(op: pool.AvgPoolOp, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    kind = nodes.element(args[0])
    x, dims = _canonical(scope, nodes.wide(args[0]), scope.dims(op.x, args[0]), op.positions())
    windows, counts = op.windows(), _counts(op, dims)
    if kind == ui64:
        raise Unsupported("average pooling of ui64: sums beyond i64 cannot be divided")
    is_padded = any(window.before or window.after for window in windows)
    if nodes.element(x) == f32 and _is_plain(op, windows) and (op.includes_padding() or not is_padded):
        result = nodes.add("AveragePool", x, count_include_pad=1, pads=_pads(windows), **_options(windows))
        return _laid_out(scope, nodes.cast(result, kind), op.out_positions())
    x = padded(scope, x, _with_ends(op, windows), 0)
    if nodes.element(x) == f32:
        mean = nodes.add("AveragePool", x, count_include_pad=1, **_options(windows))
        size = math.prod(window.size for window in windows if isinstance(window.size, int))
        total = _cut(scope, nodes.add("Mul", mean, nodes.scalar(size, f32)), counts)
    else:
        view, axes = _windows_of(scope, x, windows, counts)
        total = nodes.wide(nodes.cast(nodes.summed(view, 2 + 2 * len(windows), axes), _summand(kind)))
    items = [
        _items(scope, window, count, size, op.includes_padding())
        for window, count, size in zip(windows, counts, dims[2:], strict=True)
    ]
    return _laid_out(scope, nodes.cast(_quotient(scope, total, _outer(scope, items)), kind), op.out_positions())


def _adaptive_avg_pool(op: pool.AdaptiveAvgPoolOp, args: Sequence[str], scope: Scope) -> str:
    # A sum over `[start, end)` is a product with a matrix of zeros and ones, so that no item outside is added.
    nodes = scope.nodes
    kind = nodes.element(args[0])
    if kind == ui64:
        raise Unsupported("average pooling of ui64: sums beyond i64 cannot be divided")
    x, dims = _canonical(scope, nodes.wide(args[0]), scope.dims(op.x, args[0]), op.positions())
    counts = _counts(op, dims)
    if op.prop("output_size") is None:
        return _laid_out(scope, nodes.cast(x, kind), op.out_positions())
    items: list[str] = []
    for axis, (count, size) in enumerate(zip(counts, dims[2:], strict=True), start=2):
        index = scope.indices(count)
        size_of, count_of = scope.sizes.scalar(size), scope.sizes.scalar(count)
        unit = nodes.scalar(1, i64)
        starts = nodes.add("Div", nodes.add("Mul", index, size_of), count_of)
        reach = nodes.add("Mul", nodes.add("Add", index, unit), size_of)
        ends = nodes.add("Div", nodes.add("Add", reach, nodes.add("Sub", count_of, unit)), count_of)
        # The longest window has at most so many items.
        (longest,) = known([add(apply("floordiv", size, count), 2)])
        places = nodes.add("Add", nodes.unsqueezed(starts, [1]), scope.indices(longest))
        inside = nodes.compare("Less", places, nodes.unsqueezed(ends, [1]))
        view = scope.read(x, [*dims[:2], *counts[: axis - 2], *dims[axis:]], axis, places)
        mask = nodes.unsqueezed(inside, range(2, 2 + len(dims) - axis - 1))
        view = nodes.where(mask, view, nodes.like(0, view))
        x = nodes.wide(nodes.cast(nodes.summed(view, len(dims) + 1, [axis + 1]), _summand(kind)))
        # The mean of nothing is 0.
        items.append(nodes.add("Max", nodes.add("Sub", ends, starts), unit))
    return _laid_out(scope, nodes.cast(_quotient(scope, x, _outer(scope, items)), kind), op.out_positions())


RULES: Rules = {
    conv.Conv1DOp: _conv,
    conv.Conv2DOp: _conv,
    conv.Conv3DOp: _conv,
    conv.Conv1DTransposeOp: _conv_transpose,
    conv.Conv2DTransposeOp: _conv_transpose,
    conv.Conv3DTransposeOp: _conv_transpose,
    pool.MaxPool1DOp: _max_pool,
    pool.MaxPool2DOp: _max_pool,
    pool.MaxPool3DOp: _max_pool,
    pool.AvgPool1DOp: _avg_pool,
    pool.AvgPool2DOp: _avg_pool,
    pool.AvgPool3DOp: _avg_pool,
    pool.AdaptiveAvgPool1DOp: _adaptive_avg_pool,
    pool.AdaptiveAvgPool2DOp: _adaptive_avg_pool,
    pool.AdaptiveAvgPool3DOp: _adaptive_avg_pool,
}
