"""Interpreter rules of the `tensor` dialect, and of `linalg.pack` and `linalg.unpack`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, DenseArrayBase, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from ...dialects.relax.dtypes import numpy_dtype
from ..host.memory import OutOfMemoryError, require_memory
from ..rule import InterpreterError
from .scalar import Array


def merged(op: Operation, name: str, dynamic: Iterator[Any]) -> list[int]:
    """Returns a static list with the values of its dynamic entries."""
    static = op.properties[name]
    assert isinstance(static, DenseArrayBase)
    return [int(next(dynamic)) if s == DYNAMIC_INDEX else int(s) for s in static.get_values()]


def _type(op: Operation, index: int = 0) -> TensorType:
    type_ = op.results[index].type
    if not isinstance(type_, TensorType):
        raise InterpreterError(f"{op.name}: expected a ranked tensor, got {type_}")
    return type_


def shape_of(op: Operation, dynamic: Iterator[Any]) -> list[int]:
    """Returns the sizes of an op's result, some of which are values; raises `InterpreterError` for such as no tensor has."""
    shape = [int(next(dynamic)) if s == DYNAMIC_INDEX else s for s in _type(op).get_shape()]
    if min(shape, default=0) < 0:
        raise InterpreterError(f"{op.name}: expected sizes that are not negative, got {shape}")
    try:
        require_memory(prod(shape) * _dtype(op).itemsize)
    except OutOfMemoryError as error:
        raise InterpreterError(f"{op.name}: {error}") from None
    return shape


def _dtype(op: Operation) -> np.dtype[Any]:
    return numpy_dtype(_type(op).element_type)


def _index(op: Operation, source: Array, indices: Sequence[Any]) -> tuple[Any, ...]:
    """Returns indices as numpy takes them.

    Over an iteration space (arrays), inside of a branch, they are clipped: a lane may belong to none.
    """
    if any(np.ndim(i) for i in indices):
        if isinstance(op.parent_op(), linalg.GenericOp):
            for i, size in zip(indices, source.shape, strict=True):
                if np.any(np.less(i, 0) | np.greater_equal(i, size)):
                    raise InterpreterError(f"{op.name}: an index is out of bounds of {list(source.shape)}")
        return tuple(np.clip(i, 0, max(size - 1, 0)) for i, size in zip(indices, source.shape, strict=True))
    for i, size in zip(indices, source.shape, strict=True):
        if not 0 <= i < size:
            raise InterpreterError(f"{op.name}: index {i} is out of bounds of {list(source.shape)}")
    return tuple(int(i) for i in indices)


def _extract(op: Operation, args: Sequence[Any]) -> Any:
    source, *indices = args
    if np.size(source) == 0 and any(np.ndim(i) for i in indices):
        # Of an iteration space no lane of which reads.
        return np.zeros(np.broadcast_shapes(*map(np.shape, indices)), source.dtype)
    return np.asarray(source)[_index(op, source, indices)]


def _insert(op: Operation, args: Sequence[Any]) -> Array:
    scalar, target, *indices = args
    result = np.array(target)
    result[_index(op, result, indices)] = scalar
    return result


def _slices(op: Operation, source: Array, dynamic: Iterator[Any]) -> tuple[slice, ...]:
    offsets, sizes, strides = (merged(op, f"static_{name}", dynamic) for name in ("offsets", "sizes", "strides"))
    for offset, size, stride, whole in zip(offsets, sizes, strides, source.shape, strict=True):
        if size < 0 or offset < 0 or (size and offset + (size - 1) * stride >= whole):
            raise InterpreterError(f"{op.name}: {size} elements from {offset} by {stride} do not fit into {whole}")
    return tuple(slice(o, o + s * k, k) for o, s, k in zip(offsets, sizes, strides, strict=True))


def _extract_slice(op: Operation, args: Sequence[Any]) -> Array:
    source, *dynamic = args
    taken = source[_slices(op, source, iter(dynamic))]
    static = op.properties["static_sizes"]
    assert isinstance(static, DenseArrayBase)
    kept: list[int] = []
    wanted = _type(op).get_shape()
    for static_size, size in zip(static.get_values(), taken.shape, strict=True):
        if len(kept) < len(wanted) and static_size == wanted[len(kept)]:
            kept.append(size)
    return taken.reshape(kept)


def _insert_slice(op: Operation, args: Sequence[Any]) -> Array:
    source, target, *dynamic = args
    result = np.array(target)
    slices = _slices(op, result, iter(dynamic))
    sizes = result[slices].shape
    if [size for size in sizes if size != 1] != [size for size in np.shape(source) if size != 1]:
        raise InterpreterError(
            f"{op.name}: expected an operand of the sizes {list(sizes)}, got {list(np.shape(source))}"
        )
    result[slices] = np.reshape(source, sizes)
    return result


def _cast(op: Operation, args: Sequence[Any]) -> Any:
    for axis, (size, wanted) in enumerate(zip(np.shape(args[0]), _type(op).get_shape(), strict=True)):
        if wanted not in (DYNAMIC_INDEX, size):
            raise InterpreterError(f"{op.name}: expected size {wanted} of dim {axis}, got {size}")
    return args[0]


def _collapse(op: Operation, args: Sequence[Any]) -> Array:
    groups = op.properties["reassociation"]
    assert isinstance(groups, ArrayAttr)
    shape = [int(np.prod([args[0].shape[i.value.data] for i in group.data])) for group in groups.data]  # pyright: ignore
    return args[0].reshape(shape)


