"""The transforms of Winograd's convolutions on vectors of tiles side by side in a row: of which pixels, and to where."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from .....dialects.relax.rules.winograd import TAPS, WinogradTile
from .....dialects.relax.vocabulary.symbols import MICRO_KERNEL
from .....records import record
from ....emit.constructors import vector_type
from ....emit.emitter import Index
from ...schedule.winograd import plane
from ..builder import LoopBuilder
from ..interleave import deinterleave
from ..kernels import KernelLibrary, add
from ..transpose import transpose_in_quads
from .matrices import apply, on_both_dims

SHARED = TAPS - 1
"""Rows and columns of pixels that a window shares with the next one."""


@record
class Rows:
    """Rows in a buffer: where the first begins, and how far the next one is."""

    buffer: SSAValue
    start: Index
    distance: Index

    def operands(self, b: LoopBuilder) -> list[SSAValue]:
        return [self.buffer, b.as_index(self.start), b.as_index(self.distance)]


@record
class Border:
    """Where rows of pixels lie in an image around which there are zeros."""

    row: Index
    """The first row; negative above the image."""
    rows: Index
    """The rows of the image."""
    column: Index
    """The column of the first pixel; negative on the left of the image."""
    columns: Index
    """The columns of the image."""
    left: int
    """The most columns that lie on the left of it."""

    def operands(self, b: LoopBuilder) -> list[SSAValue]:
        return [b.as_index(value) for value in (self.row, self.rows, self.column, self.columns)]


def transform_data(
    b: LoopBuilder,
    library: KernelLibrary,
    tile: WinogradTile,
    tiles: tuple[int, int],
    image: Rows,
    data: Rows,
    height: Index,
    border: Border | None,
) -> None:
    """Emits the call that transforms a vector of tiles in each of `height` rows of tiles: those of the image are rows of pixels.

    `tiles` are the lanes of the vector, and how many of them have a tile. What is outside of a border is zero.
    """
    lanes, exist = tiles

    def body(inside: LoopBuilder, args: Sequence[SSAValue]) -> None:
        around = None if border is None else Border(*args[7:], left=border.left)
        _transform_data(inside, tile, tiles, Rows(*args[:3]), Rows(*args[3:6]), args[6], around)

    operands = [*image.operands(b), *data.operands(b), b.as_index(height)]
    form = f".{exist}" if exist < lanes else ""
    if border is not None:
        operands += border.operands(b)
        form = f".padded{border.left}"
    library.call_function(b, f"{_name(tile)}.data.{lanes}{form}", operands, body)


def _name(tile: WinogradTile) -> str:
    return f"{MICRO_KERNEL}.winograd.{tile.size}x{tile.size}"


def _transform_data(
    b: LoopBuilder,
    tile: WinogradTile,
    tiles: tuple[int, int],
    image: Rows,
    data: Rows,
    height: Index,
    border: Border | None,
) -> None:
    """Emits the transforms row by row; two rows of pixels of a window are those of the next one."""
    edges = None if border is None else _Edges(b, border, tile, tiles[0])

    def pixels(row: Index) -> list[SSAValue]:
        start = b.add(image.start, b.mul(row, image.distance))
        masks = (lambda before: _exist(b, tile, tiles, before)) if edges is None else edges.masks_of(row)
        return apply(b, tile.data, _pixels(b, tile, tiles[0], image.buffer, start, masks))

    def row(index: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        first = b.mul(index, tile.size)
        before = [carried[k : k + tile.window] for k in range(0, len(carried), tile.window)]
        rows = [*before, *(pixels(b.add(first, i)) for i in range(SHARED, tile.window))]
        place = b.add(data.start, b.mul(index, data.distance))
        columns = [apply(b, tile.data, column) for column in zip(*rows, strict=True)]
        for v, column in enumerate(columns):
            for u, value in enumerate(column):
                # Behind a short row there is room for the next one, or for a vector.
                b.vector_store(value, data.buffer, [b.add(place, (u * tile.window + v) * plane(tile))])
        return [value for shared in rows[tile.size :] for value in shared]

    initial = [value for i in range(SHARED) for value in pixels(i)]
    b.loop(0, height, 1, initial, row, no_unroll=True)


class _Edges:
    """Masks of the pixels that are inside of an image."""

    def __init__(self, b: LoopBuilder, border: Border, tile: WinogradTile, lanes: int):
        self.b = b
        self.border = border
        self.lanes = lanes
        columns = b.sub(border.columns, border.column)
        outside = b.sub(0, border.column)
        """The pixels on the left of the image."""
        everywhere = b.constant(True, vector_type(i1, lanes))
        self.inside: dict[int, SSAValue] = {}
        """The mask of the columns of the image, by how many pixels of a row lie before them."""
        for start in _starts(tile, lanes):
            inside = b.mask(b.sub(columns, start), lanes)
            if start < border.left:
                inside = b.both(inside, b.insert(arith.XOrIOp(b.mask(b.sub(outside, start), lanes), everywhere)))
            self.inside[start] = inside

    def masks_of(self, row: Index) -> Callable[[int], SSAValue]:
        """Returns the mask for pixels of a row, given how many lie before them."""
        b, border = self.b, self.border
        at = b.add(border.row, row)
        exists = b.splat(b.both(b.compare("sge", at, 0), b.less(at, border.rows)), self.lanes)
        return lambda before: b.both(self.inside[before], exists)


def _exist(b: LoopBuilder, tile: WinogradTile, tiles: tuple[int, int], before: int) -> SSAValue | None:
    """Returns the mask for pixels behind so many, of as many tiles as exist; None where all do."""
    lanes, exist = tiles
    left = tile.size * exist + SHARED - before
    return None if left >= lanes else b.mask(max(left, 0), lanes)


def _starts(tile: WinogradTile, lanes: int) -> list[int]:
    """Returns how many pixels of a row lie before each vector that is loaded."""
    return [0, *(SHARED + part * lanes for part in range(tile.size))]


def _pixels(
    b: LoopBuilder,
    tile: WinogradTile,
    lanes: int,
    image: SSAValue,
    start: Index,
    mask_of: Callable[[int], SSAValue | None],
) -> list[SSAValue]:
    """Emits the pixels in a row of the windows of a vector of tiles: a vector for each column of a window.

    The first columns of a window are the last ones of the window before, which only the first tile lacks.
    """
    first, *parts = (
        b.vector_load(image, [b.add(start, before)], lanes, mask_of(before)) for before in _starts(tile, lanes)
    )
    streams = deinterleave(b, parts, lanes)
    shared = [
        b.shuffle(first, stream, [column, *range(lanes, 2 * lanes - 1)])
        for column, stream in enumerate(streams[-SHARED:])
    ]
    return [*shared, *streams]


@record
class Planes:
    """Planes in a buffer, one for each channel: where the first begins, how far the next one is, and how far the next row."""

    buffer: SSAValue
    start: Index
    distance: Index
    row: Index

    def operands(self, b: LoopBuilder) -> list[SSAValue]:
        return [self.buffer, b.as_index(self.start), b.as_index(self.distance), b.as_index(self.row)]


@record
class Finish:
    """What becomes of the results of a row of tiles."""

    columns: Index
    """The columns of results that exist."""
    rows: Index
    """The rows of results that exist."""
    done: int
    """The first channels of a vector, whose results are there already."""
    accumulates: bool
    """Whether they are added to what is there."""


def _pixels_of_group(tile: WinogradTile, lanes: int) -> int:
    """Returns the columns of results that are transposed at a time: those of whole tiles, and whole vectors."""
    return max(lanes, tile.size)


def results_size(tile: WinogradTile, lanes: int) -> int:
    """Returns the numbers of the results that are transposed at a time, of a vector of channels."""
    return tile.size * _pixels_of_group(tile, lanes) * lanes


def transform_sums(
    b: LoopBuilder,
    library: KernelLibrary,
    tile: WinogradTile,
    lanes: int,
    sums: Rows,
    results: Planes,
    memory: SSAValue,
    finish: Finish,
) -> None:
    """Emits the call that transforms a row of tiles of a vector of channels to rows of results.

    Lanes of sums are channels, those of results are columns. `memory` is for results before they are transposed.
    """
    is_whole = isinstance(finish.columns, int) and finish.columns % _pixels_of_group(tile, lanes) == 0

    def body(inside: LoopBuilder, args: Sequence[SSAValue]) -> None:
        there = Finish(args[8], args[9], finish.done, finish.accumulates)
        _transform_sums(inside, tile, lanes, Rows(*args[:3]), Planes(*args[3:7]), args[7], there, is_whole)

    operands = [*sums.operands(b), *results.operands(b), memory, b.as_index(finish.columns), b.as_index(finish.rows)]
    form = f"{'' if is_whole else '.part'}{f'.from{finish.done}' if finish.done else ''}{'.add' if finish.accumulates else ''}"
    library.call_function(b, f"{_name(tile)}.results{form}.{lanes}", operands, body)


def _transform_sums(
    b: LoopBuilder,
    tile: WinogradTile,
    lanes: int,
    sums: Rows,
    results: Planes,
    memory: SSAValue,
    finish: Finish,
    is_whole: bool,
) -> None:
    """Emits groups of tiles: the transforms of a tile after the other, then their rows of results, transposed."""
    pixels = _pixels_of_group(tile, lanes)

    def group(x: Index) -> None:
        left = b.sub(finish.columns, x)
        first = b.add(sums.start, b.mul(b.floordiv(x, tile.size), sums.distance))

        def transform(number: Index) -> None:
            at = b.add(first, b.mul(number, sums.distance))
            products = [
                [
                    b.vector_load(sums.buffer, [b.add(at, (u * tile.window + v) * plane(tile))], lanes)
                    for v in range(tile.window)
                ]
                for u in range(tile.window)
            ]
            place = b.mul(number, tile.size * lanes)
            for y, row in enumerate(on_both_dims(b, tile.result, products)):
                for k, value in enumerate(row):
                    b.vector_store(value, memory, [b.add(place, (y * pixels + k) * lanes)])

        b.plain_loop(0, b.minimum(pixels // tile.size, b.ceildiv(left, tile.size)), 1, transform)

        def rows(masks: Sequence[SSAValue | None]) -> None:
            b.plain_loop(0, finish.rows, 1, lambda y: _store_row(b, lanes, results, memory, finish, (y, x), masks))

        b.with_masks(pixels if is_whole else left, pixels // lanes, lanes, rows)

    b.plain_loop(0, finish.columns, pixels, group)


def _store_row(
    b: LoopBuilder,
    lanes: int,
    results: Planes,
    memory: SSAValue,
    finish: Finish,
    at: tuple[Index, Index],
    masks: Sequence[SSAValue | None],
) -> None:
    """Emits the stores of a row of results of a group of tiles, transposed: some vectors of columns of each channel, with their masks."""
    row, column = at
    place = b.mul(row, len(masks) * lanes * lanes)
    for block, mask in enumerate(masks):
        start = b.add(place, block * lanes * lanes)
        vectors = [b.vector_load(memory, [b.add(start, k * lanes)], lanes) for k in range(lanes)]
        to = b.add(b.add(results.start, b.mul(row, results.row)), b.add(column, block * lanes))
        for channel, value in enumerate(transpose_in_quads(b, vectors)):
            if channel < finish.done:
                continue
            element = b.add(to, b.mul(results.distance, channel))
            if finish.accumulates:
                value = add(b, b.vector_load(results.buffer, [element], lanes, mask), value)
            b.vector_store(value, results.buffer, [element], mask)
