"""An exported program to a module with one public function: its signature, then its graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ConstantArgument,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymIntArgument,
    TensorArgument,
)
from torch.utils import _pytree as pytree
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ...builder import ModuleBuilder
from ...collector import collector_paused
from ...dialects.relax.attrs import tensor_type
from ...dialects.relax.function_signature import identifier
from ...dialects.symbolic.nodes import Apply, Symbol
from ..model.build import built_module
from ..model.locations import scoped_location
from ..model.problems import ModelImportError, Problem, Unsupported, UnsupportedModelError
from ..model.weights import ImportedModel, Weights
from .archive import Reader
from .decompositions import decomposed
from .graph import GraphImporter
from .load import load_for_import
from .node import Failed, Number
from .signature import Dims, Signature
from .types import element_of_dtype, to_numpy

STORED = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)

CONSTANT_ELEMENTS = 1
"""Stored tensors of at most so many elements are constants of the program."""


def from_exported_program(program: ExportedProgram | str | Path, *, dims: Dims | None = None) -> ModuleOp:
    """Returns an exported program as a module; see `import_exported_program`, which returns the weights too."""
    return import_exported_program(program, dims=dims).module


def import_exported_program(
    program: ExportedProgram | str | Path, *, dims: Dims | None = None, name: str = "main"
) -> ImportedModel:
    """Returns what `torch.export.export` made, or a file of `torch.export.save`, as a module with the function `@main`, and its weights.

    Inputs and results are the leaves of the module's arguments and results. Dims that `dynamic_shapes` names are symbols under these
    names, others are called `<input>_<axis>`; `dims` gives them sizes or other names (`{"batch": 4}`). Buffers that the module writes are
    arguments behind the inputs, and results behind the results. Raises `ModelImportError` for what is no exported program, and
    `UnsupportedModelError` with everything in it that has no counterpart.
    """
    loaded, readers = load_for_import(program)
    loaded = decomposed(loaded)
    modules = ModuleBuilder()
    with collector_paused():
        return ProgramImporter(loaded, readers, modules, name).run(dict(dims or {}))


class ProgramImporter:
    """The import of one program."""

    def __init__(self, program: ExportedProgram, readers: Mapping[str, Reader], modules: ModuleBuilder, name: str):
        self.program = program
        self.readers = readers
        """What reads weights that the program has zeros in place of."""
        self.modules = modules
        self.function = modules.function(name)
        self.graph = GraphImporter(modules, self.function)
        self.weights = Weights()
        signature = program.graph_signature
        self.inputs: Sequence[InputSpec] = signature.input_specs
        self.outputs: Sequence[OutputSpec] = signature.output_specs
        self.written = {str(item.target): item for item in self.outputs if item.kind == OutputKind.BUFFER_MUTATION}
        """The buffers that the program writes, by name."""

    def run(self, dims: dict[str, Any]) -> ImportedModel:
        """Returns the module, its weights and the names of inputs and results."""
        with self.modules.at(scoped_location(self.function.name)):
            signature = Signature(self.graph, self.program, dims)
            placeholders = signature.arguments(self._state())
            placeholders |= self._stored(placeholders)
            names, results = self._results(self.graph.run(self.program.graph, placeholders))
            if self.graph.problems:
                raise UnsupportedModelError(self.graph.problems)
            self.function.returns(*results)
        module = built_module(self.modules, self.function.name)
        state = {spec.target: np.array(self._array(spec)) for spec in self._state()}
        return ImportedModel(
            module,
            self.weights,
            names[: len(names) - len(state)],
            tuple(signature.names),
            {str(name): array for name, array in state.items()},
        )

    def _state(self) -> list[InputSpec]:
        """Returns the buffers that the program writes, in the order of the results that are their new values."""
        by_name = {str(spec.target): spec for spec in self.inputs if spec.kind == InputKind.BUFFER}
        return [by_name[name] for name in self.written]

    def _stored(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the weights and constants, each a parameter that is made when it is first read."""
        stored: dict[str, Any] = {}
        for spec in self.inputs:
            if spec.kind in STORED and isinstance(spec.arg, TensorArgument) and spec.arg.name not in known:
                stored[spec.arg.name] = self._weight(spec)
            elif spec.arg.name not in known:
                stored[spec.arg.name] = Failed()
                reason = f"arguments that are a {str(spec.kind.name).lower().replace('_', ' ')} have no counterpart"
                self.graph.problems.append(Problem("input", reason, spec.arg.name))
        return stored

    def _weight(self, spec: InputSpec) -> Any:
        tensor, name = self._tensor(spec), str(spec.target)
        used = next(node for node in self.program.graph.nodes if node.name == spec.arg.name)
        if not used.users:
            return None
        try:
            element = element_of_dtype(tensor.dtype)
        except Unsupported as error:
            self.graph.problems.append(Problem("weight", str(error), name))
            return Failed()
        if tensor.numel() <= CONSTANT_ELEMENTS and spec.kind == InputKind.CONSTANT_TENSOR:
            return self.graph.constant(tensor)
        self.weights.add(name, lambda: self._array(spec))
        return self.function.param(name, tensor_type(tuple(tensor.shape), element))

    def _tensor(self, spec: InputSpec) -> torch.Tensor:
        tensor = self.program.state_dict.get(str(spec.target))
        if tensor is None:
            tensor = self.program.constants[str(spec.target)]
        if not isinstance(tensor, torch.Tensor):
            raise ModelImportError(f"the program holds {type(tensor).__name__} in the place of tensor '{spec.target}'")
        return tensor

    def _array(self, spec: InputSpec) -> np.ndarray[Any, Any]:
        tensor, read = self._tensor(spec), self.readers.get(str(spec.target))
        return to_numpy(tensor) if read is None else read(tensor)

    # Results

    def _results(self, values: Sequence[Any]) -> tuple[tuple[str, ...], list[SSAValue]]:
        """Returns the names and the values of the results: those of the module, then written inputs, then written buffers."""
        pairs = list(zip(self.outputs, values, strict=True))
        own = [(spec, value) for spec, value in pairs if spec.kind == OutputKind.USER_OUTPUT]
        names, results = list[str](), list[SSAValue]()
        for label, (spec, value) in zip(self._labels(len(own)), own, strict=True):
            if isinstance(value, Failed) or (isinstance(spec.arg, ConstantArgument) and spec.arg.value is None):
                continue
            names.append(label)
            results.append(self._result(spec, value))
        for kind in (OutputKind.USER_INPUT_MUTATION, OutputKind.BUFFER_MUTATION):
            for spec, value in pairs:
                if spec.kind == kind and not isinstance(value, Failed):
                    names.append(str(spec.target))
                    results.append(value)
        return tuple(names), results

    def _result(self, spec: OutputSpec, value: Any) -> SSAValue:
        g = self.function
        if isinstance(spec.arg, SymIntArgument) and isinstance(value, Symbol | Apply):
            return g.symbol_value(g.shape(value))
        if isinstance(value, Number):
            return value.value
        if isinstance(value, bool | int | float):
            return g.constant(np.asarray(value))
        if not isinstance(value, SSAValue):
            self.graph.problems.append(Problem("result", f"{value!r} is no tensor", str(spec.arg.name)))
            return g.constant(0, "i64")
        return value

    def _labels(self, count: int) -> list[str]:
        """Returns names of the results: their keys in the result of the module, else numbers."""
        spec = self.program.call_spec.out_spec
        if spec is None or spec.num_leaves != count:
            return [f"output_{index}" for index in range(count)]
        paths, _ = pytree.tree_flatten_with_path(pytree.tree_unflatten(list(range(count)), spec))
        labels = [".".join(_key(item) for item in path) for path, _ in paths]
        return [
            f"output_{label}" if label[:1].isdigit() else identifier(label) if label else "output" for label in labels
        ]


def _key(item: Any) -> str:
    for name in ("key", "name", "idx"):
        if hasattr(item, name):
            return str(getattr(item, name))
    return str(item)
