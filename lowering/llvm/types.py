"""Types of the loops stage and what they become in the `llvm` dialect."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AffineMapAttr,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    VectorType,
    i1,
    i8,
    i64,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineMap
from xdsl.utils.exceptions import PassFailedException

from ...kinds import kind_test
from ..buffers.view_types import row_major
from ..emit.constructors import vector_type

PTR = llvm.LLVMPointerType()
VOID = llvm.LLVMVoidType()

_FLOAT_WIDTH: dict[type[Attribute], tuple[int, str]] = {
    Float16Type: (2, "f16"),
    BFloat16Type: (2, "bf16"),
    Float32Type: (4, "f32"),
    Float64Type: (8, "f64"),
}


class LoweringError(PassFailedException):
    """An operation or a type that cannot become llvm, with the reason; the walk adds where it is."""


_is_index = kind_test(IndexType)
_is_vector = kind_test(VectorType)
_is_integer = kind_test(IntegerType)


def convert_type(type_: Attribute) -> Attribute:
    """Returns the register type of a scalar or 1-D vector: `index` becomes `i64`, the rest stays."""
    if type_ is i64 or _is_index(type_):
        return i64
    if _is_vector(type_):
        if len(type_.shape) != 1:
            raise LoweringError(f"convert-to-llvm: {type_} is not a 1-D vector")
        if any(type_.scalable_dims):
            raise LoweringError(f"convert-to-llvm: {type_} is scalable")
        element = convert_type(type_.element_type)
        return type_ if element == type_.element_type else vector_type(element, *type_.get_shape())
    if _is_integer(type_) or type(type_) in _FLOAT_WIDTH or type_.name.startswith("llvm."):
        return type_
    raise LoweringError(f"convert-to-llvm: type {type_} has no counterpart in llvm")


def memory_type(type_: Attribute) -> Attribute:
    """Returns the type of a scalar or vector in memory: as in a register, but `i1` is one byte."""
    if _is_vector(type_):
        element = memory_type(type_.element_type)
        return vector_type(element, *type_.get_shape())
    converted = convert_type(type_)
    return i8 if converted == i1 else converted


def byte_size(type_: Attribute) -> int:
    """Bytes that one element takes in memory."""
    if type(type_) in _FLOAT_WIDTH:
        return _FLOAT_WIDTH[type(type_)][0]
    if isinstance(type_, IndexType) or type_.name == "llvm.ptr":
        return 8
    if isinstance(type_, IntegerType):
        width = type_.width.data
        if width == 1:
            return 1
        if width in (8, 16, 32, 64):
            return width // 8
    raise LoweringError(f"convert-to-llvm: element type {type_} has no layout in memory")


def mangle(type_: Attribute) -> str:
    """Returns how LLVM spells a type in the name of an overloaded intrinsic: `f32`, `v16i8`, `p0`."""
    if isinstance(type_, VectorType):
        return f"v{type_.get_shape()[0]}{mangle(type_.element_type)}"
    if isinstance(type_, IntegerType):
        return f"i{type_.width.data}"
    if type(type_) in _FLOAT_WIDTH:
        return _FLOAT_WIDTH[type(type_)][1]
    if type_.name == "llvm.ptr":
        return "p0"
    raise LoweringError(f"convert-to-llvm: type {type_} cannot overload an intrinsic")


def is_identity(type_: MemRefType) -> bool:
    """Returns whether a memref is compact and row-major."""
    layout = type_.layout
    if isinstance(layout, NoneAttr):
        return True
    if isinstance(layout, StridedLayoutAttr):
        shape = type_.get_shape()
        steps = zip(shape, layout.get_strides(), row_major(shape), strict=True)
        return layout.get_offset() == 0 and all(size == 1 or stride == expected for size, stride, expected in steps)
    return isinstance(layout, AffineMapAttr) and layout.data == AffineMap.identity(type_.get_num_dims())


def static_layout(type_: MemRefType) -> tuple[list[int | None], int | None]:
    """Returns the strides and the offset that a memref type states; None where they are dynamic."""
    layout = type_.layout
    if isinstance(layout, StridedLayoutAttr):
        return list(layout.get_strides()), layout.get_offset()
    if not is_identity(type_):
        raise LoweringError(f"convert-to-llvm: layout of {type_} is neither the identity nor strided")
    return row_major(type_.get_shape()), 0
