"""Types, constants and names of the `llvm` dialect as LLVM IR text."""

from __future__ import annotations

import re
import struct
from typing import cast

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from ...kinds import kind_test

_PLAIN_NAME = re.compile(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*")
_BYTES = [chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in range(256)]
_FLOATS: dict[type[Attribute], tuple[str, int]] = {
    Float16Type: ("half", 2),
    BFloat16Type: ("bfloat", 2),
    Float32Type: ("float", 4),
    Float64Type: ("double", 8),
}


class LLVMTextError(PassFailedException):
    """Says what cannot be written as LLVM IR."""


def symbol(name: str) -> str:
    """Returns `@name`, quoted where it must be."""
    if _PLAIN_NAME.fullmatch(name):
        return f"@{name}"
    return '@"' + "".join(_BYTES[b] for b in name.encode()) + '"'


def escaped(data: bytes) -> str:
    """Returns the inside of a `c"..."` literal."""
    return "".join(map(_BYTES.__getitem__, data))


_is_half = kind_test(Float16Type)
_is_bfloat = kind_test(BFloat16Type)
_is_double = kind_test(Float64Type)
_is_integer = kind_test(IntegerType)


def type_text(type_: Attribute) -> str:
    """Returns a type as LLVM writes it."""
    if _is_integer(type_):
        return f"i{type_.width.data}"
    if type(type_) in _FLOATS:
        return _FLOATS[type(type_)][0]
    if isinstance(type_, llvm.LLVMPointerType):
        space = type_.addr_space
        return "ptr" if not hasattr(space, "data") else f"ptr addrspace({space.data})"  # pyright: ignore
    if isinstance(type_, VectorType):
        return f"<{type_.get_shape()[0]} x {type_text(type_.element_type)}>"
    if isinstance(type_, llvm.LLVMArrayType):
        return f"[{type_.size.data} x {type_text(type_.type)}]"
    if isinstance(type_, llvm.LLVMStructType):
        return "{ " + ", ".join(type_text(t) for t in type_.types.data) + " }"
    if isinstance(type_, llvm.LLVMVoidType):
        return "void"
    raise LLVMTextError(f"print-llvm-ir: type {type_} has no text")


def _bits_text(type_: Attribute, bits: int) -> str:
    """Returns a float constant from its bits; `float` is written as the double of the same value."""
    if _is_half(type_):
        return f"0xH{bits:04X}"
    if _is_bfloat(type_):
        return f"0xR{bits:04X}"
    if _is_double(type_):
        return f"0x{bits:016X}"
    return f"0x{_double_bits_of_float(bits):016X}"


def _double_bits_of_float(bits: int) -> int:
    """Widens the bits of a float; a NaN keeps its payload, which a conversion might quieten."""
    if bits & 0x7F800000 == 0x7F800000 and bits & 0x7FFFFF:
        sign, payload = bits >> 31, bits & 0x7FFFFF
        return sign << 63 | 0x7FF << 52 | payload << 29
    (value,) = struct.unpack("<f", struct.pack("<I", bits))
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def float_bits(value: float, type_: Attribute) -> int:
    """Returns the bits of a number rounded to nearest even in a float type."""
    if _is_double(type_):
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    with np.errstate(all="ignore"):
        if _is_half(type_):
            return int(np.float64(value).astype(np.float16).view(np.uint16))
        if _is_bfloat(type_):
            import ml_dtypes

            return int(np.array([value], dtype=np.float64).astype(ml_dtypes.bfloat16).view(np.uint16)[0])
        return int(np.float64(value).astype(np.float32).view(np.uint32))


def _scalar_text(value: float, type_: Attribute) -> str:
    if _is_integer(type_):
        if type_.width.data == 1:
            return "true" if value else "false"
        return str(int(value))
    return _bits_text(type_, float_bits(float(value), type_))


def constant_text(value: Attribute, type_: Attribute) -> str:
    """Returns a constant without its type."""
    if isinstance(value, IntegerAttr):
        return _scalar_text(value.value.data, type_)
    if isinstance(value, FloatAttr):
        return _scalar_text(value.value.data, type_)
    if isinstance(value, DenseIntOrFPElementsAttr):
        element = cast(VectorType, type_).element_type
        element_text = type_text(element)
        values = [_scalar_text(v, element) for v in cast("list[int | float]", list(value.get_values()))]
        if value.is_splat() or len(set(values)) == 1:
            return f"splat ({element_text} {values[0]})"
        return "<" + ", ".join(f"{element_text} {v}" for v in values) + ">"
    raise LLVMTextError(f"print-llvm-ir: constant {value} has no text")
