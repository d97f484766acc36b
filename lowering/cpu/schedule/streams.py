"""What comes from memory and is read once: how far ahead it is fetched; rows of few vectors, which stay in registers.

linalg.generic %m[d0] max= %x[d0, d1];  linalg.generic %y[d0, d1] = exp(%x[d0, d1] - %m[d0]);  ...    on memref<98304x128xf32>

is 8 vectors a row, and 32 rows of 512 bytes are fetched ahead, where the target gains from that.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import FixedBitwidthType, NoneAttr
from xdsl.ir.affine import AffineDimExpr

from ....dialects.relax.schedule import Scalars, Stored, Vectors
from ....targets.cpu import CpuTarget
from .access import Access
from .nest import Nest

IN_REGISTERS = 16
"""The vectors of a row that is straight-line code, whose intermediate results stay in registers."""

FETCHED_AHEAD = 1 << 14
"""The bytes that lie between the row that is computed and the one that is fetched."""

LINES_AHEAD = 16
"""The lines between a vector of a stream and what is fetched meanwhile."""

STREAMS = 4
"""The parts of a matrix that are read side by side: 26 GB/s on a Zen 3, 21 by a single stream; 15 GB/s on an Emerald Rapids, 12 by a
single stream that is fetched; 2 and 8 give the same on both."""

CACHES = 16
"""A result of so many second-level caches goes to memory past them: nothing of it is left when it is read."""


def _fits_registers(nest: Nest, schedule: Scalars | Vectors, shared: int) -> bool:
    """Returns whether the row of a nest, inside of the shared loops, is one loop of few vectors, or no loop."""
    if nest.rank() == shared:
        return True
    if not isinstance(schedule, Vectors) or schedule.rows or nest.rank() > shared + 1:
        return False
    size = nest.sizes[shared]
    return size is not None and size <= IN_REGISTERS * schedule.lanes


def pick_written_out(nests: Sequence[Nest], schedules: Sequence[Scalars | Vectors], shared: int) -> int:
    """Returns how many vectors of a row are straight-line code in a group; 0 where one of its nests has longer rows."""
    short = all(_fits_registers(nest, schedule, shared) for nest, schedule in zip(nests, schedules, strict=True))
    return IN_REGISTERS if short else 0


def pick_stored(nests: Sequence[Nest], shared: int, target: CpuTarget) -> Stored:
    """Returns whether a group, whose rows are written out, writes past the caches.

    Its rows are those of one loop, and its results exceed the caches.
    """
    if shared != 1 or not target.stores_past_caches:
        return "cached"
    outputs = [output for nest in nests for output in nest.outputs if nest.rank() > shared]
    return "cached" if max(map(bytes_of, outputs), default=0) < CACHES * target.l2.size else "past_caches"


def pick_ahead(nests: Sequence[Nest], stored: Stored, target: CpuTarget) -> int:
    """Returns how many rows ahead a group fetches what it reads, if it writes past the caches; 0 where it fetches nothing."""
    if stored == "cached" or not target.fetches_streams:
        return 0
    rows = max(bytes_of(output) // max(nest.sizes[0] or 1, 1) for nest in nests for output in nest.outputs)
    return -(-FETCHED_AHEAD // rows)


def pick_fetched(nest: Nest, along: int, vectors: int, target: CpuTarget) -> int:
    """Returns how many lines ahead of its vectors a nest fetches what it reads as a stream that exceeds the second-level cache.

    So many vectors along a loop go together, over all steps of the reductions.
    """
    if not target.fetches_factors:
        return 0
    streams = [access for access in nest.inputs if is_stream(nest, access, along, vectors)]
    return LINES_AHEAD if any(bytes_of(access) >= target.l2.size for access in streams) else 0


def pick_streams(nest: Nest, along: int, lanes: int, unroll: int, target: CpuTarget) -> int:
    """Returns the parts of the innermost reduction that a nest takes side by side, each with vectors of results of its own.

    Several where the target reads them faster and each part has a page at least, or the results wait for one another.
    """
    steps = next((nest.sizes[d] for d in reversed(nest.reduced) if d != along), None)
    streams = [access for access in nest.inputs if is_stream(nest, access, along, unroll * lanes)]
    if not target.reads_side_by_side or not nest.parallel[along] or not steps or not streams:
        return 1
    # The innermost reduction and the vectors are the last dims of a stream.
    parts = [bytes_of(access) // prod(access.type.get_shape()[:-2]) // STREAMS for access in streams]
    if unroll >= target.arithmetic_latency and min(parts) < target.page_size:
        return 1
    most = max(1, target.vector_registers // 2 // unroll)
    return next(n for n in (STREAMS, STREAMS // 2, 1) if n <= min(most, steps))


def is_stream(nest: Nest, access: Access, along: int, vectors: int) -> bool:
    """Returns whether an operand is read from its beginning to its end: as many elements at each step as its innermost rows have."""
    reduced = [d for d in nest.reduced if d != along]
    if not access.is_memref or not reduced or not isinstance(access.type.layout, NoneAttr):
        return False
    order = [d for d in range(nest.rank()) if nest.parallel[d] and d != along] + reduced
    return list(access.exprs) == [AffineDimExpr(d) for d in (*order, along)] and access.type.get_shape()[-1] == vectors


def bytes_of(access: Access) -> int:
    """Returns the bytes of the buffer of an operand; 0 where that is not known."""
    shape, element = access.type.get_shape(), access.type.element_type
    if not isinstance(element, FixedBitwidthType) or any(size < 0 for size in shape):
        return 0
    return prod(shape) * element.size
