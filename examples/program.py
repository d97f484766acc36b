"""Writes relax programs from Python: functions with named parameters, ops by name with inferred types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.builder import Builder
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl_relax.dialects.relax import OPS
from xdsl_relax.dialects.relax.attrs import ShapeType, tensor_type
from xdsl_relax.dialects.relax.ops.core import DataflowOp, OutputOp, ShapeOp
from xdsl_relax.dialects.relax.vocabulary.attributes import NAME, NUM_INPUT
from xdsl_relax.dialects.symbolic.parser import dim_from_string

_OPS: dict[str, Any] = {op.name: op for op in OPS}


def tensor(dims: Sequence[int | str], element_type: Attribute) -> Attribute:
    """Returns a tensor type; strings are symbolic dims."""
    return tensor_type([_dim(dim) for dim in dims], element_type)


def _dim(dim: int | str) -> Any:
    return dim_from_string(dim) if isinstance(dim, str) else dim


class Graph:
    """Inserts ops into one dataflow block."""

    def __init__(self, block: Block):
        self._builder = Builder(InsertPoint.at_end(block))

    def __call__(self, name: str, *operands: SSAValue, **attributes: Any) -> Any:
        """Inserts `relax.<name>`; returns its result, or a tuple of them."""
        op = self._builder.insert(_OPS[f"relax.{name}"].build_from(*operands, **attributes))
        return op.results[0] if len(op.results) == 1 else tuple(op.results)

    def shape(self, *dims: int | str) -> SSAValue:
        """Returns a shape value."""
        shape = ShapeOp.build_from(result_types=[ShapeType(tuple(map(_dim, dims)))])
        return self._builder.insert(shape).result


Body = Callable[[Graph, Sequence[SSAValue], dict[str, SSAValue]], Sequence[SSAValue]]


def function(name: str, inputs: dict[str, Attribute], params: dict[str, Attribute], body: Body) -> func.FuncOp:
    """Makes a function; `body` gets the graph, the inputs in order, and the parameters by name."""
    types = [*inputs.values(), *params.values()]
    entry = Block(arg_types=types)
    for arg, label in zip(entry.args, (*inputs, *params), strict=True):
        arg.name_hint = label.replace(".", "_")
    inner = Block()
    graph = Graph(inner)
    outputs = body(graph, entry.args[: len(inputs)], dict(zip(params, entry.args[len(inputs) :], strict=True)))
    inner.add_op(OutputOp(*outputs))
    result_types = [value.type for value in outputs]
    dataflow = DataflowOp(Region(inner), result_types)
    entry.add_ops([dataflow, func.ReturnOp(*dataflow.outputs)])
    attributes = [DictionaryAttr({}) for _ in inputs]
    attributes += [DictionaryAttr(NAME.entry(label)) for label in params]
    made = func.FuncOp(
        name, FunctionType.from_lists(types, result_types), Region(entry), arg_attrs=ArrayAttr(attributes)
    )
    NUM_INPUT.set(made, len(inputs))
    return made


def write(path: str, comment: str, functions: Sequence[func.FuncOp]) -> None:
    """Verifies the functions and writes them to a file."""
    module = ModuleOp(list(functions))
    module.verify()
    with open(path, "w") as stream:
        stream.writelines(f"// {line}\n" for line in comment.splitlines())
        print(module, file=stream)
