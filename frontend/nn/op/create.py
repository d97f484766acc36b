"""Tensors made of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from ....builder.types import Size
from ..annotations import checked
from ..symbols import IntExpr
from ..tensor import Tensor, apply


@checked
def arange(
    start: IntExpr | float,
    end: IntExpr | float | None = None,
    step: float = 1,
    dtype: str | None = "float32",
    name: str = "arange",
) -> Tensor:
    """Returns the numbers from `start` up to, without, `end`; from 0 to `start` if that alone is given."""
    begin, stop = (0, start) if end is None else (start, end)
    if isinstance(begin, Size) or isinstance(stop, Size):
        return apply("arange", [begin, stop, step], dtype=dtype, name=name)
    return apply("arange", start=begin, end=stop, step=step, dtype=dtype, name=name)


@checked
def full(shape: Sequence[IntExpr], fill_value: Tensor | float, dtype: str = "float32", name: str = "full") -> Tensor:
    """Returns a tensor whose elements are all the same: a number, or a tensor of rank 0."""
    value = fill_value if isinstance(fill_value, Tensor) else Tensor.from_scalar(fill_value, dtype)
    return apply("full", shape, value, dtype=dtype, name=name)


@checked
def zeros(shape: Sequence[IntExpr], dtype: str = "float32", name: str = "zeros") -> Tensor:
    """Returns a tensor of zeros."""
    return apply("zeros", shape, dtype=dtype, name=name)


@checked
def ones(shape: Sequence[IntExpr], dtype: str = "float32", name: str = "ones") -> Tensor:
    """Returns a tensor of ones."""
    return apply("ones", shape, dtype=dtype, name=name)


@checked
def empty(shape: Sequence[IntExpr], dtype: str = "float32", name: str = "empty") -> Tensor:
    """Returns a tensor whose elements do not matter; they are zeros, as an undefined value is no function of anything."""
    return zeros(shape, dtype, name)


@checked
def triu(x: Tensor, diagonal: int = 0, name: str = "triu") -> Tensor:
    """Returns the matrices with zeros below a diagonal: the main one, or that many above it."""
    return apply("triu", x, k=diagonal, name=name)
