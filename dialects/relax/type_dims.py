"""The dims inside types: changed one by one, and the symbols that they define and use."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.ir import Attribute

from ..symbolic.expressions import Dim, Symbol, symbols
from .attrs import ShapeType, dims_of, tensor_type, type_dims, vdevice_of


def tuple_type(fields: Iterable[Attribute]) -> TupleType:
    """Returns the type of a tuple."""
    return TupleType(tuple(fields))  # pyright: ignore[reportArgumentType]


def map_dims(value_type: Attribute, change: Callable[[Dim], Dim]) -> Attribute:
    """Returns a tensor, shape or tuple type with each dim changed; any other type as it is."""
    match value_type:
        case TensorType():
            changed = [change(dim) for dim in dims_of(value_type) or ()]
            return tensor_type(changed, value_type.element_type, vdevice_of(value_type))
        case ShapeType():
            return ShapeType(tuple(change(dim) for dim in value_type.data))
        case TupleType():
            return tuple_type(map_dims(field, change) for field in value_type.types.data)
        case _:
            return value_type


def defined_symbols(value_type: Attribute) -> frozenset[str]:
    """Returns the symbols that stand alone as a dim of a type."""
    return _symbols(value_type)[0]


def used_symbols(value_type: Attribute) -> frozenset[str]:
    """Returns all symbols of a type."""
    return _symbols(value_type)[1]


def _symbols(value_type: Attribute) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the symbols that a type defines, and those that it uses."""
    known = _known_symbols.get(id(value_type))
    if known is None or known[0] is not value_type:
        if len(_known_symbols) >= _MOST_KNOWN:
            _known_symbols.clear()
        dims = [*type_dims(value_type)]
        defined = frozenset(dim.name for dim in dims if isinstance(dim, Symbol))
        used = frozenset(name for dim in dims for name in symbols(dim))
        known = _known_symbols[id(value_type)] = value_type, (defined, used)
    return known[1]


_MOST_KNOWN = 16384

_known_symbols: dict[int, tuple[Attribute, tuple[frozenset[str], frozenset[str]]]] = {}
"""The symbols of the types that were asked last, by their addresses: the hash of a type takes longer than what is asked of it."""
