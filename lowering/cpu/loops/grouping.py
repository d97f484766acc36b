"""Which ops share loops: a contraction with the element-wise ops on its tiles, and rows that are read again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from .builder import LoopBuilder
from .dependence import Buffers, SizeClasses, may_join
from .epilogue import fits, follow
from .iteration import Nest, arrange, nest_of
from .normalize import normalise, normalise_together
from .parallel import ENOUGH_ITERATIONS
from .schedule import ContractionSchedule, Schedule, contraction_schedule, schedule_of, vector_plan
from .vector_nest import VectorPlan


@dataclass(frozen=True)
class ContractionGroup:
    """A contraction and the nests that run on its tiles."""

    ops: Sequence[Operation]
    schedule: ContractionSchedule
    starts_at_zero: bool
    epilogue: Sequence[Nest]


@dataclass(frozen=True)
class RowGroup:
    """Nests inside common loops over their first `shared` dims, with the vectors of each (None: scalars)."""

    ops: Sequence[Operation]
    nests: Sequence[Nest]
    plans: Sequence[VectorPlan | None]
    shared: int


@dataclass(frozen=True)
class Single:
    """A nest with loops of its own."""

    ops: Sequence[Operation]
    nest: Nest
    schedule: Schedule


Group: TypeAlias = ContractionGroup | RowGroup | Single


class Grouping:
    """Divides consecutive `linalg` ops into groups.

    Each group is to be emitted, where the builder stands when it is handed out, before the next one is asked for.
    """

    def __init__(self, builder: LoopBuilder, ops: Sequence[Operation], buffers: Buffers, in_parallel: bool):
        self.builder = builder
        self.ops = ops
        self.buffers = buffers
        self.in_parallel = in_parallel
        self.sizes = SizeClasses(ops)
        self.held: dict[SSAValue, Operation] = {}
        """Fills with 0 that the contraction to come starts from."""

    def groups(self) -> Iterator[Group]:
        """The groups in order."""
        position = 0
        while position < len(self.ops):
            op = self.ops[position]
            if self._starts_contraction(position):
                self.held[op.operands[-1]] = op
                position += 1
                continue
            nest = self._arranged(position)
            if self._is_contraction(nest):
                group, count = self._contraction(position, nest)
                yield group
                position += count
                continue
            rows = self._row_candidates(position, nest)
            if len(rows) > 1 and any(not all(n.parallel) for n, _ in rows):
                yield self._row_group(position, rows)
            else:
                for op, (alone, _) in zip(self.ops[position:], rows, strict=False):
                    self.builder.at(op, self.in_parallel)
                    single = normalise(alone, self.builder)
                    yield Single([op], single, schedule_of(single, self.builder.target))
            position += len(rows)

    def _arranged(self, position: int) -> Nest:
        self.builder.at(self.ops[position], self.in_parallel)
        return arrange(nest_of(self.ops[position], self.builder))

    def _is_contraction(self, nest: Nest) -> bool:
        return contraction_schedule(normalise(nest, self.builder), self.builder.target) is not None

    # ---- contractions ----

    def _starts_contraction(self, position: int) -> bool:
        """Whether an op fills with 0 what a contraction adds to before anybody else looks at it."""
        op = self.ops[position]
        if not isinstance(op, linalg.FillOp) or not _is_zero(op.inputs[0]):
            return False
        target = op.outputs[0]
        for later in range(position + 1, len(self.ops)):
            other = self.ops[later]
            if not any(isinstance(o.type, MemRefType) and not self.buffers.disjoint(o, target) for o in other.operands):
                continue
            if other.operands[-1] is not target or not isinstance(other, linalg.GenericOp):
                return False
            return self._is_contraction(self._arranged(later))
        return False

    def _contraction(self, position: int, nest: Nest) -> tuple[ContractionGroup, int]:
        """A contraction with the element-wise ops that follow on its tiles, and how many ops that are."""
        group = [nest]
        if all(isinstance(s, int) and s > 0 for s, p in zip(nest.sizes, nest.parallel, strict=True) if not p):
            while position + len(group) < len(self.ops):
                found = follow(group, self._arranged(position + len(group)), self.sizes, self.buffers)
                if found is None:
                    break
                group.append(found)
        while True:
            ops = self.ops[position : position + len(group)]
            self.builder.at(ops[-1], self.in_parallel)
            nests, _ = normalise_together(group, sum(nest.parallel), self.builder)
            schedule = contraction_schedule(nests[0], self.builder.target)
            if schedule is not None and all(fits(schedule.contraction, n) for n in nests[1:]):
                break
            group.pop()
        fill = self.held.pop(ops[0].operands[-1], None)
        replaced = ops if fill is None else [*ops, fill]
        return ContractionGroup(replaced, schedule, fill is not None, nests[1:]), len(ops)

    # ---- rows ----

    def _row_candidates(self, position: int, nest: Nest) -> list[tuple[Nest, int]]:
        """The nest and those that follow it if they may share loops, with the number of loops shared up to each."""
        group, shared = [(nest, sum(nest.parallel))], sum(nest.parallel)
        while position + len(group) < len(self.ops):
            if self._starts_contraction(position + len(group)):
                break
            candidate = self._arranged(position + len(group))
            shared = shared_dims([n for n, _ in group], shared, candidate, self.sizes, self.buffers)
            if shared == 0 or self._is_contraction(candidate):
                break
            group.append((candidate, shared))
        return group

    def _row_group(self, position: int, rows: Sequence[tuple[Nest, int]]) -> RowGroup:
        ops = self.ops[position : position + len(rows)]
        self.builder.at(ops[-1], self.in_parallel)
        nests, shared = normalise_together([n for n, _ in rows], rows[-1][1], self.builder)
        return RowGroup(ops, nests, [vector_plan(nest, shared) for nest in nests], shared)


def shared_dims(group: Sequence[Nest], shared: int, nest: Nest, sizes: SizeClasses, buffers: Buffers) -> int:
    """How many leading dims a further arranged nest may share with a group that shares `shared`; 0 for none.

    Joining must leave enough iterations to share among threads.
    """
    first = group[0]
    parallel = sum(nest.parallel)
    limit = min(shared, parallel)
    common = 0
    while common < limit and sizes.of(first, common) == sizes.of(nest, common):
        common += 1
    # The dim that is vectorised must stay inside, but for nests that have nothing else.
    for member in (*group, nest):
        plan = vector_plan(member)
        if plan is not None and member.rank() > common:
            common = min(common, plan.dim)
    while common > 0 and not all(may_join(other, nest, common, buffers) for other in group):
        common -= 1
    if common == 0:
        return 0
    before, after = _iterations(first, shared), _iterations(first, common)
    return common if after >= min(ENOUGH_ITERATIONS, before) else 0


def _iterations(nest: Nest, count: int) -> int:
    total = 1
    for size in nest.sizes[:count]:
        total *= size if isinstance(size, int) else ENOUGH_ITERATIONS
    return total


def _is_zero(value: SSAValue) -> bool:
    """Whether a scalar is the constant 0, and not -0.0."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return False
    attr = owner.value
    if isinstance(attr, FloatAttr):
        return attr.value.data == 0 and math.copysign(1, attr.value.data) > 0
    return isinstance(attr, IntegerAttr) and attr.value.data == 0
