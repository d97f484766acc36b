"""Whether loops over shared dims may be joined: buffers that two nests touch must be touched at the same indices only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, FixedBitwidthType, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from ....kinds import kind_test
from ...buffers.apart import apart
from ...sizes.op_sizes import VIEWS, constant_index
from .access import Access
from .nest import Nest

_is_view = kind_test(*VIEWS)
_is_workspace_view = kind_test(memref.ViewOp)


class Buffers:
    """What is known about the memory behind the memrefs that a block uses."""

    def __init__(self, block: Block):
        self.block = block
        self.position = {op: k for k, op in enumerate(block.ops)}
        self.lives: dict[SSAValue, tuple[int, int]] = {}
        # Before the first op is replaced.
        for op in self.position:
            for operand in op.operands:
                view = _workspace_view(operand)
                if view is not None and view.results[0] not in self.lives:
                    users = self._users(view.results[0])
                    self.lives[view.results[0]] = (min(users), max(users))

    def same(self, a: SSAValue, b: SSAValue) -> bool:
        """Returns whether two memrefs are the same elements at the same indices."""
        if a is b:
            return True
        x, y = a.owner, b.owner
        if a.type != b.type or not isinstance(x, memref.ViewOp) or not isinstance(y, memref.ViewOp):
            return False
        return x.source is y.source and all(
            v is w or (constant_index(v) is not None and constant_index(v) == constant_index(w))
            for v, w in zip(x.operands, y.operands, strict=True)
        )

    def disjoint(self, a: SSAValue, b: SSAValue) -> bool:
        """Returns whether two memrefs share no memory, for all that types, offsets and lifetimes tell."""
        x, y = _root(a), _root(b)
        if x is not y:
            return _distinct(x) and _distinct(y)
        v, w = _workspace_view(a), _workspace_view(b)
        if v is None or w is None or v is w:
            return False
        first, second = _range(v), _range(w)
        if first is not None and second is not None and (first[1] <= second[0] or second[1] <= first[0]):
            return True
        # Space in the workspace is given by lifetime: what is needed at the same time does not overlap.
        life_v, life_w = self.lives.get(v.results[0]), self.lives.get(w.results[0])
        return life_v is not None and life_w is not None and life_v[0] <= life_w[1] and life_w[0] <= life_v[1]

    def is_only_view(self, view: memref.ViewOp) -> bool:
        """Returns whether no other view of a workspace shows the same elements as one does."""
        others = [use.operation for use in view.source.uses if use.operation is not view]
        return not any(isinstance(op, memref.ViewOp) and self.same(op.results[0], view.results[0]) for op in others)

    def _users(self, value: SSAValue) -> list[int]:
        """Returns the positions in the block of the ops that touch a view."""
        users: list[int] = []
        pending = [value]
        while pending:
            for use in pending.pop().uses:
                op: Operation | None = use.operation
                if _is_view(op):
                    pending.extend(op.results)
                while op is not None and op.parent is not self.block:
                    op = op.parent_op()
                if op is not None:
                    users.append(self.position[op])
        return users


def _root(value: SSAValue) -> SSAValue:
    while _is_view(value.owner):
        value = value.owner.operands[0]
    return value


def _distinct(value: SSAValue) -> bool:
    """Returns whether a buffer overlaps no other one: arguments, allocations on the stack and constants do not."""
    return isinstance(value.owner, Block) or isinstance(value.owner, memref.AllocaOp | memref.GetGlobalOp)


def _workspace_view(value: SSAValue) -> memref.ViewOp | None:
    while _is_view(value.owner):
        owner = value.owner
        if _is_workspace_view(owner) and not _is_view(owner.source.owner):
            return owner
        value = owner.operands[0]
    return None


def _range(view: memref.ViewOp) -> tuple[int, int] | None:
    start = constant_index(view.byte_shift)
    type_ = cast(MemRefType, view.results[0].type)
    element = type_.element_type
    if start is None or DYNAMIC_INDEX in type_.get_shape() or not isinstance(element, FixedBitwidthType):
        return None
    size = max(1, element.size)
    for extent in type_.get_shape():
        size *= extent
    return start, start + size


def may_join(earlier: Nest, later: Nest, shared: int, buffers: Buffers) -> bool:
    """Returns whether each iteration of the first `shared` dims of both may run one after the other, before the next
    iteration.

    Both nests number these dims alike; views must be those of the program, not collapsed ones.
    """
    # Two accesses of which one writes are of one buffer, each iteration with a slice of its own, or of buffers that never overlap.
    for x, y in _conflicts(earlier, later):
        if buffers.same(sliced(x.value)[0], sliced(y.value)[0]):
            if not _same_slices(x, y, shared):
                return False
        elif not buffers.disjoint(x.value, y.value):
            return False
    return _reads_nothing_else(earlier) and _reads_nothing_else(later)


def never_meet(earlier: Nest, later: Nest, buffers: Buffers) -> bool:
    """Returns whether two nests touch nothing that the other one writes, so that their iterations may run in any order."""
    apart_from_others = all(
        buffers.disjoint(x.value, y.value) or apart(x.value, y.value) for x, y in _conflicts(earlier, later)
    )
    return apart_from_others and _reads_nothing_else(earlier) and _reads_nothing_else(later)


def _conflicts(earlier: Nest, later: Nest) -> Iterator[tuple[Access, Access]]:
    """Yields the accesses to memory of two nests, one of each, of which one writes."""
    for x, x_writes in _touched(earlier):
        for y, y_writes in _touched(later):
            if (x_writes or y_writes) and x.is_memref and y.is_memref:
                yield x, y


def _touched(nest: Nest) -> list[tuple[Access, bool]]:
    return [*((a, False) for a in nest.inputs), *((a, True) for a in nest.outputs)]


def _same_slices(x: Access, y: Access, shared: int) -> bool:
    """Returns whether iterations of the shared dims touch slices that are their own, of one buffer that both may read by slices of it."""
    (_, x_offsets), (_, y_offsets) = sliced(x.value), sliced(y.value)
    axes = list(zip(x.exprs, y.exprs, x_offsets, y_offsets, strict=True))
    for d in range(shared):
        dim = AffineDimExpr(d)
        if not any(e == dim and f == dim and p is not None and p == q for e, f, p, q in axes):
            return False
    return True


def sliced(value: SSAValue) -> tuple[SSAValue, list[int | None]]:
    """Returns the buffer that a value is a slice of, of neighbors along each axis, and where it begins on each axis; None for unknown.

    What is no such slice is itself, from 0 on.
    """
    owner = value.owner
    rank = len(cast(MemRefType, value.type).get_shape())
    if isinstance(owner, memref.SubviewOp) and len(cast(MemRefType, owner.source.type).get_shape()) == rank:
        if all(stride == 1 for stride in owner.static_strides.get_values()):
            starts = owner.static_offsets.get_values()
            return owner.source, [None if start == DYNAMIC_INDEX else start for start in starts]
    return value, [0] * rank


def _reads_nothing_else(nest: Nest) -> bool:
    """Returns whether the payload touches memory through its operands alone."""
    return all(
        op.dialect_name() in ("arith", "math") or isinstance(op, linalg.IndexOp | linalg.YieldOp)
        for op in nest.body.walk()
    )


class SizeClasses:
    """Sizes of memref dims that are equal because ops of one block loop over them together."""

    def __init__(self, ops: Sequence[Operation]):
        self.parent: dict[object, object] = {}
        for op in ops:
            if not isinstance(op, linalg.GenericOp):
                continue
            by_dim: dict[int, object] = {}
            for value, exprs in _indexed(op):
                for axis, expr in enumerate(exprs):
                    if isinstance(expr, AffineDimExpr):
                        key = self._find(_size_key(value, axis))
                        self._join(by_dim.setdefault(expr.position, key), key)

    def of(self, nest: Nest, loop: int) -> object:
        """Returns what names the size of a loop of a nest; equal names are equal sizes.

        The loop is one dim of the op, whose maps say where it has its size: `d0 + d1` is not the size of d0 though d1 be 0.
        """
        (dim,) = nest.loops[loop]
        for value, exprs in _indexed(nest.op):
            for axis, expr in enumerate(exprs):
                if isinstance(expr, AffineDimExpr) and expr.position == dim:
                    return self._find(_size_key(value, axis))
        return object()

    def _find(self, key: object) -> object:
        while key in self.parent:
            key = self.parent[key]
        return key

    def _join(self, a: object, b: object) -> None:
        a, b = self._find(a), self._find(b)
        if a == b:
            return
        # Static sizes stay the representatives.
        if isinstance(a, int):
            self.parent[b] = a
        else:
            self.parent[a] = b


def _indexed(op: Operation) -> Iterator[tuple[SSAValue, Sequence[AffineExpr]]]:
    """Yields each memref that a `linalg` op accesses, with its index expressions in the dims of the op."""
    for k, value in enumerate(op.operands):
        if isinstance(value.type, MemRefType):
            identity = [AffineDimExpr(d) for d in range(len(value.type.get_shape()))]
            yield value, op.indexing_maps.data[k].data.results if isinstance(op, linalg.GenericOp) else identity


def _size_key(value: SSAValue, position: int) -> object:
    """Returns a name of the size of a dim: an integer, a value of type `index`, or a memref and a position."""
    type_ = cast(MemRefType, value.type)
    size = type_.get_shape()[position]
    if size != DYNAMIC_INDEX:
        return size
    owner = value.owner
    if isinstance(owner, memref.ViewOp | memref.AllocaOp):
        dynamic = owner.sizes if isinstance(owner, memref.ViewOp) else owner.dynamic_sizes
        size_value = dynamic[sum(s == DYNAMIC_INDEX for s in type_.get_shape()[:position])]
        if isinstance(size_value.owner, memref.DimOp):
            index = constant_index(size_value.owner.index)
            if index is not None:
                return _size_key(size_value.owner.source, index)
        return size_value
    if isinstance(owner, memref.CastOp):
        return _size_key(owner.source, position)
    return (value, position)
