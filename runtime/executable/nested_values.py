"""Values of tuple and shape types, and their leaves: what native code, and a program behind the stage `linalg`, takes one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from ...dialects.relax.attrs import ShapeType
from ...interpreter.host.sizes import sizes_of


def is_nested(value_type: Attribute) -> bool:
    """Returns whether values of a type have leaves."""
    return isinstance(value_type, TupleType | ShapeType)


def leaf_values(value: Any, value_type: Attribute) -> Iterator[Any]:
    """Yields the leaves of a value; raises `TypeError` or `ValueError` where it does not have those of its type."""
    if isinstance(value_type, TupleType):
        for item, field in zip(value, value_type.types.data, strict=True):
            yield from leaf_values(item, field)
    elif isinstance(value_type, ShapeType):
        yield from sizes_of(value, len(value_type.data))
    else:
        yield value


def rebuilt(value_type: Attribute, remaining: Iterator[Any]) -> Any:
    """Returns a value of a type, made of the next leaves."""
    match value_type:
        case TupleType():
            return tuple(rebuilt(field, remaining) for field in value_type.types.data)
        case ShapeType():
            return tuple(int(next(remaining)) for _ in value_type.data)
        case _:
            return next(remaining)
