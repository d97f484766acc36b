"""Groups of element types, and the numpy dtype of each."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute

from .numpy_dtypes import dtype_named

ui8 = IntegerType(8, Signedness.UNSIGNED)
ui16 = IntegerType(16, Signedness.UNSIGNED)
ui32 = IntegerType(32, Signedness.UNSIGNED)
ui64 = IntegerType(64, Signedness.UNSIGNED)

FLOATS: tuple[Attribute, ...] = (f64, f32, f16, bf16)
SIGNED: tuple[Attribute, ...] = (i8, i16, i32, i64)
UNSIGNED: tuple[Attribute, ...] = (ui8, ui16, ui32, ui64)
INTEGERS = SIGNED + UNSIGNED
NUMERIC = FLOATS + INTEGERS
BITS = (*INTEGERS, i1)
ALL = (*NUMERIC, i1)
QUANTIZED: tuple[Attribute, ...] = (i8, ui8, i16, ui16, i32)
FACTORS: tuple[Attribute, ...] = (i8, ui8, i16)


def is_float(element_type: Attribute) -> bool:
    """Returns whether an element type is a floating-point type."""
    return isinstance(element_type, Float64Type | Float32Type | Float16Type | BFloat16Type)


def is_narrower_float(element_type: Attribute, other: Attribute) -> bool:
    """Returns whether two types are floats and the other one has every value of the first, and more."""
    if not (is_float(element_type) and is_float(other)):
        return False
    return other == f64 != element_type or (other == f32 and element_type in (f16, bf16))


def is_unsigned(element_type: Attribute) -> bool:
    """Returns whether an element type is `ui8..ui64` or `i1`, whose values are never negative."""
    if not isinstance(element_type, IntegerType):
        return False
    return element_type.signedness.data == Signedness.UNSIGNED or element_type.width.data == 1


def accumulator(element_type: Attribute) -> Attribute:
    """Returns the type that sums and products of this element type are accumulated in: f32 for f16 and bf16, else itself."""
    return f32 if element_type in (f16, bf16) else element_type


_BY_WIDTH = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64")


def accumulator_of(element_type: Attribute, result: Attribute) -> Attribute:
    """Returns the type that products of this element type are accumulated in for a result type: the wider one of their accumulators.

    Floats are wider than integers. A result type of the same width is none that is wider.
    """
    own, other = accumulator(element_type), accumulator(result)
    return other if _width(other) > _width(own) else own


def _width(element_type: Attribute) -> int:
    return _BY_WIDTH.index(str(element_type).removeprefix("u"))


_SIGNS = {Signedness.SIGNLESS: "i", Signedness.SIGNED: "si", Signedness.UNSIGNED: "ui"}


def element_name(element_type: Attribute) -> str:
    """Returns the name of an element type, as its text has it."""
    match element_type:
        case IntegerType():
            return f"{_SIGNS[element_type.signedness.data]}{element_type.width.data}"
        case Float64Type() | Float32Type() | Float16Type() | BFloat16Type() | IndexType():
            return element_type.name
        case _:
            return str(element_type)


def numpy_dtype(element_type: Attribute) -> np.dtype[Any]:
    """Returns the numpy dtype of an element type; bf16 is that of ml_dtypes."""
    return dtype_named(element_name(element_type))


def element_from_numpy(dtype: np.dtype[Any]) -> Attribute:
    """Returns the element type of a numpy dtype; raises `ValueError` if there is none."""
    for element_type in ALL:
        if numpy_dtype(element_type) == dtype:
            return element_type
    raise ValueError(f"numpy dtype {dtype} has no element type")
