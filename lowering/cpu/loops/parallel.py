"""Which loops are worth sharing among threads, and how much of them makes a share.

Work is counted in units of about 25 ps: a lane's share of a vector operation, or of a few bytes from memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from .builder import Index
from .iteration import Nest

THREAD_WORK = 1 << 19
"""What a thread must at least have to do: about 12 us, several times what starting and joining it costs."""

ENOUGH_ITERATIONS = 32
"""Iterations that let a few dozen threads share the work evenly; more loops are joined until there are as many."""

UNKNOWN_SIZE = 1 << 16
"""What a size that is known at run time only counts as, where its being large matters."""

UNKNOWN_ITERATIONS = 4
"""What it counts as, as iterations to share: it may be a batch of one."""

UNKNOWN_INSIDE = 16
"""What it counts as inside an iteration, whose number of times is known at run time."""

ACCESS = 4
"""The work of an element that is read or written."""

FUNCTION = 10
"""The work of a function of `math`."""


def estimate(size: Index) -> int:
    """A size, or a guess."""
    return size if isinstance(size, int) else UNKNOWN_SIZE


def inside(sizes: Sequence[Index]) -> int:
    """How often something happens in loops of these sizes inside an iteration."""
    total = 1
    for size in sizes:
        total *= size if isinstance(size, int) else UNKNOWN_INSIDE
    return total


def cost_of_point(nest: Nest) -> int:
    """The work at one point; what does not move in the innermost dim is read less often."""
    moving = sum(ACCESS for a in nest.accesses if a.is_memref and nest.rank() - 1 in a.dims())
    return 1 + moving + sum(FUNCTION if op.dialect_name() == "math" else 1 for op in nest.payload)


def share(uppers: Sequence[Index], work: int) -> int:
    """The iterations of a parallel loop nest that a thread should at least have, `work` being that of one.

    0 if there are not enough for two threads.
    """
    wanted = max(1, -(-THREAD_WORK // max(work, 1)))
    if all(isinstance(u, int) for u in uppers) and inside(uppers) < 2 * wanted:
        return 0
    return wanted


def outer_loops(sizes: Sequence[Index], work: int) -> tuple[int, int]:
    """How many of nested loops, outermost first, become one parallel loop, and the iterations for a thread: see `share`.

    `work` is that of one iteration of all of them.
    """
    depth = depth_of(sizes)
    found = share(sizes[:depth], work * inside(sizes[depth:])) if depth else 0
    return (depth, found) if found else (0, 0)


def depth_of(sizes: Sequence[Index]) -> int:
    """How many loops, outermost first, give enough iterations to share."""
    iterations = 1
    for depth, size in enumerate(sizes):
        if iterations >= ENOUGH_ITERATIONS:
            return depth
        iterations *= size if isinstance(size, int) else UNKNOWN_ITERATIONS
    return len(sizes) if iterations > 1 else 0
