"""Convolutions by Winograd's F(2x2, 3x3) or F(4x4, 3x3), block of tiles by block of tiles.

    linalg.generic %y[n, o, y, x] += A^T [%k[u, v, o, c] * (B^T %x[n, c, ...] B)] A    with block = [4, 28], channels = 64

becomes

    scf.parallel (batches, blocks of 4 rows of 28 tiles, blocks of 64 channels)
      scf.for the input channels, rows and vectors of tiles
        func.call @relax.contract.winograd.2x2.data.16...: every other pixel, B^T d B, 16 x vector.store to the stack
      scf.for some output channels
        scf.for the 16 products: func.call @relax.contract.6x64... for each 6 channels and 64 tiles
        scf.for those channels: func.call @relax.contract.winograd.2x2.results.16...: A^T m A, 4 x vector.store of neighboring results
          the epilogue on the rows of a channel

Rows of tiles lie one after the other without gaps, so that few lanes have none. Tiles of 4x4 results have 36 products, of every fourth
pixel, and 16 stores of results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from .....dialects.relax import schedule as schedules
from ....emit.constructors import vector_type
from ....emit.emitter import Index
from ...schedule.contraction import Conversion
from ...schedule.padding import PaddedImage
from ...schedule.winograd import CHANNELS, in_vectors, plane, recognize_winograd
from ..builder import LoopBuilder
from ..contraction.epilogue import EpilogueTiles, emit_epilogue
from ..contraction.micro_kernel import MicroKernel, Unrolled, call_kernel
from ..fetch import elements_of_line
from ..flat import flatten
from ..kernels import KernelLibrary, KernelOperands
from ..loop_nest import LoopNest, viewed
from ..stack import stack
from .transforms import SHARED, Border, Finish, Rows, transform_data, transform_sums

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
        """Emits the parallel loop over batches, blocks of tiles and blocks of output channels."""
        b, k, schedule = self.b, self.k, self.schedule
        rows, columns = k.tiles
        batches: Index = 1 if k.batch is None else self.nest.uppers[k.batch]
        counts = [-(-rows // schedule.block[0]), -(-columns // schedule.block[1]), -(-k.channels // schedule.channels)]

        def body(indices: Sequence[Index]) -> None:
            batch, *numbers = indices
            steps = (*schedule.block, schedule.channels)
            row, column, channel = (b.mul(number, step) for number, step in zip(numbers, steps, strict=True))
            # Whole blocks and those that are left over share the memory.
            data, sums = (stack(b, f32, k.tile.products * plane(k.tile)) for _ in range(2))

            def block(height: int, width: int, channels: int) -> None:
                _Block(self, batch, (row, column), (height, width), (channel, channels), (data, sums)).emit()

            def wide(height: int) -> None:
                b.part(column, columns, steps[1], lambda width: deep(height, width))

            def deep(height: int, width: int) -> None:
                b.part(channel, k.channels, steps[2], lambda channels: block(height, width, channels))

            b.part(row, rows, steps[0], wide)

        b.nest([batches, *counts], body, schedule.grain)


class _Block:
    """Emits the output channels of a block of tiles, whose numbers are known."""

    def __init__(
        self,
        whole: _Winograd,
        batch: Index,
        start: tuple[Index, Index],
        shape: tuple[int, int],
        channels: tuple[Index, int],
        memory: tuple[SSAValue, SSAValue],
    ):
        self.whole = whole
        self.b = whole.b
        self.batch = batch
        self.row, self.column = start
        self.height, self.width = shape
        self.channel, self.channels = channels
        lanes = whole.schedule.lanes
        self.tiles = in_vectors(self.height * self.width, lanes)
        self.lanes = min(lanes, max(SHARED, 1 << (self.width - 1).bit_length()))
        """The lanes of a transform, of which a vector has all pixels that windows share."""
        self.data, self.sums = memory
        self.products = whole.k.tile.products
        self.plane = plane(whole.k.tile)
        self.step = whole.k.tile.size
        """The rows and the columns of results that a tile has."""
        self.together = min(CHANNELS, self.channels)

    def emit(self) -> None:
        """Emits the transform of the data, then products and results for some channels after the other."""
        b = self.b
        b.plain_loop(0, self.whole.k.inputs, 1, self._transform_channel)
        limit = self.channels // self.together * self.together
        b.plain_loop(0, limit, self.together, lambda first: self._channels(b.add(self.channel, first), self.together))
        if limit < self.channels:
            self._channels(b.add(self.channel, limit), self.channels - limit)

    def _for_vectors(self, emit: Callable[[Index, int], None], *, again: bool) -> None:
        """Emits the vectors of a row of tiles, given the first tile and how many exist from there on.

        The last one of several may begin inside of the one before, whose tiles are then computed `again`: no lane lacks a tile.
        """
        full, rest, lanes = self.width // self.lanes, self.width % self.lanes, self.lanes
        if full <= WRITTEN_OUT:
            for number in range(full):
                emit(number * lanes, lanes)
        else:
            self.b.plain_loop(0, full * lanes, lanes, lambda tile: emit(tile, lanes))
        if rest and full and again:
            emit(self.width - lanes, lanes)
        elif rest:
            emit(full * lanes, rest)

    # ---- the data ----

    def _transform_channel(self, channel: Index) -> None:
        b, lanes = self.b, self.whole.schedule.lanes
        start = b.mul(channel, self.tiles)
        if self.height * self.width % lanes:
            # What lies behind the last tile is multiplied as well.
            zero = b.constant(0, vector_type(f32, lanes))
            last = b.add(start, self.tiles - lanes)

            def clear(product: Index) -> None:
                b.vector_store(zero, self.data, [b.add(last, b.mul(product, self.plane))])

            b.plain_loop(0, self.products, 1, clear)
        self._for_vectors(lambda tile, exist: self._transform_column(channel, start, tile, exist), again=True)

    def _transform_column(self, channel: Index, start: Index, tile: Index, exist: int) -> None:
        """Emits the transforms of a vector of tiles, of which so many exist, in all rows."""
        b, image = self.b, self.whole.image
        row, column = b.mul(self.row, self.step), b.mul(b.add(self.column, tile), self.step)
        data = Rows(self.data, b.add(start, tile), self.width)
        padding = self.whole.padding
        border = None
        if padding is not None:
            rows, columns = image.access.type.get_shape()[2:]
            row, column = b.sub(row, padding.starts[2]), b.sub(column, padding.starts[3])
            border = Border(row, rows, column, columns, padding.starts[3])
        first = Rows(image.buffer, image.at(b, (self.batch, channel, row, column)), image.strides[2])
        transform_data(b, self.whole.library, self.whole.k.tile, (self.lanes, exist), first, data, self.height, border)

    # ---- products ----

    def _channels(self, channel: Index, count: int) -> None:
        """Emits all products of some output channels, then the results."""
        b = self.b
        b.plain_loop(0, self.products, 1, lambda product: self._multiply(product, channel, count))
        b.plain_loop(0, count, 1, lambda index: self._finish_channel(b.add(channel, index), b.mul(index, self.tiles)))

    def _multiply(self, product: Index, channel: Index, count: int) -> None:
        """Emits one product of each tile and channel, a block of columns after the other."""
        b, (rows, columns) = self.b, self.whole.schedule.shape
        most = count // rows * rows
        of_product, of_channel = self.whole.kernel.strides[1:3]
        first = b.add(self.whole.kernel.base, b.add(b.mul(product, of_product), b.mul(channel, of_channel)))
        for start in range(0, self.tiles, columns):
            width = min(columns, self.tiles - start)

            def tile(row: Index, rows: int, start: int = start, width: int = width) -> None:
                kernel = b.add(first, b.mul(row, of_channel))
                following = b.add(kernel, b.mul(of_channel, rows))
                if start + width == self.tiles:
                    # Behind the last channels of a product are those of the next one.
                    is_last = b.less(row, count - rows)
                    following = b.select(is_last, following, b.add(first, of_product))
                self._multiply_tile(product, kernel, following, row, rows, start, width)

            b.plain_loop(0, most, rows, lambda row, tile=tile: tile(row, rows))
            if most < count:
                tile(most, count - most)

    def _multiply_tile(
        self, product: Index, kernel: Index, following: Index, row: Index, rows: int, start: int, width: int
    ) -> None:
        """Emits the products of some channels and a block of columns, some inputs after the other."""
        b, inputs = self.b, self.whole.k.inputs
        data = b.add(b.mul(product, self.plane), start)
        sums = b.add(b.add(b.mul(product, self.plane), b.mul(row, self.tiles)), start)

        def part(first: Index, steps: int) -> None:
            # What is fetched lies like the kernel itself, but in one piece.
            places = b.add(kernel, first), b.add(following, b.mul(first, rows))
            self._multiply_inputs((rows, width), places, b.add(data, b.mul(first, self.tiles)), sums, first, steps)

        whole = inputs // SUMMED * SUMMED
        b.plain_loop(0, whole, SUMMED, lambda first: part(first, SUMMED))
        if whole < inputs:
            part(whole, inputs - whole)

    def _multiply_inputs(
        self, shape: tuple[int, int], places: tuple[Index, Index], data: Index, sums: Index, first: Index, steps: int
    ) -> None:
        """Emits the products for some inputs, which are added to those of the inputs before; what of the kernel comes next is fetched."""
        b, whole, (rows, width), (kernel, following) = self.b, self.whole, shape, places
        lanes, fetched = whole.schedule.lanes, whole.schedule.fetched
        operands = KernelOperands(
            a=(whole.kernel.buffer, kernel, whole.kernel.strides[2], 1),
            b=(self.data, data, self.tiles),
            c=(self.sums, sums, self.tiles),
            steps=steps,
            columns=width,
            first=b.compare("eq", first, 0),
            fetched=(whole.kernel.buffer, following, fetched * elements_of_line(f32)) if fetched else None,
        )
        unrolled = Unrolled(2 if steps % 2 == 0 else 1, fetched, 1)
        types, plain = (f32, f32, f32), Conversion(())
        kernel_of_tile = MicroKernel(rows, width // lanes, lanes, *types, plain, plain, unrolled=unrolled)
        call_kernel(b, whole.library, kernel_of_tile, operands)

    # ---- results ----

    def _finish_channel(self, channel: Index, first: Index) -> None:
        """Emits the results of all tiles of a channel, whose products lie from an element on, and the epilogue."""
        b, k = self.b, self.whole.k

        self._for_vectors(
            lambda tile, exist: self._transform_sums(channel, b.add(first, tile), tile, exist),
            again=self.whole.starts_at_zero,
        )
        if not self.whole.epilogue:
            return
        lanes = self.whole.schedule.lanes
        first_row, first_column = b.mul(self.row, self.step), b.mul(self.column, self.step)
        rows = self._existing(first_row, self.height, k.rows)
        columns = self._existing(first_column, self.width, k.columns)
        step = EPILOGUE_VECTORS * lanes
        tiles = EpilogueTiles(lanes, min(EPILOGUE_VECTORS, -(-self.width * self.step // lanes)), k.row, k.column)

        def part(start: Index) -> None:
            point: list[Index] = [0] * self.whole.nest.rank()
            indices = (self.batch, channel, first_row, b.add(first_column, start))
            for loop, index in zip((k.batch, k.channel, k.row, k.column), indices, strict=True):
                if loop is not None:
                    point[loop] = index
            emit_epilogue(b, tiles, self.whole.epilogue, point, rows, b.sub(columns, start))

        b.plain_loop(0, columns, step, part)

    def _existing(self, first: Index, tiles: int, size: int) -> Index:
        """Returns how many of the rows or columns of tiles exist, from the first one on: only the last of all tiles may lack some."""
        return (
            self.step * tiles if size % self.step == 0 else self.b.minimum(self.step * tiles, self.b.sub(size, first))
        )

    def _transform_sums(self, channel: Index, at: Index, tile: Index, exist: int) -> None:
        """Emits the results of a vector of tiles, of which so many exist, in all rows."""
        b, k, result = self.b, self.whole.k, self.whole.result
        row, column = b.mul(self.row, self.step), b.mul(b.add(self.column, tile), self.step)
        left, rows = self._existing(column, exist, k.columns), self._existing(row, self.height, k.rows)
        sums = Rows(self.sums, at, self.width)
        results = Rows(result.buffer, result.at(b, (self.batch, channel, row, column)), result.strides[2])
        finish = Finish(left, rows, not self.whole.starts_at_zero)
        transform_sums(b, self.whole.library, self.whole.k.tile, self.lanes, sums, results, finish)
