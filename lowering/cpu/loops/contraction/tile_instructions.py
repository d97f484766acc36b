"""Tile registers: which of them hold what, their configuration, and the instructions on them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import i8, i64
from xdsl.ir import SSAValue

from .....records import record
from .....targets.cpu import TILE_PRODUCTS, TILE_REGISTERS, TILE_ROW_BYTES, TILE_ROWS
from ....emit.constructors import vector_type
from ....emit.emitter import Index
from ....emit.pointers import address_of, pointer_to
from ...schedule.dot_product import DotProduct
from ..builder import LoopBuilder
from ..stack import stack

SUM_BYTES = 4
_ROW_SIZES = 16
"""Where a configuration of tile registers has the bytes of their rows, two for each."""
_ROW_COUNTS = 48
"""Where it has the numbers of their rows."""


@record
class TileRegisters:
    """Which registers hold what: `rows` x `columns` tiles of sums, a tile of A for each row, tiles of B in those that are left."""

    rows: int
    columns: int

    def total(self, row: int, column: int) -> int:
        """Returns the register of sums."""
        return row * self.columns + column

    def left(self, row: int) -> int:
        """Returns the register of a tile of A."""
        return self.rows * self.columns + row

    def right(self, column: int) -> int:
        """Returns the register of a tile of B."""
        first = self.rows * self.columns + self.rows
        return first + column % (TILE_REGISTERS - first)


def registers_for(rows: int, width: int, block: int) -> TileRegisters:
    """Returns the registers for so many rows of `width` columns, which lie in blocks of `block`, both multiples of 16."""
    row_tiles = -(-rows // TILE_ROWS)
    most = 4 if row_tiles == 1 else 2
    # Columns that are multiplied at a time are a part of a block, or whole blocks.
    choices = [n for n in range(most, 0, -1) if width % (n * TILE_ROWS) == 0]
    return TileRegisters(
        row_tiles, next(n for n in choices if block % (n * TILE_ROWS) == 0 or n * TILE_ROWS % block == 0)
    )


def configure(b: LoopBuilder, memory: SSAValue, registers: TileRegisters, rows: Index) -> None:
    """Emits the shapes of tiles for so many rows of A: `memory`, 64 bytes, takes the configuration."""
    last = b.sub(rows, (registers.rows - 1) * TILE_ROWS)
    numbers = {registers.left(registers.rows - 1)}
    numbers |= {registers.total(registers.rows - 1, column) for column in range(registers.columns)}
    config = [0] * TILE_ROW_BYTES
    # The first byte is the number of the palette.
    config[0] = 1
    for number in range(TILE_REGISTERS):
        config[_ROW_SIZES + 2 * number] = TILE_ROW_BYTES
        is_short = number in numbers and isinstance(last, int)
        config[_ROW_COUNTS + number] = last if is_short and isinstance(last, int) else TILE_ROWS
    b.vector_store(b.dense(config, vector_type(i8, TILE_ROW_BYTES)), memory, [0])
    if not isinstance(last, int):
        count = b.insert(arith.IndexCastOp(last, i8))
        for number in sorted(numbers):
            b.store(count, memory, [_ROW_COUNTS + number])
    b.append(llvm.CallIntrinsicOp("llvm.x86.ldtilecfg", [pointer_to(b, address_of(b, memory))], []))


def release(b: LoopBuilder) -> None:
    """Emits the end of the use of tile registers: a thread that goes on has nothing in them."""
    b.append(llvm.CallIntrinsicOp("llvm.x86.tilerelease", [], []))


def config_memory(b: LoopBuilder) -> SSAValue:
    """Returns memory on the stack for a configuration."""
    return stack(b, i8, TILE_ROW_BYTES)


# ---- sums and products ----


def clear_sums(b: LoopBuilder, registers: TileRegisters) -> None:
    """Emits zeros in the registers of sums."""
    for number in range(registers.rows * registers.columns):
        b.append(llvm.CallIntrinsicOp("llvm.x86.tilezero", [_number(b, number)], []))


def move_sums(b: LoopBuilder, name: str, registers: TileRegisters, start: Index, stride: Index) -> None:
    """Emits loads or stores of all registers of sums, whose rows lie `stride` bytes apart from an address on."""
    for row in range(registers.rows):
        for column in range(registers.columns):
            place = b.add(b.add(start, b.mul(stride, row * TILE_ROWS)), column * TILE_ROWS * SUM_BYTES)
            _tile(b, name, registers.total(row, column), place, stride)


def to_column(b: LoopBuilder, column: Index, width: int, block: Index, group: int) -> Index:
    """Returns the elements of B from its first column to another, in blocks of `width` columns that lie `block` elements apart."""
    inside = b.sub(column, b.round_down(column, width))
    return b.add(b.mul(b.floordiv(column, width), block), b.mul(inside, group))


def multiply_tiles(
    b: LoopBuilder,
    dot: DotProduct,
    registers: TileRegisters,
    left: tuple[Index, Index],
    right: tuple[Index, Index],
    distances: Sequence[Index],
) -> None:
    """Emits the products of one tile of each row of tiles, and of each column of them. Of A and B the address and the distance of rows are
    given in bytes, and for each column of tiles the elements of B before it.
    """
    (a, a_stride), (start, b_stride) = left, right
    for row in range(registers.rows):
        _tile(b, "tileloadd64", registers.left(row), b.add(a, b.mul(a_stride, row * TILE_ROWS)), a_stride)
    for column, distance in enumerate(distances):
        place = b.add(start, b.mul(distance, SUM_BYTES // dot.group))
        _tile(b, "tileloadd64", registers.right(column), place, b_stride)
        for row in range(registers.rows):
            numbers = registers.total(row, column), registers.left(row), registers.right(column)
            intrinsic = TILE_PRODUCTS[dot.instruction].intrinsic
            b.append(llvm.CallIntrinsicOp(intrinsic, [_number(b, number) for number in numbers], []))


# ---- memory ----


def _number(b: LoopBuilder, register: int) -> SSAValue:
    return b.constant(register, i8)


def _tile(b: LoopBuilder, name: str, register: int, address: Index, stride: Index) -> None:
    """Emits a load or a store of a tile whose rows lie `stride` bytes apart."""
    distance = b.insert(arith.IndexCastOp(b.as_index(stride), i64))
    b.append(llvm.CallIntrinsicOp(f"llvm.x86.{name}", [_number(b, register), pointer_to(b, address), distance], []))
