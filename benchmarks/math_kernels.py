"""Compiles one math function over arrays, for measurements of accuracy and speed."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl_relax.lowering.cpu.math.expand_math import ExpandMathPass
from xdsl_relax.lowering.llvm.convert_to_llvm import ConvertToLLVMPass
from xdsl_relax.runtime.compiler import relax_context
from xdsl_relax.runtime.machine.jit import compile_ir
from xdsl_relax.targets.cpu import default_target
from xdsl_relax.targets.llvm_ir.to_ir import print_llvm_ir

DTYPES = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64), "f16": np.dtype(np.float16)}
INT_DTYPES = {"i32": np.dtype(np.int32), "i64": np.dtype(np.int64)}
LANES = 16


def loop_source(call: str, types: list[str], result: str, lanes: int) -> str:
    """Returns a function that applies `call` (`math.exp %x0 : T0`; T0, T1 are operand types) to arrays, `lanes` at a time."""
    value = [t if lanes == 1 else f"vector<{lanes}x{t}>" for t in types]
    out = result if lanes == 1 else f"vector<{lanes}x{result}>"
    for number, type_ in enumerate(value):
        call = call.replace(f"T{number}", type_)
    arguments = "".join(f"%a{i}: memref<?x{t}>, " for i, t in enumerate(types))
    load, store = ("memref.load", "memref.store") if lanes == 1 else ("vector.load", "vector.store")
    tails = [f"memref<?x{t}>" + ("" if lanes == 1 else f", {v}") for t, v in zip(types, value, strict=True)]
    loads = "".join(f"    %x{i} = {load} %a{i}[%i] : {t}\n" for i, t in enumerate(tails))
    return (
        f"func.func @apply({arguments}%out: memref<?x{result}>) {{\n"
        f"  %c0 = arith.constant 0 : index\n  %step = arith.constant {lanes} : index\n"
        f"  %n = memref.dim %out, %c0 : memref<?x{result}>\n"
        f"  scf.for %i = %c0 to %n step %step {{\n{loads}    %y = {call}\n"
        f"    {store} %y, %out[%i] : memref<?x{result}>{'' if lanes == 1 else f', {out}'}\n  }}\n  func.return\n}}\n"
    )


def parse(source: str) -> ModuleOp:
    return Parser(relax_context(), source).parse_module()


def compile_function(call: str, types: list[str], result: str, *, lanes: int = LANES) -> Callable[..., np.ndarray]:
    """Returns a function from arrays (of any length) to the array of results."""
    module = parse(loop_source(call, types, result, lanes))
    ExpandMathPass(target=default_target()).apply(Context(), module)
    module.verify()
    ConvertToLLVMPass().apply(Context(), module)
    native = compile_ir(print_llvm_ir(module))
    entry = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(
        native.address("apply.call")
    )
    dtypes = {**DTYPES, **INT_DTYPES}

    def apply(*arrays: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        count = len(arrays[0])
        size = -(-count // lanes) * lanes
        inputs = [
            np.ascontiguousarray(np.resize(a, size) if len(a) != size else a, dtypes[t])
            for a, t in zip(arrays, types, strict=True)
        ]
        if out is None:
            out = np.empty(size, dtypes[result])
        buffers = (ctypes.c_void_p * (len(inputs) + 1))(*(a.ctypes.data for a in (*inputs, out)))
        dims = (ctypes.c_int64 * (len(inputs) + 1))(*([size] * (len(inputs) + 1)))
        status = entry(ctypes.addressof(buffers), ctypes.addressof(dims), None)
        assert status == 0 and native is not None
        return out[:count]

    return apply


def compile_unary(name: str, element: str, *, lanes: int = LANES) -> Callable[..., np.ndarray]:
    return compile_function(f"math.{name} %x0 : T0", [element], element, lanes=lanes)


def compile_binary(name: str, element: str, *, lanes: int = LANES) -> Callable[..., np.ndarray]:
    """Compiles `math.powf`, `arith.remf`, ... (`name` is what follows `math.`, or has the dialect in front)."""
    op = name if "." in name else f"math.{name}"
    return compile_function(f"{op} %x0, %x1 : T0", [element, element], element, lanes=lanes)


def ulps(result: np.ndarray, exact: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The distance from a wider reference in units of the last place of the result; Inf where one is NaN or infinite."""
    info = np.finfo(dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype)
        exponent = np.maximum(np.frexp(np.abs(exact))[1] - 1, np.frexp(info.tiny)[1] - 1).astype(np.int64)
        unit = np.ldexp(exact.dtype.type(1), (exponent - info.nmant).astype(np.int32))
        error = np.abs(result.astype(exact.dtype) - exact) / unit
        same = (result == rounded) | (np.isnan(result) & np.isnan(exact))
        # At the edge of overflow one of the two neighbors is infinite.
        edge = np.isinf(result) & (np.abs(exact) > info.max) & (np.sign(result) == np.sign(exact))
    special = ~np.isfinite(result) | ~np.isfinite(rounded)
    return np.where(special, np.where(same | edge, 0.0, np.inf), error)
