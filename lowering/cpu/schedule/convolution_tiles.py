"""Decides the register tiles of convolutions whose kernel lies in blocks of output channels, by what their steps cost."""

from __future__ import annotations

from dataclasses import replace
from math import gcd

from ....dialects.relax import schedule as schedules
from ....records import record
from ....targets.cpu import Cache, CpuTarget
from .convolution import Convolution, static_product
from .grain import ACCESS, FEW_THREADS, grain_of, iterations_of, size_or_guess, unevenness, work_inside
from .nest import Size
from .register_tiles import registers_needed
from .tiles import LOOP_CYCLES, cycles_of_step

MOST_VECTORS = 5
"""Vectors of channels of a tile at most."""

MOST_PIXELS = 16
"""Pixels of a tile at most: each reads the image on its own, and the lines that hold them are few only while they are neighbors."""

KERNEL_COST = 0.02
"""The share of its time that a convolution may lose to save a kernel for tiles that are left over, which takes long to compile."""

LOAD_CYCLES = 1.2
"""What a load takes of the cycles that the target says, as measured where loads are what a tile waits for."""

RESULT_CYCLES = 4.0
"""What it takes, for each lane, to transpose a vector of channels of as many pixels, or fewer, and to write them to rows."""

FAR_LINE = 0.75
"""The cycles that a line of the kernel costs a step, as measured, where it comes from beyond the first-level cache."""

FAR_PART = 2
"""The channels of a tile are in the first-level cache up to this fraction (1 / 2) of it: the image streams through it."""

SUMS_PART = 4
"""The sums of a plane that lie on the stack take up to this fraction (1 / 4) of the first-level cache."""

FEWEST_STEPS = 4
"""Fewer steps of the first reduction are no chunk: the sums of a tile are loaded and stored for each."""

FEWEST_WITH_IMAGE = 48
"""Fewest steps of a chunk for which the first-level cache holds the image as well. Planes of 7 x 7 take 5 to 15 % less time on a Zen 4 with
AVX2 in chunks of 64 to 96; of 14 x 14, where there is room for 28 steps, they take 8 % more."""

FETCHED_PIXELS = 1024
"""Pixels of a plane at most for which the kernel is fetched: with more, tiles are busy with what they have for long."""

HELD = 0.75
"""The share of the first-level cache that a chunk of the kernel and the sums of the rows that take it have: the image needs some of it."""

OTHERS_LINE = 12.0
"""The cycles that it costs to read a line that another thread has written, or to write one that another thread has: about 4 ns."""

KERNEL_LINE = 4.0
"""The cycles that it costs to read a line of the kernel, whose lines come in order, where threads share pixels and each reads all of it."""

SUM_CYCLES = 1.0
"""What it takes to load and store a vector of sums for a chunk."""

CALL_CYCLES = 20.0
"""What it takes to call the kernel of a tile."""

STAGED = 64
"""Pixels of a row that are collected at most, about: rows of that many are long enough to be stored at full speed."""


@record
class _Tiles:
    """A register tile, and how many cycles one step of all tiles of an image takes with it, more where it needs further kernels."""

    pixels: int
    vectors: int
    joined: int
    staged: int
    chunk: int
    rows: int
    cycles: float
    span: int = 0


