"""What the code of a tiled contraction needs to know, and its loops over the reduction."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from .....dialects.relax import schedule as schedules
from .....records import record
from ....emit.emitter import Index
from ...schedule.contraction import Contraction
from ...schedule.tiles import joined_loop, other_rows_of, rows_of, tiling_of
from ..builder import LoopBuilder
from ..flat import flatten
from ..kernels import KernelLibrary
from ..loop_nest import LoopNest, with_loop
from .panel import steps_inside


@record
class Progress:
    """Where the loops over the reduction stand: the point, and whether this is the first and the last step of each of them.

    None stands for what is known to hold.
    """

    point: list[Index]
    first: SSAValue | None
    last: SSAValue | None


@record
class Chunk:
    """Steps of the loop that is divided among panels, all steps with those of the loops inside, and whether they are the first."""

    count: Index
    steps: Index
    is_first: SSAValue


class TiledContraction:
    """A contraction with its operands as flat buffers, its tiles, and the nests that run on each of them."""

    def __init__(
        self,
        b: LoopBuilder,
        library: KernelLibrary,
        schedule: schedules.Contraction,
        nest: LoopNest,
        contraction: Contraction,
        epilogue: Sequence[LoopNest],
        starts_at_zero: bool,
    ):
        assert schedule.tiles is not None
        self.b = b
        self.library = library
        self.nest = nest
        self.k = contraction
        self.t = tiling_of(contraction, schedule)
        self.tiles = schedule.tiles
        self.epilogue = epilogue
        self.starts_at_zero = starts_at_zero
        self.sizes = nest.uppers
        self.fa = flatten(b, contraction.a)
        self.fb = flatten(b, contraction.b)
        self.fc = flatten(b, contraction.c)
        self.inside = steps_inside(nest, self.t)
        self.a_step = self.fa.step(b, self.t.innermost)
        row = self.t.row
        joined = None if row is None else joined_loop(contraction, row, self.t.pitch)
        self.joined = joined
        """The loop over other rows of which tiles have rows too; None where they have rows of one loop."""
        rows: Index | None = rows_of(contraction, row, self.t.pitch)
        if rows is None:
            assert row is not None
            rows = self.sizes[row]
        self.rows = rows
        self.a_row, self.c_row = (0, 0) if row is None else (self.fa.step(b, row), self.fc.step(b, row))
        self.other_rows = other_rows_of(contraction, row, self.t.pitch)
        self.row_terms: SSAValue | None = None
        """What belongs to rows alone, for each chunk of steps, where sums of bytes are multiplied."""

    @property
    def may_be_empty(self) -> bool:
        """Whether the reduction may have no step at all."""
        return any(not isinstance(self.sizes[d], int) or self.sizes[d] == 0 for d in self.k.reduced)

    @property
    def panel_steps(self) -> Index:
        """The steps of a panel that has all of its loops."""
        return self.b.mul(self.sizes[self.t.chunked], self.inside)

    def outer_indices(self, number: Index) -> list[Index]:
        """Returns the indices of the other row loops for a number that counts through all of them."""
        b = self.b
        indices: list[Index] = []
        for d in reversed(self.other_rows[1:]):
            size = self.sizes[d]
            quotient = b.floordiv(number, size)
            indices.append(b.sub(number, b.mul(quotient, size)))
            number = quotient
        return [number, *reversed(indices)] if self.other_rows else []

    def with_rows(self, point: list[Index], others: Sequence[Index], row: Index) -> list[Index]:
        """Returns the point at given indices of the other row loops and of the tile's rows."""
        at = list(point)
        for d, index in zip(self.other_rows, others, strict=True):
            at[d] = index
        return at if self.t.row is None else with_loop(at, self.t.row, row)

    def outer_reductions(self, level: int, progress: Progress, chunk: Callable[[Progress], None]) -> None:
        """Emits the reductions around panels from a level on, then the chunks of the one that is divided among panels."""
        t = self.t
        if level == len(t.outer):
            size = self.sizes[t.chunked]
            self.b.plain_loop(
                0,
                size,
                t.chunk,
                lambda i: chunk(Progress(with_loop(progress.point, t.chunked, i), progress.first, progress.last)),
            )
            return
        d = t.outer[level]

        def body(i: Index) -> None:
            first, last = self.begins(progress.first, i), self.ends(progress.last, d, self.b.add(i, 1))
            self.outer_reductions(level + 1, Progress(with_loop(progress.point, d, i), first, last), chunk)

        self.b.plain_loop(0, self.sizes[d], 1, body)

    def chunk_of(self, progress: Progress) -> Chunk:
        """Returns the chunk that begins where the loops stand; it is the first of none where the output has a content to add to."""
        b, t, position = self.b, self.t, progress.point[self.t.chunked]
        begins = self.begins(progress.first, position)
        count = b.minimum(b.sub(self.sizes[t.chunked], position), t.chunk)
        steps = b.mul(count, self.inside)
        if begins is None or not self.starts_at_zero:
            begins = b.constant(self.starts_at_zero, i1)
        return Chunk(count, steps, begins)

    def ends_with(self, progress: Progress, chunk: Chunk) -> SSAValue | None:
        """Returns whether a chunk is the last of all; only an epilogue needs it."""
        return self.ends(progress.last, self.t.chunked, self.b.add(progress.point[self.t.chunked], chunk.count))

    def finish_if(self, ends: SSAValue | None, finish: Callable[[], None]) -> None:
        """Emits the epilogue of a tile, if there is one, for the last chunk of all."""
        if self.epilogue and ends is None:
            finish()
        elif self.epilogue and ends is not None:
            self.b.when(ends, finish)

    def begins(self, first: SSAValue | None, index: Index) -> SSAValue | None:
        """Returns whether a loop over a reduction and those around it are at their first step."""
        if isinstance(index, int):
            assert index == 0
            return first
        here = self.b.compare("eq", index, 0)
        return here if first is None else self.b.insert(arith.AndIOp(first, here))

    def ends(self, last: SSAValue | None, loop: int, index: Index) -> SSAValue | None:
        """Returns whether a loop over a reduction and those around it are at their last step; only an epilogue needs it."""
        size = self.sizes[loop]
        if not self.epilogue or index == size:
            return last
        here = self.b.compare("eq", index, size)
        return here if last is None else self.b.insert(arith.AndIOp(last, here))
