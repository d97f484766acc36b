"""Records as JSON and back: dataclasses are objects, types and dims structures, constants base64 text.

Constants are inside, so that a record is one file that needs nothing beside it; they take a third more than their bytes.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from xdsl.dialects.builtin import IndexType, TensorType, TupleType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from ...dialects.relax.attrs import ObjectType, ShapeType, VDeviceAttr, dims_of, tensor_type, vdevice_of
from ...dialects.relax.dtypes import ALL
from ...dialects.relax.vocabulary.dim_attribute import Check, SizeLimit, dim_from_plain, plain_dim
from ...dialects.symbolic.expressions import Apply
from ...interpreter.host.errors import ArgumentError
from .record import FORMAT, Interface

_SCALARS: Mapping[str, Attribute] = {str(scalar): scalar for scalar in (*ALL, IndexType())}


def to_json(interface: Interface) -> str:
    """Returns a record as JSON text."""
    return json.dumps(_plain(interface, Interface), separators=(",", ":"))


def from_json(text: str) -> Interface:
    """Returns the record that `to_json` has written; raises `ArgumentError` for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"not an interface record: {error}") from None
    format_ = value.get("format") if isinstance(value, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if format_ != FORMAT:
        raise ArgumentError(f"an interface record of format {FORMAT} is expected, got format {format_}")
    try:
        return _parsed(value, Interface)
    except (KeyError, TypeError, ValueError, AttributeError, VerifyException) as error:
        raise ArgumentError(f"not an interface record: {type(error).__name__}: {error}") from None


def plain_type(value_type: Attribute) -> Any:
    """Returns a type of a relax program as JSON has it; raises `ValueError` for a type that crosses no boundary."""
    match value_type:
        case TensorType():
            device = vdevice_of(value_type)
            where = {} if device is None else {"device": device.label}
            dims = [plain_dim(dim) for dim in dims_of(value_type) or ()]
            return {"tensor": dims, "element": plain_type(value_type.element_type), **where}
        case ShapeType():
            return {"shape": [plain_dim(dim) for dim in value_type.data]}
        case TupleType():
            return {"tuple": [plain_type(field) for field in value_type.types.data]}
        case ObjectType():
            return "object"
        case _ if str(value_type) in _SCALARS:
            return str(value_type)
        case _:
            raise ValueError(f"no value of type {value_type} crosses the boundary of a function")


def type_from_plain(value: Any) -> Attribute:
    """Returns the type that `plain_type` has written."""
    match value:
        case {"tensor": dims, "element": element_type, **where}:
            device = VDeviceAttr.from_label(where["device"]) if where else None
            return tensor_type([dim_from_plain(dim) for dim in dims], type_from_plain(element_type), device)
        case {"shape": dims}:
            return ShapeType(tuple(dim_from_plain(dim) for dim in dims))
        case {"tuple": types}:
            return TupleType([type_from_plain(item) for item in types])  # pyright: ignore[reportArgumentType]
        case "object":
            return ObjectType()
        case _:
            return _SCALARS[value]


def _plain(value: Any, kind: Any) -> Any:
    """Returns a value of a declared type as JSON has it."""
    # `kind` alone decides the form, never the value: `_parsed` reads it back by the same kind.
    if value is None or kind in (int, str, bool):
        return value
    if kind is bytes:
        return b64encode(value).decode()
    if kind is Attribute:
        return plain_type(value)
    if _is_record(kind):
        return {name: _plain(getattr(value, name), field) for name, field in _fields(kind).items()}
    arguments = get_args(kind)
    match get_origin(kind):
        case origin if origin is tuple:
            return [_plain(item, arguments[0]) for item in value]
        case origin if origin is Mapping:
            return [[key, item] for key, item in value.items()]
        case _ if Apply in arguments:
            return plain_dim(value)
        case _:
            return _plain(value, _not_none(arguments))


def _parsed(value: Any, kind: Any) -> Any:
    """Returns the value of a declared type that `_plain` has written."""
    # What is read is of the declared kind, all the way down, or `ValueError` is raised.
    if kind in (int, str, bool):
        if type(value) is not kind:
            raise ValueError(f"expected {kind.__name__}, got {value!r:.40}")
        return value
    if kind is bytes:
        return b64decode(value, validate=True)
    if kind is Attribute:
        return type_from_plain(value)
    if _is_record(kind):
        return kind(**{name: _parsed(value[name], field) for name, field in _fields(kind).items()})
    arguments = get_args(kind)
    match get_origin(kind):
        case origin if origin is tuple:
            return tuple(_parsed(item, arguments[0]) for item in value)
        case origin if origin is Mapping:
            return {_parsed(key, arguments[0]): _parsed(item, arguments[1]) for key, item in value}
        case _ if Apply in arguments:
            return dim_from_plain(value)
        case _:
            return None if value is None else _parsed(value, _not_none(arguments))


def _is_record(kind: Any) -> bool:
    return kind in (Check, SizeLimit) or is_dataclass(kind)


@cache
def _fields(kind: Any) -> Mapping[str, Any]:
    """Returns the fields of a record with their types."""
    hints = get_type_hints(kind)
    names = kind._fields if kind in (Check, SizeLimit) else [field.name for field in fields(kind)]
    return {name: hints[name] for name in names}


def _not_none(arguments: tuple[Any, ...]) -> Any:
    (kind,) = (argument for argument in arguments if argument is not NoneType)
    return kind
