"""Graphs of torch to ops: nodes in order, and the graphs inside of them."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.fx import Graph
from torch.fx import Node as FxNode
from torch.fx.node import map_arg
from xdsl.ir import SSAValue

from ...builder import BlockBuilder, ModuleBuilder
from ...builder.functions import FunctionBuilder
from ...dialects.relax.attrs import element_type_of
from ...dialects.symbolic.nodes import Known
from ..model.inserter import REFUSALS
from ..model.locations import scoped_location
from ..model.problems import Unsupported
from .node import Failed, Importer, Node, Number
from .numbers import number
from .ops.rules import CONVERTERS
from .sizes import Sizes
from .types import element_of_dtype, to_numpy

CHECKS = frozenset(
    (
        "aten._assert_scalar.default",
        "aten._assert_async.msg",
        "aten._assert_async.default",
        "aten._assert_tensor_metadata.default",
        "aten.sym_constrain_range.default",
        "aten.sym_constrain_range_for_size.default",
    )
)
"""What torch checks of sizes and types: that is what the types of the program say, and what calls are checked for."""

TORCH = str(Path(torch.__file__).parent)

FILE_LINE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')


class GraphImporter(Importer):
    """Inserts what the nodes of a graph become into a function."""

    def __init__(self, modules: ModuleBuilder, function: FunctionBuilder):
        super().__init__(function)
        self.modules = modules
        self.sizes = Sizes()

    def dims(self, sizes: Any) -> tuple[Known, ...]:
        """Returns the sizes of a tensor of torch."""
        return self.sizes.dims(sizes)

    # Graphs

    def run(self, graph: Graph, placeholders: Mapping[str, Any]) -> list[Any]:
        """Returns the results of a graph; what has no counterpart is noted, and the import goes on."""
        scope: dict[FxNode, Any] = {}
        for node in graph.nodes:
            if node.op == "placeholder":
                scope[node] = placeholders[node.name]
            elif node.op == "get_attr":
                scope[node] = self._attribute(graph.owning_module, str(node.target))
            elif node.op == "call_function":
                scope[node] = self._import(node, scope)
            elif node.op == "output":
                returned = _resolved(node.args[0], scope)
                return list(returned) if isinstance(returned, list) else [returned]
        return []

    def run_graph(self, graph: Any, inputs: Sequence[Any], builder: BlockBuilder | None = None) -> list[Any]:
        """Returns the results of a graph inside of the model, written by a builder if that is given."""
        names = [node.name for node in graph.graph.nodes if node.op == "placeholder"]
        with self.inserting(self.builder if builder is None else builder):
            return self.run(graph.graph, dict(zip(names, inputs, strict=True)))

    def _attribute(self, owner: Any, path: str) -> Any:
        """Returns a graph or a tensor that a graph holds."""
        held = owner
        for part in path.split("."):
            held = getattr(held, part)
        return self.constant(held) if isinstance(held, torch.Tensor) else held

    def constant(self, tensor: torch.Tensor) -> Any:
        """Returns a tensor as a constant of the program."""
        return self.builder.constant(to_numpy(tensor), element_of_dtype(tensor.dtype))

    # Nodes

    def _import(self, node: FxNode, scope: Mapping[FxNode, Any]) -> Any:
        """Returns what a node becomes: a value, several, a size, or `Failed`."""
        # Invariant: what has no counterpart is told also where its operands failed, so that one report has all of them.
        name = str(node.target) if hasattr(node.target, "namespace") else getattr(node.target, "__name__", "call")
        if node.target is operator.getitem:
            value = _resolved(node.args[0], scope)
            return value if isinstance(value, Failed) else value[node.args[1]]
        if name in CHECKS:
            return None
        path = _module_path(node)
        try:
            with self.modules.at(scoped_location(node.name, [path], _line(node))):
                return self._converted(node, name, scope)
        except REFUSALS as error:
            self.note(error, name.removesuffix(".default"), _where(node, path))
            return Failed()

    def _converted(self, node: FxNode, name: str, scope: Mapping[FxNode, Any]) -> Any:
        val = node.meta.get("val")
        if isinstance(val, torch.SymInt) and not _depends_on_data(val, self.sizes):
            return self.sizes.dim(val)
        if isinstance(val, torch.SymFloat) and not _depends_on_data(val, self.sizes):
            return Number(number(self.builder, self.sizes, val.node.expr))
        converter = CONVERTERS.get(name)
        if converter is None and isinstance(val, torch.SymBool | bool):
            # Conditions on sizes are for checks alone.
            return None
        if converter is None and isinstance(val, torch.SymInt | torch.SymFloat):
            raise Unsupported(f"the number {val.node.expr} is no size that is known before the program runs")
        if converter is None:
            raise Unsupported("the op has no counterpart")
        arguments = _arguments(node)
        resolved = {key: _resolved(item, scope) for key, item in arguments.items()}
        if any(_has_failed(item) for item in resolved.values()):
            return Failed()
        metas = {key: map_arg(item, lambda n: n.meta.get("val")) for key, item in arguments.items()}
        read = frozenset(
            int(str(user.args[1])) for user in node.users if user.target is operator.getitem and user.users
        )
        view = Node(self, name, resolved, metas, val, read)
        outputs = converter(view)
        if not isinstance(val, list | tuple):
            return self._completed(outputs, val)
        listed = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
        return [self._completed(item, meta) for item, meta in zip(listed, val, strict=False)]

    def _completed(self, output: Any, val: Any) -> Any:
        """Returns a result with the elements and the sizes that torch says it has."""
        # Invariant: sizes of values are those of torch where both can be told, so that equal ones are equal here.
        if not isinstance(output, SSAValue) or not isinstance(val, torch.Tensor):
            return output
        element = element_of_dtype(val.dtype)
        if element_type_of(output.type) != element:
            output = self.builder.astype(output, dtype=element)
        wanted = [self._wanted(size) for size in val.shape]
        matched = self.matched(output, wanted)
        if matched is None and any(not isinstance(size, int) for size in wanted):
            # What torch has traced holds for a part of the sizes: its guards have the others.
            listed = ", ".join(map(str, wanted))
            raise Unsupported(
                f"its sizes are those of {output.type} in general, and [{listed}] where torch has traced it"
            )
        if matched is None:
            raise AssertionError(f"the type is {output.type}, torch has the sizes {wanted}")
        return matched

    def _wanted(self, size: Any) -> Known:
        """Returns a size of torch; one that depends on data gets its name here."""
        if isinstance(size, torch.SymInt) and _depends_on_data(size, self.sizes):
            expression = size.node.expr
            if not expression.is_Symbol:
                raise Unsupported(f"the size {expression} depends on data")
            self.sizes.known[expression.name] = self.fresh_symbol(expression.name)
        return self.sizes.dim(size)


def _depends_on_data(size: torch.SymInt | torch.SymFloat, sizes: Sizes) -> bool:
    return any(symbol.name not in sizes.known for symbol in size.node.expr.free_symbols)


def _resolved(given: Any, scope: Mapping[FxNode, Any]) -> Any:
    """Returns an argument with the values of nodes in their places; unlike torch's, the lists stay plain lists."""
    if isinstance(given, FxNode):
        return scope[given]
    if isinstance(given, list | tuple):
        return [_resolved(item, scope) for item in given]
    if isinstance(given, dict):
        return {key: _resolved(item, scope) for key, item in given.items()}
    return given


