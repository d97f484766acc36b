"""Remarks on schedules: what an op got, and from which row of the tables."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects.relax import schedule as schedules
from ....dialects.relax.vocabulary.attributes import SCHEDULE
from ....passes.analysis.remarks import Topic, named_op, remark
from ....targets.cpu import CpuTarget
from .register_tiles import register_tiles
from .runs import Run


def remark_on_schedules(function: str, runs: Sequence[Run], target: CpuTarget) -> None:
    """Records the schedule of each op of a block."""
    for run in runs:
        for op in run.ops:
            schedule = SCHEDULE.of(op)
            if schedule is not None:
                text = f"{named_op(op)} has {op.attributes[SCHEDULE.name]}: {_row(schedule, target)}"
                remark(Topic.SCHEDULE, function, op.location, text)


def _row(schedule: schedules.Schedule, target: CpuTarget) -> str:
    """Returns the row of the table of kernel classes, and for a contraction that of register tiles."""
    # One text for each class, and for contractions one for each kind of tiles.
    match schedule:
        case schedules.Contraction():
            kind = "tiles" if schedule.tiles is not None else "skinny"
            if schedule.tiles is not None and schedule.tiles.instruction is not None:
                rows, columns = schedule.tiles.shape
                return f"row 'contraction, tile registers' of the kernel classes: {rows} rows take {columns} columns in turn"
            row = register_tiles(target)
            return f"row 'contraction, {kind}' of the kernel classes; row of {row.registers} registers of the register tiles: {row.reason}"
        case schedules.Convolution():
            return f"row 'convolution' of the kernel classes: its tiles are {schedule.shape[0]} pixels by {schedule.shape[1]} channels"
        case schedules.Winograd():
            rows, columns = schedule.block
            staged = ", whose data threads transform together" if schedule.staged else ""
            blocks = f"{rows} x {columns} tiles of {schedule.channels} output channels"
            return f"row 'winograd' of the kernel classes: blocks of {blocks}{staged}"
        case schedules.Epilogue():
            return "it runs on the finished tiles of the contraction before it"
        case schedules.Init():
            return "the contraction that follows starts at zero"
        case schedules.Padding():
            return "the convolution that follows leaves zeros around its image out"
        case schedules.Transposed():
            return "row 'transposed' of the kernel classes: it reads along another loop than it writes"
        case schedules.Interleaved():
            return "row 'interleaved' of the kernel classes: a few elements are side by side in one operand, apart in another"
        case schedules.Vectors():
            joined = f"; it shares {schedule.joins} loops with the op before" if schedule.joins else ""
            return (
                f"row 'vectors' of the kernel classes: loop {schedule.along} is its vectors of {schedule.lanes}{joined}"
            )
        case schedules.Scalars():
            joined = f"; it shares {schedule.joins} loops with the op before" if schedule.joins else ""
            return f"row 'scalars' of the kernel classes: no loop can be vectors{joined}"
