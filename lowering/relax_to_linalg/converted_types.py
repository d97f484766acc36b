"""What relax types become: the types of the values that stand for them, and the attributes that keep dims and devices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    TensorType,
    TupleType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute

from ...dialects.relax.attrs import HOST, ObjectType, ShapeType, dims_of, vdevice_of
from ...dialects.relax.vocabulary.attributes import DIMS, VDEVICE
from ...dialects.upstream.op_error import OpError
from .builder import LoweringError, signless
from .packed import HANDLE

LeafT = TypeVar("LeafT")


@lru_cache(maxsize=4096)
def converted(value_type: Attribute) -> Sequence[Attribute]:
    """Returns the types that stand for a relax type: a shape is one `index` per dim, a tuple its leaves, an object a handle."""
    match value_type:
        case TensorType():
            return [TensorType(signless(value_type.element_type), value_type.get_shape())]
        case UnrankedTensorType():
            raise LoweringError(f"the rank of {value_type} is unknown; give it with relax.match_cast")
        case ShapeType():
            return [IndexType()] * len(value_type.data)
        case TupleType():
            return converted_all(value_type.types)
        case ObjectType():
            return [HANDLE]
        case _:
            return [signless(value_type)]


def converted_all(value_types: Iterable[Attribute]) -> list[Attribute]:
    """Returns the types that stand for some relax types, in order."""
    return [leaf for value_type in value_types for leaf in converted(value_type)]


def grouped(leaves: Iterable[LeafT], value_types: Iterable[Attribute]) -> list[list[LeafT]]:
    """Returns what belongs to each of some relax types; `leaves` has an entry for each converted type."""
    remaining = iter(leaves)
    return [[*islice(remaining, len(converted(value_type)))] for value_type in value_types]


def leaf_attributes(value_type: Attribute) -> list[dict[str, Attribute]]:
    """Returns, for each converted value, its attributes `relax.dims` and `relax.vdevice`, if it has them."""
    match value_type:
        case TensorType():
            dims = dims_of(value_type) or ()
            named = any(dim is not None and not isinstance(dim, int) for dim in dims)
            return [{**(DIMS.entry(dims) if named else {}), **device_attribute(value_type)}]
        case ShapeType():
            return [DIMS.entry((dim,)) for dim in value_type.data]
        case TupleType():
            return [attributes for field in value_type.types.data for attributes in leaf_attributes(field)]
        case _:
            return [{}]


def device_attribute(value_type: Attribute) -> dict[str, Attribute]:
    """Returns the attribute `relax.vdevice` of a tensor type that names another device than the host."""
    vdevice = vdevice_of(value_type)
    return {} if vdevice is None or vdevice == HOST else VDEVICE.entry(vdevice.label)


def device_attributes(value_types: Sequence[Attribute]) -> ArrayAttr[DictionaryAttr] | None:
    """Returns the attributes `relax.vdevice` of the leaves of some types; `None` if none has one."""
    entries = [
        {key: value for key, value in entry.items() if key == VDEVICE.name}
        for value_type in value_types
        for entry in leaf_attributes(value_type)
    ]
    return ArrayAttr(DictionaryAttr(entry) for entry in entries) if any(entries) else None


def converted_signature(source: func.FuncOp) -> FunctionType:
    """Returns the type of a function after conversion."""
    try:
        return FunctionType.from_lists(*map(converted_all, (source.function_type.inputs, source.function_type.outputs)))
    except LoweringError as error:
        raise OpError(source, f"@{source.sym_name.data} cannot be lowered to linalg: {error}") from None