def _expand(op: Operation, args: Sequence[Any]) -> Array:
    source, *dynamic = args
    groups = op.properties["reassociation"]
    assert isinstance(groups, ArrayAttr)
    places = [[i.value.data for i in group.data] for group in groups.data]  # pyright: ignore
    if dynamic or "static_output_shape" in op.properties:
        shape = merged(op, "static_output_shape", iter(dynamic))
    else:
        shape = list(_type(op).get_shape())
        for size, dims in zip(source.shape, places, strict=True):
            for unknown in [d for d in dims if shape[d] == DYNAMIC_INDEX]:
                shape[unknown] = size // max(prod(shape[d] for d in dims if d != unknown), 1)
    for axis, (size, dims) in enumerate(zip(source.shape, places, strict=True)):
        parts = [shape[d] for d in dims]
        if min(parts, default=0) < 0 or prod(parts) != size:
            raise InterpreterError(f"{op.name}: dim {axis} of the operand is {size}, its group has the sizes {parts}")
    return source.reshape(shape)


def _reshape(op: Operation, args: Sequence[Any]) -> Array:
    source, sizes = args[0], [int(size) for size in args[1]]
    if min(sizes, default=0) < 0 or prod(sizes) != source.size:
        raise InterpreterError(f"{op.name}: expected {source.size} elements, got the sizes {sizes}")
    for axis, (size, wanted) in enumerate(zip(sizes, _type(op).get_shape(), strict=True)):
        if wanted not in (DYNAMIC_INDEX, size):
            raise InterpreterError(f"{op.name}: expected size {wanted} of dim {axis}, got {size}")
    return source.reshape(sizes)


def _concat(op: Any, args: Sequence[Any]) -> Array:
    along = op.dim.value.data
    for position, array in enumerate(args[1:], start=1):
        for axis, (first, size) in enumerate(zip(args[0].shape, array.shape, strict=True)):
            if axis != along and first != size:
                raise InterpreterError(
                    f"{op.name}: operands 0 and {position} have sizes {first} and {size} along dim {axis}"
                )
    result = np.concatenate(args, along)
    return _cast(op, [result])


def pack(op: Operation, args: Sequence[Any]) -> Array:
    """Returns `linalg.pack`: tiles of some dims become the innermost dims."""
    source, target = args[0], args[1]
    positions, tiles, order = _packing(op, source.ndim)
    tile = dict(zip(positions, tiles, strict=True))
    padding = [(0, -size % tile.get(d, 1)) for d, size in enumerate(source.shape)]
    padded = np.pad(source, padding, constant_values=args[2] if len(args) > 2 else 0)
    shape: list[int] = []
    outer: list[int] = []
    inner: dict[int, int] = {}
    for d, size in enumerate(padded.shape):
        outer.append(len(shape))
        shape.append(size // tile.get(d, 1))
        if d in tile:
            inner[d] = len(shape)
            shape.append(tile[d])
    packed = padded.reshape(shape).transpose([outer[d] for d in order] + [inner[d] for d in positions])
    return packed.reshape(target.shape)


def unpack(op: Operation, args: Sequence[Any]) -> Array:
    """Returns `linalg.unpack`: the inverse; every element of the target has its place in the source."""
    source, target = args[0], args[1]
    positions, tiles, order = _packing(op, target.ndim)
    tile = dict(zip(positions, tiles, strict=True))
    grid = np.indices(target.shape, sparse=True)
    location = [grid[d] // tile.get(d, 1) for d in order] + [grid[d] % tile[d] for d in positions]
    return source[tuple(location)]


def _packing(op: Operation, rank: int) -> tuple[list[int], list[int], list[int]]:
    def integers(name: str) -> list[int]:
        value = op.properties.get(name)
        return [int(v) for v in value.get_values()] if isinstance(value, DenseArrayBase) else []

    tiles = integers("static_inner_tiles")
    if DYNAMIC_INDEX in tiles:
        raise InterpreterError(f"{op.name}: tiles of dynamic size are not supported")
    return integers("inner_dims_pos"), tiles, integers("outer_dims_perm") or list(range(rank))


TENSOR_RULES: Mapping[str, Callable[[Any, Sequence[Any]], Any]] = {
    "tensor.empty": lambda op, args: np.zeros(shape_of(op, iter(args)), _dtype(op)),
    "tensor.splat": lambda op, args: np.full(shape_of(op, iter(args[1:])), args[0], _dtype(op)),
    "tensor.dim": lambda op, args: args[0].shape[int(args[1])],
    "tensor.rank": lambda op, args: args[0].ndim,
    "tensor.cast": _cast,
    "tensor.extract": _extract,
    "tensor.insert": _insert,
    "tensor.extract_slice": _extract_slice,
    "tensor.insert_slice": _insert_slice,
    "tensor.collapse_shape": _collapse,
    "tensor.expand_shape": _expand,
    "tensor.reshape": _reshape,
    "tensor.from_elements": lambda op, args: np.array(args, _dtype(op)).reshape(_type(op).get_shape()),
    "tensor.concat": _concat,
    "linalg.pack": pack,
    "linalg.unpack": unpack,
}
"""Rules of ops without regions, by name."""


def padding(op: tensor.PadOp, dynamic: Sequence[Any]) -> list[tuple[int, int]]:
    """Returns what `tensor.pad` adds before and behind each dim."""
    values = iter(dynamic)
    low = merged(op, "static_low", values)
    amounts = list(zip(low, merged(op, "static_high", values), strict=True))
    if any(amount < 0 for pair in amounts for amount in pair):
        raise InterpreterError(f"{op.name}: expected amounts that are not negative, got {amounts}")
    return amounts
