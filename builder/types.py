"""Types as people write them: tensors and shapes with named dims, element types by name or numpy dtype."""

from __future__ import annotations

import re
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import IndexType, bf16
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import ParseError

from ..dialects.nearest_name import suggestion
from ..dialects.relax.attrs import ShapeType, VDeviceAttr, dims_of, tensor_type
from ..dialects.relax.dtypes import ALL, element_from_numpy
from ..dialects.symbolic.expressions import Apply, Dim, Symbol, apply, is_symbol_name
from ..dialects.symbolic.parser import dim_from_string
from ..records import record
from .calls import checked
from .errors import ArgumentError, BuilderError
from .locations import caller_location


@record
class Size:
    """A size that is computed with: `n = sym("n")`, then `2 * n + 1`, `n // 2`, `n % 4`."""

    dim: Dim

    def __add__(self, other: Size | int) -> Size:
        return self._applied("+", other)

    def __radd__(self, other: int) -> Size:
        return self._applied("+", other, is_reversed=True)

    def __sub__(self, other: Size | int) -> Size:
        return self._applied("-", other)

    def __rsub__(self, other: int) -> Size:
        return self._applied("-", other, is_reversed=True)

    def __mul__(self, other: Size | int) -> Size:
        return self._applied("*", other)

    def __rmul__(self, other: int) -> Size:
        return self._applied("*", other, is_reversed=True)

    def __neg__(self) -> Size:
        return self._applied("*", -1)

    def __floordiv__(self, other: Size | int) -> Size:
        return self._applied("floordiv", other)

    def __rfloordiv__(self, other: int) -> Size:
        return self._applied("floordiv", other, is_reversed=True)

    def __mod__(self, other: Size | int) -> Size:
        return self._applied("mod", other)

    def __rmod__(self, other: int) -> Size:
        return self._applied("mod", other, is_reversed=True)

    def _applied(self, op: str, other: Any, is_reversed: bool = False) -> Any:
        if not isinstance(other, Size | int | np.integer) or isinstance(other, bool):
            return NotImplemented
        dims = self.dim, other.dim if isinstance(other, Size) else int(other)
        return self._of(apply(op, *(reversed(dims) if is_reversed else dims)))

    def _of(self, dim: Dim) -> Size:
        """Returns what a computation with this size gives."""
        return Size(dim)

    def __str__(self) -> str:
        return "?" if self.dim is None else str(self.dim)


SizeLike: TypeAlias = Annotated[Size | Dim | str, ("a size", "sizes")]
"""A dim: a number, a `Size`, its text (`"n"`, `"2 * n + 1"`), one of the dialect, or `None` where it is unknown."""

ElementType: TypeAlias = Annotated[Attribute | str | type[Any] | np.dtype[Any], ("an element type", "element types")]
"""An element type: xDSL's, its name (`"f32"`, `"ui8"`), or a numpy dtype, class or name (`np.float32`, `"float32"`)."""

_MLIR_NAMES: dict[str, Attribute] = {**{str(element): element for element in ALL}, "index": IndexType()}

# numpy has the name of bf16 only after ml_dtypes is imported.
_BY_NAME = {**_MLIR_NAMES, "bfloat16": bf16}

_CODE = re.compile(r"[a-z]+[0-9]+")
"""What a type of MLIR looks like; numpy's codes count bytes (`i4`), MLIR's types bits."""

_NUMPY_NAMES = (
    "float16",
    "float32",
    "float64",
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    "bool",
)


@contextmanager
def _named_caller() -> Generator[None, None, None]:
    """Gives a type that is none the caller's line."""
    try:
        yield
    except BuilderError:
        raise
    except ValueError as error:
        raise ArgumentError(caller_location(), str(error)) from None


@checked
@_named_caller()
def sym(name: str) -> Size:
    """Returns a symbolic size. A function defines it where it stands alone as a dim of an argument."""
    if not is_symbol_name(name):
        raise ValueError(f"expected the name of a symbol (ASCII letters, digits and '_'), got {name!r}")
    return Size(Symbol(name))


@checked
@_named_caller()
def sizes_of(value: SSAValue | Attribute) -> tuple[Size, ...] | None:
    """Returns the sizes of a tensor, or of a tensor type; `None` if its rank is unknown."""
    dims = dims_of(value.type if isinstance(value, SSAValue) else value)
    return None if dims is None else tuple(map(Size, dims))


def dim(size: SizeLike) -> Dim:
    """Returns a dim; raises `ValueError` for what is no size, and for a text that is no expression of sizes."""
    if isinstance(size, Size):
        return size.dim
    if isinstance(size, str):
        try:
            return dim_from_string(size)
        except ParseError as error:
            raise ValueError(f"expected a size such as 'n' or '2 * n + 1', got {size!r}: {error.msg}") from None
    if isinstance(size, int | np.integer) and not isinstance(size, bool):
        return int(size)
    if size is not None and not isinstance(size, Symbol | Apply):
        raise ValueError(f"expected a size: a number, a symbol, an expression or None, got {size!r}")
    return size


@checked
@_named_caller()
def element_type(value: ElementType) -> Attribute:
    """Returns an element type. Raises a `BuilderError` with the known names for any other value, numpy's codes among them (`i4`)."""
    if isinstance(value, Attribute):
        return value
    if isinstance(value, str) and value in _BY_NAME:
        return _BY_NAME[value]
    try:
        if value is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise TypeError("numpy takes it for float64")
        dtype = np.dtype(value)
        element = element_from_numpy(dtype)
        if not isinstance(value, str) or value == dtype.name or not _CODE.fullmatch(value):
            return element
        hint = f", which is numpy's code of {element}"
    except (TypeError, ValueError):
        hint = suggestion(value, [*_BY_NAME, *_NUMPY_NAMES]) if isinstance(value, str) else ""
    raise ValueError(f"expected an element type ({', '.join(_MLIR_NAMES)}), got {value!r}{hint}")


@checked
@_named_caller()
def device(label: str) -> VDeviceAttr:
    """Returns the attribute of a device, `cpu:0` or `cuda:1:global`; raises a `BuilderError` for any other text."""
    return VDeviceAttr.from_label(label)


@checked
@_named_caller()
def tensor(
    dims: Sequence[SizeLike] | np.ndarray[Any, Any] | None, element: ElementType, device: str | None = None
) -> Attribute:
    """Returns a tensor type, on a device if that is named; `None` for the dims is an unknown rank.

    Raises a `BuilderError`, which is a `ValueError`, for what is no size, element type or device.
    """
    sizes = None if dims is None else [dim(size) for size in dims]
    for size in sizes or ():
        if isinstance(size, int) and not 0 <= size < 1 << 63:
            raise ValueError(f"expected a size from 0 to 2^63 - 1, got {size}")
    return tensor_type(sizes, element_type(element), None if device is None else VDeviceAttr.from_label(device))


@checked
@_named_caller()
def shape(dims: Sequence[SizeLike]) -> ShapeType:
    """Returns the type of shape values with these dims."""
    return ShapeType(tuple(dim(size) for size in dims))


def is_sizes(value: object) -> bool:
    """Returns whether a value is a list of sizes, such as an op takes for a shape."""
    return isinstance(value, list | tuple) and all(
        isinstance(size, Size | str | Dim) for size in cast(Sequence[object], value)
    )


def unmasked(value: Any) -> Any:
    """Returns a value as it is; raises `ValueError` for an array with masked elements, which no tensor has."""
    # Without the module there are no such arrays, and to name it loads it.
    if "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        raise ValueError("the array has masked elements, fill them first (array.filled(0))")
    return value  # pyright: ignore[reportUnknownVariableType]
