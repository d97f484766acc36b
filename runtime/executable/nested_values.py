"""Values of tuple and shape types, and their leaves: what native code, and a program behind the stage `linalg`, takes one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...interpreter.host.sizes import sizes_of
from ...interpreter.host.value_types import ShapeValue, TupleValue, ValueType


def is_nested(value_type: ValueType) -> bool:
    """Returns whether values of a type have leaves."""
    return isinstance(value_type, TupleValue | ShapeValue)


def leaf_values(value: Any, value_type: ValueType) -> Iterator[Any]:
    """Yields the leaves of a value; raises `TypeError` or `ValueError` where it does not have those of its type."""
    if isinstance(value_type, TupleValue):
        for item, field in zip(value, value_type.fields, strict=True):
            yield from leaf_values(item, field)
    elif isinstance(value_type, ShapeValue):
        yield from sizes_of(value, len(value_type.dims))
    else:
        yield value


def rebuilt(value_type: ValueType, remaining: Iterator[Any]) -> Any:
    """Returns a value of a type, made of the next leaves."""
    match value_type:
        case TupleValue():
            return tuple(rebuilt(field, remaining) for field in value_type.fields)
        case ShapeValue():
            return tuple(int(next(remaining)) for _ in value_type.dims)
        case _:
            return next(remaining)
