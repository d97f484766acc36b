"""Compiles a buffers-stage function for measurements, and times it against another one."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.parser import Parser
from xdsl_relax.lowering.cpu.loops.linalg_to_loops import LinalgToLoopsPass
from xdsl_relax.lowering.cpu.loops.outline_parallel import OutlineParallelPass
from xdsl_relax.lowering.cpu.math.expand_math import ExpandMathPass
from xdsl_relax.lowering.cpu.schedule.schedule_linalg import ScheduleLinalgPass
from xdsl_relax.lowering.llvm.convert_to_llvm import ConvertToLLVMPass
from xdsl_relax.runtime.machine.jit import compile_ir
from xdsl_relax.targets.llvm_ir.to_ir import print_llvm_ir

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def compile_kernel(text: str, arrays: list[np.ndarray], threads: int = 1) -> Callable[[], None]:
    """Returns a call of the public function `@f` on these arrays, which are its arguments in order."""
    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    module = Parser(context, text).parse_module()
    passes = (
        ScheduleLinalgPass(),
        LinalgToLoopsPass(),
        ExpandMathPass(),
        OutlineParallelPass(threads=threads),
        ConvertToLLVMPass(),
    )
    for step in passes:
        step.apply(context, module)
    native = compile_ir(print_llvm_ir(module), opt_level=1)
    entry = _ENTRY(native.address("f.call"))
    pointers = np.array([a.ctypes.data for a in arrays], np.int64)
    dims = np.array([*(d for a in arrays for d in a.shape), 0], np.int64)

    def call(keep: object = (native, arrays, pointers, dims)) -> None:
        entry(pointers.ctypes.data, dims.ctypes.data, 0)

    return call
