"""Modules and functions to StableHLO."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.builtin import LocationAttr, ModuleOp, NameLoc, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ....dialects.relax.attrs import ShapeType, dims_of, element_type_of
from ....dialects.relax.ops.core import DataflowOp, ShapeOp
from ....dialects.relax.vocabulary.attributes import NAME
from ....passes.folding.simplify_inference import SimplifyInferencePass
from ...model.problems import Problem, Unsupported, UnsupportedModelError
from ..bindings import ir, make_ir_context, stablehlo
from .emit import Emitter, tensor
from .ops.rules import RULES


def to_stablehlo(module: ModuleOp) -> str:
    """Returns a module as a program of StableHLO, verified by jax's bindings.

    All sizes are numbers (`relax-bind-symbolic-vars` fixes symbols). Raises `UnsupportedModelError` with every op that has no counterpart.
    """
    return _exported(module).operation.get_asm(enable_debug_info=True)


def to_stablehlo_bytecode(module: ModuleOp) -> bytes:
    """Returns a module as a portable artifact of StableHLO; see `to_stablehlo`."""
    return stablehlo.serialize_portable_artifact(_exported(module), stablehlo.get_current_version())


def _exported(module: ModuleOp) -> Any:
    module = module.clone()
    SimplifyInferencePass(norms=True, training=True).apply(Context(), module)
    problems: list[Problem] = []
    with make_ir_context(), ir.Location.unknown():
        made = ir.Module.create()
        functions = [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]
        problems += [
            Problem(op.name, "no function", "module") for op in module.body.block.ops if not isinstance(op, func.FuncOp)
        ]
        for function in functions:
            with ir.InsertionPoint(made.body):
                FunctionExporter(function, problems).run()
        if problems:
            raise UnsupportedModelError(problems, "export")
        made.operation.verify()
        return made


class FunctionExporter:
    """Writes a function."""

    def __init__(self, function: func.FuncOp, problems: list[Problem]):
        self.emit = Emitter()
        self._function = function
        self._problems = problems
        self._values: dict[SSAValue, Any] = {}
        self._failed: set[SSAValue] = set()

    def run(self) -> None:
        """Writes the function at the insertion point; notes what has no counterpart."""
        name = self._function.sym_name.data
        count = len(self._problems)
        try:
            inputs = [self.type(item) for item in self._function.function_type.inputs.data]
            results = [self.type(item) for item in self._function.function_type.outputs.data]
        except Unsupported as error:
            self._problems.append(Problem("signature", str(error), name))
            return
        visibility = self._function.sym_visibility
        attributes: dict[str, Any] = {
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, results)),
            "sym_visibility": ir.StringAttr.get("public" if visibility is None else visibility.data),
        }
        made = ir.Operation.create("func.func", attributes=attributes, regions=1)
        block = self._function.body.block
        entries = self._function.arg_attrs.data if self._function.arg_attrs is not None else ()
        labels = [NAME.of(entry.data) for entry in entries] or [None] * len(inputs)
        where = [
            ir.Location.name(label or argument.name_hint or f"arg{index}")
            for index, (label, argument) in enumerate(zip(labels, block.args, strict=True))
        ]
        body = made.regions[0].blocks.append(*inputs, arg_locs=where)
        self._values.update(zip(block.args, body.arguments, strict=True))
        with ir.InsertionPoint(body):
            returned = self.block(block)
            if len(self._problems) == count:
                ir.Operation.create("func.return", operands=returned)

    def type(self, value_type: Attribute) -> Any:
        """Returns the type of a tensor or a scalar, which is a tensor without dims."""
        if not isinstance(value_type, TensorType):
            if isinstance(value_type, ShapeType) or str(value_type)[0] not in "fbi" or str(value_type) == "index":
                raise Unsupported(f"values of type {value_type} have no counterpart")
            return tensor((), str(value_type))
        return tensor(static(value_type), str(element_type_of(value_type)))

    def block(self, block: Block) -> list[Any]:
        """Writes the ops of a block and returns what its terminator gives; empty after a problem."""
        for op in block.ops:
            if op.next_op is None:
                operands = op.operands[1:] if isinstance(op, scf.ConditionOp) else op.operands
                return [self._values[operand] for operand in operands if operand in self._values]
            self._op(op)
        return []

    def _op(self, op: Operation) -> None:
        if isinstance(op, ShapeOp):
            return
        if isinstance(op, DataflowOp):
            self._define(op, self.block(op.regions[0].block))
            return
        if any(operand in self._failed for operand in op.operands):
            self._failed.update(op.results)
            self._note_missing(op)
            return
        try:
            with location(op.location):
                self._define(op, self._written(op))
        except Unsupported as error:
            self._problems.append(Problem(op.name, str(error), self._function.sym_name.data))
            self._failed.update(op.results)

    def _note_missing(self, op: Operation) -> None:
        """Notes an op without a counterpart also where its operands failed."""
        if op.name not in RULES and not isinstance(op, func.CallOp | scf.IfOp | scf.WhileOp | tensor_dialect.ExtractOp):
            self._problems.append(Problem(op.name, "the op has no counterpart", self._function.sym_name.data))

    def _define(self, op: Operation, values: Sequence[Any]) -> None:
        if len(values) == len(op.results):
            self._values.update(zip(op.results, values, strict=True))
        else:
            self._failed.update(op.results)

    def _written(self, op: Operation) -> Sequence[Any]:
        if isinstance(op, scf.IfOp):
            return self._if(op)
        if isinstance(op, scf.WhileOp):
            return self._while(op)
        operands: list[Any] = [self._values.get(operand) for operand in op.operands]
        if isinstance(op, func.CallOp):
            types = [self.type(item.type) for item in op.results]
            callee = ir.FlatSymbolRefAttr.get(op.callee.string_value())
            made = ir.Operation.create("func.call", results=types, operands=operands, attributes={"callee": callee})
            return list(made.results)
        if isinstance(op, tensor_dialect.ExtractOp) and len(op.operands) == 1:
            return operands
        rule = RULES.get(op.name)
        if rule is None:
            raise Unsupported("the op has no counterpart")
        for value in (*op.operands, *op.results):
            if isinstance(value.type, TensorType):
                static(value.type)
        made = rule(self.emit, op, operands)
        return made if isinstance(made, list) else [made]

    def _if(self, op: scf.IfOp) -> Sequence[Any]:
        types = [self.type(item.type) for item in op.results]
        made = ir.Operation.create("stablehlo.if", results=types, operands=[self._values[op.cond]], regions=2)
        for region, ours in zip(made.regions, (op.true_region, op.false_region), strict=True):
            with ir.InsertionPoint(region.blocks.append()):
                ir.Operation.create("stablehlo.return", operands=self.block(ours.block) if ours.blocks else [])
        return list(made.results)

    def _while(self, op: scf.WhileOp) -> Sequence[Any]:
        types = [self.type(item.type) for item in op.results]
        operands = [self._values[item] for item in op.arguments]
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        if list(condition.args) != list(before.args):
            raise Unsupported("a loop whose condition passes on other values than it gets has no counterpart")
        made = ir.Operation.create("stablehlo.while", results=types, operands=operands, regions=2)
        where = [ir.Location.unknown()] * len(types)
        for region, ours in zip(made.regions, (before, after), strict=True):
            body = region.blocks.append(*types, arg_locs=where)
            self._values.update(zip(ours.args, body.arguments, strict=True))
            with ir.InsertionPoint(body):
                yielded = self.block(ours)
                if ours is before:
                    yielded = [self._values[condition.condition]] if condition.condition in self._values else []
                ir.Operation.create("stablehlo.return", operands=yielded)
        return list(made.results)


def static(value_type: Attribute) -> list[int]:
    """Returns the sizes of a tensor type, which must be numbers."""
    sizes = dims_of(value_type)
    if sizes is None:
        raise Unsupported("a tensor without a known rank has no counterpart")
    for size in sizes:
        if not isinstance(size, int):
            raise Unsupported(f"sizes must be numbers, got {size} (relax-bind-symbolic-vars fixes symbols)")
    return [size for size in sizes if isinstance(size, int)]


def location(attribute: LocationAttr | Attribute) -> Any:
    """Returns a location of MLIR: the names of modules and node, joined as jax joins them."""
    names: list[str] = []
    while isinstance(attribute, NameLoc):
        names.append(attribute.desc.data)
        attribute = attribute.location
    return ir.Location.name("/".join(reversed(names))) if names else ir.Location.unknown()
