"""What a function takes and returns: names, types, which arguments are parameters, and the sizes of symbolic dims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
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

from ...dialects.relax.attrs import UNKNOWN, ObjectType, ShapeType, dims_of
from ...dialects.relax.dtypes import ALL
from ...dialects.relax.function_signature import (
    argument_attributes,
    argument_names,
    is_private,
    is_result_bundled,
    transforms,
)
from ...dialects.relax.vocabulary.attributes import DONATE, NAME, NAMES, NUM_INPUT, PARAMS_FROM, PARAMS_INDEX
from ...dialects.symbolic.expressions import Dim, Symbol, evaluate, symbols
from ...dialects.symbolic.order import NO_RANGES, Ranges
from ...dialects.upstream.op_error import OpError
from ...interpreter.host.errors import ArgumentError

DEFAULT_DIM = 4
"""The size of a symbolic or unknown dim that neither `--dim` nor a given array determines."""


@dataclass(frozen=True)
class Argument:
    """One argument of a function: its position, the name in the text, the external name of a parameter, its type."""

    index: int
    name: str
    external_name: str | None
    type: Attribute
    field_names: tuple[str, ...] | None = None
    """The external names of the fields of a tuple that stands for several parameters."""
    donate: tuple[int | None, ...] | None = None
    """The results that are returned in the memory of the argument, or of the fields of a tuple."""

    @property
    def label(self) -> str:
        """The name that people know it by."""
        return self.external_name or self.name


@dataclass(frozen=True)
class Signature:
    """A function as its callers see it; arguments from `num_input` on are parameters."""

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Attribute, ...]
    num_input: int
    params_from: str | None
    params_index: tuple[int, ...] | None = None
    """Which results of the transform feed the parameters; all of them in order if None."""
    bundled_results: bool = False
    """Whether the one result is a tuple that stands for several."""
    is_transform: bool = False
    """Whether it is a transform of parameters."""

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """The arguments that change from call to call."""
        return self.arguments[: self.num_input]

    @property
    def params(self) -> tuple[Argument, ...]:
        """The model parameters, those in a bundle one by one."""
        return tuple(param for argument in self.arguments[self.num_input :] for param in _unbundled(argument))

    def bundled(self, params: Sequence[Any]) -> Sequence[Any]:
        """Values of the model parameters in the form that the function takes: as they are, or as one tuple."""
        is_bundle = any(argument.field_names is not None for argument in self.arguments[self.num_input :])
        return (tuple(params),) if is_bundle else params

    def flat_results(self, results: Sequence[Any]) -> Sequence[Any]:
        """Returns the results one by one, whether they are bundled or not."""
        return results[0] if self.bundled_results else results


def _unbundled(argument: Argument) -> Iterator[Argument]:
    if argument.field_names is None or not isinstance(argument.type, TupleType):
        yield argument
        return
    for position, (name, field) in enumerate(zip(argument.field_names, argument.type.types.data, strict=True)):
        yield Argument(argument.index, f"{argument.name}.{position}", name, field)


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
        Argument(index, name, NAME.of(entry), kind, NAMES.of(entry), DONATE.of(entry))
        for index, (name, kind, entry) in enumerate(declared)
    )
    inputs = NUM_INPUT.of(function)
    return Signature(
        function.sym_name.data,
        arguments,
        tuple(function.function_type.outputs.data),
        len(arguments) if inputs is None else inputs,
        PARAMS_FROM.of(function),
        PARAMS_INDEX.of(function),
        is_result_bundled(function),
        is_transform,
    )


def _verify_types(function: func.FuncOp) -> None:
    """Raises `OpError` for an argument or a result whose elements no array has."""
    places = [f"argument '{name}'" for name in argument_names(function)]
    places += [f"result {index}" for index in range(len(function.function_type.outputs))]
    name = function.sym_name.data
    for place, kind in zip(places, (*function.function_type.inputs, *function.function_type.outputs), strict=True):
        for element in _elements(kind):
            if element not in (*ALL, IndexType()) and element != UNKNOWN:
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


def shapes_of(value_type: Attribute) -> Iterator[tuple[Dim, ...]]:
    """Yields the shape of every tensor and shape value in a type; tuples are searched."""
    if isinstance(value_type, TensorType):
        yield dims_of(value_type) or ()  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value_type, ShapeType):
        yield value_type.data
    elif isinstance(value_type, TupleType):
        for leaf in value_type.types.data:
            yield from shapes_of(leaf)


def concrete(shape: tuple[Dim, ...], sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Returns the shape in numbers; an unknown dim gets the default size."""
    return tuple(DEFAULT_DIM if dim is None else evaluate(dim, sizes) for dim in shape)


def symbol_names(function: Signature) -> list[str]:
    """Returns the symbols in the types of the arguments, in order of appearance."""
    names: dict[str, None] = {}
    for argument in function.arguments:
        for shape in shapes_of(argument.type):
            names.update(dict.fromkeys(name for dim in shape for name in symbols(dim)))
    return list(names)


def bind_sizes(
    function: Signature,
    given: Mapping[str, int],
    arrays: Mapping[int, np.ndarray[Any, Any]],
    ranges: Ranges = NO_RANGES,
) -> tuple[dict[str, int], list[str]]:
    """Returns the size of each symbol of the arguments, and the names of those that got the default size, or the next one in their range.

    `given` sizes come first, then those of `arrays` (by argument position) where a symbol stands alone as a dim.
    Raises `ArgumentError` for a name that is no symbol, a size below zero, and arrays that contradict a size.
    """
    names = symbol_names(function)
    problems = [
        f"{function.name} has no symbolic dim '{name}'; it has {', '.join(names) or 'none'}"
        for name in given
        if name not in names
    ]
    problems += [f"dim {name} = {size} is negative" for name, size in given.items() if size < 0]
    sizes = dict(given)
    origin = dict.fromkeys(given, "given")
    for index, array in arrays.items():
        argument = function.arguments[index]
        shape = next(shapes_of(argument.type), None)
        if shape is None or len(shape) != array.ndim:
            continue
        for axis, (dim, size) in enumerate(zip(shape, array.shape, strict=True)):
            if not isinstance(dim, Symbol):
                continue
            place = f"'{argument.label}' dim {axis}"
            if sizes.setdefault(dim.name, size) != size:
                problems.append(
                    f"{function.name}: argument {place}: expected {dim.name} = {sizes[dim.name]} "
                    f"({origin[dim.name] if origin[dim.name] == 'given' else 'from ' + origin[dim.name]}), got {size}"
                )
            origin.setdefault(dim.name, place)
    if problems:
        raise ArgumentError("\n".join(problems))
    defaults = [name for name in names if name not in sizes]
    return {**sizes, **{name: ranges.nearest(name, DEFAULT_DIM) for name in defaults}}, defaults
