"""Decides the blocks of Winograd's convolutions, and what threads share of them, by what these cost."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import f32

from ....dialects.relax import schedule as schedules
from ....records import record
from ....targets.cpu import CpuTarget
from .grain import ACCESS, FEW_THREADS, grain_of
from .register_tiles import register_tiles, registers_needed
from .winograd import (
    CHANNELS,
    WinogradConvolution,
    channels_of_share,
    in_vectors,
    most_tiles,
    shares_problem,
    written_behind,
)

MOST_TILES = 128
"""Tiles of a block at most: the products of a channel with these are a few vectors, and further ones only take memory."""

KERNEL_COST = 1.0
"""What it costs to read the transformed kernel for one more block, in tiles that are multiplied by it."""

FAR_KERNEL_COST = 3.0
"""The same of a kernel that the second-level cache does not hold."""

TRANSFORM_COST = 11.0
"""What the transforms of a vector of tiles cost, in products of a vector by a channel of the other side."""

CACHE = 0.6
"""The part of the second-level cache that the kernel and the memory of a block may take without misses: image and result are there too."""

MISS_COST = 1.5
"""What it costs to write and read a vector of the data or of the products that the second-level cache does not hold, in products."""

OTHERS_COST = 1.5
"""What it costs to read the data of a tile and an input that another thread has transformed, from its cache.

