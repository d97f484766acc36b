"""Functions along axes: sums, extrema, running sums, softmax, orders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..annotations import checked
from ..tensor import Tensor, apply

Axes = int | Sequence[int] | None


@checked
def sum(x: Tensor, axis: Axes = None, keepdims: bool = False, name: str = "sum") -> Tensor:
    """Returns the sum along axes, all of them by default; `keepdims` keeps them as dims of size 1."""
    return apply("sum", x, axis=axis, keepdims=keepdims, name=name)


@checked
def max(x: Tensor, axis: Axes = None, keepdims: bool = False, name: str = "max") -> Tensor:
    """Returns the largest element along axes, all of them by default; `keepdims` keeps them as dims of size 1."""
    return apply("max", x, axis=axis, keepdims=keepdims, name=name)


@checked
def min(x: Tensor, axis: Axes = None, keepdims: bool = False, name: str = "min") -> Tensor:
    """Returns the smallest element along axes, all of them by default; `keepdims` keeps them as dims of size 1."""
    return apply("min", x, axis=axis, keepdims=keepdims, name=name)


@checked
def cumsum(
    data: Tensor,
    axis: int | None = None,
    dtype: str | None = None,
    exclusive: bool | None = None,
    name: str = "cumsum",
) -> Tensor:
    """Returns the running sums along an axis, of the flattened tensor without one; `exclusive` sums leave their own element out."""
    return apply("cumsum", data, axis=axis, dtype=dtype, exclusive=exclusive, name=name)


@checked
def softmax(x: Tensor, axis: int = -1, name: str = "softmax") -> Tensor:
    """Returns `e^x`, divided by its sum along an axis."""
    return apply("nn.softmax", x, axis=axis, name=name)


@checked
def sort(x: Tensor, axis: int = -1, descending: bool = False, name: str = "sort") -> Tensor:
    """Returns the elements in order along an axis."""
    return apply("sort", x, axis=axis, descending=descending, name=name)


@checked
def argsort(
    data: Tensor, axis: int = -1, descending: bool = False, dtype: str = "int32", name: str = "argsort"
) -> Tensor:
    """Returns the indices of the elements in order along an axis."""
    return apply("argsort", data, axis=axis, descending=descending, dtype=dtype, name=name)


@checked
def topk(
    data: Tensor,
    k: int = 1,
    axis: int = -1,
    ret_type: str = "both",
    largest: bool = True,
    dtype: str = "int32",
    name: str = "topk",
) -> Any:
    """Returns the first `k` elements in order along an axis, from the largest or the smallest: `(values, indices)`.

    `ret_type` may also be `values` or `indices`; all elements are returned if `k` is below 1.
    """
    return apply("topk", data, k=k, axis=axis, ret_type=ret_type, largest=largest, dtype=dtype, name=name)
