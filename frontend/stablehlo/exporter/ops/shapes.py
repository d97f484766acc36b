"""Tensors from nothing, and shape manipulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .....dialects.relax.dense import dense_to_numpy, is_splat
from ..emit import Emitter, element_of, shape_of
from ..rule import Rules, known_sizes, result_element, result_shape
from .elementwise import converted, wide
from .indexing import gather


def _constant(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    shape, element = result_shape(op), result_element(op)
    array = dense_to_numpy(op.value)
    if array.size and is_splat(op.value):
        return e.constant(array.reshape(-1)[0], element, shape)
    return e.array(array, element)


def _reshape(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return e.reshape(operands[0], result_shape(op))


def _permute(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    rank = len(shape_of(operands[0]))
    axes = op.prop("axes")
    return e.transpose(operands[0], [axis % rank for axis in axes] if axes is not None else list(reversed(range(rank))))


def _broadcast(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return e.broadcast(operands[0], result_shape(op))


def _concat(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return e.concatenate(operands, op.prop("axis", 0) % len(result_shape(op)))


def _stack(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    shape = result_shape(op)
    axis = op.prop("axis", 0) % len(shape)
    single = [1 if index == axis else size for index, size in enumerate(shape)]
    return e.concatenate([e.reshape(x, single) for x in operands], axis)


def _split(e: Emitter, op: Any, operands: Sequence[Any]) -> list[Any]:
    x = operands[0]
    axis = op.prop("axis", 0) % len(shape_of(x))
    parts: list[Any] = []
    start = 0
    for index in range(len(op.results)):
        size = result_shape(op, index)[axis]
        parts.append(e.along(x, axis, start, start + size))
        start += size
    return parts


def _repeat(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, count = operands[0], op.prop("repeats")
    shape = list(shape_of(x))
    if op.prop("axis") is None:
        total = 1
        for size in shape:
            total *= size
        x, shape, axis = e.reshape(x, [total]), [total], 0
    else:
        axis = op.prop("axis") % len(shape)
    spread = [*shape[: axis + 1], count, *shape[axis + 1 :]]
    places = [index if index <= axis else index + 1 for index in range(len(shape))]
    return e.reshape(e.place(x, places, spread), result_shape(op))


def _tile(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, repeats = operands[0], list(op.prop("repeats"))
    shape = [1] * (len(repeats) - len(shape_of(x))) + list(shape_of(x))
    repeats = [1] * (len(shape) - len(repeats)) + repeats
    x = e.reshape(x, shape)
    spread = [size for pair in zip(repeats, shape, strict=True) for size in pair]
    return e.reshape(e.place(x, [2 * axis + 1 for axis in range(len(shape))], spread), result_shape(op))


def _flip(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return e.reverse(operands[0], [op.prop("axis") % len(shape_of(operands[0]))])


def _pad(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, mode = operands[0], op.prop("pad_mode", "constant")
    widths = op.widths(len(shape_of(x)))
    if mode == "constant":
        value = e.constant(op.prop("pad_value", 0.0), element_of(x))
        return e.pad(x, value, [low for low, _ in widths], [high for _, high in widths])
    for axis, (low, high) in enumerate(widths):
        if low or high:
            size = shape_of(x)[axis]
            places = np.arange(-low, size + high)
            if mode == "reflect":
                places = np.abs(places)
                places = np.where(places > size - 1, 2 * (size - 1) - places, places)
            elif mode == "circular":
                places = np.where(places < 0, places + size, places)
                places = np.where(places > size - 1, places - size, places)
            x = read(e, x, axis, places)
    return x


def read(e: Emitter, x: Any, axis: int, places: Any) -> Any:
    """Writes the items at known places along an axis, the nearest ones where they are out of range; zeros of nothing."""
    shape = shape_of(x)
    if 0 in shape:
        return e.constant(0, element_of(x), [*shape[:axis], len(places), *shape[axis + 1 :]])
    inside = np.clip(places, 0, shape[axis] - 1).astype(np.int64)
    taken = gather(e, x, e.array(inside.reshape(-1, 1), "i64"), [axis])
    return e.transpose(taken, [*range(1, axis + 1), 0, *range(axis + 1, len(shape))])


def _strided_slice(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = operands[0]
    starts, ends, steps = [0] * len(shape_of(x)), list(shape_of(x)), [1] * len(shape_of(x))
    turned: list[int] = []
    for axis, (begin, length, step) in enumerate(op.ranges(shape_of(x))):
        start, count = known_sizes([begin, length])
        last, size = start + (count - 1) * step, shape_of(x)[axis]
        if count and not (0 <= start < size and 0 <= last < size):
            # `assume_inbound` was wrong.
            x = read(e, x, axis, start + step * np.arange(count))
            ends[axis] = count
            continue
        if step < 0:
            # The same elements in the other order.
            start, last, step = last, start, -step
            turned.append(axis)
        starts[axis], steps[axis] = start if count else 0, step
        ends[axis] = last + 1 if count else starts[axis]
    return e.reverse(e.slice(x, starts, ends, steps), turned)


def _filled(value: int) -> Any:
    return lambda e, op, operands: e.constant(value, result_element(op), result_shape(op))


def _full(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return e.broadcast(converted(e, operands[-1], result_element(op)), result_shape(op))


def _arange(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    start, _, step = op.limits()
    is_whole = isinstance(step, int)
    numbers = e.iota(result_shape(op), 0, "i64" if is_whole else "f64")
    if is_whole:
        (start,) = known_sizes([start])
    return converted(e, e.binary("add", e.binary("multiply", numbers, step), start), result_element(op))


def _hamming_window(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    (size,) = result_shape(op)
    period = size if op.prop("periodic", True) else max(size - 1, 1)
    angle = e.binary("multiply", e.iota([size], 0, "f64"), 2 * math.pi / period)
    waves = e.binary("multiply", e.unary("cosine", angle), -op.prop("beta", 0.46))
    window = e.binary("add", waves, op.prop("alpha", 0.54)) if size > 1 else e.constant(1.0, "f64", [1])
    return converted(e, window, result_element(op))


def _collapse_sum_to(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, shape = operands[0], result_shape(op)
    lead = len(shape_of(x)) - len(shape)
    axes = [*range(lead), *(lead + axis for axis, size in enumerate(shape) if size == 1)]
    sums = e.reduce(wide(e, x), "add", 0, axes)
    return e.convert(e.reshape(sums, shape), element_of(x))


def _meshgrid(e: Emitter, op: Any, operands: Sequence[Any]) -> list[Any]:
    return [
        e.place(x if shape_of(x) else e.reshape(x, [1]), [op.axis_of(index)], result_shape(op, index))
        for index, x in enumerate(operands)
    ]


def _triangle(name: str) -> Any:
    def write(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
        x = operands[0]
        shape = shape_of(x)
        rows, columns = (e.iota(shape, len(shape) - back, "i64") for back in (2, 1))
        kept = e.compare(name, columns, e.binary("add", rows, op.diagonal()))
        return e.select(kept, x, e.constant(0, element_of(x)))

    return write


def _eye(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    shape = result_shape(op)
    rows, columns = e.iota(shape, 0, "i64"), e.iota(shape, 1, "i64")
    return e.convert(e.compare("equal", columns, e.binary("add", rows, op.diagonal())), result_element(op))


RULES: Rules = {
    "relax.arange": _arange,
    "relax.broadcast_to": _broadcast,
    "relax.collapse_sum_to": _collapse_sum_to,
    "relax.concat": _concat,
    "relax.constant": _constant,
    "relax.expand_dims": _reshape,
    "relax.eye": _eye,
    "relax.eye_like": _eye,
    "relax.flatten": _reshape,
    "relax.flip": _flip,
    "relax.full": _full,
    "relax.full_like": _full,
    "relax.hamming_window": _hamming_window,
    "relax.meshgrid": _meshgrid,
    "relax.nn.pad": _pad,
    "relax.ones": _filled(1),
    "relax.ones_like": _filled(1),
    "relax.permute_dims": _permute,
    "relax.repeat": _repeat,
    "relax.reshape": _reshape,
    "relax.split": _split,
    "relax.squeeze": _reshape,
    "relax.stack": _stack,
    "relax.strided_slice": _strided_slice,
    "relax.tile": _tile,
    "relax.tril": _triangle("less_equal"),
    "relax.triu": _triangle("greater_equal"),
    "relax.zeros": _filled(0),
    "relax.zeros_like": _filled(0),
}
