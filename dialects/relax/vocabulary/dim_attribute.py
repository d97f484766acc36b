"""Dims as builtin attributes, which every MLIR tool reads: the form of JSON (`symbolic/plain_dims.py`), with `unit` for an unknown dim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from ...symbolic.expressions import Dim, Known
from ...symbolic.limits import Check, SizeLimit
from ...symbolic.plain_dims import PlainDim, dim_from_plain, known_from_plain, plain_dim
from .attribute_name import AttributeName


@lru_cache(1024)
def dim_to_attr(dim: Dim) -> Attribute:
    """Returns the attribute that stands for a dim; attributes are immutable, so those of equal dims are made once."""
    return _to_attr(plain_dim(dim))


def dim_from_attr(attr: Attribute) -> Dim:
    """Returns the dim that an attribute stands for; raises `VerifyException` if it stands for none."""
    try:
        return dim_from_plain(_from_attr(attr))
    except ValueError as error:
        raise VerifyException(str(error)) from None


def _known(value: Any) -> Known:
    try:
        return known_from_plain(value)
    except ValueError as error:
        raise VerifyException(str(error)) from None


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
