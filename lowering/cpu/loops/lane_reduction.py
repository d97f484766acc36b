"""Reductions whose lanes are partial results.

Order for `L` lanes and `A` accumulators: lane `l` of accumulator `a` takes the elements `(k * A + a) * L + l` of the part that is a
multiple of `A * L` long, the rest goes to accumulator 0; accumulators are combined in halves (0 with A/2, ...), then lanes in halves,
and the result is combined with the output's content. With several reductions the accumulators are kept over all of them.

    linalg.generic %s += %x[d0]    with <vectors, loops = [0], along = 0, lanes = 16, unroll = 4>

becomes

    %acc:4 = scf.for %i = 0 to %n step 64 iter_args(4 vectors of -0.0) { 4 x vector.load, arith.addf }
    %rest = scf.for ... step 16, then one masked step
    4 accumulators -> 1 vector -> 1 scalar, added to the content of %s

The greatest value and its place are looked for by blocks where the schedule says so (`place_search`); what is left behind those is reduced
as above.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import SSAValue

from ....dialects.upstream.arith_ops import SelectOp
from ...emit.emitter import Index
from ..schedule.combiners import ByPlace, combiners_of
from .accumulate import combine, horizontal, identities
from .loop_nest import with_loop
from .place_search import PlaceSearch
from .vector_access import Mask, VectorAccess, first_lanes


class LaneReduction:
    """Emits a nest whose vectors lie along a reduction, at given indices of its parallel loops."""

    def __init__(self, access: VectorAccess, inner: Sequence[int], lanes: int, accumulators: int, searched: int = 0):
        combiners = combiners_of(access.nest)
        assert combiners is not None
        self.b = access.b
        self.nest = access.nest
        self.access = access
        self.inner = inner
        """The other reductions, which are loops around the vectors."""
        self.lanes = lanes
        self.accumulators = accumulators
        self.searched = searched
        """The vectors of a block of which the greatest value alone is found; 0 where places go along with values."""
        self.combiners = combiners

    def emit(self, point: list[Index], loaded: Mapping[SSAValue, SSAValue]) -> None:
        """Emits the reduction, and combines its result with the outputs."""
        b = self.b
        for combiner, total in zip(self.combiners, self._totals(point, loaded), strict=True):
            own = range(combiner.output, combiner.output + len(combiner.neutral))
            places = [(self.nest.outputs[k].value, self.access.address(self.nest.outputs[k], point)) for k in own]
            present = [b.load(target, at) for target, at in places]
            results = combine(b, combiner, present, total)
            for value, (target, at) in zip(results, places, strict=True):
                b.store(value, target, at)

    def _totals(self, point: list[Index], loaded: Mapping[SSAValue, SSAValue]) -> Iterator[Sequence[SSAValue]]:
        """Emits the values of one combiner after the other over all reductions."""
        if not self.searched:
            yield from self._lane_totals(point, loaded, 0)
            return
        (combiner,) = self.combiners
        assert isinstance(combiner, ByPlace)
        size = self.nest.uppers[self.access.along]
        end = self.b.round_down(size, self.searched * self.lanes)
        best = PlaceSearch(self.access, combiner, self.lanes, self.searched, point, loaded).emit(end)
        if end == size:
            yield best
            return
        (rest,) = self._lane_totals(point, loaded, end)
        yield combine(self.b, combiner, best, rest)

    def _lane_totals(
        self, point: list[Index], loaded: Mapping[SSAValue, SSAValue], start: Index
    ) -> Iterator[Sequence[SSAValue]]:
        """Emits the values of one combiner after the other from a position along the vectors on."""
        b, outputs = self.b, len(self.nest.outputs)
        neutral = [v for combiner in self.combiners for v in identities(b, self.nest, combiner)]
        neutral = [b.splat(v, self.lanes) for v in neutral]
        totals = list(self._reduce(0, point, loaded, neutral * self.accumulators, start))
        for combiner in self.combiners:
            own = range(combiner.output, combiner.output + len(combiner.neutral))
            yield horizontal(b, combiner, [[totals[a * outputs + k] for k in own] for a in range(self.accumulators)])

    def _reduce(
        self,
        level: int,
        point: list[Index],
        loaded: Mapping[SSAValue, SSAValue],
        values: Sequence[SSAValue],
        start: Index,
    ) -> Sequence[SSAValue]:
        """Emits the loops over the other reductions from a level on."""
        if level == len(self.inner):
            return self._along(point, loaded, values, start)
        loop = self.inner[level]
        return self.b.loop(
            0,
            self.nest.uppers[loop],
            1,
            values,
            lambda i, carried: self._reduce(level + 1, with_loop(point, loop, i), loaded, carried, start),
        )

    def _along(
        self, point: list[Index], loaded: Mapping[SSAValue, SSAValue], values: Sequence[SSAValue], start: Index
    ) -> Sequence[SSAValue]:
        """Emits the vectors from a position on: all accumulators, then the first alone, then the first with a mask."""
        b, lanes, outputs = self.b, self.lanes, len(self.nest.outputs)
        size = self.nest.uppers[self.access.along]
        position = start
        for count in [self.accumulators, 1] if self.accumulators > 1 else [1]:
            limit = b.add(position, b.round_down(b.sub(size, position), lanes * count))
            used = count * outputs
            sums = b.loop(
                position,
                limit,
                lanes * count,
                values[:used],
                lambda i, carried: self._accumulate(point, loaded, i, carried, None),
            )
            values = [*sums, *values[used:]]
            position = limit
        if isinstance(size, int) and size % lanes == 0:
            return values
        rest = b.sub(size, position)
        # A loop of at most one iteration: the mask of an empty rest would be right, but its loads are not free.
        sums = b.loop(
            position,
            size,
            lanes,
            values[:outputs],
            lambda i, carried: self._accumulate(point, loaded, i, carried, first_lanes(b, rest, lanes)),
        )
        return [*sums, *values[outputs:]]

    def _accumulate(
        self,
        point: list[Index],
        loaded: Mapping[SSAValue, SSAValue],
        start: Index,
        values: Sequence[SSAValue],
        mask: Mask,
    ) -> list[SSAValue]:
        """Emits one step of each accumulator; lanes outside the mask keep their value."""
        b, lanes, outputs = self.b, self.lanes, len(self.nest.outputs)
        results: list[SSAValue] = []
        for k in range(len(values) // outputs):
            present = values[k * outputs : (k + 1) * outputs]
            at = with_loop(point, self.access.along, b.add(start, k * lanes))
            arguments = self.access.with_outputs(loaded, present)
            sums = [b.splat(v, lanes) for v in self.access.payload(at, arguments, lanes, mask)]
            if mask is not None:
                sums = [b.insert(SelectOp(mask.mask, new, old)) for new, old in zip(sums, present, strict=True)]
            results += sums
        return results
