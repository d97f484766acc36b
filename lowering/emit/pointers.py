"""Pointers to the memory of memrefs, which instructions of processors and atomic ops take."""

from __future__ import annotations

from xdsl.dialects import arith, llvm, memref
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from .emitter import Emitter, Index


def address_of(b: Emitter, memory: SSAValue) -> SSAValue:
    """Returns where memory begins."""
    return b.insert(memref.ExtractAlignedPointerAsIndexOp.get(memory))


def pointer_to(b: Emitter, address: Index) -> SSAValue:
    """Returns an address as a pointer."""
    return b.insert(llvm.IntToPtrOp(b.insert(arith.IndexCastOp(b.as_index(address), i64))))
