"""Element-wise nests over pairs, triples, ... of elements: what some operands have side by side, others have apart.

y[p, c] = x[c, p]    of 3 channels: vectors along p of each channel, interleaved to whole vectors of y
y[c, p] = x[p, c]    whole vectors of x, from which the channels are picked
"""

from __future__ import annotations

from itertools import permutations

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir.affine import AffineDimExpr

from ....dialects.relax.schedule import MOST_INTERLEAVED, Interleaved
from ....targets.cpu import CpuTarget
from .access import Access, coefficient, is_collapsible, strides_of
from .grain import parallel_loops, work_of_point
from .nest import Nest, Size, is_vectorizable
from .payload_loads import has_loads

MOST_WRITTEN = 96
"""Operations of a payload for all channels together: they are written out for each."""

CHUNK = 256
"""Vectors of each channel that one iteration of a parallel loop takes."""

LINES = 4
"""The most streams of which a line each is in registers at the same time, whatever the width of these."""

LEAST_LANES = 4
"""Lanes below which vectors are not interleaved."""

BYTES = 16
"""Lanes of bytes that every instruction set can pick anew at once."""


def is_interleaved(access: Access, along: int, few: int, count: Size) -> bool:
    """Returns whether the iterations of the loop `few` lie side by side in an operand, and those of `along` one behind the other."""
    if not access.is_memref or len(access.exprs) < 2 or not is_collapsible(access.type):
        return False
    *others, row, last = access.exprs
    if last != AffineDimExpr(few) or access.type.get_shape()[-1] != count:
        return False
    if coefficient(row, along) != 1 or few in row.used_dims() or any({along, few} & e.used_dims() for e in others):
        return False
    return strides_of(access.type)[-2:] == [count, 1]


def interleaved_problem(nest: Nest, along: int, few: int, lanes: int) -> str | None:
    """Returns why vectors along a loop cannot be interleaved over the iterations of another one; None if they can."""
    # The sizes first: few nests have a loop that short.
    count, size = nest.sizes[few], nest.sizes[along]
    if count is None or not 2 <= count <= MOST_INTERLEAVED:
        return f"the last loop has {'?' if count is None else count} iterations, want from 2 to {MOST_INTERLEAVED}"
    if size is not None and size < lanes:
        return f"the loop before the last has {size} iterations, want at least {lanes} lanes"
    if not all(nest.parallel):
        return "a loop is a reduction"
    if not is_vectorizable(nest) or has_loads(nest):
        return "the payload is not element by element"
    if any(map(nest.reads_output, range(len(nest.outputs)))):
        return "an output is read"
    if any(not {along, few} <= output.dims() for output in nest.outputs):
        return "an output does not depend on one of the last two loops"
    apart = [a for a in nest.accesses if not is_interleaved(a, along, few, count)]
    if len(apart) == len(nest.accesses):
        return "no operand has the iterations of the last loop side by side"
    if any(a.step(along) is None for a in apart):
        return "an operand is neither contiguous along the loop before the last nor has the last loop inside of it"
    return None


def interleaved_loops(nest: Nest, target: CpuTarget) -> tuple[int, int] | None:
    """Returns the loop along which vectors lie and the short one over which they are interleaved; None if there are none.

    Some operand has the iterations of the short loop apart: else they are neighbors in all of them.
    """
    # What rules out most nests comes first: no short loop, then a payload that is long even for the shortest.
    short = [d for d in range(nest.rank()) if 2 <= (nest.sizes[d] or 0) <= MOST_INTERLEAVED]
    if not short or MOST_WRITTEN < len(nest.payload) * min(nest.sizes[d] or 0 for d in short):
        return None
    for along, few in permutations(range(nest.rank()), 2):
        count = nest.sizes[few] or 0
        if few in short and count * len(nest.payload) <= MOST_WRITTEN and _has_shuffles(nest, count, target):
            if interleaved_problem(nest, along, few, _pick_lanes(nest, nest.sizes[along], count, target)) is None:
                return along, few
    return None


def pick_interleaved(nest: Nest, along: int, few: int, target: CpuTarget, in_parallel: bool) -> Interleaved:
    """Returns the schedule of a nest whose vectors are interleaved; the short loop becomes the last, after that of the vectors."""
    count, size = nest.sizes[few] or 1, nest.sizes[along]
    lanes = _pick_lanes(nest, size, count, target)
    outer = [d for d in range(nest.rank()) if d not in (along, few)]
    chunk = CHUNK * lanes
    sizes = [*(nest.sizes[d] for d in outer), None if size is None else -(-size // chunk)]
    work = work_of_point(nest) * count * (chunk if size is None else min(chunk, size))
    parallel, grain = (0, 0) if in_parallel else parallel_loops(sizes, work)
    return Interleaved(tuple(nest.loops[d] for d in (*outer, along, few)), lanes, chunk, parallel, grain)


def _widths(nest: Nest) -> list[int]:
    """Returns the bits of the elements that a nest reads, computes and writes."""
    types = [access.type.element_type if access.is_memref else access.value.type for access in nest.accesses]
    types += [result.type for op in nest.payload for result in op.results]
    return [type_.bitwidth for type_ in types if isinstance(type_, IntegerType | AnyFloat)]


def _pick_lanes(nest: Nest, size: Size, count: int, target: CpuTarget) -> int:
    """Returns the lanes of which the widest elements fill a register; a line of the cache, where registers hold those of all streams.

    Fewer of bytes, where no instruction picks from two registers, and for a short loop.
    """
    width = max(8, *_widths(nest))
    bits = max(target.vector_bits, 8 * target.line_size) if count <= LINES else target.vector_bits
    if width == 8 and "avx512vbmi" not in target.features:
        bits = 8 * BYTES
    lanes = bits // width
    while size is not None and size < lanes > LEAST_LANES:
        lanes //= 2
    return lanes


def _has_shuffles(nest: Nest, count: int, target: CpuTarget) -> bool:
    """Returns whether a target picks lanes of all elements of a nest in any order; halves of 2, 4 or 8 vectors interleave everywhere."""
    # Booleans are bytes in memory.
    narrowest = min((max(8, width) for width in _widths(nest)), default=32)
    return not count & (count - 1) or narrowest > 16 or target.architecture != "x86_64" or "ssse3" in target.features
