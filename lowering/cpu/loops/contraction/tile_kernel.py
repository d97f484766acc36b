"""Kernels of contractions in tile registers: up to 32 rows of A times a block of columns, 16 rows and 16 columns of sums in each register.

    linalg.generic %c += %a * %b    with tiles = <shape = [32, 256], ..., instruction = tdpbf16ps>

becomes, for rows that the registers are configured for,

    scf.for %j = 0 to 256 step 32
      4 x tilezero, or tileloadd of C
      scf.for the steps, 64 bytes of each row of A at a time
        2 x tileloadd of A, 2 x tileloadd of B, 4 x tdpbf16ps
      4 x tilestored to C

What is left of the steps is multiplied from copies with zeros behind them; sums of columns of which some do not exist go to C by way of
the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, SSAValue

from .....dialects.relax.vocabulary.symbols import MICRO_KERNEL
from .....records import record
from .....targets.cpu import TILE_ROW_BYTES, TILE_ROWS
from ....emit.constructors import select, vector_type
from ....emit.emitter import Index
from ....emit.pointers import address_of
from ...schedule.dot_product import DotProduct
from ..builder import LoopBuilder
from ..kernels import KernelLibrary, KernelOperands, add
from ..stack import stack
from .parts import for_parts
from .tile_instructions import (
    SUM_BYTES,
    TileRegisters,
    clear_sums,
    move_sums,
    multiply_tiles,
    to_column,
)


@record
class TileKernel:
    """What a kernel is compiled for."""

    registers: TileRegisters
    dot: DotProduct
    width: int
    """The columns of a block of B in which groups of steps lie together."""
    has_rest: bool
    """Whether the steps may be no multiple of what a row of a tile holds."""
    parts: tuple[int, ...]
    """The iterations of the loops around panels, which the kernel has itself: sums stay in registers for all of them."""
    a_type: Attribute
    b_type: Attribute
    acc_type: Attribute

    @property
    def name(self) -> str:
        form = f"{self.dot.instruction}.{self.registers.rows}x{self.registers.columns}"
        parts = "".join(f".{count}" for count in self.parts)
        return f"{MICRO_KERNEL}.{form}.{self.width}{parts and '.by'}{parts}{'.rest' if self.has_rest else ''}"

    @property
    def columns(self) -> int:
        """The columns that are multiplied at a time."""
        return self.registers.columns * TILE_ROWS

    @property
    def steps(self) -> int:
        """The steps of a row of a tile."""
        return TILE_ROWS * self.dot.group

    @property
    def element_bytes(self) -> int:
        return SUM_BYTES // self.dot.group


def call_tile_kernel(
    b: LoopBuilder, library: KernelLibrary, kernel: TileKernel, operands: KernelOperands, rows: Index
) -> None:
    """Emits the multiplication of `rows` rows of A with all columns; the distance that comes with B is that of its blocks of columns.

    The registers have been configured for the rows.
    """
    o = operands
    (a, a_offset, a_row, _), (panel, b_offset, block), (c, c_offset, c_row) = o.a, o.b, o.c
    numbers = (a_offset, a_row), (b_offset, block), (c_offset, c_row)
    values: list[SSAValue] = []
    for buffer, rest in zip((a, panel, c), numbers, strict=True):
        values += [buffer, *map(b.as_index, rest)]
    values += [*map(b.as_index, (rows, o.steps, o.columns)), o.first]
    values += [b.as_index(each) for each in ((*o.parts, o.part) if kernel.parts else ())]
    library.call_function(b, kernel.name, values, lambda body, args: _TileKernelBody(body, kernel, args).emit())


@record
class _Part:
    """The steps of one panel."""

    number: Index
    a_offset: Index
    """The elements from the first steps of A to those of the panel."""


class _TileKernelBody:
    """The code of a kernel. Distances that tile instructions take are in bytes."""

    def __init__(self, b: LoopBuilder, kernel: TileKernel, args: Sequence[SSAValue]):
        self.b = b
        self.kernel = kernel
        self.a, self.a_offset, self.a_row, self.panel, self.b_offset, self.block = args[:6]
        self.c, self.c_offset, self.c_row, self.rows, self.steps, self.columns, self.first = args[6:13]
        *self.a_parts, self.b_part = args[13:] or (0,)
        size = kernel.element_bytes
        self.a_start = b.add(address_of(b, self.a), b.mul(self.a_offset, size))
        self.b_start = address_of(b, self.panel)
        self.c_start = b.add(address_of(b, self.c), b.mul(self.c_offset, SUM_BYTES))
        self.a_stride = b.mul(self.a_row, size)
        self.b_stride: Index = kernel.width * SUM_BYTES
        self.c_stride = b.mul(self.c_row, SUM_BYTES)
        self.full = b.floordiv(self.steps, kernel.steps)
        self.rest = b.sub(self.steps, b.mul(self.full, kernel.steps))

    def emit(self) -> None:
        """Emits the kernel."""
        b, kernel = self.b, self.kernel
        sums = stack(b, kernel.acc_type, kernel.registers.rows * TILE_ROWS * kernel.columns)
        left = stack(b, kernel.a_type, prod(kernel.parts) * self.rest_size)
        right = stack(b, kernel.b_type, kernel.columns * kernel.steps)
        if kernel.has_rest:
            b.when(b.less(0, self.rest), lambda: self._for_parts(lambda part: self._copy_rest_of_rows(part, left)))

        def columns(j: Index) -> None:
            start = b.add(self.b_offset, to_column(b, j, kernel.width, self.block, kernel.dot.group))
            exist = b.sub(self.columns, j)
            is_whole = b.compare("sge", exist, kernel.columns)
            self._begin(j, is_whole)
            distances = self._distances(exist)
            self._for_parts(lambda part: self._multiply_part(part, start, distances, left, right))
            b.if_else(
                is_whole, lambda: self._store(self._place_of(j), self.c_stride), lambda: self._write(j, exist, sums)
            )

        b.plain_loop(0, self.columns, kernel.columns, columns)

    # ---- sums ----

    def _place_of(self, j: Index) -> Index:
        return self.b.add(self.c_start, self.b.mul(j, SUM_BYTES))

    def _begin(self, j: Index, is_whole: SSAValue) -> None:
        """Emits zeros in the sums, or what C has where all columns exist."""
        b, registers = self.b, self.kernel.registers
        reads = b.both(is_whole, b.insert(arith.XOrIOp(self.first, b.constant(True, i1))))

        def load() -> None:
            move_sums(b, "tileloadd64", registers, self._place_of(j), self.c_stride)

        b.if_else(reads, load, lambda: clear_sums(b, registers))

    def _store(self, start: Index, stride: Index) -> None:
        move_sums(self.b, "tilestored64", self.kernel.registers, start, stride)

    def _write(self, j: Index, exist: Index, sums: SSAValue) -> None:
        """Emits the sums of columns of which `exist` exist, in C."""
        b, kernel = self.b, self.kernel
        self._store(address_of(b, sums), kernel.columns * SUM_BYTES)
        starts = range(0, kernel.columns, TILE_ROWS)
        masks = [b.mask(b.sub(exist, start), TILE_ROWS) for start in starts]

        def rows(accumulate: bool) -> None:
            def row(r: Index) -> None:
                target = b.add(b.add(self.c_offset, b.mul(self.c_row, r)), j)
                for start, mask in zip(starts, masks, strict=True):
                    at = [b.add(target, start)]
                    value = b.vector_load(sums, [b.add(b.mul(r, kernel.columns), start)], TILE_ROWS)
                    if accumulate:
                        value = add(b, b.vector_load(self.c, at, TILE_ROWS, mask), value)
                    b.vector_store(value, self.c, at, mask)

            b.plain_loop(0, self.rows, 1, row)

        b.if_else(self.first, lambda: rows(False), lambda: rows(True))

    # ---- products ----

    def _for_parts(self, emit: Callable[[_Part], None]) -> None:
        """Emits loops around panels."""

        def part(number: Index, offset: Index, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            emit(_Part(number, offset))
            return ()

        for_parts(self.b, self.kernel.parts, self.a_parts, (), part)

    def _multiply_part(
        self, part: _Part, start: Index, distances: Sequence[Index], left: SSAValue, right: SSAValue
    ) -> None:
        """Emits the products of one panel, with the columns that begin at an element of the first one."""
        b = self.b
        if self.kernel.parts:
            start = b.add(start, b.mul(self.b_part, part.number))
        self._multiply(part, start, distances)
        if self.kernel.has_rest:
            b.when(b.less(0, self.rest), lambda: self._multiply_rest(part, start, distances, left, right))

    def _multiply(self, part: _Part, start: Index, distances: Sequence[Index]) -> None:
        """Emits the products of all steps that fill rows of tiles, with the columns of B from an element on."""
        b, kernel = self.b, self.kernel
        right = b.add(self.b_start, b.mul(start, kernel.element_bytes))
        a_start = b.add(self.a_start, b.mul(part.a_offset, kernel.element_bytes))

        def step(k: Index, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            a = b.add(a_start, b.mul(k, TILE_ROW_BYTES))
            place = b.add(right, b.mul(k, kernel.width * SUM_BYTES * TILE_ROWS))
            self._step(a, self.a_stride, place, self.b_stride, distances)
            return ()

        b.loop(0, self.full, 1, (), step, no_unroll=True)

    def _distances(self, exist: Index) -> list[Index]:
        """Returns the elements of B from the first tile of a step to that of each column of tiles, which may be in another block.

        Of blocks behind the last column that exists the first is read again: there may be nothing behind B.
        """
        b, kernel = self.b, self.kernel
        distances: list[Index] = []
        for start in range(0, kernel.columns, TILE_ROWS):
            distance = to_column(b, start, kernel.width, self.block, kernel.dot.group)
            if start >= kernel.width:
                distance = b.insert(select(b.less(start, exist), b.as_index(distance), b.as_index(0)))
            distances.append(distance)
        return distances

    def _step(self, a: Index, a_stride: Index, right: Index, b_stride: Index, distances: Sequence[Index]) -> None:
        """Emits the products of one tile of each row of tiles, and of each column of them."""
        kernel = self.kernel
        multiply_tiles(self.b, kernel.dot, kernel.registers, (a, a_stride), (right, b_stride), distances)

    # ---- what is left of the steps ----

    @property
    def rest_size(self) -> int:
        """The elements of a copy of the last steps."""
        return self.kernel.registers.rows * TILE_ROWS * self.kernel.steps

    def _copy_rest_of_rows(self, part: _Part, left: SSAValue) -> None:
        """Emits copies of the last steps of the rows of A, with zeros behind them."""
        b, kernel = self.b, self.kernel
        mask = b.mask(self.rest, kernel.steps)
        first = b.add(b.add(self.a_offset, part.a_offset), b.mul(self.full, kernel.steps))
        target = b.mul(part.number, self.rest_size)

        def row(r: Index) -> None:
            value = b.vector_load(self.a, [b.add(first, b.mul(self.a_row, r))], kernel.steps, mask)
            b.vector_store(value, left, [b.add(target, b.mul(r, kernel.steps))])

        b.plain_loop(0, self.rows, 1, row)

    def _multiply_rest(
        self, part: _Part, start: Index, distances: Sequence[Index], left: SSAValue, right: SSAValue
    ) -> None:
        """Emits the products of the last steps; groups of B that do not exist are zeros."""
        b, kernel = self.b, self.kernel
        groups = b.ceildiv(self.rest, kernel.dot.group)
        row = kernel.width * kernel.dot.group
        first = b.add(start, b.mul(self.full, TILE_ROWS * row))
        width = kernel.columns * kernel.dot.group
        lanes = TILE_ROWS * kernel.dot.group
        zero = b.constant(0, vector_type(kernel.b_type, lanes))

        def copy(g: Index) -> None:
            for at, distance in zip(range(0, width, lanes), distances, strict=True):
                value = b.vector_load(self.panel, [b.add(b.add(first, b.mul(g, row)), distance)], lanes)
                b.vector_store(value, right, [b.add(b.mul(g, width), at)])

        def clear(g: Index) -> None:
            for at in range(0, width, lanes):
                b.vector_store(zero, right, [b.add(b.mul(g, width), at)])

        b.plain_loop(0, groups, 1, copy)
        b.plain_loop(groups, TILE_ROWS, 1, clear)
        copy_of_rows = b.add(address_of(b, left), b.mul(part.number, self.rest_size * kernel.element_bytes))
        side_by_side = range(0, width, lanes)
        self._step(copy_of_rows, TILE_ROW_BYTES, address_of(b, right), kernel.columns * SUM_BYTES, side_by_side)
