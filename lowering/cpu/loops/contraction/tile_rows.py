"""Rows whose sums are in tile registers: their shapes, the calls of their kernels, and what an epilogue reads of sums on the stack.

ldtilecfg                                   for whole tiles of 32 rows
scf.for the rows: func.call @relax.contract.tdpbf16ps.2x2.64...
ldtilecfg                                   for the rows that are left
func.call @relax.contract.tdpbf16ps.1x4.64...
tilerelease
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from xdsl.ir import SSAValue

from .....targets.cpu import TILE_ROWS
from ....emit.emitter import Index
from ..kernels import KernelOperands
from ..loop_nest import LoopNest
from ..stack import stack
from .lhs_rows import LhsRows
from .panel_blocks import block_width
from .sums_on_stack import reading_sums
from .tile_instructions import TileRegisters, config_memory, configure, registers_for, release
from .tile_kernel import TileKernel, call_tile_kernel
from .tiled_contraction import TiledContraction


class TileRows:
    """The rows of a block; memory for their shapes and sums is allocated where the builder stands."""

    def __init__(self, whole: TiledContraction):
        b, t = whole.b, whole.t
        self.whole = whole
        self.b = b
        self.t = t
        self.shapes = config_memory(b)
        self.block = whole.k.packed_block or block_width(whole.k, t)
        """The columns of B in which groups of steps lie together."""
        # Rows of sums do not lie a power of two apart, which few lines of a cache would hold.
        self.sums_row = t.width + t.lanes
        held = t.rows if whole.joined is None or not isinstance(whole.rows, int) else whole.rows
        self.sums = stack(b, whole.k.acc_type, held * self.sums_row) if whole.tiles.sums == "stack" else None

    def rows(self, start: Index, end: Index, emit: Callable[[Index, Index], None]) -> None:
        """Emits tiles, given the first row and the rows of each: whole ones, then one with the rows that are left.

        The registers are configured once for each of both, which takes as long as multiplying a few tiles, unless they are already.
        """
        b, whole = self.b, self.t.rows
        limit = b.add(start, b.round_down(b.sub(end, start), whole))
        is_configured = self.are_whole(start, end)

        def whole_tiles() -> None:
            if not is_configured:
                self.configure_whole()
            b.plain_loop(start, limit, whole, lambda row: emit(row, whole))

        def rest() -> None:
            count = b.sub(end, limit)
            self._for_row_tiles(count, lambda n: configure(b, self.shapes, self.registers(n), count))
            emit(limit, count)

        for first, last, body in ((start, limit, whole_tiles), (limit, end, rest)):
            if not isinstance(first, int) or not isinstance(last, int):
                b.when(b.less(first, last), body)
            elif first < last:
                body()
        if not is_configured:
            release(b)

    def are_whole(self, start: Index, end: Index) -> bool:
        """Returns whether rows surely make whole tiles: the registers are then configured once for all of a block."""
        return isinstance(start, int) and isinstance(end, int) and (end - start) % self.t.rows == 0

    def configure_whole(self) -> None:
        """Emits the shapes of whole tiles."""
        configure(self.b, self.shapes, self.registers(self.t.rows), self.t.rows)

    def registers(self, rows: int) -> TileRegisters:
        """Returns the registers for so many rows."""
        return registers_for(rows, self.t.width, self.block)

    def _for_row_tiles(self, rows: Index, emit: Callable[[int], None]) -> None:
        """Emits code for each number of rows of tiles that so many rows may take; it is given rows that take as many."""
        if isinstance(rows, int):
            emit(rows)
        elif self.t.rows <= TILE_ROWS:
            emit(self.t.rows)
        else:
            self.b.if_else(self.b.less(TILE_ROWS, rows), lambda: emit(self.t.rows), lambda: emit(TILE_ROWS))

    def multiply(self, rows: Index, operands: KernelOperands, copies: LhsRows | None) -> None:
        """Emits the call for the rows of a tile, whose shapes the registers have; it reads copies of rows that do not begin at lines."""
        if copies is None:
            self._call(rows, operands)
            return

        def call_on_copies() -> None:
            steps = self.b.mul(self.b.ceildiv(operands.steps, self.t.unit), self.t.unit)
            self._call(rows, replace(operands, a=copies.fill(operands.a, rows, operands.steps), steps=steps))

        in_place = copies.begin_at_lines(operands.a)
        if in_place is None:
            call_on_copies()
        else:
            self.b.if_else(in_place, lambda: self._call(rows, operands), call_on_copies)

    def _call(self, rows: Index, operands: KernelOperands) -> None:
        """Emits the call of the kernel for so many rows."""
        b, k, t = self.b, self.whole.k, self.t
        dot = t.dot
        assert dot is not None
        types = k.a.type.element_type, k.b.type.element_type, k.acc_type
        parts = tuple(self.whole.nest.sizes[d] or 0 for d in t.outer) if operands.parts else ()

        def call(count: int) -> None:
            kernel = TileKernel(self.registers(count), dot, self.block, self._may_leave_steps(), parts, *types)
            call_tile_kernel(b, self.whole.library, kernel, operands, rows)

        self._for_row_tiles(rows, call)

    def sums_at(self, point: Sequence[Index]) -> tuple[SSAValue, Index, Index] | None:
        """Returns the sums on the stack of the tile at a point, as operands of kernels have them; None where they are in the output."""
        if self.sums is None:
            return None
        row = self.t.row
        first = 0 if row is None or self.whole.joined is None else self.b.mul(point[row], self.sums_row)
        return self.sums, first, self.sums_row

    def reading_sums(self, point: Sequence[Index]) -> Sequence[LoopNest]:
        """Returns the epilogue of a tile, which reads sums that are on the stack there."""
        whole = self.whole
        return whole.epilogue if self.sums is None else reading_sums(whole, self.sums, self.sums_row, point)

    def _may_leave_steps(self) -> bool:
        """Returns whether the steps of a call may be no multiple of those in a row of a tile."""
        t, size, inside = self.t, self.whole.sizes[self.t.chunked], self.whole.inside
        if t.gathers:
            return False
        unit = TILE_ROWS * t.group
        if not isinstance(size, int) or size * inside % unit:
            return True
        return size > t.chunk and t.chunk * inside % unit != 0
