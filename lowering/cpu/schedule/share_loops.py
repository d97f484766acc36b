"""The pass `share-loops`: shares of an independent loop become the iterations of a parallel one.

    scf.for %i = %c0 to %c64 step %c16 { body } {relax.independent}

becomes, for two threads,

    scf.parallel (%share) = (%c0) to (%c2) step (%c1) {
      scf.for %i = %begin to %end step %c16 { body }
    }

with as many shares as threads, fewer where the loop has not work enough for them, none where it has not enough for two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, ModuleOp, VectorType
from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import InsertPoint

from ....dialects.relax.vocabulary.attributes import INDEPENDENT
from ....dialects.walks import ops_inside
from ....kinds import kind_test
from ....passes.options import PassWithOptions, within
from ....records import record
from ....targets.cpu import MOST_THREADS
from ...emit.constructors import INDEX
from ...emit.emitter import Index
from ...emit.op_builder import OpBuilder
from ...sizes.op_sizes import VIEWS, constant_index
from .grain import ACCESS, THREAD_WORK, UNKNOWN_INSIDE, work_inside, work_of_point
from .nest import Size, nest_of

MOST_SHARES = 16
"""The shares of a loop where the number of threads is known at run time only; each has scratch of its own."""

EVEN = 4
"""The steps for each share from which shares take about equally long whatever is left over; of nested loops the first such is shared."""


@dataclass(frozen=True)
class ShareLoopsPass(PassWithOptions):
    """Makes parallel loops over shares of the loops that are marked `relax.independent`.

    ```mlir
    scf.for %i = %c0 to %n step %c4 { body } {relax.independent}
    ```
    becomes
    ```mlir
    scf.parallel (%share) = (%c0) to (%shares) step (%c1) {
      scf.for %i = %begin to %end step %c4 { body }
    ```

    Before: bufferized functions. After: no mark is left. A share takes a stretch of whole steps, the last one what remains behind them
    as well. An allocation inside is one for each share. Of marked loops inside of one another one is shared.
    """

    name = "share-loops"

    threads: int = within(0, 0, MOST_THREADS)
    """The threads of a call; 0: as many as OpenMP says when the program runs; 1: nothing is shared."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        most = self.threads or MOST_SHARES
        for function in op.body.block.ops:
            for loop in list(_outermost(function)):
                marked = [
                    inner for inner in ops_inside(loop) if isinstance(inner, scf.ForOp) and INDEPENDENT.is_on(inner)
                ]
                if most > 1:
                    _share([_Shared.of(inner, most) for inner in marked if _may_be_shared(inner)])
                for inner in marked:
                    INDEPENDENT.clear(inner)


@record
class _Shared:
    """A loop to share: its whole steps, None where the number is not known, the steps that are worth a thread, and the most shares."""

    loop: scf.ForOp
    steps: Size
    grain: int
    most: int

    @staticmethod
    def of(loop: scf.ForOp, most: int) -> _Shared:
        """Returns what sharing needs to know of a loop."""
        low, high, step = (constant_index(bound) for bound in (loop.lb, loop.ub, loop.step))
        steps = None if low is None or high is None or not step else max(high - low, 0) // step
        return _Shared(loop, steps, -(-THREAD_WORK // max(_work(loop.body.block), 1)), most)

    @property
    def shares(self) -> Size:
        """The number of shares, None where it is not known."""
        return None if self.steps is None else min(self.most, self.steps // self.grain)

    @property
    def is_worthwhile(self) -> bool:
        return self.shares is None or self.shares > 1

    @property
    def is_even(self) -> bool:
        """Whether shares take about equally long."""
        return self.steps is None or self.steps >= EVEN * self.most or self.steps % self.most == 0

    def split(self) -> None:
        """Replaces the loop by a parallel one over its shares."""
        loop, b = self.loop, OpBuilder(InsertPoint.before(self.loop))
        low, high, step = (_known(value) for value in (loop.lb, loop.ub, loop.step))
        steps = b.floordiv(b.sub(high, low), step) if self.steps is None else self.steps
        shares: Index = self.shares or b.maximum(b.minimum(b.floordiv(steps, self.grain), self.most), 1)
        body = Block(arg_types=[INDEX])
        inner = b.nested(body)
        share = body.args[0]

        def place(share: Index) -> Index:
            return inner.add(low, inner.mul(inner.floordiv(inner.mul(share, steps), shares), step))

        following = inner.add(share, 1)
        begin = inner.as_index(place(share))
        end = inner.select(inner.compare("eq", following, shares), high, place(following))
        parallel = scf.ParallelOp([b.index(0)], [b.as_index(shares)], [b.index(1)], Region(body))
        parallel.location = loop.location
        b.insert_op(parallel)
        loop.detach()
        loop.operands = [begin, end, loop.step]
        inner.insert_op(loop)
        inner.insert_op(scf.ReduceOp())


def _may_be_shared(loop: scf.ForOp) -> bool:
    """Returns whether a loop has the form that is shared: of an index that grows, and without results."""
    step = constant_index(loop.step)
    return not loop.results and isinstance(loop.lb.type, IndexType) and (step is None or step > 0)


def _known(value: Index) -> Index:
    if isinstance(value, int):
        return value
    constant = constant_index(value)
    return value if constant is None else constant


def _outermost(op: Operation) -> Iterator[scf.ForOp]:
    """Yields the marked loops inside of an op that are inside of no other."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if isinstance(inner, scf.ForOp) and INDEPENDENT.is_on(inner):
                    yield inner
                elif inner.regions:
                    yield from _outermost(inner)


def _share(loops: list[_Shared]) -> None:
    """Splits one of nested loops, outermost first: the first with even shares, else that with the most steps; none without work enough."""
    worthwhile = [loop for loop in loops if loop.is_worthwhile]
    even = [loop for loop in worthwhile if loop.is_even]
    shared = even[0] if even else max(worthwhile, key=lambda loop: loop.steps or 0, default=None)
    if shared is not None:
        shared.split()


_is_free = kind_test(*VIEWS, arith.ConstantOp, memref.DimOp, memref.AllocOp, memref.AllocaOp, scf.YieldOp)


def _work(block: Block) -> int:
    """Returns the work of the ops of a block, in the units of `grain.py`."""
    return sum(_work_of(op) for op in block.ops)


def _work_of(op: Operation) -> int:
    if _is_free(op):
        return 0
    if op.dialect_name() == "linalg":
        nest = nest_of(op)
        return work_of_point(nest) * work_inside(nest.sizes)
    if not op.regions:
        return max(
            [ACCESS, *(value.type.element_count() for value in op.results if isinstance(value.type, VectorType))]
        )
    inside = sum(_work(block) for region in op.regions for block in region.blocks)
    if isinstance(op, scf.ForOp):
        return inside * work_inside([_iterations(op)])
    return inside * (UNKNOWN_INSIDE if isinstance(op, scf.WhileOp) else 1)


def _iterations(loop: scf.ForOp) -> Size:
    low, high, step = (constant_index(bound) for bound in (loop.lb, loop.ub, loop.step))
    return None if low is None or high is None or not step else max(0, -((low - high) // step))
