"""Devices and their memory: arrays live in the memory of one device, and get to another one by a copy.

The devices are of kind `cpu`; all but the host, `cpu:0`, have memory of their own, which numpy cannot reach.
"""

from __future__ import annotations

import math
import mmap
import weakref
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np

from ...dialects.relax.device_label import GLOBAL, HOST_LABEL, device_label, parse_device_label
from ...records import record
from .errors import ArgumentError
from .value_types import TensorValue, TupleValue, ValueType


class DeviceError(ArgumentError):
    """A device that does not exist, or an array on another device than the one that it is needed on."""


class _Memory:
    """The memory of one device: pages that nothing else uses; they go back when the last array in them is gone."""

    def __init__(self) -> None:
        self._blocks: dict[int, int] = {}

    def empty(self, size: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Returns uninitialized bytes, aligned to a page."""
        pages = mmap.mmap(-1, max(size, 1))
        raw = np.frombuffer(pages, np.uint8)
        start = raw.__array_interface__["data"][0]
        self._blocks[start] = raw.nbytes
        weakref.finalize(raw, self._blocks.pop, start, None)
        return raw[:size]

    def owns(self, address: int) -> bool:
        """Returns whether an address lies in this memory."""
        return any(start <= address < start + size for start, size in list(self._blocks.items()))

    @property
    def used(self) -> int:
        """The bytes in use."""
        return sum(self._blocks.values())


@record
class Device:
    """A device; get one with `device`."""

    kind: str
    index: int
    scope: str = GLOBAL

    @classmethod
    def from_label(cls, label: str) -> Device:
        """Returns the device that people write so, as `cpu:1`; raises `DeviceError` if there is none, `ValueError` for another text."""
        return device(*parse_device_label(label))

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """The device as people write it."""
        return device_label(self.kind, self.index, self.scope)

    @cached_property
    def is_host(self) -> bool:
        """Whether its arrays are numpy arrays."""
        return self == HOST_DEVICE

    @property
    def memory(self) -> _Memory:
        """The memory of a device that is not the host."""
        return _memory(self)

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """Returns an uninitialized array in the device's memory, as numpy sees it, for callers that write all of it."""
        if self.is_host:
            return np.empty(shape, dtype)
        return self.memory.empty(math.prod(shape) * dtype.itemsize).view(dtype).reshape(shape)


HOST_DEVICE = Device("cpu", 0)


@cache
def _memory(_: Device) -> _Memory:
    return _Memory()


class DeviceArray:
    """An array on a device that is not the host; `to_device` copies it to another one."""

    def __init__(self, data: np.ndarray[Any, Any], device: Device):
        self.data = data
        """The array in the device's memory, for those who know what they do."""
        self.device = device

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        return self.data.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return self.data.dtype

    @property
    def ndim(self) -> int:
        """The rank."""
        return self.data.ndim

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise DeviceError(f"the array is on {self.device}, not on {HOST_DEVICE}; copy it with to_device")

    def __repr__(self) -> str:
        return f"DeviceArray({self.dtype} {list(self.shape)} on {self.device})"


def device(kind: str, index: int = 0, scope: str = GLOBAL) -> Device:
    """Returns a device; raises `DeviceError` if there is none of that kind."""
    if kind != "cpu" or index < 0:
        raise DeviceError(f"no device {device_label(kind, index, scope)}; there are cpu:0, cpu:1, ...")
    return Device(kind, index, scope)


def device_of(value: Any) -> Device:
    """Returns the device that an array, or anything else, is on."""
    return value.device if isinstance(value, DeviceArray) else HOST_DEVICE


def device_for(value_type: ValueType) -> Device:
    """Returns the device that a tensor type names; the host if it names none."""
    named = value_type.device if isinstance(value_type, TensorValue) else None
    return HOST_DEVICE if named is None else Device.from_label(named)


def to_device(array: Any, target: Device) -> Any:
    """Returns a copy of an array in the memory of a device: a numpy array on the host, a `DeviceArray` on any other."""
    source = raw(array)
    copy = target.empty(source.shape, source.dtype)
    copy[...] = source
    return on(copy, target)


def raw(value: Any) -> Any:
    """Returns the array inside of a `DeviceArray`; anything else as an array."""
    return value.data if isinstance(value, DeviceArray) else np.asarray(value)


def on(data: np.ndarray[Any, Any], target: Device) -> Any:
    """Returns an array that lies in the memory of a device as an array of that device."""
    return data if target.is_host else DeviceArray(data, target)


def placed(value: Any, value_type: ValueType) -> Any:
    """Returns a value with the host's arrays in it copied to where its type says; others stay."""
    if isinstance(value_type, TupleValue) and isinstance(value, tuple):
        fields = value_type.fields
        return tuple(placed(item, field) for item, field in zip(value, fields, strict=True))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if not isinstance(value, np.ndarray) or not isinstance(value_type, TensorValue):
        return value
    if value_type.device in (None, HOST_LABEL):
        return value
    return to_device(value, device_for(value_type))


def on_host(value: Any) -> Any:
    """Returns a value with all arrays in it copied to the host, unless they are there."""
    if isinstance(value, tuple):
        return tuple(map(on_host, value))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return to_device(value, HOST_DEVICE) if isinstance(value, DeviceArray) else value
