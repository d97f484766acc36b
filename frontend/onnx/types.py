"""Element types of ONNX, and what they are here.

Types that the dialect has no elements for are kept in wider ones: 2-bit and 4-bit integers as i8 and ui8 with their values, 8-bit and
4-bit floats as ui8 with their bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper
from xdsl.dialects.builtin import bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute

from ...dialects.relax.dtypes import ui8, ui16, ui32, ui64
from ..model.problems import Unsupported

NATIVE: dict[int, Attribute] = {
    TensorProto.FLOAT: f32,
    TensorProto.DOUBLE: f64,
    TensorProto.FLOAT16: f16,
    TensorProto.BFLOAT16: bf16,
    TensorProto.INT8: i8,
    TensorProto.INT16: i16,
    TensorProto.INT32: i32,
    TensorProto.INT64: i64,
    TensorProto.UINT8: ui8,
    TensorProto.UINT16: ui16,
    TensorProto.UINT32: ui32,
    TensorProto.UINT64: ui64,
    TensorProto.BOOL: i1,
}
"""The types that are elements of the dialect."""

SMALL_INTEGERS: dict[int, tuple[int, bool]] = {
    TensorProto.INT4: (4, True),
    TensorProto.UINT4: (4, False),
    TensorProto.INT2: (2, True),
    TensorProto.UINT2: (2, False),
}
"""The bits of the integers that are kept in wider ones, and whether they are signed."""

SMALL_FLOATS = frozenset(
    (
        TensorProto.FLOAT8E4M3FN,
        TensorProto.FLOAT8E4M3FNUZ,
        TensorProto.FLOAT8E5M2,
        TensorProto.FLOAT8E5M2FNUZ,
        TensorProto.FLOAT4E2M1,
        TensorProto.FLOAT8E8M0,
    )
)
"""The floats that are kept as their bits."""

_KIND_OF = {element: kind for kind, element in NATIVE.items()}


def kind_name(kind: int) -> str:
    """Returns ONNX's name of an element type; its number if that has none."""
    return str(TensorProto.DataType.Name(kind)).lower() if kind in TensorProto.DataType.values() else f"type {kind}"


def is_small(kind: int) -> bool:
    """Returns whether elements of a type are kept in those of another one."""
    return kind in SMALL_INTEGERS or kind in SMALL_FLOATS


def storage(kind: int) -> Attribute:
    """Returns the element type that elements are kept in; raises `Unsupported` for text and complex numbers."""
    if kind in NATIVE:
        return NATIVE[kind]
    if kind in SMALL_INTEGERS:
        return i8 if SMALL_INTEGERS[kind][1] else ui8
    if kind in SMALL_FLOATS:
        return ui8
    raise Unsupported(f"tensors of {kind_name(kind)} have no counterpart")


def kind_of(element: Attribute) -> int:
    """Returns ONNX's number of an element type; raises `Unsupported` for one that the dialect does not compute with."""
    if element not in _KIND_OF:
        raise Unsupported(f"elements of type {element} have no counterpart")
    return _KIND_OF[element]


def kind_of_array(array: np.ndarray[Any, Any]) -> int:
    """Returns ONNX's number of the element type of an array; sizes are i64."""
    if array.dtype == object:
        return TensorProto.INT64
    return int(helper.np_dtype_to_tensor_dtype(array.dtype))


def stored(array: np.ndarray[Any, Any], kind: int) -> np.ndarray[Any, Any]:
    """Returns an array of a type of ONNX in the type that it is kept in."""
    if kind in SMALL_INTEGERS:
        return array.astype(np.int8 if SMALL_INTEGERS[kind][1] else np.uint8)
    if kind in SMALL_FLOATS:
        return array.view(np.uint8) if array.dtype.itemsize == 1 else array.astype(np.uint8)
    return array
