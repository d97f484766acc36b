"""Element-wise nests and reductions along one vectorised dim.

The vector dim is either parallel (lanes are different results) or a reduction dim (lanes are partial results).
Order of a reduction along the vector dim, `L` lanes and `A` accumulators: lane `l` of accumulator `a` takes the elements
`(k * A + a) * L + l` of the part that is a multiple of `A * L` long, the rest goes to accumulator 0; accumulators are
combined in halves (0 with A/2, ...), then lanes in halves, and the result is combined with the output's content.
With several reduction dims the accumulators are kept over all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from .access import Access
from .accumulate import combine, horizontal, identity
from .builder import Index, LoopBuilder
from .iteration import Nest, with_dim
from .parallel import cost_of_point, estimate, inside, outer_loops, share
from .payload import emit_payload

ACCUMULATORS = 4
WIDE = 16
WIDE_PAYLOAD = 4
CHUNK = 256
"""Vectors that one iteration of a parallel loop over a single dim takes."""


@dataclass
class VectorPlan:
    """How a nest is vectorised: the vector dim, and the combining operation of each output for reductions."""

    dim: int
    combiners: list[Operation]


def pick_vector_dim(nest: Nest, dims: Sequence[int]) -> int | None:
    """The dim along which the fewest accesses are scattered; the innermost of equals. None if all have size below 2."""
    best: int | None = None
    best_cost = 0.0
    for dim in dims:
        size = nest.sizes[dim]
        cost = sum(
            _cost(a, dim) * (1 if position < len(nest.inputs) else 2) for position, a in enumerate(nest.accesses)
        )
        if isinstance(size, int) and size < 16:
            cost += 16 / max(size, 1)
        if not nest.parallel[dim]:
            cost += 0.5
        if best is None or cost <= best_cost:
            best, best_cost = dim, cost
    return best


def _cost(access: Access, dim: int) -> float:
    step = access.step(dim)
    return 16 if step is None else 1 if step == 1 else 0.25


def emit_vector(builder: LoopBuilder, nest: Nest, plan: VectorPlan, fixed: Sequence[Index] = ()) -> None:
    """Emits the loops of a nest; its first dims have the given values already."""
    VectorEmitter(builder, nest, plan, len(fixed)).emit(fixed)


class VectorEmitter:
    """Emits the code of one nest whose first `skip` dims are loops around it."""

    def __init__(self, builder: LoopBuilder, nest: Nest, plan: VectorPlan, skip: int, lanes: int | None = None):
        self.b = builder
        self.nest = nest
        self.dim = plan.dim
        self.combiners = plan.combiners
        self.skip = skip
        rank = range(nest.rank())
        self.outer = [d for d in rank if nest.parallel[d] and d != self.dim and d >= skip]
        self.inner = [d for d in rank if not nest.parallel[d] and d != self.dim]
        self.size = nest.sizes[self.dim]
        self.lanes = lanes or builder.lanes
        if lanes is None and isinstance(self.size, int) and self.size < self.lanes:
            self.lanes = max(2, 1 << (max(self.size, 1) - 1).bit_length())
        self.masked = all(a.step(self.dim) is not None for a in nest.accesses)

    # ---- loops ----

    def emit(self, fixed: Sequence[Index]) -> None:
        nest, b = self.nest, self.b
        dims: list[Index] = [0] * nest.rank()
        dims[: len(fixed)] = fixed
        row = cost_of_point(nest) * inside([nest.sizes[d] for d in (self.dim, *self.inner)])
        depth, share_of_rows = outer_loops([nest.sizes[d] for d in self.outer], row)
        if self.skip or b.in_parallel:
            depth = 0
        alone = not self.outer and not self.skip and nest.parallel[self.dim] and not b.in_parallel

        def rows(indices: Sequence[Index]) -> None:
            b.nest([nest.sizes[d] for d in self.outer[depth:]], lambda rest: at_row([*indices, *rest]))

        def at_row(indices: Sequence[Index]) -> None:
            for d, index in zip(self.outer, indices, strict=True):
                dims[d] = index
            loaded = self._preload({*range(self.skip), *self.outer}, dims, {})
            self._row(dims, loaded, 0, self.size)

        chunk = self._chunk()
        chunks = b.ceildiv(self.size, chunk) if alone else 0
        points = chunk * inside([nest.sizes[d] for d in self.inner])
        share_of_chunks = share([chunks], cost_of_point(nest) * points)
        if alone and share_of_chunks:

            def at_chunk(indices: Sequence[Index]) -> None:
                start = b.mul(indices[0], chunk)
                self._row(dims, self._preload(set(), dims, {}), start, b.min(b.add(start, chunk), self.size))

            b.nest([chunks], at_chunk, share_of_chunks)
            return
        b.nest([nest.sizes[d] for d in self.outer[:depth]], rows, share_of_rows if depth else 0)

    def _chunk(self) -> int:
        """Elements along the vector dim that one iteration of a parallel loop takes."""
        points = 1
        for d in self.inner:
            points *= estimate(self.nest.sizes[d])
        return max(self._unroll(), CHUNK // max(points, 1)) * self.lanes

    def _unroll(self) -> int:
        """Vectors whose partial results are kept in registers at the same time.

        Over a reduction that walks down rows, wide blocks read more of each row; they must be worth their code.
        """
        if not self.inner:
            return 1
        size = self.size
        cheap = len(self.nest.payload) <= WIDE_PAYLOAD and len(self.nest.outputs) == 1
        narrow = isinstance(size, int) and size < WIDE * self.lanes
        return WIDE if cheap and not narrow and self.masked else ACCUMULATORS

    def _preload(
        self, known: set[int], dims: Sequence[Index], loaded: dict[SSAValue, SSAValue]
    ) -> dict[SSAValue, SSAValue]:
        """Loads the inputs that depend on the known dims alone."""
        result = dict(loaded)
        for arg, access in zip(self.nest.body.args, self.nest.inputs, strict=False):
            if arg in result or not arg.uses:
                continue
            if not access.is_memref:
                result[arg] = access.value
            elif access.dims() <= known and (self.nest.parallel[self.dim] or self.dim not in access.dims()):
                result[arg] = self.b.load(access.value, self._at(access, dims))
        return result

    def _at(self, access: Access, dims: Sequence[Index]) -> list[Index]:
        return [self.b.affine(e, dims) for e in access.exprs]

    def _row(self, dims: list[Index], loaded: dict[SSAValue, SSAValue], start: Index, end: Index) -> None:
        if not self.nest.parallel[self.dim]:
            self._reduce_lanes(dims, loaded)
            return
        reducing = bool(self.inner)
        self._blocks(
            start,
            end,
            ACCUMULATORS if reducing else 1,
            lambda i, count, mask: self._block(dims, loaded, i, count, mask),
        )

    def _blocks(
        self, start: Index, end: Index, unroll: int, body: Callable[[Index, int, SSAValue | None], None]
    ) -> None:
        """Covers a range by blocks of `unroll` vectors, then single vectors, then a part of one; scalars if a part of
        a vector cannot be accessed."""
        b, lanes = self.b, self.lanes
        extent = b.sub(end, start)
        position = start
        for count in [unroll, 1] if unroll > 1 else [1]:
            if isinstance(extent, int) and isinstance(position, int) and isinstance(start, int):
                limit: Index = position + (start + extent - position) // (lanes * count) * (lanes * count)
            else:
                limit = b.add(position, b.round_down(b.sub(end, position), lanes * count))
            b.plain_loop(position, limit, lanes * count, lambda i, count=count: body(i, count, None))
            position = limit
        if position == end or (isinstance(extent, int) and extent % lanes == 0):
            return
        if not self.masked:
            b.plain_loop(position, end, 1, lambda i: body(i, 0, None))
            return
        rest = b.sub(end, position)

        def tail() -> None:
            body(position, 1, b.mask(rest, lanes))

        if isinstance(rest, int):
            tail()
        else:
            b.when(b.less(position, end), tail)

    def at_point(
        self, point: list[Index], mask: SSAValue | None, loaded: dict[SSAValue, SSAValue] | None = None
    ) -> None:
        """One vector of an element-wise nest, at given values of all dims; some inputs may be loaded already."""
        self._block(point, {**self._scalars(), **(loaded or {})}, point[self.dim], 1, mask)

    def row(self, point: list[Index]) -> None:
        """All vectors of an element-wise nest, at given values of the other dims."""
        self._row(point, self._scalars(), 0, self.size)

    def _scalars(self) -> dict[SSAValue, SSAValue]:
        """The operands that are scalars already."""
        pairs = zip(self.nest.body.args, self.nest.inputs, strict=False)
        return {arg: access.value for arg, access in pairs if not access.is_memref}

    # ---- a parallel vector dim ----

    def _block(
        self, dims: list[Index], loaded: dict[SSAValue, SSAValue], start: Index, count: int, mask: SSAValue | None
    ) -> None:
        """`count` vectors of results from `start` on; one scalar result if `count` is 0."""
        b, nest = self.b, self.nest
        starts = [b.add(start, k * self.lanes) for k in range(max(1, count))]
        points = [with_dim(dims, self.dim, s) for s in starts]
        lanes = self.lanes if count else 1
        present: list[SSAValue] = []
        for point in points:
            for k, output in enumerate(nest.outputs):
                if nest.reads_output(k):
                    present.append(self._load(output, point, lanes, mask))

        def step(points: Sequence[list[Index]], values: Sequence[SSAValue]) -> list[SSAValue]:
            results: list[SSAValue] = []
            rest = iter(values)
            for point in points:
                arguments = dict(loaded)
                for k in range(len(nest.outputs)):
                    if nest.reads_output(k):
                        arguments[nest.output_arg(k)] = next(rest)
                results += self._point(point, arguments, lanes, mask)
            return results

        def reduce(level: int, points: Sequence[list[Index]], values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            if level == len(self.inner):
                return [self._splat(v, lanes) for v in step(points, values)]
            dim = self.inner[level]

            def body(index: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
                return reduce(level + 1, [with_dim(p, dim, index) for p in points], carried)

            return b.loop(0, nest.sizes[dim], 1, values, body)

        results = iter(reduce(0, points, present))
        for point in points:
            for output in nest.outputs:
                self._store(next(results), output, point, lanes, mask)

    def _splat(self, value: SSAValue, lanes: int) -> SSAValue:
        return value if lanes == 1 else self.b.splat(value, lanes)

    def _point(
        self, point: list[Index], arguments: dict[SSAValue, SSAValue], lanes: int, mask: SSAValue | None
    ) -> list[SSAValue]:
        """The payload at one vector (or scalar), with the inputs that are not loaded yet."""
        nest = self.nest
        for arg, access in zip(nest.body.args, nest.inputs, strict=False):
            if arg not in arguments and arg.uses:
                arguments[arg] = self._load(access, point, lanes, mask)
        return emit_payload(self.b, nest, arguments, point, self.dim if lanes > 1 else None, lanes)

    def _load(self, access: Access, point: list[Index], lanes: int, mask: SSAValue | None) -> SSAValue:
        step = access.step(self.dim)
        if lanes == 1 or step == 0:
            return self.b.load(access.value, self._at(access, point))
        if step == 1:
            return self.b.vector_load(access.value, self._at(access, point), lanes, mask)
        scalars = [
            self.b.load(access.value, self._at(access, with_dim(point, self.dim, self.b.add(point[self.dim], lane))))
            for lane in range(lanes)
        ]
        return self.b.gather(scalars)

    def _store(self, value: SSAValue, access: Access, point: list[Index], lanes: int, mask: SSAValue | None) -> None:
        if lanes == 1:
            self.b.store(value, access.value, self._at(access, point))
        elif access.step(self.dim) == 1:
            self.b.vector_store(self.b.splat(value, lanes), access.value, self._at(access, point), mask)
        else:
            value = self.b.splat(value, lanes)
            for lane in range(lanes):
                at = self._at(access, with_dim(point, self.dim, self.b.add(point[self.dim], lane)))
                self.b.store(self.b.extract(value, lane), access.value, at)

    # ---- a reduced vector dim ----

    def _reduce_lanes(self, dims: list[Index], loaded: dict[SSAValue, SSAValue]) -> None:
        b, nest, lanes = self.b, self.nest, self.lanes
        outputs = len(nest.outputs)
        wide = not isinstance(self.size, int) or self.size >= ACCUMULATORS * lanes
        count = ACCUMULATORS if wide else 1
        neutral = [b.splat(identity(b, op), lanes) for op in self.combiners]
        initial = [v for _ in range(count) for v in neutral]

        def accumulate(
            point: list[Index], start: Index, values: Sequence[SSAValue], mask: SSAValue | None
        ) -> list[SSAValue]:
            results: list[SSAValue] = []
            for k in range(len(values) // outputs):
                arguments = dict(loaded)
                present = values[k * outputs : (k + 1) * outputs]
                for position, value in enumerate(present):
                    arguments[nest.output_arg(position)] = value
                at = with_dim(point, self.dim, b.add(start, k * lanes))
                found = [b.splat(v, lanes) for v in self._point(at, arguments, lanes, mask)]
                if mask is not None:
                    found = [b.insert(arith.SelectOp(mask, new, old)) for new, old in zip(found, present, strict=True)]
                results += found
            return results

        def along(point: list[Index], values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            position: Index = 0
            for vectors in [count, 1] if wide else [1]:
                limit = b.add(position, b.round_down(b.sub(self.size, position), lanes * vectors))
                used = vectors * outputs
                found = b.loop(
                    position,
                    limit,
                    lanes * vectors,
                    values[:used],
                    lambda i, carried: accumulate(point, i, carried, None),
                )
                values = [*found, *values[used:]]
                position = limit
            if isinstance(self.size, int) and self.size % lanes == 0:
                return values
            if not self.masked:
                raise AssertionError("a reduction along scattered elements has no masked tail")
            rest = b.sub(self.size, position)
            # A loop of at most one iteration: the mask of an empty rest would be right, but its loads are not free.
            found = b.loop(
                position,
                self.size,
                lanes,
                values[:outputs],
                lambda i, carried: accumulate(point, i, carried, b.mask(rest, lanes)),
            )
            return [*found, *values[outputs:]]

        def reduce(level: int, point: list[Index], values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            if level == len(self.inner):
                return along(point, values)
            dim = self.inner[level]
            return b.loop(
                0, nest.sizes[dim], 1, values, lambda i, carried: reduce(level + 1, with_dim(point, dim, i), carried)
            )

        totals = list(reduce(0, dims, initial))
        for k, (output, op) in enumerate(zip(nest.outputs, self.combiners, strict=True)):
            total = horizontal(b, op, [totals[a * outputs + k] for a in range(count)])
            at = self._at(output, dims)
            b.store(combine(b, op, b.load(output.value, at), total), output.value, at)
