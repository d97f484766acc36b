"""A look for signals before each kernel, by which a handler of the caller may end a call."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import UnitAttr, i64
from xdsl.ir import Block, Region, SSAValue

from ...dialects.new_op import new_op
from ...dialects.relax.vocabulary.call_words import LOOK, LOOKED
from ...dialects.relax.vocabulary.symbols import LOOK_FOR_SIGNALS
from .builder import NO_FAST_MATH, FunctionBuilder, Linear, i32_array
from .function import ModuleState
from .memref_ops import load, store
from .types import PTR

COUNTERS = {"cycles": ("readcyclecounter", 26), "ticks": ("readsteadycounter", 19)}
"""LLVM's name of a counter of time that a processor has, and how many of its bits are dropped to look a few to a hundred times a second."""


def look_for_signals(state: ModuleState, counter: str) -> llvm.FuncOp:
    """Returns the function, `int64_t look(int64_t *words)`, and makes it that of the module.

    It calls what the caller has left in the words, where there is such a function and the counter says that the last look is long ago.
    What it returns is the status of the call; 0 goes on.
    """
    intrinsic, shift = COUNTERS[counter]
    state.interruption = state.symbols.fresh(LOOK_FOR_SIGNALS)
    entry = Block(arg_types=(PTR,))
    region = Region(entry)
    builder = FunctionBuilder(region, entry)
    (words,) = entry.args

    def leave_unless(condition: SSAValue) -> None:
        go_on = builder.new_block()
        builder.cond_branch(condition, go_on, (), leave, (builder.int_constant(0),))
        builder.resume(go_on)

    leave = builder.new_block((i64,))
    slot = builder.offset_pointer(words, Linear(LOOK), PTR)
    leave_unless(builder.compare(1, load(builder, slot, i64, 8), builder.int_constant(0)))
    count = cast(SSAValue, builder.intrinsic(intrinsic, (), i64, ()))
    now = builder.emit(llvm.LShrOp, (count, builder.int_constant(shift)), i64)
    place = builder.offset_pointer(words, Linear(LOOKED), i64)
    before = load(builder, place, i64, 8)
    leave_unless(builder.compare(1, now, before))
    store(builder, now, place, 8)
    leave_unless(builder.compare(1, before, builder.int_constant(0)))
    builder.branch(leave, (_call_pointer(builder, load(builder, slot, PTR, 8)),))
    builder.resume(leave)
    builder.append(new_op(llvm.ReturnOp, operands=leave.args))
    builder.finish()
    return llvm.FuncOp(
        state.interruption,
        llvm.LLVMFunctionType([PTR], i64),
        llvm.LinkageAttr("internal"),
        body=region,
        other_props={"no_inline": UnitAttr()},
    )


def _call_pointer(builder: FunctionBuilder, function: SSAValue) -> SSAValue:
    """Returns what a function at an address, which takes nothing, returns."""
    call = new_op(
        llvm.CallOp,
        operands=(function,),
        result_types=(i64,),
        properties={
            "fastmathFlags": NO_FAST_MATH,
            "CConv": llvm.CallingConventionAttr("ccc"),
            "TailCallKind": llvm.TailCallKindAttr(llvm.TailCallKind.NONE),
            "op_bundle_sizes": i32_array(),
            "operandSegmentSizes": i32_array(1, 0),
        },
    )
    builder.append(call)
    return call.results[0]
