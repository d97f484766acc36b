"""The transforms of Winograd's convolutions of bytes on vectors of channels: of the windows of a row of tiles, and of their products."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i16
from xdsl.ir import SSAValue

from .....dialects.relax.rules.winograd import TWO
from .....dialects.relax.vocabulary.symbols import MICRO_KERNEL
from .....dialects.upstream.arith_ops import lanewise
from .....records import record
from ....emit.constructors import vector_type
from ....emit.emitter import Index
from ...schedule.integer_winograd import PLANE
from ..builder import LoopBuilder
from ..kernels import KernelLibrary, add
from .matrices import on_both_dims

_NAME = f"{MICRO_KERNEL}.winograd.bytes"


@record
class Pixels:
    """Pixels in a buffer, whose channels are neighbors: where the first begins, and how far the next row and column are."""

    buffer: SSAValue
    start: Index
    row: Index
    column: Index

    def operands(self, b: LoopBuilder) -> list[SSAValue]:
        return [self.buffer, *(b.as_index(value) for value in (self.start, self.row, self.column))]


@record
class TileRow:
    """What belongs to the tiles of a row, for the first product: where the first begins, and how far the next one is."""

    buffer: SSAValue
    start: Index
    distance: Index

    def operands(self, b: LoopBuilder) -> list[SSAValue]:
        return [self.buffer, *(b.as_index(value) for value in (self.start, self.distance))]


def transform_bytes(
    b: LoopBuilder, library: KernelLibrary, lanes: int, unsigned: bool, image: Pixels, data: TileRow, tiles: Index
) -> None:
    """Emits the call that transforms the windows of a row of tiles, all of their channels, to i16."""

    def body(inside: LoopBuilder, args: Sequence[SSAValue]) -> None:
        _transform_bytes(inside, lanes, unsigned, Pixels(*args[:4]), TileRow(*args[4:7]), args[7])

    operands = [*image.operands(b), *data.operands(b), b.as_index(tiles)]
    library.call_function(b, f"{_NAME}.data.{'unsigned.' if unsigned else ''}{lanes}", operands, body)


def _transform_bytes(b: LoopBuilder, lanes: int, unsigned: bool, image: Pixels, data: TileRow, tiles: Index) -> None:
    extension = lanewise(arith.ExtUIOp if unsigned else arith.ExtSIOp)
    wide = vector_type(i16, lanes)

    def pixel(start: Index, row: int, column: int) -> SSAValue:
        at = b.add(b.add(start, b.mul(image.row, row)), b.mul(image.column, column))
        narrow = b.vector_load(image.buffer, [at], lanes)
        return b.insert(extension.create(operands=[narrow], result_types=[wide]))

    def tile(number: Index) -> None:
        start = b.add(image.start, b.mul(b.mul(image.column, TWO.size), number))
        place = b.add(data.start, b.mul(data.distance, number))

        def vector(channel: Index) -> None:
            first = b.add(start, channel)
            window = [[pixel(first, row, column) for column in range(TWO.window)] for row in range(TWO.window)]
            for product, value in enumerate(v for row in on_both_dims(b, TWO.data, window) for v in row):
                b.vector_store(value, data.buffer, [b.add(b.add(place, channel), product * PLANE)])

        b.plain_loop(0, data.distance, lanes, vector)

    b.plain_loop(0, tiles, 1, tile)


@record
class IntegerFinish:
    """What becomes of the results of a row of tiles."""

    rows: Index
    """The rows of results that exist."""
    columns: Index
    """The columns of results that exist."""
    channels: Index
    accumulates: bool
    """Whether they are added to what is there."""


def transform_integer_sums(
    b: LoopBuilder, library: KernelLibrary, lanes: int, sums: TileRow, results: Pixels, finish: IntegerFinish
) -> None:
    """Emits the call that transforms the products of a row of tiles to two rows of results."""
    whole = tuple(
        size == TWO.size * (size // TWO.size) for size in (finish.rows, finish.columns) if isinstance(size, int)
    )
    is_whole = whole == (True, True)

    def body(inside: LoopBuilder, args: Sequence[SSAValue]) -> None:
        there = IntegerFinish(*args[7:10], accumulates=finish.accumulates)
        _transform_integer_sums(inside, lanes, TileRow(*args[:3]), Pixels(*args[3:7]), there, is_whole)

    counts = (b.as_index(value) for value in (finish.rows, finish.columns, finish.channels))
    operands = [*sums.operands(b), *results.operands(b), *counts]
    form = f"{'' if is_whole else '.part'}{'.add' if finish.accumulates else ''}"
    library.call_function(b, f"{_NAME}.results{form}.{lanes}", operands, body)


def _transform_integer_sums(
    b: LoopBuilder, lanes: int, sums: TileRow, results: Pixels, finish: IntegerFinish, is_whole: bool
) -> None:
    def tile(column: Index) -> None:
        place = b.add(sums.start, b.mul(sums.distance, b.floordiv(column, TWO.size)))
        to = b.add(results.start, b.mul(results.column, column))

        def vector(channel: Index) -> None:
            first = b.add(place, channel)
            products = [
                [
                    b.vector_load(sums.buffer, [b.add(first, (u * TWO.window + v) * PLANE)], lanes)
                    for v in range(TWO.window)
                ]
                for u in range(TWO.window)
            ]
            for y, row in enumerate(on_both_dims(b, TWO.result, products)):
                for x, value in enumerate(row):
                    at = b.add(b.add(b.add(to, channel), b.mul(results.row, y)), b.mul(results.column, x))
                    _where(b, value, at, y, x, column)

        b.plain_loop(0, finish.channels, lanes, vector)

    def _where(b: LoopBuilder, value: SSAValue, at: Index, y: int, x: int, column: Index) -> None:
        """Emits the store of a result, if it exists."""

        def store() -> None:
            there = [b.vector_load(results.buffer, [at], lanes)] if finish.accumulates else []
            b.vector_store(add(b, there[0], value) if there else value, results.buffer, [at])

        conditions = [] if is_whole else [b.less(y, finish.rows)] * (y > 0)
        conditions += [] if is_whole else [b.less(b.add(column, x), finish.columns)] * (x > 0)
        if not conditions:
            store()
        else:
            b.when(conditions[0] if len(conditions) == 1 else b.both(*conditions), store)

    b.plain_loop(0, finish.columns, TWO.size, tile)
