"""Kernels at the loops stage: lowered to LLVM IR, called through the C entry, checked by upstream's translation."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from io import StringIO

import ml_dtypes
import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl_relax.dialects.relax.vocabulary.call_words import WORDS
from xdsl_relax.lowering.cpu.loops.outline_parallel import OutlineParallelPass
from xdsl_relax.lowering.llvm.convert_to_llvm import ConvertToLLVMPass
from xdsl_relax.runtime.machine.jit import NativeModule, parse_ir
from xdsl_relax.targets.llvm_ir.to_ir import print_llvm_ir

needs_upstream = pytest.mark.skipif(shutil.which("mlir-translate-22") is None, reason="needs mlir-translate-22")

C_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
DTYPES = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "i1": np.bool_,
}
FLOATS = ("f64", "f32", "f16", "bf16")
INTS = ("i8", "i16", "i32", "i64", "index")


def lower(text: str, threads: int = 0, verify: bool = True) -> str:
    return print_llvm_ir(convert(text, threads, verify))


def convert(text: str, threads: int = 0, verify: bool = True) -> ModuleOp:
    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    module = Parser(context, text).parse_module()
    if verify:
        module.verify()
    OutlineParallelPass(threads=threads).apply(context, module)
    if verify:
        module.verify()
    ConvertToLLVMPass().apply(context, module)
    module.verify()
    return module


def call(native: NativeModule, name: str, buffers: list[np.ndarray], dims: list[int], workspace: int = 0) -> int:
    """Calls a kernel; returns its status."""
    return call_with_dims(native, name, buffers, dims, workspace)[0]


def call_with_dims(
    native: NativeModule, name: str, buffers: list[np.ndarray], dims: list[int], workspace: int = 0
) -> tuple[int, np.ndarray]:
    """Calls a kernel; returns its status, and the dims and the workspace size as it leaves them."""
    pointers = np.array([b.ctypes.data for b in buffers], np.int64)
    sizes = np.array([*dims, workspace], np.int64)
    scratch = np.zeros(workspace + 64, np.uint8)
    start = (scratch.ctypes.data + 63) // 64 * 64
    entry = C_ENTRY(native.address(f"{name}.call"))
    words = (ctypes.c_int64 * WORDS)()
    return entry(pointers.ctypes.data, sizes.ctypes.data, start, ctypes.addressof(words)), sizes


def shape_dims(*arrays: np.ndarray) -> list[int]:
    return [d for a in arrays for d in a.shape]


def random(dtype: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype in FLOATS:
        return rng.standard_normal(shape).astype(DTYPES[dtype])
    if dtype == "i1":
        return rng.integers(0, 2, shape).astype(np.bool_)
    return rng.integers(-100, 100, shape).astype(DTYPES[dtype])


def same(got: np.ndarray, want: np.ndarray) -> None:
    np.testing.assert_array_equal(got.view(np.uint8), np.ascontiguousarray(want, got.dtype).view(np.uint8))


def check_upstream(text: str) -> None:
    """The generic form goes through upstream's translation, and both LLVM IR texts export the same functions."""
    module = convert(text)
    out = StringIO()
    Printer(out, print_generic_format=True).print_op(module)
    result = subprocess.run(
        ["mlir-translate-22", "--mlir-to-llvmir", "--allow-unregistered-dialect"],
        input=out.getvalue(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    of_upstream = {f.name for f in parse_ir(result.stdout).functions if not f.is_declaration}
    ours = {f.name for f in parse_ir(print_llvm_ir(module)).functions if not f.is_declaration}
    assert ours == of_upstream
