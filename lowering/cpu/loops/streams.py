"""Rows that come from memory and go there: those some iterations ahead are fetched, results are written past the caches.

    scf.parallel %i { vector.load %x[%i, 0]; ...; vector.store %e, %y[%i, 0] }    with ahead = 32, stored = past_caches

becomes

    %aligned = the address of %y is a multiple of 64
    scf.parallel %i {
      llvm.prefetch of the rows %i + 32 and %i + 4 of %x; vector.load %x[%i, 0]; ...
      scf.if %aligned { vector.store %e, %y[%i, 0] {alignment = 64, nontemporal} } else { vector.store %e, %y[%i, 0] }
    }
    llvm.x86.sse.sfence
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import IntegerAttr, MemRefType, NoneAttr, i64
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr
from xdsl.utils.hints import isa

from ....dialects.relax.schedule import Scalars, Vectors
from ...emit.emitter import Index
from ..schedule.access import Access
from .alignment import are_aligned
from .builder import LoopBuilder
from .fetch import bytes_of, elements_of_line, fetch
from .loop_nest import LoopNest
from .row_memory import RowMemory, buffer_of

NEARER = 8
"""How much nearer the rows are that come into the first-level cache than those that come into the second one."""


class Streams:
    """What the nests of a group, inside of one common loop, read and write by whole rows."""

    def __init__(self, b: LoopBuilder, nests: Sequence[LoopNest], schedules: Sequence[Scalars | Vectors]):
        self.b = b
        self.ahead = max(schedule.ahead for schedule in schedules if isinstance(schedule, Vectors))
        lanes = {schedule.lanes for schedule in schedules if isinstance(schedule, Vectors)}
        past_caches = any(isinstance(schedule, Vectors) and schedule.stored == "past_caches" for schedule in schedules)
        outputs = {buffer_of(o.value): o for nest in nests for o in nest.outputs if _is_matrix(o)}
        inputs = {buffer_of(i.value): i for nest in nests for i in nest.inputs if _is_matrix(i)}
        self.inputs = [access for buffer, access in inputs.items() if buffer not in outputs and buffer is not None]
        self.outputs = {
            buffer
            for buffer, o in outputs.items()
            if past_caches and all(_row(o) % count == 0 for count in lanes) and buffer is not None
        }
        first = [o for buffer, o in outputs.items() if buffer in self.outputs]
        self.alignment = max(lanes) * max((bytes_of(o.type.element_type) for o in first), default=0)
        self.aligned = are_aligned(b, [o.value for o in first], self.alignment) if first else None

    def fetch(self, row: Index) -> None:
        """Emits the fetches of a later row into the second-level cache, and of a nearer one into the first."""
        b = self.b
        for access in self.inputs if self.ahead else ():
            for level, ahead in ((2, self.ahead), (1, max(1, self.ahead // NEARER))):
                start = b.mul(b.add(row, ahead), _row(access))
                for offset in range(0, _row(access), elements_of_line(access.type.element_type)):
                    fetch(b, access.value, b.add(start, offset), level)

    def store(self, row: RowMemory) -> None:
        """Makes the last stores of whole vectors of a row such that go past the caches."""
        stores = [op for op in row.last_stores(self.outputs) if isinstance(op, vector.StoreOp)]
        if self.aligned is None or not stores:
            return
        for op in stores:
            op.detach()
        self.b.if_else(
            self.aligned,
            lambda: self._append([self._past_caches(op) for op in stores]),
            lambda: self._append(stores),
        )

    def _append(self, ops: Sequence[Operation]) -> None:
        for op in ops:
            self.b.append(op)

    def _past_caches(self, op: vector.StoreOp) -> Operation:
        new = op.clone()
        new.properties["nontemporal"] = IntegerAttr.from_bool(True)
        new.attributes["alignment"] = IntegerAttr(self.alignment, i64)
        return new

    def finish(self) -> None:
        """Emits what makes stores past the caches come before all that follows; other threads do so when they end."""
        if self.aligned is not None:
            self.b.append(llvm.CallIntrinsicOp("llvm.x86.sse.sfence", [], []))


def _is_matrix(access: Access) -> bool:
    """Returns whether an operand is a compact matrix with rows of a known size, one for each iteration of the common loop."""
    if (
        list(access.exprs) != [AffineDimExpr(0), AffineDimExpr(1)]
        or not access.is_memref
        or not isa(access.value.type, MemRefType)
    ):
        return False
    shape = access.value.type.get_shape()
    return isinstance(access.value.type.layout, NoneAttr) and shape[1] > 0


def _row(access: Access) -> int:
    return access.type.get_shape()[1]
