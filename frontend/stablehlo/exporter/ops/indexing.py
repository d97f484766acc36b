"""Reading and writing at computed places."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...bindings import ir
from ..emit import Emitter, element_of, ints, shape_of
from ..rule import Rules, known_sizes, result_element, result_shape


def signed(e: Emitter, indices: Any) -> Any:
    """Writes indices as i64; those beyond it become the largest."""
    if element_of(indices) == "ui64":
        indices = e.binary("minimum", indices, 2**63 - 1)
    return e.convert(indices, "i64")


def inside(e: Emitter, indices: Any, size: int, mode: str) -> Any:
    """Writes indices of i64 that are in range, as a mode of `relax.take` has them."""
    indices = signed(e, indices)
    if mode == "wrap":
        rest = e.binary("remainder", indices, size)
        return e.select(e.compare("less", rest, 0), e.binary("add", rest, size), rest)
    if mode == "fast":
        indices = e.select(e.compare("less", indices, 0), e.binary("add", indices, size), indices)
    return e.binary("minimum", e.binary("maximum", indices, 0), size - 1)


def gather(e: Emitter, x: Any, vectors: Any, axes: Sequence[int]) -> Any:
    """Writes the parts of a tensor at index vectors (along the last dim) for axes; the dims of the vectors come first."""
    batch = shape_of(vectors)[:-1]
    rest = [axis for axis in range(len(shape_of(x))) if axis not in axes]
    offsets = list(range(len(batch), len(batch) + len(rest)))
    numbers = ir.Attribute.parse(
        f"#stablehlo.gather<offset_dims = {offsets}, collapsed_slice_dims = {sorted(axes)}, "
        f"start_index_map = {list(axes)}, index_vector_dim = {len(batch)}>"
    )
    slices = [1 if axis in axes else size for axis, size in enumerate(shape_of(x))]
    shape = [*batch, *(shape_of(x)[axis] for axis in rest)]
    attributes = {"dimension_numbers": numbers, "slice_sizes": ints(slices)}
    return e.op("gather", (x, vectors), shape, element_of(x), attributes)


def _take(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, indices = operands
    mode = op.prop("mode", "fast")
    x = e.reshape(x, [1]) if not shape_of(x) else x
    axis = op.prop("axis", 0) % len(shape_of(x))
    if 0 in shape_of(x):
        return e.constant(math.nan if mode == "nan" else 0, element_of(x), result_shape(op))
    places = inside(e, indices, shape_of(x)[axis], mode)
    count = len(shape_of(places))
    taken = gather(e, x, e.reshape(places, (*shape_of(places), 1)), [axis])
    # The dims of the indices stand in place of the axis.
    rest = range(count, len(shape_of(taken)))
    taken = e.transpose(taken, [*rest[:axis], *range(count), *rest[axis:]])
    if mode != "nan":
        return taken
    wide = signed(e, indices)
    outside = e.binary("or", e.compare("less", wide, 0), e.compare("greater_equal", wide, shape_of(x)[axis]))
    outside = e.place(outside, list(range(axis, axis + count)), shape_of(taken))
    return e.select(outside, math.nan, taken)


def element_vectors(e: Emitter, indices: Any, axis: int) -> Any:
    """Writes the index vectors of `gather_elements`: each element's own place, but for the axis."""
    shape = shape_of(indices)
    parts = [indices if index == axis else e.iota(shape, index, "i64") for index in range(len(shape))]
    return e.concatenate([e.reshape(part, (*shape, 1)) for part in parts], len(shape))


