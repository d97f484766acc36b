"""Images: what each place of a result reads, and with which weights, is known when the program is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .....dialects.relax.ops.image import integer_range
from .....interpreter.relax.image import coordinates_of, table_of
from ..emit import Emitter, element_of, shape_of
from ..rule import Rules, result_element, result_shape
from .elementwise import converted
from .indexing import gather
from .reductions import total


def _is_exact(element: str) -> bool:
    """Returns whether values of an element type are interpolated in f64."""
    return element in ("f64", "i32", "i64", "ui32", "ui64")


def _resize2d(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, element = operands[0], result_element(op)
    wide = "f64" if _is_exact(element_of(x)) or _is_exact(element) else "f32"
    is_nearest = op.chosen_method() == "nearest_neighbor"
    outside: list[Any] = []
    x = x if is_nearest else e.convert(x, wide)
    for axis, position in enumerate(op.positions()[2:]):
        size, count = shape_of(x)[position], result_shape(op)[position]
        at = coordinates_of(op, axis, size, count)
        items, weights = table_of(op, at, size)
        outside.append(e.place(e.array((at < 0) | (at > size - 1), "i1"), [position], result_shape(op)))
        x = _read(e, x, position, items, None if is_nearest else e.convert(e.array(weights, "f64"), wide))
    if not is_nearest and element.lstrip("ui").isdecimal():
        x = e.binary("minimum", *_bounded(e, x, element))
    y = converted(e, x, element)
    if op.transformation() == "tf_crop_and_resize":
        value = converted(e, e.constant(op.prop("extrapolation_value", 0.0), "f64"), element)
        y = e.select(e.binary("or", *outside), value, y)
    return y


def _bounded(e: Emitter, x: Any, element: str) -> tuple[Any, float]:
    low, high = integer_range(int(element.lstrip("ui")), element.startswith("u"))
    return e.binary("maximum", x, low), high


def _read(e: Emitter, x: Any, position: int, items: Any, weights: Any) -> Any:
    """Writes the items `[count, taps]` along a dim, summed with weights."""
    count, taps = items.shape
    rank = len(shape_of(x))
    read = gather(e, x, e.array(items.reshape(count, taps, 1).astype(np.int64), "i64"), [position])
    rest = range(2, rank + 1)
    read = e.transpose(read, [*rest[:position], 0, 1, *rest[position:]])
    if weights is not None:
        read = e.binary("multiply", read, e.place(weights, [position, position + 1], shape_of(read)))
        return total(e, read, [position + 1])
    return e.reshape(read, [*shape_of(read)[: position + 1], *shape_of(read)[position + 2 :]])


RULES: Rules = {"relax.image.resize2d": _resize2d}