def pick_convolution(
    k: Convolution, target: CpuTarget, in_parallel: bool, threads: int, inside: float = 1.0
) -> schedules.Convolution:
    """Returns the schedule of a convolution: the tile with which all pixels take the fewest cycles, what is left over included.

    `threads` is how many share the parallel loop; 0 if that is not known. Tiles of one row that is not collected take this share `inside`
    of an image, and leave the zeros around it out.
    """
    lanes = min(k.block, max(2, target.vector_bits // max(32, k.result.type.element_type.bitwidth)))  # pyright: ignore
    most = min(MOST_VECTORS, size_or_guess(k.nest.sizes[k.channel]) // lanes)
    shares = 1 if in_parallel else threads or FEW_THREADS
    widths = [v for v in range(1, most + 1) if not (v * lanes % k.block and k.block % (v * lanes))]
    plain = [_tiles(k, v, lanes, target, joins, inside) for v in widths for joins in (True, False)]
    spans = [t for each in plain for t in _in_spans(k, each, shares, target, inside)]
    tiles = min(
        (*plain, *spans, *(t for v in widths for t in _tiles_in_chunks(k, v, lanes, target, inside))),
        key=lambda t: (t.cycles * _unevenness(k, t, lanes, shares), -t.pixels),
    )
    nest = k.nest
    order = [d for d in range(nest.rank()) if nest.parallel[d]] + nest.reduced
    return schedules.Convolution(
        loops=tuple(nest.loops[d] for d in order),
        lanes=lanes,
        shape=(tiles.pixels, tiles.vectors * lanes),
        pixel=order.index(k.pixel),
        joined=tiles.joined,
        staged=tiles.staged,
        fetched=_fetched(k, tiles.vectors * lanes, target),
        chunk=tiles.chunk,
        rows=tiles.rows,
        span=tiles.span,
        grain=0 if in_parallel else _grain(k, tiles, lanes),
    )


def _tiles(k: Convolution, vectors: int, lanes: int, target: CpuTarget, joins: bool, inside: float) -> _Tiles:
    """Returns the tile with a number of vectors, of as many pixels as registers allow or fewer that divide a row evenly.

    Short rows are joined if asked for.
    """
    size, channels = k.nest.sizes[k.pixel], vectors * lanes
    rows = None if k.row is None else k.nest.sizes[k.row]
    pixels, joined = _pixels(size, rows if joins else None, vectors, target)
    per_row, total = (size, rows or 1) if joined == 1 else (size * rows if size and rows else None, 1)
    staged = _staged(k, pixels, channels, joined, target.l1d)
    leaves_out = inside < 1 and joined == 1 and not staged
    chunk = _chunk(k, pixels, channels, joined, target) if joined > 1 or leaves_out else 0

    def cycles(count: int) -> float:
        whole, rest = divmod(size_or_guess(per_row), pixels)
        return whole * _cycles_of_step(k, pixels, count, target, chunk) + (
            _cycles_of_step(k, rest, count, target, chunk) + 1 if rest else 0
        )

    whole, rest = divmod(size_or_guess(k.nest.sizes[k.channel]) // lanes, vectors)
    all_cycles = total * (whole * cycles(vectors) + (cycles(rest) if rest else 0)) * (inside if leaves_out else 1)
    kernels = (1 + (rest > 0)) * (1 + (size_or_guess(per_row) % pixels > 0))
    return _Tiles(pixels, vectors, joined, staged, chunk, 0, all_cycles * (1 + KERNEL_COST * (kernels - 1)))


def _tiles_in_chunks(k: Convolution, vectors: int, lanes: int, target: CpuTarget, inside: float) -> list[_Tiles]:
    """Returns the tile with a number of vectors for rows that take chunks together, each divided evenly; none where there are no chunks.

    None for targets with many registers either, whose large tiles wait less for kernels: they were not measured.
    """
    sizes, channels = k.nest.sizes, vectors * lanes
    size, rows, outer = sizes[k.pixel], static_product(sizes, k.plane[:-1]), sizes[k.nest.reduced[0]]
    per_step = static_product(sizes, k.nest.reduced[1:])
    width = channels * k.kernel.type.element_type.bitwidth // 8  # pyright: ignore
    if not target.has_few_registers or not _may_take_chunks(k) or not size or not outer or not rows * per_step:
        return []
    most = target.l1d.size // FAR_PART // (per_step * width)
    if len(k.plane) == 1:
        # Each step has a row of the image, of which each tile reads a part: the cache has room for it beside the kernel.
        step = per_step * (width + size * k.image.type.element_type.bitwidth // 8)  # pyright: ignore
        most = min(most, int(target.l1d.size * HELD) // step)
        if most < min(outer, FEWEST_WITH_IMAGE):
            return []
    chunk = outer if most >= outer else _divisor_below(outer, most)
    held = max(0, int(target.l1d.size * HELD) - chunk * per_step * width) // (size * width)
    if not chunk or not held:
        return []
    count = -(-rows // held)
    together = -(-rows // count)
    pixels = _most_pixels(vectors, target)
    tiles = -(-size // pixels)
    pixels = -(-size // tiles)
    wider, again = size - (pixels - 1) * tiles, (1 - chunk / outer) / (chunk * per_step)
    lines = -(-width // target.line_size)

    def cycles(n: int) -> float:
        """Returns the cycles of a step of a tile of so many pixels, with its part of what moves sums and brings the kernel."""
        return (
            _cycles_of_products(n, vectors, target)
            + (SUM_CYCLES * n * vectors + CALL_CYCLES) * again
            + FAR_LINE * lines / (together * tiles)
        )

    whole, rest = divmod(size_or_guess(sizes[k.channel]) // lanes, vectors)
    per_row = wider * cycles(pixels) + ((tiles - wider) * cycles(pixels - 1) if pixels > 1 else 0.0)
    stores = RESULT_CYCLES * lanes * vectors * -(-size // lanes) / (outer * per_step)
    all_cycles = rows * (whole + rest / vectors) * (per_row + stores) * inside
    kernels = (1 + (rest > 0)) * (1 + (wider < tiles))
    return [
        _Tiles(
            pixels, vectors, 1, 0, chunk, together if count > 1 else 0, all_cycles * (1 + KERNEL_COST * (kernels - 1))
        )
    ]


def _in_spans(k: Convolution, tiles: _Tiles, threads: int, target: CpuTarget, inside: float) -> list[_Tiles]:
    """Returns tiles whose pixels threads share, some of them in a span, where there are no rows to share; none for a single span."""
    size = k.nest.sizes[k.pixel]
    if threads == 1 or not size or len(k.plane) > 1 or tiles.staged or tiles.chunk or inside < 1:
        return []
    along = -(-size // tiles.pixels)
    spans = {-(-along // parts) * tiles.pixels for parts in (threads, 2 * threads)}
    cycles = tiles.cycles + _cycles_of_lines(k, threads, target)
    return [replace(tiles, span=span, cycles=cycles) for span in spans if span < size]


def _cycles_of_lines(k: Convolution, threads: int, target: CpuTarget) -> float:
    """Returns what threads that share pixels take longer than those that share channels, in cycles of a step: less than 0, mostly.

    Each reads all of the kernel, where others read all of the image and write what threads that share channels had; an op that shares
    pixels before and behind this one leaves each thread what it needs.
    """
    sizes, others = k.nest.sizes, threads - 1
    channels, pixels = size_or_guess(sizes[k.channel]), size_or_guess(sizes[k.pixel])
    steps = max(1, work_inside([sizes[d] for d in k.nest.reduced]))
    image, kernel, result = steps * pixels * others, steps * channels * others, channels * pixels * others / threads
    # Of several images, or groups, threads that share channels have some each.
    spared = OTHERS_LINE * (image + result) if iterations_of([sizes[d] for d in k.others]) == 1 else 0.0
    nbytes = k.kernel.type.element_type.bitwidth // 8  # pyright: ignore
    return (KERNEL_LINE * kernel - spared) * nbytes / target.line_size / steps


def _may_take_chunks(k: Convolution) -> bool:
    """Returns whether a plane has one or two loops, and the first reduction is a loop that moves no window, whose steps may be outside."""
    first = k.nest.reduced[0]
    moves = any(first in e.used_dims() and e.used_dims() & set(k.plane) for e in k.image.exprs)
    return len(k.plane) in (1, 2) and not moves and (len(k.nest.reduced) > 1 or k.taps == 1)


def _divisor_below(steps: int, most: int) -> int:
    """Returns the largest divisor of a number of steps that is a chunk, of at most so many; 0 for none, or where all are no more."""
    if most >= steps:
        return 0
    return next((n for n in range(most, FEWEST_STEPS - 1, -1) if steps % n == 0), 0)


def _pixels(size: Size, rows: Size, vectors: int, target: CpuTarget) -> tuple[int, int]:
    """Returns the pixels of a tile, and how many of some rows of a size it joins, if there are any to join."""
    most = _most_pixels(vectors, target)
    if size is None:
        return most, 1
    if size and rows and 2 * size <= most:
        joined = min(most // size, rows)
        return joined * size, joined
    return max(1, -(-size // max(1, -(-size // most)))), 1


def _most_pixels(vectors: int, target: CpuTarget) -> int:
    """Returns the pixels for which a tile of some vectors has registers; with few, kernels may pass by pixels that are in registers."""
    passes = target.has_few_registers

    def needed(pixels: int) -> int:
        return registers_needed(pixels, vectors) - (max(0, vectors - pixels) if passes else 0)

    return min(MOST_PIXELS, next(p for p in range(64, 0, -1) if needed(p) <= target.vector_registers))


def _cycles_of_products(pixels: int, vectors: int, target: CpuTarget) -> float:
    """Returns the cycles of a step of a tile whose image and kernel are at hand."""
    loads = LOAD_CYCLES * (pixels + vectors) / target.loads_per_cycle
    return max(cycles_of_step(pixels, vectors, target), loads + LOOP_CYCLES)


def _cycles_of_step(k: Convolution, pixels: int, vectors: int, target: CpuTarget, chunk: int) -> float:
    """Returns the cycles of a step of a tile, with its part of what it takes to write results, and to wait for kernels from afar."""
    nbytes, steps = vectors * target.vector_bits // 8, max(1, work_inside([k.nest.sizes[d] for d in k.nest.reduced]))
    is_far = not chunk and nbytes * steps > target.l1d.size // FAR_PART
    far = FAR_LINE * nbytes / target.line_size if is_far else 0.0
    lanes = target.vector_bits // 32
    stores = RESULT_CYCLES * lanes * vectors * -(-pixels // lanes) / steps
    return _cycles_of_products(pixels, vectors, target) + far + stores


def _fetched(k: Convolution, channels: int, target: CpuTarget) -> int:
    """Returns the lines of the kernel for the next channels that are fetched for each pixel: all while those of a tile are used.

    None where there are no more channels or many pixels, where the first-level cache holds the kernel of a tile anyway or the second
    one has no room for another, nor where channels of a tile are a part of a block, as its lines hold others as well.

    With few registers only where planes are rows of pixels, as for 1x1: those of 7 x 7 and 14 x 14 in networks, whose kernels come from the
    third-level cache or from memory, take 10 to 20 % less time on a Zen 4 with AVX2. Others, whose kernels the second-level cache had,
    took 2 to 10 % more on a Zen 3.
    """
    nbytes = static_product(k.nest.sizes, k.nest.reduced) * channels * k.kernel.type.element_type.bitwidth // 8  # pyright: ignore
    pixels = static_product(k.nest.sizes, k.plane)
    if target.has_few_registers and len(k.plane) > 1:
        return 0
    helps = nbytes > target.l1d.size // FAR_PART and 2 * nbytes <= target.l2.size // target.l2.cores
    if (
        not helps
        or not 0 < pixels <= FETCHED_PIXELS
        or channels % k.block
        or channels >= size_or_guess(k.nest.sizes[k.channel])
    ):
        return 0
    return -(-nbytes // (pixels * schedules.FETCHED_BYTES))


def _chunk(k: Convolution, pixels: int, channels: int, joined: int, target: CpuTarget) -> int:
    """Returns the steps of the first reduction that all tiles of a plane take before the next, so that the first-level cache holds their
    part of the kernel; 0 where it holds all of it, where the sums of a plane leave no room, or where tiles are no whole rows.
    """
    sizes = k.nest.sizes
    steps, inside = sizes[k.nest.reduced[0]], static_product(sizes, k.nest.reduced[1:])
    rows = static_product(sizes, k.plane[:-1])
    if len(k.plane) != 2 or not steps or not inside or pixels != joined * (sizes[k.pixel] or 0):
        return 0
    width = channels * k.kernel.type.element_type.bitwidth // 8  # pyright: ignore
    sums = -(-rows // joined) * pixels * width
    most = target.l1d.size // FAR_PART // (inside * width)
    if rows <= joined or sums > target.l1d.size // SUMS_PART:
        return 0
    return _divisor_below(steps, most)


def _staged(k: Convolution, pixels: int, channels: int, joined: int, cache: Cache) -> int:
    """Returns the pixels of a row that are collected before they are stored: some where the cache does not hold a tile of the result.

    That is where planes of a power of two pixels, such as 32 x 32, leave the same few sets to all channels.
    """
    plane, row = k.result.static_step(k.channel), k.nest.sizes[k.pixel]
    if plane is None or row is None or joined > 1:
        return 0
    way = cache.size // cache.associativity
    nbytes = plane * k.result.type.element_type.bitwidth // 8  # pyright: ignore
    held = way // gcd(nbytes, way) * cache.associativity
    if held >= channels:
        return 0
    return pixels * min(-(-row // pixels), max(1, STAGED // pixels))


def _grain(k: Convolution, tiles: _Tiles, lanes: int) -> int:
    """Returns the iterations of the parallel loop that a thread takes at least; with chunks, an iteration has a whole plane."""
    sizes = k.nest.sizes
    work = work_inside([tiles.vectors * lanes, tiles.span or sizes[k.pixel], *(sizes[d] for d in k.nest.reduced)])
    return grain_of(_iterations(k, tiles, lanes), work * _rows(k, tiles) // 2 + ACCESS)


def _rows(k: Convolution, tiles: _Tiles) -> int:
    """Returns the rows of pixels that an iteration of the parallel loop has."""
    if tiles.rows:
        return tiles.rows
    return static_product(k.nest.sizes, k.plane[:-1]) if tiles.chunk else tiles.joined


def _iterations(k: Convolution, tiles: _Tiles, lanes: int) -> list[Size]:
    """Returns the iterations of the loops that become a parallel one."""
    sizes = k.nest.sizes
    plane = k.plane[:-1] if tiles.chunk else []
    rows = _rows(k, tiles)
    around = [_blocks(sizes[d], rows if d == k.row or d in plane else 1) for d in k.others]
    spans = [_blocks(sizes[k.pixel], tiles.span)] if tiles.span else []
    return [*around, *spans, _blocks(sizes[k.channel], tiles.vectors * lanes)]


def _unevenness(k: Convolution, tiles: _Tiles, lanes: int, threads: int) -> float:
    """Returns how many more vectors of channels a thread takes at most than its share of all, which it takes where nothing is shared."""
    if threads == 1 or not _grain(k, tiles, lanes):
        return float(threads)
    if tiles.span:
        return _unevenness_of_spans(k, tiles, lanes, threads)
    *around, blocks = map(size_or_guess, _iterations(k, tiles, lanes))
    vectors = size_or_guess(k.nest.sizes[k.channel]) // lanes
    return unevenness(iterations_of(around), blocks, vectors, tiles.vectors, threads)


def _unevenness_of_spans(k: Convolution, tiles: _Tiles, lanes: int, threads: int) -> float:
    """Returns the same of threads that share spans of pixels, of which blocks of channels are the innermost loop."""
    others = iterations_of([k.nest.sizes[d] for d in k.others])
    vectors, pixels = size_or_guess(k.nest.sizes[k.channel]) // lanes, k.nest.sizes[k.pixel] or 0
    blocks = [min(tiles.vectors, vectors - first) for first in range(0, vectors, tiles.vectors)]
    spans = [min(tiles.span, pixels - first) for first in range(0, pixels, tiles.span)]
    work = [block * span for span in spans for block in blocks]
    shares, most = -(-others * len(work) // threads), sum(work)
    planes, rest = divmod(shares, len(work))
    largest = max(sum(work[first : first + rest]) for first in range(0, len(work), max(1, rest)))
    return (planes * most + largest) * threads / (others * most) if others else 1.0


def _blocks(size: Size, divisor: int) -> Size:
    return None if size is None else -(-size // divisor)
