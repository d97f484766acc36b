"""What one row has written stays in registers: loads of it are the values, and stores that later ones overwrite are not made.

    vector.store %e, %y[%i, 0];  %0 = vector.load %y[%i, 0];  %1 = arith.mulf %0, %s;  vector.store %1, %y[%i, 0]

becomes

    %1 = arith.mulf %e, %s;  vector.store %1, %y[%i, 0]
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import AnyFloat, MemRefType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ....kinds import kind_test
from ....records import record
from ...emit.emitter import Index
from ...sizes.op_sizes import VIEWS, constant_index

_is_view = kind_test(*VIEWS)


@record(frozen=False)
class _Written:
    """A value in memory."""

    value: SSAValue
    type: Attribute
    """That of the memref which it was written through."""
    indices: tuple[Index, ...]
    lanes: int
    mask: SSAValue | None
    store: Operation
    is_read: bool = False
    """Whether it must be in memory."""

    def is_at(self, type_: Attribute, indices: tuple[Index, ...], lanes: int, mask: SSAValue | None) -> bool:
        """Returns whether an access is of just these elements."""
        same = self.type == type_ and self.indices == indices and self.lanes == lanes
        return same and _same_mask(self.mask, mask)

    def may_overlap(self, type_: Attribute, indices: tuple[Index, ...], lanes: int) -> bool:
        """Returns whether an access may be of one of these elements."""
        if self.type != type_ or self.indices[:-1] != indices[:-1] or not indices:
            return True
        here, there = self.indices[-1], indices[-1]
        if not isinstance(here, int) or not isinstance(there, int):
            return True
        return here < there + max(lanes, 1) and there < here + max(self.lanes, 1)


class RowMemory:
    """The contents of the buffers of a group of nests at one iteration of the loops that they share.

    Of two buffers of a group of which one is written, either both are the same elements, or they share none (`may_join`). Only the
    accesses of one block are followed: those of loops and branches inside of it end what is known.
    """

    def __init__(self, block: Block):
        self.block = block
        self._written: dict[object, list[_Written]] = {}

    def load(
        self, block: Block, source: SSAValue, indices: Sequence[Index], lanes: int, mask: SSAValue | None
    ) -> SSAValue | None:
        """Returns what a load in a block would read, if that is known; `lanes` is 0 for a single element, which has no vector."""
        buffer = buffer_of(source)
        if block is not self.block or buffer is None:
            self._written.clear()
            return None
        at = tuple(indices)
        for written in self._written.get(buffer, ()):
            # Lanes outside of a mask are read as 0: only floats of them do no harm.
            if written.is_at(source.type, at, lanes, mask) and (mask is None or _is_float(source)):
                return written.value
            written.is_read |= written.may_overlap(source.type, at, lanes)
        return None

    def last_stores(self, buffers: Collection[object]) -> list[Operation]:
        """Returns the stores to some buffers that nothing in the row comes after."""
        return [each.store for buffer in buffers for each in self._written.get(buffer, ()) if not each.is_read]

    def store(
        self,
        block: Block,
        op: Operation,
        value: SSAValue,
        target: SSAValue,
        indices: Sequence[Index],
        mask: SSAValue | None,
    ) -> None:
        """Takes note of a store in a block, and erases one before it that wrote the same elements for nobody."""
        buffer = buffer_of(target)
        if block is not self.block or buffer is None:
            self._written.clear()
            return
        lanes = value.type.get_shape()[0] if isinstance(value.type, VectorType) else 0
        at = tuple(indices)
        kept: list[_Written] = []
        for written in self._written.get(buffer, ()):
            if written.is_at(target.type, at, lanes, mask):
                if not written.is_read:
                    written.store.detach()
                    written.store.erase()
            elif not written.may_overlap(target.type, at, lanes):
                kept.append(written)
        self._written[buffer] = [*kept, _Written(value, target.type, at, lanes, mask, op)]


def buffer_of(value: SSAValue) -> object:
    """Returns what names the buffer of a memref, equal for the same elements; None for a part of one."""
    while isinstance(value.owner, memref.CollapseShapeOp):
        value = value.owner.src
    owner = value.owner
    if isinstance(owner, memref.ViewOp):
        numbers = [constant_index(operand) for operand in owner.operands[1:]]
        operands = [o if number is None else number for o, number in zip(owner.operands[1:], numbers, strict=True)]
        return owner.source, tuple(operands), value.type
    return None if _is_view(owner) else value


def _is_float(memory: SSAValue) -> bool:
    return isinstance(memory.type, MemRefType) and isinstance(memory.type.element_type, AnyFloat)


def _same_mask(a: SSAValue | None, b: SSAValue | None) -> bool:
    """Returns whether two masks are equal for all that can be seen."""
    if a is b or a is None or b is None:
        return a is b
    x, y = a.owner, b.owner
    return (
        isinstance(x, vector.CreateMaskOp)
        and isinstance(y, vector.CreateMaskOp)
        and list(x.operands) == list(y.operands)
    )
