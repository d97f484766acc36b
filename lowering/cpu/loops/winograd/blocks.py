"""The blocks of tiles and output channels of Winograd's convolutions, of floats and of bytes: their parallel loop, and where they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from .....dialects.relax import schedule as schedules
from ....emit.emitter import Index
from ..builder import LoopBuilder

Start: TypeAlias = tuple[Index, Index, Index, Index]
"""The batch, and the first row of tiles, column of tiles and output channel."""

Shape: TypeAlias = tuple[int, int, int]
"""The rows of tiles, columns of tiles and output channels."""


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


def existing(b: LoopBuilder, step: int, first: Index, tiles: int, size: int) -> Index:
    """Returns how many of the rows or columns of some tiles exist, from the first one on: only the last of all tiles may lack some.

    A tile has `step` of them.
    """
    return step * tiles if size % step == 0 else b.minimum(step * tiles, b.sub(size, first))
