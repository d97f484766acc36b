"""C callbacks for packed functions: what native code calls when a program calls Python."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import Attribute

from ...dialects.relax.vocabulary.attributes import (
    DESTINATION_PASSING,
    ELEMENT_TYPES,
    LABEL,
    OPAQUE,
    PACKED,
    RESULT,
    RESULT_SIZES,
    RUNTIME_FUNCTION,
)
from ...interpreter.host.packed_functions import RUNTIME_FUNCTIONS, packed_function
from .call_frame import current_frame


class Callbacks:
    """The callbacks of the packed functions that a module declares, by symbol name.

    Native code passes a pointer and the dynamic sizes for each array, results last, and a handle for each object. One tensor that is
    the only result stays where Python has it: the callback returns its address. One scalar or object is returned.
    """

    def __init__(self, declarations: Sequence[func.FuncOp]):
        conventions = {declaration.sym_name.data: _convention(declaration) for declaration in declarations}
        wanted = {one.name: one.reason for one in conventions.values() if one.runtime is None}
        self._callbacks = {name: _callback(convention, wanted) for name, convention in conventions.items()}

    @classmethod
    def of(cls, module: ModuleOp) -> Callbacks:
        """Makes the callbacks for the declarations of a module at the loops stage."""
        return cls(
            [
                op
                for op in module.body.block.ops
                if isinstance(op, func.FuncOp)
                and op.is_declaration
                and (PACKED.is_on(op) or RUNTIME_FUNCTION.is_on(op))
            ]
        )

    def __len__(self) -> int:
        return len(self._callbacks)

    def addresses(self) -> dict[str, int]:
        """Returns the address of each callback."""
        return {name: ctypes.cast(callback, ctypes.c_void_p).value or 0 for name, callback in self._callbacks.items()}


@dataclass(frozen=True)
class _Value:
    """One argument or result of a packed function."""

    element_type: str
    """`object`, or the name of the element type."""
    shape: tuple[int, ...] | None
    """The sizes of an array, `DYNAMIC_INDEX` where they are passed."""

    @property
    def dtype(self) -> np.dtype[Any]:
        name = "int64" if self.element_type == "object" else self.element_type
        return np.dtype(getattr(ml_dtypes, name, name))

    @property
    def c_types(self) -> list[Any]:
        """The C types by which it is passed."""
        if self.shape is None:
            return [np.ctypeslib.as_ctypes_type(self.dtype)]
        return [ctypes.c_void_p, *[ctypes.c_int64] * self.shape.count(DYNAMIC_INDEX)]


@dataclass(frozen=True)
class _Convention:
    """How native code calls a packed function."""

    name: str
    """The packed function, empty for one of the runtime."""
    runtime: str | None
    """The function of the runtime."""
    reason: str
    """Why it is called, where that is not plain."""
    label: tuple[str, ...]
    """Strings that follow the arguments."""
    arguments: tuple[_Value, ...]
    sizes: int
    """How many sizes of results follow the arguments."""
    outputs: tuple[_Value, ...]
    """Results that are written into arrays of the caller, which come last."""
    returned: _Value | None
    is_destination_passing: bool


def _convention(declaration: func.FuncOp) -> _Convention:
    label = LABEL.of(declaration)
    hidden = RESULT_SIZES.of(declaration) or 0
    inputs, results = declaration.function_type.inputs.data, declaration.function_type.outputs.data
    written = sum(RESULT.is_on_argument(declaration, index) for index in range(len(inputs)))
    kinds = [*inputs[: len(inputs) - hidden - written], *inputs[len(inputs) - written :], *results]
    values = [
        _Value(element, _shape(kind)) for element, kind in zip(ELEMENT_TYPES.of(declaration) or (), kinds, strict=True)
    ]
    arguments = len(values) - written - len(results)
    return _Convention(
        PACKED.of(declaration) or "",
        RUNTIME_FUNCTION.of(declaration),
        OPAQUE.of(declaration) or "",
        () if label is None else (label,),
        tuple(values[:arguments]),
        hidden,
        tuple(values[arguments : arguments + written]),
        values[-1] if results else None,
        DESTINATION_PASSING.is_on(declaration),
    )


def _shape(value_type: Attribute) -> tuple[int, ...] | None:
    return tuple(value_type.get_shape()) if isinstance(value_type, MemRefType) else None


def _callback(convention: _Convention, wanted: Mapping[str, str]) -> Any:
    passed = [c_type for value in convention.arguments for c_type in value.c_types]
    passed += [ctypes.c_int64] * convention.sizes
    passed += [c_type for value in convention.outputs for c_type in value.c_types]
    returned = convention.returned
    result: Any = None
    if returned is not None:
        result = returned.c_types[0]

    def call(*raw: Any) -> Any:
        frame = current_frame()
        if frame.error is None:
            try:
                if convention.runtime == "release":
                    return _release(convention, raw)
                return _invoke(convention, list(raw), wanted)
            except BaseException as error:
                frame.error = error
        # Native code goes on until it returns, and may read what it asked for.
        return _nothing(convention, raw)

    return ctypes.CFUNCTYPE(result, *passed)(call)


def _release(convention: _Convention, raw: Sequence[Any]) -> None:
    (value,) = convention.arguments
    if value.shape is None:
        current_frame().release_object(raw[0])
    else:
        current_frame().release(raw[0] or 0)


def _nothing(convention: _Convention, raw: Sequence[Any]) -> Any:
    """Returns something of the type that native code expects."""
    returned = convention.returned
    if returned is None:
        return None
    if returned.shape is None:
        return returned.dtype.type(0).item()
    sizes = iter(raw[len(raw) - convention.sizes :])
    shape = [next(sizes) if size == DYNAMIC_INDEX else size for size in returned.shape]
    return current_frame().lend(np.zeros(shape, returned.dtype))


def _invoke(convention: _Convention, raw: list[Any], wanted: Mapping[str, str]) -> Any:
    runtime = convention.runtime
    function = packed_function(convention.name, lambda: wanted) if runtime is None else RUNTIME_FUNCTIONS[runtime]
    is_owner = not convention.is_destination_passing
    arguments = [_argument(value, raw, is_owner) for value in convention.arguments]
    sizes = [raw.pop(0) for _ in range(convention.sizes)]
    outputs = [_view(value, raw) for value in convention.outputs]
    if convention.is_destination_passing:
        function(*arguments, *outputs)
        return None
    found = function(*arguments, *convention.label)
    returned = convention.returned
    if returned is not None and returned.shape is not None:
        return current_frame().lend(_tensor(found, returned, sizes))
    if returned is not None:
        return (
            current_frame().handle_of(found) if returned.element_type == "object" else returned.dtype.type(found).item()
        )
    if outputs:
        items = found if isinstance(found, tuple | list) else (found,)
        for output, item in zip(outputs, items, strict=True):
            _check_shape(np.shape(item), output.shape)
            output[...] = item
    return None


def _argument(value: _Value, raw: list[Any], is_owner: bool) -> Any:
    """Returns an argument as Python sees it: the array that Python has lent, else a copy for an owner, else a read-only view."""
    if value.element_type == "object":
        return current_frame().object_of(raw.pop(0))
    if value.shape is None:
        return value.dtype.type(raw.pop(0))
    lent = current_frame().lent(raw[0] or 0)
    array = _view(value, raw)
    if lent is not None and lent.shape == array.shape and lent.dtype == array.dtype:
        return lent
    if is_owner:
        return array.copy()
    array.flags.writeable = False
    return array


def _view(value: _Value, raw: list[Any]) -> np.ndarray[Any, Any]:
    assert value.shape is not None
    address = raw.pop(0)
    shape = [raw.pop(0) if size == DYNAMIC_INDEX else size for size in value.shape]
    count = math.prod(shape)
    if count == 0 or address is None:
        return np.empty(shape, value.dtype)
    buffer = (ctypes.c_uint8 * (count * value.dtype.itemsize)).from_address(address)
    return np.ctypeslib.as_array(buffer).view(value.dtype).reshape(shape)


def _tensor(found: Any, value: _Value, sizes: Sequence[int]) -> np.ndarray[Any, Any]:
    """Returns a result as an array that native code can read."""
    if isinstance(found, tuple | list) and len(found) == 1:
        (found,) = found
    assert value.shape is not None
    remaining = iter(sizes)
    _check_shape(np.shape(found), tuple(next(remaining) if size == DYNAMIC_INDEX else size for size in value.shape))
    return np.require(found, value.dtype, ("C", "A"))


def _check_shape(found: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if found != expected:
        raise ValueError(f"packed function returned shape {found}, the program expects {expected}")
