"""One function of a module, ready to be called: its inputs, its parameters, and the transforms that feed them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..dialects.symbolic.order import NO_RANGES, Ranges
from ..interpreter.host.device import on_host, placed
from ..interpreter.host.errors import ArgumentError, FileError
from ..interpreter.host.value_types import TensorValue, flat_values
from ..whole_file import whole_file
from .executable.arguments import Argument, Signature, bind_sizes, require_public
from .initial_state import INITIALIZE_EFFECT, InitialState
from .inputs import load_arrays, make_value, select_inputs
from .params.params import expected_text, fits, load_params, match_params, where_text

Call = Callable[..., tuple[Any, ...]]
"""Calls a function of a module by name: `call("main", *arguments)` returns the results."""


def choose_entry(functions: Mapping[str, Signature], name: str | None) -> Signature:
    """Returns the function to run: the named one, else `main`, else the first one that transforms no parameters and makes no state."""
    if name is not None:
        if name not in functions:
            raise ArgumentError(f"there is no public function '{name}'; the module has {_names(functions)}")
        return functions[name]
    require_public(functions)
    candidates = [function for function in functions.values() if not function.is_transform]
    if "main" in functions:
        return functions["main"]
    if not candidates:
        raise ArgumentError(f"nothing to run: the module has {_names(functions)}")
    return next((function for function in candidates if function.name != INITIALIZE_EFFECT), candidates[0])


def _names(functions: Mapping[str, Signature]) -> str:
    return ", ".join(functions) or "no public function"


MODEL = "the model"
"""Where values come from that are part of a model."""


class Values:
    """The inputs of a function and all parameters that the original or the transformed program asks for, by label.

    Sizes that nothing determines are in the `ranges` that the function declares.
    `known` has the values of inputs that are part of a model, where no others are given.
    With `transformed_given` there are no parameters: the results of the transform are there already.
    """

    def __init__(
        self,
        original: Mapping[str, Signature],
        transformed: Mapping[str, Signature],
        entry: str,
        *,
        inputs: Mapping[str, str],
        sizes: Mapping[str, int],
        params: Sequence[Path] | Mapping[str, np.ndarray[Any, Any]],
        seed: int,
        transformed_given: bool = False,
        ranges: Ranges = NO_RANGES,
        known: Mapping[str, np.ndarray[Any, Any]] | None = None,
    ) -> None:
        function = original[entry]
        self._state = InitialState(original, entry)
        self._state.require_no_objects(function)
        specs = select_inputs(function, inputs)
        arrays = load_arrays(specs)
        for argument in function.inputs:
            if known and argument.label in known and argument.index not in specs:
                specs[argument.index], arrays[argument.index] = MODEL, known[argument.label].copy()
        _require_fit(function, specs, arrays, sizes)
        self.sizes, self.default_sizes = bind_sizes(function, sizes, arrays, ranges)
        _require_fit(function, specs, arrays, self.sizes)
        # Two streams: giving an input does not change the parameters.
        rng, params_rng = (np.random.default_rng([seed, stream]) for stream in range(2))
        self.inputs = [
            arrays[a.index] if a.index in arrays else make_value(a, specs.get(a.index, "random"), self.sizes, rng)
            for a in function.inputs
        ]
        self.specs = [
            INITIALIZE_EFFECT if index in self._state.inputs else specs.get(argument.index, "random")
            for index, argument in enumerate(function.inputs)
        ]
        wanted: dict[str, Argument] = {}
        for functions in () if transformed_given else (original, transformed):
            for argument in param_source(functions, entry).params:
                wanted.setdefault(argument.label, argument)
        given = {function.arguments[i].label: i for i in specs if i >= function.num_input}
        tensors = params if isinstance(params, Mapping) else load_params(*params) if params else {}
        self.params_are_files = bool(params) and not given and not isinstance(params, Mapping)
        source = Signature(entry, tuple(wanted.values()), (), 0, None)
        if params:
            loaded = _matched(source, tensors, self.sizes, params)
            self.params: dict[str, Any] = dict(zip(wanted, loaded, strict=True))
        else:
            self.params = {}
        self.param_origins = dict.fromkeys(wanted, _origin(params))
        for label, argument in wanted.items():
            index = given.get(label)
            if index is not None:
                self.param_origins[label] = specs[index]
            if index is not None and index in arrays:
                self.params[label] = arrays[index]
            elif index is not None or not params:
                spec = "random" if index is None else specs[index]
                self.params[label] = make_value(argument, spec, self._complete(argument), params_rng, parameter=True)

    def _complete(self, argument: Argument) -> Mapping[str, int]:
        """Returns the sizes, with a default for symbols that only a transform function has."""
        extra = Signature("", (argument,), (), 0, None)
        return {**bind_sizes(extra, {}, {})[0], **self.sizes}

    def arguments(self, functions: Mapping[str, Signature], entry: str, call: Call) -> list[Any]:
        """Returns the arguments of the function as a program has it; its parameter transform, if any, is run through
        `call`.
        """
        return [*self.inputs_with_state(call), *self.transformed_params(functions, entry, call)]

    def inputs_with_state(self, call: Call) -> list[Any]:
        """Returns the inputs, with the state that the program makes first."""
        return self._state.given(self.inputs, call)

    def transformed_params(self, functions: Mapping[str, Signature], entry: str, call: Call) -> list[Any]:
        """Returns the values of the function's own parameter arguments."""
        source = param_source(functions, entry)
        values = [self.params[argument.label] for argument in source.params]
        if source.name == entry:
            return list(source.bundled(values))
        results = list(source.flat_results(call(source.name, *source.bundled(values))))
        index = functions[entry].params_index
        if index is not None:
            results = [results[position] for position in index]
        function = functions[entry]
        expected = len(function.params)
        if len(results) != expected:
            raise ArgumentError(f"{source.name} returns {len(results)} parameters, {entry} takes {expected}")
        return list(function.bundled(results))


