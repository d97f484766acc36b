"""Register-tiled kernels of convolutions: lanes are channels, each pixel of the tile is an element of the image in all lanes.

%sums = scf.for channels, scf.for rows of the window iter_args(14 x 2 vectors)
  llvm.prefetch of some lines of the kernel, those of the channels that follow
  for each tap of a row of the window, written out:
    2 x vector.load of the kernel, 14 x memref.load of the image and vector.broadcast, 28 x vector.fma
vector.store of the sums

Tiles of one size share what stores them, whatever their strides and windows: blocks of 16 x 16 sums are transposed in registers, and each
channel is stored along its pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from xdsl.ir import Attribute, SSAValue

from .....dialects.relax.vocabulary.symbols import MICRO_KERNEL
from .....records import record
from ....emit.constructors import vector_type
from ....emit.emitter import Index
from ..builder import LoopBuilder
from ..fetch import elements_of_line, fetch
from ..kernels import KernelLibrary, add, multiply_add
from ..transpose import transpose_in_quads

Inside: TypeAlias = tuple[tuple[int, int], ...]
"""The pixels of a tile, from one to before another, whose element of the image exists, for each tap; empty where all do."""


@record
class Buffer:
    """An operand of a kernel: a flat buffer, the offset of the tile in it, and how far the element moves."""

    value: SSAValue
    offset: Index
    step: Index
    """From a joined row of pixels to the next in the image, from a block to the next in the kernel, from a channel to the next in
    the result."""


@record
class Sums:
    """Where the sums of a tile are in memory: the vectors of channels of a pixel after those of the pixel before."""

    memory: SSAValue
    offset: Index


@record
class Reduction:
    """A loop over a reduction: its iterations, and how far each moves in the image and in the kernel."""

    count: Index
    in_image: Index
    in_kernel: Index


@record
class TileKernel:
    """What a kernel is compiled for."""

    pixels: int
    """The pixels of a row of the tile."""
    rows: int
    """The rows of pixels, one after the other in the result."""
    vectors: int
    lanes: int
    block: int
    """The channels that lie together in the kernel."""
    apart: int
    """The distance of the pixels of a row in the image."""
    loops: int
    """The number of reductions that are loops; one more is written out."""
    taps: int
    """The steps of that one."""
    element: Attribute
    fetched: int
    """The lines of the next channels' kernel that each iteration of the innermost loop fetches."""
    begins: bool
    """Whether the sums start at zero, and not at what their memory holds."""
    inside: Inside = ()

    @property
    def holds_pixels(self) -> bool:
        """Whether a step has its pixels in registers while vectors of the kernel pass: 3 x 4 sums then need 16, and no 17th.

        Vectors as long as blocks come with registers for either.
        """
        return self.rows * self.pixels < self.vectors and self.lanes < self.block

    @property
    def name(self) -> str:
        """A name that equal kernels share."""
        tile = f"{self.rows}x{self.pixels}x{self.vectors * self.lanes}"
        end = (f".fetch{self.fetched}" if self.fetched else "") + ("" if self.begins else ".on")
        end += "".join(f".{first}to{last}" for first, last in self.inside)
        return f"{MICRO_KERNEL}.pixels.{tile}.{self.lanes}.{self.block}.{self.apart}.{self.loops}.{self.taps}.{self.element}{end}"


@record
class TileStore:
    """What is compiled for the stores of the pixels of a tile, or of as many of them as a vector has lanes."""

    pixels: int
    vectors: int
    lanes: int
    element: Attribute
    accumulate: bool
    """Whether the sums are added to what the result holds."""

    @property
    def name(self) -> str:
        """A name that equal functions share."""
        tile = f"{self.pixels}x{self.vectors * self.lanes}"
        return f"{MICRO_KERNEL}.store_pixels.{tile}.{self.lanes}.{self.element}{'.add' if self.accumulate else ''}"