def _gather_elements(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, indices = operands
    axis = op.prop("axis", 0) % len(shape_of(x))
    if 0 in shape_of(x):
        return e.constant(0, element_of(x), result_shape(op))
    places = inside(e, indices, shape_of(x)[axis], "fast")
    return gather(e, x, element_vectors(e, places, axis), list(range(len(shape_of(x)))))


REDUCTIONS = {"add": "add", "mul": "multiply", "min": "minimum", "max": "maximum"}


def scatter(e: Emitter, x: Any, vectors: Any, updates: Any, reduction: str) -> Any:
    """Writes updates at index vectors for the leading axes; a place out of range changes nothing."""
    count, batch = shape_of(vectors)[-1], len(shape_of(vectors)) - 1
    windows = list(range(batch, len(shape_of(updates))))
    axes = list(range(count))
    numbers = ir.Attribute.parse(
        f"#stablehlo.scatter<update_window_dims = {windows}, inserted_window_dims = {axes}, "
        f"scatter_dims_to_operand_dims = {axes}, index_vector_dim = {batch}>"
    )
    made = e.op(
        "scatter",
        (x, vectors, updates),
        shape_of(x),
        element_of(x),
        {
            "scatter_dimension_numbers": numbers,
            "indices_are_sorted": ir.BoolAttr.get(False),
            "unique_indices": ir.BoolAttr.get(False),
        },
        regions=1,
    )
    name = REDUCTIONS.get(reduction)
    element = element_of(x)
    e.body(made.owner.regions[0], element, lambda a, b: b if name is None else e.op(name, (a, b), (), element))
    return made


def _counted_from_end(e: Emitter, indices: Any, size: int) -> Any:
    indices = signed(e, indices)
    counted = e.select(e.compare("less", indices, 0), e.binary("add", indices, size), indices)
    # What is still negative is out of range for StableHLO too.
    return counted


def _scatter_elements(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, indices, updates = operands
    axis = op.prop("axis", 0) % len(shape_of(x))
    places = _counted_from_end(e, indices, shape_of(x)[axis])
    return scatter(e, x, element_vectors(e, places, axis), updates, op.prop("reduction", "update"))


def _scatter_nd(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, indices, updates = operands
    count = shape_of(indices)[-1]
    parts = [
        _counted_from_end(e, e.along(indices, len(shape_of(indices)) - 1, axis, axis + 1), shape_of(x)[axis])
        for axis in range(count)
    ]
    vectors = e.concatenate(parts, len(shape_of(indices)) - 1)
    return scatter(e, x, vectors, updates, op.prop("reduction", "update"))


def _gather_nd(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, indices = operands
    last, batch = len(shape_of(indices)) - 1, op.prop("batch_dims", 0)
    if 0 in shape_of(x):
        return e.constant(0, element_of(x), result_shape(op))
    single = (*shape_of(indices)[:-1], 1)
    parts = [e.iota(single, axis, "i64") for axis in range(batch)]
    for axis in range(shape_of(indices)[-1]):
        parts.append(inside(e, e.along(indices, last, axis, axis + 1), shape_of(x)[batch + axis], "fast"))
    if not parts:
        return e.broadcast(x, result_shape(op))
    return gather(e, x, e.concatenate(parts, last), list(range(len(parts))))


def _index_tensor(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, *indices = operands
    if 0 in shape_of(x):
        return e.constant(0, element_of(x), result_shape(op))
    shape = np.broadcast_shapes(*map(shape_of, indices))
    parts = [
        e.reshape(e.broadcast(inside(e, index, size, "fast"), shape), (*shape, 1))
        for index, size in zip(indices, shape_of(x), strict=False)
    ]
    return gather(e, x, e.concatenate(parts, len(shape)), list(range(len(indices))))


def _slice_scatter(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, update, *_ = operands
    axis, first, length, step = op.slice_along(shape_of(x))
    start, count = known_sizes([first, length])
    if not count:
        return x
    rank, size = len(shape_of(x)), shape_of(x)[axis]

    def along(value: int) -> list[int]:
        return [value if index == axis else 0 for index in range(rank)]

    after = size - start - (count - 1) * step - 1
    spread = e.pad(update, e.constant(0, element_of(x)), along(start), along(after), along(step - 1))
    is_written = np.zeros(size, np.bool_)
    is_written[start : start + count * step : step] = True
    return e.select(e.place(e.array(is_written, "i1"), [axis], shape_of(x)), spread, x)


def _one_hot(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    axis, shape = op.normalized_axis(len(shape_of(operands[0]))), result_shape(op)
    places = [index for index in range(len(shape)) if index != axis]
    indices = e.place(signed(e, operands[0]), places, shape)
    values = [e.constant(op.prop(name), result_element(op)) for name in ("on_value", "off_value")]
    return e.select(e.compare("equal", indices, e.iota(shape, axis, "i64")), *values)


RULES: Rules = {
    "relax.gather_elements": _gather_elements,
    "relax.gather_nd": _gather_nd,
    "relax.index_tensor": _index_tensor,
    "relax.one_hot": _one_hot,
    "relax.scatter_elements": _scatter_elements,
    "relax.scatter_nd": _scatter_nd,
    "relax.slice_scatter": _slice_scatter,
    "relax.take": _take,
}
