"""Interpreter rules of pooling; sums of f16 and bf16 are taken in f32, of 8 and 16 bit integers in i32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialects.relax.ops.nn import pool as nn_pool
from ....dialects.relax.rules.window import Window
from ...rule import Bindings, Rules, result_dtype, widened
from .conv import gathered_windows


def _views(op: nn_pool.PoolOp, x: Any, fill: Any) -> tuple[Any, list[Window], list[int]]:
    """Returns the windows of the padded operand in canonical layout, with their sizes last, and their number in each dim."""
    windows, ceil_mode = op.windows(), op.prop("ceil_mode", False)
    counts: list[Any] = op.result_sizes(op.size_context(), x.shape[2:])
    pairs = [(window.before, window.after + (window.stride - 1 if ceil_mode else 0)) for window in windows]
    padded = np.pad(x, [(0, 0), (0, 0), *pairs], constant_values=fill)
    return gathered_windows(padded, windows, counts), windows, counts


def _laid_out(op: nn_pool.PoolLikeOp, result: Any) -> list[Any]:
    return [np.ascontiguousarray(result.transpose(np.argsort(op.out_positions())).astype(result_dtype(op)))]


def _max_pool(op: nn_pool.MaxPoolOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x = widened(args[0]).transpose(op.positions())
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    view, windows, _ = _views(op, x, lowest)
    return _laid_out(op, np.max(view, axis=tuple(range(-len(windows), 0))))


def _summands(x: Any) -> Any:
    if x.dtype.kind == "f" or x.dtype.itemsize >= 4:
        return x
    return x.astype(np.int32 if x.dtype.kind == "i" else np.uint32)


def _mean(total: Any, counts: Any) -> Any:
    """Returns the quotient; that of integers is truncated."""
    if total.dtype.kind == "f":
        return total / counts.astype(total.dtype)
    quotient = np.abs(total) // counts.astype(total.dtype)
    return np.where(total < 0, -quotient, quotient).astype(total.dtype)


def items_of(window: Window, count: int, size: int, includes_padding: bool) -> Any:
    """Returns how many items of each window count."""
    starts = np.arange(count)[:, None] * window.stride - window.before
    positions = starts + np.arange(window.size)[None, :] * window.dilation  # pyright: ignore[reportArgumentType, reportCallIssue]
    counted = positions < size + window.after if includes_padding else (positions >= 0) & (positions < size)
    return np.maximum(counted.sum(axis=1), 1)


def _avg_pool(op: nn_pool.AvgPoolOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x = _summands(widened(args[0]).transpose(op.positions()))
    view, windows, counts = _views(op, x, 0)
    items = np.ones((), np.int64)
    for window, count, size in zip(windows, counts, x.shape[2:], strict=True):
        items = np.multiply.outer(items, items_of(window, count, size, op.includes_padding()))
    total = np.sum(view, axis=tuple(range(-len(windows), 0)), dtype=x.dtype)
    return _laid_out(op, _mean(total, items))


def _adaptive_avg_pool(op: nn_pool.AdaptiveAvgPoolOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x = _summands(widened(args[0]).transpose(op.positions()))
    counts: list[Any] = op.result_sizes(op.size_context(), x.shape[2:])
    items = np.ones((), np.int64)
    total = x
    for axis, (count, size) in enumerate(zip(counts, x.shape[2:], strict=True), start=2):
        starts = [index * size // count for index in range(count)]
        ends = [-(-(index + 1) * size // count) for index in range(count)]
        parts = [
            np.sum(np.take(total, range(start, end), axis=axis), axis=axis, dtype=x.dtype)
            for start, end in zip(starts, ends, strict=True)
        ]
        total = np.stack(parts, axis=axis) if parts else np.take(total, np.arange(0), axis=axis)
        items = np.multiply.outer(items, np.subtract(ends, starts))
    # The mean of nothing is 0.
    return _laid_out(op, _mean(total, np.maximum(items, 1)))


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
