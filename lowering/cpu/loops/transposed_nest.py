"""Element-wise nests that read along another loop than they write: square blocks of the inputs are transposed in registers.

    linalg.generic %y[d0, d1] = f(%x[d1, d0])    with <transposed, loops = [0, 1], lanes = 16>

becomes

    scf.for %i = 0 to %rows step 16
      scf.for %j = 0 to %columns step 16
        16 x vector.load %x[%j + lane, %i];  4 rounds of vector.shuffle;  16 x (f, vector.store %y[%i + row, %j])
    scf.for the rows that are left: vectors along %j, each lane loaded by itself

With `blocks = 4` the vectors are those of 64 rows, and a round interleaves inside of each 16 lanes.

Where there is no f, all rows of an input begin equally far behind a line of the cache, and they are not few, blocks begin at lines: the
first starts in front of them and is moved to the first row, the last is moved to the last row, and what two blocks share is copied twice.

A long f is written once: the transposed block goes to the stack, and a loop over its rows reads it there. Where there is no f, and blocks
are whole, all nests of a module share a function: `func.call @relax.transpose.16x16.f32` for a row of blocks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue

from ....dialects.relax.schedule import FETCHED_BYTES, Transposed
from ....dialects.relax.vocabulary.symbols import MICRO_KERNEL
from ...emit.emitter import Index
from ..schedule.access import Access, coefficient
from ..schedule.vectorize import moves_whole_blocks
from .alignment import bytes_behind
from .builder import LoopBuilder
from .fetch import bytes_of
from .flat import flatten
from .kernels import KernelLibrary
from .loop_nest import LoopNest, uppers_of, with_loop
from .stack import stack
from .transpose import transpose_block
from .vector_access import first_lanes
from .vector_nest import VectorEmitter

FEWEST_BLOCKS = 8
"""Blocks of rows that are so many that one more costs less than lines that are read twice."""

UNROLLED_PAYLOAD = 8
"""Operations of a payload that is written out for each row of a block."""


def emit_transposed(b: LoopBuilder, library: KernelLibrary, nest: LoopNest, schedule: Transposed) -> None:
    """Emits blocks of `lanes` rows (the loop before the last), `blocks` of them together, then the rows that are left."""
    lanes, along = schedule.lanes, nest.rank() - 1
    rows = along - 1
    outer = range(rows)
    emitter = VectorEmitter(b, nest, along, lanes)
    last = b.sub(nest.uppers[along], 1)
    copy = _Copy(b, library, nest, lanes) if moves_whole_blocks(nest, along, rows, lanes) else None
    size, width = nest.uppers[rows], lanes * schedule.blocks
    if isinstance(size, int):
        width = max(1, min(width, size))
    before = 0 if copy is None else copy.rows_before(rows, width, size)

    def row_of_blocks(point: list[Index], count: int) -> None:
        """Emits the blocks of `count` rows."""
        if copy is not None:
            copy.emit(point, count)
            return
        b.plain_loop(
            0,
            nest.uppers[along],
            lanes,
            lambda i: _emit_block(b, nest, emitter, with_loop(point, along, i), last, count),
        )

    def blocks_of_rows(start: Index, count: int, parallel: int) -> Index:
        """Emits all blocks of `count` rows from a row on, and returns the row behind them."""
        full = b.floordiv(b.sub(size, start), count)
        uppers = [*uppers_of(nest, outer), full if before == 0 else b.ceildiv(b.add(size, before), count)]

        def block(indices: Sequence[Index]) -> None:
            row = b.add(start, b.mul(indices[-1], count))
            if before != 0:
                row = b.maximum(0, b.minimum(b.sub(row, before), b.sub(size, count)))
            row_of_blocks([*indices[:-1], row, 0], count)

        b.nest(
            uppers[:parallel],
            lambda first: b.nest(uppers[parallel:], lambda rest: block([*first, *rest])),
            schedule.grain,
        )
        return b.add(start, b.mul(full, count))

    done = blocks_of_rows(0, width, schedule.parallel)
    if done == size:
        return
    if isinstance(size, int):
        b.nest(uppers_of(nest, outer), lambda indices: row_of_blocks([*indices, done, 0], size % width))
        return
    if width > lanes:
        done = blocks_of_rows(done, lanes, 0)
    b.nest(
        uppers_of(nest, outer),
        lambda indices: b.plain_loop(done, size, 1, lambda i: emitter.row([*indices, i, 0])),
    )


class _Copy:
    """Emits calls of the function that transposes a row of blocks."""

    def __init__(self, b: LoopBuilder, library: KernelLibrary, nest: LoopNest, lanes: int):
        self.b = b
        self.library = library
        self.source, self.target = (flatten(b, access) for access in (nest.inputs[0], nest.outputs[0]))
        along = nest.rank() - 1
        self.distances = self.source.step(b, along), self.target.step(b, along - 1)
        self.blocks = b.floordiv(nest.uppers[along], lanes)
        self.lanes = lanes
        self.dims = range(nest.rank())

    def rows_before(self, rows: int, width: int, size: Index) -> Index:
        """Returns how many rows of a block of `width` lie in front of the first row, where blocks begin at lines of the source.

        It is 0 where blocks begin at the first row: no lines are common to all columns, or there are too few blocks for another one.
        """
        b, source = self.b, self.source
        element = bytes_of(source.access.type.element_type)
        period = math.gcd(width * element, FETCHED_BYTES)
        others = [d for d in range(len(self.dims)) if d != rows]
        # Threads may copy the rows that two blocks share at once: they write the same.
        if (
            not isinstance(size, int)
            or size % width
            or size < FEWEST_BLOCKS * width
            or period not in (width * element, FETCHED_BYTES)
        ):
            return 0
        for d in others:
            step = source.step(b, d) if _is_linear(source.access, d) else None
            if not isinstance(step, int) or step * element % period:
                return 0
        offset = b.mul(source.offset(b, [0] * len(self.dims)), element)
        return b.floordiv(bytes_behind(b, source.buffer, offset, period), element)

    def emit(self, point: Sequence[Index], count: int) -> None:
        """Emits the blocks of so many rows, from a point of the nest on."""
        b, lanes = self.b, self.lanes
        values: list[SSAValue] = []
        for access, distance in zip((self.source, self.target), self.distances, strict=True):
            values += [access.buffer, b.as_index(access.offset(b, point)), b.as_index(distance)]
        name = f"{MICRO_KERNEL}.transpose.{count}x{lanes}.{self.target.access.type.element_type}"
        self.library.call_function(
            b, name, [*values, b.as_index(self.blocks)], lambda body, args: _transpose_blocks(body, lanes, count, args)
        )


def _is_linear(access: Access, dim: int) -> bool:
    return all(coefficient(expr, dim) is not None for expr in access.exprs)


def _transpose_blocks(b: LoopBuilder, lanes: int, rows: int, args: Sequence[SSAValue]) -> None:
    """Emits the body of the function that transposes a row of blocks, one below the other in its source."""
    source, start, distance, target, target_start, target_distance, count = args
    together = 1 << (-(-rows // lanes) - 1).bit_length()
    width = together * lanes
    mask = None if rows == width else b.mask(rows, width)

    def block(index: Index) -> None:
        first = b.mul(index, lanes)
        at = b.add(start, b.mul(first, distance))
        vectors = [b.vector_load(source, [b.add(at, b.mul(distance, lane))], width, mask) for lane in range(lanes)]
        columns = transpose_block(b, vectors, together)
        for row in range(rows):
            column = columns[row % lanes]
            if together > 1:
                begin = row // lanes * lanes
                column = b.shuffle(column, column, range(begin, begin + lanes))
            b.vector_store(column, target, [b.add(b.add(target_start, b.mul(target_distance, row)), first)])

    b.plain_loop(0, count, 1, block)


def _emit_block(
    b: LoopBuilder, nest: LoopNest, emitter: VectorEmitter, point: list[Index], last: Index, count: int
) -> None:
    """Emits the first `count` rows of a square block; columns beyond the last read the last again, and are not stored."""
    lanes, along = emitter.lanes, emitter.along
    size, start = nest.uppers[along], point[along]
    is_whole = isinstance(size, int) and size % lanes == 0
    mask = None if is_whole else first_lanes(b, b.sub(size, start), lanes)
    exist = None if count == lanes else b.mask(count, lanes)
    rows: dict[SSAValue, list[SSAValue]] = {}
    for arg, access in zip(nest.body.args, nest.inputs, strict=False):
        if access.step(along) is not None or not arg.uses:
            continue
        vectors: list[SSAValue] = []
        for lane in range(lanes):
            column = b.add(start, lane)
            at = with_loop(point, along, column if is_whole else b.minimum(column, last))
            vectors.append(b.vector_load(access.value, emitter.access.address(access, at), lanes, exist))
        rows[arg] = transpose_block(b, vectors)[:count]

    def emit(row: Index, values: dict[SSAValue, SSAValue]) -> None:
        emitter.at_point(with_loop(point, along - 1, b.add(point[along - 1], row)), mask, values)

    if len(nest.payload) <= UNROLLED_PAYLOAD:
        for row in range(count):
            emit(row, {arg: vectors[row] for arg, vectors in rows.items()})
        return
    blocks = {arg: _on_stack(b, vectors, lanes) for arg, vectors in rows.items()}

    def read(row: Index) -> None:
        emit(row, {arg: b.vector_load(block, [b.mul(row, lanes)], lanes) for arg, block in blocks.items()})

    b.plain_loop(0, count, 1, read)


def _on_stack(b: LoopBuilder, vectors: Sequence[SSAValue], lanes: int) -> SSAValue:
    """Returns memory that holds vectors one after the other."""
    type_ = vectors[0].type
    assert isinstance(type_, VectorType)
    block = stack(b, type_.element_type, len(vectors) * lanes)
    for row, vector in enumerate(vectors):
        b.vector_store(vector, block, [row * lanes])
    return block