Measured on a Zen 3, where that is faster than to transform them again; on a Zen 4 it is slower, as on a Zen 5 in some processes.
"""

FAR_COST = 4.0
"""What either costs where the caches behind the second level are far."""

WAIT_COST = 10000.0
"""What it costs threads to wait for one another twice, about 2 us, in products of two vectors."""

MOST_ROWS = 13
"""The most tiles of a tile of registers: their data lie side by side, so that it needs no more addresses than one."""

MOST_SPLITS = 4
"""The blocks of output channels at most: each transforms the data again."""


def pick_winograd(k: WinogradConvolution, target: CpuTarget, in_parallel: bool, threads: int) -> schedules.Winograd:
    """Returns the schedule of a convolution: the blocks of tiles with which its products take the fewest vectors, even for threads."""
    lanes = min(max(2, target.vector_bits // f32.bitwidth), 1 << k.channels.bit_length() - 1)
    if threads == 0 and not in_parallel:
        # Blocks that are good for one thread are iterations for several, if they are not a single one.
        alone = pick_winograd(k, target, in_parallel, threads=1)
        return alone if alone.grain else pick_winograd(k, target, in_parallel, FEW_THREADS)
    shares = 1 if in_parallel else threads
    choice = min(_choices(k, lanes, shares), key=lambda choice: _cost(k, choice, lanes, shares, target))
    block, parts = choice.block, choice.splits
    channels = _channels_of_block(k, parts, lanes)
    shape = _shape(prod(block), channels, lanes, target)
    work = k.tile.products * channels * (k.inputs + ACCESS) * block[0] * block[1]
    iterations = [parts] if choice.staged else [k.batches, _count(k, block), parts]
    grain = 0 if in_parallel else grain_of(iterations, work)
    if shares > 1 and not grain:
        return pick_winograd(k, target, in_parallel, threads=1)
    return schedules.Winograd(
        loops=tuple(k.nest.loops),
        lanes=lanes,
        shape=shape,
        block=block,
        channels=channels,
        fetched=_fetched(prod(block), shape) if _kernel_size(k, k.channels) > target.l2.size else 0,
        # As many threads for both: to gather another number of them takes long.
        staged=max(1, grain * k.inputs // parts) if choice.staged else 0,
        shares=shares if choice.shared else 0,
        grain=1 if choice.shared else grain,
    )


def _channels_of_block(k: WinogradConvolution, splits: int, lanes: int) -> int:
    """Returns the output channels of each of so many blocks: whole vectors, where there are several."""
    return k.channels if splits == 1 else channels_of_share(k.channels, splits, lanes)


def _shape(tiles: int, channels: int, lanes: int, target: CpuTarget) -> tuple[int, int]:
    """Returns the tiles and channels of a tile of registers: as many vectors of channels as fit, or as there are."""
    vectors = min(register_tiles(target).vectors, -(-min(channels, CHANNELS) // lanes))
    most = max(n for n in range(1, MOST_ROWS + 1) if registers_needed(n, vectors) <= target.vector_registers)
    return -(-tiles // -(-tiles // most)), vectors * lanes


def _kernel_size(k: WinogradConvolution, channels: int) -> int:
    """Returns the bytes of the kernel of so many channels."""
    return k.tile.products * k.inputs * channels * f32.bitwidth // 8


def _fetched(tiles: int, shape: tuple[int, int]) -> int:
    """Returns the lines that two steps fetch, so that all tiles of registers together fetch what they read of the kernel themselves."""
    lines = 2 * max(1, shape[1] * f32.bitwidth // 8 // schedules.FETCHED_BYTES)
    return min(lines, 1 << (-(-lines * shape[0] // tiles) - 1).bit_length())


def _blocks(k: WinogradConvolution, lanes: int) -> list[tuple[int, int]]:
    """Returns the blocks of rows and columns of tiles that the stack has room for: whole rows, or a part of one."""
    rows, columns = k.tiles
    most = min(MOST_TILES, most_tiles(k.tile, k.inputs, k.channels, lanes))
    whole = [(n, columns) for n in range(1, rows + 1) if n * columns <= most]
    return whole or [(1, most)]


@record
class _Choice:
    """Blocks of tiles, in how many blocks of output channels they are taken, and what threads do together."""

    block: tuple[int, int]
    splits: int = 1
    staged: bool = False
    """Whether threads transform the data of a block for one another."""
    shared: bool = False
    """Whether threads take equally many blocks, and output channels of those that are left over."""


def _choices(k: WinogradConvolution, lanes: int, shares: int) -> list[_Choice]:
    """Returns what so many threads can do."""
    blocks = _blocks(k, lanes)
    choices = [_Choice(block, splits) for block in blocks for splits in range(1, MOST_SPLITS + 1)]
    together = min(shares, k.channels // lanes)
    if together > 1:
        most = most_tiles(k.tile, k.inputs, k.channels, lanes)
        fitting = [block for block in blocks if prod(block) + written_behind(block[1], lanes) <= most]
        choices += [_Choice(block, together, staged=True) for block in fitting]
    if shares > 1 and shares_problem(k, shares, lanes) is None:
        choices += [_Choice(block, shared=True) for block in blocks if _count(k, block) * (k.batches or 1) > shares]
    return choices


def _count(k: WinogradConvolution, block: tuple[int, int]) -> int:
    """Returns the blocks of an image."""
    return prod(-(-size // step) for size, step in zip(k.tiles, block, strict=True))


def _size(k: WinogradConvolution, block: tuple[int, int], number: int) -> tuple[int, int]:
    """Returns the rows and columns of tiles of a block of an image."""
    place = divmod(number, -(-k.tiles[1] // block[1]))
    rows, columns = (min(step, size - n * step) for size, step, n in zip(k.tiles, block, place, strict=True))
    return rows, columns


def _cost(k: WinogradConvolution, choice: _Choice, lanes: int, shares: int, target: CpuTarget) -> tuple[float, int]:
    """Returns what the thread with the most to do has to do, in products of a tile by a vector of channels, for one of the inputs."""
    block, splits = choice.block, choice.splits
    channels = _channels_of_block(k, splits, lanes)
    vectors, of_inputs = -(-channels // lanes), k.inputs / lanes
    stack = k.tile.products * prod(block) * (k.inputs + min(CHANNELS, channels)) * f32.bitwidth // 8
    misses = stack + _kernel_size(k, channels) > CACHE * target.l2.size
    kernel = FAR_KERNEL_COST if _kernel_size(k, channels) > target.l2.size else KERNEL_COST
    missed = FAR_COST if target.has_far_caches else MISS_COST
    read = OTHERS_COST if target.has_few_registers else FAR_COST
    transform = TRANSFORM_COST + (missed if misses else 0)
    batches, count = k.batches or 1, _count(k, block)

    def data(height: int, width: int) -> float:
        return transform * height * in_vectors(width, lanes) * of_inputs

    def results(height: int, width: int) -> float:
        return ((height * width + kernel) * k.inputs + transform * height * width) * vectors

    def cost(height: int, width: int) -> float:
        return data(height, width) + results(height, width)

    def staged_cost(height: int, width: int) -> float:
        others = read * height * width * k.inputs
        together = (data(height, width) + (shares - 1) * others) / shares + WAIT_COST / k.tile.products
        return together + -(-splits // shares) * results(height, width)

    if choice.shared:
        whole, rest = divmod(batches * count, shares)
        part = channels_of_share(k.channels, shares, lanes) / channels
        left = [_size(k, block, number % count) for number in range(batches * count - rest, batches * count)]
        return whole * cost(*block) + sum(data(*size) + part * results(*size) for size in left), splits
    if shares > 1 and not choice.staged:
        return -(-batches * count * splits // shares) * cost(*block), splits
    (heights, last_height), (widths, last_width) = (
        divmod(size - 1, step) for size, step in zip(k.tiles, block, strict=True)
    )
    parts = [(heights, block[0]), (1, last_height + 1)], [(widths, block[1]), (1, last_width + 1)]
    each = staged_cost if choice.staged else cost
    total = sum(n * m * each(height, width) for n, height in parts[0] for m, width in parts[1])
    return batches * (1 if choice.staged else splits) * total, splits
