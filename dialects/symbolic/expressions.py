"""Symbolic dimension expressions: integers, symbols, `+ - *`, `floordiv`, `mod`, `min`, `max`.

What the rest of the compiler uses of the algebra: every function takes canonical expressions and returns canonical ones, `None` being
a size of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from .equality import is_zero
from .nodes import (
    OPERATORS,
    Apply,
    Dim,
    DivisorError,
    Expr,
    Known,
    Leaf,
    OperandDim,
    Symbol,
    evaluate,
    is_symbol_name,
    leaves,
    symbols,
)
from .order import NO_RANGES, Ranges
from .simplify import canonical, simplify

__all__ = [
    "OPERATORS",
    "Apply",
    "Dim",
    "DivisorError",
    "Expr",
    "Known",
    "Leaf",
    "OperandDim",
    "Symbol",
    "add",
    "apply",
    "ceildiv",
    "equal",
    "evaluate",
    "floordiv",
    "is_symbol_name",
    "leaves",
    "product",
    "replace_leaves",
    "shapes_equal",
    "simplify",
    "sub",
    "substitute",
    "symbols",
]


def substitute(dim: Dim, replacement: Mapping[str, Dim]) -> Dim:
    """Replaces symbols by dims; symbols that are not in the mapping stay."""
    return replace_leaves(dim, lambda leaf: replacement.get(leaf.name, leaf) if isinstance(leaf, Symbol) else leaf)


def replace_leaves(dim: Dim, value: Callable[[Leaf], Dim]) -> Dim:
    """Replaces each leaf by its value."""
    if isinstance(dim, Apply):
        return apply(dim.op, replace_leaves(dim.lhs, value), replace_leaves(dim.rhs, value))
    return value(dim) if isinstance(dim, Leaf) else dim


def apply(op: str, lhs: Dim, rhs: Dim) -> Dim:
    """Returns the result of an operator; unknown if an operand is unknown."""
    return None if lhs is None or rhs is None else canonical(op, lhs, rhs)


def add(*dims: Dim) -> Dim:
    """Returns the sum of dims."""
    total: Dim = 0
    for dim in dims:
        total = apply("+", total, dim)
    return total


def sub(lhs: Dim, rhs: Dim) -> Dim:
    """Returns `lhs - rhs`."""
    return apply("-", lhs, rhs)


def product(dims: Iterable[Dim]) -> Dim:
    """Returns the product of dims, 1 for none."""
    total: Dim = 1
    for dim in dims:
        total = apply("*", total, dim)
    return total


def floordiv(lhs: Dim, rhs: Dim) -> Dim:
    """Returns `lhs floordiv rhs`."""
    return apply("floordiv", lhs, rhs)


def ceildiv(lhs: Dim, rhs: int) -> Dim:
    """Returns `lhs` divided by a positive integer, rounded up."""
    return apply("floordiv", apply("+", lhs, rhs - 1), rhs)


def equal(lhs: Dim, rhs: Dim, ranges: Ranges = NO_RANGES) -> bool | None:
    """Returns whether two dims are provably equal (True), provably different (False), or neither (None)."""
    if lhs is None or rhs is None:
        return None
    if lhs == rhs:
        return True
    if isinstance(lhs, int) and isinstance(rhs, int):
        return False
    return _equal(lhs, rhs, ranges)


@lru_cache(maxsize=65536)
def _equal(lhs: Known, rhs: Known, ranges: Ranges) -> bool | None:
    return is_zero(Apply("-", lhs, rhs), ranges)


def shapes_equal(lhs: Sequence[Dim], rhs: Sequence[Dim]) -> bool:
    """Returns whether two shapes are provably equal."""
    return len(lhs) == len(rhs) and all(equal(a, b) is True for a, b in zip(lhs, rhs, strict=True))
