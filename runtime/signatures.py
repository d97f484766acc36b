"""The signatures of the functions of a module, as their callers see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    IndexType,
    MemRefType,
    ModuleOp,
    TensorType,
    TupleType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute

from ..dialects.relax.attrs import UNKNOWN, ObjectType, ShapeType
from ..dialects.relax.dtypes import ALL
from ..dialects.relax.function_signature import (
    argument_attributes,
    argument_names,
    declared_type,
    is_private,
    is_result_bundled,
    transforms,
)
from ..dialects.relax.vocabulary.attributes import DIMS, DONATE, NAME, NAMES, NUM_INPUT, PARAMS_FROM, PARAMS_INDEX
from ..dialects.upstream.op_error import OpError
from ..interpreter.host.declared_types import value_type_of
from ..interpreter.host.value_types import ScalarValue, ValueType
from .executable.arguments import Argument, Signature


def signatures(module: ModuleOp) -> dict[str, Signature]:
    """Returns the signature of each public function of the module that has a body, in order."""
    made = set(transforms(module))
    return {
        op.sym_name.data: signature(op, op in made)
        for op in module.body.block.ops
        if isinstance(op, func.FuncOp) and not op.is_declaration and not is_private(op)
    }


def signature(function: func.FuncOp, is_transform: bool) -> Signature:
    """Returns the signature of a function; raises `OpError` for types of which no caller has a value."""
    _verify_types(function)
    declared = zip(argument_names(function), function.function_type.inputs, argument_attributes(function), strict=True)
    arguments = tuple(
        Argument(index, name, NAME.of(entry), _argument_type(kind, entry), NAMES.of(entry), DONATE.of(entry))
        for index, (name, kind, entry) in enumerate(declared)
    )
    inputs = NUM_INPUT.of(function)
    return Signature(
        function.sym_name.data,
        arguments,
        tuple(map(value_type_of, function.function_type.outputs.data)),
        len(arguments) if inputs is None else inputs,
        PARAMS_FROM.of(function),
        PARAMS_INDEX.of(function),
        is_result_bundled(function),
        is_transform,
    )


def _argument_type(kind: Attribute, entry: Mapping[str, Attribute]) -> ValueType:
    """Returns what callers know of an argument, with the sizes that are declared of it."""
    known, dims = value_type_of(declared_type(kind, entry)), DIMS.of(entry)
    if isinstance(known, ScalarValue) and known.is_index and dims is not None and len(dims) == 1:
        return replace(known, dim=dims[0])
    return known


_KNOWN_ELEMENTS = frozenset((*ALL, IndexType(), UNKNOWN))


def _verify_types(function: func.FuncOp) -> None:
    """Raises `OpError` for an argument or a result whose elements no array has."""
    places = [f"argument '{name}'" for name in argument_names(function)]
    places += [f"result {index}" for index in range(len(function.function_type.outputs))]
    name = function.sym_name.data
    for place, kind in zip(places, (*function.function_type.inputs, *function.function_type.outputs), strict=True):
        for element in _elements(kind):
            if element not in _KNOWN_ELEMENTS:
                known = ", ".join(map(str, ALL))
                raise OpError(function, f"{name}: {place}: expected elements of {known}, got {element}")


def _elements(value_type: Attribute) -> Iterator[Attribute]:
    """Yields the types of the elements and the scalars in a type; tuples are searched."""
    match value_type:
        case TensorType() | UnrankedTensorType():
            yield value_type.element_type
        case TupleType():
            for field in value_type.types.data:
                yield from _elements(field)
        case ShapeType() | ObjectType() | MemRefType():
            pass
        case _:
            yield value_type
