"""Element-wise ops of two tensors, and `where`, as one `linalg.generic` each.

    %y = relax.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>

becomes

    %e = tensor.empty() : tensor<2x3xf32>
    %y = linalg.generic %y[d0, d1] = arith.addf(%a[d0, d1], %b[d1])
"""

from __future__ import annotations

import math as numbers
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import element
from ....dialects.relax.dtypes import is_unsigned
from ....dialects.relax.ops import binary
from ....dialects.relax.vocabulary.attributes import WEIGHTLESS
from ....dialects.upstream.arith_ops import RemFOp
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ..builder import LinalgBuilder, signless
from ..rule import Rule, Rules

Scalar: TypeAlias = Callable[[OpBuilder, SSAValue, SSAValue, bool], SSAValue]


def _binary(function: Scalar, *, wide: bool = False) -> Rule:
    """Makes a rule of a function of two scalars; with `wide` f16 and bf16 are computed in f32."""

    def lower(op: binary.BinaryOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
        unsigned = is_unsigned(element(op.lhs))
        target = signless(element_type_of(op.result.type))

        def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
            if not wide:
                return function(s, args[0], args[1], unsigned)
            result = function(s, scalar.widen(s, args[0]), scalar.widen(s, args[1]), unsigned)
            return scalar.cast(s, result, target)

        return [b.elementwise(operands, b.sizes(dims_of(op.result.type)), target, body)]

    return lower


def _compare(predicate: str) -> Rule:
    def function(s: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool) -> SSAValue:
        return scalar.compare(s, predicate, x, y, unsigned)

    return _binary(function)


def _bits(operation: Callable[[SSAValue, SSAValue], Any]) -> Rule:
    return _binary(lambda s, x, y, unsigned: s.insert(operation(x, y)))


def _safe_divisor(s: OpBuilder, y: SSAValue, unsigned: bool) -> tuple[SSAValue, SSAValue, SSAValue | None]:
    """Returns a divisor that never traps, whether the divisor is 0, and, if signed, whether it is -1."""
    unit = s.constant(1, y.type)
    is_zero = scalar.compare(s, "eq", y, s.constant(0, y.type))
    if unsigned:
        return scalar.select(s, is_zero, unit, y), is_zero, None
    is_minus_one = scalar.compare(s, "eq", y, s.constant(-1, y.type))
    special = s.insert(arith.OrIOp(is_zero, is_minus_one))
    return scalar.select(s, special, unit, y), is_zero, is_minus_one


def _quotient(s: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool) -> SSAValue:
    divisor, is_zero, is_minus_one = _safe_divisor(s, y, unsigned)
    quotient = scalar.div(s, x, divisor, unsigned)
    zero = s.constant(0, x.type)
    if is_minus_one is not None:
        quotient = scalar.select(s, is_minus_one, scalar.sub(s, zero, x), quotient)
    return scalar.select(s, is_zero, zero, quotient)


def _remainder(s: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool) -> SSAValue:
    # The remainder by the divisor 1, which stands for 0 and -1, is 0 as wanted.
    divisor = _safe_divisor(s, y, unsigned)[0]
    return s.insert((arith.RemUIOp if unsigned else arith.RemSIOp)(x, divisor))


def divide(s: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool) -> SSAValue:
    """Returns `x / y`; integers are truncated toward zero, and by 0 give 0."""
    return scalar.div(s, x, y) if scalar.is_float(x) else _quotient(s, x, y, unsigned)


def _differ_in_sign(s: OpBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """Returns whether exactly one of two numbers is negative."""
    zero = s.constant(0, x.type)
    return s.insert(arith.XOrIOp(scalar.compare(s, "lt", x, zero), scalar.compare(s, "lt", y, zero)))


def floor_divide(s: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool) -> SSAValue:
    """Returns `x / y` rounded down; integers by 0 give 0.

    The quotient of floats is that of `x` less its remainder, as Python, numpy and torch have it: that of `x / y` may be rounded up to
    an integer above it.
    """
    if scalar.is_float(x):
        return _floor_divide_floats(s, x, y)
    quotient = _quotient(s, x, y, unsigned)
    if unsigned:
        return quotient
    inexact = scalar.compare(s, "ne", _remainder(s, x, y, unsigned), s.constant(0, x.type))
    down = s.insert(arith.AndIOp(inexact, _differ_in_sign(s, x, y)))
    return scalar.select(s, down, scalar.sub(s, quotient, s.constant(1, x.type)), quotient)


def _floor_divide_floats(s: OpBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    zero, unit = s.constant(0.0, x.type), s.constant(1.0, x.type)
    rest, ratio = s.insert(RemFOp(x, y)), scalar.div(s, x, y)
    quotient = scalar.div(s, scalar.sub(s, x, rest), y)
    quotient = scalar.select(s, _is_of_other_sign(s, rest, y), scalar.sub(s, quotient, unit), quotient)
    floor = s.insert(math.FloorOp(quotient))
    is_more = scalar.compare(s, "gt", scalar.sub(s, quotient, floor), s.constant(0.5, x.type))
    floor = scalar.select(s, is_more, scalar.add(s, floor, unit), floor)
    signed_zero = s.insert(math.CopySignOp(zero, ratio))
    floor = scalar.select(s, scalar.compare(s, "eq", quotient, zero), signed_zero, floor)
    return scalar.select(s, scalar.compare(s, "eq", y, zero), ratio, floor)


def _is_of_other_sign(s: OpBuilder, rest: SSAValue, y: SSAValue) -> SSAValue:
    """Returns whether a remainder is not 0, and of the other sign than its divisor."""
    nonzero = scalar.compare(s, "ne", rest, s.constant(0, rest.type))
    return s.insert(arith.AndIOp(nonzero, _differ_in_sign(s, rest, y)))


def mod(s: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool) -> SSAValue:
    """Returns the remainder with the sign of x, exactly; integers by 0 give 0."""
    return s.insert(RemFOp(x, y)) if scalar.is_float(x) else _remainder(s, x, y, unsigned)


def floor_mod(s: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool) -> SSAValue:
    """Returns the remainder with the sign of y; integers by 0 give 0."""
    rest = mod(s, x, y, unsigned)
    if scalar.is_float(x):
        zero = s.constant(0.0, x.type)
        signed_zero = s.insert(math.CopySignOp(zero, y))
        rest = scalar.select(s, scalar.compare(s, "eq", rest, zero), signed_zero, rest)
    elif unsigned:
        return rest
    return scalar.select(s, _is_of_other_sign(s, rest, y), scalar.add(s, rest, y), rest)


def _power(s: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool) -> SSAValue:
    """Returns a float's power, or an integer's by squaring, over all the bits of the exponent."""
    if scalar.is_float(x):
        return s.insert(math.PowFOp(x, y))
    assert isinstance(x.type, IntegerType)
    zero, unit = s.constant(0, x.type), s.constant(1, x.type)
    result, square, width = unit, x, x.type.width.data
    for bit in range(width if unsigned else width - 1):
        is_set = scalar.compare(s, "ne", s.insert(arith.AndIOp(y, s.constant(1 << bit, x.type))), zero)
        result = scalar.mul(s, result, scalar.select(s, is_set, square, unit))
        square = scalar.mul(s, square, square)
    if unsigned:
        return result
    is_odd = scalar.compare(s, "ne", s.insert(arith.AndIOp(y, unit)), zero)
    is_minus_one = scalar.compare(s, "eq", x, s.constant(-1, x.type))
    alternating = scalar.select(s, is_odd, x, unit)
    of_minus_one = scalar.select(s, is_minus_one, alternating, zero)
    inverse = scalar.select(s, scalar.compare(s, "eq", x, unit), unit, of_minus_one)
    return scalar.select(s, scalar.compare(s, "lt", y, zero), inverse, result)


def _log_add_exp(s: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool) -> SSAValue:
    # The difference of equal infinities would be NaN.
    same = scalar.add(s, x, s.constant(numbers.log(2), x.type))
    distance = s.insert(math.AbsFOp(scalar.sub(s, x, y)))
    rest = s.insert(math.Log1pOp(scalar.exp_of_not_positive(s, s.insert(arith.NegfOp(distance)))))
    other = scalar.add(s, scalar.maximum(s, x, y), rest)
    return scalar.select(s, scalar.compare(s, "eq", x, y), same, other)


def shift(s: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool, left: bool) -> SSAValue:
    """Returns `x` shifted by `y` bits; by the width or more nothing is left but the sign."""
    assert isinstance(x.type, IntegerType)
    width = x.type.width.data
    # As an unsigned number a negative count is large.
    inside = scalar.compare(s, "lt", y, s.constant(width, y.type), unsigned=True)
    if not left and not unsigned:
        return s.insert(arith.ShRSIOp(x, scalar.select(s, inside, y, s.constant(width - 1, y.type))))
    zero = s.constant(0, x.type)
    count = scalar.select(s, inside, y, zero)
    shifted = s.insert((arith.ShLIOp if left else arith.ShRUIOp)(x, count))
    return scalar.select(s, inside, shifted, zero)


def _where(op: binary.WhereOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    target = signless(element_type_of(op.result.type))
    sizes = b.sizes(dims_of(op.result.type))

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        picked = scalar.select(s, args[0], args[1], args[2])
        if WEIGHTLESS.is_on(op):
            assert isinstance(picked.owner, arith.SelectOp)
            WEIGHTLESS.set(picked.owner)
        return picked

    return [b.elementwise(operands, sizes, target, body)]


RULES: Rules = {
    binary.AddOp: _binary(lambda s, x, y, unsigned: scalar.add(s, x, y)),
    binary.SubtractOp: _binary(lambda s, x, y, unsigned: scalar.sub(s, x, y)),
    binary.MultiplyOp: _binary(lambda s, x, y, unsigned: scalar.mul(s, x, y)),
    binary.DivideOp: _binary(divide),
    binary.FloorDivideOp: _binary(floor_divide, wide=True),
    binary.PowerOp: _binary(_power, wide=True),
    binary.ModOp: _binary(mod, wide=True),
    binary.FloorModOp: _binary(floor_mod, wide=True),
    binary.MaximumOp: _binary(scalar.maximum, wide=True),
    binary.MinimumOp: _binary(scalar.minimum, wide=True),
    binary.LogAddExpOp: _binary(_log_add_exp, wide=True),
    binary.EqualOp: _compare("eq"),
    binary.NotEqualOp: _compare("ne"),
    binary.LessOp: _compare("lt"),
    binary.LessEqualOp: _compare("le"),
    binary.GreaterOp: _compare("gt"),
    binary.GreaterEqualOp: _compare("ge"),
    binary.LogicalAndOp: _bits(arith.AndIOp),
    binary.LogicalOrOp: _bits(arith.OrIOp),
    binary.LogicalXorOp: _bits(arith.XOrIOp),
    binary.BitwiseAndOp: _bits(arith.AndIOp),
    binary.BitwiseOrOp: _bits(arith.OrIOp),
    binary.BitwiseXorOp: _bits(arith.XOrIOp),
    binary.LeftShiftOp: _binary(lambda s, x, y, unsigned: shift(s, x, y, unsigned, left=True)),
    binary.RightShiftOp: _binary(lambda s, x, y, unsigned: shift(s, x, y, unsigned, left=False)),
    binary.WhereOp: _where,
}
