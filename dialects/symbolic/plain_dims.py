"""Dims as JSON has them.

A dim is an integer, a string (a symbol), a list `["*", 2, "n"]` (an operator and its operands), or `null` (unknown).
"""

from __future__ import annotations

from typing import Any, TypeAlias

from .nodes import OPERATORS, Apply, Dim, Known, Symbol, is_symbol_name

PlainDim: TypeAlias = "int | str | list[Any] | None"
"""A dim as JSON has it."""


def plain_dim(dim: Dim) -> PlainDim:
    """Returns a dim as JSON has it."""
    match dim:
        case Symbol():
            return dim.name
        case Apply():
            return [dim.op, plain_dim(dim.lhs), plain_dim(dim.rhs)]
        case int() | None:
            return dim
        case _:
            raise ValueError(f"expected a dim in symbols, got {dim}")


def dim_from_plain(value: Any) -> Dim:
    """Returns the dim that `plain_dim` has written; raises `ValueError` for anything else."""
    match value:
        case None:
            return None
        case int() if not isinstance(value, bool):
            return value
        case str() if is_symbol_name(value):
            return Symbol(value)
        case [str() as op, lhs, rhs] if op in OPERATORS:
            return Apply(op, known_from_plain(lhs), known_from_plain(rhs))
        case _:
            raise ValueError(
                f"a dim must be an integer, a symbol, unknown, or [operator, left, right] with one of "
                f"{' '.join(sorted(OPERATORS))}, got {value}"
            )


def known_from_plain(value: Any) -> Known:
    """Returns the dim that `plain_dim` has written, which is not unknown; raises `ValueError` for anything else."""
    dim = dim_from_plain(value)
    if dim is None:
        raise ValueError("an operator of a dim needs known operands")
    return dim
