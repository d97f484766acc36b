"""Convolutions by Winograd's F(2x2, 3x3) or F(4x4, 3x3), block of tiles by block of tiles.

    linalg.generic %y[n, o, y, x] += A^T [%k[u, v, c, o] * (B^T %x[n, c, ...] B)] A    with block = [4, 28], channels = 64

becomes

    scf.parallel (batches, blocks of 4 rows of 28 tiles, blocks of 64 channels)
      scf.for the input channels, rows and vectors of tiles
        func.call @relax.contract.winograd.2x2.data.16...: every other pixel, B^T d B, 16 x vector.store to the stack
      scf.for some output channels
        scf.for the 16 products: func.call @relax.contract.6x64... for each 6 tiles and 64 channels
        scf.for vectors of those channels and rows of tiles
          func.call @relax.contract.winograd.2x2.results.16...: A^T m A of a tile after the other, then 16 x 16 results, transposed, to rows
          the epilogue on the rows of each channel

or, with staged = 16,

    scf.for the batches and blocks of tiles
      scf.parallel (the input channels), for 16 of them at least: their data, to the stack of the caller, which all threads read
      scf.parallel (blocks of 64 channels): products and results as above

Lanes of the data are tiles, those of products are channels: of any number of tiles no lane is empty. What is left of channels is a vector
that begins inside of the one before. Tiles of 4x4 results have 36 products, of every fourth pixel, and 16 stores of results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from .....dialects.relax import schedule as schedules
from ....emit.emitter import Index
from ...schedule.contraction import Conversion
from ...schedule.padding import PaddedImage
from ...schedule.winograd import CHANNELS, in_vectors, lanes_of_data, plane, recognize_winograd, written_behind
from ..builder import LoopBuilder
from ..contraction.epilogue import EpilogueTiles, emit_epilogue
from ..contraction.micro_kernel import MicroKernel, Unrolled, call_kernel
from ..fetch import elements_of_line
from ..flat import flatten
from ..kernels import KernelLibrary, KernelOperands
from ..loop_nest import LoopNest, viewed
from ..stack import stack
from .blocks import Place, Shape, Stages, Start, emit_blocks, emit_staged_blocks, existing
from .transforms import Border, Finish, Planes, Rows, results_size, transform_data, transform_sums

WRITTEN_OUT = 4
"""The vectors of a row of tiles that are written out; of a longer row they are a loop."""

SUMMED = 128
"""The inputs whose products are summed before they are added to those before: rounding errors grow with the length of sums."""

EPILOGUE_VECTORS = 8
"""The vectors of a row of results that the epilogue takes at a time."""


def emit_winograd(
    b: LoopBuilder,
    library: KernelLibrary,
    schedule: schedules.Winograd,
    nests: Sequence[LoopNest],
    padding: PaddedImage | None,
    *,
    starts_at_zero: bool,
) -> None:
    """Emits a convolution, the first nest; it adds to the output's content, or starts at zero and does not read it.

    The other nests run on the finished rows of each channel. Of a padded image it reads what was copied, and no zeros.
    """
    _Winograd(b, library, schedule, nests, padding, starts_at_zero).emit()


class _Winograd:
    """Emits one convolution, from the parallel loop to the stores."""

    def __init__(
        self,
        b: LoopBuilder,
        library: KernelLibrary,
        schedule: schedules.Winograd,
        nests: Sequence[LoopNest],
        padding: PaddedImage | None,
        starts_at_zero: bool,
    ):
        nest, *self.epilogue = nests
        k = recognize_winograd(nest)
        assert k is not None
        self.b = b
        self.library = library
        self.schedule = schedule
        self.nest = nest
        self.k = k
        self.starts_at_zero = starts_at_zero
        self.padding = padding
        image = k.image if padding is None else viewed(b, padding.image)
        self.image, self.kernel, self.result = (flatten(b, access) for access in (image, k.kernel, k.result))

    def emit(self) -> None:
        """Emits the loops over batches, blocks of tiles and blocks of output channels, of which some are parallel."""
        b, k, schedule = self.b, self.k, self.schedule
        batches: Index = 1 if k.batch is None else self.nest.uppers[k.batch]
        sizes = *k.tiles, k.channels
        if schedule.staged:
            emit_staged_blocks(b, schedule, batches, sizes, k.inputs, self._stages(self._plane()))
        else:
            emit_blocks(b, schedule, batches, sizes, lambda: [self._plane(), *self._memory()], self._block)

    def _plane(self) -> SSAValue:
        """Returns memory for the data or the products of a block."""
        return stack(self.b, f32, self.k.tile.products * plane(self.k.tile))

    def _memory(self) -> list[SSAValue]:
        """Returns memory for products and results."""
        return [self._plane(), stack(self.b, f32, results_size(self.k.tile, self.schedule.lanes))]

    def _block(self, start: Start, shape: Shape, memory: Sequence[SSAValue]) -> None:
        """Emits the transform of the data, then products and results."""
        *place, channel = start
        data, *others = memory
        tiles = _Tiles(self, (place[0], place[1], place[2]), shape[:2], data, apart=0)
        self.b.plain_loop(0, self.k.inputs, 1, tiles.transform)
        _Block(tiles, channel, shape[2], others).emit()

    def _stages(self, data: SSAValue) -> Callable[[Place, tuple[int, int]], Stages]:
        """Returns what emits the two stages of a block of tiles."""
        b, k, channels = self.b, self.k, self.schedule.channels

        def stages(place: Place, shape: tuple[int, int]) -> Stages:
            # What lies behind the last tile of a channel may be written after the next one, by another thread.
            tiles = _Tiles(self, place, shape, data, apart=written_behind(shape[1], self.schedule.lanes))

            def multiply(channel: Index) -> None:
                memory = self._memory()
                b.part(channel, k.channels, channels, lambda count: _Block(tiles, channel, count, memory).emit())

            return tiles.transform, multiply

        return stages


class _Tiles:
    """A block of tiles, whose numbers are known, and memory for its data."""

    def __init__(self, whole: _Winograd, place: Place, shape: tuple[int, int], data: SSAValue, apart: int):
        self.whole = whole
        self.b = whole.b
        self.batch, self.row, self.column = place
        self.height, self.width = shape
        self.count = self.height * self.width
        self.data = data
        self.distance = self.count + apart
        """How far the data of an input channel lie behind those of the one before."""
        self.lanes = lanes_of_data(self.width, whole.schedule.lanes)
        """The lanes of a transform."""

    def transform(self, channel: Index) -> None:
        """Emits the transform of the data of an input channel."""
        start = self.b.mul(channel, self.distance)
        self._for_vectors(lambda tile, exist: self._transform_column(channel, start, tile, exist))

    def _for_vectors(self, emit: Callable[[Index, int], None]) -> None:
        """Emits the vectors of a row of tiles, given the first tile and how many exist from there on.

        The last one of several may begin inside of the one before, whose tiles are then computed again: no lane lacks a tile.
        """
        full, rest, lanes = self.width // self.lanes, self.width % self.lanes, self.lanes
        if full <= WRITTEN_OUT:
            for number in range(full):
                emit(number * lanes, lanes)
        else:
            self.b.plain_loop(0, full * lanes, lanes, lambda tile: emit(tile, lanes))
        if rest and full:
            emit(self.width - lanes, lanes)
        elif rest:
            emit(0, rest)

    def _transform_column(self, channel: Index, start: Index, tile: Index, exist: int) -> None:
        """Emits the transforms of a vector of tiles, of which so many exist, in all rows."""
        b, image, step = self.b, self.whole.image, self.whole.k.tile.size
        row, column = b.mul(self.row, step), b.mul(b.add(self.column, tile), step)
        data = Rows(self.data, b.add(start, tile), self.width)
        padding = self.whole.padding
        border = None
        if padding is not None:
            rows, columns = image.access.type.get_shape()[2:]
            row, column = b.sub(row, padding.starts[2]), b.sub(column, padding.starts[3])
            border = Border(row, rows, column, columns, padding.starts[3])
        first = Rows(image.buffer, image.at(b, (self.batch, channel, row, column)), image.strides[2])
        transform_data(b, self.whole.library, self.whole.k.tile, (self.lanes, exist), first, data, self.height, border)


class _Block:
    """Emits products and results of a block of tiles for some output channels, whose number is known."""

    def __init__(self, tiles: _Tiles, channel: Index, channels: int, memory: Sequence[SSAValue]):
        whole = self.whole = tiles.whole
        self.b = whole.b
        self.tiles = tiles
        self.channel = channel
        self.channels = channels
        self.sums, self.results = memory
        self.products = whole.k.tile.products
        self.plane = plane(whole.k.tile)
        self.step = whole.k.tile.size
        """The rows and the columns of results that a tile has."""
        self.together = min(CHANNELS, channels)
        self.distance = in_vectors(self.together, whole.schedule.lanes)
        """How far the sums of a tile lie behind those of the one before."""

    def emit(self) -> None:
        """Emits products and results for some channels after the other."""
        limit = self.channels // self.together * self.together
        self.b.plain_loop(
            0, limit, self.together, lambda first: self._channels(self.b.add(self.channel, first), self.together)
        )
        if limit < self.channels:
            self._channels(self.b.add(self.channel, limit), self.channels - limit)

    # ---- products ----

    def _channels(self, channel: Index, count: int) -> None:
        """Emits all products of some output channels, then the results."""
        b, lanes = self.b, self.whole.schedule.lanes
        b.plain_loop(0, self.products, 1, lambda product: self._multiply(product, channel, count))
        limit = count // lanes * lanes
        b.plain_loop(0, limit, lanes, lambda first: self._finish(channel, first, first, 0))
        if limit < count:
            self._finish(channel, count - lanes, limit, lanes - count % lanes)

    def _multiply(self, product: Index, channel: Index, count: int) -> None:
        """Emits one product of each tile and channel, a panel of channels after the other.

        The last vector of channels ends with the last channel, and begins inside of the one before: it has the products of some again.
        """
        b, schedule = self.b, self.whole.schedule
        columns, lanes = schedule.shape[1], schedule.lanes
        limit = count // lanes * lanes
        whole = limit // columns * columns
        b.plain_loop(0, whole, columns, lambda start: self._multiply_panel(product, channel, start, start, columns))
        if whole < limit:
            self._multiply_panel(product, channel, whole, whole, limit - whole)
        if limit < count:
            self._multiply_panel(product, channel, count - lanes, limit, lanes)

    def _multiply_panel(self, product: Index, channel: Index, first: Index, place: Index, width: int) -> None:
        """Emits one product of each tile by some channels, the first one of which is so far behind those of the block; some tiles
        after the other."""
        b, kernel, height = self.b, self.whole.kernel, self.whole.schedule.shape[0]
        panel = b.add(kernel.base, b.add(b.mul(product, kernel.strides[1]), b.add(channel, first)))

        def tiles(number: Index, rows: int) -> None:
            tile = b.mul(number, height)
            data = b.add(b.mul(product, self.plane), tile)
            sums = b.add(b.add(b.mul(product, self.plane), b.mul(tile, self.distance)), place)

            def part(first: Index, steps: int) -> None:
                down = b.mul(first, kernel.strides[2])
                at = b.add(data, b.mul(first, self.tiles.distance)), b.add(panel, down), sums
                self._multiply_inputs((rows, width), at, b.add(fetched, down), first, steps)

            fetched = b.add(self._part_to_fetch(number, width), b.add(panel, kernel.strides[1]))
            inputs = self.whole.k.inputs
            whole = inputs // SUMMED * SUMMED
            b.plain_loop(0, whole, SUMMED, lambda first: part(first, SUMMED))
            if whole < inputs:
                part(whole, inputs - whole)

        whole, rest = divmod(self.tiles.count, height)
        b.plain_loop(0, whole, 1, lambda number: tiles(number, height))
        if rest:
            tiles(whole, rest)

    def _part_to_fetch(self, number: Index, width: int) -> Index:
        """Returns which part of two rows of the kernel a tile of registers fetches for the next product: so far behind the first row."""
        b, line = self.b, elements_of_line(f32)
        lines = max(1, width // line)
        before = b.mul(number, self.whole.schedule.fetched)
        row = b.minimum(b.floordiv(before, lines), 1)
        column = b.minimum(b.sub(before, b.mul(row, lines)), lines)
        return b.add(b.mul(row, self.whole.kernel.strides[2]), b.mul(column, line))

    def _multiply_inputs(
        self,
        shape: tuple[int, int],
        places: tuple[Index, Index, Index],
        following: Index,
        first: Index,
        steps: int,
    ) -> None:
        """Emits the products for some inputs, which are added to those of the inputs before; what of the kernel comes next is fetched."""
        b, whole, (rows, width), (data, panel, sums) = self.b, self.whole, shape, places
        lanes, kernel, fetched = whole.schedule.lanes, whole.kernel, whole.schedule.fetched
        unroll = 2 if steps % 2 == 0 else 1
        operands = KernelOperands(
            a=(self.tiles.data, data, 1, self.tiles.distance),
            b=(kernel.buffer, panel, kernel.strides[2]),
            c=(self.sums, sums, self.distance),
            steps=steps,
            columns=width,
            first=b.compare("eq", first, 0),
            fetched=(kernel.buffer, following, b.mul(kernel.strides[2], unroll)) if fetched else None,
        )
        of_input = kernel.strides[2]
        unrolled = Unrolled(unroll, fetched, b_step=of_input if isinstance(of_input, int) else None, a_row=1)
        types, plain = (f32, f32, f32), Conversion(())
        kernel_of_tile = MicroKernel(
            rows, width // lanes, lanes, *types, plain, plain, unrolled=unrolled, is_whole=True
        )
        call_kernel(b, whole.library, kernel_of_tile, operands)

    # ---- results ----

    def _finish(self, channel: Index, first: Index, place: Index, done: int) -> None:
        """Emits the results of all tiles of a vector of channels, and the epilogue, a row of tiles after the other.

        The first channel of the vector is so far behind those of the block, as are its sums; of some channels results are done already.
        """
        b, k, whole = self.b, self.whole.k, self.whole
        lanes = whole.schedule.lanes
        column = b.mul(self.tiles.column, self.step)
        columns = existing(b, self.step, column, self.tiles.width, k.columns)

        def row(number: Index) -> None:
            y = b.mul(b.add(self.tiles.row, number), self.step)
            rows = existing(b, self.step, y, 1, k.rows)
            at = b.add(b.mul(number, self.tiles.width * self.distance), place)
            sums = Rows(self.sums, at, self.distance)
            start = whole.result.at(b, (self.tiles.batch, b.add(channel, first), y, column))
            results = Planes(whole.result.buffer, start, whole.result.strides[1], whole.result.strides[2])
            finish = Finish(columns, rows, done, not whole.starts_at_zero)
            transform_sums(b, whole.library, k.tile, lanes, sums, results, self.results, finish)
            if whole.epilogue:
                new = b.add(channel, b.add(first, done))
                b.plain_loop(0, lanes - done, 1, lambda lane: self._epilogue(b.add(new, lane), y, rows, columns))

        b.plain_loop(0, self.tiles.height, 1, row)

    def _epilogue(self, channel: Index, row: Index, rows: Index, columns: Index) -> None:
        """Emits what follows on some rows of a channel."""
        b, k, lanes = self.b, self.whole.k, self.whole.schedule.lanes
        first_column = b.mul(self.tiles.column, self.step)
        step = EPILOGUE_VECTORS * lanes
        tiles = EpilogueTiles(lanes, min(EPILOGUE_VECTORS, -(-self.tiles.width * self.step // lanes)), k.row, k.column)

        def part(start: Index, count: Index) -> None:
            point: list[Index] = [0] * self.whole.nest.rank()
            indices = (self.tiles.batch, channel, row, b.add(first_column, start))
            for loop, index in zip((k.batch, k.channel, k.row, k.column), indices, strict=True):
                if loop is not None:
                    point[loop] = index
            emit_epilogue(b, tiles, self.whole.epilogue, point, rows, count)

        b.in_parts(columns, step, part)
