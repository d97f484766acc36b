"""Splits a transform of parameters into parts that can be run one after the other, each reading few weights."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.utils.disjoint_set import DisjointSet

from ...dialects.relax.function_signature import is_result_bundled, transforms
from ...dialects.relax.ops.core import ConstantOp, DataflowOp, MatchCastOp, OutputOp, ShapeOp
from ...dialects.relax.type_dims import defined_symbols, used_symbols
from ...dialects.relax.vocabulary.symbols import TRANSFORM_PART, SymbolNames
from ...dialects.walks import ops_inside
from ...passes.analysis.attribute_table import AttributeTable, attribute_numbers
from ...passes.analysis.structure import Structure
from ...passes.lifting.bundle_model_params import is_bundled, unbundle
from ..interface.record import Part, TransformPlan
from .fingerprint import Fingerprints


def split_transforms(module: ModuleOp) -> dict[str, TransformPlan]:
    """Adds the parts of every transform of a module as public functions; equal parts are one. Returns the plans by name."""
    symbols = SymbolNames(module)
    functions = transforms(module)
    if not functions:
        return {}
    fingerprints = Fingerprints(module)
    return {function.sym_name.data: _split(function, module, symbols, fingerprints) for function in functions}


def _split(original: func.FuncOp, module: ModuleOp, symbols: SymbolNames, fingerprints: Fingerprints) -> TransformPlan:
    name = original.sym_name.data
    function = original
    if is_bundled(function) or is_result_bundled(function):
        function = original.clone()
        unbundle(function)
    fingerprint = fingerprints.of(function)
    values, definers = _results(function), _definers(function)
    unchanged = {index: value.index for index, value in enumerate(values) if isinstance(value, BlockArgument)}
    parts: list[Part] = []
    made: dict[Hashable, str] = {}
    numbers = attribute_numbers()
    for results in _groups(values, definers):
        outputs = [values[index] for index in results]
        ops, read = _slice(outputs, definers)
        arguments = _with_symbols(function, ops, read)
        key = _SliceStructure.key(arguments, ops, outputs, numbers)
        if key not in made:
            made[key] = symbols.fresh(TRANSFORM_PART.format(name))
            module.body.block.add_op(_part(made[key], arguments, ops, outputs))
        parts.append(Part(made[key], tuple(argument.index for argument in arguments), results))
    return TransformPlan(name, fingerprint, tuple(parts), unchanged, len(values))


class _SliceStructure(Structure):
    """Keys of ops that are looked at where they are, some of them in dataflow blocks that a part does not have."""

    @classmethod
    def key(
        cls,
        arguments: Sequence[SSAValue],
        ops: Sequence[Operation],
        outputs: Sequence[SSAValue],
        numbers: AttributeTable[int],
    ) -> Hashable:
        """Returns a key that is equal for parts that compute the same."""
        structure = cls(numbers=numbers)
        return structure.define(arguments), tuple(map(structure.of_op, ops)), structure.of_values(outputs)

    def of_values(self, values: Sequence[SSAValue]) -> tuple[int, ...]:
        return super().of_values([_source(value) for value in values])


def _results(function: func.FuncOp) -> list[SSAValue]:
    """Returns the returned values, seen through dataflow blocks."""
    terminator = function.body.block.last_op
    assert isinstance(terminator, func.ReturnOp)
    return [_source(value) for value in terminator.operands]


def _source(value: SSAValue) -> SSAValue:
    owner = value.owner
    while isinstance(owner, DataflowOp):
        assert isinstance(value, OpResult)
        value = owner.output.operands[value.index]
        owner = value.owner
    return value


def _definers(function: func.FuncOp) -> dict[str, SSAValue]:
    """Returns the results of match_casts that define symbols, by the names of those that no argument defines."""
    known = {name for argument in function.body.block.args for name in defined_symbols(argument.type)}
    definers: dict[str, SSAValue] = {}
    for op in ops_inside(function):
        if isinstance(op, MatchCastOp):
            for name in defined_symbols(op.result.type) - known:
                definers.setdefault(name, op.result)
    return definers


def _slice(values: Sequence[SSAValue], definers: Mapping[str, SSAValue]) -> tuple[list[Operation], set[BlockArgument]]:
    """Returns the ops that values depend on, in an order that can be executed, and the function arguments they read."""
    ops: dict[Operation, None] = {}
    arguments: set[BlockArgument] = set()
    stack: list[tuple[SSAValue, bool]] = [(value, False) for value in reversed(values)]
    while stack:
        value, visited = stack.pop()
        value = _source(value)
        owner = value.owner
        if isinstance(owner, Block):
            assert isinstance(value, BlockArgument)
            arguments.add(value)
        elif visited:
            ops[owner] = None
        elif owner not in ops:
            stack.append((value, True))
            stack.extend((operand, False) for operand in _reads(owner, definers))
    return list(ops), arguments


def _reads(op: Operation, definers: Mapping[str, SSAValue]) -> list[SSAValue]:
    """Returns what an op depends on: values from outside, and those that define symbols in its types."""
    symbols = sorted(
        {name for inner in ops_inside(op) for result in inner.results for name in used_symbols(result.type)}
    )
    defined = [definers[name] for name in symbols if name in definers]
    return [*_read_from_outside(op), *(value for value in defined if value.owner is not op)]


def _read_from_outside(op: Operation) -> list[SSAValue]:
    """Returns the operands of an op and of what is inside of it that are defined outside of it."""
    if not op.regions:
        return list(op.operands)
    return [operand for inner in ops_inside(op) for operand in inner.operands if not _inside(operand, op)]


def _inside(value: SSAValue, op: Operation) -> bool:
    """Returns whether a value is defined inside of a region of an op."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None:
        parent = block.parent_op()
        if parent is op:
            return True
        block = None if parent is None else parent.parent
    return False


