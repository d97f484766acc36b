"""The greatest value along a reduction and its place, by blocks of vectors: places are looked for in one block alone.

    linalg.generic %m, %p: %m is the greatest of %x[d0], %p its place    with <vectors, loops = [0], along = 0, lanes = 8, searched = 16>

becomes

    %best, %start = scf.for %i = 0 to %n step 128 iter_args(-inf, 0) {
      %block = the greatest of 16 vectors from %i on, by lane; NaN where there is any in the lane
      %improves = %best is a number, and a lane of %block is a NaN or greater
      scf.if %improves { yield the greatest lane of %block, or NaN, and %i } else { yield %best, %start }
    }
    of 16 vectors from %start on, the first lane that is equal to %best, or NaN as it is
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ....dialects.upstream.arith_ops import CmpfOp, SelectOp
from ...emit.emitter import Index
from ..schedule.combiners import ByComparison, ByPlace
from .accumulate import horizontal, identities
from .loop_nest import with_loop
from .vector_access import VectorAccess

CHAINS = 4
"""The vectors of a block whose greatest value is found at the same time."""


class PlaceSearch:
    """Emits the blocks of a nest that a combiner of values and places makes, at given indices of its parallel loops."""

    def __init__(
        self,
        access: VectorAccess,
        combiner: ByPlace,
        lanes: int,
        vectors: int,
        point: Sequence[Index],
        loaded: Mapping[SSAValue, SSAValue],
    ):
        self.b = access.b
        self.access = access
        self.combiner = combiner
        self.lanes = lanes
        self.vectors = vectors
        self.point = list(point)
        self.loaded = loaded
        self.least, self.last_place = identities(self.b, access.nest, combiner)
        nest = access.nest
        chosen, place = (nest.yielded[k].owner for k in (combiner.output, combiner.place))
        assert isinstance(chosen, arith.SelectOp) and isinstance(place, arith.SelectOp)
        self.new = (chosen.lhs, place.lhs)
        self.by_value = ByComparison(combiner.output, "ogt" if combiner.predicate == "ugt" else "olt")

    def emit(self, end: Index) -> list[SSAValue]:
        """Returns the best value from 0 to a multiple of the elements of a block, at least one block, and its place."""
        b = self.b
        best, start = b.loop(0, end, self.vectors * self.lanes, [self.least, b.as_index(0)], self._block)
        return self._place_in_block(best, start)

    def _vector(self, start: Index) -> list[SSAValue]:
        """Emits a vector of values, and that of their places."""
        b = self.b
        outputs = {self.access.nest.output_arg(k): v for k, v in enumerate((self.least, self.last_place))}
        at = with_loop(self.point, self.access.along, start)
        values = self.access.payload(at, {**self.loaded, **outputs}, self.lanes, None, self.new)
        return [b.splat(value, self.lanes) for value in values]

    def _block(self, index: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Emits the greatest of a block by lane, and its comparison with the best before."""
        b, (best, start) = self.b, carried
        chains: list[SSAValue] = []
        pairs: list[SSAValue] = []
        before: SSAValue | None = None
        for k in range(self.vectors):
            value = self._vector(b.add(index, k * self.lanes))[0]
            if k < CHAINS:
                chains.append(value)
            else:
                chains[k % CHAINS] = self._better(value, chains[k % CHAINS])
            pairs += [] if before is None else [self._compare("uno", before, value)]
            before = value if before is None else None
        values, has_nan = self._joined(chains, self._better), self._joined(pairs, b.either)
        # No vector of booleans goes from one block of code to another: AVX2 has no registers for them.
        values = self._select(has_nan, b.splat(self._nan(), self.lanes), values)
        improves = b.any_lane(self._compare(self.combiner.predicate, values, b.splat(best, self.lanes)))
        improves = b.both(improves, self._compare("ord", best, best))
        return b.chosen(improves, lambda: self._best_of(values, index), [best, start])

    def _best_of(self, values: SSAValue, index: Index) -> list[SSAValue]:
        """Emits the best lane of a block, or NaN where a lane is that; returns it and where the block begins."""
        (best,) = horizontal(self.b, self.by_value, [[values]])
        is_nan = self.b.any_lane(self._compare("uno", values, values))
        return [self._select(is_nan, self._nan(), best), self.b.as_index(index)]

    def _place_in_block(self, best: SSAValue, start: SSAValue) -> list[SSAValue]:
        """Emits the first of the values of a block that is the best one."""
        b, lanes = self.b, self.lanes
        wanted = b.splat(best, lanes)
        kept = [wanted, b.splat(self.last_place, lanes)]
        for k in reversed(range(self.vectors)):
            new = self._vector(b.add(start, k * lanes))
            # A block of NaN is the best one if its first NaN is what is looked for.
            matches = b.either(self._compare("oeq", new[0], wanted), self._compare("uno", new[0], new[0]))
            kept = [self._select(matches, *pair) for pair in zip(new, kept, strict=True)]
        return horizontal(b, self.combiner, [kept])

    def _joined(self, values: Sequence[SSAValue], join: Callable[[SSAValue, SSAValue], SSAValue]) -> SSAValue:
        """Emits values joined in halves."""
        while len(values) > 1:
            odd = values[len(values) & ~1 :]
            values = [*(join(*values[k : k + 2]) for k in range(0, len(values) - 1, 2)), *odd]
        return values[0]

    def _better(self, new: SSAValue, old: SSAValue) -> SSAValue:
        return self._select(self._compare(self.by_value.predicate, new, old), new, old)

    def _nan(self) -> SSAValue:
        return self.b.constant(math.nan, self.combiner.value_type)

    def _compare(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.b.insert(CmpfOp(lhs, rhs, predicate))

    def _select(self, condition: SSAValue, new: SSAValue, old: SSAValue) -> SSAValue:
        return self.b.insert(SelectOp(condition, new, old))
