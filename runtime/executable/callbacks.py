"""C callbacks for packed functions: what native code calls when a program calls Python."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from ...interpreter.host.errors import put_in_front
from ...interpreter.host.packed_functions import RUNTIME_FUNCTIONS, packed_function, packed_result, require_written
from ..interface.record import PASSED_SIZE, PackedInterface, PackedValue, PassedArgument
from .call_frame import current_frame


class Callbacks:
    """The callbacks of the packed functions that a module calls, by symbol name.

    Native code passes a pointer and the dynamic sizes for each array, results last, and a handle for each object. One tensor that is
    the only result stays where Python has it: the callback returns its address. One scalar or object is returned.
    """

    def __init__(self, functions: Sequence[PackedInterface], bound: Mapping[str, Callable[..., Any]]):
        """`bound` are functions that come before the registered ones; it may get entries later."""
        wanted = {function.name: function.reason for function in functions if function.runtime is None}
        self._callbacks = {function.symbol: _callback(function, wanted, bound) for function in functions}

    def __len__(self) -> int:
        return len(self._callbacks)

    def addresses(self) -> dict[str, int]:
        """Returns the address of each callback."""
        return {name: ctypes.cast(callback, ctypes.c_void_p).value or 0 for name, callback in self._callbacks.items()}


def _dtype(value: PackedValue) -> np.dtype[Any]:
    name = "int64" if value.element_type in ("object", "index") else value.element_type
    return np.dtype(getattr(ml_dtypes, name, name))


def _c_types(value: PackedValue) -> list[Any]:
    """Returns the C types by which a value is passed."""
    if value.shape is None:
        return [np.ctypeslib.as_ctypes_type(_dtype(value))]
    return [ctypes.c_void_p, *[ctypes.c_int64] * value.shape.count(PASSED_SIZE)]


def _callback(convention: PackedInterface, wanted: Mapping[str, str], bound: Mapping[str, Callable[..., Any]]) -> Any:
    passed = [c_type for value in convention.arguments for c_type in _c_types(value)]
    passed += [ctypes.c_int64] * convention.sizes
    passed += [c_type for value in convention.outputs for c_type in _c_types(value)]
    returned = convention.returned
    result: Any = None
    if returned is not None:
        result = _c_types(returned)[0]

    def call(*raw: Any) -> Any:
        frame = current_frame()
        if frame.error is None:
            try:
                if convention.runtime == "release":
                    return _release(convention, raw)
                return _invoke(convention, list(raw), _function(convention, wanted, bound))
            except BaseException as error:
                if isinstance(error, Exception):
                    put_in_front(error, convention.place)
                frame.error = error
        # Native code goes on until it returns, and may read what it asked for.
        return _nothing(convention, raw)

    return ctypes.CFUNCTYPE(result, *passed)(call)


def _release(convention: PackedInterface, raw: Sequence[Any]) -> None:
    (value,) = convention.arguments
    if value.shape is None:
        current_frame().release_object(raw[0])
    else:
        current_frame().release(raw[0] or 0)


def _nothing(convention: PackedInterface, raw: Sequence[Any]) -> Any:
    """Returns something of the type that native code expects."""
    returned = convention.returned
    if returned is None:
        return None
    if returned.shape is None:
        return _dtype(returned).type(0).item()
    sizes = iter(raw[len(raw) - convention.sizes :])
    shape = [next(sizes) if size == PASSED_SIZE else size for size in returned.shape]
    return current_frame().lend(np.zeros(shape, _dtype(returned)))


def _function(
    convention: PackedInterface, wanted: Mapping[str, str], bound: Mapping[str, Callable[..., Any]]
) -> Callable[..., Any]:
    if convention.runtime is not None:
        return RUNTIME_FUNCTIONS[convention.runtime]
    return bound.get(convention.name) or packed_function(convention.name, lambda: wanted)


def _invoke(convention: PackedInterface, raw: list[Any], function: Callable[..., Any]) -> Any:
    is_owner = not convention.is_destination_passing
    values = [_argument(value, raw, is_owner) for value in convention.arguments]
    arguments = [_passed(argument, values) for argument in convention.passed]
    sizes = [raw.pop(0) for _ in range(convention.sizes)]
    outputs = [_view(value, raw) for value in convention.outputs]
    if convention.is_destination_passing:
        require_written(function(*arguments, *outputs), outputs)
        return None
    returned_value = function(*arguments)
    returned = convention.returned
    if returned is not None and returned.shape is not None:
        return current_frame().lend(_tensor(returned_value, returned, sizes))
    if returned is not None:
        return (
            current_frame().handle_of(returned_value)
            if returned.element_type == "object"
            else _dtype(returned).type(packed_result(returned_value, _dtype(returned))).item()
        )
    if outputs:
        items = returned_value if isinstance(returned_value, tuple | list) else (returned_value,)
        if len(items) != len(outputs):
            raise ValueError(f"packed function returned {len(items)} values, the program expects {len(outputs)}")
        for output, item in zip(outputs, items, strict=True):
            array = packed_result(item, output.dtype)
            _check_shape(np.shape(array), output.shape)
            output[...] = array
    return None


def _argument(value: PackedValue, raw: list[Any], is_owner: bool) -> Any:
    """Returns an argument as Python sees it: the array that Python has lent, else a copy for an owner, else a read-only view."""
    if value.element_type == "object":
        return current_frame().object_of(raw.pop(0))
    if value.element_type == "index":
        return raw.pop(0)
    if value.shape is None:
        return _dtype(value).type(raw.pop(0)).item()
    lent = current_frame().lent(raw[0] or 0)
    array = _view(value, raw)
    if lent is not None and lent.shape == array.shape and lent.dtype == array.dtype:
        return lent
    if is_owner:
        return array.copy()
    array.flags.writeable = False
    return array


def _passed(argument: PassedArgument, values: Sequence[Any]) -> Any:
    """Returns an argument as Python sees it: a value, a string, or a tuple of such."""
    if argument.fields is not None:
        return tuple(_passed(field, values) for field in argument.fields)
    return argument.text if argument.value is None else values[argument.value]


def _view(value: PackedValue, raw: list[Any]) -> np.ndarray[Any, Any]:
    assert value.shape is not None
    address = raw.pop(0)
    shape = [raw.pop(0) if size == PASSED_SIZE else size for size in value.shape]
    count = math.prod(shape)
    if count == 0 or address is None:
        return np.empty(shape, _dtype(value))
    buffer = (ctypes.c_uint8 * (count * _dtype(value).itemsize)).from_address(address)
    return np.ctypeslib.as_array(buffer).view(_dtype(value)).reshape(shape)


def _tensor(returned: Any, value: PackedValue, sizes: Sequence[int]) -> np.ndarray[Any, Any]:
    """Returns a result as an array that native code can read."""
    if isinstance(returned, tuple | list) and len(returned) == 1:
        (returned,) = returned
    returned = packed_result(returned, _dtype(value))
    assert value.shape is not None
    remaining = iter(sizes)
    _check_shape(np.shape(returned), tuple(next(remaining) if size == PASSED_SIZE else size for size in value.shape))
    return np.require(returned, _dtype(value), ("C", "A"))


def _check_shape(actual: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if actual != expected:
        raise ValueError(f"packed function returned shape {actual}, the program expects {expected}")
