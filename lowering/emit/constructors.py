"""Constructors of the ops that lowerings make by the hundred; xDSL's own check every argument against its definition."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from math import copysign
from typing import TypeVar, get_args

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    SymbolRefAttr,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from ...dialects.new_op import new_op
from ...dialects.relax.vocabulary.attributes import SHOWN
from ...kinds import kind_test

Op = TypeVar("Op", bound=IRDLOperation)

INDEX = IndexType()
_ALLOC_SEGMENTS = [DenseArrayBase.from_list(i32, [count, 0]) for count in range(9)]
_PREDICATES = {name: IntegerAttr(code, 64) for code, name in enumerate(("eq", "ne", "slt", "sle", "sgt", "sge", "ult"))}
_FLOAT_PREDICATES = {
    name: IntegerAttr(arith.CMPF_COMPARISON_OPERATIONS.index(name), 64) for name in ("olt", "ole", "ogt")
}
_NO_OVERFLOW_FLAGS = {"overflowFlags": arith.IntegerOverflowAttr("none")}
_WITH_OVERFLOW_FLAGS = frozenset((arith.AddiOp, arith.SubiOp, arith.MuliOp))


@cache
def vector_type(element: Attribute, *shape: int) -> VectorType:
    """Returns a vector type; attributes are immutable, so equal ones are made once."""
    return VectorType(element, shape)


_is_vector = kind_test(VectorType)
_is_float = kind_test(*get_args(AnyFloat))
_is_integer = kind_test(IntegerType, IndexType)


def constant_value(value: float | bool, type_: Attribute) -> IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr:
    """Returns the attribute of a scalar constant, or of a vector with that value in every lane; an integer is taken modulo the
    width of its type.
    """
    if _is_vector(type_):
        lane = constant_value(value, type_.element_type).value.data  # pyright: ignore[reportAttributeAccessIssue]
        return _lanes(lane, copysign(1.0, lane), type_)
    if _is_float(type_):
        return _float(float(value), copysign(1.0, value), type_)
    assert _is_integer(type_)
    return _integer(int(value), type_)


# The sign of a zero makes another constant, and equal numbers are one key.
@lru_cache(4096)
def _float(value: float, sign: float, type_: AnyFloat) -> FloatAttr:
    return FloatAttr(value, type_)


@lru_cache(4096)
def _lanes(value: float, sign: float, type_: VectorType) -> DenseIntOrFPElementsAttr:
    return DenseIntOrFPElementsAttr.from_list(type_, [value])  # pyright: ignore


@cache
def _integer(value: int, type_: IntegerType | IndexType) -> IntegerAttr:
    return IntegerAttr(value, type_, truncate_bits=True)


def constant(value: float | bool, type_: Attribute = INDEX) -> arith.ConstantOp:
    """Returns a constant with `constant_value`."""
    return new_op(arith.ConstantOp, result_types=[type_], properties={"value": constant_value(value, type_)})


def binary(op: type[IRDLOperation], lhs: SSAValue, rhs: SSAValue) -> IRDLOperation:
    """Returns an `arith` op on two numbers, of their type."""
    properties = dict(_NO_OVERFLOW_FLAGS) if op in _WITH_OVERFLOW_FLAGS else {}
    return new_op(op, operands=(lhs, rhs), result_types=(lhs.type,), properties=properties)


def alloc(sizes: Sequence[SSAValue], type_: MemRefType) -> memref.AllocOp:
    """Returns `memref.alloc`; `sizes` are the dynamic ones."""
    count = len(sizes)
    segments = _ALLOC_SEGMENTS[count] if count < 9 else DenseArrayBase.from_list(i32, [count, 0])
    return new_op(memref.AllocOp, operands=sizes, result_types=[type_], properties={"operandSegmentSizes": segments})


def view(source: SSAValue, offset: SSAValue, sizes: Sequence[SSAValue], type_: MemRefType) -> memref.ViewOp:
    """Returns `memref.view`; `sizes` are the dynamic ones."""
    return new_op(memref.ViewOp, operands=[source, offset, *sizes], result_types=[type_])


def call(callee: SymbolRefAttr, operands: Sequence[SSAValue], results: Sequence[Attribute]) -> func.CallOp:
    """Returns `func.call`."""
    return new_op(func.CallOp, operands=operands, result_types=results, properties={"callee": callee})


def compare(predicate: str, lhs: SSAValue, rhs: SSAValue) -> arith.CmpiOp:
    """Returns `arith.cmpi` of scalars."""
    return new_op(
        arith.CmpiOp, operands=[lhs, rhs], result_types=[i1], properties={"predicate": _PREDICATES[predicate]}
    )


def compare_floats(predicate: str, lhs: SSAValue, rhs: SSAValue) -> arith.CmpfOp:
    """Returns `arith.cmpf` of scalars."""
    properties = {"predicate": _FLOAT_PREDICATES[predicate]}
    return new_op(arith.CmpfOp, operands=[lhs, rhs], result_types=[i1], properties=properties)


def converted(op: type[Op], value: SSAValue, type_: Attribute) -> Op:
    """Returns an `arith` op that makes a value of another type of a scalar."""
    return new_op(op, operands=[value], result_types=[type_])


def load(source: SSAValue, indices: Sequence[SSAValue]) -> memref.LoadOp:
    """Returns `memref.load`."""
    assert isinstance(source.type, MemRefType)
    return new_op(memref.LoadOp, operands=[source, *indices], result_types=[source.type.element_type])


def shown(condition: SSAValue, *names: str) -> SSAValue:
    """Returns the result of a comparison, or of a conversion, whose operands get names by which assertions show them; "" shows none."""
    assert isinstance(condition.owner, Operation)
    if any(names):
        SHOWN.set(condition.owner, names)
    return condition


def select(condition: SSAValue, on_true: SSAValue, on_false: SSAValue) -> arith.SelectOp:
    """Returns `arith.select` of scalars."""
    return new_op(arith.SelectOp, operands=[condition, on_true, on_false], result_types=[on_true.type])