def call_tile_kernel(
    b: LoopBuilder,
    library: KernelLibrary,
    kernel: TileKernel,
    operands: tuple[Buffer, Buffer],
    sums: Sums,
    reductions: Sequence[Reduction],
    fetched: Index,
) -> None:
    """Emits the sums of one tile over all reductions, the last of which is written out; operands are image and kernel.

    What is fetched begins at this element of the kernel.
    """
    values: list[SSAValue] = []
    for operand in operands:
        values += [operand.value, b.as_index(operand.offset), b.as_index(operand.step)]
    values += [sums.memory, b.as_index(sums.offset)]
    for reduction in reductions:
        values += [b.as_index(i) for i in (reduction.count, reduction.in_image, reduction.in_kernel)]
    values += [b.as_index(fetched)] if kernel.fetched else []
    library.call_function(b, kernel.name, values, lambda body, args: _TileKernelBody(body, kernel, args).emit())


def call_tile_store(b: LoopBuilder, library: KernelLibrary, store: TileStore, sums: Sums, result: Buffer) -> None:
    """Emits the stores of the sums of one tile.

    Tiles of many pixels are stored a block of pixels after the other by what all of them share; the last one stores some pixels again.
    """
    pixels, lanes = store.pixels, store.lanes
    starts = [0]
    if pixels > lanes and not store.accumulate:
        starts = [*range(0, pixels - lanes, lanes), pixels - lanes]
        store = replace(store, pixels=lanes)
    for first in starts:
        offset = b.add(sums.offset, first * store.vectors * lanes)
        values = [sums.memory, b.as_index(offset), result.value, b.as_index(b.add(result.offset, first))]
        library.call_function(
            b,
            store.name,
            [*values, b.as_index(result.step)],
            lambda body, args: _store(body, store, Sums(*args[:2]), Buffer(*args[2:])),
        )


