"""Functions that TIR calls by name, on scalars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation, SSAValue

from ....lowering.emit import scalar
from ....lowering.emit.op_builder import OpBuilder

Intrinsic: TypeAlias = Callable[[OpBuilder, Sequence[SSAValue], Attribute], SSAValue]
"""Returns the value of a call for its arguments and result type."""


def _math(function: Callable[[SSAValue], Operation]) -> Intrinsic:
    return lambda b, args, result: scalar.call_math(b, function, args[0])


def _binary(function: Callable[[SSAValue, SSAValue], Operation]) -> Intrinsic:
    def emit(b: OpBuilder, args: Sequence[SSAValue], result: Attribute) -> SSAValue:
        x, y = (scalar.widen(b, arg) for arg in args)
        return scalar.cast(b, b.insert(function(x, y)), result)

    return emit


def _integer(function: Callable[[SSAValue, SSAValue], Operation]) -> Intrinsic:
    return lambda b, args, result: b.insert(function(args[0], args[1]))


def _rsqrt(b: OpBuilder, args: Sequence[SSAValue], result: Attribute) -> SSAValue:
    x = scalar.widen(b, args[0])
    root = b.insert(math.SqrtOp(x))
    return scalar.cast(b, scalar.div(b, b.constant(1.0, x.type), root), result)


def _sigmoid(b: OpBuilder, args: Sequence[SSAValue], result: Attribute) -> SSAValue:
    x = scalar.widen(b, args[0])
    unit = b.constant(1.0, x.type)
    power = b.insert(math.ExpOp(b.insert(arith.NegfOp(x))))
    return scalar.cast(b, scalar.div(b, unit, scalar.add(b, unit, power)), result)


def _bits(function: Callable[[SSAValue], Operation]) -> Intrinsic:
    return lambda b, args, result: scalar.cast(b, b.insert(function(args[0])), result)


def _is_nan(b: OpBuilder, args: Sequence[SSAValue], result: Attribute) -> SSAValue:
    return scalar.compare(b, "ne", args[0], args[0]) if scalar.is_float(args[0]) else b.constant(False, i1)


def _against_infinity(predicate: str, of_integer: bool) -> Intrinsic:
    def emit(b: OpBuilder, args: Sequence[SSAValue], result: Attribute) -> SSAValue:
        if not scalar.is_float(args[0]):
            return b.constant(of_integer, i1)
        x = scalar.widen(b, args[0])
        return scalar.compare(b, predicate, b.insert(math.AbsFOp(x)), b.constant(float("inf"), x.type))

    return emit


INTRINSICS: Mapping[str, Intrinsic] = {
    "abs": lambda b, args, result: scalar.absolute(b, args[0]),
    "acos": _math(math.AcosOp),
    "acosh": _math(math.AcoshOp),
    "asin": _math(math.AsinOp),
    "asinh": _math(math.AsinhOp),
    "atan": _math(math.AtanOp),
    "atan2": _binary(math.Atan2Op),
    "atanh": _math(math.AtanhOp),
    "bitwise_and": _integer(arith.AndIOp),
    "bitwise_not": lambda b, args, result: b.insert(arith.XOrIOp(args[0], b.constant(-1, result))),
    "bitwise_or": _integer(arith.OrIOp),
    "bitwise_xor": _integer(arith.XOrIOp),
    "ceil": _math(math.CeilOp),
    "clz": _bits(math.CountLeadingZerosOp),
    "copysign": _binary(math.CopySignOp),
    "cos": _math(math.CosOp),
    "cosh": _math(math.CoshOp),
    "erf": _math(math.ErfOp),
    "exp": _math(math.ExpOp),
    "exp2": _math(math.Exp2Op),
    "fabs": lambda b, args, result: scalar.absolute(b, args[0]),
    "floor": _math(math.FloorOp),
    "isfinite": _against_infinity("lt", of_integer=True),
    "isinf": _against_infinity("eq", of_integer=False),
    "isnan": _is_nan,
    "likely": lambda b, args, result: args[0],
    "log": _math(math.LogOp),
    "log10": _math(math.Log10Op),
    "log1p": _math(math.Log1pOp),
    "log2": _math(math.Log2Op),
    "nearbyint": _math(math.RoundEvenOp),
    "popcount": _bits(math.CtPopOp),
    "pow": _binary(math.PowFOp),
    "reinterpret": lambda b, args, result: b.insert(arith.BitcastOp(args[0], result)),
    "round": _math(math.RoundEvenOp),
    "rsqrt": _rsqrt,
    "shift_left": _integer(arith.ShLIOp),
    "sigmoid": _sigmoid,
    "sin": _math(math.SinOp),
    "sinh": _math(math.SinhOp),
    "sqrt": _math(math.SqrtOp),
    "tan": _math(math.TanOp),
    "tanh": _math(math.TanhOp),
    "trunc": _math(math.TruncOp),
}
