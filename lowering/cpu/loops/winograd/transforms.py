"""The transforms of Winograd's convolution on vectors of tiles that lie side by side in a row.

[1, 0, -1, 0] and vectors d0 ... d3    become    arith.subf %d0, %d2
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue

from .....dialects.relax.rules.winograd import DATA_TRANSFORM, RESULT_TRANSFORM, TILE, WINDOW, Transform
from .....dialects.relax.vocabulary.symbols import MICRO_KERNEL
from .....records import record
from ....emit.emitter import Index
from ...schedule.winograd import PLANE
from ..builder import LoopBuilder
from ..interleave import deinterleave, interleave
from ..kernels import KernelLibrary, add


def on_both_dims(b: LoopBuilder, matrix: Transform, values: Sequence[Sequence[SSAValue]]) -> list[list[SSAValue]]:
    """Emits `T x T^T` for a matrix of vectors: first the columns, then the rows."""
    columns = [apply(b, matrix, column) for column in zip(*values, strict=True)]
    return [apply(b, matrix, row) for row in zip(*columns, strict=True)]


def apply(b: LoopBuilder, matrix: Transform, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Emits `T x` for a column of vectors."""
    return [_combine(b, row, values) for row in matrix]


def _combine(b: LoopBuilder, factors: Sequence[float], values: Sequence[SSAValue]) -> SSAValue:
    """Emits a sum of vectors with factors 1, -1 or 0, those that are added first."""
    added = [value for factor, value in zip(factors, values, strict=True) if factor == 1]
    total = added[0]
    for value in added[1:]:
        total = b.insert(arith.AddfOp(total, value))
    for factor, value in zip(factors, values, strict=True):
        assert factor in (-1, 0, 1)
        if factor == -1:
            total = b.insert(arith.SubfOp(total, value))
    return total


@record
class Rows:
    """Rows in a buffer: where the first begins, and how far the next one is."""

    buffer: SSAValue
    start: Index
    distance: Index

    def operands(self, b: LoopBuilder) -> list[SSAValue]:
        return [self.buffer, b.as_index(self.start), b.as_index(self.distance)]


def transform_data(
    b: LoopBuilder, library: KernelLibrary, tiles: tuple[int, int], image: Rows, data: Rows, height: Index
) -> None:
    """Emits the call that transforms a vector of tiles in each of `height` rows of tiles: those of the image are rows of pixels.

    `tiles` are the lanes of the vector, and how many of them have a tile.
    """
    lanes, exist = tiles

    def body(inside: LoopBuilder, args: Sequence[SSAValue]) -> None:
        _transform_data(inside, tiles, Rows(*args[:3]), Rows(*args[3:6]), args[6])

    operands = [*image.operands(b), *data.operands(b), b.as_index(height)]
    name = f"{MICRO_KERNEL}.winograd.data.{lanes}{f'.{exist}' if exist < lanes else ''}"
    library.call_function(b, name, operands, body)


def _transform_data(b: LoopBuilder, tiles: tuple[int, int], image: Rows, data: Rows, height: Index) -> None:
    """Emits the transforms row by row; two rows of pixels of a window are those of the next one."""

    def pixels(row: Index) -> list[SSAValue]:
        start = b.add(image.start, b.mul(row, image.distance))
        return apply(b, DATA_TRANSFORM, _pixels(b, tiles, image.buffer, start))

    def row(index: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        first = b.mul(index, TILE)
        rows = [carried[:WINDOW], carried[WINDOW:], *(pixels(b.add(first, i)) for i in range(TILE, WINDOW))]
        place = b.add(data.start, b.mul(index, data.distance))
        columns = [apply(b, DATA_TRANSFORM, column) for column in zip(*rows, strict=True)]
        for v, column in enumerate(columns):
            for u, value in enumerate(column):
                # Behind a short row there is room for the next one, or for a vector.
                b.vector_store(value, data.buffer, [b.add(place, (u * WINDOW + v) * PLANE)])
        return [*rows[TILE], *rows[TILE + 1]]

    initial = [value for i in range(TILE) for value in pixels(i)]
    b.loop(0, height, 1, initial, row, no_unroll=True)


def _pixels(b: LoopBuilder, tiles: tuple[int, int], image: SSAValue, start: Index) -> list[SSAValue]:
    """Emits the four pixels in a row of the windows of a vector of tiles."""
    lanes, exist = tiles
    pixels: list[SSAValue] = []
    for skipped in range(0, WINDOW, TILE):
        halves: list[SSAValue] = []
        for half in range(TILE):
            before = skipped + half * lanes
            left = TILE * exist + WINDOW - TILE - before
            mask = None if left >= lanes else b.mask(max(left, 0), lanes)
            halves.append(b.vector_load(image, [b.add(start, before)], lanes, mask))
        pixels += deinterleave(b, halves, lanes)
    return pixels


@record
class Finish:
    """What becomes of the results of a column of vectors of tiles."""

    left: Index
    """The columns of results that exist."""
    rows: Index
    """The rows of results that exist."""
    accumulates: bool
    """Whether they are added to what is there."""


def transform_sums(
    b: LoopBuilder, library: KernelLibrary, lanes: int, sums: Rows, results: Rows, finish: Finish
) -> None:
    """Emits the call that transforms a vector of tiles in each row of them to rows of results."""
    is_whole = finish.left == TILE * lanes

    def body(inside: LoopBuilder, args: Sequence[SSAValue]) -> None:
        left = TILE * lanes if is_whole else args[6]
        there = Finish(left, args[7], finish.accumulates)
        _transform_sums(inside, lanes, Rows(*args[:3]), Rows(*args[3:6]), there)

    operands = [*sums.operands(b), *results.operands(b), b.as_index(finish.left), b.as_index(finish.rows)]
    form = f"{'' if is_whole else '.part'}{'.add' if finish.accumulates else ''}"
    library.call_function(b, f"{MICRO_KERNEL}.winograd.results{form}.{lanes}", operands, body)


def _transform_sums(b: LoopBuilder, lanes: int, sums: Rows, results: Rows, finish: Finish) -> None:
    def row(index: Index) -> None:
        at = b.add(sums.start, b.mul(index, sums.distance))
        products = [
            [b.vector_load(sums.buffer, [b.add(at, (u * WINDOW + v) * PLANE)], lanes) for v in range(WINDOW)]
            for u in range(WINDOW)
        ]
        for part, (even, odd) in enumerate(on_both_dims(b, RESULT_TRANSFORM, products)):
            y = b.add(b.mul(index, TILE), part)
            start = b.add(results.start, b.mul(y, results.distance))
            halves = interleave(b, [even, odd], lanes)

            def store(start: Index = start, halves: Sequence[SSAValue] = halves) -> None:
                for half, value in enumerate(halves):
                    left = b.sub(finish.left, half * lanes)
                    _store(b, value, results.buffer, b.add(start, half * lanes), left, finish.accumulates)

            if part == 0:
                store()
            else:
                b.when(b.less(y, finish.rows), store)

    b.plain_loop(0, b.ceildiv(finish.rows, TILE), 1, row)


def _store(b: LoopBuilder, value: SSAValue, buffer: SSAValue, start: Index, left: Index, accumulates: bool) -> None:
    """Emits the store of a vector of results, of which so many exist, or of their sums with those that are there."""
    lanes = cast(VectorType, value.type).get_shape()[0]
    mask = None if isinstance(left, int) and left >= lanes else b.mask(left, lanes)
    if accumulates:
        value = add(b, b.vector_load(buffer, [start], lanes, mask), value)
    b.vector_store(value, buffer, [start], mask)
