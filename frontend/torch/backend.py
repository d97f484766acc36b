"""The backend of `torch.compile`: each graph that torch has traced becomes an executable, or stays with torch."""

from __future__ import annotations

import inspect
import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import xxhash
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func  # pyright: ignore[reportPrivateImportUsage]
from torch._guards import TracingContext
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx import GraphModule
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from ...builder import ModuleBuilder
from ...builder import shape as shape_type
from ...collector import collector_paused
from ...dialects.relax.attrs import tensor_type
from ...dialects.symbolic.expressions import Symbol
from ...dialects.symbolic.nodes import Apply
from ...interpreter.host.errors import ArgumentError
from ...runtime.compiler import compile as compile_program
from ..model.build import built_module
from ..model.locations import scoped_location
from ..model.problems import ModelImportError, Problem, Unsupported, UnsupportedModelError
from .decompositions import decompositions
from .graph import GraphImporter
from .node import Failed
from .types import element_of_dtype

MAIN = "main"

Compiled = Callable[..., Any]

REFUSALS = (ModelImportError, DiagnosticException, PassFailedException)
"""What says that a graph cannot be compiled; anything else is a defect of the compiler."""

OPTIONS = (*[name for name in inspect.signature(compile_program).parameters if name != "program"], "frozen")
"""The options of the backend: those of `xdsl_relax.compile`, and whether weights never change."""

LOGGER = logging.getLogger("xdsl_relax")


class FallbackWarning(UserWarning):
    """A graph runs in torch, as without a compiler; the text says why."""


def compile_graph(graph: GraphModule, inputs: Sequence[Any], **options: Any) -> Compiled:
    """Returns what runs a graph of `torch.compile(..., backend="xdsl_relax", options={...})`; options are those of `xdsl_relax.compile`.

    With `frozen`, weights are transformed once, and what is written to them later is not seen. Raises `ValueError` for other options.
    Compiled are graphs for inference. A graph that records gradients, and one with an op that has no counterpart, is run by torch, which a
    `FallbackWarning` says.
    """
    given = options.pop("options", None)
    options |= dict(given or {})
    verify_options(options)
    if torch.is_grad_enabled() and any(isinstance(item, torch.Tensor) and item.requires_grad for item in inputs):
        _warn("gradients are asked for: compiled programs are for inference, call the module under torch.no_grad()")
        return graph.forward

    def for_inference(lowered: GraphModule, examples: Sequence[Any]) -> Compiled:
        try:
            # Constants of the graph are tensors as they are; torch traces with ones that have no elements.
            with unset_fake_temporarily():
                return make_boxed_func(CompiledGraph(lowered, options))
        except REFUSALS as error:
            _warn(_line(error))
        except Exception as error:
            LOGGER.debug("a graph cannot be compiled", exc_info=True)
            _warn(
                f"internal error: {type(error).__name__}: {_line(error)}; please report it with the log of xdsl_relax at level DEBUG"
            )
        return make_boxed_func(lowered.forward)

    lower = aot_autograd(
        fw_compiler=for_inference, inference_compiler=for_inference, decompositions=dict(decompositions())
    )
    return lower(graph, inputs)


def verify_options(options: Mapping[str, Any]) -> None:
    """Raises `ValueError` for an option that there is not, and what `xdsl_relax.compile` raises for a value that it does not take."""
    unknown = next((name for name in options if name not in OPTIONS), None)
    if unknown is not None:
        raise ValueError(f"there is no option '{unknown}', expected one of {', '.join(OPTIONS)}")
    compile_program(ModuleOp([]), **{name: value for name, value in options.items() if name != "frozen"})


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _warn(reason: str) -> None:
    warnings.warn(f"xdsl_relax: a graph runs in torch: {reason}", FallbackWarning, stacklevel=2)


