"""Dims as builtin attributes, which every MLIR tool reads.

A dim is an integer, a string (a symbol), a list `["*", 2, "n"]` (an operator and its operands), or `unit` (unknown).
JSON has the same form, with `null` for an unknown dim.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from ...symbolic.expressions import OPERATORS, Apply, Dim, Known, Symbol
from ...symbolic.parser import is_symbol_name
from .attribute_name import AttributeName

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
    """Returns the dim that `plain_dim` has written; raises `VerifyException` for anything else."""
    match value:
        case None:
            return None
        case int() if not isinstance(value, bool):
            return value
        case str() if is_symbol_name(value):
            return Symbol(value)
        case [str() as op, lhs, rhs] if op in OPERATORS:
            return Apply(op, _known(lhs), _known(rhs))
        case _:
            raise VerifyException(
                f"a dim must be an integer, a symbol, unknown, or [operator, left, right] with one of "
                f"{' '.join(sorted(OPERATORS))}, got {value}"
            )


def _known(value: Any) -> Known:
    dim = dim_from_plain(value)
    if dim is None:
        raise VerifyException("an operator of a dim needs known operands")
    return dim


@lru_cache(1024)
def dim_to_attr(dim: Dim) -> Attribute:
    """Returns the attribute that stands for a dim; attributes are immutable, so those of equal dims are made once."""
    return _to_attr(plain_dim(dim))


def dim_from_attr(attr: Attribute) -> Dim:
    """Returns the dim that an attribute stands for; raises `VerifyException` if it stands for none."""
    return dim_from_plain(_from_attr(attr))


def _to_attr(value: PlainDim) -> Attribute:
    match value:
        case None:
            return UnitAttr()
        case int():
            return IntegerAttr(value, i64)
        case str():
            return StringAttr(value)
        case _:
            return ArrayAttr(map(_to_attr, value))


def _from_attr(attr: Attribute) -> Any:
    match attr:
        case UnitAttr():
            return None
        case IntegerAttr():
            return attr.value.data
        case StringAttr():
            return attr.data
        case ArrayAttr():
            return [_from_attr(item) for item in attr.data]  # pyright: ignore[reportUnknownVariableType]
        case _:
            raise VerifyException(f"a dim is no {attr}")


class Dims(AttributeName[tuple[Dim, ...]]):
    """A list of dims."""

    expected = "a list of dims"

    def read(self, attr: Attribute) -> tuple[Dim, ...] | None:
        return tuple(map(dim_from_attr, attr.data)) if isinstance(attr, ArrayAttr) else None  # pyright: ignore[reportUnknownArgumentType]

    def write(self, value: Sequence[Dim]) -> Attribute:
        return ArrayAttr(map(dim_to_attr, value))


class Check(NamedTuple):
    """A size that the shape function of a function holds against what is expected."""

    argument: int
    """The index of the lowered argument."""
    axis: int
    """The axis of a tensor, 0 for an `index` argument."""
    expected: Known


class Checks(AttributeName[tuple[Check, ...]]):
    """A list of checks."""

    expected = "a list of checks ([argument, axis, dim])"

    def read(self, attr: Attribute) -> tuple[Check, ...] | None:
        if not isinstance(attr, ArrayAttr):
            return None
        checks: list[Check] = []
        for item in attr.data:
            match _from_attr(item):
                case [int() as argument, int() as axis, dim]:
                    checks.append(Check(argument, axis, _known(dim)))
                case _:
                    return None
        return tuple(checks)

    def write(self, value: Iterable[Check]) -> Attribute:
        return ArrayAttr(ArrayAttr(map(dim_to_attr, check)) for check in value)


class SizeLimit(NamedTuple):
    """What a function computes with, and what therefore must be in range: the sizes of a tensor or of a shape value, and its bytes."""

    op: str
    """The op that makes the value."""
    width: int
    """The bytes of an element of a tensor; 0 for a shape value."""
    dims: tuple[Known, ...]


class SizeLimits(AttributeName[tuple[SizeLimit, ...]]):
    """A list of size limits."""

    expected = "a list of size limits ([op, bytes of an element, [dim, ...]])"

    def read(self, attr: Attribute) -> tuple[SizeLimit, ...] | None:
        if not isinstance(attr, ArrayAttr):
            return None
        limits: list[SizeLimit] = []
        for item in attr.data:
            match _from_attr(item):
                case [str() as op, int() as width, list() as dims]:
                    limits.append(SizeLimit(op, width, tuple(map(_known, dims))))  # pyright: ignore[reportUnknownArgumentType]
                case _:
                    return None
        return tuple(limits)

    def write(self, value: Iterable[SizeLimit]) -> Attribute:
        return ArrayAttr(
            ArrayAttr([StringAttr(limit.op), IntegerAttr(limit.width, i64), ArrayAttr(map(dim_to_attr, limit.dims))])
            for limit in value
        )
