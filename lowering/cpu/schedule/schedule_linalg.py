"""The pass `schedule-linalg`: every `linalg` op on memrefs gets its schedule.

    linalg.generic ... ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)

becomes

    linalg.generic ... attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0,
                                tiles = <shape = [6, 64], pack = rhs, steps = 512, grain = 1>>}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ....dialects.relax.schedule import Contraction, Schedule, Vectors, Winograd, word_of
from ....dialects.relax.vocabulary.attributes import SCHEDULE
from ....dialects.upstream.op_error import OpError
from ....passes.analysis.remarks import is_recording
from ....passes.options import PassWithOptions, within
from ....targets.cpu import DEFAULT, MOST_THREADS, CpuTarget, cpu_target
from .dependence import Buffers
from .grouping import Grouping
from .groups import read_groups
from .kernel_class import plain_scalars
from .nest import arrange, nest_of
from .runs import Run, runs_of
from .schedule_remarks import remark_on_schedules


@dataclass(frozen=True)
class ScheduleLinalgPass(PassWithOptions):
    """Writes the attribute `relax.schedule` of each `linalg` op for a target.

    ```mlir
    linalg.generic {...} ins(%x : memref<16xf32>) outs(%0 : memref<16xf32>) { ... arith.negf ... }
    ```
    becomes
    ```mlir
    linalg.generic {...} ins(%x : memref<16xf32>) outs(%0 : memref<16xf32>)
        attrs = {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lanes = 16>} { ... arith.negf ... }
    ```

    A schedule that is there already stays, and is checked: one that is impossible is an error. Ops between two such ops are
    scheduled by themselves.
    """

    name = "schedule-linalg"

    target: str = DEFAULT
    """The CPU that schedules are for; docs/targets.md has the names."""
    scalars: bool = False
    """Whether all loops are scalar, one after the other: slow code to compare other schedules with."""
    threads: int = within(0, 0, MOST_THREADS)
    """The threads that share a loop, as `outline-parallel` is told; 0 if that is decided when the program runs."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = None if self.scalars else cpu_target(self.target)
        for function in op.body.block.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                for runs in runs_of(function):
                    _schedule_block(runs, target, self.threads)
                    if is_recording() and target is not None:
                        remark_on_schedules(function.sym_name.data, runs, target)


def _schedule_block(runs: list[Run], target: CpuTarget | None, threads: int) -> None:
    """Schedules a block for a target; without one, by scalar loops."""
    if not runs:
        return
    buffers = Buffers(runs[0].block)
    for run in runs:
        given = [SCHEDULE.of(op) is not None for op in run.ops]
        for ops in _unscheduled(run.ops):
            if target is not None:
                Grouping(ops, buffers, target, run.in_parallel, threads).schedule()
                continue
            for op in ops:
                SCHEDULE.set(op, plain_scalars(arrange(nest_of(op))))
        if any(given):
            read_groups(run.ops, buffers, run.in_parallel)
            if target is not None:
                _check_instructions(run.ops, target)


def _check_instructions(ops: Sequence[Operation], target: CpuTarget) -> None:
    """Raises `OpError` for a schedule with an instruction that the target lacks, or has for shorter vectors only."""
    lookups = () if target.lookup is None else (target.lookup,)
    names = [row.name for row in (*target.dot_products, *target.tile_products, *lookups)]
    for op in ops:
        schedule = SCHEDULE.of(op)
        if schedule is None:
            continue
        for field, instruction in _instructions(schedule):
            if instruction not in names:
                reason = f"{field} = {instruction}, but the target {target.name} has {', '.join(names) or 'none'}"
                raise OpError(op, f"{op.name} cannot have the schedule {word_of(schedule)}: {reason}")
        if (
            isinstance(schedule, Contraction | Winograd)
            and schedule.instruction is not None
            and schedule.lanes > target.lanes
        ):
            # LLVM ends the process for an instruction on wider vectors than those of the target.
            reason = f"instruction = {schedule.instruction} with lanes = {schedule.lanes}, but the target {target.name} has {target.lanes}"
            raise OpError(op, f"{op.name} cannot have the schedule {word_of(schedule)}: {reason}")


def _instructions(schedule: Schedule) -> list[tuple[str, str]]:
    """Returns the instructions that a schedule names, each behind its field."""
    named: list[tuple[str, str | None]] = []
    match schedule:
        case Contraction(instruction=instruction, tiles=tiles):
            named = [("instruction", instruction), ("instruction", None if tiles is None else tiles.instruction)]
        case Winograd(instruction=instruction):
            named = [("instruction", instruction)]
        case Vectors(lookup=lookup):
            named = [("lookup", lookup)]
        case _:
            pass
    return [(field, instruction) for field, instruction in named if instruction is not None]


def _unscheduled(ops: list[Operation]) -> list[list[Operation]]:
    """Returns the stretches of ops without a schedule."""
    stretches: list[list[Operation]] = [[]]
    for op in ops:
        if SCHEDULE.of(op) is None:
            stretches[-1].append(op)
        elif stretches[-1]:
            stretches.append([])
    return [stretch for stretch in stretches if stretch]
