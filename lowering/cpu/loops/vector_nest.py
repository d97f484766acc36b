"""Element-wise nests and reductions with vectors along a loop.

    linalg.generic %y[d0] = f(%x[d0])    with <vectors, loops = [0], along = 0, lanes = 16>

becomes

    scf.for %i = 0 to 96 step 16 { vector.load %x[%i], f, vector.store %y[%i] }
    %mask = vector.create_mask 4; vector.maskedload %x[%c96], f, vector.maskedstore      for a size of 100

Reductions are inside the vectors if those lie along a parallel loop: their partial results are carried in `unroll` vectors for each of
`streams` parts of the innermost, which are taken side by side. Vectors along a reduction are the matter of `lane_reduction`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue

from ....dialects.relax.schedule import LookupInstruction, Vectors
from ...emit.emitter import Index
from ..schedule.combiners import combiners_of
from ..schedule.streams import is_stream
from ..schedule.vectorize import can_be_masked
from .accumulate import combine, identities
from .builder import LoopBuilder
from .fetch import elements_of_line, fetch
from .lane_reduction import LaneReduction
from .loop_nest import LoopNest, uppers_of, with_loop
from .padded_window import PaddedWindow
from .vector_access import Mask, VectorAccess, first_lanes
from .window_epilogue import WindowEpilogue
from .window_nest import emit_windows


def emit_vector(
    b: LoopBuilder,
    nest: LoopNest,
    schedule: Vectors,
    fixed: Sequence[Index] = (),
    initial: SSAValue | None = None,
    image: PaddedWindow | None = None,
    epilogue: WindowEpilogue | None = None,
) -> None:
    """Emits the loops of a nest; its first loops are around it already, at the given indices.

    With an initial scalar, windows that are written out start from it, not from what the output holds. They may read an image in place
    of the input that would be the padded one, and have an epilogue.
    """
    how = (schedule.lanes, schedule.unroll, schedule.fetched, schedule.streams, schedule.lookup, schedule.searched)
    emitter = VectorEmitter(b, nest, schedule.along, *how)
    point: list[Index] = [*fixed, *([0] * (nest.rank() - len(fixed)))]
    if schedule.rows:
        emit_windows(b, nest, schedule, emitter.access, point, len(fixed), initial, image, epilogue)
        return
    if schedule.chunk:
        _emit_chunks(b, nest, schedule, emitter, point)
        return
    outer = [d for d in range(len(fixed), nest.rank()) if nest.parallel[d] and d != schedule.along]
    known = {*range(len(fixed)), *outer}

    def row(indices: Sequence[Index]) -> None:
        at = list(point)
        for d, index in zip(outer, indices, strict=True):
            at[d] = index
        emitter.row(at, emitter.access.invariants(known, at))

    first, rest = uppers_of(nest, outer[: schedule.parallel]), uppers_of(nest, outer[schedule.parallel :])
    b.nest(first, lambda indices: b.nest(rest, lambda more: row([*indices, *more])), schedule.grain)


def _emit_chunks(b: LoopBuilder, nest: LoopNest, schedule: Vectors, emitter: VectorEmitter, point: list[Index]) -> None:
    """Emits a parallel loop over chunks of the vector loop, which is the only parallel one."""
    size = nest.uppers[schedule.along]

    def chunk(indices: Sequence[Index]) -> None:
        start = b.mul(indices[0], schedule.chunk)
        loaded = emitter.access.invariants(set(), point)
        emitter.part_of_row(point, loaded, start, b.minimum(b.add(start, schedule.chunk), size))

    b.nest([b.ceildiv(size, schedule.chunk)], chunk, schedule.grain)


class VectorEmitter:
    """Emits the vectors of one nest at given indices of its other parallel loops."""

    def __init__(
        self,
        b: LoopBuilder,
        nest: LoopNest,
        along: int,
        lanes: int,
        unroll: int = 1,
        fetched: int = 0,
        streams: int = 1,
        lookup: LookupInstruction | None = None,
        searched: int = 0,
    ):
        self.b = b
        self.nest = nest
        self.along = along
        self.lanes = lanes
        self.unroll = unroll
        self.access = VectorAccess(b, nest, along, lookup)
        self.inner = [d for d in nest.reduced if d != along]
        self.is_masked = can_be_masked(nest, along)
        self.streams = streams
        """The parts of the innermost reduction that are taken side by side, each with results of its own."""
        self.combiners = (combiners_of(nest) or ()) if streams > 1 else ()
        self.fetched = fetched
        self.searched = searched
        self.fetched_inputs = [
            access for access in nest.inputs if fetched and is_stream(nest, access, along, unroll * lanes)
        ]

    def at_point(self, point: list[Index], mask: Mask, loaded: Mapping[SSAValue, SSAValue] | None = None) -> None:
        """Emits one vector of an element-wise nest, at given indices of all loops; some inputs may be loaded already."""
        self._block(point, {**self.access.scalars(), **(loaded or {})}, point[self.along], 1, mask)

    def row(self, point: list[Index], loaded: Mapping[SSAValue, SSAValue] | None = None) -> None:
        """Emits all vectors, at given indices of the other parallel loops."""
        self.part_of_row(point, self.access.scalars() if loaded is None else loaded, 0, self.nest.uppers[self.along])

    def part_of_row(self, point: list[Index], loaded: Mapping[SSAValue, SSAValue], start: Index, end: Index) -> None:
        """Emits the vectors of a range; a reduction is always reduced as a whole."""
        if not self.nest.parallel[self.along]:
            LaneReduction(self.access, self.inner, self.lanes, self.unroll, self.searched).emit(point, loaded)
        else:
            self._blocks(start, end, lambda i, count, mask: self._block(point, loaded, i, count, mask))

    def _blocks(self, start: Index, end: Index, block: Callable[[Index, int, Mask], None]) -> None:
        """Covers a range by blocks of `unroll` vectors, then single vectors, then a part of one.

        Where a part of a vector cannot be accessed, the rest is scalars: blocks of 0 vectors.
        """
        b, lanes = self.b, self.lanes
        extent = b.sub(end, start)
        position = start
        for count in [self.unroll, 1] if self.unroll > 1 else [1]:
            limit = b.add(position, b.round_down(b.sub(end, position), lanes * count))
            b.plain_loop(position, limit, lanes * count, lambda i, count=count: block(i, count, None))
            position = limit
        if position == end or (isinstance(extent, int) and extent % lanes == 0):
            return
        if not self.is_masked:
            b.plain_loop(position, end, 1, lambda i: block(i, 0, None))
            return
        rest = b.sub(end, position)

        def tail() -> None:
            block(position, 1, first_lanes(b, rest, lanes))

        if isinstance(rest, int):
            tail()
        else:
            b.when(b.less(position, end), tail)

    def _block(
        self, point: list[Index], loaded: Mapping[SSAValue, SSAValue], start: Index, count: int, mask: Mask
    ) -> None:
        """Emits `count` vectors of results from `start` on; one scalar result if `count` is 0.

        Without reductions they are one long vector, so that each operation is done for all of them before the next one; those of an
        instruction that looks bytes up have as many lanes as it has.
        Invariant of the loops over reductions: they carry, for each vector, the content of each output that the payload reads.
        """
        b, nest, access = self.b, self.nest, self.access
        if not self.inner and access.lookup is None:
            lanes, count = max(1, self.lanes * count), min(count, 1)
        else:
            lanes = self.lanes if count else 1
        starts = [b.add(start, k * self.lanes) for k in range(max(1, count))]
        points = [with_loop(point, self.along, s) for s in starts]
        read = [output for k, output in enumerate(nest.outputs) if nest.reads_output(k)]
        present = [access.load(output, at, lanes, mask) for at in points for output in read]

        def step(points: Sequence[list[Index]], values: Sequence[SSAValue]) -> list[SSAValue]:
            results: list[SSAValue] = []
            for k, at in enumerate(points):
                own = values[k * len(read) : (k + 1) * len(read)]
                self._fetch(at)
                results += access.payload(at, access.with_outputs(loaded, own), lanes, mask)
            return results if lanes == 1 else [b.splat(value, lanes) for value in results]

        results = iter(self._reduce(0, points, present, step))
        for at in points:
            for output in nest.outputs:
                access.store(next(results), output, at, lanes, mask)

    def _fetch(self, point: Sequence[Index]) -> None:
        """Emits the fetches of what streams have some lines behind the vector at a point, if a line begins there."""
        b = self.b
        for access in self.fetched_inputs:
            element = access.type.element_type
            start, line = point[self.along], elements_of_line(element)
            if not isinstance(start, int) or start % line == 0:
                at: Index = 0
                for index, size in zip(self.access.address(access, point), access.type.get_shape(), strict=True):
                    at = b.add(b.mul(at, size), index)
                fetch(b, access.value, b.add(at, self.fetched * line), level=1)

    def _reduce(
        self,
        level: int,
        points: Sequence[list[Index]],
        values: Sequence[SSAValue],
        step: Callable[[Sequence[list[Index]], Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """Emits the loops over the reductions from a level on, with the steps inside."""
        if level == len(self.inner):
            return step(points, values)
        loop = self.inner[level]

        def body(index: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return self._reduce(level + 1, [with_loop(p, loop, index) for p in points], carried, step)

        b, size = self.b, self.nest.uppers[loop]
        if self.streams == 1 or level + 1 < len(self.inner):
            return b.loop(0, size, 1, values, body)
        part, count = b.floordiv(size, self.streams), len(values)

        def steps(index: Index, carried: Sequence[SSAValue]) -> list[SSAValue]:
            results: list[SSAValue] = []
            for number in range(self.streams):
                own = carried[number * count : (number + 1) * count]
                results += body(b.add(index, b.mul(part, number)), own)
            return results

        neutral = self._neutral(values)
        sums = b.loop(0, part, 1, [*values, *(self.streams - 1) * neutral], steps)
        total = sums[:count]
        for number in range(1, self.streams):
            total = self._combined(total, sums[number * count : (number + 1) * count])
        return b.loop(b.mul(part, self.streams), size, 1, total, body)

    def _neutral(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Returns what the parts of a reduction behind the first start from, for each vector and output."""
        b = self.b
        scalars = [value for combiner in self.combiners for value in identities(b, self.nest, combiner)]
        neutral = len(values) // len(scalars) * scalars
        shapes = [value.type.get_shape() if isinstance(value.type, VectorType) else () for value in values]
        return [b.splat(value, *shape) if shape else value for value, shape in zip(neutral, shapes, strict=True)]

    def _combined(self, lhs: Sequence[SSAValue], rhs: Sequence[SSAValue]) -> list[SSAValue]:
        """Emits the combination of two parts, of each vector and output."""
        results: list[SSAValue] = []
        while len(results) < len(lhs):
            for combiner in self.combiners:
                where = slice(len(results), len(results) + len(combiner.neutral))
                results += combine(self.b, combiner, lhs[where], rhs[where])
        return results
