"""The tiled schedule of contractions: panels of B, register tiles by calls of micro-kernels.

parallel: batch, other columns, blocks of rows, blocks of columns
  panel of B on the stack
  for reduced dims outside of panels, chunks of the chunked one
    fill the panel (unless B lies in such blocks already)
    for other rows, tiles of rows: micro-kernel
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, VectorType, i1
from xdsl.ir import SSAValue

from .builder import Index, LoopBuilder
from .contraction import Contraction, Tiling
from .conversion import Conversion
from .dot_product import as_bytes, as_lanes, interleave
from .epilogue import emit_epilogue
from .flat import FlatAccess, flatten
from .iteration import Nest, with_dim
from .micro_kernel import KernelLibrary, MicroKernel, call_kernel
from .parallel import ACCESS, ENOUGH_ITERATIONS, THREAD_WORK, UNKNOWN_ITERATIONS, estimate, inside, share
from .transpose import transpose_block

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
        self.inside = 1
        for d in tiling.whole:
            size = self.sizes[d]
            assert isinstance(size, int)
            self.inside *= size
        a_step = self.fa.step(b, tiling.whole[-1] if tiling.whole else tiling.chunked)
        self.a_step = a_step
        row = contraction.tile_row
        self.rows: Index = 1 if row is None else self.sizes[row]
        self.a_row, self.c_row = (0, 0) if row is None else (self.fa.step(b, row), self.fc.step(b, row))
        self.other_rows = [d for d in contraction.rows if d != row]
        # What a panel holds: elements as they are where groups are multiplied, else converted ones.
        self.element = contraction.acc_type if tiling.dot is None else contraction.b.type.element_type
        self.fill_conversion = contraction.b_conversion if tiling.dot is None else Conversion(())

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
        panel = None
        if not self.packed:
            slack = t.lanes * t.group * (t.width if self._turned() else 1) + (t.group - 1) * t.width
            alloca = b.insert(memref.AllocaOp.get(self.element, 64, [self._panel_steps() * t.width + slack]))
            dynamic = MemRefType(self.element, [DYNAMIC_INDEX])
            panel = b.insert(memref.CastOp.build(operands=[alloca], result_types=[dynamic]))

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
                self._fill(panel, point, count)
                if t.group > 1 and not self._turned():
                    self._group_steps(panel, steps)
                source: tuple[SSAValue, Index, Index] = (panel, 0, t.width)
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

    def _panel_steps(self) -> int:
        size = self.sizes[self.t.chunked]
        chunk = min(self.t.chunk, size) if isinstance(size, int) else self.t.chunk
        return max(1, chunk * self.inside)

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
        b_type = k.b.type.element_type if self.packed else self.element
        # A panel's elements are converted unless groups are multiplied.
        conversion = k.b_conversion if self.packed or t.dot is not None else Conversion(())
        types = (k.a.type.element_type, b_type, k.acc_type)
        return MicroKernel(rows, t.vectors, t.lanes, *types, k.a_conversion, conversion, t.group, t.dot)

    # ---- panels ----

    def _fill(self, panel: SSAValue, point: list[Index], count: Index) -> None:
        """Copies (and converts) the part of B that a block of columns multiplies with, one row per step."""
        b, t = self.b, self.t
        inner = t.whole[-1] if t.whole else t.chunked
        turned = self._turned()
        first = point[t.chunked]

        def level(depth: int, at: list[Index], flat: Index) -> None:
            if depth == len(t.whole):
                self._fill_row(panel, at, b.mul(flat, t.width))
                return
            d = t.whole[depth]
            size = self.sizes[d]
            if turned and d == inner:
                self._fill_turned(panel, at, d, 0, size, b.mul(b.mul(flat, size), t.width))
                return
            b.plain_loop(0, size, 1, lambda i: level(depth + 1, with_dim(at, d, i), b.add(b.mul(flat, size), i)))

        if turned and inner == t.chunked:
            self._fill_turned(panel, point, inner, first, count, 0)
            return
        b.plain_loop(0, count, 1, lambda i: level(0, with_dim(point, t.chunked, b.add(first, i)), i))

    def _turned(self) -> bool:
        """Whether B is contiguous along the steps and not along the columns, so that blocks are turned in registers."""
        t = self.t
        inner = t.whole[-1] if t.whole else t.chunked
        size = self.sizes[inner]
        if self.packed or t.joined_rows > 1 or t.lanes & (t.lanes - 1) or self.k.b.step(self.k.column) == 1:
            return False
        if t.whole and (not isinstance(size, int) or size % t.group):
            # A group would reach into the next of the outer steps.
            return False
        return self.k.b.step(inner) == 1 and not (isinstance(size, int) and size < t.lanes * t.group)

    def _fill_turned(
        self, panel: SSAValue, at: list[Index], inner: int, first: Index, count: Index, target: Index
    ) -> None:
        """`count` rows of the panel from row `target / width` on: vectors along the steps, turned in blocks.

        The last block may write rows beyond; they are written again, or belong to the slack at the panel's end.
        """
        b, k, t = self.b, self.k, self.t
        last = b.sub(self.sizes[k.column], 1)
        # A vector's lanes are groups of steps.
        steps = t.lanes * t.group

        def vector(v: Index) -> None:
            start = b.add(at[k.column], v)
            # Beyond the last column it is read again; nobody uses what comes of it.
            columns = [with_dim(at, k.column, b.min(b.add(start, lane), last)) for lane in range(t.lanes)]

            def block(i: Index, mask: SSAValue | None) -> None:
                rows: list[SSAValue] = []
                for column in columns:
                    offset = self.fb.offset(b, with_dim(column, inner, b.add(first, i)))
                    loaded = self.fill_conversion.emit(b, b.vector_load(self.fb.buffer, [offset], steps, mask))
                    rows.append(loaded if t.group == 1 else as_lanes(b, loaded))
                place = b.add(b.add(target, b.mul(i, t.width)), b.mul(v, t.group))
                for step, column in enumerate(transpose_block(b, rows)):
                    value = column if t.group == 1 else as_bytes(b, column)
                    b.vector_store(value, panel, [b.add(place, step * t.group * t.width)])

            limit = b.round_down(count, steps)
            b.plain_loop(0, limit, steps, lambda i: block(i, None))
            # At most one iteration.
            b.plain_loop(limit, count, steps, lambda i: block(i, b.mask(b.sub(count, i), steps)))

        b.plain_loop(0, t.width, t.lanes, vector)

    def _group_steps(self, panel: SSAValue, steps: Index) -> None:
        """Puts the elements of each group of rows side by side, in place; rows beyond the last step are zero."""
        b, t = self.b, self.t
        zero = b.constant(0, VectorType(self.element, [t.lanes]))
        whole = b.mul(b.ceildiv(steps, t.group), t.group)

        def clear(i: Index) -> None:
            for v in range(t.vectors):
                b.vector_store(zero, panel, [b.add(b.mul(i, t.width), v * t.lanes)])

        def group(i: Index) -> None:
            place = b.mul(i, t.width)
            rows = [
                [b.vector_load(panel, [b.add(place, r * t.width + v * t.lanes)], t.lanes) for r in range(t.group)]
                for v in range(t.vectors)
            ]
            for v, vectors in enumerate(rows):
                b.vector_store(interleave(b, vectors), panel, [b.add(place, v * t.lanes * t.group)])

        b.plain_loop(steps, whole, 1, clear)
        b.plain_loop(0, whole, t.group, group)

    def _fill_row(self, panel: SSAValue, at: list[Index], target: Index) -> None:
        b, k, t = self.b, self.k, self.t
        if t.joined_rows == 1:
            for v in range(t.vectors):
                self._copy(panel, with_dim(at, k.column, b.add(at[k.column], v * t.lanes)), b.add(target, v * t.lanes))
            return
        second = k.columns[-2]
        size = self._column_size()
        last = b.sub(self.sizes[second], 1)
        for r in range(t.joined_rows):
            # Beyond the last row its columns are read again; nobody uses them.
            row = b.min(b.add(at[second], r), last) if r else at[second]
            for start in range(0, size, t.lanes):
                here = with_dim(with_dim(at, second, row), k.column, start)
                self._copy(panel, here, b.add(target, r * size + start))

    def _copy(self, panel: SSAValue, at: list[Index], target: Index) -> None:
        """A vector of B into the panel; what lies beyond the last column does not matter."""
        b, k, t = self.b, self.k, self.t
        size = self.sizes[k.column]
        left = b.sub(size, at[k.column])
        if isinstance(left, int) and left <= 0:
            value = b.constant(0, VectorType(self.element, [t.lanes]))
        else:
            value = self.fill_conversion.emit(b, load_lanes(b, self.fb, at, k.column, left, t.lanes))
        b.vector_store(value, panel, [target])


def load_lanes(b: LoopBuilder, source: FlatAccess, at: list[Index], dim: int, left: Index, lanes: int) -> SSAValue:
    """Elements along a dim, of which `left` exist (possibly none, or more than a vector); the others are anything."""
    step = source.access.step(dim)
    offset = source.offset(b, at)
    full = isinstance(left, int) and left >= lanes
    if step == 1:
        return b.vector_load(source.buffer, [offset], lanes, None if full else b.mask(left, lanes))
    distance = source.step(b, dim)
    scalars: list[SSAValue] = []
    for lane in range(lanes):
        # Lanes that do not exist read the last element.
        place = b.min(lane, b.sub(left, 1))
        scalars.append(b.load(source.buffer, [b.add(offset, b.mul(place, distance))]))
    return b.gather(scalars)
