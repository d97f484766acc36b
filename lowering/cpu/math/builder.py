"""The expression layer that the formulas are written in: Python operators append `arith` and `math` ops."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TypeVar

from xdsl.dialects import arith, llvm, math, scf, vector
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float32Type,
    IntegerAttr,
    IntegerType,
    VectorType,
    bf16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation

from ....dialects.new_op import new_op
from ....dialects.upstream.arith_ops import CmpfOp, CmpiOp, FPToSIOp, SelectOp, SIToFPOp, TruncIOp
from ....targets.cpu import CpuTarget
from ...emit.constructors import constant, vector_type

_FLAGS: dict[str, Attribute] = {"fastmath": arith.FastMathFlagsAttr("none")}
_NO_OVERFLOW: dict[str, Attribute] = {"overflowFlags": arith.IntegerOverflowAttr("none")}
_EXACT_INT = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.ShLIOp)

_FLOAT_PREDICATES: dict[str, dict[str, Attribute]] = {
    name: {**_FLAGS, "predicate": IntegerAttr(code, i64)}
    for name, code in {"oeq": 1, "ogt": 2, "oge": 3, "olt": 4, "ole": 5, "one": 6, "une": 13, "uno": 14}.items()
}
_INT_PREDICATES: dict[str, dict[str, Attribute]] = {
    name: {"predicate": IntegerAttr(code, i64)}
    for name, code in {"eq": 0, "ne": 1, "slt": 2, "sle": 3, "sgt": 4, "sge": 5, "ult": 6, "uge": 9}.items()
}

_SUBNORMAL = 0x20
"""The class of subnormal numbers, as `vfpclassps` knows it."""

T = TypeVar("T", bound="tuple[Value, ...]")


class Value:
    """A scalar or 1-D vector in an expression; a Python number beside it becomes a constant of its type."""

    __slots__ = ("element", "m", "ssa")

    def __init__(self, m: MathBuilder, ssa: SSAValue, element: Attribute):
        self.m = m
        self.ssa = ssa
        self.element = element

    # ---- float and integer arithmetic ----

    def _two(self, float_op: type[IRDLOperation], int_op: type[IRDLOperation], lhs: Operand, rhs: Operand) -> Value:
        op = int_op if isinstance(self.element, IntegerType) else float_op
        return self.m.emit(op, self.element, self.like(lhs), self.like(rhs))

    def like(self, other: Operand) -> Value:
        """Returns the operand as a value of this value's type."""
        return other if isinstance(other, Value) else self.m.constant(other, self.element)

    def __add__(self, other: Operand) -> Value:
        return self._two(arith.AddfOp, arith.AddiOp, self, other)

    def __radd__(self, other: float) -> Value:
        return self._two(arith.AddfOp, arith.AddiOp, other, self)

    def __sub__(self, other: Operand) -> Value:
        return self._two(arith.SubfOp, arith.SubiOp, self, other)

    def __rsub__(self, other: float) -> Value:
        return self._two(arith.SubfOp, arith.SubiOp, other, self)

    def __mul__(self, other: Operand) -> Value:
        return self._two(arith.MulfOp, arith.MuliOp, self, other)

    def __rmul__(self, other: float) -> Value:
        return self._two(arith.MulfOp, arith.MuliOp, other, self)

    def __truediv__(self, other: Operand) -> Value:
        return self.m.emit(arith.DivfOp, self.element, self, self.like(other))

    def __rtruediv__(self, other: float) -> Value:
        return self.m.emit(arith.DivfOp, self.element, self.like(other), self)

    def __neg__(self) -> Value:
        return self.m.emit(arith.NegfOp, self.element, self)

    def __and__(self, other: int | Value) -> Value:
        return self.m.emit(arith.AndIOp, self.element, self, self.like(other))

    def __or__(self, other: int | Value) -> Value:
        return self.m.emit(arith.OrIOp, self.element, self, self.like(other))

    def __xor__(self, other: int | Value) -> Value:
        return self.m.emit(arith.XOrIOp, self.element, self, self.like(other))

    def __lshift__(self, other: int | Value) -> Value:
        return self.m.emit(arith.ShLIOp, self.element, self, self.like(other))

    def __rshift__(self, other: int | Value) -> Value:
        """Returns the arithmetic shift."""
        return self.m.emit(arith.ShRSIOp, self.element, self, self.like(other))

    def shift_right_logical(self, other: int | Value) -> Value:
        return self.m.emit(arith.ShRUIOp, self.element, self, self.like(other))

    def fma(self, factor: Operand, addend: Operand) -> Value:
        """Returns `self * factor + addend`, rounded once.

        Without an instruction, f32 is computed in f64, where the product is exact: the sum is rounded twice, which matters for a few
        results near halfway between two numbers, and never where the result is exact. f64 calls the C library.
        """
        factor, addend = self.like(factor), self.like(addend)
        if self.m.fuses or self.element != f32:
            return self.m.emit(math.FmaOp, self.element, self, factor, addend)
        return (self.extend(f64) * factor.extend(f64) + addend.extend(f64)).truncate(f32)

    def times_plus(self, factor: Operand, addend: Operand) -> Value:
        """Returns `self * factor + addend`, rounded once where that is one instruction, and twice elsewhere."""
        return self.fma(factor, addend) if self.m.fuses else self * factor + addend

    def negated_product(self, factor: Value, addend: Value) -> Value:
        """Returns `addend - self * factor`, rounded once."""
        return (-self).fma(factor, addend)

    def scaled(self, exponent: Value) -> Value | None:
        """Returns `self * 2**exponent` for an integral exponent, rounded once, by one instruction; None where there is none.

        An infinite exponent gives 0 or infinity, even of a NaN; another NaN stays.
        """
        if not self.m.scales(self.element):
            return None
        bits = (self.m.lanes or 0) * width(self.element)
        name = f"llvm.x86.avx512.mask.scalef.{'ps' if self.element == f32 else 'pd'}.{bits}"
        all_lanes = self.m.scalar_constant(-1, i16 if self.m.lanes == 16 else i8)
        # Wider instructions take a rounding: the current one.
        rounding = [self.m.scalar_constant(4, i32)] if bits == 512 else []
        return self.m.call(name, [self.ssa, exponent.ssa, self.ssa, all_lanes, *rounding], self.element)

    def looked_up(self, entries: Sequence[float]) -> Value:
        """Returns the f32 among 16 that the low bits of an integer pick, where `MathBuilder.looks_up` says so."""
        m, count, lanes = self.m, len(entries), self.m.lanes or 1
        index = self.ssa
        if m.lanes is None:
            index = m.append(vector.BroadcastOp, [index], vector_type(self.element, 1))
        if lanes < count:
            index = m.shuffle(index, [lane % lanes for lane in range(count)])
        table = m.table(entries)
        m.ops.append(taken := llvm.CallIntrinsicOp("llvm.x86.avx512.permvar.sf.512", [table, index], [table.type]))
        result = taken.results[0] if lanes == count else m.shuffle(taken.results[0], range(lanes))
        if m.lanes is None:
            position: dict[str, Attribute] = {"static_position": DenseArrayBase.from_list(i64, [0])}
            result = m.append(vector.ExtractOp, [result], f32, position)
        return Value(m, result, f32)

    # ---- unary ----

    def abs(self) -> Value:
        return self.m.emit(math.AbsFOp, self.element, self)

    def sqrt(self) -> Value:
        return self.m.emit(math.SqrtOp, self.element, self)

    def floor(self) -> Value:
        return self.m.emit(math.FloorOp, self.element, self)

    def round_even(self) -> Value:
        return self.m.emit(math.RoundEvenOp, self.element, self)

    def copysign(self, sign: Value) -> Value:
        return self.m.emit(math.CopySignOp, self.element, self, sign)

    def bits(self) -> Value:
        """Returns the float's bits as an integer of the same width."""
        return self.m.emit(arith.BitcastOp, i32 if self.element == f32 else i64, self)

    def as_float(self) -> Value:
        """Returns the float that has these bits."""
        return self.m.emit(arith.BitcastOp, f32 if self.element == i32 else f64, self)

    def to_float(self, element: Attribute) -> Value:
        """Returns a signed integer as a float."""
        return self.m.emit(SIToFPOp, element, self)

    def to_int(self, element: Attribute) -> Value:
        """Returns a float as a signed integer; the value must fit."""
        return self.m.emit(FPToSIOp, element, self)

    def extend(self, element: Attribute) -> Value:
        if element == self.element:
            return self
        return self.m.emit(arith.ExtFOp, element, self)

    def truncate(self, element: Attribute) -> Value:
        if element == self.element:
            return self
        if element == bf16:
            return self._rounded_to_odd()._to_bf16()
        op = TruncIOp if isinstance(self.element, IntegerType) else arith.TruncFOp
        return self.m.emit(op, element, self)

    def _to_bf16(self) -> Value:
        """Returns an f32 as bf16; NaN becomes quiet. Instructions flush subnormal numbers: integers are used where there are any."""
        m = self.m
        if m.lanes != m.bf16_lanes:
            return self._to_bf16_by_integers()

        def by_instruction() -> tuple[Value]:
            return (m.call(f"llvm.x86.avx512bf16.cvtneps2bf16.{32 * m.bf16_lanes}", [self.ssa], bf16),)

        subnormal = m.call(
            f"llvm.x86.avx512.fpclass.ps.{32 * m.bf16_lanes}", [self.ssa, m.scalar_constant(_SUBNORMAL, i32)], i1
        )
        return m.branch(m.any(subnormal), lambda: (self._to_bf16_by_integers(),), by_instruction)[0]

    def _to_bf16_by_integers(self) -> Value:
        bits = self.bits()
        high = bits.shift_right_logical(16)
        rounded = (bits + 0x7FFF + (high & 1)).shift_right_logical(16)
        chosen = (high | 0x40).where(self.compare("uno", self), rounded)
        return self.m.emit(arith.BitcastOp, bf16, chosen.truncate(i16))

    def _rounded_to_odd(self) -> Value:
        """Returns an f64 as f32, with an odd last bit where it is inexact, so that rounding it once more is rounding the f64 once."""
        if self.element != f64:
            return self
        near = self.truncate(f32)
        back = near.extend(f64)
        bits = near.bits()
        lower = (bits - 1).where(back.abs() > self.abs(), bits)
        return (lower | 1).where(back.compare("one", self), bits).as_float()

    # ---- comparison ----

    def compare(self, predicate: str, other: Operand) -> Value:
        """Returns `arith.cmpf` or `arith.cmpi` with this predicate."""
        integer = isinstance(self.element, IntegerType)
        table = _INT_PREDICATES if integer else _FLOAT_PREDICATES
        op = CmpiOp if integer else CmpfOp
        return self.m.emit(op, i1, self, self.like(other), properties=table[predicate])

    def __lt__(self, other: Operand) -> Value:
        return self.compare("slt" if isinstance(self.element, IntegerType) else "olt", other)

    def __gt__(self, other: Operand) -> Value:
        return self.compare("sgt" if isinstance(self.element, IntegerType) else "ogt", other)

    def __le__(self, other: Operand) -> Value:
        return self.compare("sle" if isinstance(self.element, IntegerType) else "ole", other)

    def __ge__(self, other: Operand) -> Value:
        return self.compare("sge" if isinstance(self.element, IntegerType) else "oge", other)

    def equals(self, other: Operand) -> Value:
        return self.compare("eq" if isinstance(self.element, IntegerType) else "oeq", other)

    def where(self, condition: Value, other: Operand) -> Value:
        """Returns this value where the condition holds, else the other one."""
        return self.m.emit(SelectOp, self.element, condition, self, self.like(other))

    def at_most(self, limit: float) -> Value:
        """Returns the smaller of the two; a NaN stays."""
        bound = self.like(limit)
        return bound.where(bound < self, self)

    def at_least(self, limit: float) -> Value:
        """Returns the larger of the two; a NaN stays."""
        bound = self.like(limit)
        return bound.where(bound > self, self)


