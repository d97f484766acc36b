"""Which loops are worth sharing among threads, and the grain: the iterations that a thread takes at least.

Work is counted in units of about 25 ps: a lane's share of a vector operation, or of a few bytes from memory. The numbers are
measured times of threads and guesses about sizes, not facts of a CPU: how many threads share a loop is chosen when the program runs,
so that the cores of the target do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from .nest import Nest, Size

THREAD_WORK = 1 << 16
"""What a thread must at least have to do: about 1.6 us. To start and join it takes 0.6 to 2 us; a thread that is
alone writes to lines that others have read, 7 ns each."""

ENOUGH_ITERATIONS = 32
"""Iterations that let a few dozen threads share the work evenly; more loops are joined until there are as many."""

FEW_THREADS = 2
"""The threads that share work evenly if their number is not known: the fewer there are, the more it costs that some have none left."""

UNKNOWN_SIZE = 1 << 16
"""The size that a size known at run time only is taken for, where a large one would make the difference."""

UNKNOWN_ITERATIONS = 4
"""The same, for iterations to share among threads: it may be a batch of one."""

UNKNOWN_INSIDE = 16
"""The same, for the work inside of an iteration."""

ACCESS = 4
"""The work of an element that is read or written."""

FUNCTION = 10
"""The work of a function of `math`."""


def size_or_guess(size: Size) -> int:
    """Returns a size, or a large number for one that is known at run time only."""
    return UNKNOWN_SIZE if size is None else size


def iterations_of(sizes: Sequence[Size]) -> int:
    """Returns the iterations of nested loops to share among threads, with a guess for each unknown size."""
    return prod(UNKNOWN_ITERATIONS if size is None else size for size in sizes)


def work_inside(sizes: Sequence[Size]) -> int:
    """Returns the product of the sizes of loops inside of an iteration, with a guess for each unknown one."""
    total = 1
    for size in sizes:
        total *= UNKNOWN_INSIDE if size is None else size
    return total


def work_of_point(nest: Nest) -> int:
    """Returns the work at one point; what does not move in the innermost loop is read less often."""
    moving = sum(ACCESS for a in nest.accesses if a.is_memref and nest.rank() - 1 in a.dims())
    return 1 + moving + sum(FUNCTION if op.dialect_name() == "math" else 1 for op in nest.payload)


def unevenness(others: int, blocks: int, vectors: int, of_block: int, threads: int) -> float:
    """Returns how many more vectors a thread takes at most than its share of all, in as many other iterations.

    Blocks of so many vectors, the last of which may be a part of one, are the innermost of the iterations that threads share in order.
    """
    planes, rest = divmod(-(-others * blocks // threads), max(blocks, 1))
    share = others * vectors / threads
    return (planes * vectors + rest * of_block) / share if share else 1.0


def grain_of(sizes: Sequence[Size], work: int) -> int:
    """Returns the iterations of a parallel loop nest that a thread should at least have, `work` being that of one.

    0 if there are not enough for two threads.
    """
    wanted = max(1, -(-THREAD_WORK // max(work, 1)))
    if all(size is not None for size in sizes) and work_inside(sizes) < 2 * wanted:
        return 0
    return wanted


def parallel_loops(sizes: Sequence[Size], work: int) -> tuple[int, int]:
    """Returns how many of nested loops, outermost first, become one parallel loop, and its grain; (0, 0) if none does.

    `work` is that of one iteration of all of them.
    """
    depth = _enough_loops(sizes)
    grain = grain_of(sizes[:depth], work * work_inside(sizes[depth:])) if depth else 0
    return (depth, grain) if grain else (0, 0)


def _enough_loops(sizes: Sequence[Size]) -> int:
    """Returns how many loops, outermost first, give enough iterations to share."""
    iterations = 1
    for depth, size in enumerate(sizes):
        if iterations >= ENOUGH_ITERATIONS:
            return depth
        iterations *= iterations_of([size])
    return len(sizes) if iterations > 1 else 0