def _groups(values: Sequence[SSAValue], definers: Mapping[str, SSAValue]) -> list[tuple[int, ...]]:
    """Returns the results that share computation, in order; shapes and constants may be computed twice."""
    computed = [index for index, value in enumerate(values) if not isinstance(value, BlockArgument)]
    sharing = DisjointSet(computed)
    # What an op depends on is in the group of the op already: each op is followed once.
    visited: dict[Operation, int] = {}
    for index in computed:
        pending = [values[index]]
        while pending:
            owner = _source(pending.pop()).owner
            if isinstance(owner, Block):
                continue
            if owner in visited:
                sharing.union(index, visited[owner])
                continue
            if not isinstance(owner, ShapeOp | ConstantOp):
                visited[owner] = index
            pending.extend(_reads(owner, definers))
    groups: dict[int, list[int]] = {}
    for index in computed:
        groups.setdefault(sharing.find(index), []).append(index)
    return [tuple(members) for members in groups.values()]


def _part(
    name: str, arguments: Sequence[BlockArgument], ops: Sequence[Operation], outputs: Sequence[SSAValue]
) -> func.FuncOp:
    """Returns the function that computes the outputs."""
    types: list[Attribute] = [argument.type for argument in arguments]
    entry = Block(arg_types=types)
    mapping: dict[SSAValue, SSAValue] = dict(zip(arguments, entry.args, strict=True))
    body = Block()
    for op in ops:
        for operand in _read_from_outside(op):
            if operand not in mapping:
                mapping[operand] = mapping[_source(operand)]
        body.add_op(op.clone(mapping))
    results = [mapping[value] for value in outputs]
    for value in (*entry.args, *(result for op in body.ops for result in op.results)):
        value.name_hint = None
    body.add_op(OutputOp(*results))
    result_types = [value.type for value in results]
    dataflow = DataflowOp(Region(body), result_types)
    entry.add_ops([dataflow, func.ReturnOp(*dataflow.outputs)])
    return func.FuncOp(name, FunctionType.from_lists(types, result_types), Region(entry))


def _with_symbols(function: func.FuncOp, ops: Sequence[Operation], read: set[BlockArgument]) -> list[BlockArgument]:
    """Returns the arguments that are read, and those that define the symbols needed, in order."""
    needed: set[str] = set()
    for op in ops:
        for result in op.results:
            needed |= used_symbols(result.type)
    for argument in read:
        needed |= used_symbols(argument.type)
    chosen = set(read)
    for argument in chosen:
        needed -= defined_symbols(argument.type)
    for argument in function.body.block.args if needed else ():
        if argument not in chosen and needed & defined_symbols(argument.type):
            chosen.add(argument)
            needed -= defined_symbols(argument.type)
    return sorted(chosen, key=lambda argument: argument.index)
