"""Types of StableHLO, and what they are here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import f32, i1, i8
from xdsl.ir import Attribute

from ...dialects.relax.dtypes import ALL, numpy_dtype, ui8
from ..model.problems import Unsupported
from .bindings import ir, stablehlo
from .small_floats import SMALL_FLOATS, SmallFloat

NATIVE: dict[str, Attribute] = {str(element): element for element in ALL}
"""The element types that the dialect has, by their names."""


@dataclass(frozen=True)
class SmallInteger:
    """An integer of less than 8 bits, which is kept in one of 8."""

    bits: int
    is_signed: bool

    @property
    def storage(self) -> Attribute:
        """The type that it is kept in."""
        return i8 if self.is_signed else ui8


@dataclass(frozen=True)
class ElementType:
    """A type of elements, and what it is kept in."""

    kept: Attribute
    small: SmallInteger | None = None
    small_float: SmallFloat | None = None

    @property
    def stored(self) -> np.dtype[Any]:
        """What MLIR has an element in: whole bytes."""
        return numpy_dtype(self.kept) if self.small_float is None else np.dtype(self.small_float.dtype)

    @property
    def bits(self) -> int:
        """The bits of an integer."""
        if self.small is not None:
            return self.small.bits
        return 1 if self.kept == i1 else 8 * self.stored.itemsize


_SMALL_INTEGER = re.compile(r"(u?)i(2|4)")


def has_counterpart(name: str) -> bool:
    """Returns whether elements of a type can be kept."""
    return name in NATIVE or name in SMALL_FLOATS or _SMALL_INTEGER.fullmatch(name) is not None


def kept_as(name: str) -> ElementType:
    """Returns the type of a name, which has a counterpart."""
    small = _SMALL_INTEGER.fullmatch(name)
    if small is not None:
        integer = SmallInteger(int(small[2]), not small[1])
        return ElementType(integer.storage, integer)
    if name in SMALL_FLOATS:
        return ElementType(f32, None, SMALL_FLOATS[name])
    return ElementType(NATIVE[name])


@dataclass(frozen=True)
class TensorShape:
    """The type of a tensor: a size is `None` where it is dynamic, and has a bound then or not."""

    sizes: tuple[int | None, ...]
    element: Attribute
    """The element type that it is kept in."""
    small: SmallInteger | None = None
    bounds: tuple[int | None, ...] = ()
    small_float: SmallFloat | None = None


def tensor_shape(mlir_type: Any) -> TensorShape:
    """Returns the type of a tensor; raises `Unsupported` for all that has no counterpart."""
    if not isinstance(mlir_type, ir.RankedTensorType):
        raise Unsupported(f"values of type {_kind(mlir_type)} have no counterpart")
    sizes = tuple(None if mlir_type.is_dynamic_dim(axis) else int(size) for axis, size in enumerate(mlir_type.shape))
    name = str(mlir_type.element_type)
    bounds: tuple[int | None, ...] = ()
    if mlir_type.encoding is not None and stablehlo.TypeExtensions.isinstance(mlir_type.encoding):
        given = stablehlo.TypeExtensions(mlir_type.encoding).bounds
        bounds = tuple(None if bound < 0 else int(bound) for bound in given)
    if not has_counterpart(name):
        raise Unsupported(f"tensors of {_kind(mlir_type.element_type)} have no counterpart")
    kept = kept_as(name)
    return TensorShape(sizes, kept.kept, kept.small, bounds, kept.small_float)


def _kind(mlir_type: Any) -> str:
    text = str(mlir_type)
    return "quantized elements" if text.startswith("!quant") else text


def elements(data: np.ndarray[Any, Any], shape: Sequence[int], element: ElementType) -> np.ndarray[Any, Any]:
    """Returns the elements of a constant, in the type that they are kept in, from the bytes that MLIR has them in."""
    if element.kept == i1:
        # 8 in a byte, or one.
        count = prod(shape)
        bits = data if data.size == count else np.unpackbits(data, count=count, bitorder="little")
        return (bits != 0).reshape(shape)
    if element.small is not None:
        # The bits above those of the number are 0, whatever its sign.
        unused = 8 - element.small.bits
        return ((data << unused).view(element.stored) >> unused).reshape(shape)
    return _kept(data.view(element.stored).reshape(shape), element)


def dense_array(attribute: Any) -> np.ndarray[Any, Any]:
    """Returns the elements of a constant, in the type that they are kept in; equal elements are one that is broadcast."""
    # Invariant: elements that the bindings give no buffer of (bf16, 4 bits) are read from the text.
    tensor_shape(attribute.type)
    if isinstance(attribute, ir.DenseResourceElementsAttr):
        raise Unsupported("constants that are resources have no counterpart")
    tensor = ir.RankedTensorType(attribute.type)
    shape, name = tuple(tensor.shape), str(tensor.element_type)
    element = kept_as(name)
    dense = ir.DenseElementsAttr(attribute)
    if dense.is_splat:
        return np.broadcast_to(_kept(np.array(splat_item(dense)).astype(element.stored), element), shape)
    if name in BUFFERS:
        return np.asarray(dense).astype(element.stored, copy=False).reshape(shape)
    text = str(dense)
    if text.startswith('dense<"0x'):
        data = bytes.fromhex(text[len('dense<"0x') : text.index('"', len('dense<"0x'))])
        return elements(np.frombuffer(data, np.uint8), shape, element)
    items = re.findall(r"[-+.\w]+", text[len("dense<") : text.rindex(">", 0, text.rindex(":"))])
    dtype = element.stored
    numbers = [_bits(item, dtype) if item.startswith("0x") else np.array(float(item)).astype(dtype) for item in items]
    return _kept(np.array(numbers, dtype).reshape(shape), element)


def _kept(array: np.ndarray[Any, Any], element: ElementType) -> np.ndarray[Any, Any]:
    return array if element.small_float is None else array.astype(np.float32)


def splat_item(dense: Any) -> Any:
    """Returns the element that all of a constant are, as a number."""
    return dense.get_splat_value().value


BUFFERS = frozenset(("f64", "f32", "f16", "i64", "i32", "i16", "i8", "i1", "ui64", "ui32", "ui16", "ui8"))
"""The element types that the bindings give a buffer of."""


def _bits(text: str, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    return np.array(int(text, 16), f"u{dtype.itemsize}").view(dtype)
