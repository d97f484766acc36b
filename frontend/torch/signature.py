"""The inputs of an exported program as arguments of a function, and the names and ranges of their sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, InputSpec, OutputKind
from xdsl.ir import Attribute

from ...builder import shape as shape_type
from ...dialects.relax.attrs import tensor_type
from ...dialects.relax.function_signature import identifier
from ...dialects.symbolic.expressions import Symbol, apply, is_symbol_name
from ...dialects.symbolic.nodes import Known
from ..model.problems import ModelImportError, Problem, Unsupported
from .graph import GraphImporter
from .node import Failed
from .types import element_of_dtype

Dims = Mapping[str, int | str]


class Signature:
    """Names the sizes of the inputs, then makes the arguments."""

    def __init__(self, graph: GraphImporter, program: ExportedProgram, dims: Dims):
        self.names: list[str] = []
        """The names of the inputs."""
        self._graph = graph
        self._program = program
        self._dims = dims
        self._metas = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
        self._whole: dict[str, Known] = {}
        """The sizes, by input and axis, that stand for a multiple of a symbol of torch."""
        self._multiples: list[tuple[Any, Attribute]] = []
        self._known: dict[str, Known] = {}
        """The sizes that `dims` may name."""
        inputs = program.graph_signature.input_specs
        self._inputs: Sequence[InputSpec] = [spec for spec in inputs if spec.kind == InputKind.USER_INPUT]

    def arguments(self, state: Sequence[InputSpec]) -> dict[str, Any]:
        """Returns the arguments by the names of their placeholders: the inputs, then the buffers that are written."""
        self._name_sizes()
        unknown = sorted({*self._dims} - {*self._known})
        if unknown:
            raise ModelImportError(
                f"no size of the model is named '{unknown[0]}', it has {', '.join(sorted(self._known)) or 'none'}"
            )
        made: dict[str, Any] = {}
        for spec in self._inputs:
            made[spec.arg.name] = self._argument(spec)
        outputs = self._program.graph_signature.output_specs
        results = [spec for spec in outputs if spec.kind == OutputKind.USER_OUTPUT]
        count = sum(not (isinstance(spec.arg, ConstantArgument) and spec.arg.value is None) for spec in results)
        count += sum(spec.kind == OutputKind.USER_INPUT_MUTATION for spec in outputs)
        for index, spec in enumerate(state):
            value = self._metas[spec.arg.name]
            declared = tensor_type(self._graph.dims(value.shape), element_of_dtype(value.dtype))
            made[spec.arg.name] = self._graph.function.input(str(spec.target), declared, donate=count + index)
        self._declare_ranges()
        for argument, declared in self._multiples:
            cast = self._graph.function.match_cast(argument, declared)
            made = {key: cast if value is argument else value for key, value in made.items()}
        return made

    def _argument(self, spec: InputSpec) -> Any:
        """Returns one argument; a number that the program was exported for is none."""
        name, value = spec.arg.name, self._metas[spec.arg.name]
        if isinstance(spec.arg, ConstantArgument):
            return spec.arg.value
        try:
            if isinstance(value, torch.SymInt):
                size = self._graph.sizes.dim(value)
                self._input(name, shape_type([size]))
                return size
            if not isinstance(value, torch.Tensor):
                raise Unsupported(f"inputs of {type(value).__name__} have no counterpart")
            return self._tensor(name, value)
        except Unsupported as error:
            self._graph.problems.append(Problem("input", str(error), name))
            return Failed()

    def _tensor(self, name: str, value: torch.Tensor) -> Any:
        """Returns an input that is a tensor; a dim that is a multiple of a symbol is checked to be one."""
        dims, element = self._graph.dims(value.shape), element_of_dtype(value.dtype)
        wholes = [self._whole.get(_label(name, axis), dim) for axis, dim in enumerate(dims)]
        argument = self._input(name, tensor_type(wholes, element))
        if wholes != list(dims):
            self._multiples.append((argument, tensor_type(dims, element)))
        return argument

    def _input(self, name: str, declared: Attribute) -> Any:
        self.names.append(name)
        return self._graph.function.input(name, declared)

    # Sizes

    def _name_sizes(self) -> None:
        """Gives each symbol of torch a name: that of `torch.export.Dim` if the program still has it, else that of the first dim."""
        # Invariant: a symbol that stands alone in no dim is written as an expression of a symbol that does.
        places = list(self._places())
        for label, size in places:
            expression = size.node.expr
            if expression.is_Symbol and expression.name not in self._graph.sizes.known:
                self._graph.sizes.known[expression.name] = self._size(_debug_name(size) or label)
        for label, size in places:
            free = [symbol for symbol in size.node.expr.free_symbols if symbol.name not in self._graph.sizes.known]
            if free:
                self._solve(label, size.node.expr, free)

    def _places(self) -> Any:
        for spec in self._inputs:
            value = self._metas[spec.arg.name]
            if isinstance(value, torch.SymInt):
                yield identifier(spec.arg.name), value
            elif isinstance(value, torch.Tensor):
                for axis, size in enumerate(value.shape):
                    if isinstance(size, torch.SymInt):
                        yield _label(spec.arg.name, axis), size

    def _solve(self, label: str, expression: Any, free: Sequence[Any]) -> None:
        """Defines the symbol of a dim such as `2*s + 1` by the size of the dim."""
        symbol = free[0]
        factor = expression.coeff(symbol, 1)
        rest = expression - factor * symbol
        if len(free) > 1 or not (factor.is_Integer and rest.is_Integer and factor > 0):
            return
        whole = self._whole[label] = self._size(label)
        self._graph.sizes.known[symbol.name] = _known(apply("floordiv", apply("-", whole, int(rest)), int(factor)))

    def _size(self, label: str) -> Known:
        """Returns the size that is called by a label: what was given for it, else a symbol."""
        given = self._dims.get(label, label)
        size: Known
        if isinstance(given, int):
            size = given
        elif is_symbol_name(given) and given not in self._graph.symbols:
            self._graph.symbols.add(given)
            size = Symbol(given)
        else:
            size = self._graph.fresh_symbol(identifier(given))
        self._known[label] = size
        return size

    def _declare_ranges(self) -> None:
        """Declares the ranges that torch has for its symbols; as torch does, it takes dims of 0 and 1 where it assumed 2 or more."""
        for expression, interval in self._program.range_constraints.items():
            name = str(expression)
            size = self._graph.sizes.known.get(name)
            least, most = _bounds(interval)
            if isinstance(size, int) and not (least <= size and (most is None or size <= most)):
                shown = f"from {least}" if most is None else f"from {least} to {most}"
                label = next(key for key, item in self._known.items() if item is size)
                raise ModelImportError(f"the size '{label}' must be {shown}, got {size}")
            if isinstance(size, Symbol) and (least > 0 or most is not None):
                self._graph.function.symbol_range(size.name, least, most)


def _bounds(interval: Any) -> tuple[int, int | None]:
    least = int(interval.lower) if interval.lower.is_Integer else 0
    most = int(interval.upper) if interval.upper.is_Integer else None
    return (0 if least == 2 else least), (most if most is not None and most < 1 << 62 else None)


def _label(name: str, axis: int) -> str:
    """Returns how a dim is called that has no name."""
    return f"{identifier(name)}_{axis}"


def _known(size: Any) -> Known:
    assert size is not None
    return size


def _debug_name(size: torch.SymInt) -> str | None:
    """Returns the name that `torch.export.Dim` gave a symbol; files do not keep it."""
    environment = size.node.shape_env
    names = environment.source_name_to_debug_name
    for source in environment.var_to_sources.get(size.node.expr, ()):
        if source.name in names:
            return identifier(names[source.name])
    return None
