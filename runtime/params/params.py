"""Model parameters: read from a safetensors file, held against the function's parameters, or made at random."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ...dialects.symbolic.nodes import Known, Symbol, evaluate, symbols
from ...interpreter.host.argument_values import argument_value
from ...interpreter.host.errors import ArgumentError
from ...interpreter.host.value_types import TensorValue, dims_text
from ..executable.arguments import Argument, Signature
from .safetensors_file import SafetensorsFile, SafetensorsFiles, safetensors_paths

Item = TypeVar("Item")

_MOST_LINES = 2
"""How many parameters that are missing, or surplus, have a line each."""
_COUNTER = "num_batches_tracked"
"""What a batch norm of torch counts in training, for itself: a `state_dict` has it, no program reads it."""
_MOST_NAMED = 4
"""How many parameters an error names."""


def load_params(*paths: str | Path) -> Mapping[str, np.ndarray[Any, Any]]:
    """Returns the tensors of safetensors files by name, as read-only views of their memory maps; bf16 as
    `ml_dtypes.bfloat16`.

    A path is that of a file, of an index of shards (`model.safetensors.index.json`), or of a directory that holds an index, or files.
    Raises `ArgumentError` if a file cannot be read, or a name stands in two.
    """
    files = [file for path in paths for file in safetensors_paths(Path(path))]
    return SafetensorsFile(files[0]) if len(files) == 1 else SafetensorsFiles(files)


def some_parameters(names: Sequence[str]) -> str:
    """Returns the first names of many in one line, and how many more there are."""
    shown = ", ".join(f"'{name}'" for name in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"parameter{'s' * (len(names) > 1)} {shown}{f' and {more} more' if more > 0 else ''}"


def surplus_names(tensors: Iterable[str], used: Collection[str]) -> list[str]:
    """Returns the names of tensors that nothing uses, without the counters of torch's batch norms."""
    return [name for name in tensors if name not in used and name.rpartition(".")[2] != _COUNTER]


def match_params(function: Signature, tensors: Mapping[str, Any], sizes: Mapping[str, int] | None = None) -> list[Any]:
    """Returns the parameters of the function in order, each found by its `relax.name`, else name in the text, else
    position.

    A value is what an argument of a call may be: tensors of torch keep their memory where numpy can read it, a shape is a tuple.
    A position is the number of the parameter, counted from 0. Symbols in parameter types that `sizes` does not bind are
    bound by the first parameter that has them as a dim. Raises one `ArgumentError` that says which are missing, surplus or mis-shaped;
    the counters of torch's batch norms are no surplus.
    """
    # Invariant: a parameter is in `matched`, or `diagnostics` says why it is not.
    diagnostics: list[str] = []
    missing: list[Argument] = []
    matched: list[Any] = []
    used: set[str] = set()
    known = dict(sizes or {})
    origins: dict[str, str] = {}
    for position, argument in enumerate(function.params):
        candidates = (argument.external_name,) if argument.external_name else (argument.name, str(position))
        key = next((name for name in candidates if name in tensors), None)
        if key is None:
            missing.append(argument)
            continue
        used.add(key)
        try:
            given = argument_value(f"parameter '{argument.label}'", tensors[key], argument.type)
        except ArgumentError as error:
            diagnostics.append(str(error))
            continue
        if not isinstance(argument.type, TensorValue):
            matched.append(given)
        elif fits(argument, given, known):
            matched.append(given)
            for axis, (dim, size) in enumerate(zip(argument.type.dims, given.shape, strict=True)):
                if isinstance(dim, Symbol) and dim.name not in known:
                    known[dim.name], origins[dim.name] = size, f" (from '{argument.label}' dim {axis})"
        else:
            diagnostics.append(
                f"parameter '{argument.label}': expected {expected_text(argument)}{where_text(argument, known, origins)}, "
                f"got {given.dtype} {list(given.shape)}"
            )
    surplus = surplus_names(tensors, used)
    diagnostics += _few(
        missing,
        lambda argument: f"missing parameter '{argument.label}' of {function.name}: expected {expected_text(argument)}",
        f"missing {some_parameters([argument.label for argument in missing])} of {function.name}",
    )
    diagnostics += _few(
        surplus,
        lambda name: f"surplus parameter '{name}': {_described(tensors[name])} is not used by {function.name}",
        f"surplus {some_parameters(surplus)} are not used by {function.name}",
    )
    if diagnostics:
        raise ArgumentError("\n".join(diagnostics))
    return matched


def _few(items: Sequence[Item], line: Callable[[Item], str], summary: str) -> list[str]:
    """Returns a line for each item, or one in their place where there are more than a few."""
    return [line(item) for item in items] if len(items) <= _MOST_LINES else [summary]


def _described(value: Any) -> str:
    has_type = hasattr(value, "dtype") and hasattr(value, "shape")
    return f"{value.dtype} {list(value.shape)}" if has_type else f"{type(value).__name__}"


def expected_text(argument: Argument) -> str:
    """Returns the type of an argument as errors tell it."""
    if not isinstance(argument.type, TensorValue):
        return str(argument.type)
    return f"{argument.type.dtype} [{dims_text(argument.type.dims)}]"


def where_text(argument: Argument, known: Mapping[str, int], origins: Mapping[str, str]) -> str:
    """Returns what the symbols in the type of a parameter are, and which parameters say so, as the end of what is expected."""
    dims = argument.type.dims if isinstance(argument.type, TensorValue) else ()
    names = sorted({name for dim in dims for name in symbols(dim) if name in known})
    return " where " + ", ".join(f"{name} = {known[name]}{origins.get(name, '')}" for name in names) if names else ""


def fits(argument: Argument, array: np.ndarray[Any, Any], sizes: Mapping[str, int]) -> bool:
    """Returns whether an array has the element type, the rank and the known sizes of a tensor."""
    if not isinstance(argument.type, TensorValue):
        return False
    shape = argument.type.dims
    dtype = argument.type.dtype
    return (
        array.dtype == dtype
        and array.ndim == len(shape)
        and all(
            dim is None or not _bound(dim, sizes) or evaluate(dim, sizes) == size
            for dim, size in zip(shape, array.shape, strict=True)
        )
    )


def _bound(dim: Known, sizes: Mapping[str, int]) -> bool:
    return all(name in sizes for name in symbols(dim))