Operand = Value | float


class MathBuilder:
    """Collects the ops that replace one op; constants are shared in the block that they are put at the start of."""

    def __init__(
        self,
        lanes: int | None,
        constants: dict[tuple[object, ...], SSAValue],
        head: list[Operation],
        target: CpuTarget,
    ):
        self.fuses = target.fuses_multiply_add
        """Whether the target multiplies and adds by one instruction."""
        self.scaled_bits = target.scaled_bits
        """The widths of vectors that an instruction multiplies by powers of 2."""
        self.table_lanes = target.table_lanes
        """The entries of a table that an instruction looks up; 0 where there is none."""
        self.bf16_lanes = target.bf16_lanes
        """The lanes that an instruction rounds to bf16; 0 where there is none."""
        self.lanes = lanes
        self.constants = constants
        self.head = head
        self.ops: list[Operation] = []
        self.kind = "f32"

    def type_of(self, element: Attribute) -> Attribute:
        """Returns the element type, or the vector of it."""
        return element if self.lanes is None else vector_type(element, self.lanes)

    def scales(self, element: Attribute) -> bool:
        """Returns whether an instruction multiplies values of an element type by powers of 2."""
        return (self.lanes or 0) * width(element) in self.scaled_bits

    def looks_up(self) -> bool:
        """Returns whether an instruction takes entries of tables."""
        return 0 < (self.lanes or 1) <= self.table_lanes

    def wrap(self, ssa: SSAValue) -> Value:
        type_ = ssa.type
        return Value(self, ssa, type_.element_type if isinstance(type_, VectorType) else type_)

    def emit(
        self,
        op: type[IRDLOperation],
        element: Attribute,
        *operands: Value,
        properties: dict[str, Attribute] | None = None,
    ) -> Value:
        """Appends an op with one result."""
        if properties is None:
            properties = _PROPERTIES.get(op, {})
        return Value(self, self.append(op, [o.ssa for o in operands], self.type_of(element), dict(properties)), element)

    def append(
        self,
        op: type[IRDLOperation],
        operands: Sequence[SSAValue],
        result: Attribute,
        properties: dict[str, Attribute] | None = None,
    ) -> SSAValue:
        """Appends an op and returns its result."""
        self.ops.append(new := new_op(op, operands=operands, result_types=(result,), properties=properties or {}))
        return new.results[0]

    def call(self, intrinsic: str, operands: Sequence[SSAValue], element: Attribute) -> Value:
        """Appends the call of an intrinsic of LLVM."""
        self.ops.append(called := llvm.CallIntrinsicOp(intrinsic, operands, [self.type_of(element)]))
        return Value(self, called.results[0], element)

    def shuffle(self, source: SSAValue, lanes: Sequence[int]) -> SSAValue:
        """Returns the vector of some lanes of a vector."""
        assert isinstance(source.type, VectorType)
        mask: dict[str, Attribute] = {"mask": DenseArrayBase.from_list(i64, lanes)}
        return self.append(vector.ShuffleOp, [source, source], vector_type(source.type.element_type, len(lanes)), mask)

    def table(self, entries: Sequence[float]) -> SSAValue:
        """Returns the vector of f32 with an entry in each lane."""
        key = ("table", *entries)
        value = self.constants.get(key)
        if value is None:
            type_ = VectorType(f32, [len(entries)])
            op = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type_, entries), type_)
            self.head.append(op)
            value = self.constants[key] = op.results[0]
        return value

    def constant(self, number: float, element: Attribute) -> Value:
        """Returns a number, rounded to the element type, in every lane."""
        return Value(self, self._constant(number, element, self.lanes), element)

    def scalar_constant(self, number: int, element: IntegerType) -> SSAValue:
        """Returns an integer as a scalar."""
        return self._constant(number, element, None)

    def _constant(self, number: float, element: Attribute, lanes: int | None) -> SSAValue:
        if isinstance(element, IntegerType):
            key: tuple[object, ...] = (element.normalized_value(int(number), truncate_bits=True), element, lanes)
        else:
            if element == f32 and abs(number) < 3.4e38:
                number = struct.unpack("f", struct.pack("f", number))[0]
            key = (struct.pack("d", number), element, lanes)
        value = self.constants.get(key)
        if value is None:
            op = constant(number, element if lanes is None else vector_type(element, lanes))
            self.head.append(op)
            value = self.constants[key] = op.results[0]
        return value

    def polynomial(self, x: Value, coefficients: Sequence[float]) -> Value:
        """Horner's rule, with fused multiply-adds where the target has them; coefficients start with the constant term."""
        result = self.constant(coefficients[-1], x.element)
        for coefficient in reversed(coefficients[:-1]):
            result = result.times_plus(x, coefficient)
        return result

    def long_polynomial(self, x: Value, coefficients: Sequence[float]) -> Value:
        """Evaluates a polynomial by two interleaved Horner chains in x**2, for polynomials whose latency would dominate."""
        if len(coefficients) < 6:
            return self.polynomial(x, coefficients)
        square = x * x
        even = self.polynomial(square, coefficients[0::2])
        return self.polynomial(square, coefficients[1::2]).times_plus(x, even)

    def any(self, condition: Value) -> SSAValue:
        """Returns whether the condition holds in some lane."""
        if self.lanes is None:
            return condition.ssa
        kind = vector.CombiningKindAttr(vector.CombiningKindFlag.OR)
        return self.append(vector.ReductionOp, [condition.ssa], i1, {**_FLAGS, "kind": kind})

    def branch(self, condition: SSAValue, then: Callable[[], T], otherwise: Callable[[], T]) -> T:
        """Returns `scf.if` on a scalar bit; both sides give values of the same types."""
        outer = self.ops
        blocks: list[Block] = []
        values: tuple[Value, ...] = ()
        for side in (then, otherwise):
            self.ops = []
            values = side()
            blocks.append(Block([*self.ops, scf.YieldOp(*(v.ssa for v in values))]))
        self.ops = outer
        branch = scf.IfOp(condition, [v.ssa.type for v in values], Region(blocks[0]), Region(blocks[1]))
        self.ops.append(branch)
        return tuple(Value(self, r, v.element) for r, v in zip(branch.results, values, strict=True))  # type: ignore


def _default_properties() -> dict[type[IRDLOperation], dict[str, Attribute]]:
    flagged = (
        *(arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.NegfOp, math.FmaOp, math.AbsFOp),
        *(math.SqrtOp, math.FloorOp, math.RoundEvenOp, math.CopySignOp),
    )
    table: dict[type[IRDLOperation], dict[str, Attribute]] = {op: _FLAGS for op in flagged}
    table.update({op: _NO_OVERFLOW for op in _EXACT_INT})
    return table


_PROPERTIES = _default_properties()


def width(element: Attribute) -> int:
    """Bits of f32 or f64."""
    return 32 if isinstance(element, Float32Type) else 64
