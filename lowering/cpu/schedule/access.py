"""What an operand of a `linalg` op reads at a point of the iteration space."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TypeAlias, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from ....records import record
from ...buffers.view_types import row_major

ZERO = AffineConstantExpr(0)

MAX_SPREAD = 4
"""The most elements that lanes are apart where whole vectors are loaded and lanes picked from them."""

MAX_PHASES = 4
"""The most phases of lanes, each of neighbors, that are read apart and interleaved."""

Merged: TypeAlias = tuple[tuple[int, ...], ...]
"""Which dims of a memref make one dim of its collapsed view."""


def strides_of(type_: MemRefType) -> list[int | None]:
    """Returns the strides that a memref type states; None where they are known at run time only."""
    layout = type_.layout
    shape = type_.get_shape()
    if isinstance(layout, StridedLayoutAttr):
        return list(layout.get_strides())
    if not isinstance(layout, NoneAttr) and cast(AffineMapAttr, layout).data != AffineMap.identity(len(shape)):
        return [None] * len(shape)
    return row_major(shape)


def coefficient(expr: AffineExpr, dim: int) -> int | None:
    """Returns the factor of a dim in an expression; None where the expression is not linear in it."""
    # The sum and the product with a constant are linear in what their parts are linear in; of all else only what lacks the dim is.
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


def _divisor(expr: AffineExpr, dim: int) -> int | None:
    """Returns k where an expression has `(d + c) floordiv k` or `(d + c) mod k` of a dim, the first of several."""
    for e in expr.dfs():
        if isinstance(e, AffineBinaryOpExpr) and e.kind in _QUOTIENTS and dim in e.used_dims():
            return e.rhs.value if isinstance(e.rhs, AffineConstantExpr) else None
    return None


def _at_phase(expr: AffineExpr, dim: int, count: int, phase: int) -> AffineExpr:
    """Returns an expression with `count * d + phase` for a dim d; quotients and remainders by `count` of `d + c` are gone."""
    # What lacks the dim stays; quotients and remainders that are of something else than `d + c` keep it inside of them.
    if isinstance(expr, AffineDimExpr) and expr.position == dim:
        return expr * count + phase
    if not isinstance(expr, AffineBinaryOpExpr) or dim not in expr.used_dims():
        return expr
    if expr.kind in _QUOTIENTS and expr.rhs == AffineConstantExpr(count) and coefficient(expr.lhs, dim) == 1:
        rest = expr.lhs.replace_dims_and_symbols([ZERO] * (dim + 1), ())
        if isinstance(rest, AffineConstantExpr):
            quotient, remainder = divmod(rest.value + phase, count)
            if expr.kind is AffineBinaryOpKind.Mod:
                return AffineConstantExpr(remainder)
            return AffineDimExpr(dim) + quotient if quotient else AffineDimExpr(dim)
    return AffineBinaryOpExpr(expr.kind, _at_phase(expr.lhs, dim, count, phase), _at_phase(expr.rhs, dim, count, phase))


_QUOTIENTS = (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.Mod)


def is_collapsible(type_: MemRefType) -> bool:
    """Returns whether the dims of a memref may be merged by `memref.collapse_shape`: its layout is the identity, or
    strides.
    """
    return isinstance(type_.layout, NoneAttr | StridedLayoutAttr)


@lru_cache(maxsize=4096)
def collapsed_type(type_: MemRefType, merged: Merged) -> MemRefType:
    """Returns the type of a memref of which each group of dims is merged into one."""
    shape, strides = type_.get_shape(), strides_of(type_)
    sizes: list[int] = []
    kept: list[int | None] = []
    for group in merged:
        total = 1
        for p in group:
            total = -1 if total < 0 or shape[p] < 0 else total * shape[p]
        sizes.append(total if total >= 0 else DYNAMIC_INDEX)
        kept.append(strides[[p for p in group if shape[p] != 1][-1]])
    layout = type_.layout
    if isinstance(layout, StridedLayoutAttr):
        layout = StridedLayoutAttr(kept, layout.offset)
    return MemRefType(type_.element_type, sizes, layout, type_.memory_space)


@record
class Access:
    """An operand: a scalar, or a memref with the index expressions of the element at a point.

    With `merged` the expressions index the collapsed view of the memref.
    """

    value: SSAValue
    exprs: tuple[AffineExpr, ...] = ()
    merged: Merged | None = None

    @property
    def is_memref(self) -> bool:
        return isinstance(self.value.type, MemRefType)

    @cached_property
    def type(self) -> MemRefType:
        """The type of the memref, or of its collapsed view."""
        type_ = cast(MemRefType, self.value.type)
        return type_ if self.merged is None else collapsed_type(type_, self.merged)

    @cached_property
    def _dims(self) -> AbstractSet[int]:
        return frozenset(d for e in self.exprs for d in e.used_dims())

    def dims(self) -> AbstractSet[int]:
        """Returns the iteration dims that the element depends on."""
        return self._dims

    def step(self, dim: int) -> int | None:
        """Returns the distance in memory of neighbors along a dim: 0, 1, or None for anything else."""
        if not self.is_memref or dim not in self.dims():
            return 0
        if coefficient(self.exprs[-1], dim) != 1 or any(dim in e.used_dims() for e in self.exprs[:-1]):
            return None
        return 1 if strides_of(self.type)[-1] == 1 else None

    def spread(self, dim: int) -> int | None:
        """Returns how many elements neighbors along a dim are apart, from 2 to `MAX_SPREAD`, if types tell; None for anything else."""
        if (
            not self.is_memref
            or any(dim in e.used_dims() for e in self.exprs[:-1])
            or strides_of(self.type)[-1:] != [1]
        ):
            return None
        apart = coefficient(self.exprs[-1], dim)
        return apart if apart is not None and 2 <= apart <= MAX_SPREAD else None

    def phases(self, dim: int, size: int | None) -> int | None:
        """Returns k where every k-th of the lanes along a dim of a size (None: not known) are neighbors; None for anything else.

        x[d floordiv 2] has 2 phases, which are the same elements, x[d mod 2, d floordiv 2] two of different ones.
        """
        if not self.is_memref or strides_of(self.type)[-1:] != [1]:
            return None
        count = next((k for e in self.exprs if (k := _divisor(e, dim)) is not None), None)
        if count is None or not 2 <= count <= MAX_PHASES or count & (count - 1) or (size is not None and size < count):
            return None
        return count if self.phase(dim, count, 0).step(dim) == 1 else None

    def phase(self, dim: int, count: int, number: int) -> Access:
        """Returns what is read at `count * d + number` for a dim d."""
        return replace(self, exprs=tuple(_at_phase(e, dim, count, number) for e in self.exprs))

    def static_step(self, dim: int) -> int | None:
        """Returns how many elements the access moves when a dim grows by one, where types tell."""
        total = 0
        for expr, stride in zip(self.exprs, strides_of(self.type), strict=True):
            factor = coefficient(expr, dim)
            if factor is None or (factor and stride is None):
                return None
            total += factor * (stride or 0)
        return total
