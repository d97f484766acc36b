"""Types of StableHLO, and what they are here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import f32, i8
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
    small = re.fullmatch(r"(u?)i(2|4)", name)
    if small is not None:
        integer = SmallInteger(int(small[2]), not small[1])
        return TensorShape(sizes, integer.storage, integer, bounds)
    if name in SMALL_FLOATS:
        return TensorShape(sizes, f32, None, bounds, SMALL_FLOATS[name])
    if name not in NATIVE:
        raise Unsupported(f"tensors of {_kind(mlir_type.element_type)} have no counterpart")
    return TensorShape(sizes, NATIVE[name], None, bounds)


def _kind(mlir_type: Any) -> str:
    text = str(mlir_type)
    return "quantized elements" if text.startswith("!quant") else text


def dense_array(attribute: Any) -> np.ndarray[Any, Any]:
    """Returns the elements of a constant, in the type that they are kept in; equal elements are one that is broadcast."""
    declared = tensor_shape(attribute.type)
    if declared.small_float is None:
        return _elements(attribute, numpy_dtype(declared.element))
    return _elements(attribute, np.dtype(declared.small_float.dtype)).astype(np.float32)


def _elements(attribute: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    # Invariant: elements that the bindings give no buffer of (bf16, 4 bits) are read from the text.
    shape = tuple(ir.RankedTensorType(attribute.type).shape)
    if isinstance(attribute, ir.DenseResourceElementsAttr):
        raise Unsupported("constants that are resources have no counterpart")
    dense = ir.DenseElementsAttr(attribute)
    if dense.is_splat:
        item = np.array(splat_item(dense)).astype(dtype)
        return np.broadcast_to(item, shape)
    if str(ir.RankedTensorType(attribute.type).element_type) in BUFFERS:
        return np.asarray(dense).astype(dtype, copy=False).reshape(shape)
    text = str(dense)
    if text.startswith('dense<"0x'):
        return np.frombuffer(bytes.fromhex(text[9 : text.index('"', 9)]), dtype).reshape(shape)
    items = re.findall(r"[-+.\w]+", text[len("dense<") : text.rindex(">", 0, text.rindex(":"))])
    numbers = [_bits(item, dtype) if item.startswith("0x") else np.array(float(item)).astype(dtype) for item in items]
    return np.array(numbers, dtype).reshape(shape)


def splat_item(dense: Any) -> Any:
    """Returns the element that all of a constant are, as a number."""
    return dense.get_splat_value().value


BUFFERS = frozenset(("f64", "f32", "f16", "i64", "i32", "i16", "i8", "i1", "ui64", "ui32", "ui16", "ui8"))
"""The element types that the bindings give a buffer of."""


def _bits(text: str, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    return np.array(int(text, 16), f"u{dtype.itemsize}").view(dtype)
