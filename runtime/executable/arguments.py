"""What a function takes and returns: names, types, which arguments are parameters, and the sizes of symbolic dims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...dialects.symbolic.nodes import Dim, Symbol, evaluate, symbols
from ...dialects.symbolic.order import NO_RANGES, Ranges
from ...interpreter.host.errors import ArgumentError
from ...interpreter.host.value_types import ScalarValue, ShapeValue, TensorValue, TupleValue, ValueType
from ...records import record

DEFAULT_DIM = 4
"""The size of a symbolic or unknown dim that neither `--dim` nor a given array determines."""


@record
class Argument:
    """One argument of a function: its position, the name in the text, the external name of a parameter, its type."""

    index: int
    name: str
    external_name: str | None
    type: ValueType
    field_names: tuple[str, ...] | None = None
    """The external names of the fields of a tuple that stands for several parameters."""
    donate: tuple[int | None, ...] | None = None
    """The results that are returned in the memory of the argument, or of the fields of a tuple."""

    @property
    def label(self) -> str:
        """The name that people know it by."""
        return self.external_name or self.name


@record
class Signature:
    """A function as its callers see it; arguments from `num_input` on are parameters."""

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[ValueType, ...]
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
    if argument.field_names is None or not isinstance(argument.type, TupleValue):
        yield argument
        return
    for position, (name, field) in enumerate(zip(argument.field_names, argument.type.fields, strict=True)):
        yield Argument(argument.index, f"{argument.name}.{position}", name, field)


def shapes_of(value_type: ValueType) -> Iterator[tuple[Dim, ...]]:
    """Yields the shape of every tensor and shape value in a type, and every size that is declared; tuples are searched."""
    match value_type:
        case TensorValue() | ShapeValue():
            yield value_type.dims
        case TupleValue():
            for field in value_type.fields:
                yield from shapes_of(field)
        case ScalarValue(_, dim) if dim is not None:
            yield (dim,)
        case _:
            pass


def concrete(shape: tuple[Dim, ...], sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Returns the shape in numbers; an unknown dim gets the default size."""
    return tuple(DEFAULT_DIM if dim is None else evaluate(dim, sizes) for dim in shape)


def require_public(functions: Mapping[str, Signature]) -> None:
    """Raises `ArgumentError` where a module has no function that anybody can call."""
    if not functions:
        raise ArgumentError("nothing to run: the module has no public function")


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
