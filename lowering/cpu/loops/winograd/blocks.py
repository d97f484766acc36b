"""The blocks of tiles and output channels of Winograd's convolutions, of floats and of bytes: their parallel loop, and where they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from .....dialects.relax import schedule as schedules
from ....emit.emitter import Index
from ..builder import LoopBuilder

Place: TypeAlias = tuple[Index, Index, Index]
"""The batch, and the first row of tiles and column of tiles."""

Start: TypeAlias = tuple[Index, Index, Index, Index]
"""The batch, and the first row of tiles, column of tiles and output channel."""

Shape: TypeAlias = tuple[int, int, int]
"""The rows of tiles, columns of tiles and output channels."""

Stages: TypeAlias = tuple[Callable[[Index], None], Callable[[Index], None]]
"""What emits the transform of the data of an input channel, and the products and results from an output channel on."""


def emit_blocks(
    b: LoopBuilder,
    schedule: schedules.Winograd,
    batches: Index,
    sizes: Shape,
    memory: Callable[[], Sequence[SSAValue]],
    block: Callable[[Start, Shape, Sequence[SSAValue]], None],
) -> None:
    """Emits the parallel loop over batches, blocks of tiles and blocks of output channels, of which there are such sizes.

    Whole blocks and those that are left over share what `memory` emits.
    """
    steps = (*schedule.block, schedule.channels)

    def body(indices: Sequence[Index]) -> None:
        batch, *numbers = indices
        row, column, channel = (b.mul(number, step) for number, step in zip(numbers, steps, strict=True))
        shared = memory()

        def wide(height: int) -> None:
            b.part(column, sizes[1], steps[1], lambda width: deep(height, width))

        def deep(height: int, width: int) -> None:
            start = batch, row, column, channel
            b.part(channel, sizes[2], steps[2], lambda channels: block(start, (height, width, channels), shared))

        b.part(row, sizes[0], steps[0], wide)

    counts = [-(-size // step) for size, step in zip(sizes, steps, strict=True)]
    b.nest([batches, *counts], body, schedule.grain)


def emit_staged_blocks(
    b: LoopBuilder,
    schedule: schedules.Winograd,
    batches: Index,
    sizes: Shape,
    inputs: int,
    stages: Callable[[Place, tuple[int, int]], Stages],
) -> None:
    """Emits loops over batches and blocks of tiles, and in these two parallel ones: over input channels, then over blocks of outputs."""
    height, width, step = *schedule.block, schedule.channels
    blocks = -(-sizes[2] // step)

    def tiles(indices: Sequence[Index]) -> None:
        batch, row, column = indices[0], b.mul(indices[1], height), b.mul(indices[2], width)

        def emit(rows: int, columns: int) -> None:
            transform, multiply = stages((batch, row, column), (rows, columns))
            b.nest([inputs], lambda channel: transform(channel[0]), schedule.staged)
            b.nest([blocks], lambda block: multiply(b.mul(block[0], step)), schedule.grain)

        b.part(row, sizes[0], height, lambda rows: b.part(column, sizes[1], width, lambda columns: emit(rows, columns)))

    b.nest([batches, -(-sizes[0] // height), -(-sizes[1] // width)], tiles)


def existing(b: LoopBuilder, step: int, first: Index, tiles: int, size: int) -> Index:
    """Returns how many of the rows or columns of some tiles exist, from the first one on: only the last of all tiles may lack some.

    A tile has `step` of them.
    """
    return step * tiles if size % step == 0 else b.minimum(step * tiles, b.sub(size, first))