def _origin(params: Sequence[Path] | Mapping[str, Any]) -> str:
    if isinstance(params, Mapping):
        return MODEL
    return ", ".join(path.name for path in params) or "random"


def _require_fit(
    function: Signature, specs: Mapping[int, str], arrays: Mapping[int, np.ndarray[Any, Any]], sizes: Mapping[str, int]
) -> None:
    """Raises `FileError` for files whose arrays do not have the types of their arguments."""
    problems = [
        (
            specs[index],
            f"argument '{argument.label}': expected {expected_text(argument)}{where_text(argument, sizes, {})}, "
            f"got {array.dtype} {list(array.shape)}",
        )
        for index, array in arrays.items()
        if isinstance((argument := function.arguments[index]).type, TensorValue) and not fits(argument, array, sizes)
    ]
    if problems:
        raise FileError(*problems)


def _matched(
    function: Signature,
    tensors: Mapping[str, Any],
    sizes: Mapping[str, int],
    origin: Mapping[str, Any] | Sequence[Path],
) -> list[np.ndarray[Any, Any]]:
    """Returns the parameters of a function; raises `FileError` for files that do not have them."""
    try:
        return match_params(function, tensors, sizes)
    except ArgumentError as error:
        if isinstance(origin, Mapping):
            raise
        names = ", ".join(map(str, origin))
        raise FileError(*((names, line) for line in str(error).splitlines())) from None


def param_source(functions: Mapping[str, Signature], entry: str) -> Signature:
    """Returns the function that takes the raw parameters: the `relax.params_from` of the function, or the function
    itself.
    """
    function = functions[entry]
    if function.params_from is None:
        return function
    source = functions.get(function.params_from)
    if source is None:
        raise ArgumentError(f"{entry} takes its parameters from @{function.params_from}, which is no public function")
    return source


def on_devices(function: Signature, arguments: Sequence[Any]) -> list[Any]:
    """Returns arguments from the host where their types say that they are; a parameter set stands for all that follow."""
    declared = function.arguments[: len(arguments)]
    return [placed(value, argument.type) for value, argument in zip(arguments, declared, strict=True)]


def host_call(call: Call, functions: Mapping[str, Signature]) -> Call:
    """Calls with arrays on the host: arguments are copied to the devices that their types name, results from theirs."""

    def through(name: str, *arguments: Any) -> tuple[Any, ...]:
        return tuple(map(on_host, call(name, *on_devices(functions[name], arguments))))

    types = [type_ for f in functions.values() for type_ in (*f.results, *(argument.type for argument in f.arguments))]
    is_placed = any(isinstance(leaf, TensorValue) and leaf.device is not None for leaf in flat_values(types))
    return through if is_placed else call


def save_results(results: Sequence[Any], directory: Path) -> list[Path]:
    """Writes `result_0.npy`, ... (one file for each leaf of a tuple: `result_0_1.npy`), but for objects; bf16 is widened to f32."""
    directory.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []

    def save(value: Any, name: str) -> None:
        if isinstance(value, tuple) and not all(isinstance(item, int) for item in value):  # pyright: ignore
            for i, item in enumerate(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
                save(item, f"{name}_{i}")
            return
        array = np.require(value, requirements="C")
        if array.dtype == object:
            return
        # numpy would write bf16 as an opaque two-byte field.
        array = array.astype(np.float32) if array.dtype.name == "bfloat16" else array
        with whole_file(directory / f"{name}.npy") as stream:
            # `np.save` does not say why a write failed.
            np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(array))
            stream.write(array.reshape(-1).view(np.uint8).data)
        paths.append(directory / f"{name}.npy")

    for index, result in enumerate(results):
        save(result, f"result_{index}")
    return paths
