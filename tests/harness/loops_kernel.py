"""Runs a function of the buffers stage through the loops and llvm stages on numpy arrays."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.llvm import CallIntrinsicOp, InlineAsmOp
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl_relax.dialects import DIALECTS
from xdsl_relax.dialects.relax.vocabulary.call_words import WORDS
from xdsl_relax.lowering.cpu.loops.linalg_to_loops import LinalgToLoopsPass
from xdsl_relax.lowering.cpu.loops.outline_parallel import OutlineParallelPass
from xdsl_relax.lowering.cpu.math.expand_math import ExpandMathPass
from xdsl_relax.lowering.cpu.schedule.schedule_linalg import ScheduleLinalgPass
from xdsl_relax.lowering.llvm.convert_to_llvm import ConvertToLLVMPass
from xdsl_relax.runtime.machine.jit import compile_ir
from xdsl_relax.targets.cpu import DEFAULT, TARGET_VARIABLE, CpuTarget, cpu_target, host_target, lacking
from xdsl_relax.targets.llvm_ir.to_ir import print_llvm_ir

DTYPES = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "i1": np.bool_,
}
FLOATS = ("f64", "f32", "f16", "bf16")
_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def parse(text: str) -> ModuleOp:
    context = Context()
    for name, factory in {**get_all_dialects(), **DIALECTS}.items():
        context.register_dialect(name, factory)
    return Parser(context, text).parse_module()


def machine_of(name: str) -> CpuTarget:
    """Returns the CPU of a name if this machine can run its code, else this machine, for which LLVM splits what it lacks."""
    target = cpu_target(name)
    return host_target() if lacking(target) else target


def target_of(cpu: str | None) -> CpuTarget:
    """Returns the target of a name, the host for None; skips the test where this machine cannot run its code."""
    target = host_target() if cpu is None else cpu_target(cpu)
    if lacking(target):
        pytest.skip(lacking(target))
    return target


def outline_of(module: ModuleOp) -> str:
    """Returns the names of a module's ops, and the symbols of its functions: what tests look for, without printing the module."""
    labels = (op.sym_name.data if isinstance(op, FuncOp) else op.name for op in module.walk())
    return "\n".join(labels)


def _is_instruction(op: Operation) -> bool:
    """Returns whether an op stands for an instruction that not all x86 processors have."""
    is_intrinsic = isinstance(op, CallIntrinsicOp) and op.intrin.data.startswith("llvm.x86.")
    return is_intrinsic or isinstance(op, InlineAsmOp)


class Kernel:
    """The public function `@f` of a module; its arguments are memrefs, the results last."""

    def __init__(self, text: str, threads: int = 1, opt_level: int = 0, *, target: str | None = None):
        context = Context()
        name = target or os.environ.get(TARGET_VARIABLE, DEFAULT)
        self.target = cpu_target(name)
        module = parse(text)
        module.verify()
        ScheduleLinalgPass(target=name).apply(context, module)
        LinalgToLoopsPass().apply(context, module)
        module.verify()
        self.loops = outline_of(module)
        assert "linalg." not in self.loops
        machine = machine_of(name)
        # LLVM splits vectors that the machine lacks, but not its instructions.
        if machine is not self.target and any(_is_instruction(op) for op in module.walk()):
            pytest.skip(lacking(self.target))
        ExpandMathPass(target=machine.name).apply(context, module)
        OutlineParallelPass(threads=threads).apply(context, module)
        ConvertToLLVMPass().apply(context, module)
        self.ir = print_llvm_ir(module)
        self.native = compile_ir(self.ir, machine, opt_level=opt_level)
        self.entry = _ENTRY(self.native.address("f.call"))

    def __call__(self, *arrays: np.ndarray, workspace: int = 0, shift: int = 0) -> None:
        """Writes the results in place; memory around each result is checked. Each array begins `shift` bytes after a multiple of 64."""
        guarded = [_Guarded(a, shift) for a in arrays]
        pointers = np.array([g.pointer for g in guarded], np.int64)
        dims = np.array([*(d for a in arrays for d in a.shape), workspace], np.int64)
        scratch = np.zeros(workspace + 64, np.uint8)
        start = (scratch.ctypes.data + 63) // 64 * 64
        words = (ctypes.c_int64 * WORDS)()
        assert self.entry(pointers.ctypes.data, dims.ctypes.data, start, ctypes.addressof(words)) == 0
        for guard in guarded:
            guard.finish()


class _Guarded:
    """A copy of an array between bytes that nobody may change."""

    def __init__(self, array: np.ndarray, shift: int):
        self.array = array
        self.raw = np.full(array.nbytes + 320, 0xA5, np.uint8)
        self.start = 64 + -self.raw.ctypes.data % 64 + shift
        self.raw[self.start : self.start + array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        self.pointer = self.raw.ctypes.data + self.start

    def finish(self) -> None:
        end = self.start + self.array.nbytes
        assert (self.raw[: self.start] == 0xA5).all() and (self.raw[end:] == 0xA5).all(), "memory around was written"
        self.array[...] = self.raw[self.start : end].view(self.array.dtype).reshape(self.array.shape)


def generic(
    maps: Sequence[str],
    iterators: str,
    ins: Sequence[tuple[str, str]],
    outs: Sequence[tuple[str, str]],
    body: str,
) -> str:
    """The text of a `linalg.generic`; `iterators` has one `p` or `r` per dim, body arguments are %a0, %a1, ..."""
    kinds = ", ".join({"p": '"parallel"', "r": '"reduction"'}[c] for c in iterators)
    affine = ", ".join(f"affine_map<{m}>" for m in maps)

    def group(values: Sequence[tuple[str, str]]) -> str:
        return f"({', '.join(n for n, _ in values)} : {', '.join(t for _, t in values)})"

    elements = [re.sub(r"memref<(?:[\d?]+x)*(\w+).*>", r"\1", t) for _, t in [*ins, *outs]]
    args = ", ".join(f"%a{k}: {e}" for k, e in enumerate(elements))
    inputs = f" ins{group(ins)}" if ins else ""
    return (
        f"linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}}{inputs} outs{group(outs)} {{\n"
        f"^bb0({args}):\n{body}\n}}\n"
    )


def random(dtype: str, shape: Sequence[int], seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype in FLOATS:
        return rng.standard_normal(tuple(shape)).astype(DTYPES[dtype])
    if dtype == "i1":
        return rng.integers(0, 2, tuple(shape)).astype(np.bool_)
    return rng.integers(-100, 100, tuple(shape)).astype(DTYPES[dtype])
