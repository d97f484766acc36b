"""Which products of bytes are computed by half as many multiplications of sums, after Winograd (1968):

    x0 * w0 + x2 * w2  =  (x0 + w2) * (x2 + w0)  -  x0 * x2  -  w0 * w2

What is subtracted belongs to a row or to a column alone, and costs little where there are many of both. A sum of two bytes of any sign fits
i16, so that all of it is exact.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import i8, i16

from .access import Access
from .contraction import Contraction, Conversion

BYTES_TOGETHER = 4
"""The steps that lie together in a B of 8 bits in blocks: two pairs."""

PAIRED_STEPS = 8
"""The steps of an iteration of a kernel."""

PAIRED_PANEL = 64
"""The steps at least that a panel has, if there are more."""

MOST_PAIRED = 1 << 15
"""The numbers that rows have on the stack, one for each such panel, at most."""

MOST_DISTANCE = 1 << 24
"""The elements between rows at most: they are parts of addresses in the code."""

FEWEST_ROWS, FEWEST_COLUMNS = 16, 128
"""The rows and columns with which what belongs to a column, or to a row, alone takes no more than a few hundredths of the time."""


def holds_bytes(access: Access, conversion: Conversion) -> bool:
    """Returns whether the elements of an operand in i16 are surely bytes: its conversion takes them for some."""
    if access.type.element_type != i16 or len(conversion.ops) != 2:
        return False
    first, second = conversion.ops
    return (
        isinstance(first, arith.TruncIOp)
        and first.result.type == i8
        and isinstance(second, arith.ExtSIOp | arith.ExtUIOp)
    )


def may_pair(contraction: Contraction) -> bool:
    """Returns whether rows of bytes in i16 are multiplied with bytes in blocks, in whole iterations of a kernel.

    What belongs to each row alone lies on the stack, so that the number of rows is known.
    """
    # From the loops to what the operands hold, and then to sizes: each test relies on those before it.
    k, sizes = contraction, contraction.nest.sizes
    if not len(k.rows) == len(k.columns) == len(k.reduced) == 1 or k.batch or k.packed_group != BYTES_TOGETHER:
        return False
    if k.b.type.element_type != i8 or not holds_bytes(k.a, k.a_conversion):
        return False
    rows, steps = sizes[k.rows[0]] or 0, sizes[k.reduced[0]] or 0
    has_room = 0 < rows * -(-steps // PAIRED_PANEL) <= MOST_PAIRED and steps % PAIRED_STEPS == 0
    distance = k.a.static_step(k.rows[0]) or 0
    return has_room and k.a.static_step(k.reduced[0]) == 1 and 0 < distance <= MOST_DISTANCE


def gains_by_pairs(contraction: Contraction) -> bool:
    """Returns whether there are enough rows and columns, of what may be paired."""
    k, sizes = contraction, contraction.nest.sizes
    return (sizes[k.rows[0]] or 0) >= FEWEST_ROWS and (sizes[k.column] or 0) >= FEWEST_COLUMNS


def most_rows(vectors: int) -> int:
    """Returns how many rows a tile may have: AVX2 has 16 registers, of which sums, the columns of two pairs and four more are used."""
    return 12 // vectors - 2
