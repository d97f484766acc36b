"""`compile` for programs and for models in files: a model comes with its weights, which are transformed once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, overload

from xdsl.dialects.builtin import ModuleOp

from ...interpreter.host.errors import ArgumentError
from ...runtime.compiler import compile as compile_program
from ...runtime.executable.executable import Executable
from ...runtime.params.params import match_params
from .files import import_file, is_model_file
from .weights import ImportedModel

MAIN = "main"


class CompiledModel(Executable):
    """The executable of a model, with its weights: called with inputs by position or by name, it returns the result, or a tuple of several.

    Its functions (`model["main"]`) take the weights as arguments, as those of every executable do.
    """

    def __init__(self, executable: Executable, model: ImportedModel):
        super().__init__(executable.interface, executable.module, executable.code)
        self.inputs = model.inputs
        """The names of the inputs."""
        self.outputs = model.outputs
        """The names of the results."""
        self._weights: list[Any] = []
        if executable.interface.transforms:
            self._weights.append(self.transform_params(model.params))
        elif model.params:
            signature = next(f.signature for f in executable.interface.functions if f.signature.name == MAIN)
            self._weights += match_params(signature, model.params)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Returns what the model computes."""
        return self[MAIN](*self._ordered(arguments, named), *self._weights)

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the results by their names, for inputs by theirs."""
        results = self[MAIN].call(*self._ordered((), inputs), *self._weights)
        return dict(zip(self.outputs, results, strict=True))

    def _ordered(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
        names = self.inputs[len(arguments) :]
        given = [*(f"'{name}'" for name in self.inputs[: len(arguments)]), *(f"'{name}'" for name in named)]
        if {*names} != {*named} or len(arguments) > len(self.inputs):
            expected = ", ".join(f"'{name}'" for name in self.inputs) or "none"
            raise ArgumentError(f"{MAIN}: expected the inputs {expected}, got {', '.join(given) or 'none'}")
        return [*arguments, *(named[name] for name in names)]


@overload
def compile(program: ModuleOp, **options: Any) -> Executable: ...
@overload
def compile(program: str | Path, **options: Any) -> Any: ...
def compile(
    program: ModuleOp | str | Path,
    *,
    dims: Mapping[str, int] | None = None,
    values: Mapping[str, Any] | None = None,
    **options: Any,
) -> Executable:
    """Compiles a program to an `Executable`, or the model in a file (`model.onnx`) to a `CompiledModel`, which has its weights.

    `options` are those of `runtime.compiler.compile` (`opt_level`, `threads`, `lift`, `target`, `passes`, ...); the weights of a model are
    transformed once (`lift`) unless told otherwise. `dims` and `values` fix sizes and inputs of a model, see its importer.
    """
    if not isinstance(program, str | Path) or not is_model_file(program):
        if dims or values:
            raise TypeError("dims and values are those of a model in a file")
        return compile_program(program, **options)
    model = import_file(program, dims, values)
    options.setdefault("lift", bool(model.params))
    return CompiledModel(compile_program(model.module, **options), model)
