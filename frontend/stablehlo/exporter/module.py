"""Modules and functions to StableHLO."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import LocationAttr, ModuleOp, NameLoc, StringAttr, TensorType, TupleType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.function_signature import argument_attributes, argument_names, functions
from ....dialects.relax.ops.core import DataflowOp, KillObjectOp, OutputOp, ShapeOp
from ....dialects.relax.ops.shape import ShapeOfOp
from ....dialects.relax.vocabulary.attributes import NAME, NUM_INPUT
from ....passes.cleanup.remove_unused_functions import RemoveUnusedFunctionsPass
from ....passes.quantization.qnn_legalize import QnnLegalizePass
from ....whole_file import whole_file
from ...model.problems import Problem, ProgramExportError, Unsupported, UnsupportedProgramError
from ...model.stored_weights import Params, exported_function, require_fit, stored_weights
from ..bindings import ir, make_ir_context, passmanager, stablehlo
from ..diagnostics import diagnostics, first
from .emit import Emitter, tensor
from .ops.rules import REFUSED, RULES
from .rule import Fields, known_sizes, scalar_element


def to_stablehlo(module: ModuleOp, *, entry: str | None = None, params: Params | None = None) -> str:
    """Returns a module as a program of StableHLO, verified by jax's bindings.

    With `entry` it is that function with all that it calls, and `params` are constants of it in the place of the arguments of their names.
    All sizes are numbers (`relax-bind-symbolic-vars` fixes symbols). Raises `UnsupportedProgramError` with all that has no counterpart, and
    `ProgramExportError` for a name, a weight or a version that does not fit.
    """
    return _exported(module, entry, params).operation.get_asm(enable_debug_info=True)


def to_stablehlo_bytecode(
    module: ModuleOp, *, entry: str | None = None, params: Params | None = None, version: str | None = None
) -> bytes:
    """Returns a module as a portable artifact of a version of StableHLO, by default that of the bindings; see `to_stablehlo`."""
    least, latest = stablehlo.get_minimum_version(), stablehlo.get_current_version()
    if version is not None and not _ordered(least) <= _ordered(version) <= _ordered(latest):
        raise ProgramExportError(f"the version of an artifact must be from {least} to {latest}, got {version}")
    exported, version = _exported(module, entry, params), version or latest
    with exported.context, diagnostics(exported.context) as messages:
        # An artifact has no ops of CHLO.
        stablehlo.register_stablehlo_passes()
        passmanager.PassManager.parse("builtin.module(func.func(chlo-legalize-to-stablehlo))").run(exported.operation)
        try:
            return stablehlo.serialize_portable_artifact(exported, version)
        except ValueError as error:
            reason = first(messages, error)
            raise ProgramExportError(f"the program has ops that StableHLO {version} does not have: {reason}") from None


def _ordered(version: str) -> tuple[int, ...]:
    """Returns the numbers of a version; raises `ProgramExportError` for what is none."""
    parts = version.split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise ProgramExportError(f"the version of an artifact is written as 1.9.0, got {version}")
    return tuple(map(int, parts))


def save_stablehlo(
    module: ModuleOp, path: str | Path, *, entry: str | None, params: Params | None, version: str | None
) -> None:
    """Writes a program to a file: a portable artifact if its name ends in `.mlirbc`, else text. See `to_stablehlo`."""
    if Path(path).suffix == ".mlirbc":
        data = to_stablehlo_bytecode(module, entry=entry, params=params, version=version)
    elif version is not None:
        raise ProgramExportError("a version is that of an artifact, FILE.mlirbc; text has none")
    else:
        data = to_stablehlo(module, entry=entry, params=params).encode()
    with whole_file(path) as stream:
        stream.write(data)


def _exported(module: ModuleOp, entry: str | None, params: Params | None) -> Any:
    module = module.clone()
    if entry is not None:
        exported = exported_function(module, entry)
        for function in functions(module):
            function.sym_visibility = None if function is exported else StringAttr("private")
        RemoveUnusedFunctionsPass(entries=(entry,)).apply(Context(), module)
    elif params is not None:
        raise ProgramExportError("params are those of one function, name it as entry")
    problems: list[Problem] = []
    try:
        QnnLegalizePass().apply(Context(), module)
    except PassFailedException as error:
        raise UnsupportedProgramError([Problem("relax.qnn", str(error), entry or "module")]) from None
    with make_ir_context(), ir.Location.unknown():
        made = ir.Module.create()
        problems += [
            Problem(op.name, "no function", "module") for op in module.body.block.ops if not isinstance(op, func.FuncOp)
        ]
        for function in functions(module):
            stored = params if function.sym_name.data == entry else None
            with ir.InsertionPoint(made.body):
                FunctionExporter(function, problems, stored).run()
        if problems:
            raise UnsupportedProgramError(problems)
        made.operation.verify()
        return made


class FunctionExporter:
    """Writes a function."""

    def __init__(self, function: func.FuncOp, problems: list[Problem], params: Params | None = None):
        self.emit = Emitter()
        self._params = params
        self._function = function
        self._problems = problems
        self._values: dict[SSAValue, Any] = {}
        self._failed: set[SSAValue] = set()

    def run(self) -> None:
        """Writes the function at the insertion point; notes what has no counterpart."""
        name = self._function.sym_name.data
        count = len(self._problems)
        try:
            inputs = [self.types([item]) for item in self._function.function_type.inputs.data]
            results = self.types(self._function.function_type.outputs.data)
        except Unsupported as error:
            self._problems.append(Problem("signature", str(error), name))
            for op in self._function.body.walk():
                self._note_missing(op)
            return
        block = self._function.body.block
        labels = [
            NAME.of(entry) or text
            for entry, text in zip(argument_attributes(self._function), argument_names(self._function), strict=True)
        ]
        stored = stored_weights([[label] for label in labels], NUM_INPUT.of(self._function), self._params)
        for label, argument in zip(labels, block.args, strict=True):
            if label in stored:
                require_fit(label, np.asarray(stored[label]), argument.type)
        taken = [index for index, label in enumerate(labels) if label not in stored]
        flat = [
            (f"{labels[index]}_{field}" if len(inputs[index]) > 1 else labels[index], entry)
            for index in taken
            for field, entry in enumerate(inputs[index])
        ]
        visibility = self._function.sym_visibility
        attributes: dict[str, Any] = {
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get([entry for _, entry in flat], results)),
            "sym_visibility": ir.StringAttr.get("public" if visibility is None else visibility.data),
        }
        made = ir.Operation.create("func.func", attributes=attributes, regions=1)
        where = [ir.Location.name(label) for label, _ in flat]
        body = made.regions[0].blocks.append(*(entry for _, entry in flat), arg_locs=where)
        self._bind([block.args[index] for index in taken], body.arguments)
        with ir.InsertionPoint(body):
            for label, argument in zip(labels, block.args, strict=True):
                if label in stored:
                    with ir.Location.name(label):
                        element = str(element_type_of(argument.type))
                        self._values[argument] = self.emit.array(np.asarray(stored[label]), element)
            returned = self.block(block)
            if len(self._problems) == count:
                ir.Operation.create("func.return", operands=returned)

    def types(self, value_types: Iterable[Attribute]) -> list[Any]:
        """Returns the types of values; the fields of tuples are values of their own."""
        return [
            entry
            for item in value_types
            for entry in (self.types(item.types.data) if isinstance(item, TupleType) else [self.type(item)])
        ]

    def _bind(self, values: Iterable[SSAValue], made: Iterable[Any]) -> None:
        """Says what values are, of which those of tuples are several."""
        given = iter(made)
        for value in values:
            self._values[value] = _rebuilt(value.type, given)

    def type(self, value_type: Attribute) -> Any:
        """Returns the type of a tensor or a scalar, which is a tensor without dims."""
        if not isinstance(value_type, TensorType):
            return tensor((), scalar_element(value_type))
        return tensor(static(value_type), str(element_type_of(value_type)))

    def block(self, block: Block) -> list[Any]:
        """Writes the ops of a block and returns what its terminator gives; empty after a problem."""
        for op in block.ops:
            if op.next_op is None:
                operands = op.operands[1:] if isinstance(op, scf.ConditionOp) else op.operands
                return _flat(self._values[operand] for operand in operands if operand in self._values)
            self._op(op)
        return []

    def _op(self, op: Operation) -> None:
        if isinstance(op, ShapeOp | ShapeOfOp | KillObjectOp):
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
        """Notes an op without a counterpart where it is not written."""
        if op.name not in RULES and op.name not in STRUCTURE:
            self._problems.append(Problem(op.name, _reason(op), self._function.sym_name.data))

    def _define(self, op: Operation, values: Sequence[Any]) -> None:
        flat = _flat(values)
        if len(flat) == sum(_count(result.type) for result in op.results):
            self._bind(op.results, flat)
        else:
            self._failed.update(op.results)

    def _written(self, op: Operation) -> Sequence[Any]:
        if isinstance(op, scf.IfOp):
            return self._if(op)
        if isinstance(op, scf.WhileOp):
            return self._while(op)
        if isinstance(op, scf.ForOp):
            return self._for(op)
        operands: list[Any] = [self._values.get(operand) for operand in op.operands]
        if isinstance(op, func.CallOp):
            types, operands = self.types(item.type for item in op.results), _flat(operands)
            callee = ir.FlatSymbolRefAttr.get(op.callee.string_value())
            made = ir.Operation.create("func.call", results=types, operands=operands, attributes={"callee": callee})
            return list(made.results)
        rule = RULES.get(op.name)
        if rule is None:
            raise Unsupported(_reason(op))
        for value in (*op.operands, *op.results):
            if isinstance(value.type, TensorType):
                static(value.type)
        made = rule(self.emit, op, operands)
        return made if isinstance(made, list) else [made]

    def _if(self, op: scf.IfOp) -> Sequence[Any]:
        types = self.types(item.type for item in op.results)
        made = ir.Operation.create("stablehlo.if", results=types, operands=[self._values[op.cond]], regions=2)
        for region, ours in zip(made.regions, (op.true_region, op.false_region), strict=True):
            with ir.InsertionPoint(region.blocks.append()):
                ir.Operation.create("stablehlo.return", operands=self.block(ours.block) if ours.blocks else [])
        return list(made.results)

    def _for(self, op: scf.ForOp) -> Sequence[Any]:
        # The counter, the end and the step are carried besides the values.
        counters = [self._values[item] for item in (op.lb, op.ub, op.step)]
        types = [*(item.type for item in counters), *self.types(item.type for item in op.results)]
        operands = [*counters, *_flat(self._values[item] for item in op.iter_args)]
        made = ir.Operation.create("stablehlo.while", results=types, operands=operands, regions=2)
        where = [ir.Location.unknown()] * len(types)
        condition, body = (region.blocks.append(*types, arg_locs=where) for region in made.regions)
        with ir.InsertionPoint(condition):
            goes_on = self.emit.compare("less", condition.arguments[0], condition.arguments[1])
            ir.Operation.create("stablehlo.return", operands=[goes_on])
        counter, end, step, *values = body.arguments
        self._bind(op.body.block.args, [counter, *values])
        with ir.InsertionPoint(body):
            yielded = self.block(op.body.block)
            following = self.emit.binary("add", counter, step)
            ir.Operation.create("stablehlo.return", operands=[following, end, step, *yielded])
        return list(made.results)[len(counters) :]

    def _while(self, op: scf.WhileOp) -> Sequence[Any]:
        # A loop carries what its first region passes on, and whether it goes on: that region runs before the loop, and at the end of each
        # iteration. One that passes on what it gets is the condition itself.
        operands = _flat(self._values[item] for item in op.arguments)
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        is_plain = list(condition.args) == list(before.args)
        carried = operands if is_plain else self._passed(before, operands)
        if not is_plain and not carried:
            return []
        types = [item.type for item in carried]
        made = ir.Operation.create("stablehlo.while", results=types, operands=carried, regions=2)
        where = [ir.Location.unknown()] * len(types)
        tested, body = (region.blocks.append(*types, arg_locs=where) for region in made.regions)
        with ir.InsertionPoint(tested):
            again = self._passed(before, tested.arguments)[:1] if is_plain else [tested.arguments[0]]
            ir.Operation.create("stablehlo.return", operands=again)
        with ir.InsertionPoint(body):
            self._bind(after.args, list(body.arguments)[0 if is_plain else 1 :])
            following = self.block(after)
            ir.Operation.create("stablehlo.return", operands=following if is_plain else self._passed(before, following))
        return list(made.results)[0 if is_plain else 1 :]

    def _passed(self, before: Block, given: Sequence[Any]) -> list[Any]:
        """Writes the first region of a loop; returns whether it goes on, and what it passes on, or nothing after a problem."""
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        if len(given) != sum(_count(argument.type) for argument in before.args):
            return []
        self._bind(before.args, given)
        passed = self.block(before)
        return [self._values[condition.condition], *passed] if condition.condition in self._values else []


STRUCTURE = frozenset(
    kind.name
    for kind in (
        DataflowOp,
        KillObjectOp,
        OutputOp,
        ShapeOfOp,
        ShapeOp,
        func.CallOp,
        func.ReturnOp,
        scf.ConditionOp,
        scf.ForOp,
        scf.IfOp,
        scf.WhileOp,
        scf.YieldOp,
    )
)
"""The ops around those that have rules."""


def _reason(op: Operation) -> str:
    return REFUSED.get(op.name, "the op has no counterpart")


def _count(value_type: Attribute) -> int:
    """Returns how many values one of a type is."""
    return sum(map(_count, value_type.types.data)) if isinstance(value_type, TupleType) else 1


def _flat(values: Iterable[Any]) -> list[Any]:
    return [item for value in values for item in (_flat(value) if isinstance(value, Fields) else [value])]


def _rebuilt(value_type: Attribute, given: Iterator[Any]) -> Any:
    if isinstance(value_type, TupleType):
        return Fields(_rebuilt(field, given) for field in value_type.types.data)
    return next(given)


def static(value_type: Attribute) -> list[int]:
    """Returns the sizes of a tensor type, which must be numbers."""
    sizes = dims_of(value_type)
    if sizes is None:
        raise Unsupported("a tensor without a known rank has no counterpart")
    return known_sizes(sizes)


def location(attribute: LocationAttr | Attribute) -> Any:
    """Returns a location of MLIR: the names of modules and node, joined as jax joins them."""
    names: list[str] = []
    while isinstance(attribute, NameLoc):
        names.append(attribute.desc.data)
        attribute = attribute.location
    return ir.Location.name("/".join(reversed(names))) if names else ir.Location.unknown()
