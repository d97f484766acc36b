"""The blocks of tiles and output channels of Winograd's convolutions, of floats and of bytes: their parallel loop, and where they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from .....dialects.relax import schedule as schedules
from ....emit.emitter import Index
from ...schedule.winograd import channels_of_share
from ..builder import LoopBuilder

Place: TypeAlias = tuple[Index, Index, Index]
"""The batch, and the first row of tiles and column of tiles."""

Start: TypeAlias = tuple[Index, Index, Index, Index]
"""The batch, and the first row of tiles, column of tiles and output channel."""

Shape: TypeAlias = tuple[int, int, int]
"""The rows of tiles, columns of tiles and output channels."""

Block: TypeAlias = Callable[[Start, Shape, Sequence[SSAValue]], None]
"""What emits a block that begins at a place, given memory."""

Stages: TypeAlias = tuple[Callable[[Index], None], Callable[[Index], None]]
"""What emits the transform of the data of an input channel, and the products and results from an output channel on."""


def emit_blocks(
    b: LoopBuilder,
    schedule: schedules.Winograd,
    batches: Index,
    sizes: Shape,
    memory: Callable[[], Sequence[SSAValue]],
    block: Block,
) -> None:
    """Emits the parallel loop over batches, blocks of tiles and blocks of output channels, of which there are such sizes, or over shares.

    Whole blocks and those that are left over share what `memory` emits.
    """
    steps = (*schedule.block, schedule.channels)
    counts = [-(-size // step) for size, step in zip(sizes, steps, strict=True)]

    def body(indices: Sequence[Index]) -> None:
        batch, *numbers = indices
        row, column, channel = (b.mul(number, step) for number, step in zip(numbers, steps, strict=True))
        _emit_block(b, block, memory(), (batch, row, column, channel), sizes, steps)

    if schedule.shares:
        assert isinstance(batches, int)
        _emit_shares(b, schedule, (batches, counts[0], counts[1]), sizes, memory, block)
    else:
        b.nest([batches, *counts], body, schedule.grain)


def _emit_block(
    b: LoopBuilder, block: Block, memory: Sequence[SSAValue], start: Start, sizes: Shape, steps: Shape
) -> None:
    """Emits the block of such steps that begins at a place: as much of it as exists in each dim."""
    _, row, column, channel = start

    def wide(height: int) -> None:
        b.part(column, sizes[1], steps[1], lambda width: deep(height, width))

    def deep(height: int, width: int) -> None:
        b.part(channel, sizes[2], steps[2], lambda channels: block(start, (height, width, channels), memory))

    b.part(row, sizes[0], steps[0], wide)


def _emit_shares(
    b: LoopBuilder,
    schedule: schedules.Winograd,
    counts: Shape,
    sizes: Shape,
    memory: Callable[[], Sequence[SSAValue]],
    block: Block,
) -> None:
    """Emits the parallel loop over shares: as many blocks each, then output channels of each block that is left over.

    There are so many images, and in each of them so many rows and columns of blocks.
    """
    (batches, rows, columns), (height, width) = counts, schedule.block
    whole, rest = divmod(batches * rows * columns, schedule.shares)
    channels = channels_of_share(sizes[2], schedule.shares, schedule.lanes)
    # Only the last rows may lack some, which are left over where all blocks are rows of one image.
    complete = min(whole * schedule.shares * height, sizes[0]) if batches == columns == 1 else sizes[0]

    def start(number: Index, channel: Index) -> Start:
        row = b.floordiv(number, columns)
        batch = 0 if batches == 1 else b.floordiv(row, rows)
        row_of_image, column = b.sub(row, b.mul(batch, rows)), b.sub(number, b.mul(row, columns))
        return batch, b.mul(row_of_image, height), b.mul(column, width), channel

    def share(indices: Sequence[Index]) -> None:
        (number,) = indices
        shared = memory()

        def take(first: Index, count: int, channel: Index, rows: int, step: int) -> None:
            most, steps = (rows, sizes[1], sizes[2]), (height, width, step)
            b.plain_loop(
                0, count, 1, lambda n: _emit_block(b, block, shared, start(b.add(first, n), channel), most, steps)
            )

        take(b.mul(number, whole), whole, 0, complete, sizes[2])
        take(whole * schedule.shares, rest, b.mul(number, channels), sizes[0], channels)

    b.nest([schedule.shares], share, schedule.grain)


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
