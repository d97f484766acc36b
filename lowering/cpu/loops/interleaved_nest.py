"""Element-wise nests over pairs, triples, ... of elements that some operands have side by side, others apart.

    linalg.generic %y[d0, d1] = f(%x[d1, d0])    with <interleaved, loops = [0, 1], lanes = 16, chunk = 4096>, of 3 iterations of d1

becomes

    scf.for %i = 0 to %rows step 16
      3 x (vector.load %x[channel, %i], f);  6 x vector.shuffle;  3 x vector.store %y[3 * %i + 16 * vector]
    the same with masks for what is left of the rows
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from ....dialects.relax.schedule import Interleaved
from ...emit.constructors import vector_type
from ...emit.emitter import Index
from ..schedule.access import Access, collapsed_type
from ..schedule.interleave import is_interleaved
from .builder import LoopBuilder
from .interleave import deinterleave, interleave
from .loop_nest import LoopNest, collapse, uppers_of, with_loop
from .vector_access import FirstLanes, Mask, VectorAccess, first_lanes


def emit_interleaved(b: LoopBuilder, nest: LoopNest, schedule: Interleaved) -> None:
    """Emits the loops before the vectors and chunks of these, of which the first `parallel` are one parallel loop."""
    emitter = _InterleavedEmitter(b, nest, schedule.lanes)
    size, outer = nest.uppers[emitter.along], range(emitter.along)
    uppers = [*uppers_of(nest, outer), b.ceildiv(size, schedule.chunk)]

    def chunk(indices: Sequence[Index]) -> None:
        start = b.mul(indices[-1], schedule.chunk)
        end = size if uppers[-1] == 1 else b.minimum(b.add(start, schedule.chunk), size)
        emitter.rows([*indices[:-1], start, 0], end)

    b.nest(
        uppers[: schedule.parallel],
        lambda first: b.nest(uppers[schedule.parallel :], lambda rest: chunk([*first, *rest])),
        schedule.grain,
    )


class _InterleavedEmitter:
    """Emits the vectors of one nest, for all iterations of its last loop at once."""

    def __init__(self, b: LoopBuilder, nest: LoopNest, lanes: int):
        self.b = b
        self.nest = nest
        self.lanes = lanes
        self.along, self.few = nest.rank() - 2, nest.rank() - 1
        count = nest.sizes[self.few]
        assert count is not None
        self.count = count
        self.access = VectorAccess(b, nest, self.along)
        self.views = {
            access: _flat(b, access)
            for access in nest.accesses
            if is_interleaved(access, self.along, self.few, self.count)
        }
        """What lies side by side, as memrefs of whole rows."""

    def rows(self, point: list[Index], end: Index) -> None:
        """Emits the vectors from a point on to the end of a range, the last one in part."""
        b, lanes, start = self.b, self.lanes, point[self.along]
        loaded = self.access.invariants(set(range(self.along)), point)
        extent = b.sub(end, start)
        limit = b.add(start, b.round_down(extent, lanes))
        b.plain_loop(start, limit, lanes, lambda i: self._block(with_loop(point, self.along, i), loaded, None))
        size = self.nest.sizes[self.along]
        if size is not None and size % lanes == 0:
            return
        rest, at = b.sub(end, limit), with_loop(point, self.along, limit)
        if isinstance(rest, int):
            self._block(at, loaded, first_lanes(b, rest, lanes))
        else:
            b.when(b.less(limit, end), lambda: self._block(at, loaded, first_lanes(b, rest, lanes)))

    def _block(self, point: list[Index], loaded: Mapping[SSAValue, SSAValue], mask: Mask) -> None:
        """Emits one vector of each iteration of the last loop."""
        streams: dict[SSAValue, list[SSAValue]] = {}
        for arg, access in zip(self.nest.body.args, self.nest.inputs, strict=False):
            if access in self.views and arg.uses:
                streams[arg] = self._load(access, point, mask)
        results: list[list[SSAValue]] = [[] for _ in self.nest.outputs]
        for channel in range(self.count):
            at = with_loop(point, self.few, channel)
            own = {arg: vectors[channel] for arg, vectors in streams.items()}
            values = self.access.payload(at, {**loaded, **own}, self.lanes, mask)
            for value, output, vectors in zip(values, self.nest.outputs, results, strict=True):
                if output in self.views:
                    vectors.append(self.b.splat(value, self.lanes))
                else:
                    self.access.store(value, output, at, self.lanes, mask)
        for output, vectors in zip(self.nest.outputs, results, strict=True):
            if output in self.views:
                self._store(output, vectors, point, mask)

    def _load(self, access: Access, point: Sequence[Index], mask: Mask) -> list[SSAValue]:
        """Returns the streams of an operand that has them side by side."""
        b, view = self.b, self.views[access]
        vectors: list[SSAValue] = []
        for k, exist in enumerate(self._masks(mask)):
            if exist is not None and exist.count == 0:
                vectors.append(b.constant(0, vector_type(access.type.element_type, self.lanes)))
            else:
                address = self._address(access, point, k)
                vectors.append(b.vector_load(view, address, self.lanes, None if exist is None else exist.mask))
        return deinterleave(b, vectors, self.lanes)

    def _store(self, access: Access, streams: Sequence[SSAValue], point: Sequence[Index], mask: Mask) -> None:
        b, view = self.b, self.views[access]
        vectors = interleave(b, streams, self.lanes)
        for k, (vector, exist) in enumerate(zip(vectors, self._masks(mask), strict=True)):
            if exist is None or exist.count != 0:
                b.vector_store(vector, view, self._address(access, point, k), None if exist is None else exist.mask)

    def _masks(self, mask: Mask) -> list[FirstLanes | None]:
        """Returns the lanes that exist of each of the vectors in which streams lie side by side."""
        b, lanes = self.b, self.lanes
        if mask is None:
            return [None] * self.count
        elements = b.mul(mask.count, self.count)
        rests = [b.sub(elements, k * lanes) for k in range(self.count)]
        return [first_lanes(b, max(rest, 0) if isinstance(rest, int) else rest, lanes) for rest in rests]

    def _address(self, access: Access, point: Sequence[Index], vector: int) -> list[Index]:
        """Returns the indices of a vector in the view of an operand."""
        b = self.b
        *others, row = self.access.address(access, point)[:-1]
        return [*others, b.add(b.mul(row, self.count), vector * self.lanes)]


def _flat(b: LoopBuilder, access: Access) -> SSAValue:
    """Returns the view of an operand whose last two dims are one."""
    rank = len(access.exprs)
    merged = (*((axis,) for axis in range(rank - 2)), (rank - 2, rank - 1))
    return collapse(b, access.value, merged, collapsed_type(access.type, merged))
