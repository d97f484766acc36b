"""Interpreter rule of resize2d: a table of items and weights for each of the two dims, applied one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialects.relax.ops import image
from ..rule import Bindings, Rules, result_dtype


def coordinates_of(op: image.Resize2DOp, axis: int, size: int, count: int) -> Any:
    """Returns where in an axis of a size each of `count` pixels of the result lies, by the formulas of ONNX's Resize."""
    index, scale = np.arange(count, dtype=np.float64), op.scale(axis)

    def scaled(places: Any) -> Any:
        return places * size / count if scale is None else places / scale

    match op.transformation():
        case "half_pixel":
            return scaled(index + 0.5) - 0.5
        case "pytorch_half_pixel":
            return scaled(index + 0.5) - 0.5 if count > 1 else np.zeros(1)
        case "align_corners":
            return index * (size - 1) / max(count - 1, 1)
        case "asymmetric":
            return scaled(index)
        case "tf_half_pixel_for_nn":
            return scaled(index + 0.5)
        case _:
            start, end = op.region(axis)
            if count == 1:
                return np.array([0.5 * (start + end) * (size - 1)])
            return start * (size - 1) + index * ((end - start) * (size - 1)) / (count - 1)


def _nearest(op: image.Resize2DOp, coordinates: Any) -> Any:
    match op.rounding():
        case "round":
            whole = np.trunc(coordinates)
            return whole + np.sign(coordinates) * (np.abs(coordinates - whole) >= 0.5)
        case "round_prefer_floor":
            return np.ceil(coordinates - 0.5)
        case "round_prefer_ceil":
            return np.floor(coordinates + 0.5)
        case "floor":
            return np.floor(coordinates)
        case _:
            return np.ceil(coordinates)


def table_of(op: image.Resize2DOp, coordinates: Any, size: int) -> tuple[Any, Any]:
    """Returns the items `[count, taps]` that each place reads, inside the image, and their weights."""
    if op.chosen_method() == "nearest_neighbor":
        items = _nearest(op, coordinates)[:, None]
        weights = np.ones_like(items)
    else:
        first = np.floor(coordinates)
        t = coordinates - first
        if op.chosen_method() == "linear":
            items, weights = first[:, None] + np.arange(2), np.stack([1 - t, t], axis=1)
        else:
            items = first[:, None] + np.arange(-1, 3)
            weights = np.stack(cubic_weights(t, op.prop("cubic_alpha", -0.75)), axis=1)
            if op.prop("cubic_exclude", 0):
                weights = np.where((items < 0) | (items >= size), 0, weights)
                weights = weights / weights.sum(axis=1, keepdims=True)
    return np.clip(items, 0, size - 1).astype(np.int64), weights


def cubic_weights(t: Any, alpha: float) -> list[Any]:
    """Returns the weights of the four items around a coordinate with the fractional part `t` (Keys, 1981)."""
    return [
        alpha * (t * t * t - 2 * t * t + t),
        (alpha + 2) * t * t * t - (alpha + 3) * t * t + 1,
        -(alpha + 2) * t * t * t + (2 * alpha + 3) * t * t - alpha * t,
        alpha * (t * t - t * t * t),
    ]


def _resize2d(op: image.Resize2DOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data = np.asarray(args[0]).transpose(op.positions())
    dtype = result_dtype(op)
    sizes, counts = data.shape[2:], tuple(int(count) for count in args[1])
    coordinates = [coordinates_of(op, axis, sizes[axis], counts[axis]) for axis in range(2)]
    (rows, row_weights), (columns, column_weights) = (table_of(op, coordinates[axis], sizes[axis]) for axis in range(2))
    if op.chosen_method() == "nearest_neighbor":
        result = data[:, :, rows[:, 0]][:, :, :, columns[:, 0]].astype(dtype)
    else:
        exact = any(kind == np.float64 or (kind.kind in "iu" and kind.itemsize >= 4) for kind in (data.dtype, dtype))
        wide = np.dtype(np.float64 if exact else np.float32)
        lines = data[:, :, rows].astype(wide)
        lines = sum(lines[:, :, :, tap] * row_weights.astype(wide)[:, tap, None] for tap in range(rows.shape[1]))
        items = np.asarray(lines)[:, :, :, columns]
        result = sum(items[..., tap] * column_weights.astype(wide)[:, tap] for tap in range(columns.shape[1]))
        if dtype.kind in "iu":
            result = np.clip(result, *image.integer_range(dtype.itemsize * 8, dtype.kind == "u"))
        result = np.asarray(result).astype(dtype)
    if op.transformation() == "tf_crop_and_resize":
        outside = [(at < 0) | (at > size - 1) for at, size in zip(coordinates, sizes, strict=True)]
        value = np.asarray(op.prop("extrapolation_value", 0.0)).astype(dtype)
        result = np.where(outside[0][:, None] | outside[1], value, result)
    return [np.ascontiguousarray(result.transpose(np.argsort(op.positions())))]


RULES: Rules = {
    image.Resize2DOp: _resize2d,
}
