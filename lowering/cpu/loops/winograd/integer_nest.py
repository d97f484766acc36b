"""Convolutions of bytes by Winograd's F(2x2, 3x3), block of tiles by block of tiles.

    linalg.generic %y[n, y, x, o] += A^T [%k[u, v, ...] * (B^T %x[n, ..., c] B)] A    with block = [4, 28], channels = 64

becomes

    scf.parallel (batches, blocks of 4 rows of 28 tiles, blocks of 64 channels)
      for the rows of tiles: func.call @relax.contract.winograd.bytes.data.16, 16 x vector.store of i16 to the stack for each tile
      for the 16 products, panels of 16 channels and some tiles: func.call @relax.contract.vpmaddwd.5x16..., sums of i32 to the stack
      for the rows of tiles
        func.call @relax.contract.winograd.bytes.results.8, 4 x vector.store for each tile
        the epilogue on the two rows of results

Lanes are channels everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i16, i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue

from .....dialects.relax import schedule as schedules
from .....dialects.relax.rules.winograd import PAIR, TWO
from ....emit.emitter import Index
from ...schedule.contraction import Conversion
from ...schedule.dot_product import DotProduct
from ...schedule.integer_winograd import LANES_OF_DATA, PLANE, recognize_integer_winograd
from ..builder import LoopBuilder
from ..contraction.epilogue import EpilogueTiles, emit_epilogue
from ..contraction.micro_kernel import MicroKernel, Unrolled, call_kernel
from ..fetch import elements_of_line
from ..flat import flatten
from ..kernels import KernelLibrary, KernelOperands
from ..loop_nest import LoopNest
from ..stack import stack
from .blocks import Shape, Start, emit_blocks, existing
from .integer_transforms import IntegerFinish, Pixels, TileRow, transform_bytes, transform_integer_sums

EPILOGUE_VECTORS = 8
"""The vectors of a pixel that the epilogue takes at a time."""

UNROLL = 4
"""The pairs of input channels that an iteration of the products takes: a divisor of those of any vector of data."""


def emit_integer_winograd(
    b: LoopBuilder,
    library: KernelLibrary,
    schedule: schedules.Winograd,
    nests: Sequence[LoopNest],
    *,
    starts_at_zero: bool,
) -> None:
    """Emits a convolution, the first nest; it adds to the output's content, or starts at zero and does not read it.

    The other nests run on finished rows of pixels.
    """
    _IntegerWinograd(b, library, schedule, nests, starts_at_zero).emit()


class _IntegerWinograd:
    """Emits one convolution, from the parallel loop to the stores."""

    def __init__(
        self,
        b: LoopBuilder,
        library: KernelLibrary,
        schedule: schedules.Winograd,
        nests: Sequence[LoopNest],
        starts_at_zero: bool,
    ):
        nest, *self.epilogue = nests
        k = recognize_integer_winograd(nest)
        assert k is not None and schedule.instruction is not None
        self.b = b
        self.library = library
        self.schedule = schedule
        self.nest = nest
        self.k = k
        self.starts_at_zero = starts_at_zero
        self.dot = DotProduct(schedule.instruction)
        self.image, self.kernel, self.result = (flatten(b, access) for access in (k.image, k.kernel, k.result))
        op = k.nest.op
        assert isinstance(op, linalg.GenericOp)
        self.unsigned = any(isinstance(use.operation, arith.ExtUIOp) for use in op.body.block.args[0].uses)

    def emit(self) -> None:
        """Emits the parallel loop over batches, blocks of tiles and blocks of output channels."""
        b, k = self.b, self.k
        batches: Index = 1 if k.batch is None else self.nest.uppers[k.batch]

        def memory() -> Sequence[SSAValue]:
            return [stack(b, element, TWO.products * PLANE) for element in (i16, i32)]

        def block(start: Start, shape: Shape, memory: Sequence[SSAValue]) -> None:
            _Block(self, start, shape, memory).emit()

        emit_blocks(b, self.schedule, batches, (*k.tiles, k.channels), memory, block)


class _Block:
    """Emits the output channels of a block of tiles, whose numbers are known."""

    def __init__(
        self,
        whole: _IntegerWinograd,
        start: Start,
        shape: Shape,
        memory: Sequence[SSAValue],
    ):
        self.whole = whole
        self.b = whole.b
        self.batch, self.row, self.column, self.channel = start
        self.height, self.width, self.channels = shape
        self.tiles = self.height * self.width
        self.data, self.sums = memory

    def emit(self) -> None:
        """Emits the transform of the data, products, and results."""
        b = self.b
        b.plain_loop(0, self.height, 1, self._transform_row)
        b.plain_loop(0, TWO.products, 1, self._multiply)
        b.plain_loop(0, self.height, 1, self._finish_row)

    def _transform_row(self, number: Index) -> None:
        b, whole, inputs = self.b, self.whole, self.whole.k.inputs
        row, column = b.mul(b.add(self.row, number), TWO.size), b.mul(self.column, TWO.size)
        start = whole.image.at(b, (self.batch, row, column, 0))
        image = Pixels(whole.image.buffer, start, whole.image.strides[1], whole.image.strides[2])
        data = TileRow(self.data, b.mul(number, self.width * inputs), inputs)
        lanes = LANES_OF_DATA * whole.schedule.lanes
        transform_bytes(b, whole.library, lanes, whole.unsigned, image, data, self.width)

    def _multiply(self, product: Index) -> None:
        """Emits one product of each tile and channel, a panel of channels after the other."""
        b, panel = self.b, self.whole.k.panel
        b.plain_loop(0, self.channels, panel, lambda first: self._multiply_panel(product, first))

    def _multiply_panel(self, product: Index, first: Index) -> None:
        b, k, (height, width) = self.b, self.whole.k, self.whole.schedule.shape
        before = b.add(b.mul(product, k.channels), b.add(self.channel, first))
        panel = b.add(self.whole.kernel.base, b.mul(before, k.inputs))

        def tiles(number: Index, rows: int) -> None:
            tile, plane_of_product = b.mul(number, height), b.mul(product, PLANE)
            data = b.add(plane_of_product, b.mul(tile, k.inputs))
            sums = b.add(b.add(plane_of_product, b.mul(tile, self.channels)), first)
            for place in range(0, k.panel, width):
                part = b.add(b.mul(number, k.panel // width), place // width)
                at = b.add(panel, PAIR * place), self._part_to_fetch(panel, part), b.add(sums, place)
                self._call((rows, width), data, *at)

        whole, rest = divmod(self.tiles, height)
        b.plain_loop(0, whole, 1, lambda number: tiles(number, height))
        if rest:
            tiles(whole, rest)

    def _part_to_fetch(self, panel: Index, part: Index) -> Index:
        """Returns the part of the next panel of the kernel that a tile of registers fetches: the last one where others fetch all of it."""
        b, k = self.b, self.whole.k
        size = k.inputs // (PAIR * UNROLL) * self.whole.schedule.fetched * elements_of_line(i16)
        whole = k.inputs * k.panel
        return b.add(b.add(panel, whole), b.minimum(b.mul(part, size), max(0, whole - size)))

    def _call(self, shape: tuple[int, int], data: Index, panel: Index, following: Index, sums: Index) -> None:
        b, whole, k, (rows, width) = self.b, self.whole, self.whole.k, shape
        fetched = whole.schedule.fetched
        operands = KernelOperands(
            a=(self.data, data, k.inputs, 1),
            b=(whole.kernel.buffer, panel, k.panel),
            c=(self.sums, sums, self.channels),
            steps=k.inputs,
            columns=width,
            first=b.true(),
            fetched=(whole.kernel.buffer, following, fetched * elements_of_line(i16)) if fetched else None,
        )
        # Input channels are whole vectors of i16.
        unrolled = Unrolled(UNROLL, fetched, a_step=1, b_step=k.panel, a_row=k.inputs)
        plain, lanes = Conversion(()), whole.schedule.lanes
        kernel = MicroKernel(
            rows, width // lanes, lanes, i16, i16, i32, plain, plain, PAIR, whole.dot, unrolled=unrolled, is_whole=True
        )
        call_kernel(b, whole.library, kernel, operands)

    def _finish_row(self, number: Index) -> None:
        """Emits the results of a row of tiles, and the epilogue."""
        b, whole, k = self.b, self.whole, self.whole.k
        row, column = b.mul(b.add(self.row, number), TWO.size), b.mul(self.column, TWO.size)
        rows = existing(b, TWO.size, row, 1, k.rows)
        columns = existing(b, TWO.size, column, self.width, k.columns)
        start = whole.result.at(b, (self.batch, row, column, self.channel))
        results = Pixels(whole.result.buffer, start, whole.result.strides[1], whole.result.strides[2])
        sums = TileRow(self.sums, b.mul(number, self.width * self.channels), self.channels)
        finish = IntegerFinish(rows, columns, self.channels, not whole.starts_at_zero)
        transform_integer_sums(b, whole.library, whole.schedule.lanes, sums, results, finish)
        if whole.epilogue:
            b.plain_loop(0, rows, 1, lambda y: self._epilogue(b.add(row, y), column, columns))

    def _epilogue(self, row: Index, column: Index, columns: Index) -> None:
        """Emits what follows on a row of pixels."""
        b, k, lanes = self.b, self.whole.k, self.whole.schedule.lanes
        vectors = min(EPILOGUE_VECTORS, self.channels // lanes)
        tiles = EpilogueTiles(lanes, vectors, k.column, k.channel)

        def part(first: Index, count: Index) -> None:
            point: list[Index] = [0] * self.whole.nest.rank()
            indices = (self.batch, row, column, b.add(self.channel, first))
            for loop, index in zip((k.batch, k.row, k.column, k.channel), indices, strict=True):
                if loop is not None:
                    point[loop] = index
            emit_epilogue(b, tiles, self.whole.epilogue, point, columns, count)

        b.in_parts(self.channels, vectors * lanes, part)
