"""Emits lookups: for each lane of a vector of bytes, the entry of a table of 256 bytes at its place.

memref.load %table[%byte]    with lookup = vpermi2b: the table lies in registers, a quarter in each

    %low = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%first, %bytes, %second)      by the lower seven bits
    %high = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%third, %bytes, %fourth)
    arith.select (%bytes < 0), %high, %low                                                       by the highest
"""

from __future__ import annotations

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import VectorType, i64
from xdsl.ir import SSAValue

from ....dialects.relax.schedule import LookupInstruction
from ....dialects.upstream.arith_ops import CmpiOp, ExtUIOp, SelectOp
from ....targets.cpu import LOOKUPS, Lookup
from ...emit.constructors import INDEX
from ..schedule.payload_loads import BYTES
from .builder import LoopBuilder


def load_table(b: LoopBuilder, memory: SSAValue) -> SSAValue:
    """Emits the load of a table to registers."""
    return b.vector_load(memory, [0], BYTES)


def look_up(
    b: LoopBuilder, memory: SSAValue, table: SSAValue | None, places: SSAValue, lookup: LookupInstruction | None
) -> SSAValue:
    """Emits the entries of a table at the places that are the lanes of a vector, or a single byte; `table` is what registers hold of it.

    Without an instruction each lane is read from memory.
    """
    if not isinstance(places.type, VectorType):
        return _read(b, memory, places)
    lanes = places.type.get_shape()[0]
    if lookup is None:
        return b.gather([_read(b, memory, b.extract(places, lane)) for lane in range(lanes)])
    instruction = LOOKUPS[lookup]
    whole = _in_whole_vector(b, places, lanes, instruction.lanes)
    entries = _take(b, instruction, load_table(b, memory) if table is None else table, whole)
    return entries if lanes == instruction.lanes else b.shuffle(entries, entries, range(lanes))


def _read(b: LoopBuilder, memory: SSAValue, byte: SSAValue) -> SSAValue:
    return b.load(memory, [b.insert(arith.IndexCastOp(b.insert(ExtUIOp(byte, i64)), INDEX))])


def _in_whole_vector(b: LoopBuilder, places: SSAValue, lanes: int, most: int) -> SSAValue:
    """Emits places with zeros behind them, in a vector of the instruction."""
    if lanes == most:
        return places
    zeros = b.constant(0, places.type)
    return b.shuffle(places, zeros, [min(lane, lanes) for lane in range(most)])


def _take(b: LoopBuilder, instruction: Lookup, table: SSAValue, places: SSAValue) -> SSAValue:
    size = instruction.lanes
    quarters = [b.shuffle(table, table, range(start, start + size)) for start in range(0, BYTES, size)]
    low, high = (
        b.insert(llvm.CallIntrinsicOp(instruction.intrinsic, [first, places, second], [places.type]))
        for first, second in (quarters[:2], quarters[2:])
    )
    is_high = b.insert(CmpiOp(places, b.constant(0, places.type), "slt"))
    return b.insert(SelectOp(is_high, high, low))
