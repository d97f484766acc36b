"""Where memory begins, asked when a program runs: at a line of the cache, or so many bytes behind one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref
from xdsl.ir import SSAValue

from ...emit.emitter import Index
from .builder import LoopBuilder


def bytes_behind(b: LoopBuilder, memory: SSAValue, offset: Index, alignment: int) -> Index:
    """Returns how many bytes behind a multiple of `alignment`, a power of 2, the byte at an offset in a memref is."""
    start = b.insert(memref.ExtractAlignedPointerAsIndexOp.get(memory))
    return _rest(b, b.as_index(b.add(start, offset)), alignment)


def are_aligned(b: LoopBuilder, memories: Sequence[SSAValue], alignment: int) -> SSAValue:
    """Returns whether all of some memrefs begin at multiples of `alignment`, a power of 2."""
    addresses = [b.insert(memref.ExtractAlignedPointerAsIndexOp.get(memory)) for memory in memories]
    total = addresses[0]
    for address in addresses[1:]:
        total = b.insert(arith.OrIOp(total, address))
    return b.compare("eq", _rest(b, total, alignment), 0)


def _rest(b: LoopBuilder, address: SSAValue, alignment: int) -> SSAValue:
    return b.insert(arith.AndIOp(address, b.as_index(alignment - 1)))
