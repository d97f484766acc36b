"""Builds loop nests: loops and branches as callbacks."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Block, Region, SSAValue

from ....dialects.new_op import new_op
from ....dialects.relax.vocabulary.attributes import ITERATIONS_PER_THREAD, NO_UNROLL
from ...emit.emitter import INDEX, Index
from .row_memory import RowMemory
from .values import ValueBuilder


class LoopBuilder(ValueBuilder):
    """Appends loops, branches and what is inside them to a block."""

    written_out = 1
    """The most iterations, in a known number, of a loop that is written out."""

    @contextmanager
    def one_row(self) -> Generator[RowMemory]:
        """Follows what memory holds in what is emitted within."""
        self.row = row = RowMemory(self.block)
        try:
            yield row
        finally:
            self.row = None

    @contextmanager
    def writing_out(self, iterations: int) -> Generator[None]:
        """Writes out loops of so few iterations, in what is emitted within."""
        self.written_out = max(iterations, 1)
        try:
            yield
        finally:
            self.written_out = 1

    def loop(
        self,
        lower: Index,
        upper: Index,
        step: int,
        initial: Sequence[SSAValue],
        body: Callable[[Index, Sequence[SSAValue]], Sequence[SSAValue]],
        no_unroll: bool = False,
    ) -> Sequence[SSAValue]:
        """Returns `scf.for` with carried values; nothing is emitted for no iteration, the body alone for one, and for few in a row."""
        if isinstance(lower, int) and isinstance(upper, int) and upper - lower <= step * self.written_out:
            for index in range(lower, upper, step):
                initial = body(index, initial)
            return initial
        inner = Block(arg_types=(INDEX, *(v.type for v in initial)))
        start, end, stride = self.as_index(lower), self.as_index(upper), self.as_index(step)
        outer, before = self.block, self.before
        self.block, self.before = inner, None
        results = body(inner.args[0], inner.args[1:])
        inner.add_op(new_op(scf.YieldOp, results))
        self.block, self.before = outer, before
        op = new_op(
            scf.ForOp, [start, end, stride, *initial], [value.type for value in initial], regions=[Region(inner)]
        )
        if no_unroll:
            NO_UNROLL.set(op)
        self.append(op)
        return op.results

    def plain_loop(self, lower: Index, upper: Index, step: int, body: Callable[[Index], None]) -> None:
        """Emits `scf.for` without carried values."""

        def carried(index: Index, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            body(index)
            return ()

        self.loop(lower, upper, step, (), carried)

    def nest(self, uppers: Sequence[Index], body: Callable[[Sequence[Index]], None], share: int = 0) -> None:
        """Emits nested loops from 0, the first outermost. With `share`, the iterations that a thread takes at least, they are one
        `scf.parallel`, unless the builder stands inside one already."""
        if any(isinstance(u, int) and u <= 0 for u in uppers):
            return
        if share and not self.in_parallel:
            self._parallel(uppers, body, share)
            return

        def level(depth: int, indices: list[Index]) -> None:
            if depth == len(uppers):
                body(indices)
                return
            self.plain_loop(0, uppers[depth], 1, lambda i: level(depth + 1, [*indices, i]))

        level(0, [])

    def _parallel(self, uppers: Sequence[Index], body: Callable[[Sequence[Index]], None], share: int) -> None:
        real = [k for k, u in enumerate(uppers) if u != 1]
        if not real:
            body([0] * len(uppers))
            return
        inner = Block(arg_types=[INDEX] * len(real))
        indices: list[Index] = [0] * len(uppers)
        for arg, k in zip(inner.args, real, strict=True):
            indices[k] = arg
        bounds = [self.as_index(uppers[k]) for k in real]
        zero, unit_step = self.as_index(0), self.as_index(1)
        outer, before = self.block, self.before
        self.block, self.before, self.in_parallel = inner, None, True
        body(indices)
        inner.add_op(new_op(scf.ReduceOp))
        self.block, self.before, self.in_parallel = outer, before, False
        op = scf.ParallelOp([zero] * len(real), bounds, [unit_step] * len(real), Region(inner))
        if share > 1:
            ITERATIONS_PER_THREAD.set(op, (share,))
        self.append(op)

    def in_parts(self, upper: Index, step: int, emit: Callable[[Index, Index], None]) -> None:
        """Emits whole steps of a loop from 0, then what is left: with the start of each, and its number of iterations.

        Vectors of whole steps need no masks, for which some processors take long.
        """
        whole = self.round_down(upper, step)
        self.plain_loop(0, whole, step, lambda start: emit(start, step))
        self.plain_loop(whole, upper, step, lambda start: emit(start, self.sub(upper, start)))

    def with_masks(
        self, existing: Index, vectors: int, lanes: int, emit: Callable[[Sequence[SSAValue | None]], None]
    ) -> None:
        """Emits what stores vectors side by side, of whose lanes so many exist: with a mask of each only where some are missing.

        Few vectors lack lanes, and some processors take long for masked stores.
        """
        plain: list[SSAValue | None] = [None] * vectors
        if isinstance(existing, int) and existing >= vectors * lanes:
            emit(plain)
            return
        self.if_else(
            self.less(existing, vectors * lanes),
            lambda: emit([self.mask(self.sub(existing, v * lanes), lanes) for v in range(vectors)]),
            lambda: emit(plain),
        )

    def part(self, start: Index, size: int, step: int, emit: Callable[[int], None]) -> None:
        """Emits the part of a loop of known size that begins at a multiple of a step: a whole step, or what is left in the last."""
        whole, rest = divmod(size, step)
        if rest == 0:
            emit(step)
        elif whole == 0:
            emit(rest)
        elif isinstance(start, int):
            emit(step if start < whole * step else rest)
        else:
            self.if_else(self.less(start, whole * step), lambda: emit(step), lambda: emit(rest))

    def _branch(self, body: Callable[[], Sequence[SSAValue] | None]) -> Region:
        """Returns a region with what a callback emits, and what it returns as results."""
        inner = Block()
        outer, before = self.block, self.before
        self.block, self.before = inner, None
        inner.add_op(new_op(scf.YieldOp, body() or ()))
        self.block, self.before = outer, before
        return Region(inner)

    def when(self, condition: SSAValue, body: Callable[[], None]) -> None:
        """Emits `scf.if` without results."""
        self.append(scf.IfOp(condition, [], self._branch(body)))

    def if_else(self, condition: SSAValue, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """Emits `scf.if` without results, with an else branch."""
        self.append(scf.IfOp(condition, [], self._branch(then), self._branch(otherwise)))

    def chosen(
        self, condition: SSAValue, then: Callable[[], Sequence[SSAValue]], otherwise: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Returns `scf.if` with results: what the callback emits, or values that exist."""
        branches = self._branch(then), self._branch(lambda: otherwise)
        op = scf.IfOp(condition, [value.type for value in otherwise], *branches)
        self.append(op)
        return op.results

    def switch(self, value: SSAValue, bodies: Sequence[Callable[[], None]]) -> None:
        """Emits `scf.index_switch`: the body number `value - 1`, nothing for other values."""
        default, *others = [self._branch(body) for body in (lambda: None, *bodies)]
        cases = DenseArrayBase.from_list(i64, list(range(1, len(bodies) + 1)))
        self.append(scf.IndexSwitchOp(value, cases, default, others, []))
