"""Whether tile registers take all steps of a contraction at once, with the loops around panels inside, and where these steps lie."""

from __future__ import annotations

from math import prod

from ....targets.cpu import TILE_ROWS
from .contraction import Contraction
from .dot_product import reads_blocks
from .tiles import Tiling


def distance_of_parts(k: Contraction, t: Tiling) -> int | None:
    """Returns the elements from the steps of one iteration of the loops around panels to the next, in a B that lies in blocks.

    None where B does not lie so, there are no such loops, their sizes are not known, these distances are not even, or a chunk does not have
    all steps.
    """
    chunked, sizes = k.nest.sizes[t.chunked], [k.nest.sizes[d] for d in t.outer]
    steps = [k.step_of_b(d) for d in t.outer]
    if not reads_blocks(k, t.dot) or not steps or chunked is None or chunked > t.chunk or None in (*steps, *sizes):
        return None
    even = [(step or 0) * (size or 0) for step, size in zip(steps[1:], sizes[1:], strict=True)]
    return steps[-1] if steps[:-1] == even else None


def pipelined_problem(k: Contraction, t: Tiling, *, packs_lhs: bool, panels: int) -> str | None:
    """Returns the reason why the epilogue of some rows and columns cannot run while the next are multiplied, with so many panels."""
    # From rows to steps: the last test relies on what those before it say of sizes.
    sizes = k.nest.sizes
    rows, columns, steps = (1 if t.row is None else sizes[t.row]), sizes[k.column], sizes[t.chunked]
    if not rows or rows % t.rows:
        return f"there are {rows or 'an unknown number of'} rows, want whole tiles of {t.rows}"
    if not columns or columns % t.width:
        return f"there are {columns or 'an unknown number of'} columns, want whole blocks of {t.width}"
    if not steps or steps > t.chunk:
        return "a panel does not have all steps of its loops"
    if t.outer and (packs_lhs or (distance_of_parts(k, t) is None if k.packed_block else panels == 1)):
        return "the loops around panels are not inside of the products"
    unit = TILE_ROWS * t.group
    total = steps * prod(sizes[d] or 0 for d in t.whole)
    if total % unit and not t.gathers:
        return f"there are {total} steps, want a multiple of the {unit} of a tile"
    return None