def _has_failed(given: Any) -> bool:
    return isinstance(given, Failed) or (isinstance(given, list) and any(map(_has_failed, given)))


def _arguments(node: FxNode) -> dict[str, Any]:
    """Returns the arguments of a node by the names of the op's schema, defaults included; those of other ops by their place."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return {**{str(index): item for index, item in enumerate(node.args)}, **node.kwargs}
    given: dict[str, Any] = {}
    for index, argument in enumerate(schema.arguments):
        if index < len(node.args) and not argument.kwarg_only:
            given[argument.name] = node.args[index]
        else:
            given[argument.name] = node.kwargs.get(argument.name, argument.default_value)
    return given


def _module_path(node: FxNode) -> str:
    """Returns the path of the innermost module that a node comes from."""
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    return str(stack[-1][0]).removeprefix("L['self'].") if stack else ""


def _line(node: FxNode) -> tuple[str, int] | None:
    """Returns the file and the line of the innermost call outside of torch, else the innermost one."""
    lines = [(match["file"], int(match["line"])) for match in FILE_LINE.finditer(node.meta.get("stack_trace") or "")]
    own = [line for line in lines if not line[0].startswith((TORCH, "<")) and "site-packages/torch/" not in line[0]]
    return (own or lines or [None])[-1]


def _where(node: FxNode, path: str) -> str:
    line = _line(node)
    name = f"{path}.{node.name}" if path else node.name
    return name if line is None else f"{name} ({line[0]}:{line[1]})"
