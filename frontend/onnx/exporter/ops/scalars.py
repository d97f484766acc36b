"""Scalars, which are tensors without dims: `arith`, and single elements of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1, i64

from ....model.problems import Unsupported
from ..sizes import ValueDim
from ..table import Rule, Rules, Scope
from ..values import element_of

_COMPARED = {"e": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}
_INTEGERS = ("e", "ne", "lt", "le", "gt", "ge")
_FLOATS = ("", "e", "gt", "ge", "lt", "le", "ne")


def _node(op_type: str, **attributes: Any) -> Rule:
    def rule(op: Any, args: Sequence[str], scope: Scope) -> str:
        nodes = scope.nodes
        element = nodes.element(args[0])
        return nodes.cast(nodes.add(op_type, *map(nodes.wide, args), **attributes), element)

    return rule


def _bits(bitwise: str, logical: str) -> Rule:
    return lambda op, args, scope: scope.nodes.add(logical if scope.nodes.element(args[0]) == i1 else bitwise, *args)


def _constant(op: arith.ConstantOp, args: Sequence[str], scope: Scope) -> str:
    if not isinstance(op.value, IntegerAttr | FloatAttr):
        raise Unsupported("a constant that is no scalar")
    return scope.nodes.scalar(op.value.value.data, element_of(op.result.type))


def _compare(op: arith.CmpiOp | arith.CmpfOp, args: Sequence[str], scope: Scope) -> str:
    nodes, predicate = scope.nodes, op.predicate.value.data
    kinds = _INTEGERS if isinstance(op, arith.CmpiOp) else _FLOATS
    if not 0 <= predicate < len(kinds) or not kinds[predicate]:
        raise Unsupported("a comparison of unsigned or unordered numbers")
    lhs, rhs = map(nodes.wide, args)
    kind = kinds[predicate]
    if kind != "ne":
        return nodes.compare(_COMPARED[kind], lhs, rhs)
    result = nodes.add("Not", nodes.compare("Equal", lhs, rhs))
    if isinstance(op, arith.CmpiOp):
        return result
    ordered = nodes.add("Not", nodes.add("Or", nodes.is_nan(lhs), nodes.is_nan(rhs)))
    return nodes.add("And", result, ordered)


def _converted(op: Any, args: Sequence[str], scope: Scope) -> str:
    return scope.nodes.converted(args[0], element_of(op.results[0].type))


def _signed(op: Any, args: Sequence[str], scope: Scope) -> str:
    result = scope.nodes.cast(args[0], element_of(op.results[0].type))
    return scope.nodes.add("Neg", result) if scope.nodes.element(args[0]) == i1 else result


def _truncated(op: arith.TruncIOp, args: Sequence[str], scope: Scope) -> str:
    nodes, element = scope.nodes, element_of(op.result.type)
    value = nodes.cast(args[0], i64)
    return nodes.cast(nodes.add("BitwiseAnd", value, nodes.scalar(1, i64)) if element == i1 else value, element)


def _extract(op: tensor.ExtractOp, args: Sequence[str], scope: Scope) -> str:
    x, *indices = args
    for index in indices:
        x = scope.nodes.gathered(x, index, 0)
    return x


def _dim(op: tensor.DimOp, args: Sequence[str], scope: Scope) -> str:
    owner = op.index.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, IntegerAttr):
        raise Unsupported("a dim whose number is not constant")
    return scope.sizes.scalar(ValueDim(args[0], owner.value.value.data))


def _from_elements(op: tensor.FromElementsOp, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    vector = nodes.joined([nodes.to_vector(arg) for arg in args], 0)
    return scope.reshaped(vector, op.result.type.get_shape())


RULES: Rules = {
    arith.ConstantOp: _constant,
    arith.AddiOp: _node("Add"),
    arith.SubiOp: _node("Sub"),
    arith.MuliOp: _node("Mul"),
    arith.MaxSIOp: _node("Max"),
    arith.MinSIOp: _node("Min"),
    arith.AddfOp: _node("Add"),
    arith.SubfOp: _node("Sub"),
    arith.MulfOp: _node("Mul"),
    arith.DivfOp: _node("Div"),
    arith.NegfOp: _node("Neg"),
    arith.MaximumfOp: _node("Max"),
    arith.MinimumfOp: _node("Min"),
    arith.AndIOp: _bits("BitwiseAnd", "And"),
    arith.OrIOp: _bits("BitwiseOr", "Or"),
    arith.XOrIOp: _bits("BitwiseXor", "Xor"),
    arith.CmpiOp: _compare,
    arith.CmpfOp: _compare,
    arith.SelectOp: lambda op, args, scope: scope.nodes.where(*args),
    arith.IndexCastOp: _signed,
    arith.ExtSIOp: _signed,
    arith.ExtUIOp: lambda op, args, scope: scope.nodes.cast(args[0], element_of(op.result.type)),
    arith.TruncIOp: _truncated,
    arith.ExtFOp: _converted,
    arith.TruncFOp: _converted,
    arith.SIToFPOp: _signed,
    arith.FPToSIOp: _converted,
    tensor.ExtractOp: _extract,
    tensor.DimOp: _dim,
    tensor.FromElementsOp: _from_elements,
}
