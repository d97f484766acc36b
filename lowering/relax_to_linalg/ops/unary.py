"""Element-wise ops of one tensor as one `linalg.generic` each; f16 and bf16 are computed in f32.

    %y = relax.exp %x : (tensor<4xf16>) -> tensor<4xf16>

becomes

    linalg.generic %y[d0] = arith.truncf(math.exp(arith.extf %x[d0]))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, IntegerType, bf16, f16, f32, i1
from xdsl.ir import Attribute, Operation, SSAValue

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import element
from ....dialects.relax.dtypes import is_unsigned
from ....dialects.relax.ops import unary
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ..builder import LinalgBuilder, signless
from ..rule import Rule, Rules

Scalar: TypeAlias = Callable[[OpBuilder, SSAValue, Any], SSAValue]


def _unary(function: Scalar) -> Rule:
    """Makes a rule of a function of the builder, the widened scalar and the op."""

    def lower(op: Any, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
        target = signless(element_type_of(op.result.type))

        def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
            result = function(s, scalar.widen(s, args[0]), op)
            return result if result.type == target else scalar.cast(s, result, target)

        return [b.elementwise(operands, b.sizes(dims_of(op.result.type)), target, body)]

    return lower


def _math(function: Callable[[SSAValue], Operation]) -> Rule:
    """Makes a rule of a function of the math dialect, which leaves integers as they are."""
    return _unary(lambda s, x, op: s.insert(function(x)) if scalar.is_float(x) else x)


def convert(s: OpBuilder, x: SSAValue, source: Attribute, target: Attribute) -> SSAValue:
    """Returns a scalar converted as `relax.astype` does; the types are those of the relax tensors."""
    wanted = signless(target)
    if x.type == wanted:
        return x
    x = scalar.widen(s, x)
    if wanted == i1:
        return scalar.compare(s, "ne", x, s.constant(0, x.type))
    if isinstance(x.type, AnyFloat) and isinstance(wanted, IntegerType):
        return _saturated(s, x, wanted, is_unsigned(target))
    if wanted in (f16, bf16):
        return scalar.cast(s, scalar.cast(s, x, f32, is_unsigned(source)), wanted)
    return scalar.cast(s, x, wanted, is_unsigned(source), is_unsigned(target))


def _saturated(s: OpBuilder, x: SSAValue, target: IntegerType, unsigned: bool) -> SSAValue:
    width = target.width.data
    low, high = (0, 2**width) if unsigned else (-(2 ** (width - 1)), 2 ** (width - 1))
    below = scalar.compare(s, "lt", x, s.constant(float(low), x.type))
    above = scalar.compare(s, "ge", x, s.constant(float(high), x.type))
    # Ordered comparisons: a NaN is in neither, and must not reach the conversion.
    not_below = scalar.compare(s, "ge", x, s.constant(float(low), x.type))
    not_above = scalar.compare(s, "lt", x, s.constant(float(high), x.type))
    inside = s.insert(arith.AndIOp(not_below, not_above))
    safe = scalar.select(s, inside, x, s.constant(0.0, x.type))
    integer = s.insert((arith.FPToUIOp if unsigned else arith.FPToSIOp)(safe, target))
    integer = scalar.select(s, below, s.constant(low, target), integer)
    return scalar.select(s, above, s.constant(high - 1, target), integer)


def _absolute(s: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    return x if is_unsigned(element(op.x)) else scalar.absolute(s, x)


def _negative(s: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    return s.insert(arith.NegfOp(x)) if scalar.is_float(x) else scalar.sub(s, s.constant(0, x.type), x)


def _sign(s: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    zero, unit, minus_one = (s.constant(value, x.type) for value in (0, 1, -1))
    positive = scalar.compare(s, "gt", x, zero, is_unsigned(element(op.x)))
    if is_unsigned(element(op.x)):
        return scalar.select(s, positive, unit, zero)
    negative = scalar.compare(s, "lt", x, zero)
    return scalar.select(s, positive, unit, scalar.select(s, negative, minus_one, zero))


def _clip(s: OpBuilder, x: SSAValue, op: unary.ClipOp) -> SSAValue:
    low, high = op.bounds()
    x_type, unsigned = x.type, is_unsigned(element(op.x))
    if isinstance(x_type, IntegerType):
        width = x_type.width.data
        least, greatest = (0, 2**width - 1) if unsigned else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
        low, high = (min(max(bound, least), greatest) for bound in (low, high))
    bounds = [_rounded(s, bound, element(op.x), x_type) for bound in (low, high)]
    return scalar.minimum(s, scalar.maximum(s, x, bounds[0], unsigned), bounds[1], unsigned)


def _rounded(s: OpBuilder, value: float, narrow: Attribute, wide: Attribute) -> SSAValue:
    """Returns a value, rounded to the narrow type, as a constant of the wide one."""
    if narrow in (f16, bf16):
        return scalar.widen(s, s.constant(float(value), narrow))
    return s.constant(value, wide)


def _rsqrt(s: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    return scalar.div(s, s.constant(1.0, x.type), s.insert(math.SqrtOp(x)))


def _sigmoid(s: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    unit = s.constant(1.0, x.type)
    return scalar.div(s, unit, scalar.add(s, unit, s.insert(math.ExpOp(s.insert(arith.NegfOp(x))))))


def _is_finite(s: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    if not scalar.is_float(x):
        return s.constant(True, i1)
    return scalar.compare(s, "lt", s.insert(math.AbsFOp(x)), s.constant(float("inf"), x.type))


def _is_inf(s: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    if not scalar.is_float(x):
        return s.constant(False, i1)
    return scalar.compare(s, "eq", s.insert(math.AbsFOp(x)), s.constant(float("inf"), x.type))


def _is_nan(s: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    return scalar.compare(s, "ne", x, x) if scalar.is_float(x) else s.constant(False, i1)


def _astype(op: unary.AsTypeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    source, target = element(op.x), element_type_of(op.result.type)
    sizes = b.sizes(dims_of(op.result.type))
    return [b.elementwise(operands, sizes, signless(target), lambda s, args: convert(s, args[0], source, target))]


def _bitcast(op: unary.BitcastOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    target = signless(element_type_of(op.result.type))
    sizes = b.sizes(dims_of(op.result.type))

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        return args[0] if args[0].type == target else s.insert(arith.BitcastOp(args[0], target))

    return [b.elementwise(operands, sizes, target, body)]


RULES: Rules = {
    unary.AbsOp: _unary(_absolute),
    unary.AcosOp: _math(math.AcosOp),
    unary.AcoshOp: _math(math.AcoshOp),
    unary.AsinOp: _math(math.AsinOp),
    unary.AsinhOp: _math(math.AsinhOp),
    unary.AtanOp: _math(math.AtanOp),
    unary.AtanhOp: _math(math.AtanhOp),
    unary.BitwiseNotOp: _unary(lambda s, x, op: s.insert(arith.XOrIOp(x, s.constant(-1, x.type)))),
    unary.CeilOp: _math(math.CeilOp),
    unary.ClipOp: _unary(_clip),
    unary.CosOp: _math(math.CosOp),
    unary.CoshOp: _math(math.CoshOp),
    unary.ErfOp: _math(math.ErfOp),
    unary.ExpOp: _math(math.ExpOp),
    unary.FloorOp: _math(math.FloorOp),
    unary.IsFiniteOp: _unary(_is_finite),
    unary.IsInfOp: _unary(_is_inf),
    unary.IsNanOp: _unary(_is_nan),
    unary.LogOp: _math(math.LogOp),
    unary.LogicalNotOp: _unary(lambda s, x, op: scalar.logical_not(s, x)),
    unary.NegativeOp: _unary(_negative),
    unary.RoundOp: _math(math.RoundEvenOp),
    unary.RsqrtOp: _unary(_rsqrt),
    unary.SigmoidOp: _unary(_sigmoid),
    unary.SignOp: _unary(_sign),
    unary.SinOp: _math(math.SinOp),
    unary.SinhOp: _math(math.SinhOp),
    unary.SqrtOp: _math(math.SqrtOp),
    unary.SquareOp: _unary(lambda s, x, op: scalar.mul(s, x, x)),
    unary.TanOp: _math(math.TanOp),
    unary.TanhOp: _math(math.TanhOp),
    unary.AsTypeOp: _astype,
    unary.BitcastOp: _bitcast,
}
