"""Pooling; sums are taken in f32 for floats of 16 bits, in 32 bits for integers of 8 and 16, as the dialect has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .....dialects.relax.rules.window import Window
from .....interpreter.relax.nn.pool import items_of
from ..emit import Emitter, element_of, shape_of
from ..rule import Rules, known_sizes, result_element
from .elementwise import is_float, wide
from .reductions import least, total


def laid_out(e: Emitter, op: Any, y: Any) -> Any:
    """Writes a result in the layout of its op; it has that of the operand."""
    positions, targets = op.positions(), op.out_positions()
    order = [positions[targets.index(axis)] for axis in range(len(positions))]
    return e.transpose(y, order)


def _spread(op: Any, values: Sequence[Any], neutral: Any) -> list[Any]:
    """Returns one value for each dim of the operand: those of its spatial dims, and a neutral one for the others."""
    result = [neutral] * (len(values) + 2)
    for position, value in zip(op.positions()[2:], values, strict=True):
        result[position] = value
    return result


def _windows(e: Emitter, op: Any, x: Any, name: str, initial: Any) -> tuple[Any, list[Window], list[int]]:
    """Writes what each window is reduced to; returns also the windows and their number along each spatial dim."""
    windows = op.windows()
    sizes = [shape_of(x)[position] for position in op.positions()[2:]]
    counts = known_sizes(op.result_sizes(op.size_context(), sizes))
    pads = [
        # In `ceil_mode` the last window may reach over the padding.
        (window.before, max(window.after, (count - 1) * window.stride + _extent(window) - size - window.before))
        for window, count, size in zip(windows, counts, sizes, strict=True)
    ]
    y = e.reduce_windows(
        x,
        name,
        initial,
        _spread(op, [window.size for window in windows], 1),
        _spread(op, pads, (0, 0)),
        _spread(op, [window.stride for window in windows], 1),
        _spread(op, [window.dilation for window in windows], 1),
    )
    for position, count in zip(op.positions()[2:], counts, strict=True):
        y = e.along(y, position, 0, count)
    return y, windows, counts


def _extent(window: Window) -> int:
    return known_sizes([window.extent()])[0]


def _max_pool(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    (x,) = operands
    return laid_out(e, op, _windows(e, op, x, "maximum", least(element_of(x)))[0])


def _summands(e: Emitter, x: Any) -> Any:
    element = element_of(x)
    if is_float(x):
        return wide(e, x)
    return e.convert(x, "ui32" if element.startswith("ui") else "i32") if element[-2:] in ("i8", "16") else x


def _quotient(e: Emitter, op: Any, sums: Any, items: Sequence[Any]) -> Any:
    """Writes sums divided by how many items each has, of which the counts along each spatial dim are given; integers are truncated."""
    counts = np.ones((), np.int64)
    for along in items:
        counts = np.multiply.outer(counts, along)
    element = element_of(sums)
    order = sorted(range(len(items)), key=lambda index: op.positions()[2 + index])
    divisor = np.ascontiguousarray(counts.transpose(order).reshape(_spread(op, counts.shape, 1)))
    y = e.binary("divide", sums, e.convert(e.array(divisor, "i64"), element))
    return laid_out(e, op, e.convert(y, result_element(op)))


def _avg_pool(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = _summands(e, operands[0])
    sums, windows, counts = _windows(e, op, x, "add", 0)
    sizes = [shape_of(x)[position] for position in op.positions()[2:]]
    items = [
        items_of(window, count, size, op.includes_padding())
        for window, count, size in zip(windows, counts, sizes, strict=True)
    ]
    return _quotient(e, op, sums, items)


def _adaptive_avg_pool(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    if op.prop("output_size") is None:
        return laid_out(e, op, operands[0])
    x = _summands(e, operands[0])
    sizes = [shape_of(x)[position] for position in op.positions()[2:]]
    counts = known_sizes(op.result_sizes(op.size_context(), sizes))
    items: list[Any] = []
    for position, size, count in zip(op.positions()[2:], sizes, counts, strict=True):
        starts = np.arange(count) * size // count
        ends = -(-(np.arange(count) + 1) * size // count)
        if size % count == 0:
            x = total(e, e.split(x, position, [count, size // count]), [position + 1])
        else:
            single = [1 if axis == position else length for axis, length in enumerate(shape_of(x))]
            sums = [
                total(e, e.along(x, position, start, end), [position]) for start, end in zip(starts, ends, strict=True)
            ]
            x = e.concatenate([e.reshape(part, single) for part in sums], position)
        # The mean of nothing is 0.
        items.append(np.maximum(ends - starts, 1))
    return _quotient(e, op, x, items)


RULES: Rules = {
    "relax.nn.adaptive_avg_pool1d": _adaptive_avg_pool,
    "relax.nn.adaptive_avg_pool2d": _adaptive_avg_pool,
    "relax.nn.adaptive_avg_pool3d": _adaptive_avg_pool,
    "relax.nn.avg_pool1d": _avg_pool,
    "relax.nn.avg_pool2d": _avg_pool,
    "relax.nn.avg_pool3d": _avg_pool,
    "relax.nn.max_pool1d": _max_pool,
    "relax.nn.max_pool2d": _max_pool,
    "relax.nn.max_pool3d": _max_pool,
}
