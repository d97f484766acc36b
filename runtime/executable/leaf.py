"""The values that cross the border between Python and native code, one by one: tensors, dims of shape values, scalars, handles."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from struct import pack
from typing import Any, TypeAlias

import numpy as np

from ...dialects.symbolic.nodes import Dim
from ...interpreter.host.argument_values import array_argument, scalar_argument
from ...interpreter.host.device import HOST_DEVICE, Device, device_for, device_of, raw
from ...interpreter.host.errors import ArgumentError
from ...interpreter.host.sizes import size_argument
from ...interpreter.host.value_types import ObjectValue, ShapeValue, TensorValue, TupleValue, UnrankedValue, ValueType
from ...records import record
from .call_frame import current_frame

Array: TypeAlias = np.ndarray[Any, Any]


def _described_address(array: Array) -> int:
    return array.__array_interface__["data"][0]


def _field_address(array: Array) -> int:
    # Numpy's ABI has the address of the data in the first field behind the head of an object; to ask for a description takes 2 us.
    return _pointer_at(id(array) + _OBJECT_HEAD).value


_pointer_at = ctypes.c_size_t.from_address
_OBJECT_HEAD = object.__basicsize__
_probe = np.empty(1)
_is_field = sys.implementation.name == "cpython" and _field_address(_probe) == _described_address(_probe)

address: Callable[[Array], int] = _field_address if _is_field else _described_address
"""Returns the address of an array's data."""


def addresses(arrays: Sequence[Array]) -> bytes:
    """Returns the table of the addresses of arrays, as native code reads it."""
    return pack(f"{len(arrays)}q", *map(address, arrays))


def overlap(first: Array, second: Array) -> int:
    """Returns the bytes that two contiguous arrays share."""
    starts = address(first), address(second)
    return max(0, min(starts[0] + first.nbytes, starts[1] + second.nbytes) - max(starts))


@record
class Leaf:
    """One value that crosses the border: a tensor, one dim of a shape value, or a scalar."""

    label: str
    """How errors call it: the argument's name, with the path inside of a tuple."""
    dtype: np.dtype[Any]
    rank: int
    dims: tuple[Dim, ...]
    """The expected size of each dim."""
    is_tensor: bool
    is_dim: bool
    device: Device = HOST_DEVICE
    """Where a tensor has to be."""
    is_object: bool = False
    """A handle of the current call frame."""
    is_host_tensor: bool = field(init=False)
    """Whether it is a tensor in the host's memory. Asked once, as devices are compared field by field."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_host_tensor", self.is_tensor and self.device.is_host)

    def array(self, function: str, value: Any) -> Array:
        """Returns a value as a contiguous, aligned array of the right type; raises `ArgumentError` if it does not fit."""
        # A tensor that is returned has the declared element type, rank and device; its sizes are not looked at here.
        if self.is_host_tensor and type(value) is np.ndarray:
            if value.dtype is self.dtype and value.ndim == self.rank:
                flags = value.flags
                if flags.c_contiguous and flags.aligned:
                    return value
        else:
            place = f"{function}: argument '{self.label}'"
            if self.is_object:
                return np.asarray(current_frame().handle_of(value), self.dtype)
            if not self.is_tensor:
                return (
                    np.asarray(size_argument(place, value))
                    if self.is_dim
                    else scalar_argument(place, value, self.dtype)
                )
            value = array_argument(place, value, self.dtype)
            if device_of(value) != self.device:
                raise ArgumentError(
                    f"{place}: expected an array on {self.device}, got one on {device_of(value)}; copy it with to_device"
                )
            value = raw(value)
        if value.dtype != self.dtype:
            raise ArgumentError(
                f"{function}: argument '{self.label}': expected element type {self.dtype}, got {value.dtype}"
            )
        if value.ndim != self.rank:
            raise ArgumentError(f"{function}: argument '{self.label}': expected rank {self.rank}, got {value.ndim}")
        flags = value.flags
        if flags.c_contiguous and flags.aligned:
            return value
        try:
            return np.require(value, requirements=("C", "A"))
        except MemoryError:
            needed = f"{value.nbytes} bytes of memory are needed for a copy whose elements lie one after the other"
            raise ArgumentError(f"{function}: argument '{self.label}': {needed}") from None


def leaves(label: str, value_type: ValueType) -> Iterator[Leaf]:
    """Yields the leaves of a type, in the order of the lowered function's arguments."""
    match value_type:
        case TensorValue(dims):
            yield Leaf(label, value_type.dtype, len(dims), dims, True, False, device_for(value_type))
        case ShapeValue(dims):
            for axis, dim in enumerate(dims):
                yield Leaf(f"{label}[{axis}]", np.dtype(np.int64), 0, (dim,), False, True)
        case TupleValue(fields):
            for index, field in enumerate(fields):
                yield from leaves(f"{label}.{index}", field)
        case ObjectValue():
            yield Leaf(label, np.dtype(np.int64), 0, (), False, False, is_object=True)
        case UnrankedValue():
            raise ValueError(f"no value of type {value_type} crosses the boundary of a function")
        case _:
            dims = () if value_type.dim is None else (value_type.dim,)
            yield Leaf(label, value_type.dtype, 0, dims, False, value_type.is_index)
