"""The JSON of a graph executor as a program that places its tensors as the graph says.

Only what the target `graph-json` wrote can be read: the graph executor keeps the kernels in a library, that target in `metadata`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    TensorType,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from ..builder import BlockBuilder
from ..dialects.relax.dtypes import ALL, numpy_dtype, ui8
from ..dialects.relax.function_signature import identifier
from ..dialects.relax.ops.core import ConstantOp
from ..dialects.relax.program import verify_program
from ..dialects.relax.vocabulary.attributes import NAME, NUM_INPUT
from ..dialects.upstream.located_parser import parse_module
from ..targets.graph_json.graph_json import NOP
from ..targets.graph_json.plan_memory import Entry, size_of

KEYS = ("nodes", "arg_nodes", "heads", "attrs", "node_row_ptr", "metadata")


class GraphError(PassFailedException):
    """A file that is no graph, or not one that can run."""


def _refuse(message: str) -> NoReturn:
    raise GraphError(f"graph-json: {message}")


class _Builder:
    """Builds the function of one graph."""

    def __init__(self, graph: Mapping[str, Any], ctx: Context):
        self.graph = graph
        self.ctx = ctx
        self.block = Block()
        self.builder = BlockBuilder(self.block, location=UnknownLoc())
        self.values: dict[Entry, SSAValue] = {}
        self.storages: dict[int, SSAValue] = {}
        self.constants: Mapping[str, str] = graph["metadata"].get("constants", {})
        attrs = graph["attrs"]
        dtypes, shapes = attrs["dltype"][1], attrs["shape"][1]
        if len(dtypes) != len(shapes):
            _refuse(
                f"attrs.dltype and attrs.shape must have an entry for each tensor, got {len(dtypes)} and {len(shapes)}"
            )
        self.types = [TensorType(_element(dtype), shape) for dtype, shape in zip(dtypes, shapes, strict=True)]
        self.ids: Sequence[int] = attrs["storage_id"][1]
        self.rows: Sequence[int] = graph["node_row_ptr"]
        self.names: list[str] = []

    def run(self) -> func.FuncOp:
        """Returns the function."""
        nodes: Sequence[Mapping[str, Any]] = self.graph["nodes"]
        for number, node in enumerate(nodes):
            if node["op"] == "null" and node["name"] not in self.constants:
                self.values[number, 0] = self.block.insert_arg(self.types[self.rows[number]], len(self.block.args))
                self.values[number, 0].name_hint = identifier(node["name"])
                self.names.append(node["name"])
        for number, node in enumerate(nodes):
            if node["op"] == "null":
                self._constant(number, node["name"])
            else:
                self._call(number, node)
        results = [self._value(entry, "heads") for entry in self.graph["heads"]]
        self.builder.insert(func.ReturnOp(*results))
        inputs, outputs = self.block.arg_types, [value.type for value in results]
        metadata = self.graph["metadata"]
        name, num_input = metadata.get("name", "main"), metadata.get("num_input", 0)
        if not isinstance(name, str) or type(num_input) is not int:
            _refuse(
                f"metadata must have a text as name and an integer as num_input, got {name!r:.40} and {num_input!r:.40}"
            )
        names = [DictionaryAttr(NAME.entry(label)) for label in self.names]
        function = func.FuncOp(
            name,
            FunctionType.from_lists(inputs, outputs),
            Region(self.block),
            arg_attrs=ArrayAttr(names),
        )
        if "num_input" in metadata:
            NUM_INPUT.set(function, num_input)
        return function

    def _constant(self, number: int, name: str) -> None:
        if name in self.constants:
            value: Any = Parser(self.ctx, self.constants[name]).parse_attribute()
            self.values[number, 0] = self.builder.op(ConstantOp, value=value)

    def _call(self, number: int, node: Mapping[str, Any]) -> None:
        inputs = [self._value(entry, node["name"]) for entry in node["inputs"]]
        first, last = self.rows[number], self.rows[number + 1]
        callee = node["attrs"]["func_name"]
        if callee == NOP:
            self.values[number, 0] = self.builder.reshape(inputs[0], self.types[first].get_shape())
            return
        if callee not in self.graph["metadata"].get("functions", {}):
            _refuse(f"node '{node['name']}' calls {callee}, of which metadata.functions has no text")
        outputs = [self._place(row) for row in range(first, last)]
        count = None if len(outputs) == 1 else len(outputs)
        self.builder.call_dps(*inputs, *outputs, callee=callee, num_outputs=count)
        for index, output in enumerate(outputs):
            self.values[number, index] = output

    def _value(self, entry: Sequence[int], where: str) -> SSAValue:
        value = self.values.get((entry[0], entry[1]))
        if value is None:
            _refuse(f"{where} reads output {entry[1]} of node {entry[0]}, which does not come before it")
        return value

    def _place(self, row: int) -> SSAValue:
        """Returns a tensor in the storage that the graph says."""
        number, value_type = self.ids[row], self.types[row]
        if number not in self.storages:
            size = max(size_of(self.types[entry]) for entry, storage in enumerate(self.ids) if storage == number)
            self.storages[number] = self.builder.memory.alloc_storage([size], dtype=ui8, name=f"storage{number}")
        shape, dtype = value_type.get_shape(), value_type.element_type
        return self.builder.memory.alloc_tensor(self.storages[number], shape, dtype=dtype)


def _element(name: str) -> Attribute:
    for element in ALL:
        if numpy_dtype(element).name == name:
            return element
    _refuse(f"element type {name} is not known")


def load_graph(ctx: Context, text: str, file: str = "<text>") -> ModuleOp:
    """Returns the program of a graph: one function that gives each node its storage and calls its kernel, and the kernels.

    Raises `GraphError` for a file that is no graph, and one whose kernels are elsewhere; xDSL's errors for kernels that do not fit.
    """
    try:
        graph = json.loads(text)
    except json.JSONDecodeError as error:
        _refuse(f"not JSON: {error}")
    if isinstance(graph, dict) and "root_index" in graph:
        _refuse("the file is a module of TVM, which relax-import tvm reads")
    missing = [key for key in KEYS if not isinstance(graph, dict) or key not in graph]
    if missing:
        _refuse(f"the file has no {', '.join(missing)}")
    try:
        function = _Builder(graph, ctx).run()
        texts = list(graph["metadata"].get("functions", {}).values())
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("the functions are no texts")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        _refuse(f"the file is not well-formed: {type(error).__name__} {error}")
    kernels = parse_module(ctx, "\n".join(("builtin.module {", *texts, "}")).encode(), file)
    module = ModuleOp([function, *(op.clone() for op in kernels.body.block.ops)])
    verify_program(module)
    return module