class _TileKernelBody:
    """The code of a kernel."""

    def __init__(self, b: LoopBuilder, kernel: TileKernel, args: Sequence[SSAValue]):
        self.b = b
        self.kernel = kernel
        self.image, self.kernels = (Buffer(*args[k : k + 3]) for k in (0, 3))
        self.sums = Sums(*args[6:8])
        end = 8 + 3 * (kernel.loops + 1)
        reductions = [Reduction(*args[k : k + 3]) for k in range(8, end, 3)]
        self.loops, self.last = reductions[: kernel.loops], reductions[kernel.loops]
        self.fetched = args[end] if kernel.fetched else 0
        self.iterations: list[Index] = [1] * kernel.loops
        for level in range(kernel.loops - 1, 0, -1) if kernel.fetched else ():
            self.iterations[level - 1] = b.mul(self.iterations[level], self.loops[level].count)

    def emit(self) -> None:
        """Emits the sums, and their stores."""
        b, kernel = self.b, self.kernel
        count, lanes = kernel.rows * kernel.pixels * kernel.vectors, kernel.lanes
        places: list[Index] = [b.add(self.sums.offset, i * lanes) for i in range(count)]
        zero = b.constant(0, vector_type(kernel.element, lanes))
        initial = [zero if kernel.begins else b.vector_load(self.sums.memory, [place], lanes) for place in places]
        sums = self._reduce(0, self.image.offset, self.kernels.offset, 0, initial)
        for place, value in zip(places, sums, strict=True):
            b.vector_store(value, self.sums.memory, [place])

    def _reduce(
        self, level: int, at: Index, kernel_at: Index, count: Index, sums: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Emits the loops over the reductions from a level on, with the taps inside."""
        b = self.b
        if level == len(self.loops):
            self._fetch(count)
            for tap in range(self.kernel.taps):
                here = b.add(at, b.mul(self.last.in_image, tap))
                inside = self.kernel.inside[tap] if self.kernel.inside else (0, self.kernel.pixels)
                sums = self._step(here, b.add(kernel_at, b.mul(self.last.in_kernel, tap)), inside, sums)
            return sums
        loop = self.loops[level]

        def body(i: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            here, kernel_here = b.add(at, b.mul(i, loop.in_image)), b.add(kernel_at, b.mul(i, loop.in_kernel))
            return self._reduce(level + 1, here, kernel_here, b.add(count, b.mul(i, self.iterations[level])), carried)

        return b.loop(0, loop.count, 1, sums, body, no_unroll=True)

    def _fetch(self, count: Index) -> None:
        """Emits what the iteration fetches that has so many before it."""
        b, kernel = self.b, self.kernel
        line = elements_of_line(kernel.element)
        for k in range(kernel.fetched):
            at = b.add(b.mul(count, kernel.fetched * line), k * line)
            fetch(b, self.kernels.value, b.add(self.fetched, at))

    def _step(self, at: Index, kernel_at: Index, inside: tuple[int, int], sums: Sequence[SSAValue]) -> list[SSAValue]:
        """Emits the products of each pixel at one step of the reduction with all channels of the tile; of others sums stay."""
        b, kernel = self.b, self.kernel
        tile = range(kernel.pixels)
        starts = [b.add(at, b.mul(self.image.step, row)) for row in range(kernel.rows)]
        places = [(start, pixel) for start in starts for pixel in tile]
        exist = [k for k, (_, pixel) in enumerate(places) if inside[0] <= pixel < inside[1]]
        results = list(sums)

        def multiply(number: int, v: int, pixel: SSAValue, channels: SSAValue) -> None:
            at = number * kernel.vectors + v
            results[at] = multiply_add(b, pixel, channels, sums[at])

        if kernel.holds_pixels:
            pixels = [(number, self._pixel(*places[number])) for number in exist]
            for v in range(kernel.vectors):
                channels = self._kernel(kernel_at, v)
                for number, pixel in pixels:
                    multiply(number, v, pixel, channels)
            return results
        kernels = [self._kernel(kernel_at, v) for v in range(kernel.vectors)]
        for number in exist:
            pixel = self._pixel(*places[number])
            for v, channels in enumerate(kernels):
                multiply(number, v, pixel, channels)
        return results

    def _kernel(self, at: Index, vector: int) -> SSAValue:
        """Emits the load of a vector of channels of the kernel."""
        place = self.b.add(at, self._channel_offset(vector))
        return self.b.vector_load(self.kernels.value, [place], self.kernel.lanes)

    def _pixel(self, start: Index, pixel: int) -> SSAValue:
        """Emits the load of the element of the image for a pixel of a row into all lanes."""
        element = self.b.load(self.image.value, [self.b.add(start, pixel * self.kernel.apart)])
        return self.b.splat(element, self.kernel.lanes)

    def _channel_offset(self, vector: int) -> Index:
        """Returns how far a vector of channels is from the first in the kernel."""
        block, inside = divmod(vector * self.kernel.lanes, self.kernel.block)
        return self.b.add(self.b.mul(self.kernels.step, block), inside)


def _store(b: LoopBuilder, store: TileStore, sums: Sums, result: Buffer) -> None:
    """Emits the body of what stores tiles: square blocks of pixels and channels become rows of pixels, a vector of channels after the
    other."""
    lanes = store.lanes
    zero = b.constant(0, vector_type(store.element, lanes))

    def channels(channel: Index) -> None:
        start = b.add(result.offset, b.mul(result.step, channel))
        for first in range(0, store.pixels, lanes):
            width = min(lanes, store.pixels - first)
            mask = None if width == lanes else b.mask(width, lanes)
            places = [
                b.add(b.add(sums.offset, channel), p * store.vectors * lanes) for p in range(first, first + width)
            ]
            pixels = [b.vector_load(sums.memory, [place], lanes) for place in places] + [zero] * (lanes - width)
            for lane, value in enumerate(transpose_in_quads(b, pixels)):
                at = [b.add(b.add(start, b.mul(result.step, lane)), first)]
                if store.accumulate:
                    value = add(b, b.vector_load(result.value, at, lanes, mask), value)
                b.vector_store(value, result.value, at, mask)

    b.plain_loop(0, store.vectors * lanes, lanes, channels)
