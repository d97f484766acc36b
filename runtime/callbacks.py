"""C callbacks for packed functions: what native code calls when a program calls Python."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType, ModuleOp, StringAttr
from xdsl.ir import Attribute

from ..dialects.relax.core import OPAQUE
from ..dialects.relax.dtypes import numpy_dtype
from .packed import packed_function

_pending = threading.local()


def raise_pending() -> None:
    """Raises what a packed function raised during the native call of this thread, if anything."""
    error: BaseException | None = getattr(_pending, "error", None)
    if error is not None:
        _pending.error = None
        raise error


class Callbacks:
    """The callbacks of the packed functions that a module declares, by symbol name.

    Native code passes a pointer and the dynamic sizes for each array, results last.
    """

    def __init__(self, declarations: Sequence[func.FuncOp]):
        wanted = dict(map(_wanted, declarations))
        self._callbacks = {declaration.sym_name.data: _callback(declaration, wanted) for declaration in declarations}

    @classmethod
    def of(cls, module: ModuleOp) -> Callbacks:
        """Makes the callbacks for the declarations of a module at the loops stage."""
        return cls(
            [
                op
                for op in module.body.block.ops
                if isinstance(op, func.FuncOp) and "relax.packed" in op.attributes and op.is_declaration
            ]
        )

    def addresses(self) -> dict[str, int]:
        """Returns the address of each callback."""
        return {name: ctypes.cast(callback, ctypes.c_void_p).value or 0 for name, callback in self._callbacks.items()}


def _wanted(declaration: func.FuncOp) -> tuple[str, str]:
    """Returns the name of a packed function, and why it is called."""
    name, reason = declaration.attributes["relax.packed"], declaration.attributes.get(OPAQUE)
    assert isinstance(name, StringAttr)
    return name.data, reason.data if isinstance(reason, StringAttr) else ""


def _callback(declaration: func.FuncOp, wanted: Mapping[str, str]) -> Any:
    name, _ = _wanted(declaration)
    types = declaration.function_type.inputs.data
    sizes = declaration.attributes.get("relax.result_sizes")
    hidden = sizes.value.data if isinstance(sizes, IntegerAttr) else 0
    results = _result_count(declaration)
    dps = "relax.destination_passing" in declaration.attributes
    c_types: list[Any] = []
    for value_type in types:
        c_types.extend(_c_types(value_type))

    def call(*raw: Any) -> None:
        # Python cannot unwind through native code: the error is kept and raised after the call.
        if getattr(_pending, "error", None) is not None:
            return
        try:
            _invoke(packed_function(name, lambda: wanted), types, results, hidden, dps, list(raw))
        except BaseException as error:
            _pending.error = error

    return ctypes.CFUNCTYPE(None, *c_types)(call)


def _result_count(declaration: func.FuncOp) -> int:
    if declaration.arg_attrs is None:
        return 0
    return sum("relax.result" in attributes.data for attributes in declaration.arg_attrs.data)


def _c_types(value_type: Attribute) -> list[Any]:
    if isinstance(value_type, MemRefType):
        return [ctypes.c_void_p, *[ctypes.c_int64] * value_type.get_shape().count(DYNAMIC_INDEX)]
    return [np.ctypeslib.as_ctypes_type(numpy_dtype(value_type))]


def _invoke(
    function: Callable[..., Any], types: Sequence[Attribute], results: int, hidden: int, dps: bool, raw: list[Any]
) -> None:
    values: list[Any] = []
    for value_type in types:
        first = raw.pop(0)
        if not isinstance(value_type, MemRefType):
            values.append(numpy_dtype(value_type).type(first))
            continue
        shape = [raw.pop(0) if size == DYNAMIC_INDEX else size for size in value_type.get_shape()]
        values.append(_array(first, shape, numpy_dtype(value_type.element_type)))
    # Arguments, sizes of the results (told by the arrays themselves), results.
    inputs, outputs = values[: len(values) - results - hidden], values[len(values) - results :]
    for value in inputs:
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    if dps:
        function(*inputs, *outputs)
        return
    returned = function(*inputs)
    if not outputs:
        return
    items = returned if isinstance(returned, tuple | list) else (returned,)
    for output, item in zip(outputs, items, strict=True):
        if np.shape(item) != output.shape:
            raise ValueError(f"packed function returned shape {np.shape(item)}, the program expects {output.shape}")
        output[...] = item


def _array(address: int | None, shape: Sequence[int], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    count = int(np.prod(shape)) if shape else 1
    if count == 0 or address is None:
        return np.empty(shape, dtype)
    buffer = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(address)
    return np.ctypeslib.as_array(buffer).view(dtype).reshape(shape)
