"""Element-wise ops of one tensor; f16 and bf16 are computed in f32 and rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i1

from .....dialects.relax.attrs import element_type_of
from .....dialects.relax.dtypes import is_float, is_unsigned, numpy_dtype
from .....dialects.relax.ops import unary
from ....model.problems import Unsupported
from ...types import kind_of
from ..nodes import Nodes
from ..table import Rule, Rules, Scope

BITCAST_OPSET = 26


def of_floats(op_type: str) -> Rule:
    """Makes a rule of a node on floats that leaves integers as they are."""

    def rule(op: Any, args: Sequence[str], scope: Scope) -> str:
        nodes, (x,) = scope.nodes, args
        element = nodes.element(x)
        return nodes.cast(nodes.add(op_type, nodes.wide(x)), element) if is_float(element) else x

    return rule


def _ring(op_type: str) -> Rule:
    """Makes a rule of a node whose results wrap around."""
    return lambda op, args, scope: scope.nodes.cast(
        scope.nodes.add(op_type, scope.nodes.wide(args[0])), scope.nodes.element(args[0])
    )


def _abs(op: Any, args: Sequence[str], scope: Scope) -> str:
    return args[0] if is_unsigned(scope.nodes.element(args[0])) else _ring("Abs")(op, args, scope)


def _bitwise_not(op: Any, args: Sequence[str], scope: Scope) -> str:
    return scope.nodes.add("Not" if scope.nodes.element(args[0]) == i1 else "BitwiseNot", args[0])


def _sign(op: Any, args: Sequence[str], scope: Scope) -> str:
    nodes, (x,) = scope.nodes, args
    element, wide = nodes.element(x), nodes.wide(x)
    zero = nodes.like(0, wide)
    if is_unsigned(element):
        return nodes.cast(nodes.add("Not", nodes.compare("Equal", wide, zero)), element)
    positive, negative = (
        nodes.cast(nodes.compare(name, wide, zero), nodes.element(wide)) for name in ("Greater", "Less")
    )
    return nodes.cast(nodes.add("Sub", positive, negative), element)


def _square(op: Any, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    wide = nodes.wide(args[0])
    return nodes.cast(nodes.add("Mul", wide, wide), nodes.element(args[0]))


def _rsqrt(op: Any, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    return nodes.cast(nodes.add("Reciprocal", nodes.add("Sqrt", nodes.wide(args[0]))), nodes.element(args[0]))


def everywhere(nodes: Nodes, x: str, value: bool) -> str:
    """Returns `i1` of one value in the shape of integers."""
    same = nodes.compare("Equal", nodes.wide(x), nodes.wide(x))
    return same if value else nodes.add("Not", same)


def _is_nan(op: Any, args: Sequence[str], scope: Scope) -> str:
    nodes, (x,) = scope.nodes, args
    return nodes.is_nan(nodes.wide(x)) if is_float(nodes.element(x)) else everywhere(nodes, x, False)


def _is_inf(op: Any, args: Sequence[str], scope: Scope) -> str:
    nodes, (x,) = scope.nodes, args
    if not is_float(nodes.element(x)):
        return everywhere(nodes, x, False)
    return nodes.add("IsInf", nodes.wide(x), element=i1)


def _is_finite(op: Any, args: Sequence[str], scope: Scope) -> str:
    nodes, (x,) = scope.nodes, args
    if not is_float(nodes.element(x)):
        return everywhere(nodes, x, True)
    wide = nodes.wide(x)
    return nodes.add("Not", nodes.add("Or", nodes.add("IsInf", wide, element=i1), nodes.is_nan(wide)))


def _clip(op: unary.ClipOp, args: Sequence[str], scope: Scope) -> str:
    nodes, (x,), (low, high) = scope.nodes, args, op.bounds()
    element = nodes.element(x)
    dtype = numpy_dtype(element)
    if not is_float(element):
        limits = np.iinfo(dtype)
        low, high = (int(min(max(bound, limits.min), limits.max)) for bound in (low, high))
    # The bounds are numbers of the element type, as those of Relax.
    least, greatest = (nodes.ordered(nodes.scalar(bound, element)) for bound in (low, high))
    return nodes.unordered(nodes.add("Min", nodes.add("Max", nodes.ordered(x), least), greatest), element)


def _bitcast(op: unary.BitcastOp, args: Sequence[str], scope: Scope) -> str:
    nodes, element = scope.nodes, element_type_of(op.result.type)
    if nodes.opset < BITCAST_OPSET:
        raise Unsupported(f"ONNX has BitCast from operator set {BITCAST_OPSET} on, got {nodes.opset}")
    return nodes.add("BitCast", *args, element=element, to=kind_of(element))


RULES: Rules = {
    unary.AbsOp: _abs,
    unary.AcosOp: of_floats("Acos"),
    unary.AcoshOp: of_floats("Acosh"),
    unary.AsinOp: of_floats("Asin"),
    unary.AsinhOp: of_floats("Asinh"),
    unary.AtanOp: of_floats("Atan"),
    unary.AtanhOp: of_floats("Atanh"),
    unary.BitcastOp: _bitcast,
    unary.BitwiseNotOp: _bitwise_not,
    unary.CeilOp: of_floats("Ceil"),
    unary.ClipOp: _clip,
    unary.CosOp: of_floats("Cos"),
    unary.CoshOp: of_floats("Cosh"),
    unary.ErfOp: of_floats("Erf"),
    unary.ExpOp: of_floats("Exp"),
    unary.FloorOp: of_floats("Floor"),
    unary.IsFiniteOp: _is_finite,
    unary.IsInfOp: _is_inf,
    unary.IsNanOp: _is_nan,
    unary.LogOp: of_floats("Log"),
    unary.LogicalNotOp: lambda op, args, scope: scope.nodes.add("Not", args[0]),
    unary.NegativeOp: _ring("Neg"),
    unary.RoundOp: of_floats("Round"),
    unary.RsqrtOp: _rsqrt,
    unary.SigmoidOp: of_floats("Sigmoid"),
    unary.SignOp: _sign,
    unary.SinOp: of_floats("Sin"),
    unary.SinhOp: of_floats("Sinh"),
    unary.SqrtOp: of_floats("Sqrt"),
    unary.SquareOp: _square,
    unary.TanOp: of_floats("Tan"),
    unary.TanhOp: of_floats("Tanh"),
    unary.AsTypeOp: lambda op, args, scope: scope.nodes.converted(args[0], op.result.type.element_type),
}
