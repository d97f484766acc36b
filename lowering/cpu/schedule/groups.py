"""Reads the schedules of consecutive `linalg` ops: the groups that share loops, each op with the nest that its schedule asks for.

A schedule may be written by hand, so each is checked against its op: what is impossible is an error that names the op and the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, TypeAlias

from xdsl.ir import Operation

from ....dialects.relax.schedule import (
    Contraction,
    Convolution,
    Epilogue,
    Init,
    Interleaved,
    Padding,
    Scalars,
    Schedule,
    Transposed,
    Vectors,
    Winograd,
    word_of,
)
from ....dialects.relax.vocabulary.attributes import SCHEDULE
from ....dialects.upstream.op_error import OpError
from ....records import record
from .check import (
    contraction_problem,
    interleaved_schedule_problem,
    order_problem,
    scalars_problem,
    transposed_schedule_problem,
    vectors_problem,
)
from .contraction import recognize
from .convolution import convolution_problem, recognize_convolution
from .dependence import Buffers, SizeClasses, may_join
from .epilogue import fits, joins_problem
from .grouping import starts_contraction
from .integer_winograd import integer_winograd_problem, recognize_integer_winograd
from .merge_loops import merge_as_told, with_shared_sizes
from .nest import Nest, nest_of, reorder
from .padding import PaddedImage, padding_left_out, padding_of_window
from .scratch import OwnParts, own_parts, scratch_problem
from .sums import may_stay_on_stack
from .winograd import recognize_winograd, winograd_problem


@record
class Member:
    """An op of a group with the nest that its schedule asks for, before (`flat`) and after loops are merged."""

    flat: Nest
    nest: Nest

    @property
    def op(self) -> Operation:
        return self.nest.op


@record
class ContractionGroup:
    """A contraction, the ops that run on its tiles, and the fill that it makes needless."""

    schedule: Contraction | Convolution | Winograd
    members: Sequence[Member]
    init: Operation | None
    padding: PaddedImage | None = None
    """The padded image that it does without."""

    @property
    def shared(self) -> int:
        """The loops of the contraction that the others have as well."""
        return sum(self.members[0].nest.parallel)

    @property
    def replaced(self) -> list[Operation]:
        """The ops that the group stands for."""
        others = [] if self.padding is None else self.padding.ops
        return [*(member.op for member in self.members), *([] if self.init is None else [self.init]), *others]


@record
class RowGroup:
    """Ops inside common loops over their first `shared`; the first says which of these are parallel."""

    schedules: Sequence[Scalars | Vectors]
    members: Sequence[Member]
    shared: int
    on_stack: Sequence[OwnParts] = ()
    """The buffers of the workspace of which one part is on the stack instead."""
    padding: Sequence[tuple[int, int, PaddedImage]] = ()
    """The padded images that members do without: of which member, and of which input of it."""

    @property
    def replaced(self) -> list[Operation]:
        """The ops that the group stands for."""
        return [*(member.op for member in self.members), *_padding_ops(self.padding)]


@record
class Single:
    """An op with loops of its own."""

    schedule: Scalars | Vectors | Transposed | Interleaved
    members: Sequence[Member]
    padding: Sequence[tuple[int, int, PaddedImage]] = ()
    """As in `RowGroup`."""
    shared = 0

    @property
    def replaced(self) -> list[Operation]:
        """The ops that the group stands for."""
        return [*(member.op for member in self.members), *_padding_ops(self.padding)]


def _padding_ops(padding: Sequence[tuple[int, int, PaddedImage]]) -> list[Operation]:
    return [op for _, _, image in padding for op in image.ops]


_PADDING = (
    "fills with 0 and one copy, of a buffer that nothing else reads but a convolution without joined, staged and span, "
    "winograd, or vectors with rows, behind them"
)

Group: TypeAlias = ContractionGroup | RowGroup | Single


def read_groups(ops: Sequence[Operation], buffers: Buffers, in_parallel: bool) -> list[Group]:
    """Returns the groups of consecutive `linalg` ops, in order; raises `OpError` for a schedule that is missing or impossible."""
    return _Reader(ops, buffers, in_parallel).groups()


class _Reader:
    def __init__(self, ops: Sequence[Operation], buffers: Buffers, in_parallel: bool):
        self.ops = ops
        self.buffers = buffers
        self.in_parallel = in_parallel
        self.sizes = SizeClasses(ops)
        self.schedules = [self._schedule(op) for op in ops]
        self.inits: dict[Operation, Operation] = {}
        """The fill that a contraction starts from."""
        self.padding: set[Operation] = set()
        """The ops that make padded images, until the convolution comes that does without."""

    def groups(self) -> list[Group]:
        # Invariant: each op before the position is in a group, or is remembered for a contraction to come; so each case asks of its own op
        # alone, and of those right behind it.
        groups: list[Group] = []
        position = 0
        while position < len(self.ops):
            op, schedule = self.ops[position], self.schedules[position]
            match schedule:
                case Init():
                    self._read_init(position)
                    position += 1
                    continue
                case Padding():
                    self.padding.add(op)
                    position += 1
                    continue
                case Contraction() | Convolution() | Winograd():
                    group = self._contraction(position, schedule)
                case Epilogue():
                    self._fail(op, "the op before is neither a contraction nor an epilogue")
                case Scalars() | Vectors():
                    if schedule.joins:
                        self._fail(op, f"joins = {schedule.joins}, but the op before has other loops")
                    group = self._rows(position, schedule)
                case Transposed():
                    member = self._members(position, 1, 0)[0]
                    self._check(member, transposed_schedule_problem(member.nest, schedule))
                    group = Single(schedule, [member])
                case Interleaved():
                    member = self._members(position, 1, 0)[0]
                    self._check(member, interleaved_schedule_problem(member.nest, schedule))
                    group = Single(schedule, [member])
            groups.append(group)
            position += len(group.members)
        for op in self.padding:
            self._fail(op, f"want {_PADDING}")
        return groups

    def _schedule(self, op: Operation) -> Schedule:
        schedule = SCHEDULE.of(op)
        if schedule is None:
            raise OpError(
                op, f"{op.name} has no schedule: run schedule-linalg first, or write its attribute relax.schedule"
            )
        grain = grain_in(schedule)
        if grain and self.in_parallel:
            self._fail(op, f"grain = {grain} inside scf.parallel")
        return schedule

    def _fail(self, op: Operation, reason: str) -> NoReturn:
        schedule = SCHEDULE.of(op)
        raise OpError(
            op, f"{op.name} cannot have the schedule {'' if schedule is None else word_of(schedule)}: {reason}"
        )

    def _check(self, member: Member, problem: str | None) -> None:
        if problem is not None:
            self._fail(member.op, problem)

    # ---- nests ----

    def _members(self, position: int, count: int, shared: int) -> list[Member]:
        """Returns the nests of `count` ops that have their first `shared` loops in common."""
        ops = self.ops[position : position + count]
        loops = [getattr(s, "loops") for s in self.schedules[position : position + count]]
        flats = [self._flat(op, own) for op, own in zip(ops, loops, strict=True)]
        lengths = [[len(loop) for loop in own] for own in loops]
        common = lengths[0][:shared]
        for op, own in zip(ops, lengths, strict=True):
            if own[:shared] != common:
                self._fail(op, f"the first {shared} loops are not those of {ops[0].name} before")
        flats = with_shared_sizes(flats, sum(common))
        members: list[Member] = []
        for flat, own in zip(flats, lengths, strict=True):
            nest = merge_as_told(flat, own)
            if nest is None:
                self._fail(flat.op, "loops: dims are merged that do not lie one after the other in every operand")
            members.append(Member(flat, nest))
            self._check(members[-1], order_problem(nest))
        return members

    def _flat(self, op: Operation, loops: Sequence[Sequence[int]]) -> Nest:
        """Returns the nest of an op with one loop for each dim that its schedule lists, in that order."""
        nest = nest_of(op)
        order = [d for loop in loops for d in loop]
        if len(set(order)) != len(order) or not set(order) <= set(range(nest.rank())) or not all(loops):
            self._fail(op, f"loops: want each dim from 0 to {nest.rank() - 1} at most once")
        for d in set(range(nest.rank())) - set(order):
            if nest.sizes[d] != 1 and self.sizes.of(nest, d) != 1:
                self._fail(op, f"loops: dim {d} is left out, but is not known to have 1 iteration")
        return reorder(nest, order)

    # ---- contractions ----

    def _read_init(self, position: int) -> None:
        """Remembers the contraction that a fill starts: the first op behind it that writes the buffer."""
        op = self.ops[position]
        is_contraction = [isinstance(s, Contraction | Convolution | Winograd) for s in self.schedules]
        if not starts_contraction(self.ops, position, is_contraction, self.buffers):
            self._fail(op, "it does not fill with 0 what a contraction adds to before anything else uses it")
        self.inits[next(later for later in self.ops[position + 1 :] if later.operands[-1] is op.operands[-1])] = op

    def _contraction(self, position: int, schedule: Contraction | Convolution | Winograd) -> ContractionGroup:
        count = 1
        while position + count < len(self.ops) and isinstance(self.schedules[position + count], Epilogue):
            count += 1
        alone = self._members(position, 1, 0)
        members = alone if count == 1 else self._members(position, count, sum(alone[0].nest.parallel))
        first, *rest = members
        column = self._column(first, schedule)
        for index, member in enumerate(rest, 1):
            earlier = [m.flat for m in members[:index]]
            self._check(member, joins_problem(earlier, member.flat, self.sizes, self.buffers))
            if not fits(column, member.nest):
                self._fail(member.op, "an operand is scattered along the columns of the contraction")
        init = self.inits.get(first.op)
        if isinstance(schedule, Contraction) and schedule.tiles is not None and schedule.tiles.sums != "output":
            if not may_stay_on_stack(first.op, init, [member.op for member in rest], self.buffers):
                self._fail(
                    first.op, f"tiles: sums = {schedule.tiles.sums}, but others than ops of the epilogue may read them"
                )
        return ContractionGroup(schedule, members, init, self._padding(position, count, first, schedule))

    def _padding(
        self, position: int, count: int, member: Member, schedule: Contraction | Convolution | Winograd
    ) -> PaddedImage | None:
        """Returns the padded image that a convolution does without."""
        if not self.padding:
            return None
        k = recognize_winograd(member.nest) if isinstance(schedule, Winograd) else recognize_convolution(member.nest)
        if k is None:
            return None
        padding = padding_left_out(k, schedule, self.ops, (position, position + count - 1), self.buffers)
        if padding is None or not self.padding.issuperset(padding.ops):
            return None
        self.padding.difference_update(padding.ops)
        return padding

    def _column(self, member: Member, schedule: Contraction | Convolution | Winograd) -> int:
        """Returns the loop along which vectors of the result lie, of an op that is what its schedule takes it for."""
        if isinstance(schedule, Convolution):
            convolution = recognize_convolution(member.nest)
            self._check(member, convolution_problem(convolution, schedule))
            assert convolution is not None
            return convolution.pixel
        if isinstance(schedule, Winograd):
            integer = recognize_integer_winograd(member.nest)
            if integer is not None:
                self._check(member, integer_winograd_problem(integer, schedule))
                return integer.channel
            winograd = recognize_winograd(member.nest)
            self._check(member, winograd_problem(winograd, schedule))
            assert winograd is not None
            return winograd.column
        self._check(member, contraction_problem(member.nest, schedule))
        contraction = recognize(member.nest)
        assert contraction is not None
        return contraction.column

    # ---- rows ----

    def _rows(self, position: int, leader: Scalars | Vectors) -> RowGroup | Single:
        schedules = [leader]
        for schedule in self.schedules[position + 1 :]:
            if not isinstance(schedule, Scalars | Vectors) or not schedule.joins:
                break
            schedules.append(schedule)
        shared = schedules[1].joins if len(schedules) > 1 else 0
        members = self._members(position, len(schedules), shared)
        for index, (member, schedule) in enumerate(zip(members, schedules, strict=True)):
            self._check(member, _rows_problem(member.nest, schedule, shared))
            if shared:
                self._check_joined(members[:index], member, schedule, shared)
        on_stack = self._on_stack(members, schedules, shared)
        padding = self._padding_of_rows(position, members, schedules)
        return RowGroup(schedules, members, shared, on_stack, padding) if shared else Single(leader, members, padding)

    def _padding_of_rows(
        self, position: int, members: Sequence[Member], schedules: Sequence[Scalars | Vectors]
    ) -> list[tuple[int, int, PaddedImage]]:
        """Returns the padded images that windows do without."""
        images: list[tuple[int, int, PaddedImage]] = []
        for k, (member, schedule) in enumerate(zip(members, schedules, strict=True)):
            if not self.padding or not isinstance(schedule, Vectors) or not schedule.rows:
                continue
            image = padding_of_window(self.ops, position + k, member.nest, schedule.along, self.buffers)
            if image is not None and self.padding.issuperset(image[1].ops):
                self.padding.difference_update(image[1].ops)
                images.append((k, *image))
        return images

    def _on_stack(
        self, members: Sequence[Member], schedules: Sequence[Scalars | Vectors], shared: int
    ) -> list[OwnParts]:
        """Returns the buffers that lie on the stack, if the first schedule of a group says so."""
        for k, (member, schedule) in enumerate(zip(members, schedules, strict=True)):
            if isinstance(schedule, Vectors) and schedule.scratch != "workspace" and (k or not shared):
                self._fail(member.op, f"scratch = {schedule.scratch}, which is for the first of ops that share loops")
        leader = schedules[0]
        if not isinstance(leader, Vectors) or leader.scratch == "workspace":
            return []
        common = sum(len(loop) for loop in members[0].nest.loops[:shared])
        parts = own_parts([member.flat for member in members], common, self.buffers)
        problem = scratch_problem(parts)
        if problem is not None:
            self._fail(members[0].op, f"scratch = {leader.scratch}: {problem}")
        return parts

    def _check_joined(
        self, earlier: Sequence[Member], member: Member, schedule: Scalars | Vectors, shared: int
    ) -> None:
        """Checks that the first loops of a member may be those of the ops before."""
        # The first member leads: its loops are those of the group. Each further one must number them alike, with the same sizes, and
        # need no more of an earlier member than the iteration at hand has made.
        if earlier and schedule.joins != shared:
            self._fail(member.op, f"joins = {schedule.joins}, but the group has {shared} loops in common")
        if not earlier and (schedule.parallel > shared or (isinstance(schedule, Vectors) and schedule.chunk)):
            self._fail(member.op, f"the next op joins {shared} loops, but it makes others parallel")
        common = sum(len(loop) for loop in member.nest.loops[:shared])
        if not all(member.nest.parallel[:shared]):
            self._fail(member.op, f"joins: one of the first {shared} loops is a reduction")
        for other in earlier:
            if any(self.sizes.of(other.flat, d) != self.sizes.of(member.flat, d) for d in range(common)):
                self._fail(member.op, f"joins = {shared}: the loops are not known to have the sizes of those before")
            if not may_join(other.flat, member.flat, common, self.buffers):
                self._fail(
                    member.op, f"joins = {shared}: an iteration may need more of an earlier op than that iteration"
                )


def grain_in(schedule: Schedule) -> int:
    """Returns the grain of a schedule; 0 if nothing in it is parallel."""
    match schedule:
        case Contraction():
            return max(part.grain for part in (schedule.tiles, schedule.skinny) if part is not None)
        case Convolution() | Winograd() | Scalars() | Vectors() | Transposed() | Interleaved():
            return schedule.grain
        case Epilogue() | Init() | Padding():
            return 0


def _rows_problem(nest: Nest, schedule: Scalars | Vectors, shared: int) -> str | None:
    if isinstance(schedule, Scalars):
        return scalars_problem(nest, schedule)
    return vectors_problem(nest, schedule, shared)
