"""For targets of which LLVM knows no bf16: values of bf16 as their bits."""

from __future__ import annotations

from typing import cast

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    VectorType,
    bf16,
    f32,
    i16,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriteWalker, TypeConversionPattern
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.relax.numpy_dtypes import dtype_named
from ...dialects.upstream.op_error import OpError
from ...dialects.walks import ops_inside
from ..emit.constructors import vector_type

_SIGN = 0x8000
_MOVED = frozenset(
    "load store select bitcast call return br cond_br switch insertelement extractelement shufflevector insertvalue extractvalue "
    "intr.masked.load intr.masked.store mlir.constant mlir.poison mlir.undef mlir.zero mlir.global func".split()
)
"""Ops to which it does not matter what the bits mean."""

_READ = frozenset(("llvm.fptosi", "llvm.fptoui", "llvm.fcmp"))
"""Ops of floats whose results are none."""


def bf16_to_bits(module: ModuleOp) -> None:
    """Makes values of bf16 integers of 16 bits in a module of the `llvm` dialect; arithmetic on them is in f32 already.

    Raises `OpError` for arithmetic that is not.
    """
    used = [op for op in ops_inside(module) if any(map(_is_bf16, (*op.operands, *op.results)))]
    for op in used:
        _replace(op)
    PatternRewriteWalker(_Bits(recursive=True), apply_recursively=False).rewrite_module(module)


class _Bits(TypeConversionPattern):
    """Replaces the type."""

    def convert_type(self, typ: Attribute, /) -> Attribute | None:
        return i16 if isinstance(typ, BFloat16Type) else None


def _element(value: SSAValue) -> Attribute:
    return value.type.element_type if isinstance(value.type, VectorType) else value.type


def _is_bf16(value: SSAValue) -> bool:
    return isinstance(_element(value), BFloat16Type)


class _Emitter:
    """Makes ops in front of another, of its lanes."""

    def __init__(self, op: Operation, value: SSAValue):
        self.op = op
        self.lanes = value.type.get_shape() if isinstance(value.type, VectorType) else ()

    def type(self, element: Attribute) -> Attribute:
        return vector_type(element, *self.lanes) if self.lanes else element

    def made(self, op: Operation) -> SSAValue:
        op.location = self.op.location
        Rewriter.insert_op(op, InsertPoint.before(self.op))
        return op.results[0]

    def constant(self, number: int, element: Attribute) -> SSAValue:
        type_ = self.type(element)
        value = (
            DenseIntOrFPElementsAttr.from_list(cast("VectorType[Attribute]", type_), [number])  # pyright: ignore
            if self.lanes
            else IntegerAttr(number, element)  # pyright: ignore
        )
        return self.made(llvm.ConstantOp(value, type_))

    def bits(self, value: SSAValue) -> SSAValue:
        return self.made(llvm.BitcastOp(value, self.type(i16)))

    def extended(self, value: SSAValue) -> SSAValue:
        """Returns a bf16 as f32, of which it is the upper half."""
        wide = self.made(llvm.ZExtOp(self.bits(value), self.type(i32)))
        return self.made(llvm.BitcastOp(self.made(llvm.ShlOp(wide, self.constant(16, i32))), self.type(f32)))


def _replace(op: Operation) -> None:
    """Replaces an op that knows that its bits are a float; raises `OpError` for one that computes."""
    if op.name == "llvm.mlir.constant":
        _replace_constant(op)
    elif op.name == "llvm.fpext" or op.name in _READ:
        _extend_operands(op)
    elif op.name.removeprefix("llvm.") not in _MOVED:
        _replace_sign(op, _intrinsic(op))


def _extend_operands(op: Operation) -> None:
    """Gives an op what it reads as f32, which a conversion to f32 is already."""
    emitter = _Emitter(op, op.operands[0])
    wide = [emitter.extended(value) if _is_bf16(value) else value for value in op.operands]
    if op.name == "llvm.fpext" and _element(op.results[0]) == f32:
        Rewriter.replace_op(op, [], wide)
    else:
        op.operands = wide


def _replace_sign(op: Operation, name: str) -> None:
    """Replaces what changes a sign."""
    if name not in ("fneg", "fabs", "copysign"):
        raise OpError(op, f"{op.name} of bf16 does not compile for targets without it, expected arithmetic in f32")
    emitter = _Emitter(op, op.operands[0])
    bits = [emitter.bits(value) for value in op.operands]
    sign = emitter.constant(_SIGN, i16)
    if name == "fneg":
        result = emitter.made(llvm.XOrOp(bits[0], sign))
    else:
        result = emitter.made(llvm.AndOp(bits[0], emitter.constant(_SIGN - 1, i16)))
    if name == "copysign":
        result = emitter.made(llvm.OrOp(result, emitter.made(llvm.AndOp(bits[1], sign))))
    Rewriter.replace_op(op, [], [emitter.made(llvm.BitcastOp(result, op.results[0].type))])


def _intrinsic(op: Operation) -> str:
    """Returns what an op computes, whether it is an op of its own or the call of an intrinsic."""
    if isinstance(op, llvm.CallIntrinsicOp):
        return op.intrin.data.removeprefix("llvm.").partition(".")[0]
    return op.name.removeprefix("llvm.").removeprefix("intr.")


def _replace_constant(op: Operation) -> None:
    """Replaces a number by its bits; what lies in bytes has them already."""
    value = op.properties["value"]
    if isinstance(value, FloatAttr):
        bits = np.array([value.value.data], np.float64).astype(dtype_named("bf16")).view(np.int16)
        constant = llvm.ConstantOp(IntegerAttr(int(bits[0]), i16), i16)
        constant.location = op.location
        cast_ = llvm.BitcastOp(constant.result, bf16)
        Rewriter.replace_op(op, [constant, cast_], [cast_.results[0]])
