"""`arith` and `math` in the `llvm` dialect; scalars and vectors go the same way."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Operation
from xdsl.ir import SSAValue as Value
from xdsl.irdl import IRDLOperation

from ...dialects.upstream.llvm_ops import FCmpOp, FPToSIOp, FPToUIOp, SelectOp, UIToFPOp
from ..emit.constructors import vector_type
from .builder import NO_FAST_MATH, FunctionBuilder, Linear, dense
from .function import FunctionLowering, Handler
from .types import LoweringError, convert_type

EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE = range(10)

_BINARY: dict[str, type[IRDLOperation]] = {
    "arith.addi": llvm.AddOp,
    "arith.subi": llvm.SubOp,
    "arith.muli": llvm.MulOp,
    "arith.divsi": llvm.SDivOp,
    "arith.divui": llvm.UDivOp,
    "arith.remsi": llvm.SRemOp,
    "arith.remui": llvm.URemOp,
    "arith.andi": llvm.AndOp,
    "arith.ori": llvm.OrOp,
    "arith.xori": llvm.XOrOp,
    "arith.shli": llvm.ShlOp,
    "arith.shrsi": llvm.AShrOp,
    "arith.shrui": llvm.LShrOp,
}
_FLOAT_BINARY: dict[str, type[IRDLOperation]] = {
    "arith.addf": llvm.FAddOp,
    "arith.subf": llvm.FSubOp,
    "arith.mulf": llvm.FMulOp,
    "arith.divf": llvm.FDivOp,
    "arith.remf": llvm.FRemOp,
    "arith.negf": llvm.FNegOp,
}
_CAST: dict[str, type[IRDLOperation]] = {
    "arith.sitofp": llvm.SIToFPOp,
    "arith.uitofp": UIToFPOp,
    "arith.fptosi": FPToSIOp,
    "arith.fptoui": FPToUIOp,
    "arith.extf": llvm.FPExtOp,
    "arith.truncf": llvm.FPTruncOp,
    "arith.extsi": llvm.SExtOp,
    "arith.extui": llvm.ZExtOp,
    "arith.trunci": llvm.TruncOp,
}
_INTRINSIC: dict[str, str] = {
    "arith.maximumf": "maximum",
    "arith.minimumf": "minimum",
    "arith.maxnumf": "maxnum",
    "arith.minnumf": "minnum",
    "arith.maxsi": "smax",
    "arith.minsi": "smin",
    "arith.maxui": "umax",
    "arith.minui": "umin",
    "math.absf": "fabs",
    "math.ceil": "ceil",
    "math.floor": "floor",
    "math.trunc": "trunc",
    "math.round": "round",
    "math.roundeven": "roundeven",
    "math.copysign": "copysign",
    "math.sqrt": "sqrt",
    "math.fma": "fma",
    "math.ctpop": "ctpop",
    # Calls of the C library, one lane at a time: expand-math replaces them where speed matters.
    "math.exp": "exp",
    "math.exp2": "exp2",
    "math.log": "log",
    "math.log2": "log2",
    "math.log10": "log10",
    "math.sin": "sin",
    "math.cos": "cos",
    "math.tan": "tan",
    "math.sinh": "sinh",
    "math.cosh": "cosh",
    "math.tanh": "tanh",
    "math.asin": "asin",
    "math.acos": "acos",
    "math.atan": "atan",
    "math.atan2": "atan2",
    "math.powf": "pow",
}
# The last operand of these intrinsics is a bit: whether zero (or the minimum) gives poison.
_FLAGGED: dict[str, str] = {"math.absi": "abs", "math.ctlz": "ctlz", "math.cttz": "cttz"}

_FAST: dict[Attribute, llvm.FastMathAttr] = {}


def fast_math(op: Operation) -> llvm.FastMathAttr:
    """Returns the llvm flags that an operation's arith flags stand for."""
    flags = op.properties.get("fastmath") or op.attributes.get("fastmath")
    if flags is None:
        return NO_FAST_MATH
    converted = _FAST.get(flags)
    if converted is None:
        converted = _FAST[flags] = llvm.FastMathAttr(tuple(cast(arith.FastMathFlagsAttr, flags).data))
    return converted


