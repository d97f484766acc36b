"""`compile` for programs and for models in files: a model comes with its weights, which are transformed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ...interpreter.host.arrays import Library
from ...interpreter.host.errors import ArgumentError
from ...runtime.cache.compile import compile as compile_program
from ...runtime.executable.destinations import OutError
from ...runtime.executable.executable import Executable
from ...runtime.executable.native_function import NativeFunction
from ...runtime.params.parameter_set import ParameterSet
from ...runtime.params.params import match_params
from .files import format_of, import_as, require_no_file
from .weights import ImportedModel

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ...runtime.profile.profile import Profile

MAIN = "main"


class CompiledModel(Executable):
    """The executable of a model, with its weights: called with inputs by position or by name, it returns the result, or a tuple of several.

    Its functions (`model["main"]`) take the weights as arguments, as those of every executable do.
    """

    def __init__(self, executable: Executable, model: ImportedModel):
        packed, recorder = executable._packed, executable._recorder
        super().__init__(executable.interface, executable.module, executable.code, packed, recorder)
        self.inputs = model.inputs
        """The names of the inputs."""
        self.outputs = model.outputs
        """The names of the results."""
        self.state = {name: array.copy() for name, array in model.state.items()}
        """What the model keeps from call to call, by name: each call writes it, so that calls follow each other."""
        self._weights: list[Any] = []
        if executable.interface.transforms:
            self._weights.append(self.transform_params(model.params))
        elif model.params:
            signature = next(f.signature for f in executable.interface.functions if f.signature.name == MAIN)
            self._weights += match_params(signature, model.params)

    def __call__(self, *arguments: Any, out: Any = None, results: Library | None = None, **named: Any) -> Any:
        """Returns what the model computes; `out` and `results` are those of every function (docs/calls.md).

        Inputs of these two names go by position, or to `run`.
        """
        if named or self.state or len(arguments) != len(self.inputs):
            values = self._called(self._ordered(arguments, named), out, results)
        else:
            values = self._main.call_in_order((*arguments, *self._weights), {}, out, results)
        return values[0] if len(values) == 1 else values

    def run(self, inputs: Mapping[str, Any], *, out: Any = None, results: Library | None = None) -> dict[str, Any]:
        """Returns the results by their names, for inputs by theirs; `out` and `results` are those of a call.

        `out` may also be a mapping from names of results to the arrays that some of them are written into.
        """
        if not hasattr(inputs, "keys"):
            raise ArgumentError(
                f"{MAIN}: expected a mapping from names of inputs to arrays, got {type(inputs).__name__}"
            )
        try:
            values = self._called(self._ordered((), inputs), self._places(out), results)
        except OutError as error:
            raise (error.named(self.outputs) if isinstance(out, Mapping) else error) from None
        return dict(zip(self.outputs, values, strict=True))

    @cached_property
    def _main(self) -> NativeFunction:
        return self[MAIN]

    @property
    def params(self) -> ParameterSet:
        """What the transform made of the weights, for `save_params`; raises `ArgumentError` where there is none."""
        made = [each for each in self._weights if isinstance(each, ParameterSet)]
        if not made:
            raise ArgumentError(f"{MAIN}: has no transformed parameters, as it has no transform (lift)")
        return made[0]

    def arguments(self, /, *inputs: Any, **named: Any) -> tuple[Any, ...]:
        """Returns what `model["main"]` takes for such inputs: these, what the model keeps, and its weights."""
        return (*self._ordered(inputs, named), *self.state.values(), *self._weights)

    def profile(self, /, *inputs: Any, calls: int = 10, **named: Any) -> Profile:
        """Returns what `profile` of a function does, for inputs of the model."""
        return self._main.profile(*self.arguments(*inputs, **named), calls=calls)

    def _places(self, out: Any) -> Any:
        """Returns where results go as a call takes it: an array, or a tuple with one or `None` for each of several."""
        if not isinstance(out, Mapping):
            return out
        for name in out:
            if name not in self.outputs:
                expected = ", ".join(f"'{output}'" for output in self.outputs) or "none"
                raise ArgumentError(f"{MAIN}: out: expected names of the results {expected}, got {name!r}")
        places = tuple(out.get(name) for name in self.outputs)
        return places[0] if len(places) == 1 else places

    def _called(self, inputs: Sequence[Any], out: Any = None, results: Library | None = None) -> tuple[Any, ...]:
        """Returns the results of the model; what it keeps is replaced by its new values."""
        if out is not None and self.state:
            given = out if isinstance(out, tuple | list) and len(self.outputs) != 1 else (out,)
            out = (*given, *[None] * len(self.state))
        values = self._main.call(*inputs, *self.state.values(), *self._weights, out=out, results=results)
        if not self.state:
            return values
        own = len(values) - len(self.state)
        self.state = dict(zip(self.state, map(np.asarray, values[own:]), strict=True))
        return values[:own]

    def _ordered(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Sequence[Any]:
        if not named and len(arguments) == len(self.inputs):
            return arguments
        names = self.inputs[len(arguments) :]
        if {*names} != {*named} or len(arguments) > len(self.inputs):
            expected = ", ".join(f"'{name}'" for name in self.inputs) or "none"
            given = [f"{len(arguments)} by position"] * bool(arguments) + [f"'{name}'" for name in named]
            raise ArgumentError(f"{MAIN}: expected the inputs {expected}, got {', '.join(given) or 'none'}")
        return [*arguments, *(named[name] for name in names)]


@overload
def compile(program: ModuleOp, **options: Any) -> Executable: ...
@overload
def compile(program: ImportedModel, **options: Any) -> CompiledModel: ...
@overload
def compile(program: str | Path, **options: Any) -> Any: ...
def compile(
    program: ModuleOp | ImportedModel | str | Path,
    *,
    dims: Mapping[str, int] | None = None,
    values: Mapping[str, Any] | None = None,
    **options: Any,
) -> Executable:
    """Compiles a program to an `Executable`, or a model, imported or in a file (`model.onnx`), to a `CompiledModel`, which has its weights.

    `options` are those of `runtime.cache.compile.compile` (`opt_level`, `threads`, `lift`, `target`, `passes`, `cache`, ...); the weights
    of a model are transformed once (`lift`) unless told otherwise. `dims` and `values` fix sizes and inputs of a model, see its importer.
    """
    model_format = format_of(program) if isinstance(program, str | Path) else None
    if model_format is None or not isinstance(program, str | Path):
        if dims or values:
            raise TypeError("dims and values are those of a model in a file")
        if isinstance(program, str):
            require_no_file(program)
        if not isinstance(program, ImportedModel):
            return compile_program(program, **options)
        model = program
    else:
        model = import_as(model_format, program, dims, values)
    options.setdefault("lift", bool(model.params))
    return CompiledModel(compile_program(model.module, **options), model)
