"""Decides which ops share loops, and writes their schedules: contractions with the element-wise ops on their tiles, and rows.

linalg.fill 0 -> %c                   init
linalg.generic %c += %a * %b          contraction
linalg.generic %d = f(%c)             epilogue: on the tiles of %c
linalg.generic %s += %d               vectors, loops = [0, 1]
linalg.generic %e = %d / %s           vectors, loops = [0, 1], joins = 1: a row of %d is still in cache
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from ....dialects.relax.schedule import Contraction, Convolution, Epilogue, Init, Padding, Schedule, Vectors, Winograd
from ....dialects.relax.vocabulary.attributes import SCHEDULE
from ....records import record
from ....targets.cpu import CpuTarget
from .dependence import Buffers, SizeClasses, may_join, sliced
from .epilogue import aligned, fits
from .grain import ENOUGH_ITERATIONS
from .integer_winograd import IntegerWinogradConvolution
from .kernel_class import (
    Enough,
    LeadingNest,
    as_contraction,
    column_of,
    schedule_alone,
    schedule_contraction,
    schedule_rows,
)
from .merge_loops import merge, merge_together
from .nest import Nest, arrange, nest_of
from .padding import PaddedImage, is_positive_zero, leaves_out, padding_of, padding_of_window, share_inside
from .scratch import own_parts, pick_scratch
from .sums import may_stay_on_stack
from .vectorize import vector_loop
from .windows import is_window, pick_window_fetched
from .winograd import WinogradConvolution

MOST_ROWS = 32
"""The most ops that share the loops over rows: each further one is compared with all before it."""


@record
class _ScheduledContraction:
    """A contraction with what it is, and the nests that run on its tiles, its own first."""

    leading: LeadingNest
    schedule: Contraction | Convolution | Winograd
    nests: list[Nest]


class Grouping:
    """Schedules consecutive `linalg` ops of a block."""

    def __init__(self, ops: Sequence[Operation], buffers: Buffers, target: CpuTarget, in_parallel: bool, threads: int):
        self.ops = ops
        self.buffers = buffers
        self.target = target
        self.in_parallel = in_parallel
        self.threads = threads
        self.sizes = SizeClasses(ops)
        self.nests = [arrange(nest_of(op)) for op in ops]
        """The nests of the ops before any loops are merged."""
        self.inits: dict[SSAValue, Operation] = {}
        """The fill that the contraction of a buffer starts from."""
        self.is_contraction = [as_contraction(merge(nest), target) is not None for nest in self.nests]
        self.contractions: dict[int, _ScheduledContraction] = {}
        self.padding: set[Operation] = set()
        """The ops that make padded images which convolutions do without."""
        self.unpadded: set[int] = set()
        """The positions of windows that do without, with the loops that they have."""

    def schedule(self) -> None:
        """Writes the schedule of each op."""
        for position, contracts in enumerate(self.is_contraction):
            if contracts:
                self._leave_padding_out(position)
        position = 0
        while position < len(self.ops):
            if self.ops[position] in self.padding:
                SCHEDULE.set(self.ops[position], Padding())
                position += 1
            elif starts_contraction(self.ops, position, self.is_contraction, self.buffers):
                SCHEDULE.set(self.ops[position], Init())
                self.inits[self.ops[position].operands[-1]] = self.ops[position]
                position += 1
            elif self.is_contraction[position]:
                position += self._schedule_contraction(position)
            else:
                position += self._schedule_rows(position)

    def _leave_padding_out(self, position: int) -> None:
        """Finds the ops that make the padded image of a convolution, if it can do without."""
        image = self.ops[position].operands[0]
        if not any(isinstance(use.operation, linalg.FillOp | memref.SubviewOp) for use in image.uses):
            return
        contraction = self._contraction(position)
        leading = contraction.leading
        if isinstance(leading, Enough | IntegerWinogradConvolution) or (
            isinstance(leading, WinogradConvolution) and not self.target.masks_memory
        ):
            return
        places = position, position + len(contraction.nests) - 1
        padding = padding_of(self.ops, *places, leading.image, self.buffers)
        if padding is None:
            return
        schedule = contraction.schedule
        if not isinstance(leading, WinogradConvolution):
            inside = share_inside(leading, padding)
            schedule = schedule_contraction(leading, self.target, self.in_parallel, self.threads, inside=inside)
        if not leaves_out(leading, schedule, padding):
            return
        copy = self.ops.index(padding.ops[-1])
        before = next((k for k in range(copy - 1, -1, -1) if self.is_contraction[k]), None)
        # The tiles of another contraction may be written to the padded image as they are finished.
        if before is None or before + len(self._contraction(before).nests) <= copy:
            self.contractions[position] = replace(contraction, schedule=schedule)
            self.padding.update(padding.ops)

    def _contraction(self, position: int) -> _ScheduledContraction:
        """Returns the schedule of a contraction, and the nests of the ops that follow and run on its tiles."""
        if position not in self.contractions:
            group = [self.nests[position]]
            for candidate in self.nests[position + 1 :]:
                nest = aligned(group, candidate, self.sizes, self.buffers)
                if nest is None:
                    break
                group.append(nest)
            nests, enough = self._merged_group(group)
            schedule = schedule_contraction(enough, self.target, self.in_parallel, self.threads)
            self.contractions[position] = _ScheduledContraction(enough, schedule, nests)
        return self.contractions[position]

    def _schedule_contraction(self, position: int) -> int:
        """Schedules a contraction, with the ops that follow and run on its tiles; returns the number of ops."""
        scheduled = self._contraction(position)
        nests, schedule = scheduled.nests, scheduled.schedule
        contraction, epilogue = self.ops[position], self.ops[position + 1 : position + len(nests)]
        if isinstance(schedule, Contraction) and schedule.tiles is not None and schedule.tiles.sums != "output":
            if not may_stay_on_stack(contraction, self.inits.get(contraction.operands[-1]), epilogue, self.buffers):
                schedule = self._on_output(scheduled.leading, schedule)
        SCHEDULE.set(contraction, schedule)
        for op, nest in zip(self.ops[position + 1 :], nests[1:], strict=False):
            SCHEDULE.set(op, Epilogue(tuple(nest.loops)))
        return len(nests)

    def _on_output(self, leading: LeadingNest, schedule: Contraction) -> Contraction:
        """Returns the schedule of a contraction whose sums cannot stay on the stack."""
        if schedule.tiles is not None and schedule.tiles.pitch:
            without = schedule_contraction(leading, self.target, self.in_parallel, self.threads, on_stack=False)
            assert isinstance(without, Contraction)
            schedule = without
        assert schedule.tiles is not None
        return replace(schedule, tiles=replace(schedule.tiles, sums="output"))

    def _merged_group(self, group: list[Nest]) -> tuple[list[Nest], LeadingNest]:
        """Returns the group with merged loops, without the last ops if vectors of the contraction's columns do not fit them.

        The contraction alone always fits.
        """
        while True:
            nests, _ = merge_together(group, sum(group[0].parallel))
            enough = as_contraction(nests[0], self.target)
            if enough is not None and all(fits(column_of(enough), n) for n in nests[1:]):
                return nests, enough
            group = group[:-1]

    def _schedule_rows(self, position: int) -> int:
        """Schedules an op, with those that follow and share its loops; returns the number of ops."""
        group, common = self._rows(position)
        count = count_to_join(group)
        if count > 1:
            nests, shared = merge_together(group[:count], common)
            if shared:
                schedules = schedule_rows(nests, shared, self.target, self.in_parallel)
                if self._leave_padding_of_windows_out(position, nests, schedules):
                    # What is behind it is scheduled without.
                    return 0
                if self.padding:
                    schedules = [
                        self._fetched(position + k, *each) for k, each in enumerate(zip(nests, schedules, strict=True))
                    ]
                if isinstance(schedules[0], Vectors):
                    scratch = pick_scratch(own_parts(group[:count], common, self.buffers), self.target)
                    schedules[0] = replace(schedules[0], scratch=scratch)
                for op, schedule in zip(self.ops[position : position + count], schedules, strict=True):
                    SCHEDULE.set(op, schedule)
                return count
        # Those behind the first may share loops without it.
        alone = next((k for k in range(1, len(group)) if count_to_join(group[k:]) > 1), len(group))
        for k, nest in enumerate(group[:alone], position):
            merged = merge(nest)
            schedule = schedule_alone(merged, self.target, self.in_parallel)
            self._reads_image(k, merged, schedule)
            SCHEDULE.set(self.ops[k], schedule)
        return alone

    def _leave_padding_of_windows_out(
        self, position: int, nests: Sequence[Nest], schedules: Sequence[Schedule]
    ) -> bool:
        """Finds the first ops of a group if they make padded images that windows of the group do without; returns whether they do."""
        # First what windows could do without; then whether that is all before them, and whether they are windows still without it.
        if not self.target.masks_memory:
            return False
        ops: set[Operation] = set()
        windows: list[int] = []
        for k, (nest, schedule) in enumerate(zip(nests, schedules, strict=True)):
            image = self._image(position + k, nest, schedule)
            if image is not None:
                ops.update(image.ops)
                windows.append(position + k)
        count = sum(1 for _ in takewhile(ops.__contains__, self.ops[position : position + len(nests)]))
        if not windows or count != len(ops):
            return False
        self.padding |= ops
        behind = position + count
        while behind <= windows[-1] and (scheduled := self._schedule_rows(behind)):
            behind += scheduled
        if self.unpadded.issuperset(windows):
            return True
        self.padding -= ops
        self.unpadded.difference_update(windows)
        return False

    def _fetched(self, position: int, nest: Nest, schedule: Schedule) -> Schedule:
        """Returns the schedule of an op of a group; of windows that read an image in place with what of it is fetched."""
        image = self._reads_image(position, nest, schedule)
        if image is None or not isinstance(schedule, Vectors):
            return schedule
        along = nest.loops.index(schedule.loops[schedule.along])
        return replace(schedule, fetched=pick_window_fetched(nest, image.image, along, schedule.rows, self.target))

    def _reads_image(self, position: int, nest: Nest, schedule: Schedule) -> PaddedImage | None:
        """Returns what windows read in place of a padded image, and remembers them; None where they read the padded one."""
        image = self._image(position, nest, schedule)
        if image is None or not self.padding.issuperset(image.ops):
            return None
        self.unpadded.add(position)
        return image

    def _image(self, position: int, nest: Nest, schedule: Schedule) -> PaddedImage | None:
        """Returns the padded image that the windows of an op, with its schedule, could do without."""
        if not isinstance(schedule, Vectors) or not schedule.rows:
            return None
        along = nest.loops.index(schedule.loops[schedule.along])
        image = padding_of_window(self.ops, position, nest, along, self.buffers)
        return None if image is None else image[1]

    def _rows(self, position: int) -> tuple[list[Nest], int]:
        """Returns the nest and those that follow it if they may share loops, and the number of loops that all share."""
        group = [self.nests[position]]
        along = [vector_loop(group[0])]
        shared = sum(group[0].parallel)
        for k in range(position + 1, min(position + MOST_ROWS, len(self.ops))):
            if (
                self.ops[k] in self.padding
                or self.is_contraction[k]
                or starts_contraction(self.ops, k, self.is_contraction, self.buffers)
            ):
                break
            along.append(vector_loop(self.nests[k]))
            common = shared_loops(group, shared, self.nests[k], along, self.sizes, self.buffers)
            if common == 0:
                break
            shared = common
            group.append(self.nests[k])
        return group, shared


def starts_contraction(
    ops: Sequence[Operation], position: int, is_contraction: Sequence[bool], buffers: Buffers
) -> bool:
    """Returns whether an op fills with 0 the buffer that a contraction adds to, and nothing between the two touches it."""
    op = ops[position]
    if not isinstance(op, linalg.FillOp) or not is_positive_zero(op.inputs[0]):
        return False
    target = op.outputs[0]
    for later in range(position + 1, len(ops)):
        other = ops[later]
        if not any(isinstance(o.type, MemRefType) and not buffers.disjoint(o, target) for o in other.operands):
            continue
        return other.operands[-1] is target and isinstance(other, linalg.GenericOp) and is_contraction[later]
    return False


def shared_loops(
    group: Sequence[Nest], shared: int, nest: Nest, along: Sequence[int | None], sizes: SizeClasses, buffers: Buffers
) -> int:
    """Returns how many leading loops a further nest may share with a group that shares `shared`; 0 for none.

    Joining must leave enough iterations to share among threads, and the loop that is vectorized (`along`, of each nest) must stay
    inside, but for nests that have nothing else.
    """
    first = group[0]
    limit = min(shared, sum(nest.parallel))
    common = 0
    while common < limit and sizes.of(first, common) == sizes.of(nest, common):
        common += 1
    for member, loop in zip((*group, nest), along, strict=True):
        if loop is not None and member.rank() > common:
            common = min(common, loop)
            if 1 < common == loop and is_window(member, loop) and _iterations(first, loop - 1) >= ENOUGH_ITERATIONS:
                # Rows of windows go together.
                common = loop - 1
    while common > 0 and not all(may_join(other, nest, common, buffers) for other in group):
        common -= 1
    if common == 0:
        return 0
    before, after = _iterations(first, shared), _iterations(first, common)
    return common if after >= min(ENOUGH_ITERATIONS, before) else 0


def _iterations(nest: Nest, count: int) -> int:
    total = 1
    for size in nest.sizes[:count]:
        total *= ENOUGH_ITERATIONS if size is None else size
    return total


def are_parts_of_rows(group: Sequence[Nest]) -> bool:
    """Returns whether each nest writes a part of the rows of one buffer, as a concatenation along the last axis does."""
    targets = [nest.outputs[0].value for nest in group if len(nest.outputs) == 1]
    views = [value.owner for value in targets if isinstance(value.owner, memref.SubviewOp)]
    return len(views) == len(group) and all(
        view.source is views[0].source and 0 < _row(view.result) < _row(view.source) for view in views
    )


def count_to_join(group: Sequence[Nest]) -> int:
    """Returns how many of the first nests share loops with profit: all with a reduction or parts of rows, else what fills a buffer."""
    if are_parts_of_rows(group) or any(not all(nest.parallel) for nest in group):
        return len(group)
    return parts_of_filled(group)


def parts_of_filled(group: Sequence[Nest]) -> int:
    """Returns how many of the first nests fill a buffer and then write parts of it, as padding does; at least 1."""
    first, *others = group
    if not isinstance(first.op, linalg.FillOp):
        return 1
    filled = first.outputs[0].value
    count = 1
    for nest in others:
        if len(nest.outputs) != 1 or not _is_part(nest.outputs[0].value, filled):
            break
        count += 1
    return count


def _is_part(value: SSAValue, whole: SSAValue) -> bool:
    """Returns whether a value is a slice of a buffer, or of a slice of it that contains it."""
    (source, starts), (of_whole, whole_starts) = sliced(value), sliced(whole)
    if source is value or of_whole is not source:
        return False
    if source is whole:
        return True
    sizes, whole_sizes = (cast(MemRefType, each.type).get_shape() for each in (value, whole))
    return all(
        first is not None and start is not None and start <= first and 0 <= size <= whole_size - (first - start)
        for first, start, size, whole_size in zip(starts, whole_starts, sizes, whole_sizes, strict=True)
    )


def _row(value: SSAValue) -> int:
    """Returns the size of the last dim; -1 if it is not known."""
    shape = cast(MemRefType, value.type).get_shape()
    return shape[-1] if shape else -1