def _overflow(op: Operation) -> dict[str, Attribute] | None:
    flags = op.properties.get("overflowFlags")
    if not isinstance(flags, arith.IntegerOverflowAttr) or not flags.data:
        return None
    bits = sum({"nsw": 1, "nuw": 2}[str(flag.value)] for flag in flags.data)
    return {"overflowFlags": IntegerAttr(bits, 32)}


def _binary(low: FunctionLowering, op: Operation) -> None:
    lhs, rhs = (low.value(o) for o in op.operands)
    low.set(op.results[0], low.builder.emit(_BINARY[op.name], (lhs, rhs), lhs.type, _overflow(op)))


def _index_or_binary(low: FunctionLowering, op: Operation) -> None:
    result = op.results[0]
    if not isinstance(result.type, IndexType):
        _binary(low, op)
        return
    lhs, rhs = (low.index(o) for o in op.operands)
    if op.name == "arith.muli":
        low.indices[result] = low.builder.linear_mul(lhs, rhs)
    else:
        low.indices[result] = low.builder.linear_add(lhs, rhs, 1 if op.name == "arith.addi" else -1)


def _float(low: FunctionLowering, op: Operation) -> None:
    operands = [low.value(o) for o in op.operands]
    low.values[op.results[0]] = low.builder.emit(
        _FLOAT_BINARY[op.name], operands, operands[0].type, {"fastmathFlags": fast_math(op)}
    )


def _cast(low: FunctionLowering, op: Operation) -> None:
    source = low.value(op.operands[0])
    low.values[op.results[0]] = low.builder.emit(_CAST[op.name], (source,), convert_type(op.results[0].type))


def _intrinsic(low: FunctionLowering, op: Operation) -> None:
    operands = [low.value(o) for o in op.operands]
    name = _INTRINSIC[op.name]
    if isinstance(op.results[0].type, IndexType) and len(operands) == 2:
        folded = _fold_minmax(low, op)
        if folded is not None:
            low.indices[op.results[0]] = folded
            return
    low.set(op.results[0], low.builder.unary_intrinsic(name, operands, fast_math(op)))


def _fold_minmax(low: FunctionLowering, op: Operation) -> Linear | None:
    lhs, rhs = (low.index(o) for o in op.operands)
    if lhs == rhs:
        return lhs
    if lhs.terms or rhs.terms or op.name not in ("arith.minsi", "arith.maxsi"):
        return None
    pick = min if op.name == "arith.minsi" else max
    return Linear(pick(lhs.constant, rhs.constant))


def _flagged(low: FunctionLowering, op: Operation) -> None:
    operand = low.value(op.operands[0])
    low.set(op.results[0], low.builder.unary_intrinsic(_FLAGGED[op.name], (operand, low.builder.bit(False))))


def _constant(low: FunctionLowering, op: Operation) -> None:
    attr = op.properties["value"]
    result = op.results[0]
    if isinstance(attr, IntegerAttr):
        if isinstance(result.type, IndexType):
            low.indices[result] = Linear(attr.value.data)
            return
        low.splats[result] = attr.value.data
        low.values[result] = low.builder.int_constant(attr.value.data, result.type)
    elif isinstance(attr, FloatAttr):
        low.splats[result] = attr.value.data
        low.values[result] = low.builder.constant(attr, result.type)
    elif isinstance(attr, DenseIntOrFPElementsAttr):
        type_ = convert_type(result.type)
        if type_ != result.type:
            attr = dense(type_, list(attr.get_values()))
        low.values[result] = low.builder.constant(attr, type_)
    else:
        raise LoweringError(f"convert-to-llvm: constant {attr} cannot be a register")


def _cmpi(low: FunctionLowering, op: Operation) -> None:
    lhs, rhs = (low.value(o) for o in op.operands)
    predicate = cast(IntegerAttr, op.properties["predicate"]).value.data
    low.values[op.results[0]] = low.builder.compare(predicate, lhs, rhs)


