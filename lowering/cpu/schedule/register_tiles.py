"""The table of register tiles: one row for each kind of register file, with the reason beside it."""

from __future__ import annotations

from ....records import record
from ....targets.cpu import CpuTarget


@record
class RegisterTiles:
    """What a register file allows; the rows of a tile are chosen for each contraction, within these limits."""

    registers: int
    """The fewest vector registers of the targets that the row is for."""
    vectors: int
    """The most vectors in a row of a tile."""
    fewest_rows: int
    """The rows for which a tile of full width must have registers: each load of B is used that often."""
    most_rows: int
    """The most rows of a tile; rows of A are read in place."""
    skinny_rows: int
    """The number of rows up to which B is read in place: a panel would be written and read once more."""
    skinny_rows_at_run_time: int
    """The same where the number of rows is known at run time only: there is code for each number."""
    skinny_unroll: int
    """The steps that go together where B is read in place and the rows leave no registers for the elements of A."""
    reason: str


TABLE = (
    RegisterTiles(
        registers=32,
        vectors=4,
        fewest_rows=4,
        most_rows=8,
        skinny_rows=8,
        skinny_rows_at_run_time=4,
        skinny_unroll=8,
        reason="in the largest tile "
        "6 x 4 sums, 4 vectors of B and an element of A are 29 registers, and one more than there are halves the speed; "
        "more than 8 rows of A would fall on the same lines of an 8-way cache. AVX-512: 117 GFLOP/s of 117.5; NEON has as many.",
    ),
    RegisterTiles(
        registers=16,
        vectors=2,
        fewest_rows=4,
        most_rows=8,
        skinny_rows=4,
        skinny_rows_at_run_time=4,
        skinny_unroll=4,
        reason="in the largest tile "
        "6 x 2 sums, 2 vectors of B and an element of A are 15 registers; the last takes the product where there is no fused "
        "multiply-add. 2 vectors divide the blocks of packed weights, which the 3 of a 4 x 3 tile do not.",
    ),
)
"""From the most registers down."""


def register_tiles(target: CpuTarget) -> RegisterTiles:
    """Returns the row for a target."""
    return next((row for row in TABLE if row.registers <= target.vector_registers), TABLE[-1])


def registers_needed(rows: int, vectors: int) -> int:
    """Returns the vector registers of a tile: accumulators, one row of B, one element of A."""
    return rows * vectors + vectors + 1
