"""Builds one `llvm.func`: blocks, constants, and index arithmetic that is folded, shared and hoisted as it is made."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import field

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    StringAttr,
    SymbolRefAttr,
    UnknownLoc,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation

from ...dialects.new_op import append_op, new_op
from ...dialects.upstream.llvm_ops import CondBrOp, LoopAnnotationAttr, PoisonOp
from ...records import record
from ..emit.constructors import constant_value, vector_type
from .types import PTR, mangle


def dense(type_: Attribute, values: Sequence[int | float]) -> DenseIntOrFPElementsAttr:
    """Returns the elements of a vector constant; one value fills all lanes."""
    return DenseIntOrFPElementsAttr.from_list(type_, values)  # pyright: ignore


@functools.cache
def i32_array(*values: int) -> DenseArrayBase:
    """Returns a `array<i32: ...>` attribute; attributes are immutable, so equal ones are made once."""
    return DenseArrayBase.from_list(i32, values)


@functools.cache
def i64_array(*values: int) -> DenseArrayBase:
    """Returns a `array<i64: ...>` attribute."""
    return DenseArrayBase.from_list(i64, values)


@functools.cache
def integer_attr(value: int, type_: IntegerType = i64) -> IntegerAttr:
    """Returns an integer attribute."""
    return IntegerAttr(value, type_)


@functools.cache
def _intrinsic_name(name: str, overloads: tuple[Attribute, ...]) -> StringAttr:
    return StringAttr(".".join(("llvm", name, *(mangle(o) for o in overloads))))


_NO_SEGMENTS = DenseArrayBase.from_list(i32, ())
_NO_WRAP = IntegerAttr(0, i32)
_NSW = IntegerAttr(1, i32)
NO_FAST_MATH = llvm.FastMathAttr(None)
_DYNAMIC = DenseArrayBase.from_list(i32, [llvm.GEP_USE_SSA_VAL])
_MAX_TERMS = 4


@record
class Linear:
    """An index value as `constant + sum(coefficient * value)`."""

    constant: int
    terms: tuple[tuple[SSAValue, int], ...] = ()


@record(frozen=False)
class Scope:
    """A region that is being built: `anchor` ends the block that leads into the scope inside this one."""

    anchor: Operation | None = None
    keys: list[object] = field(default_factory=list[object])


class FunctionBuilder:
    """Appends operations to a function; index arithmetic goes to the outermost loop that has its operands."""

    def __init__(self, region: Region, entry: Block):
        self.region = region
        self.entry = entry
        self.block = entry
        self.location: LocationAttr = UnknownLoc()
        """The location of the operation that is being lowered."""
        self.scopes: list[Scope] = [Scope()]
        self.constants: dict[object, SSAValue] = {}
        self.head: list[Operation] = []
        self.known: dict[object, SSAValue] = {}
        self.level: dict[SSAValue, int] = {arg: 0 for arg in entry.args}

    # ---- operations ----

    def emit(
        self,
        op: type[IRDLOperation],
        operands: Sequence[SSAValue],
        result: Attribute,
        properties: dict[str, Attribute] | None = None,
    ) -> SSAValue:
        """Appends an operation with one result."""
        new = new_op(op, operands=operands, result_types=(result,), properties=properties or {})
        self.append(new)
        # Taken apart rather than indexed, which xDSL does in Python.
        (value,) = new.results
        return value

    def append(self, op: Operation) -> None:
        """Appends an operation, at the location of what is being lowered."""
        op.location = self.location
        append_op(self.block, op)

    def intrinsic(
        self,
        name: str,
        args: Sequence[SSAValue],
        result: Attribute | None,
        overloads: Sequence[Attribute],
        fast_math: llvm.FastMathAttr = NO_FAST_MATH,
    ) -> SSAValue | None:
        """Calls `llvm.<name>` with its type suffix."""
        call = intrinsic_call(name, args, result, overloads, fast_math)
        self.append(call)
        return call.results[0] if result is not None else None

    def unary_intrinsic(
        self, name: str, args: Sequence[SSAValue], fast_math: llvm.FastMathAttr = NO_FAST_MATH
    ) -> SSAValue:
        """Calls an intrinsic that is overloaded on the one type of its first argument and of its result."""
        value = self.intrinsic(name, args, args[0].type, (args[0].type,), fast_math)
        assert value is not None
        return value

    def head_op(self, op: Operation) -> SSAValue:
        """Puts an operation at the start of the function."""
        self.head.append(op)
        self.level[op.results[0]] = 0
        return op.results[0]

    # ---- constants ----

    def constant(self, value: Attribute, type_: Attribute) -> SSAValue:
        """Returns a constant, made once per function, at its start."""
        key = (value, type_)
        result = self.constants.get(key)
        if result is None:
            result = self.head_op(new_op(llvm.ConstantOp, properties={"value": value}, result_types=(type_,)))
            self.constants[key] = result
        return result

    def int_constant(self, value: int, type_: Attribute = i64) -> SSAValue:
        """Returns an integer constant, or a vector with that value in every lane."""
        # An index is its own key: the hash of a type takes long.
        key = value if type_ is i64 else (value, type_, "int")
        result = self.constants.get(key)
        if result is None:
            result = self.constants[key] = self.constant(constant_value(value, type_), type_)
        return result

    def float_constant(self, value: float, type_: Attribute) -> SSAValue:
        """Returns a float constant, or a vector with that value in every lane."""
        return self.constant(constant_value(value, type_), type_)

    def bit(self, value: bool) -> SSAValue:
        return self.int_constant(int(value), i1)

    def poison(self, type_: Attribute) -> SSAValue:
        key = (type_, "poison")
        result = self.constants.get(key)
        if result is None:
            result = self.constants[key] = self.head_op(new_op(PoisonOp, result_types=(type_,)))
        return result

    # ---- index arithmetic ----

    def opaque(self, value: SSAValue) -> Linear:
        """Returns an index value that is not looked into; it belongs to the current scope unless known otherwise."""
        here = len(self.scopes) - 1
        # What was first met in a loop inside of this one is not defined there.
        self.level[value] = min(self.level.get(value, here), here)
        return Linear(0, ((value, 1),))

    def linear_add(self, a: Linear, b: Linear, sign: int = 1) -> Linear:
        if not b.terms:
            return Linear(_wrap64(a.constant + sign * b.constant), a.terms)
        if not a.terms and not a.constant and sign == 1:
            return b
        terms = dict(a.terms)
        for value, factor in b.terms:
            total = terms.get(value, 0) + sign * factor
            if total:
                terms[value] = total
            else:
                terms.pop(value, None)
        result = Linear(_wrap64(a.constant + sign * b.constant), tuple(terms.items()))
        if len(terms) > _MAX_TERMS:
            rest = self.materialize(Linear(0, result.terms))
            return Linear(result.constant, ((rest, 1),))
        return result

    def linear_mul(self, a: Linear, b: Linear) -> Linear:
        if not b.terms:
            a, b = b, a
        if not a.terms:
            if a.constant == 0:
                return Linear(0)
            if a.constant == 1:
                return b
            return Linear(_wrap64(a.constant * b.constant), tuple((v, _wrap64(f * a.constant)) for v, f in b.terms))
        product = self.pure(llvm.MulOp, self.materialize(a), self.materialize(b))
        return Linear(0, ((product, 1),))

    def pure(self, op: type[IRDLOperation], lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """Returns an `i64` operation without effects, shared with an equal one and hoisted to its operands' scope."""
        return self.shared(lambda: new_op(op, operands=(lhs, rhs), result_types=(i64,)), op, lhs, rhs)

    def shared(self, make: Callable[[], Operation], name: object, *operands: SSAValue) -> SSAValue:
        """Returns an operation without effects, shared with the one of that name and these operands, and hoisted to their scope."""
        key = (name, *operands)
        result = self.known.get(key)
        if result is not None:
            return result
        here = len(self.scopes) - 1
        new = make()
        self._place(new, max(self.level.get(operand, here) for operand in operands), key)
        return new.results[0]

    def materialize(self, linear: Linear) -> SSAValue:
        """Returns the value of a linear form, summed from the outermost scope's terms inwards."""
        # Invariant: `total` is the sum of the terms so far, each in a scope that is not inside that of the next.
        if not linear.terms:
            return self.int_constant(linear.constant)
        terms = linear.terms
        if len(terms) == 1 and terms[0][1] == 1 and linear.constant == 0:
            return terms[0][0]
        total: SSAValue | None = None
        here = len(self.scopes) - 1
        if len(terms) > 1:
            terms = tuple(sorted(terms, key=lambda t: self.level.get(t[0], here)))
        for value, factor in terms:
            if factor == -1 and total is not None:
                total = self.pure(llvm.SubOp, total, value)
                continue
            part = value if factor == 1 else self.pure(llvm.MulOp, value, self.int_constant(factor))
            total = part if total is None else self.pure(llvm.AddOp, total, part)
        assert total is not None
        if linear.constant:
            total = self.pure(llvm.AddOp, total, self.int_constant(linear.constant))
        return total

    def offset_pointer(self, pointer: SSAValue, offset: Linear, element: Attribute) -> SSAValue:
        """Returns `pointer + offset` in elements: one address computation per loop level, the constant part last."""
        if offset.terms:
            here = len(self.scopes) - 1
            by_level: dict[int, list[tuple[SSAValue, int]]] = {}
            for term in offset.terms:
                by_level.setdefault(self.level.get(term[0], here), []).append(term)
            for level in sorted(by_level):
                index = self.materialize(Linear(0, tuple(by_level[level])))
                key = ("gep", pointer, index, element)
                moved = self.known.get(key)
                if moved is None:
                    gep = _gep(pointer, (index,), _DYNAMIC, element)
                    self._place(gep, max(self.level.get(pointer, here), level), key)
                    moved = gep.results[0]
                pointer = moved
        if offset.constant:
            key = ("gep", pointer, offset.constant, element)
            moved = self.known.get(key)
            if moved is None:
                if -(2**31) < offset.constant < 2**31:
                    gep = _gep(pointer, (), i32_array(offset.constant), element)
                else:
                    gep = _gep(pointer, (self.int_constant(offset.constant),), _DYNAMIC, element)
                self._place(gep, len(self.scopes) - 1, key)
                moved = gep.results[0]
            pointer = moved
        return pointer

    def _place(self, op: Operation, level: int, key: object) -> None:
        level = min(level, len(self.scopes) - 1)
        anchor = self.scopes[level].anchor
        if anchor is None:
            self.append(op)
        else:
            block = anchor.parent
            assert block is not None
            block.insert_op_before(op, anchor)
        result = op.results[0]
        self.level[result] = level
        self.known[key] = result
        self.scopes[level].keys.append(key)

    # ---- control flow ----

    def new_block(self, types: Sequence[Attribute] = ()) -> Block:
        """Returns a block at the end of the function; it is not entered."""
        block = Block(arg_types=types)
        self.region.add_block(block)
        return block

    def enter(self, anchor: Operation, block: Block) -> None:
        """Opens a scope that begins with `block`, reached through the terminator `anchor`."""
        self.scopes[-1].anchor = anchor
        self.scopes.append(Scope())
        self.block = block
        level = len(self.scopes) - 1
        for arg in block.args:
            self.level[arg] = level

    def leave(self) -> None:
        """Closes the innermost scope; its shared values are forgotten."""
        for key in self.scopes.pop().keys:
            self.known.pop(key, None)
        self.scopes[-1].anchor = None

    def resume(self, block: Block) -> None:
        """Goes on in `block`, in the current scope."""
        self.block = block
        level = len(self.scopes) - 1
        for arg in block.args:
            self.level[arg] = level

    def branch(self, block: Block, args: Sequence[SSAValue] = ()) -> Operation:
        op = new_op(llvm.BrOp, operands=args, successors=[block])
        self.append(op)
        return op

    def cond_branch(
        self,
        cond: SSAValue,
        then: Block,
        then_args: Sequence[SSAValue],
        other: Block,
        other_args: Sequence[SSAValue],
        annotation: LoopAnnotationAttr | None = None,
    ) -> Operation:
        op = CondBrOp.build_branch(cond, then, then_args, other, other_args, annotation)
        self.append(op)
        return op

    def add_nsw(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.emit(llvm.AddOp, (lhs, rhs), lhs.type, {"overflowFlags": _NSW})

    def compare(self, predicate: int, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """Returns `llvm.icmp` with a predicate numbered as in arith: eq ne slt sle sgt sge ult ule ugt uge."""
        type_ = lhs.type
        result = vector_type(i1, *type_.get_shape()) if isinstance(type_, VectorType) else i1
        return self.emit(llvm.ICmpOp, (lhs, rhs), result, {"predicate": integer_attr(predicate)})

    def alloca(self, count: SSAValue | None, element: Attribute, alignment: int) -> SSAValue:
        """Emits stack memory; with a constant count it is taken once, at the function's start."""
        properties: dict[str, Attribute] = {"elem_type": element, "alignment": integer_attr(alignment)}
        if count is None:
            return self.head_op(
                new_op(llvm.AllocaOp, operands=(self.int_constant(1),), result_types=(PTR,), properties=properties)
            )
        return self.emit(llvm.AllocaOp, (count,), PTR, properties)

    def call(self, callee: str, args: Sequence[SSAValue], result: Attribute | None) -> SSAValue | None:
        """Calls a function of the module by name."""
        op = new_op(
            llvm.CallOp,
            operands=args,
            result_types=() if result is None else (result,),
            properties={
                "callee": _callee(callee),
                "fastmathFlags": NO_FAST_MATH,
                "CConv": _CCC,
                "TailCallKind": _NO_TAIL,
                "op_bundle_sizes": _NO_SEGMENTS,
                "operandSegmentSizes": i32_array(len(args), 0),
            },
        )
        self.append(op)
        return op.results[0] if result is not None else None

    def finish(self) -> None:
        """Puts what belongs at the function's start there."""
        if not self.head:
            return
        first = self.entry.first_op
        if first is None:
            self.entry.add_ops(self.head)
        else:
            self.entry.insert_ops_before(self.head, first)
        self.head = []


@functools.cache
def _callee(name: str) -> SymbolRefAttr:
    return SymbolRefAttr(name)


_CCC = llvm.CallingConventionAttr("ccc")
_NO_TAIL = llvm.TailCallKindAttr(llvm.TailCallKind.NONE)


def intrinsic_call(
    name: str,
    args: Sequence[SSAValue],
    result: Attribute | None,
    overloads: Sequence[Attribute],
    fast_math: llvm.FastMathAttr = NO_FAST_MATH,
) -> llvm.CallIntrinsicOp:
    """Returns a call of `llvm.<name>` with its type suffix, which stands nowhere yet."""
    return new_op(
        llvm.CallIntrinsicOp,
        operands=args,
        result_types=() if result is None else (result,),
        properties={
            "intrin": _intrinsic_name(name, tuple(overloads)),
            "fastmathFlags": fast_math,
            "op_bundle_sizes": _NO_SEGMENTS,
            "operandSegmentSizes": i32_array(len(args), 0),
        },
    )


def _gep(pointer: SSAValue, dynamic: tuple[SSAValue, ...], raw: Attribute, element: Attribute) -> Operation:
    return new_op(
        llvm.GEPOp,
        operands=(pointer, *dynamic),
        result_types=(PTR,),
        properties={"rawConstantIndices": raw, "elem_type": element, "noWrapFlags": _NO_WRAP},
    )


def _wrap64(value: int) -> int:
    value &= 0xFFFFFFFFFFFFFFFF
    return value - (1 << 64) if value >> 63 else value