class CompiledGraph:
    """An executable of a graph; weights are transformed when they are first used, and again when they have changed."""

    def __init__(self, graph: GraphModule, options: Mapping[str, Any]):
        context = TracingContext.try_get()
        metadata = None if context is None else context.fw_metadata
        # What the graph writes is no weight: a transform would follow each call.
        written = getattr(metadata, "mutated_inp_runtime_indices", None) or ()
        static = frozenset(getattr(metadata, "static_input_indices", None) or ()) - frozenset(written)
        program = ImportedGraph(graph, static)
        self._program = program
        options = dict(options)
        self._is_frozen = bool(options.pop("frozen", False))
        options = {"lift": bool(program.weights), **options}
        self._executable = compile_program(program.module, **options)
        self._call = self._executable[MAIN].call
        self._graph = graph
        self._digests: list[bytes] | None = None
        self._params: Any = None

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        """Returns the results of the graph, for tensors and sizes."""
        program = self._program
        given = [inputs[index] for index in program.inputs]
        given = [(item,) if isinstance(item, int) else item for item in given]
        try:
            results = iter(self._call(*given, *self._weights(inputs), results="torch"))
        except ArgumentError as error:
            # Torch takes sizes that a program does not, such as -2 for what is left out at the end.
            _warn(_line(error))
            return self._graph.forward(*inputs)
        made: list[Any] = []
        for kind, strides in program.results:
            if kind is None:
                made.append(None)
            elif kind is int:
                made.append(int(next(results)))
            else:
                made.append(_strided(torch.as_tensor(next(results)), strides))
        return tuple(made)

    def _weights(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """Returns the weights as the executable takes them: transformed, if it has a transform."""
        weights = {name: inputs[index] for name, index in self._program.weights.items()}
        if not self._executable.interface.transforms:
            return list(weights.values())
        # Writes through `.data` and numpy leave no trace in a tensor: only its bytes tell.
        digests = None if self._is_frozen else list(map(weight_digest, weights.values()))
        if self._params is None or digests != self._digests:
            detached = {name: tensor.detach() for name, tensor in weights.items()}
            self._params = self._executable.transform_params(detached, progress=False)
            self._digests = digests
        return [self._params]


def weight_digest(tensor: torch.Tensor) -> bytes:
    """Returns a digest of the elements of a tensor, of 128 bits: tensors of one shape and dtype that differ have different ones."""
    elements = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
    return xxhash.xxh3_128_digest(elements.numpy().data)


def _strided(result: torch.Tensor, strides: tuple[int, ...] | None) -> torch.Tensor:
    """Returns a tensor with the strides that torch has traced."""
    if strides is None or result.stride() == strides or result.numel() == 0:
        return result
    return torch.empty_strided(result.shape, strides, dtype=result.dtype).copy_(result)


class ImportedGraph:
    """The module of a graph, which of its placeholders are inputs and weights, and what its results are."""

    def __init__(self, graph: GraphModule, static: frozenset[int]):
        self.inputs: list[int] = []
        """The placeholders that are inputs, in order."""
        self.weights: dict[str, int] = {}
        """The placeholders that are weights, by the names of the parameters."""
        self.results: list[tuple[type | None, tuple[int, ...] | None]] = []
        """For each result its kind, `None` for no value, and its strides if they are known."""
        modules = ModuleBuilder()
        self._function = modules.function(MAIN)
        self._importer = GraphImporter(modules, self._function)
        self._nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
        with collector_paused(), modules.at(scoped_location(MAIN)):
            placeholders = self._arguments(static)
            values = self._importer.run(graph.graph, placeholders)
            if self._importer.problems:
                raise UnsupportedModelError(self._importer.problems)
            output = next(node for node in graph.graph.nodes if node.op == "output")
            self._function.returns(*self._values(values, output.args[0]))
        self.module = built_module(modules, MAIN)

    def _arguments(self, static: frozenset[int]) -> dict[str, Any]:
        """Returns the values of the placeholders; sizes that no tensor tells are arguments too."""
        # Invariant: a symbol of torch is named by the first dim that is the symbol alone, of an input that is no weight.
        placeholders: dict[str, Any] = {}
        metas = [node.meta["val"] for node in self._nodes]
        known = self._importer.sizes.known
        tensors = [(index, meta) for index, meta in enumerate(metas) if isinstance(meta, torch.Tensor)]
        for index, meta in tensors:
            for axis, size in enumerate(meta.shape if index not in static else ()):
                if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
                    self._name(size, f"{self._nodes[index].name}_{axis}")
        for index, meta in enumerate(metas):
            if not isinstance(meta, torch.SymInt):
                continue
            name = self._nodes[index].name
            if meta.node.expr.is_Symbol and meta.node.expr.name not in known:
                self._name(meta, name)
                self._function.input(name, shape_type([self._importer.sizes.dim(meta)]))
                self.inputs.append(index)
            placeholders[name] = self._importer.sizes.dim(meta)
        for weights in (False, True):
            for index, meta in tensors:
                if (index in static) is weights:
                    placeholders[self._nodes[index].name] = self._tensor(index, meta, weights)
        for index, meta in enumerate(metas):
            placeholders.setdefault(self._nodes[index].name, meta if meta is None else Failed())
        return placeholders

    def _name(self, size: torch.SymInt, stem: str) -> None:
        expression, importer = size.node.expr, self._importer
        if expression.name not in importer.sizes.known:
            importer.sizes.known[expression.name] = importer.fresh_symbol(stem)

    def _tensor(self, index: int, meta: torch.Tensor, is_weight: bool) -> Any:
        node = self._nodes[index]
        if not node.users:
            return None
        try:
            declared = tensor_type(self._importer.dims(meta.shape), element_of_dtype(meta.dtype))
        except Unsupported as error:
            self._importer.problems.append(Problem("input", str(error), node.name))
            return Failed()
        if is_weight:
            self.weights[node.name] = index
            return self._function.param(node.name, declared)
        self.inputs.append(index)
        return self._function.input(node.name, declared)

    def _values(self, values: Sequence[Any], nodes: Any) -> list[SSAValue]:
        """Returns the results that are values, and notes what each one is."""
        made: list[SSAValue] = []
        for value, node in zip(values, nodes, strict=True):
            meta = getattr(node, "meta", {}).get("val")
            if isinstance(value, int | Symbol | Apply) and not isinstance(value, bool):
                made.append(self._function.symbol_value(self._function.shape(value)))
                self.results.append((int, None))
            elif isinstance(value, SSAValue) and isinstance(meta, torch.Tensor):
                strides = meta.stride()
                symbolic = any(isinstance(item, torch.SymInt) for item in strides)
                made.append(value)
                self.results.append((torch.Tensor, None if symbolic else tuple(map(int, strides))))
            elif value is None:
                self.results.append((None, None))
            else:
                raise UnsupportedModelError([Problem("result", f"{value!r} is no tensor", str(node))])
        return made
