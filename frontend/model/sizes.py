"""Tensors of sizes that are computed during an import: arrays of integers, or of expressions of the algebra of sizes.

A shape subgraph (`Shape`, `Gather`, `Mul`, `Concat`, ...) is folded to such arrays, so that what it feeds has symbolic dims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...dialects.symbolic.expressions import Dim, apply, equal, symbols
from ...dialects.symbolic.nodes import Known
from ...dialects.symbolic.order import is_nonnegative
from .problems import Unsupported

SizeArray: TypeAlias = "np.ndarray[Any, Any]"
"""Integers, or, with the dtype `object`, dims of which one at least is an expression."""


def size_array(sizes: Iterable[Known], shape: Sequence[int] | None = None) -> SizeArray:
    """Returns known sizes as an array; one of i64 if all are integers."""
    listed = list(sizes)
    if all(isinstance(size, int) for size in listed):
        array = np.array(listed, np.int64)
    else:
        array = np.empty(len(listed), object)
        array[:] = listed
    return array if shape is None else array.reshape(tuple(shape))


def is_symbolic(array: SizeArray) -> bool:
    """Returns whether an element is an expression."""
    return array.dtype == object


def dims_in(array: SizeArray) -> list[Known]:
    """Returns the elements of an array of integers, integral floats or expressions."""
    return [int(item) if _is_integral(item) else item for item in array.reshape(-1)]


def _is_integral(item: Any) -> bool:
    if isinstance(item, float | np.floating):
        return float(item).is_integer()
    return isinstance(item, int | np.integer | np.bool_)


def is_integral(array: SizeArray) -> bool:
    """Returns whether all elements are integers, integral floats or expressions."""
    return array.dtype == object or array.dtype.kind in "iub" or all(map(_is_integral, array.reshape(-1)))


def settled(array: SizeArray) -> SizeArray:
    """Returns an array of dims as one of i64 if all have become integers."""
    return size_array(dims_in(array), array.shape)


def number_hint(sizes: Iterable[Known]) -> str:
    """Returns what to do about sizes that an import needs as numbers."""
    names = sorted({name for size in sizes for name in symbols(size)})
    return f"give {', '.join(names)} a number ({' '.join(f'--dim {name}=N' for name in names)})"


def number_of(size: Known, what: str) -> int:
    """Returns a size that must be a number; raises `Unsupported` for another one."""
    if not isinstance(size, int):
        raise Unsupported(f"the {what} must be a number, got {size}; {number_hint([size])}")
    return size


def _quotient(lhs: Known, rhs: Known) -> Dim:
    """Returns the quotient, truncated; unknown where truncation may differ from flooring."""
    if isinstance(lhs, int) and isinstance(rhs, int):
        return None if rhs == 0 else abs(lhs) // abs(rhs) * (1 if (lhs < 0) == (rhs < 0) else -1)
    is_positive = isinstance(rhs, int) and rhs > 0
    return apply("floordiv", lhs, rhs) if is_positive and is_nonnegative(lhs) else None


def _floor_modulo(lhs: Known, rhs: Known) -> Dim:
    return apply("mod", lhs, rhs) if isinstance(rhs, int) and rhs > 0 else None


def _equality(lhs: Known, rhs: Known) -> Dim:
    decided = equal(lhs, rhs)
    return None if decided is None else int(decided)


def _less(lhs: Known, rhs: Known) -> Dim:
    if is_nonnegative(apply("-", apply("-", rhs, lhs), 1) or 0):
        return 1
    return 0 if is_nonnegative(apply("-", lhs, rhs) or 0) else None


ARITHMETIC: Mapping[str, Callable[[Known, Known], Dim]] = {
    "+": lambda lhs, rhs: apply("+", lhs, rhs),
    "-": lambda lhs, rhs: apply("-", lhs, rhs),
    "*": lambda lhs, rhs: apply("*", lhs, rhs),
    "/": _quotient,
    "mod": _floor_modulo,
    "min": lambda lhs, rhs: apply("min", lhs, rhs),
    "max": lambda lhs, rhs: apply("max", lhs, rhs),
    "==": _equality,
    "<": _less,
    ">": lambda lhs, rhs: _less(rhs, lhs),
}
"""The operators of shape subgraphs; comparisons give 0 and 1. A result of which nothing is known is `None`."""


def combined(op: str, lhs: SizeArray, rhs: SizeArray) -> SizeArray | None:
    """Returns an operator of `ARITHMETIC` on two arrays, which are broadcast; `None` where an element is outside of the algebra."""
    left, right = np.broadcast_arrays(lhs, rhs)
    results = [ARITHMETIC[op](a, b) for a, b in zip(dims_in(left), dims_in(right), strict=True)]
    known = [result for result in results if result is not None]
    return size_array(known, left.shape) if len(known) == len(results) else None
