"""Replaces one call by the body of its callee, with the callee's symbols as the caller names these sizes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.relax.attrs import ShapeType, dims_of
from ...dialects.relax.calls import call_symbols
from ...dialects.relax.function_signature import fresh
from ...dialects.relax.ops.core import DataflowOp, MatchCastOp
from ...dialects.relax.type_dims import defined_symbols, map_dims, used_symbols
from ...dialects.symbolic.expressions import Dim, Symbol, equal, substitute
from ...dialects.walks import ops_inside, walk_values
from .value_types import cast_before, retype


class Caller:
    """The symbols of a function that calls are inlined into."""

    def __init__(self, function: func.FuncOp):
        self.symbols: set[str] = set().union(*(used_symbols(value.type) for value in walk_values(function)))

    def fresh(self, name: str) -> Symbol:
        """Returns a symbol that the function does not have yet."""
        unused = fresh(name, self.symbols)
        self.symbols.add(unused)
        return Symbol(unused)


def inline_call(call: func.CallOp, callee: func.FuncOp, caller: Caller) -> None:
    """Replaces a call by a copy of the callee's body."""
    block = call.parent
    assert block is not None
    names = _bind_symbols(callee, [operand.type for operand in call.arguments], caller)
    mapping: dict[SSAValue, SSAValue] = {}
    pairs = [
        (argument, operand, _renamed(argument.type, names))
        for argument, operand in zip(callee.body.block.args, call.arguments, strict=True)
    ]
    # A cast that names a size comes before the casts that only use the name.
    pairs.sort(key=lambda pair: bool(used_symbols(pair[2]) - defined_symbols(pair[2])))
    for argument, operand, expected in pairs:
        if _promises_more(expected, operand.type):
            operand = cast_before(call, operand, expected)
        mapping[argument] = operand
    in_dataflow = isinstance(block.parent_op(), DataflowOp)
    for op in callee.body.block.ops:
        if isinstance(op, func.ReturnOp):
            break
        if isinstance(op, DataflowOp) and in_dataflow:
            for inner in op.body.block.ops:
                if inner is not op.output:
                    _copy(inner, call, mapping, names)
            for result, value in zip(op.outputs, op.output.values, strict=True):
                mapping[result] = mapping.get(value, value)
        else:
            _copy(op, call, mapping, names)
    last = callee.body.block.last_op
    assert last is not None
    for result, value in zip(call.results, last.operands, strict=True):
        result.replace_all_uses_with(_returned(mapping.get(value, value), result, call))
    Rewriter.erase_op(call)


def _bind_symbols(callee: func.FuncOp, operands: Sequence[Attribute], caller: Caller) -> dict[str, Dim]:
    """Returns what each symbol of the callee is in the caller; a size that the caller does not know gets a new symbol."""
    bound = call_symbols([argument.type for argument in callee.body.block.args], operands)
    names: dict[str, Dim] = {name: dim for name, dim in bound.items() if dim is not None}
    defined = [argument.type for argument in callee.body.block.args]
    defined += [op.result.type for op in ops_inside(callee) if isinstance(op, MatchCastOp)]
    for value_type in defined:
        for name in sorted(defined_symbols(value_type) - names.keys()):
            names[name] = caller.fresh(name)
    return names


def _renamed(value_type: Attribute, names: dict[str, Dim]) -> Attribute:
    if not used_symbols(value_type):
        return value_type
    return map_dims(value_type, lambda dim: substitute(dim, names))


def _promises_more(expected: Attribute, given: Attribute) -> bool:
    """Returns whether a type has a dim that another one does not provably have."""
    if expected == given:
        return False
    if isinstance(expected, TupleType) and isinstance(given, TupleType):
        return False  # A cast takes no tuples; the fields keep what the caller knows of them.
    expected_dims = expected.data if isinstance(expected, ShapeType) else dims_of(expected)
    given_dims = given.data if isinstance(given, ShapeType) else dims_of(given)
    if expected_dims is None or given_dims is None:
        return expected_dims is not None
    return len(expected_dims) != len(given_dims) or any(
        a is not None and equal(a, b) is not True for a, b in zip(expected_dims, given_dims, strict=True)
    )


def _copy(op: Operation, call: func.CallOp, mapping: dict[SSAValue, SSAValue], names: dict[str, Dim]) -> None:
    copy = op.clone(mapping)
    assert call.parent is not None
    call.parent.insert_op_before(copy, call)
    for value in (*copy.results, *walk_values(copy)):
        retype(value, _renamed(value.type, names))


def _returned(value: SSAValue, result: SSAValue, call: func.CallOp) -> SSAValue:
    """Returns a value with the type that the call declared."""
    if value.name_hint is None:
        value.name_hint = result.name_hint
    if value.type == result.type:
        return value
    if isinstance(value.type, TupleType):
        retype(value, result.type)
        return value
    cast = cast_before(call, value, result.type)
    cast.name_hint = result.name_hint
    return cast
