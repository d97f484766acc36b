"""From the types that a program declares to those that its callers know."""

from __future__ import annotations

from functools import lru_cache

from xdsl.dialects.builtin import TensorType, TupleType, UnrankedTensorType
from xdsl.ir import Attribute

from ...dialects.relax.attrs import ObjectType, ShapeType, dims_of, vdevice_of
from ...dialects.relax.dtypes import element_name
from .value_types import ObjectValue, ScalarValue, ShapeValue, TensorValue, TupleValue, UnrankedValue, ValueType


@lru_cache(4096)
def value_type_of(declared: Attribute) -> ValueType:
    """Returns what callers know of a type; a type of which they have no value is a scalar without a dtype."""
    match declared:
        case TensorType():
            device = vdevice_of(declared)
            label = None if device is None else device.label
            return TensorValue(dims_of(declared) or (), element_name(declared.element_type), label)
        case UnrankedTensorType():
            return UnrankedValue(element_name(declared.element_type))
        case ShapeType():
            return ShapeValue(declared.data)
        case TupleType():
            return TupleValue(tuple(map(value_type_of, declared.types.data)))
        case ObjectType():
            return ObjectValue()
        case _:
            return ScalarValue(element_name(declared))
