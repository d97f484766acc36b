"""Arrays of the caller that results are written into: checked before native code runs, and kept apart from what it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from ...interpreter.host.arrays import ForeignArrayError, is_late, is_torch, to_numpy
from ...interpreter.host.device import DeviceArray, device_of
from ...interpreter.host.errors import ArgumentError
from ...interpreter.host.value_types import ShapeValue, TupleValue, ValueType
from .leaf import Array, Leaf, overlap


class OutError(ArgumentError):
    """What is wrong with an array for a result."""

    def named(self, names: Sequence[str]) -> OutError:
        """Returns the error with names of results in the place of positions; an array for the only result has no position."""
        place = r"\bout(?:\[(\d+)\]|(?=: ))"
        return OutError(re.sub(place, lambda match: f"out[{names[int(match[1] or 0)]!r}]", str(self)))


class Destinations:
    """What a caller gives as `out`: for each leaf of the results an array, or `None` where the result is a new one."""

    def __init__(self, function: str, results: Sequence[ValueType], out: Any):
        self._places: list[str] = []
        given: list[Any] = []
        place = f"{function}: out"
        for leaf_place, value in _leaves(place, out, results[0]) if len(results) == 1 else _fields(place, out, results):
            self._places.append(leaf_place)
            given.append(value)
        self.given: Mapping[int, Any] = {index: value for index, value in enumerate(given) if value is not None}
        """The objects of the caller, by leaf; calls return them."""
        self._arrays: dict[int, Array] = {}
        self._copied: set[int] = set()

    def check(self, index: int, leaf: Leaf, shape: tuple[int, ...]) -> None:
        """Raises `OutError` if the array for a leaf is not one that native code can write a result of this shape to."""
        given = self.given[index]
        array = _array(given, leaf)
        if isinstance(array, str):
            raise OutError(f"{self._places[index]}: {array}")
        problem = _problem(given, array, leaf, shape)
        if problem is not None:
            raise OutError(f"{self._places[index]}: {problem}")
        self._arrays[index] = array

    def check_donated(self, index: int, argument: Array, label: str) -> None:
        """Raises `OutError` if the array for a result that is returned in the memory of an argument is another one."""
        array = self._arrays.pop(index)
        if overlap(array, argument) != array.nbytes:
            place = self._places[index]
            raise OutError(
                f"{place}: expected None, or the array of argument '{label}', in whose memory the result is returned"
            )

    def keep_apart(self, arguments: Sequence[Array], leaves: Sequence[Leaf], donated: Mapping[int, int]) -> None:
        """Finds the arrays that share memory with arguments, which get a copy of their result when all arguments are read.

        Raises `OutError` for an array that shares memory with another result.
        """
        for index, array in self._arrays.items():
            for other, other_array in self._arrays.items():
                if other < index and overlap(array, other_array):
                    raise OutError(
                        f"{self._places[index]}: shares memory with {self._places[other].rpartition(' ')[2]}"
                    )
            for position, argument in enumerate(arguments):
                if overlap(array, argument):
                    if position in donated.values():
                        label = leaves[position].label
                        raise OutError(
                            f"{self._places[index]}: shares memory with argument '{label}', which is donated"
                        )
                    self._copied.add(index)

    def buffer(self, index: int) -> Array | None:
        """Returns the array that native code writes a leaf to; `None` if it gets a new one."""
        return None if index in self._copied else self._arrays.get(index)

    def filled(self, index: int, array: Array) -> Array:
        """Returns the array that holds the result of a leaf in the end, given the one that native code wrote."""
        if index not in self._copied:
            return array
        destination = self._arrays[index]
        destination[...] = array
        return destination


def _leaves(place: str, out: Any, result: ValueType) -> Iterator[tuple[str, Any]]:
    if isinstance(result, TupleValue):
        yield from _fields(place, out, result.fields)
    elif isinstance(result, ShapeValue):
        if out is not None:
            raise OutError(f"{place}: expected None, as the result is a shape, got {type(out).__name__}")
        yield from ((place, None) for _ in result.dims)
    else:
        yield place, out


def _fields(place: str, out: Any, results: Sequence[ValueType]) -> Iterator[tuple[str, Any]]:
    if not isinstance(out, tuple | list | None):
        raise OutError(f"{place}: expected a tuple of {len(results)}, got {type(out).__name__}")
    given = cast("Sequence[Any]", [None] * len(results) if out is None else out)
    if len(given) != len(results):
        raise OutError(f"{place}: expected a tuple of {len(results)}, got one of {len(given)}")
    for index, (item, result) in enumerate(zip(given, results, strict=True)):
        yield from _leaves(f"{place}[{index}]", item, result)


def _array(given: Any, leaf: Leaf) -> Array | str:
    """Returns what numpy sees of the memory of a caller's array; for anything else what is expected in its place."""
    # Only what shares its memory is read by numpy: `__array__` may give a copy, which nobody would look at.
    if not leaf.is_tensor:
        return f"expected None, as the result is no tensor, got {type(given).__name__}"
    if getattr(given, "requires_grad", False) is True:
        return "expected an array, got a tensor that requires a gradient; give its detach()"
    if is_torch(given) and is_late(given):
        return "expected an array, got a tensor that is negated or conjugated when it is read; give a copy of it"
    if isinstance(given, DeviceArray) or (isinstance(given, np.ndarray) and not leaf.device.is_host):
        on = device_of(given)
        data = given.data if isinstance(given, DeviceArray) else given
        return data if on == leaf.device else f"expected an array on {leaf.device}, got one on {on}"
    if not leaf.device.is_host or not (isinstance(given, np.ndarray) or hasattr(given, "__dlpack__")):
        return f"expected an array on {leaf.device}, got {type(given).__name__}"
    try:
        return to_numpy(given)
    except ForeignArrayError as error:
        return f"expected an array in this machine's memory, got {error}"


def _problem(given: Any, array: Array, leaf: Leaf, shape: tuple[int, ...]) -> str | None:
    if array.dtype != leaf.dtype:
        return f"expected element type {leaf.dtype}, got {array.dtype}"
    if array.shape != shape:
        return f"expected shape {list(shape)}, got {list(array.shape)}"
    if not array.flags.writeable:
        return f"expected an array that can be written to, got a read-only {type(given).__name__}"
    if not array.flags.c_contiguous:
        return f"expected a contiguous array, got strides of {list(array.strides)} bytes"
    return None if array.flags.aligned else f"expected an array aligned to {leaf.dtype.alignment} bytes"
