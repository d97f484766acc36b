"""Values of the dialect as values of a model: tensors and scalars by name, shapes as sizes, tuples as their fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from onnx import ValueInfoProto, helper
from xdsl.dialects.builtin import IndexType, TensorType, TupleType, UnrankedTensorType, i64
from xdsl.ir import Attribute

from ....dialects.relax.attrs import ObjectType, ShapeType, dims_of, element_type_of
from ....dialects.symbolic.expressions import Apply, Dim, Known, Leaf, Symbol
from ...model.problems import Unsupported
from ..types import kind_of
from .sizes import Entry, Sizes, ValueDim


class Fields(tuple["Value", ...]):
    """The fields of a tuple."""


Value: TypeAlias = "str | tuple[Known, ...] | Fields | None"
"""A name, the sizes of a shape, or the fields of a tuple; `None` for a value that could not be written."""


def element_of(value_type: Attribute) -> Attribute:
    """Returns the element type of a tensor or scalar; that of a size, or of a shape, is i64."""
    if isinstance(value_type, TensorType | UnrankedTensorType):
        return element_type_of(value_type)
    if isinstance(value_type, ObjectType):
        raise Unsupported("objects have no counterpart")
    return i64 if isinstance(value_type, IndexType | ShapeType) else value_type


def leaves_of(value_type: Attribute) -> list[Attribute]:
    """Returns the types of what a value is made of: the fields of tuples in the place of tuples."""
    if isinstance(value_type, TupleType):
        return [leaf for field in value_type.types.data for leaf in leaves_of(field)]
    return [value_type]


def flattened(value: Value, sizes: Sizes) -> list[str]:
    """Returns the names of what a value is made of; a shape becomes a vector."""
    match value:
        case None:
            return []
        case str():
            return [value]
        case Fields():
            return [name for field in value for name in flattened(field, sizes)]
        case _:
            return [sizes.shape(value)]


def rebuilt(value_type: Attribute, names: Iterator[str]) -> Value:
    """Returns a value of a type from the names of what it is made of."""
    if isinstance(value_type, TupleType):
        return Fields(rebuilt(field, names) for field in value_type.types.data)
    name = next(names)
    if not isinstance(value_type, ShapeType):
        return name
    return tuple(dim if isinstance(dim, int) else Entry(name, index) for index, dim in enumerate(value_type.data))


def bound(value_type: Attribute, value: Value, sizes: Sizes) -> Value:
    """Returns a value as its type names its sizes, and defines the symbols that stand alone in it where no value before had them."""
    match value_type, value:
        case TensorType(), str():
            for axis, dim in enumerate(dims_of(value_type) or ()):
                sizes.define(dim, ValueDim(value, axis))
        case TupleType(), Fields():
            return Fields(bound(*pair, sizes) for pair in zip(value_type.types.data, value, strict=True))
        case ShapeType(), tuple():
            named: list[Known] = []
            for dim, size in zip(value_type.data, value, strict=True):
                assert isinstance(size, int | Leaf | Apply)
                if dim != size:
                    sizes.define(dim, size)
                named.append(dim if isinstance(dim, int | Symbol) else size)
            return tuple(named)
        case _:
            pass
    return value


def resolved(value: Value, sizes: Sizes) -> Value:
    """Returns a value without the symbols of the function that it comes from."""
    match value:
        case Fields():
            return Fields(resolved(field, sizes) for field in value)
        case tuple():
            return tuple(sizes.resolved(size) for size in value)
        case _:
            return value


def value_info(name: str, value_type: Attribute, element: Attribute) -> ValueInfoProto:
    """Returns what a model says of an input or output; a size that is no number is one by its text."""
    dims: Sequence[Dim] | None = ()
    if isinstance(value_type, TensorType | UnrankedTensorType):
        dims = dims_of(value_type)
    elif isinstance(value_type, ShapeType):
        dims = (len(value_type.data),)
    shape = None if dims is None else [dim if isinstance(dim, int) else dim_name(dim) for dim in dims]
    return helper.make_tensor_value_info(name, kind_of(element), shape)


def dim_name(dim: Dim) -> str | None:
    """Returns how a model names a size, `None` for one that is not known."""
    return None if dim is None else dim.name if isinstance(dim, Symbol) else str(dim)
