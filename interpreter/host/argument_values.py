"""What callers give as arguments, as what programs take: arrays of any library, numbers, nested lists of numbers."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from .arrays import ForeignArrayError, is_masked, to_numpy
from .device import DeviceArray
from .errors import ArgumentError
from .sizes import size_argument, sizes_of
from .value_types import ObjectValue, ShapeValue, TensorValue, TupleValue, UnrankedValue, ValueType


def array_argument(place: str, value: Any, dtype: np.dtype[Any]) -> Any:
    """Returns what stands for a tensor as an array of numpy, or of a device.

    Arrays keep their memory and element type. Numbers of Python and nested lists of numbers, which have no element type of their own,
    get `dtype`. Raises `ArgumentError` for anything else, and for a number that `dtype` does not hold.
    """
    if isinstance(value, np.ndarray | DeviceArray) and not is_masked(value):
        return value
    if isinstance(value, np.generic):
        return np.asarray(value)
    if isinstance(value, bool | int | float | list | tuple):
        return number_array(place, cast(Any, value), dtype)
    try:
        array = to_numpy(value)
    except ForeignArrayError as error:
        raise ArgumentError(f"{place}: expected an array in this machine's memory, got {error}") from None
    if not isinstance(array, np.ndarray):
        raise ArgumentError(f"{place}: expected an array, got {_described(value)}")
    return array


def scalar_argument(place: str, value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Returns a number as an array of rank 0; raises `ArgumentError` for what is none, or what `dtype` does not hold."""
    try:
        given = to_numpy(value)
    except ForeignArrayError as error:
        raise ArgumentError(f"{place}: expected a number, got {error}") from None
    array = number_array(place, given, dtype)
    if array.ndim:
        raise ArgumentError(f"{place}: expected a scalar, got {_described(value)} of shape {list(array.shape)}")
    return array


def number_array(place: str, value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Returns a number, or nested lists of numbers, as an array; raises `ArgumentError` for a number that `dtype` does not hold."""
    # A fraction is no integer, and truth is 0 or 1; a float may be rounded, but not to infinity.
    try:
        given = np.asarray(value)
    except ForeignArrayError as error:
        raise ArgumentError(f"{place}: expected a number, got {error}") from None
    except (OverflowError, TypeError, ValueError, RuntimeError):
        given = np.asarray(None)
    if given.size == 0 and isinstance(value, list | tuple):
        return given.astype(dtype)
    is_whole = dtype.kind in "biu"
    # bfloat16 is of the kind that numpy knows nothing of.
    if given.dtype.kind not in ("biu" if is_whole else "biufV") or given.dtype.names is not None:
        if isinstance(value, list | tuple):
            raise ArgumentError(
                f"{place}: expected numbers of type {dtype} in lists of equal lengths, got {value!r:.40}"
            )
        raise ArgumentError(f"{place}: expected a number of type {dtype}, got {value!r:.40}")
    with np.errstate(all="ignore"):
        array = given.astype(dtype)
        held = array == given if is_whole else np.isfinite(array) | ~np.isfinite(given)
    if not np.all(held):
        wrong = given[~np.asarray(held)].flat[0].item()
        noun = "an integer" if dtype.kind in "iu" else "a number"
        raise ArgumentError(f"{place}: expected {noun} that {dtype} holds, got {wrong!r:.40}")
    return array


def argument_value(place: str, value: Any, value_type: ValueType) -> Any:
    """Returns an argument of a function in the form that the interpreter computes with: arrays, numpy scalars, tuples."""
    match value_type:
        case TensorValue() | UnrankedValue():
            return array_argument(place, value, value_type.dtype)
        case TupleValue(fields):
            if not isinstance(value, tuple | list) or len(cast("tuple[Any, ...]", value)) != len(fields):
                raise ArgumentError(f"{place}: expected {value_type}, got {_described(value)}")
            items = zip(cast("tuple[Any, ...]", value), fields, strict=True)
            return tuple(
                argument_value(f"{place} field {index}", item, field) for index, (item, field) in enumerate(items)
            )
        case ShapeValue():
            return _shape(place, value, value_type)
        case ObjectValue():
            return value
        case _ if value_type.is_index:
            return np.int64(size_argument(place, value))
        case _:
            return scalar_argument(place, value, value_type.dtype)[()]


def _shape(place: str, value: Any, shape_type: ShapeValue) -> tuple[int, ...]:
    try:
        sizes = sizes_of(value, len(shape_type.dims))
    except (TypeError, ValueError):
        raise ArgumentError(f"{place}: expected {shape_type}, got {value!r:.80}") from None
    return tuple(size_argument(f"{place}[{axis}]", size) for axis, size in enumerate(sizes))


def _described(value: Any) -> str:
    article = "an" if type(value).__name__[0] in "aeiouAEIOU" else "a"
    return "None" if value is None else f"{article} {type(value).__name__}"
