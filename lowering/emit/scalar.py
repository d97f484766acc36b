"""Scalar arithmetic inside payloads, for every element type: floats, signed and unsigned integers, `i1`.

linalg has integers without a sign, so the functions whose result depends on the sign take `unsigned`.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, f32, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.relax.vocabulary.attributes import NOT_POSITIVE
from .constructors import binary
from .op_builder import OpBuilder

ROUNDER = 12582912.0
"""1.5 * 2^23: its sum with an f32 below 2^22 is that rounded to an integer, halves to even, and has the integer in its last bits."""


def is_float(value: SSAValue) -> bool:
    """Returns whether a scalar is floating-point."""
    return isinstance(value.type, AnyFloat)


def add(b: OpBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """Returns `x + y`."""
    return b.insert(binary(arith.AddfOp if is_float(x) else arith.AddiOp, x, y))


def sub(b: OpBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """Returns `x - y`."""
    return b.insert(binary(arith.SubfOp if is_float(x) else arith.SubiOp, x, y))


def mul(b: OpBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """Returns `x * y`."""
    return b.insert(binary(arith.MulfOp if is_float(x) else arith.MuliOp, x, y))


def div(b: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool = False) -> SSAValue:
    """Returns `x / y`; integers are truncated toward zero."""
    if is_float(x):
        return b.insert(arith.DivfOp(x, y))
    return b.insert(arith.DivUIOp(x, y) if unsigned else arith.DivSIOp(x, y))


def maximum(b: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool = False) -> SSAValue:
    """Returns the larger one; NaN if either is NaN."""
    if is_float(x):
        return b.insert(arith.MaximumfOp(x, y))
    return b.insert(arith.MaxUIOp(x, y) if unsigned else arith.MaxSIOp(x, y))


def greater(b: OpBuilder, x: SSAValue, present: SSAValue) -> SSAValue:
    """Returns `x` if it is greater than a float so far, else that one: a NaN in `x` is passed over."""
    return select(b, compare(b, "gt", x, present), x, present)


def exp_below(b: OpBuilder, x: SSAValue, most: SSAValue) -> SSAValue:
    """Returns `exp(x - most)`, where `x` is a NaN, or at most `most`."""
    return exp_of_not_positive(b, sub(b, x, most))


def exp_of_not_positive(b: OpBuilder, x: SSAValue) -> SSAValue:
    """Returns `exp(x)` of what is a NaN, or at most 0."""
    op = math.ExpOp(x)
    NOT_POSITIVE.set(op)
    return b.insert(op)


def minimum(b: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool = False) -> SSAValue:
    """Returns the smaller one; NaN if either is NaN."""
    if is_float(x):
        return b.insert(arith.MinimumfOp(x, y))
    return b.insert(arith.MinUIOp(x, y) if unsigned else arith.MinSIOp(x, y))


def compare(b: OpBuilder, predicate: str, x: SSAValue, y: SSAValue, unsigned: bool = False) -> SSAValue:
    """Returns `x predicate y` as i1; the predicate is eq, ne, lt, le, gt or ge. With a NaN all but `ne` are false."""
    if is_float(x):
        return b.insert(arith.CmpfOp(x, y, ("u" if predicate == "ne" else "o") + predicate))
    signed = predicate if predicate in ("eq", "ne") else ("u" if unsigned else "s") + predicate
    return b.insert(arith.CmpiOp(x, y, signed))


def select(b: OpBuilder, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
    """Returns `x` where the condition holds, else `y`."""
    return b.insert(arith.SelectOp(condition, x, y))


def logical_not(b: OpBuilder, condition: SSAValue) -> SSAValue:
    """Returns the negation of an i1."""
    return b.insert(arith.XOrIOp(condition, b.constant(True, i1)))


def call_math(b: OpBuilder, function: Callable[[SSAValue], Operation], x: SSAValue) -> SSAValue:
    """Applies a function of the math dialect; f16 and bf16 are computed in f32 and rounded once."""
    wide = widen(b, x)
    return cast(b, b.insert(function(wide)), x.type)


def widen(b: OpBuilder, x: SSAValue) -> SSAValue:
    """Returns an f16 or bf16 as f32, anything else as it is."""
    if isinstance(x.type, AnyFloat) and x.type.bitwidth < 32:
        return b.insert(arith.ExtFOp(x, f32))
    return x


def cast(
    b: OpBuilder, x: SSAValue, target: Attribute, unsigned: bool = False, target_unsigned: bool = False
) -> SSAValue:
    """Returns a scalar converted to another (signless) type, as numpy's astype does.

    `unsigned` tells how to read an integer operand, `target_unsigned` how the integer result will be read. To i1: whether it is not
    zero. Float to integer truncates toward zero.
    """
    # By kind of the source, then of the target: an index goes through i64, a narrow float through f32, i1 is unsigned.
    source = x.type
    if source == target and unsigned == target_unsigned:
        return x
    if target == i1:
        return compare(b, "ne", x, b.constant(0, source))
    if isinstance(source, IndexType):
        x = b.insert(arith.IndexCastOp(x, i64))
        return cast(b, x, target, unsigned, target_unsigned)
    if isinstance(source, AnyFloat):
        if isinstance(target, AnyFloat):
            return _cast_float(b, x, target)
        assert isinstance(target, IntegerType)
        return b.insert((arith.FPToUIOp if target_unsigned else arith.FPToSIOp)(widen(b, x), target))
    assert isinstance(source, IntegerType)
    unsigned = unsigned or source == i1
    if isinstance(target, AnyFloat):
        return b.insert((arith.UIToFPOp if unsigned else arith.SIToFPOp)(x, target))
    if isinstance(target, IndexType):
        return b.insert(arith.IndexCastOp(cast(b, x, i64, unsigned), target))
    assert isinstance(target, IntegerType)
    if source.width.data == target.width.data:
        return x
    if source.width.data > target.width.data:
        return b.insert(arith.TruncIOp(x, target))
    return b.insert((arith.ExtUIOp if unsigned else arith.ExtSIOp)(x, target))


def _cast_float(b: OpBuilder, x: SSAValue, target: AnyFloat) -> SSAValue:
    assert isinstance(x.type, AnyFloat)
    source = x.type
    if source == target:
        return x
    if source.bitwidth == target.bitwidth:
        return b.insert(arith.TruncFOp(b.insert(arith.ExtFOp(x, f32)), target))
    return b.insert(arith.ExtFOp(x, target) if source.bitwidth < target.bitwidth else arith.TruncFOp(x, target))


def absolute(b: OpBuilder, x: SSAValue) -> SSAValue:
    """Returns the absolute value of a float or a signed integer."""
    if is_float(x):
        return b.insert(math.AbsFOp(x))
    return maximum(b, x, sub(b, b.constant(0, x.type), x))
