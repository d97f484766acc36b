"""Element-wise ops of two tensors; f16 and bf16 are computed in f32 and rounded once, integers wrap around."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType, i1, i64

from .....dialects.relax.dtypes import is_float, is_unsigned, ui8, ui32, ui64
from .....dialects.relax.ops import binary
from ..nodes import Nodes
from ..table import Rule, Rules, Scope


def _wide(function: Callable[[Nodes, str, str], str]) -> Rule:
    """Makes a rule of a function of operands in the type that kernels compute in."""

    def rule(op: Any, args: Sequence[str], scope: Scope) -> str:
        nodes, (lhs, rhs) = scope.nodes, args
        return nodes.cast(function(nodes, nodes.wide(lhs), nodes.wide(rhs)), nodes.element(lhs))

    return rule


def _node(op_type: str) -> Rule:
    return _wide(lambda nodes, lhs, rhs: nodes.add(op_type, lhs, rhs))


def _ordered(op_type: str) -> Rule:
    """Makes a rule of a node that knows an order alone."""

    def rule(op: Any, args: Sequence[str], scope: Scope) -> str:
        nodes, (lhs, rhs) = scope.nodes, args
        return nodes.unordered(nodes.add(op_type, nodes.ordered(lhs), nodes.ordered(rhs)), nodes.element(lhs))

    return rule


def _compare(op_type: str, negated: bool = False) -> Rule:
    def rule(op: Any, args: Sequence[str], scope: Scope) -> str:
        nodes, (lhs, rhs) = scope.nodes, args
        result = nodes.compare(op_type, nodes.ordered(lhs), nodes.ordered(rhs))
        return nodes.add("Not", result) if negated else result

    return rule


def _bits(bitwise: str, logical: str) -> Rule:
    def rule(op: Any, args: Sequence[str], scope: Scope) -> str:
        return scope.nodes.add(logical if scope.nodes.element(args[0]) == i1 else bitwise, *args)

    return rule


def _integer_operands(nodes: Nodes, args: Sequence[str]) -> tuple[str, str]:
    """Returns integers in the type that they are divided in: ui64 stays, whose quotients i64 does not have."""
    lhs, rhs = args
    return (lhs, rhs) if nodes.element(lhs) == ui64 else (nodes.wide(lhs), nodes.wide(rhs))


def _safe(nodes: Nodes, rhs: str) -> tuple[str, str, str | None]:
    """Returns a divisor without 0 and -1, whose places have a 1, and where they are: processors trap on them."""
    zero = nodes.compare("Equal", rhs, nodes.like(0, rhs))
    if is_unsigned(nodes.element(rhs)):
        return nodes.where(zero, nodes.like(1, rhs), rhs), zero, None
    minus = nodes.compare("Equal", rhs, nodes.like(-1, rhs))
    return nodes.where(nodes.add("Or", zero, minus), nodes.like(1, rhs), rhs), zero, minus


def _quotient(nodes: Nodes, lhs: str, rhs: str) -> str:
    """Returns the truncated quotient, 0 for the divisor 0."""
    safe, zero, minus = _safe(nodes, rhs)
    result = nodes.add("Div", lhs, safe)
    if minus is not None:
        result = nodes.where(minus, nodes.add("Neg", lhs), result)
    return nodes.where(zero, nodes.like(0, rhs), result)


def _divide(op: Any, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    element = nodes.element(args[0])
    if is_float(element):
        return _node("Div")(op, args, scope)
    return nodes.cast(_quotient(nodes, *_integer_operands(nodes, args)), element)


def _differs_in_sign(nodes: Nodes, lhs: str, rhs: str) -> str:
    zero = nodes.like(0, lhs)
    return nodes.add("Xor", nodes.compare("Less", lhs, zero), nodes.compare("Less", rhs, zero))


def _floored(nodes: Nodes, lhs: str, rhs: str) -> tuple[str, str]:
    """Returns the floored quotient of floats and its remainder, as Python and numpy have them."""
    zero, unit = nodes.like(0, lhs), nodes.like(1, lhs)
    remainder = nodes.add("Mod", lhs, rhs, fmod=1)
    quotient = nodes.add("Div", nodes.add("Sub", lhs, remainder), rhs)
    is_exact = nodes.compare("Equal", remainder, zero)
    other = nodes.add("And", nodes.add("Not", is_exact), _differs_in_sign(nodes, remainder, rhs))
    remainder = nodes.where(other, nodes.add("Add", remainder, rhs), remainder)
    quotient = nodes.where(other, nodes.add("Sub", quotient, unit), quotient)
    floored = nodes.add("Floor", quotient)
    rest = nodes.compare("Greater", nodes.add("Sub", quotient, floored), nodes.like(0.5, lhs))
    floored = nodes.where(rest, nodes.add("Add", floored, unit), floored)
    floored = nodes.where(nodes.compare("Equal", rhs, zero), nodes.add("Div", lhs, rhs), floored)
    signed_zero = nodes.where(nodes.compare("Less", rhs, zero), nodes.like(-0.0, lhs), zero)
    return floored, nodes.where(nodes.compare("Equal", remainder, zero), signed_zero, remainder)


def _floor_divide(op: Any, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    element = nodes.element(args[0])
    if is_float(element):
        return _wide(lambda nodes, lhs, rhs: _floored(nodes, lhs, rhs)[0])(op, args, scope)
    lhs, rhs = _integer_operands(nodes, args)
    quotient = _quotient(nodes, lhs, rhs)
    if is_unsigned(element):
        return nodes.cast(quotient, element)
    remainder = nodes.add("Sub", lhs, nodes.add("Mul", quotient, rhs))
    inexact = nodes.add("Not", nodes.compare("Equal", remainder, nodes.like(0, lhs)))
    valid = nodes.add("Not", nodes.compare("Equal", rhs, nodes.like(0, rhs)))
    lower = nodes.add("And", nodes.add("And", inexact, _differs_in_sign(nodes, lhs, rhs)), valid)
    return nodes.cast(nodes.add("Sub", quotient, nodes.cast(lower, nodes.element(quotient))), element)


def _remainder(floored: bool) -> Rule:
    def rule(op: Any, args: Sequence[str], scope: Scope) -> str:
        nodes = scope.nodes
        element = nodes.element(args[0])
        if is_float(element):
            if floored:
                return _wide(lambda nodes, lhs, rhs: _floored(nodes, lhs, rhs)[1])(op, args, scope)
            return _wide(lambda nodes, lhs, rhs: nodes.add("Mod", lhs, rhs, fmod=1))(op, args, scope)
        lhs, rhs = _integer_operands(nodes, args)
        # What is divided by 0 or -1 leaves nothing, as what is divided by 1.
        return nodes.cast(nodes.add("Mod", lhs, _safe(nodes, rhs)[0], fmod=int(not floored)), element)

    return rule


def _power(op: Any, args: Sequence[str], scope: Scope) -> str:
    nodes, (lhs, rhs) = scope.nodes, args
    element = nodes.element(lhs)
    if is_float(element):
        return _node("Pow")(op, args, scope)
    # Squared and multiplied, bit by bit of the exponent: the node rounds in f64.
    assert isinstance(element, IntegerType)
    base, exponent = nodes.cast(lhs, i64), nodes.ordered(nodes.cast(rhs, i64))
    is_u64 = element == ui64
    zero, unit = nodes.scalar(0, i64), nodes.scalar(1, i64)
    result, factor, rest = unit, base, exponent
    if is_u64:
        # The bits of an exponent are read from i64; the topmost one is its sign.
        rest = nodes.add("BitwiseAnd", exponent, nodes.scalar(2**63 - 1, i64))
    negative = nodes.compare("Less", exponent, zero)
    for bit in range(element.width.data - (0 if is_unsigned(element) and not is_u64 else 1)):
        is_set = nodes.compare("Greater", nodes.add("BitwiseAnd", rest, nodes.scalar(1 << bit, i64)), zero)
        result = nodes.where(is_set, nodes.add("Mul", result, factor), result)
        factor = nodes.add("Mul", factor, factor)
    if is_u64:
        result = nodes.where(negative, nodes.add("Mul", result, factor), result)
    elif not is_unsigned(element):
        odd = nodes.compare("Equal", nodes.add("BitwiseAnd", exponent, unit), unit)
        minus = nodes.scalar(-1, i64)
        inverse = nodes.where(
            nodes.compare("Equal", base, unit),
            unit,
            nodes.where(nodes.compare("Equal", base, minus), nodes.where(odd, minus, unit), zero),
        )
        result = nodes.where(negative, inverse, result)
    return nodes.cast(result, element)


def _shift(direction: str) -> Rule:
    def rule(op: Any, args: Sequence[str], scope: Scope) -> str:
        nodes, (lhs, rhs) = scope.nodes, args
        element = nodes.element(lhs)
        assert isinstance(element, IntegerType)
        width = element.width.data
        # Kernels shift unsigned integers of 8, 32 and 64 bits. A negative amount is a large one there.
        own = IntegerType(width, ui8.signedness)
        kernel = ui32 if width == 16 else own
        amount = nodes.cast(nodes.cast(rhs, own), kernel)
        inside = nodes.compare("Less", nodes.ordered(amount), nodes.ordered(nodes.scalar(width, kernel)))
        amount = nodes.where(inside, amount, nodes.scalar(width - 1, kernel))
        negative = None
        if direction == "RIGHT" and not is_unsigned(element):
            # The complement of a negative number is filled with zeros, and complemented again.
            negative = nodes.compare("Less", nodes.wide(lhs), nodes.like(0, nodes.wide(lhs)))
            lhs = nodes.where(negative, nodes.add("BitwiseNot", lhs), lhs)
        shifted = nodes.add("BitShift", nodes.cast(nodes.cast(lhs, own), kernel), amount, direction=direction)
        shifted = nodes.where(inside, shifted, nodes.scalar(0, kernel))
        result = nodes.cast(shifted, element)
        return result if negative is None else nodes.where(negative, nodes.add("BitwiseNot", result), result)

    return rule


def _log_add_exp(nodes: Nodes, lhs: str, rhs: str) -> str:
    # Equal infinities have a difference of NaN, and are the sum themselves.
    difference = nodes.add("Neg", nodes.add("Abs", nodes.add("Sub", lhs, rhs)))
    rest = nodes.add("Log", nodes.add("Add", nodes.add("Exp", difference), nodes.like(1, lhs)))
    unequal = nodes.add("Add", nodes.add("Max", lhs, rhs), rest)
    return nodes.where(nodes.compare("Equal", lhs, rhs), nodes.add("Add", lhs, nodes.like(np.log(2.0), lhs)), unequal)


RULES: Rules = {
    binary.AddOp: _node("Add"),
    binary.SubtractOp: _node("Sub"),
    binary.MultiplyOp: _node("Mul"),
    binary.DivideOp: _divide,
    binary.FloorDivideOp: _floor_divide,
    binary.PowerOp: _power,
    binary.ModOp: _remainder(floored=False),
    binary.FloorModOp: _remainder(floored=True),
    binary.MaximumOp: _ordered("Max"),
    binary.MinimumOp: _ordered("Min"),
    binary.LogAddExpOp: _wide(_log_add_exp),
    binary.EqualOp: _compare("Equal"),
    binary.NotEqualOp: _compare("Equal", negated=True),
    binary.LessOp: _compare("Less"),
    binary.LessEqualOp: _compare("LessOrEqual"),
    binary.GreaterOp: _compare("Greater"),
    binary.GreaterEqualOp: _compare("GreaterOrEqual"),
    binary.LogicalAndOp: _bits("BitwiseAnd", "And"),
    binary.LogicalOrOp: _bits("BitwiseOr", "Or"),
    binary.LogicalXorOp: _bits("BitwiseXor", "Xor"),
    binary.BitwiseAndOp: _bits("BitwiseAnd", "And"),
    binary.BitwiseOrOp: _bits("BitwiseOr", "Or"),
    binary.BitwiseXorOp: _bits("BitwiseXor", "Xor"),
    binary.LeftShiftOp: _shift("LEFT"),
    binary.RightShiftOp: _shift("RIGHT"),
    binary.WhereOp: lambda op, args, scope: scope.nodes.where(*args),
}