def _cmpf(low: FunctionLowering, op: Operation) -> None:
    operands = [low.value(o) for o in op.operands]
    low.values[op.results[0]] = low.builder.emit(
        FCmpOp,
        operands,
        op.results[0].type,
        {"predicate": op.properties["predicate"], "fastmathFlags": fast_math(op)},
    )


def select(builder: FunctionBuilder, cond: Value, lhs: Value, rhs: Value) -> Value:
    """Chooses by a bit, or lane by lane."""
    return builder.emit(SelectOp, (cond, lhs, rhs), lhs.type, {"fastmathFlags": NO_FAST_MATH})


def _select(low: FunctionLowering, op: Operation) -> None:
    cond, lhs, rhs = (low.value(o) for o in op.operands)
    low.set(op.results[0], select(low.builder, cond, lhs, rhs))


def _known_quotient(low: FunctionLowering, dividend: Value, divisor: int, up: bool) -> Linear | None:
    """Returns the quotient by a constant where it is known, or where a shift computes it; None elsewhere."""
    known = low.constant_int(dividend)
    if known is not None and divisor != 0:
        return Linear(-(-known // divisor) if up else known // divisor)
    if divisor <= 0 or divisor & (divisor - 1):
        return None
    linear = low.index(dividend)
    if up:
        linear = Linear(linear.constant + divisor - 1, linear.terms)
    if not linear.constant % divisor and all(f % divisor == 0 for _, f in linear.terms):
        return Linear(linear.constant // divisor, tuple((v, f // divisor) for v, f in linear.terms))
    shift = low.builder.int_constant(divisor.bit_length() - 1)
    return low.builder.opaque(low.builder.pure(llvm.AShrOp, low.builder.materialize(linear), shift))


def _rounding_division(low: FunctionLowering, op: Operation) -> None:
    """Corrects the quotient that was rounded toward zero by one where there is a remainder."""
    builder = low.builder
    up = op.name == "arith.ceildivsi"
    divisor = low.constant_int(op.operands[1])
    known = None
    if isinstance(op.results[0].type, IndexType) and divisor is not None:
        known = _known_quotient(low, op.operands[0], divisor, up)
    if known is not None:
        low.indices[op.results[0]] = known
        return
    lhs, rhs = (low.value(o) for o in op.operands)
    quotient = builder.emit(llvm.SDivOp, (lhs, rhs), lhs.type)
    remainder = builder.emit(llvm.SRemOp, (lhs, rhs), lhs.type)
    zero = builder.int_constant(0, lhs.type)
    inexact = builder.compare(NE, remainder, zero)
    signs = builder.emit(llvm.XOrOp, (remainder, rhs), lhs.type)
    wrong = builder.compare(SGE if up else SLT, signs, zero)
    correct = builder.emit(llvm.AndOp, (inexact, wrong), inexact.type)
    step = builder.emit(llvm.ZExtOp, (correct,), lhs.type)
    low.set(op.results[0], builder.emit(llvm.AddOp if up else llvm.SubOp, (quotient, step), lhs.type))


def _ceildivui(low: FunctionLowering, op: Operation) -> None:
    builder = low.builder
    lhs, rhs = (low.value(o) for o in op.operands)
    quotient = builder.emit(llvm.UDivOp, (lhs, rhs), lhs.type)
    remainder = builder.emit(llvm.URemOp, (lhs, rhs), lhs.type)
    inexact = builder.compare(NE, remainder, builder.int_constant(0, lhs.type))
    step = builder.emit(llvm.ZExtOp, (inexact,), lhs.type)
    low.set(op.results[0], builder.emit(llvm.AddOp, (quotient, step), lhs.type))


def _bitcast(low: FunctionLowering, op: Operation) -> None:
    source = low.value(op.operands[0])
    type_ = convert_type(op.results[0].type)
    low.set(op.results[0], source if source.type == type_ else low.builder.emit(llvm.BitcastOp, (source,), type_))


def _width(type_: Attribute) -> int:
    element = type_.element_type if isinstance(type_, VectorType) else type_
    return cast(IntegerType, element).width.data


def _index_cast(low: FunctionLowering, op: Operation) -> None:
    unsigned = op.name == "arith.index_castui"
    known = low.constant_int(op.operands[0])
    result = op.results[0]
    if isinstance(result.type, IndexType) and known is not None and not unsigned:
        low.indices[result] = Linear(known)
        return
    source = low.value(op.operands[0])
    type_ = convert_type(result.type)
    have, want = _width(source.type), _width(type_)
    if have != want:
        cast_op = llvm.TruncOp if have > want else llvm.ZExtOp if unsigned else llvm.SExtOp
        source = low.builder.emit(cast_op, (source,), type_)
    low.set(result, source)


def _addui_extended(low: FunctionLowering, op: Operation) -> None:
    lhs, rhs = (low.value(o) for o in op.operands)
    total = low.builder.emit(llvm.AddOp, (lhs, rhs), lhs.type)
    low.set(op.results[0], total)
    low.values[op.results[1]] = low.builder.compare(ULT, total, lhs)


def _mul_extended(low: FunctionLowering, op: Operation) -> None:
    builder = low.builder
    lhs, rhs = (low.value(o) for o in op.operands)
    type_ = lhs.type
    wide_scalar = IntegerType(2 * _width(type_))
    wide = vector_type(wide_scalar, *type_.get_shape()) if isinstance(type_, VectorType) else wide_scalar
    extend = llvm.SExtOp if op.name == "arith.mulsi_extended" else llvm.ZExtOp
    product = builder.emit(llvm.MulOp, (builder.emit(extend, (lhs,), wide), builder.emit(extend, (rhs,), wide)), wide)
    high = builder.emit(llvm.LShrOp, (product, builder.int_constant(_width(type_), wide)), wide)
    low.set(op.results[0], builder.emit(llvm.TruncOp, (product,), type_))
    low.set(op.results[1], builder.emit(llvm.TruncOp, (high,), type_))


def _copysign(low: FunctionLowering, op: Operation) -> None:
    """Keeps LLVM from taking the sign of an f64 in f16 where the result is rounded to f16: it would call the C library."""
    _intrinsic(low, op)
    result = op.results[0]
    if any(use.operation.name == "arith.truncf" for use in result.uses):
        low.values[result] = low.builder.unary_intrinsic("arithmetic.fence", (low.value(result),))


def _rsqrt(low: FunctionLowering, op: Operation) -> None:
    root = low.builder.unary_intrinsic("sqrt", (low.value(op.operands[0]),))
    numerator = low.builder.float_constant(1.0, root.type)
    low.values[op.results[0]] = low.builder.emit(
        llvm.FDivOp, (numerator, root), root.type, {"fastmathFlags": fast_math(op)}
    )


HANDLERS: dict[str, Handler] = {
    **{name: _binary for name in _BINARY},
    **{name: _index_or_binary for name in ("arith.addi", "arith.subi", "arith.muli")},
    **{name: _float for name in _FLOAT_BINARY},
    **{name: _cast for name in _CAST},
    **{name: _intrinsic for name in _INTRINSIC},
    **{name: _flagged for name in _FLAGGED},
    "arith.constant": _constant,
    "arith.cmpi": _cmpi,
    "arith.cmpf": _cmpf,
    "arith.select": _select,
    "arith.floordivsi": _rounding_division,
    "arith.ceildivsi": _rounding_division,
    "arith.ceildivui": _ceildivui,
    "arith.bitcast": _bitcast,
    "arith.index_cast": _index_cast,
    "arith.index_castui": _index_cast,
    "arith.addui_extended": _addui_extended,
    "arith.mului_extended": _mul_extended,
    "arith.mulsi_extended": _mul_extended,
    "math.copysign": _copysign,
    "math.rsqrt": _rsqrt,
}
