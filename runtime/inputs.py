"""Arrays to call a function with: from `.npy` files, or made (`random`, `zeros`, `ones`, `arange`, a number, a list of them)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..interpreter.host.errors import ArgumentError, FileError
from ..interpreter.host.memory import OutOfMemoryError, require_memory
from ..interpreter.host.value_types import ObjectValue, ScalarValue, ShapeValue, TensorValue, TupleValue, ValueType
from .executable.arguments import DEFAULT_DIM, Argument, Signature, concrete

SPECS = ("random", "zeros", "ones", "arange")


def parse_assignments(options: Sequence[str], flag: str) -> dict[str, str]:
    """Returns `["x=zeros", "0=a.npy"]` as a mapping; raises `ArgumentError` for an entry without `=` and for a
    repeated one.
    """
    result: dict[str, str] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals or not name or not value:
            raise ArgumentError(f"{flag} {option}: expected NAME=VALUE")
        if name in result:
            raise ArgumentError(f"{flag} {name} is given twice")
        result[name] = value
    return result


def parse_sizes(options: Sequence[str]) -> dict[str, int]:
    """Returns `["n=128", "m=2"]` as sizes; raises `ArgumentError` for a value that is no integer."""
    sizes: dict[str, int] = {}
    for name, value in parse_assignments(options, "--dim").items():
        try:
            sizes[name] = int(value)
        except ValueError:
            raise ArgumentError(f"--dim {name}={value}: expected an integer") from None
    return sizes


def select_inputs(function: Signature, options: Mapping[str, str]) -> dict[int, str]:
    """Returns each `--input` by the position of its argument; raises `ArgumentError` listing every name that is no
    argument.
    """
    positions = {argument.name: argument.index for argument in function.arguments}
    positions |= {a.external_name: a.index for a in function.arguments if a.external_name is not None}
    diagnostics: list[str] = []
    result: dict[int, str] = {}
    for key, spec in options.items():
        index = positions.get(key)
        if index is None and key.isdecimal() and int(key) < len(function.arguments):
            index = int(key)
        if index is None:
            names = ", ".join(argument.name for argument in function.inputs)
            diagnostics.append(f"{function.name} has no argument '{key}'; its inputs are {names or 'none'}")
        elif index in result:
            diagnostics.append(f"argument '{function.arguments[index].name}' is given twice")
        else:
            result[index] = spec
    if diagnostics:
        raise ArgumentError("\n".join(diagnostics))
    return result


def load_arrays(specs: Mapping[int, str]) -> dict[int, np.ndarray[Any, Any]]:
    """Returns the arrays of the specs that name a `.npy` file.

    Raises `ArgumentError` for specs that are none, and `FileError` for files that cannot be read; it lists all of them.
    """
    wrong = [spec for spec in specs.values() if not (spec.endswith(".npy") or _is_made(spec))]
    if wrong:
        known = f"nor {', '.join(SPECS)}, nor a number or a list of numbers"
        raise ArgumentError("\n".join(f"input '{spec}' is neither a .npy file, {known}" for spec in wrong))
    return load_files({index: spec for index, spec in specs.items() if spec.endswith(".npy")})


def load_files(files: Mapping[Any, str]) -> dict[Any, np.ndarray[Any, Any]]:
    """Returns the arrays in `.npy` files, by the keys of the files; raises `FileError` that lists all that cannot be read."""
    arrays: dict[Any, np.ndarray[Any, Any]] = {}
    problems: list[tuple[str, str]] = []
    for key, file in files.items():
        try:
            # `np.load` would take the file for a pickle if it is no array.
            arrays[key] = np.lib.format.open_memmap(file, mode="r")
        except OSError as error:
            problems.append((file, (error.strerror or str(error)).lower()))
        except (ValueError, EOFError) as error:
            problems.append((file, f"not a numpy array file ({error})"))
    if problems:
        raise FileError(*problems)
    return arrays


def make_value(
    argument: Argument,
    spec: str,
    sizes: Mapping[str, int],
    rng: np.random.Generator,
    *,
    parameter: bool = False,
) -> Any:
    """Returns a value for the argument: an array, a tuple of ints for a shape, a tuple for a tuple, a scalar.

    `random` gives floats from the normal distribution; as a parameter, scaled by 1/sqrt(fan-in), and between 0.5 and
    1.5 if it has one dim (a scale, a bias, a variance). Random integers are below 4: indices of a default dim.
    """
    return _make(argument.type, spec, sizes, rng, parameter, argument.label)


def _make(
    value_type: ValueType, spec: str, sizes: Mapping[str, int], rng: np.random.Generator, parameter: bool, label: str
) -> Any:
    if isinstance(value_type, ShapeValue):
        return concrete(value_type.dims, sizes)
    if isinstance(value_type, TupleValue):
        return tuple(_make(leaf, spec, sizes, rng, parameter, label) for leaf in value_type.fields)
    if isinstance(value_type, ObjectValue):
        return None
    if isinstance(value_type, TensorValue):
        shape = concrete(value_type.dims, sizes)
        dtype = value_type.dtype
        try:
            # What is made in f64 is converted.
            require_memory(math.prod(shape) * (dtype.itemsize + 8))
        except OutOfMemoryError as error:
            sizes_text = "x".join(map(str, shape))
            raise ArgumentError(f"argument '{label}': a tensor of {sizes_text} elements: {error}") from None
        return _fill(shape, dtype, spec, rng, parameter, label)
    if isinstance(value_type, ScalarValue) and value_type.dim is not None:
        return concrete((value_type.dim,), sizes)[0]
    try:
        dtype = value_type.dtype
    except ValueError:
        raise ArgumentError(f"cannot make a value of type {value_type} for argument '{label}'") from None
    return _fill((), dtype, spec, rng, parameter, label)[()]


def _fill(
    shape: tuple[int, ...], dtype: np.dtype[Any], spec: str, rng: np.random.Generator, parameter: bool, label: str
) -> np.ndarray[Any, Any]:
    match spec:
        case "zeros":
            return np.zeros(shape, dtype)
        case "ones":
            return np.ones(shape, dtype)
        case "arange":
            # The last number is the one that narrow integers do not hold.
            _converted([max(math.prod(shape) - 1, 0)], dtype, f"{label}' as 'arange")
            return np.arange(math.prod(shape)).astype(dtype).reshape(shape)
        case "random":
            return _random(shape, dtype, rng, parameter)
        case _ if (numbers := _listed(spec)) is not None:
            if len(numbers) != math.prod(shape):
                raise ArgumentError(
                    f"argument '{label}': expected {math.prod(shape)} numbers for the shape {list(shape)}, got {len(numbers)}"
                )
            return _converted(numbers, dtype, label).reshape(shape)
        case _:
            number = _number(spec)
            assert number is not None
            return np.full(shape, _converted([number], dtype, label)[0])


def _converted_floats(numbers: Sequence[int | float], dtype: np.dtype[Any], label: str) -> np.ndarray[Any, Any]:
    """Returns numbers as an array of floats; raises `ArgumentError` for a finite one that would be infinite."""
    floats = np.array([_as_float(number) for number in numbers], np.float64)
    with np.errstate(over="ignore"):
        converted = floats.astype(dtype)
    for number, given, made in zip(numbers, floats, converted.astype(np.float64), strict=True):
        if math.isfinite(given) and not math.isfinite(made):
            raise ArgumentError(f"argument '{label}': expected a number that {dtype} holds, got {_short(number)}")
    return converted


def _converted(numbers: Sequence[int | float], dtype: np.dtype[Any], label: str) -> np.ndarray[Any, Any]:
    """Returns numbers as an array; raises `ArgumentError` for one that elements do not hold: a fraction, or beyond their range."""
    if dtype.kind not in "iub":
        return _converted_floats(numbers, dtype, label)
    lowest, highest = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    for number in numbers:
        if (
            number != number
            or number in (math.inf, -math.inf)
            or number != int(number)
            or not lowest <= number <= highest
        ):
            raise ArgumentError(
                f"argument '{label}': expected an integer from {lowest} to {highest}, got {_short(number)}"
            )
    return np.array([int(number) for number in numbers], dtype)


def _as_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _short(number: float) -> str:
    text = str(number)
    return text if len(text) <= 40 else f"{text[:20]}... ({len(text)} digits)"


def _random(
    shape: tuple[int, ...], dtype: np.dtype[Any], rng: np.random.Generator, parameter: bool
) -> np.ndarray[Any, Any]:
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype.kind in "iu":
        return rng.integers(0, DEFAULT_DIM, shape).astype(dtype)
    wide = np.float64 if dtype == np.float64 else np.float32
    if parameter and len(shape) == 1:
        return (rng.random(shape, dtype=wide) + wide(0.5)).astype(dtype, copy=False)
    values = rng.standard_normal(shape, dtype=wide)
    if parameter and len(shape) > 1:
        values *= wide(1 / math.sqrt(max(1, math.prod(shape[1:]))))
    return values.astype(dtype, copy=False)


def _is_made(spec: str) -> bool:
    """Returns whether a spec says how an array is made."""
    return spec in SPECS or _number(spec) is not None or _listed(spec) is not None


def _listed(text: str) -> list[int | float] | None:
    """Returns the numbers of `[1, 2.5, nan]`, in order of memory; `None` for another text."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    numbers = [_number(item) for item in text[1:-1].split(",")] if text[1:-1].strip() else []
    return [number for number in numbers if number is not None] if None not in numbers else None


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None
