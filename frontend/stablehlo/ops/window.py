"""Reductions of windows, and gradients of poolings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as places_of
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects.symbolic.expressions import apply
from ....dialects.symbolic.nodes import Known
from ...model.value_types import sizes_of
from ..bodies import applied, only_op
from ..node import Node, known_sizes
from ..table import Table, converters
from .manipulate import padded, sliced
from .reduction import REDUCTIONS, is_neutral, joined
from .scatter import scattered

TABLE: Table = {}
op = converters(TABLE)


@op("reduce_window")
def _reduce_window(node: Node) -> list[SSAValue]:
    """Converts an op, one dim after the other: the elements of a window are consecutive parts of it, and a body is associative."""
    count = len(node.inputs) // 2
    rank = node.rank(0)
    window = node.ints("window_dimensions")
    strides, inner, dilations = (
        node.ints(name, [1] * rank) for name in ("window_strides", "base_dilations", "window_dilations")
    )
    pads = node.ints("padding", [0] * (2 * rank))
    values: list[SSAValue] = []
    for index in range(count):
        initial = node.x(count + index)
        gaps = [step - 1 for step in inner]
        values.append(padded(node, node.x(index), initial, pads[0::2], pads[1::2], gaps))
    for axis in reversed(range(rank)):
        if window[axis] != 1 or strides[axis] != 1:
            values = _slid(node, values, axis, window[axis], strides[axis], dilations[axis])
    reduction = REDUCTIONS.get(only_op(node.regions[0]) or "") if count == 1 else None
    if reduction is not None and is_neutral(node, 1, reduction):
        return values
    return joined(node, [node.x(count + index) for index in range(count)], values)


def _slid(node: Node, values: list[SSAValue], axis: int, window: int, stride: int, dilation: int) -> list[SSAValue]:
    """Returns the windows along an axis reduced: parts of 1, 2, 4, ... elements are joined to those that the window has."""
    # Invariant: `parts[i]` is the reduction of the `length` elements from place i on; `total` that of the first `done` of a window.
    g, region = node.g, node.regions[0]
    size = sizes_of(values[0])[axis]
    extent = (window - 1) * dilation + 1
    last = apply("-", size, extent)
    assert last is not None
    starts = apply("+", apply("floordiv", last, stride), 1)
    assert starts is not None
    if isinstance(starts, int) and starts <= 0:
        shape = list(sizes_of(values[0]))
        shape[axis] = 0
        return [g.reshape(sliced(node, x, [0] * len(shape), shape), shape) for x in values]

    def windows(parts: Sequence[SSAValue], offset: int) -> list[SSAValue]:
        reach = apply("+", apply("*", apply("-", starts, 1), stride), offset + 1)
        assert reach is not None
        return [_along(node, x, axis, offset, reach, stride) for x in parts]

    parts, length = values, 1
    total: list[SSAValue] | None = None
    done = 0
    while True:
        if window & length:
            piece = windows(parts, done * dilation)
            total = piece if total is None else applied(node, region, [*total, *piece], sizes_of(piece[0]))
            done += length
        if 2 * length > window:
            break
        end = apply("-", sizes_of(parts[0])[axis], length * dilation)
        assert end is not None
        first = [_along(node, x, axis, 0, end, 1) for x in parts]
        second = [_along(node, x, axis, length * dilation, sizes_of(x)[axis], 1) for x in parts]
        parts, length = applied(node, region, [*first, *second], sizes_of(first[0])), 2 * length
    assert total is not None
    return total


def _along(node: Node, x: SSAValue, axis: int, start: int, end: Known, stride: int) -> SSAValue:
    sizes = list(sizes_of(x))
    starts, ends, steps = [0] * len(sizes), [*sizes], [1] * len(sizes)
    starts[axis], ends[axis], steps[axis] = start, end, stride
    return sliced(node, x, starts, ends, steps)


@op("select_and_scatter")
def _select_and_scatter(node: Node) -> SSAValue:
    """Converts an op: of each window the place that is selected, in order; then the sources are scattered to these places."""
    g, x, initial = node.g, node.x(0), node.x(2)
    shape = known_sizes(node.shape(0), "the sizes of the operand")
    rank = len(shape)
    window, strides = node.ints("window_dimensions", [1] * rank), node.ints("window_strides", [1] * rank)
    pads = node.ints("padding", [0] * (2 * rank))
    sources = known_sizes(node.shape(1), "the sizes of the source")
    numbers = g.reshape(g.arange(start=0, end=int(np.prod(shape)), dtype=i64), shape)
    outside = g.constant(-1, i64)
    low, high, none = pads[0::2], pads[1::2], [0] * rank
    values = padded(node, x, initial, low, high, none)
    numbers = padded(node, numbers, outside, low, high, none)
    best: SSAValue | None = None
    place: SSAValue = outside
    for offset in places_of(*(range(size) for size in window)):
        ends = [start + (count - 1) * step + 1 for start, count, step in zip(offset, sources, strides, strict=True)]
        value = sliced(node, values, offset, ends, strides)
        number = sliced(node, numbers, offset, ends, strides)
        if best is None:
            best, place = value, number
            continue
        keeps = _selects(node, node.regions[0], best, value)
        keeps = g.logical_or(g.logical_and(keeps, g.greater_equal(place, 0)), g.less(number, 0))
        best, place = g.where(keeps, best, value), g.where(keeps, place, number)
    total = int(np.prod(shape))
    flat = g.full([total], initial)
    place = g.where(g.less(place, 0), g.constant(total, i64), place)
    count = int(np.prod(sources))
    (result,) = scattered(
        node, node.regions[1], [flat], g.reshape(place, [count]), [g.reshape(node.x(1), [count])], is_unique=False
    )
    return g.reshape(result, shape)


def _selects(node: Node, region: Any, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    return applied(node, region, [lhs, rhs], sizes_of(lhs))[0]
