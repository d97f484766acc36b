"""Tensors from nothing, and shape manipulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .....dialects.relax.dense import dense_to_numpy, is_splat
from ....model.problems import Unsupported
from ...bindings import ir
from ..emit import Emitter, element_of, shape_of
from ..rule import Rules, result_element, result_shape


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
    x = operands[0]
    axis = op.prop("axis") % len(shape_of(x))
    return e.op("reverse", (x,), shape_of(x), element_of(x), {"dimensions": ir.DenseI64ArrayAttr.get([axis])})


def _pad(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    if op.prop("pad_mode", "constant") != "constant":
        raise Unsupported(f"padding of mode {op.prop('pad_mode')} has no counterpart")
    widths = op.prop("pad_width")
    value = op.prop("pad_value", 0.0)
    return e.pad(operands[0], e.constant(value, element_of(operands[0])), widths[0::2], widths[1::2])


def _strided_slice(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = operands[0]
    if op.prop("begin") is None or op.prop("assume_inbound"):
        raise Unsupported("slices between shape values have no counterpart")
    starts, ends, steps = [0] * len(shape_of(x)), list(shape_of(x)), [1] * len(shape_of(x))
    turned: list[int] = []
    strides = op.prop("strides") or [1] * len(op.prop("axes"))
    for axis, begin, end, stride in zip(op.prop("axes"), op.prop("begin"), op.prop("end"), strides, strict=True):
        axis %= len(starts)
        start, stop, step = slice(begin, end, stride).indices(shape_of(x)[axis])
        count = len(range(start, stop, step))
        if step < 0:
            # The same elements in the other order.
            start, step = start + (count - 1) * step if count else 0, -step
            turned.append(axis)
        starts[axis], steps[axis] = start if count else 0, step
        ends[axis] = starts[axis] + (count - 1) * step + 1 if count else starts[axis]
    x = e.slice(x, starts, ends, steps)
    if not turned:
        return x
    return e.op("reverse", (x,), shape_of(x), element_of(x), {"dimensions": ir.DenseI64ArrayAttr.get(sorted(turned))})


def _filled(value: int) -> Any:
    return lambda e, op, operands: e.constant(value, result_element(op), result_shape(op))


def _full(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return e.broadcast(e.convert(operands[-1], result_element(op)), result_shape(op))


def _arange(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    if op.prop("end") is None:
        raise Unsupported("a range between shape values has no counterpart")
    start, step = op.prop("start", 0), op.prop("step", 1)
    wide = "i64" if all(isinstance(item, int) for item in (start, step, op.prop("end"))) else "f64"
    numbers = e.iota(result_shape(op), 0, wide)
    return e.convert(e.binary("add", e.binary("multiply", numbers, step), start), result_element(op))


def _triangle(name: str) -> Any:
    def write(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
        x = operands[0]
        shape = shape_of(x)
        rows, columns = (e.iota(shape, len(shape) - back, "i64") for back in (2, 1))
        kept = e.compare(name, columns, e.binary("add", rows, op.prop("k", 0)))
        return e.select(kept, x, e.constant(0, element_of(x)))

    return write


def _eye(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    shape = result_shape(op)
    rows, columns = e.iota(shape, 0, "i64"), e.iota(shape, 1, "i64")
    return e.convert(e.compare("equal", columns, e.binary("add", rows, op.prop("k", 0))), result_element(op))


def _same(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return operands[0]


RULES: Rules = {
    "relax.arange": _arange,
    "relax.broadcast_to": _broadcast,
    "relax.builtin.stop_lift_params": _same,
    "relax.concat": _concat,
    "relax.constant": _constant,
    "relax.expand_dims": _reshape,
    "relax.eye": _eye,
    "relax.eye_like": _eye,
    "relax.flatten": _reshape,
    "relax.flip": _flip,
    "relax.full": _full,
    "relax.full_like": _full,
    "relax.match_cast": _same,
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
