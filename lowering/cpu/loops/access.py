"""What an operand of a `linalg` op reads at a point of the iteration space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import AffineMapAttr, MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

ZERO = AffineConstantExpr(0)


def strides_of(type_: MemRefType) -> list[int | None]:
    """The strides that a memref type states; None where they are known at run time only."""
    layout = type_.layout
    shape = type_.get_shape()
    if isinstance(layout, StridedLayoutAttr):
        return list(layout.get_strides())
    if not isinstance(layout, NoneAttr) and cast(AffineMapAttr, layout).data != AffineMap.identity(len(shape)):
        return [None] * len(shape)
    strides: list[int | None] = []
    expected: int | None = 1
    for size in reversed(shape):
        strides.append(expected)
        expected = expected * size if expected is not None and size >= 0 else None
    return strides[::-1]


def dims_in(expr: AffineExpr) -> set[int]:
    """The dims that an expression depends on."""
    return {e.position for e in expr.dfs() if isinstance(e, AffineDimExpr)}


def coefficient(expr: AffineExpr, dim: int) -> int | None:
    """The factor of a dim in an expression; None where the expression is not linear in it."""
    match expr:
        case AffineDimExpr():
            return int(expr.position == dim)
        case AffineConstantExpr():
            return 0
        case AffineBinaryOpExpr():
            lhs, rhs = coefficient(expr.lhs, dim), coefficient(expr.rhs, dim)
            if lhs == 0 and rhs == 0:
                return 0
            if lhs is None or rhs is None:
                return None
            if expr.kind is AffineBinaryOpKind.Add:
                return lhs + rhs
            if expr.kind is AffineBinaryOpKind.Mul and isinstance(expr.rhs, AffineConstantExpr):
                return lhs * expr.rhs.value
            if expr.kind is AffineBinaryOpKind.Mul and isinstance(expr.lhs, AffineConstantExpr):
                return rhs * expr.lhs.value
        case _:
            pass
    return None


@dataclass(frozen=True)
class Access:
    """An operand: a scalar, or a memref with the index expressions of the element at a point."""

    value: SSAValue
    exprs: tuple[AffineExpr, ...] = ()

    @property
    def is_memref(self) -> bool:
        return isinstance(self.value.type, MemRefType)

    @property
    def type(self) -> MemRefType:
        return cast(MemRefType, self.value.type)

    def dims(self) -> set[int]:
        """The iteration dims that the element depends on."""
        return {d for e in self.exprs for d in dims_in(e)}

    def step(self, dim: int) -> int | None:
        """The distance in memory of neighbours along a dim: 0, 1, or None for anything else."""
        if not self.is_memref or dim not in self.dims():
            return 0
        if any(dim in dims_in(e) for e in self.exprs[:-1]) or coefficient(self.exprs[-1], dim) != 1:
            return None
        return 1 if strides_of(self.type)[-1] == 1 else None
