"""An operand as one flat buffer, an offset, and the distance in elements that each loop moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr
from xdsl.ir import Attribute, SSAValue

from ....records import record
from ...emit.emitter import Index
from ..schedule.access import Access, coefficient, strides_of
from .builder import LoopBuilder


@record(frozen=False)
class FlatAccess:
    """`buffer[offset(dims)]` is the element at a point; `buffer` is one-dimensional with the identity layout."""

    access: Access
    buffer: SSAValue
    base: Index
    strides: list[Index]

    def offset(self, b: LoopBuilder, dims: Sequence[Index]) -> Index:
        """Returns the position of the element at a point."""
        return self.at(b, (b.affine(expr, dims) for expr in self.access.exprs))

    def at(self, b: LoopBuilder, indices: Iterable[Index]) -> Index:
        """Returns the position of the element at indices of the memref."""
        total = self.base
        for index, stride in zip(indices, self.strides, strict=True):
            total = b.add(total, b.mul(index, stride))
        return total

    def step(self, b: LoopBuilder, dim: int) -> Index:
        """Returns how far the element moves when a dim grows by one, for a dim in which the indices are linear."""
        total: Index = 0
        for expr, stride in zip(self.access.exprs, self.strides, strict=True):
            factor = coefficient(expr, dim)
            assert factor is not None
            total = b.add(total, b.mul(factor, stride))
        return total


def flatten(b: LoopBuilder, access: Access) -> FlatAccess:
    """Returns the flat view of a memref operand; it is made where the builder stands."""
    type_ = access.type
    sizes = [b.dim(access.value, p) for p in range(len(type_.get_shape()))]
    base: Index = 0
    source = access.value
    strides: list[Index] = []
    if isinstance(type_.layout, NoneAttr):
        stride: Index = 1
        for size in reversed(sizes):
            strides.append(stride)
            stride = b.mul(stride, size)
        strides.reverse()
        total = stride
    else:
        metadata = memref.ExtractStridedMetaDataOp(source)
        b.append(metadata)
        source, base = metadata.results[0], metadata.results[1]
        dynamic = metadata.results[2 + len(sizes) :]
        known = strides_of(type_)
        strides = [d if k is None else k for k, d in zip(known, dynamic, strict=True)]
        total = b.add(base, 1)
        for size, stride in zip(sizes, strides, strict=True):
            total = b.add(total, b.mul(b.sub(size, 1), stride))
    result = _flat_type(type_.element_type, type_.memory_space)
    view = memref.ReinterpretCastOp(source, [], [b.as_index(total)], [], [0], [DYNAMIC_INDEX], [1], result)
    return FlatAccess(access, b.insert(view), base, strides)


@lru_cache(maxsize=256)
def _flat_type(element: Attribute, space: Attribute) -> MemRefType:
    return MemRefType(element, [DYNAMIC_INDEX], NoneAttr(), space)
