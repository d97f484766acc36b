"""Fetches: lines of memory come to a cache before they are read."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import FixedBitwidthType, MemRefType, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from ....dialects.relax.schedule import FETCHED_BYTES
from ...emit.emitter import Index
from ...emit.pointers import address_of, pointer_to
from .builder import LoopBuilder


def bytes_of(element: Attribute) -> int:
    """Returns the bytes of an element."""
    assert isa(element, FixedBitwidthType)
    return element.size


def elements_of_line(element: Attribute) -> int:
    """Returns how many elements a fetched line holds."""
    return FETCHED_BYTES // bytes_of(element)


def fetch(b: LoopBuilder, memory: SSAValue, index: Index, level: int = 2, *, to_write: bool = False) -> None:
    """Emits the fetch of the line of an element of a compact buffer into the cache of a level; one beyond its end does nothing.

    A line that is fetched `to_write` leaves the caches of others.
    """
    assert isa(memory.type, MemRefType)
    pointer = pointer_to(b, b.add(address_of(b, memory), b.mul(index, bytes_of(memory.type.element_type))))
    # Into one of levels 3 (the first one) to 0 (none), of data.
    hints = [b.constant(hint, i32) for hint in (int(to_write), 4 - level, 1)]
    b.append(llvm.CallIntrinsicOp("llvm.prefetch.p0", [pointer, *hints], []))
