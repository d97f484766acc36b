"""The tiled schedule of contractions: panels of B, register tiles by calls of micro-kernels.

parallel: batch, other columns, blocks of rows, blocks of columns
  panel of B on the stack
  for reduced dims outside of panels, chunks of the chunked one
    fill the panel (unless B lies in such blocks already)
    for other rows, tiles of rows: micro-kernel
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from .builder import Index, LoopBuilder
from .contraction import Contraction, Tiling
from .epilogue import emit_epilogue
from .flat import flatten
from .iteration import Nest, with_dim
from .micro_kernel import KernelLibrary, MicroKernel, call_kernel
from .panel import Panel, panel_contents, steps_inside
from .parallel import ACCESS, ENOUGH_ITERATIONS, THREAD_WORK, UNKNOWN_ITERATIONS, estimate, inside, share

ROW_BLOCK = 96
"""Fewest rows that use a panel: filling it must not cost more than a few hundredths of using it."""


def emit_contraction(
    builder: LoopBuilder,
    library: KernelLibrary,
    contraction: Contraction,
    tiling: Tiling,
    starts_at_zero: bool,
    epilogue: Sequence[Nest] = (),
) -> None:
    """Emits a contraction; it adds to the output's content, or starts at zero and does not read it.

    The nests of the epilogue run on each finished tile; with one there must be at least one step of reduction.
    """
    _Emitter(builder, library, contraction, tiling, starts_at_zero, epilogue).emit()


class _Emitter:
    def __init__(
        self,
        b: LoopBuilder,
        library: KernelLibrary,
        contraction: Contraction,
        tiling: Tiling,
        starts_at_zero: bool,
        epilogue: Sequence[Nest],
    ):
        self.b = b
        self.library = library
        self.k = contraction
        self.t = tiling
        self.fresh = starts_at_zero
        self.epilogue = epilogue
        self.sizes = contraction.nest.sizes
        self.packed = contraction.packed_block > 0
        self.fa = flatten(b, contraction.a)
        self.fb = flatten(b, contraction.b)
        self.fc = flatten(b, contraction.c)
        self.inside = steps_inside(contraction, tiling)
        a_step = self.fa.step(b, tiling.whole[-1] if tiling.whole else tiling.chunked)
        self.a_step = a_step
        row = contraction.tile_row
        self.rows: Index = 1 if row is None else self.sizes[row]
        self.a_row, self.c_row = (0, 0) if row is None else (self.fa.step(b, row), self.fc.step(b, row))
        self.other_rows = [d for d in contraction.rows if d != row]

    # ---- loops ----

    def emit(self) -> None:
        b, k, t = self.b, self.k, self.t
        if any(isinstance(s, int) and s == 0 for d, s in enumerate(self.sizes) if k.nest.parallel[d]):
            return
        if t.joined_rows > 1:
            over, block, block_dim = k.columns[:-2], t.joined_rows, k.columns[-2]
        else:
            over, block, block_dim = k.columns[:-1], t.width, k.column
        blocks = b.ceildiv(self.sizes[block_dim], block)
        row_block = self._row_block([*k.batch, *over], blocks)
        row_blocks = 1 if row_block is None else b.ceildiv(self.rows, row_block)
        outer = [*k.batch, *over]
        uppers = [*(self.sizes[d] for d in outer), row_blocks, blocks]

        def body(indices: Sequence[Index]) -> None:
            dims: list[Index] = [0] * k.nest.rank()
            for d, index in zip(outer, indices, strict=False):
                dims[d] = index
            row_index, column_index = indices[-2:]
            dims[block_dim] = b.mul(column_index, block)
            start: Index = 0
            end = self.rows
            if row_block is not None:
                start = b.mul(row_index, row_block)
                end = b.min(b.add(start, row_block), end)
            self._block(dims, start, end, block_dim)

        rows = self.rows if row_block is None else row_block
        panel = inside([t.width, *(self.sizes[d] for d in k.reduced)])
        points = panel * inside([rows, *(self.sizes[d] for d in self.other_rows)])
        b.nest(uppers, body, share(uppers, ACCESS * panel + points // 2))

    def _row_block(self, outer: Sequence[int], blocks: Index) -> int | None:
        """Rows that one iteration of the parallel loop takes; None for all."""
        iterations = blocks if isinstance(blocks, int) else UNKNOWN_ITERATIONS
        for d in outer:
            size = self.sizes[d]
            iterations *= size if isinstance(size, int) else UNKNOWN_ITERATIONS
        rows = self.rows
        if rows == 1 or iterations >= ENOUGH_ITERATIONS or self.b.in_parallel or self._is_little():
            return None
        tiles = -(-ROW_BLOCK // self.t.rows)
        if isinstance(rows, int):
            wanted = -(-rows * iterations // ENOUGH_ITERATIONS)
            tiles = max(tiles, -(-wanted // self.t.rows))
        return tiles * self.t.rows

    def _is_little(self) -> bool:
        """Whether the whole contraction is surely not worth two threads."""
        work = 1
        for size in self.sizes:
            work *= estimate(size)
        return work // 2 < 2 * THREAD_WORK

    def _block(self, dims: list[Index], start: Index, end: Index, block_dim: int) -> None:
        """One block of columns, over the whole reduction."""
        b, k, t = self.b, self.k, self.t
        left = b.sub(self.sizes[block_dim], dims[block_dim])
        if t.joined_rows > 1:
            left = b.mul(left, self.sizes[k.column])
        columns = b.min(left, t.width if t.joined_rows == 1 else t.joined_rows * self._column_size())
        panel = None if self.packed else Panel(b, k, t, self.fb)

        def outer(level: int, point: list[Index], first: SSAValue | None, last: SSAValue | None) -> None:
            if level == len(t.outer):
                d, step = t.chunked, t.chunk
                b.plain_loop(0, self.sizes[d], step, lambda i: chunk(with_dim(point, d, i), first, last, i))
                return
            d = t.outer[level]

            def inner(i: Index) -> None:
                outer(level + 1, with_dim(point, d, i), self._both(first, i), self._ends(last, d, b.add(i, 1)))

            b.plain_loop(0, self.sizes[d], 1, inner)

        def chunk(point: list[Index], first: SSAValue | None, last: SSAValue | None, position: Index) -> None:
            begins = self._both(first, position)
            count = b.min(b.sub(self.sizes[t.chunked], position), t.chunk)
            steps = b.mul(count, self.inside)
            if panel is not None:
                panel.fill(point, count)
                source: tuple[SSAValue, Index, Index] = (panel.buffer, 0, t.width)
            else:
                inner = t.whole[-1] if t.whole else t.chunked
                step = self.fb.step(b, inner) if t.group == 1 else k.packed_block
                source = (self.fb.buffer, self.fb.offset(b, point), step)
            is_first = begins if begins is not None else b.constant(True, i1)
            if not self.fresh:
                is_first = b.constant(False, i1)
            ends = self._ends(last, t.chunked, b.add(position, count))
            self._rows(point, source, steps, columns, is_first, ends, start, end)

        if self.fresh and self._may_be_empty():
            # No step at all: the output is what it starts from.
            self._clear(dims, columns, start, end)
        outer(0, dims, None, None)

    def _column_size(self) -> int:
        size = self.sizes[self.k.column]
        assert isinstance(size, int)
        return size

    def _both(self, first: SSAValue | None, index: Index) -> SSAValue | None:
        """Whether a loop over reduced dims is at its start, given that for the loops around; None is yes."""
        if isinstance(index, int):
            assert index == 0
            return first
        here = self.b.insert(arith.CmpiOp(index, self.b.value(0), "eq"))
        return here if first is None else self.b.insert(arith.AndIOp(first, here))

    def _ends(self, last: SSAValue | None, dim: int, position: Index) -> SSAValue | None:
        """Whether a loop over a reduced dim is at its end, given that for the loops around; None is yes."""
        size = self.sizes[dim]
        if not self.epilogue or position == size:
            return last
        here = self.b.insert(arith.CmpiOp(self.b.value(position), self.b.value(size), "eq"))
        return here if last is None else self.b.insert(arith.AndIOp(last, here))

    def _may_be_empty(self) -> bool:
        return any(not isinstance(self.sizes[d], int) or self.sizes[d] == 0 for d in self.k.reduced)

    def _clear(self, dims: list[Index], columns: Index, start: Index, end: Index) -> None:
        """Zeros in the block of the output, if the reduction has no step."""
        b, k = self.b, self.k
        steps = b.product([self.sizes[d] for d in k.reduced])
        zero = b.constant(0, k.acc_type)

        def clear() -> None:
            def at(indices: Sequence[Index]) -> None:
                point = list(dims)
                for d, index in zip(self.other_rows, indices, strict=False):
                    point[d] = index
                point = self._at_row(point, b.add(start, indices[-2]))
                b.store(zero, self.fc.buffer, [b.add(self.fc.offset(b, point), indices[-1])])

            b.nest([*(self.sizes[d] for d in self.other_rows), b.sub(end, start), columns], at)

        b.when(b.insert(arith.CmpiOp(b.value(steps), b.value(0), "eq")), clear)

    # ---- rows ----

    def _rows(
        self,
        point: list[Index],
        panel: tuple[SSAValue, Index, Index],
        steps: Index,
        columns: Index,
        first: SSAValue,
        last: SSAValue | None,
        start: Index,
        end: Index,
    ) -> None:
        b, k, t = self.b, self.k, self.t

        def tiles(indices: Sequence[Index]) -> None:
            at = list(point)
            for d, index in zip(self.other_rows, indices, strict=True):
                at[d] = index

            def call(row: Index, rows: int) -> None:
                here = self._at_row(at, row)
                a = (self.fa.buffer, self.fa.offset(b, here), self.a_row, self.a_step)
                c = (self.fc.buffer, self.fc.offset(b, here), self.c_row)
                call_kernel(b, self.library, self._kernel(rows), a, panel, c, steps, columns, first)
                if not self.epilogue:
                    return

                def finish() -> None:
                    emit_epilogue(b, k, t, self.epilogue, here, rows, columns)

                if last is None:
                    finish()
                else:
                    b.when(last, finish)

            limit = b.add(start, b.round_down(b.sub(end, start), t.rows))
            b.plain_loop(start, limit, t.rows, lambda i: call(i, t.rows))
            rest = b.sub(end, limit)
            size = self.rows
            if isinstance(rest, int):
                if rest:
                    call(limit, rest)
            elif isinstance(size, int):
                # Only the last block of rows can have a rest.
                if size % t.rows:
                    b.when(b.less(limit, end), lambda: call(limit, size % t.rows))
            else:
                b.switch(b.value(rest), [lambda r=r: call(limit, r) for r in range(1, t.rows)])

        b.nest([self.sizes[d] for d in self.other_rows], tiles)

    def _at_row(self, point: Sequence[Index], row: Index) -> list[Index]:
        return list(point) if self.k.tile_row is None else with_dim(point, self.k.tile_row, row)

    def _kernel(self, rows: int) -> MicroKernel:
        k, t = self.k, self.t
        b_type, conversion = (k.b.type.element_type, k.b_conversion) if self.packed else panel_contents(k, t)
        types = (k.a.type.element_type, b_type, k.acc_type)
        return MicroKernel(rows, t.vectors, t.lanes, *types, k.a_conversion, conversion, t.group, t.dot)
