"""Blocks in tile registers whose epilogue runs beside the products: that of some rows and columns inside of the loop over the steps of the
next, as tiles are multiplied by a unit of their own.

    linalg.generic %c += %a * %b, linalg.generic %d = f(%c)    with tiles = <shape = [28, 64], ..., sums = pipelined>

becomes

    ldtilecfg
    scf.for %n = 0 to %stages                28 rows and 32 columns each
      4 x tilezero
      scf.for the steps, 64 bytes of each row of A at a time
        2 x tileloadd of A, 2 x tileloadd of B, 4 x tdpbusd
        f on some rows of stage %n - 1       from the stack
      4 x tilestored                         to the stack
    f on the last stage
    tilerelease

Sums are stored behind all loads of those before: the store buffer would let no load pass a store to the same place of another page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from .....records import record
from .....targets.cpu import TILE_ROW_BYTES, TILE_ROWS
from ....emit.emitter import Index
from ....emit.pointers import address_of
from ...schedule.panel_parts import distance_of_parts
from ..loop_nest import LoopNest, uppers_of, with_loop
from ..stack import stack
from .contraction_block import Source
from .epilogue import EpilogueTiles, emit_epilogue
from .parts import for_parts
from .register_block import RegisterBlock
from .sums_on_stack import reading_sums
from .tile_instructions import (
    SUM_BYTES,
    clear_sums,
    move_sums,
    multiply_tiles,
    release,
    to_column,
)


@record
class _Stage:
    """The first row and column of a stage, and how many columns of the block are before it."""

    point: list[Index]
    columns: Index


@record
class _Factors:
    """Where the factors of a stage lie, in bytes: their first rows and the distance of these, and what the loops around panels add."""

    left: Index
    left_row: Index
    left_parts: tuple[Index, ...]
    right: Index
    right_part: Index


class PipelinedBlock(RegisterBlock):
    """A block of whole tiles, all steps of which are in one panel, or in panels that are filled before the first tile."""

    def emit(self) -> None:
        whole = self.whole
        b, t = whole.b, whole.t
        self.registers = self.rows_of_sums.registers(t.rows)
        self.columns_of_stage = self.registers.columns * TILE_ROWS
        self.sums = stack(b, whole.k.acc_type, self.registers.rows * TILE_ROWS * self.columns_of_stage)
        self.right, self.right_part = self._right_operand()
        tiles = b.floordiv(b.sub(self.end, self.start), t.rows)
        first, last = self.outer_rows or (0, b.product(uppers_of(whole.nest, whole.other_rows)))
        passes = t.width // self.columns_of_stage
        all_tiles = b.mul(b.sub(last, first), tiles)
        stages = b.mul(all_tiles, passes)

        def stage(number: Index) -> _Stage:
            if self.rows_of_a is None:
                # All rows take the columns that the first-level cache holds.
                column = b.floordiv(number, all_tiles)
                tile = b.sub(number, b.mul(column, all_tiles))
            else:
                tile = b.floordiv(number, passes)
                column = b.sub(number, b.mul(tile, passes))
            columns = b.mul(column, self.columns_of_stage)
            outer = b.floordiv(tile, tiles)
            row = b.add(self.start, b.mul(b.sub(tile, b.mul(outer, tiles)), t.rows))
            at = whole.with_rows(self.point, whole.outer_indices(b.add(first, outer)), row)
            return _Stage(with_loop(at, whole.k.column, b.add(at[whole.k.column], columns)), columns)

        def multiply(number: Index) -> None:
            has_previous = b.less(0, number)
            self._multiply(stage(number), stage(b.sub(number, 1)), has_previous)

        self.rows_of_sums.configure_whole()
        b.plain_loop(0, stages, 1, multiply)
        release(b)

        def finish_last() -> None:
            self._finish(self._reading(stage(b.sub(stages, 1))), 0, t.rows)

        b.when(b.less(0, stages), finish_last)

    def _right_operand(self) -> tuple[Source, Index]:
        """Returns where B lies, in panels that are filled here unless it lies in blocks, and the elements from a panel to the next."""
        whole = self.whole
        if not whole.tiles.packs_rhs:
            point = self.point
            source = (whole.fb.buffer, whole.fb.offset(whole.b, point), self.distance_of_blocks(point))
            return source, distance_of_parts(whole.k, whole.t) or 0
        panel = self.panel(whole.tiles.panels)
        self.fill_all_panels(panel)
        return (panel.buffer, 0, panel.distance), panel.size

    def _multiply(self, stage: _Stage, previous: _Stage, has_previous: SSAValue) -> None:
        """Emits the products of a stage, the epilogue of the one before it, if there is one, and the stores of the sums."""
        whole = self.whole
        b, t = whole.b, whole.t
        assert isinstance(whole.panel_steps, int)
        steps = -(-whole.panel_steps // (TILE_ROWS * t.group))
        parts = tuple(whole.nest.sizes[d] or 0 for d in t.outer)
        rows = -(-t.rows // (prod(parts) * steps))
        epilogue = self._reading(previous)

        def finish(number: Index) -> None:
            first = b.mul(number, rows)
            left = b.sub(t.rows, first)
            count = rows if t.rows % rows == 0 else b.minimum(rows, left)
            b.when(b.both(has_previous, b.less(0, left)), lambda: self._finish(epilogue, first, count))

        factors = self._factors(stage)
        clear_sums(b, self.registers)
        self._for_steps(parts, steps, factors, finish)
        move_sums(b, "tilestored64", self.registers, address_of(b, self.sums), self.columns_of_stage * SUM_BYTES)

    def _for_steps(
        self, parts: tuple[int, ...], steps: int, factors: _Factors, finish: Callable[[Index], None]
    ) -> None:
        """Emits the loops over panels and the steps that rows of tiles hold; what is emitted beside the products is given their number."""
        b, t, dot = self.whole.b, self.whole.t, self.whole.t.dot
        assert dot is not None
        width, starts = self.rows_of_sums.block, range(0, self.columns_of_stage, TILE_ROWS)
        distances = [to_column(b, start, width, self.right[2], t.group) for start in starts]

        def part(number: Index, offset: Index, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            left = b.add(factors.left, offset)
            right = b.add(factors.right, b.mul(factors.right_part, number))

            def step(i: Index, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
                rows = b.add(left, b.mul(i, TILE_ROW_BYTES)), factors.left_row
                columns = b.add(right, b.mul(i, width * SUM_BYTES * TILE_ROWS)), width * SUM_BYTES
                multiply_tiles(b, dot, self.registers, rows, columns, distances)
                finish(b.add(b.mul(number, steps), i))
                return ()

            return b.loop(0, steps, 1, (), step, no_unroll=True)

        for_parts(b, parts, factors.left_parts, (), part)

    def _factors(self, stage: _Stage) -> _Factors:
        """Returns where the factors of a stage lie; rows that are copied are so for the first columns of the block."""
        whole, copies = self.whole, self.rows_of_a
        b, t = whole.b, whole.t
        size = SUM_BYTES // t.group
        buffer, start, distance = self.right
        start = b.add(start, to_column(b, stage.columns, self.rows_of_sums.block, distance, t.group))
        right, right_part = b.add(address_of(b, buffer), b.mul(start, size)), b.mul(self.right_part, size)
        source = (whole.fa.buffer, whole.fa.offset(b, stage.point), whole.a_row, whole.a_step)
        left, row = b.add(address_of(b, source[0]), b.mul(source[1], size)), b.mul(whole.a_row, size)
        if copies is None:
            parts = tuple(b.mul(whole.fa.step(b, d), size) for d in t.outer)
            return _Factors(left, row, parts, right, right_part)
        in_place = copies.begin_at_lines(source)
        is_first = b.compare("eq", stage.columns, 0)
        fills = (
            is_first if in_place is None else b.both(is_first, b.insert(arith.XOrIOp(in_place, b.constant(True, i1))))
        )

        def fill() -> None:
            copies.fill(source, t.rows, whole.panel_steps)

        b.when(fills, fill)
        copied = address_of(b, copies.buffer)
        if in_place is None:
            return _Factors(copied, copies.row * size, (), right, right_part)
        return _Factors(
            b.select(in_place, left, copied), b.select(in_place, row, copies.row * size), (), right, right_part
        )

    def _reading(self, stage: _Stage) -> tuple[_Stage, Sequence[LoopNest]]:
        """Returns a stage, and the epilogue that reads its sums."""
        return stage, reading_sums(self.whole, self.sums, self.columns_of_stage, stage.point)

    def _finish(self, epilogue: tuple[_Stage, Sequence[LoopNest]], first: Index, rows: Index) -> None:
        """Emits the epilogue on some rows of a stage."""
        whole = self.whole
        b, t = whole.b, whole.t
        stage, nests = epilogue
        tiles = EpilogueTiles(t.lanes, self.columns_of_stage // t.lanes, t.row, whole.k.column)
        at = stage.point if t.row is None else with_loop(stage.point, t.row, b.add(stage.point[t.row], first))
        emit_epilogue(b, tiles, nests, at, rows, self.columns_of_stage)
