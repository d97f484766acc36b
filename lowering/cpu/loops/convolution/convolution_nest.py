"""Convolutions whose kernel lies in blocks of channels, by tiles of pixels and channels; the image is read in place.

    linalg.generic %y[o, y, x] += %x[c, y + i, x + j] * %w[o floordiv 16, c, i, j, o mod 16]    with shape = [14, 32]

becomes

    scf.parallel (batches, groups, blocks of 32 channels, rows of pixels)
      scf.for %x = 0 to 56 step 14
        func.call @relax.contract.pixels.1x14x32...    over the whole reduction, with `fetched` the kernel of the next channels comes closer
        func.call @relax.contract.store_pixels.14x32...
        the epilogue on the tile

With `chunk = 16` all tiles of a plane, or those of some `rows` of it, take 16 channels of the image, with a part of the kernel that the
first-level cache holds, before the next 16; their sums lie on the stack meanwhile. Tiles have whole rows, or rows have tiles of the same
number of pixels, or one less: 28 pixels by tiles of 6 are three of 6 and two of 5.

Where the image is padded by ops of the class `padding`, rows of the window that lie outside are skipped by the loop over them, and the
first and last tiles of a row have kernels that skip the columns outside.

With `staged = 56` the tiles of 56 pixels lie on the stack first, and are stored and finished channel by channel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineDimExpr

from .....dialects.relax import schedule as schedules
from ....emit.constructors import vector_type
from ....emit.emitter import Index
from ...schedule.convolution import recognize_convolution, static_product
from ...schedule.padding import PaddedImage, WindowAxis, window_axes
from ..builder import LoopBuilder
from ..contraction.epilogue import EpilogueTiles, emit_epilogue
from ..fetch import elements_of_line
from ..flat import flatten
from ..kernels import KernelLibrary
from ..loop_nest import LoopNest, uppers_of, viewed, with_loop
from ..stack import stack
from ..vector_access import Mask, lanes_of
from .tile_kernel import Buffer, Inside, Reduction, Sums, TileKernel, TileStore, call_tile_kernel, call_tile_store

STORED = 2
"""Vectors of pixels that are stored at once where rows have several tiles: no tile fills whole vectors of them."""


def emit_convolution(
    b: LoopBuilder,
    library: KernelLibrary,
    schedule: schedules.Convolution,
    nests: Sequence[LoopNest],
    padding: PaddedImage | None,
    *,
    starts_at_zero: bool,
) -> None:
    """Emits a convolution, the first nest; it adds to the output's content, or starts at zero and does not read it.

    The other nests run on each finished tile. Of a padded image it reads what was copied, and no zeros.
    """
    _TiledConvolution(b, library, schedule, nests, padding, starts_at_zero).emit()


class _TiledConvolution:
    """Emits one convolution, from the parallel loop to the calls."""

    def __init__(
        self,
        b: LoopBuilder,
        library: KernelLibrary,
        schedule: schedules.Convolution,
        nests: Sequence[LoopNest],
        padding: PaddedImage | None,
        starts_at_zero: bool,
    ):
        nest, *self.epilogue = nests
        k = recognize_convolution(nest)
        assert k is not None
        self.b = b
        self.library = library
        self.schedule = schedule
        self.nest = nest
        self.k = k
        self.starts_at_zero = starts_at_zero
        self.pixels, self.channels = schedule.shape
        image = k.image if padding is None else viewed(b, padding.image)
        self.image, self.kernel, self.result = (flatten(b, access) for access in (image, k.kernel, k.result))
        self.starts = (0,) * len(k.image.exprs) if padding is None else padding.starts
        axes = (None if padding is None else window_axes(k, padding)) or []
        self.along = next((axis for axis in axes if axis.pixel == k.pixel), None)
        """The axis of the pixels of a row, if it has padding."""
        self.axes = [axis for axis in axes if axis is not self.along]
        """The other axes of the image with padding."""
        blocks = [axis for axis, e in enumerate(k.kernel.exprs[:-1]) if e == AffineDimExpr(k.channel) // k.block]
        self.block_step: Index = self.kernel.strides[blocks[0]] if blocks else 0
        self.row = k.row if schedule.joined > 1 else None
        self.is_staged = bool(schedule.staged) and starts_at_zero
        self.stage: Stage | None = None
        self.memory: SSAValue | None = None
        counts = uppers_of(nest, nest.reduced)
        if schedule.chunk:
            counts = [schedule.chunk, *counts[1:]]
        distances = [(self.image.step(b, d), self.kernel.step(b, d)) for d in nest.reduced]
        steps = [Reduction(count, *moved) for count, moved in zip(counts, distances, strict=True)]
        self.taps = k.taps
        self.reductions = steps if k.taps == nest.uppers[nest.reduced[-1]] else [*steps, Reduction(1, 0, 0)]
        apart = image.static_step(k.pixel)
        assert apart is not None
        self.apart = apart

    def emit(self) -> None:
        """Emits the parallel loop over batches, groups, blocks of channels and rows of pixels."""
        b, k, nest = self.b, self.k, self.nest
        before = [d for d in k.others if d < k.channel]
        after = [] if self.schedule.chunk and not self.schedule.rows else k.plane[:-1]
        steps = {k.channel: self.channels}
        if after and (self.schedule.rows or self.row is not None):
            steps[after[-1]] = self.schedule.rows or self.schedule.joined
        if self.schedule.span:
            # A thread has all channels of its pixels, as far as these go, so that it finds most of what it reads in its own cache.
            before = [*before, k.pixel]
            steps[k.pixel] = self.schedule.span
        loops = [*before, k.channel, *after]
        uppers = [b.ceildiv(nest.uppers[d], steps.get(d, 1)) for d in loops]

        def body(indices: Sequence[Index]) -> None:
            element = k.result.type.element_type
            self.stage = Stage(b, self.schedule, element) if self.is_staged else None
            self.memory = None if self.schedule.chunk else stack(b, element, self.pixels * self.channels)
            point: list[Index] = [0] * nest.rank()
            for d, index in zip(loops, indices, strict=True):
                point[d] = b.mul(index, steps.get(d, 1))
            emit = self._chunks if self.schedule.chunk else self._spans if self.schedule.span else self._rows
            self._blocks_of(point, k.channel, self.channels, lambda channels: emit(point, channels))

        b.nest(uppers, body, self.schedule.grain)

    def _blocks_of(self, point: Sequence[Index], loop: int, width: int, emit: Callable[[int], None]) -> None:
        """Emits the block of a loop of known size at a point: whole, or what is left in the last."""
        size = self.nest.sizes[loop]
        assert size is not None
        self.b.part(point[loop], size, width, emit)

    def _chunks(self, point: list[Index], channels: int) -> None:
        """Emits the tiles of a plane, or of some of its rows, for one chunk of the first reduction after the other."""
        if len(self.k.plane) == 1:
            self._chunks_of_rows(point, 1, channels)
            return
        row = self.k.plane[0]
        rows = self.nest.sizes[row]
        assert rows is not None
        self._blocks_of(
            point, row, self.schedule.rows or rows, lambda count: self._chunks_of_rows(point, count, channels)
        )

    def _chunks_of_rows(self, point: list[Index], rows: int, channels: int) -> None:
        """Emits the sums of rows from a point on, which lie on the stack, and then their stores."""
        b, first = self.b, self.nest.reduced[0]
        # A plane of one loop is a row.
        row = self.k.plane[0] if len(self.k.plane) > 1 else None
        size, steps = (self.nest.sizes[d] or 0 for d in (self.k.pixel, first))
        joined, lanes = self.schedule.joined, self.schedule.lanes
        element = self.k.result.type.element_type
        memory = stack(b, element, -(-rows // joined) * joined * size * channels)
        begins = self.schedule.chunk == steps
        if not begins:
            zero = b.constant(0, vector_type(element, lanes))
            b.plain_loop(0, rows * size * channels, lanes, lambda place: b.vector_store(zero, memory, [place]))

        def plane(start: Index, emit: Callable[[list[Index], int, Sums], None]) -> None:
            def rows_of(index: Index) -> None:
                at = with_loop(point, first, start)
                if row is not None:
                    at = with_loop(at, row, b.add(point[row], b.mul(index, joined)))
                sums = Sums(memory, b.mul(index, joined * size * channels))
                b.part(b.mul(index, joined), rows, joined, lambda count: emit(at, count, sums))

            b.plain_loop(0, -(-rows // joined), 1, rows_of)

        def pixels_of(at: list[Index], sums: Sums, pixel: Index) -> tuple[list[Index], Sums]:
            return with_loop(at, self.k.pixel, pixel), Sums(memory, b.add(sums.offset, b.mul(pixel, channels)))

        def add_chunk(at: list[Index], count: int, sums: Sums) -> None:
            def tile(i: Index, pixels: int, inside: Inside) -> None:
                here, place = pixels_of(at, sums, i)
                self._sums(here, count, pixels, channels, place, inside, begins=begins)

            width = size if joined > 1 else self.pixels
            for start, end, pixels, inside in self._parts(_even_widths(size, width)):
                b.plain_loop(start, end, pixels, lambda i, n=pixels, only=inside: tile(i, n, only))

        def finish(at: list[Index], count: int, sums: Sums) -> None:
            def part(i: Index, pixels: int) -> None:
                here, place = pixels_of(at, sums, i)
                self._finish(here, count, pixels, channels, place)

            self._cover(size, size if joined > 1 or size == self.pixels else STORED * lanes, part)

        b.plain_loop(0, steps, self.schedule.chunk, lambda start: plane(start, add_chunk))
        plane(0, finish)

    def _parts(self, widths: Sequence[int]) -> list[tuple[int, int, int, Inside]]:
        """Returns the parts of a row of tiles of some widths that have one kernel: start, end, pixels of a tile, and which are inside."""
        parts: list[tuple[int, int, int, Inside]] = []
        start = 0
        for pixels in widths:
            inside = () if self.along is None else _inside(self.along, start, pixels, self.taps)
            first = parts.pop()[0] if parts and parts[-1][2:] == (pixels, inside) else start
            start += pixels
            parts.append((first, start, pixels, inside))
        return parts

    def _spans(self, point: list[Index], channels: int) -> None:
        """Emits the tiles of a span of pixels."""
        self._blocks_of(point, self.k.pixel, self.schedule.span, lambda count: self._tiles(point, count, channels))

    def _tiles(self, point: list[Index], count: Index, channels: int) -> None:
        """Emits the tiles of so many pixels from a point on."""
        pixel, start = self.k.pixel, point[self.k.pixel]

        def tile(i: Index, pixels: int) -> None:
            self._tile(with_loop(point, pixel, self.b.add(start, i)), 1, pixels, channels)

        self._cover(count, self.pixels, tile)

    def _rows(self, point: list[Index], channels: int) -> None:
        """Emits the tiles of a row of pixels, or of several that are joined."""
        b = self.b
        size = self.nest.uppers[self.k.pixel]
        if self.row is not None:
            assert isinstance(size, int)
            self._blocks_of(point, self.row, self.schedule.joined, lambda rows: self._tile(point, rows, size, channels))
            return

        def at(i: Index) -> list[Index]:
            return with_loop(point, self.k.pixel, i)

        if self.along is not None:
            assert isinstance(size, int)
            whole, rest = divmod(size, self.pixels)
            for start, end, pixels, inside in self._parts([self.pixels] * whole + [rest] * (rest > 0)):
                b.plain_loop(
                    start, end, pixels, lambda i, n=pixels, only=inside: self._tile(at(i), 1, n, channels, only)
                )
        elif self.stage is not None:
            width = self.schedule.staged
            self._cover(size, width, lambda i, pixels: self._staged(at(i), pixels, channels))
        else:
            self._tiles(point, size, channels)

    def _cover(self, size: Index, width: int, emit: Callable[[Index, int], None]) -> None:
        """Emits parts of a row of pixels, of a width and then of what is left."""
        b = self.b
        position: Index = 0
        for pixels in _widths(size, width):
            limit = b.add(position, b.round_down(b.sub(size, position), pixels))
            b.plain_loop(position, limit, pixels, lambda i, pixels=pixels: emit(i, pixels))
            position = limit

    def _staged(self, point: list[Index], width: int, channels: int) -> None:
        """Emits the tiles of a part of a row, whose sums lie on the stack, then their stores and the epilogue, channel by channel."""
        b, k, stage = self.b, self.k, self.stage
        assert stage is not None
        start, sums = point[k.pixel], self._memory()

        def tile(i: Index, pixels: int) -> None:
            self._sums(with_loop(point, k.pixel, b.add(start, i)), 1, pixels, channels, sums)
            self._store(pixels, channels, sums, Buffer(stage.buffer, i, stage.pitch), accumulate=False)

        def store(at: list[Index], mask: Mask) -> None:
            channel, pixel = b.sub(at[k.channel], point[k.channel]), b.sub(at[k.pixel], start)
            lanes, exists = self.schedule.lanes, lanes_of(mask)
            place = b.add(b.mul(channel, stage.pitch), pixel)
            value = b.vector_load(stage.buffer, [place], lanes, exists)
            b.vector_store(value, self.result.buffer, [self.result.offset(b, at)], exists)

        self._cover(width, self.pixels, tile)
        tiles = EpilogueTiles(self.schedule.lanes, -(-width // self.schedule.lanes), k.channel, k.pixel)
        emit_epilogue(b, tiles, self.epilogue, point, channels, width, store)

    def _memory(self) -> Sums:
        """Returns the memory that a tile is stored from at once."""
        assert self.memory is not None
        return Sums(self.memory, 0)

    def _tile(self, point: list[Index], rows: int, pixels: int, channels: int, inside: Inside = ()) -> None:
        """Emits a tile and its epilogue."""
        sums = self._memory()
        self._sums(point, rows, pixels, channels, sums, inside)
        self._finish(point, rows, pixels, channels, sums)

    def _finish(self, point: list[Index], rows: int, pixels: int, channels: int, sums: Sums) -> None:
        """Emits the stores of a tile, and its epilogue."""
        b, k, lanes = self.b, self.k, self.schedule.lanes
        result = Buffer(self.result.buffer, self.result.offset(b, point), self.result.step(b, k.channel))
        self._store(rows * pixels, channels, sums, result, accumulate=not self.starts_at_zero)
        if self.epilogue:
            tiles = EpilogueTiles(lanes, -(-pixels // lanes), k.channel, k.pixel, rows, self.row)
            emit_epilogue(b, tiles, self.epilogue, point, channels, rows * pixels)

    def _store(self, pixels: int, channels: int, sums: Sums, result: Buffer, *, accumulate: bool) -> None:
        lanes = self.schedule.lanes
        store = TileStore(pixels, channels // lanes, lanes, self.k.result.type.element_type, accumulate)
        call_tile_store(self.b, self.library, store, sums, result)

    def _sums(
        self,
        point: list[Index],
        rows: int,
        pixels: int,
        channels: int,
        sums: Sums,
        inside: Inside = (),
        *,
        begins: bool = True,
    ) -> None:
        b, k = self.b, self.k
        indices = (b.sub(b.affine(e, point), start) for e, start in zip(k.image.exprs, self.starts, strict=True))
        in_image, in_kernel = self.image.at(b, indices), self.kernel.offset(b, point)
        reductions = list(self.reductions)
        for axis in self.axes:
            number = self.nest.reduced.index(axis.step)
            loop = reductions[number]
            first, count = self._steps_inside(axis, point, loop.count)
            in_image, in_kernel = (
                b.add(in_image, b.mul(first, loop.in_image)),
                b.add(in_kernel, b.mul(first, loop.in_kernel)),
            )
            reductions[number] = Reduction(count, loop.in_image, loop.in_kernel)
        image = Buffer(self.image.buffer, in_image, 0 if self.row is None else self.image.step(b, self.row))
        kernel = Buffer(self.kernel.buffer, in_kernel, self.block_step)
        lanes = self.schedule.lanes
        lines, fetched = self._fetched(point, rows * pixels, channels)
        tile = TileKernel(
            pixels,
            rows,
            channels // lanes,
            lanes,
            k.block,
            self.apart,
            len(self.reductions) - 1,
            self.taps,
            k.result.type.element_type,
            lines,
            begins,
            inside,
        )
        call_tile_kernel(b, self.library, tile, (image, kernel), sums, reductions, fetched)

    def _steps_inside(self, axis: WindowAxis, point: Sequence[Index], count: Index) -> tuple[Index, Index]:
        """Returns the first step of a window that is inside of the image along an axis, and how many there are."""
        b = self.b
        at = b.add(axis.first, 0 if axis.pixel is None else b.mul(point[axis.pixel], axis.stride))
        first = b.ceildiv(b.maximum(b.sub(0, at), 0), axis.dilation)
        end = b.minimum(count, b.ceildiv(b.maximum(b.sub(axis.size, at), 0), axis.dilation))
        return first, b.maximum(b.sub(end, first), 0)

    def _fetched(self, point: Sequence[Index], pixels: int, channels: int) -> tuple[int, Index]:
        """Returns the lines that each iteration of a tile's innermost loop fetches, and the element of the kernel where they begin.

        Tile after tile fetches a part of the kernel for the next channels, and no more than it reads itself; those that find nothing
        left take the end once more.
        """
        b, k, per_pixel = self.b, self.k, self.schedule.fetched
        if not per_pixel:
            return 0, 0
        steps = static_product(self.nest.sizes, self.nest.reduced)
        line = elements_of_line(k.kernel.type.element_type)
        iterations = max(1, steps // self.taps)
        lines = min(-(-per_pixel * pixels // iterations), -(-self.taps * channels // line))
        before: Index = 0
        first, chunk = self.nest.reduced[0], self.schedule.chunk
        if chunk:
            # Each chunk passes over the plane, and fetches a part.
            chunks = (self.nest.sizes[first] or 0) // chunk
            before, iterations, per_pixel = (
                b.floordiv(point[first], chunk),
                iterations // chunks,
                -(-per_pixel // chunks),
            )
        for d in k.plane:
            before = b.add(b.mul(before, self.nest.uppers[d]), point[d])
        last = max(0, steps * channels - iterations * lines * line)
        following = b.minimum(b.add(point[k.channel], channels), b.sub(self.nest.uppers[k.channel], channels))
        start = self.kernel.offset(b, with_loop(with_loop(point, first, 0), k.channel, following))
        return lines, b.add(start, b.minimum(b.mul(before, per_pixel * line), last))


def _inside(axis: WindowAxis, start: int, pixels: int, taps: int) -> Inside:
    """Returns the pixels of a tile, for each step of a window, whose element is inside of the image; nothing if all are."""
    inside: list[tuple[int, int]] = []
    for tap in range(taps):
        exist = [pixel for pixel in range(pixels) if axis.has(start + pixel, tap)]
        inside.append((exist[0], exist[-1] + 1) if exist else (0, 0))
    return () if all(each == (0, pixels) for each in inside) else tuple(inside)


def _even_widths(size: int, most: int) -> list[int]:
    """Returns the widths of as few tiles as make a row, that differ by one pixel at most, the wider ones first."""
    count = -(-size // most)
    least, more = divmod(size, count)
    return [least + 1] * more + [least] * (count - more)


def _widths(size: Index, width: int) -> list[int]:
    """Returns the widths of the parts of a row: one, then what is left, or all powers of two where that is not known."""
    if isinstance(size, int):
        rest = size % width
        return [width, rest] if rest else [width]
    powers = [1 << k for k in reversed(range(width.bit_length()))]
    return [width, *(power for power in powers if power < width)]


class Stage:
    """Memory on the stack for a part of a row of pixels of all channels of a tile, allocated where the builder stands."""

    def __init__(self, b: LoopBuilder, schedule: schedules.Convolution, element: Attribute):
        self.pitch = _odd_vectors(schedule.staged, schedule.lanes) * schedule.lanes
        self.buffer = stack(b, element, schedule.shape[1] * self.pitch)


def _odd_vectors(count: int, lanes: int) -> int:
    """Returns how many vectors hold so many elements, and one more where that is even: channels do not lie a power of two apart."""
    vectors = -(-count // lanes)
    return vectors + 1 - vectors % 2
