"""The target `graph-json`: a program as the JSON of Relay's graph executor, with the kernels beside it.

`metadata`, which the graph executor skips, holds what the names stand for, so that the file runs alone: the functions as MLIR text, the
values of the constants, and how many inputs come before the parameters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from io import StringIO
from itertools import accumulate
from typing import IO, Any, cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.printer import Printer
from xdsl.utils.target import Target

from ...dialects.relax.dense import dense_from_numpy, dense_to_numpy
from ...dialects.relax.dtypes import numpy_dtype
from ...dialects.relax.function_signature import argument_attributes, functions, is_private, return_op
from ...dialects.relax.ops.core import ConstantOp, DataflowOp, MatchCastOp, TupleGetItemOp, TupleOp
from ...dialects.relax.vocabulary.attributes import NAME, NUM_INPUT
from ...dialects.upstream.op_error import OpError
from ...passes.fusion.fuse_ops import FuseOpsPass
from ...passes.memory.convert_to_destination_style import is_reshape
from ...passes.memory.convert_to_value_semantics import ConvertToValueSemanticsPass
from ...passes.rewriting.dataflow_blocks import inline_dataflow
from ...passes.rewriting.kernel_functions import is_kernel
from .plan_memory import Entry, PlannedNode, storage_ids

PREFIX = "tvmgen_default_"
NOP = "__nop"
"""The function of a node whose output is the memory of its input."""
CPU = 1
"""The number of the CPU among the kinds of devices."""

Entries = Entry | tuple["Entries", ...]
"""The outputs that stand for a value: those of its fields for a tuple."""


@dataclass
class Node:
    """A node of the graph."""

    name: str
    outputs: Sequence[TensorType[Attribute]]
    inputs: list[Entry] = field(default_factory=list[Entry])
    function: str | None = None
    """The name of the function that it calls; `None` for an argument or a constant."""
    hash: str = ""

    def json(self) -> dict[str, Any]:
        """Returns the node as the graph executor reads it."""
        inputs = [[number, index, 0] for number, index in self.inputs]
        if self.function is None:
            return {"op": "null", "name": self.name, "inputs": inputs}
        attrs = {
            "num_outputs": str(len(self.outputs)),
            "num_inputs": str(len(self.inputs)),
            "flatten_data": "0",
            "func_name": self.function,
        }
        if self.hash:
            attrs["hash"] = self.hash
        return {"op": "tvm_op", "name": self.name, "attrs": attrs, "inputs": inputs}

    def planned(self) -> PlannedNode:
        """Returns what planning needs to know."""
        return PlannedNode(self.outputs, self.inputs, self.function is None, self.function == NOP)


class _Graph:
    """The graph of one function: its arguments, then what its results need, operands before the calls that read them."""

    def __init__(self, function: func.FuncOp, kernels: Mapping[str, func.FuncOp]):
        self.function = function
        self.kernels = kernels
        self.nodes: list[Node] = []
        self.texts: dict[str, str] = {}
        self.constants: dict[str, str] = {}
        self._names: set[str] = set()
        self._entries: dict[SSAValue, Entries] = {}
        attributes = argument_attributes(function)
        for argument, entry in zip(function.body.block.args, attributes, strict=True):
            name = NAME.of(entry) or argument.name_hint or f"arg{argument.index}"
            self._add(Node(self._unique(name), [self._static(argument, function)]), argument)
        for value in return_op(function).operands:
            self._visit(value)
        self.heads = [entry for value in return_op(function).operands for entry in _leaves(self._entries[value])]

    def _add(self, node: Node, *values: SSAValue) -> None:
        self.nodes.append(node)
        for index, value in enumerate(values):
            self._entries[value] = (len(self.nodes) - 1, index)

    def _unique(self, name: str) -> str:
        unique, count = name, 0
        while unique in self._names:
            count += 1
            unique = f"{name}{count}"
        self._names.add(unique)
        return unique

    def _static(self, value: SSAValue, op: Operation) -> TensorType[Attribute]:
        type_ = value.type
        if not isinstance(type_, TensorType) or not type_.has_static_shape():
            raise OpError(op, f"graph-json: every value must be a tensor of static shape, got {type_}")
        return cast("TensorType[Attribute]", type_)

    def _visit(self, value: SSAValue) -> None:
        """Adds the nodes that a value needs, without recursion: graphs are deep."""
        pending = [value]
        while pending:
            top = pending[-1]
            if top in self._entries:
                pending.pop()
                continue
            op = top.owner
            assert isinstance(op, Operation)
            missing = [operand for operand in op.operands if operand not in self._entries]
            if missing:
                pending += reversed(missing)
            else:
                self._op(op)

    def _op(self, op: Operation) -> None:
        match op:
            case ConstantOp():
                name = self._unique(f"p{len(self.constants)}")
                self._add(Node(name, [self._static(op.result, op)]), op.result)
                self.constants[name] = str(_dense(op))
            case TupleOp():
                self._entries[op.result] = tuple(self._entries[value] for value in op.fields)
            case TupleGetItemOp():
                whole = self._entries[op.tuple_value]
                self._entries[op.result] = cast("tuple[Entries, ...]", whole)[op.index.value.data]
            case MatchCastOp():
                self._static(op.result, op)
                self._entries[op.result] = self._entries[op.input]
            case func.CallOp() if (callee := self.kernels.get(op.callee.string_value())) is not None:
                self._call(op, callee)
            case _:
                raise OpError(op, f"graph-json: a graph is calls of kernels, {op.name} is none")

    def _call(self, op: func.CallOp, callee: func.FuncOp) -> None:
        outputs = [self._static(result, op) for result in op.results]
        inputs = [entry for value in op.arguments for entry in _leaves(self._entries[value])]
        if is_reshape(callee):
            self._add(Node(self._unique("reshape_nop"), outputs, inputs, NOP), *op.results)
            return
        stem = callee.sym_name.data
        name = f"{PREFIX}{stem if stem.startswith('fused_') else f'fused_{stem}'}"
        if name not in self.texts:
            self.texts[name] = _text(callee, name)
        digest = sha256(self.texts[name].replace(name, "", 1).encode()).hexdigest()[:16]
        self._add(Node(self._unique(name), outputs, inputs, name, digest), *op.results)

    def json(self) -> dict[str, Any]:
        """Returns the whole graph as the graph executor reads it."""
        ids = storage_ids([node.planned() for node in self.nodes], self.heads)
        outputs = [output for node in self.nodes for output in node.outputs]
        metadata: dict[str, Any] = {"name": self.function.sym_name.data}
        count = NUM_INPUT.of(self.function)
        if count is not None:
            metadata["num_input"] = count
        return {
            "nodes": [node.json() for node in self.nodes],
            "arg_nodes": [number for number, node in enumerate(self.nodes) if node.function is None],
            "heads": [[number, index, 0] for number, index in self.heads],
            "attrs": {
                "dltype": ["list_str", [numpy_dtype(output.element_type).name for output in outputs]],
                "device_index": ["list_int", [CPU] * len(outputs)],
                "storage_id": ["list_int", [identifier for group in ids for identifier in group]],
                "shape": ["list_shape", [list(output.get_shape()) for output in outputs]],
            },
            "node_row_ptr": [0, *accumulate(len(node.outputs) for node in self.nodes)],
            "metadata": {**metadata, "functions": self.texts, "constants": self.constants},
        }


def _leaves(entries: Entries) -> list[Entry]:
    match entries:
        case (int(number), int(index)):
            return [(number, index)]
        case _:
            return [leaf for entry in cast("tuple[Entries, ...]", entries) for leaf in _leaves(entry)]


def _dense(op: ConstantOp) -> DenseIntOrFPElementsAttr:
    return dense_from_numpy(dense_to_numpy(op.value), cast("TensorType[Attribute]", op.value.type).element_type)


def _text(kernel: func.FuncOp, name: str) -> str:
    """Returns a kernel as MLIR text under the name that it has in the graph."""
    copy = kernel.clone()
    copy.properties["sym_name"] = type(kernel.sym_name)(name)
    for op in copy.walk():
        if isinstance(op, ConstantOp):
            op.properties["value"] = _dense(op)
    stream = StringIO()
    Printer(stream=stream).print_op(copy)
    return stream.getvalue()


def graph_of(module: ModuleOp) -> dict[str, Any]:
    """Returns the graph of the one public function of a module, whose ops that are in no kernel become one each.

    Raises `OpError` for what a graph cannot hold: symbolic sizes, branches, calls of functions that are no kernels.
    """
    module = module.clone()
    ctx = Context()
    ConvertToValueSemanticsPass().apply(ctx, module)
    FuseOpsPass(opt_level=0).apply(ctx, module)
    all_functions = functions(module)
    entries = [function for function in all_functions if not is_private(function)]
    if len(entries) != 1:
        names = ", ".join(f"@{function.sym_name.data}" for function in entries)
        raise OpError(module, f"graph-json: a graph is one public function, the module has {names or 'none'}")
    for op in list(entries[0].body.block.ops):
        if isinstance(op, DataflowOp):
            inline_dataflow(op)
    kernels = {function.sym_name.data: function for function in all_functions if is_kernel(function)}
    return _Graph(entries[0], kernels).json()


@dataclass(frozen=True)
class GraphJsonTarget(Target):
    """Prints a program as the JSON of Relay's graph executor; `relax-run` runs it."""

    name = "graph-json"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        json.dump(graph_of(module), output, indent=2)
        output.write("\n")
