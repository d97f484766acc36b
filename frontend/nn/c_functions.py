"""Functions of C libraries that take arrays as `DLTensor`s, as packed functions; source code is compiled by the compiler of the machine."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...interpreter.host.errors import ArgumentError

DLPACK_HEADER = """\
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#include <stdint.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef enum { kDLCPU = 1 } DLDeviceType;
typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;
typedef enum { kDLInt = 0U, kDLUInt = 1U, kDLFloat = 2U, kDLBfloat = 4U, kDLBool = 6U } DLDataTypeCode;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;
#ifdef __cplusplus
}
#endif
#endif
"""
"""What a C function sees of its arguments, as DLPack lays it out; compiled sources find it as `dlpack/dlpack.h`."""


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
_CPU = 1


def _tensor(array: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """Returns an array as a `DLTensor`, and what must live as long as that."""
    code = 4 if array.dtype.name == "bfloat16" else _CODES.get(array.dtype.kind)
    if code is None:
        raise ArgumentError(f"an array of element type {array.dtype} cannot be passed to C")
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    bits = 8 * array.dtype.itemsize
    tensor = _DLTensor(array.ctypes.data, _CPU, 0, array.ndim, code, bits, 1, shape, None, 0)
    return ctypes.byref(tensor), (tensor, shape, array)


def _argument(value: Any) -> tuple[Any, Any]:
    match value:
        case np.ndarray():
            return _tensor(np.ascontiguousarray(value) if value.ndim else value)
        case str():
            return ctypes.c_char_p(value.encode()), None
        case float() | np.floating():
            return ctypes.c_double(float(value)), None
        case int() | np.integer():
            return ctypes.c_int64(int(value)), None
        case _:
            raise ArgumentError(f"a value of type {type(value).__name__} cannot be passed to C")


def c_function(library: ctypes.CDLL, name: str) -> Callable[..., None]:
    """Returns a function of a library as a packed function that writes its results into its last arguments.

    `int f(DLTensor* a, int64_t n, double x, const char* s, DLTensor* result)` returns 0, or what it calls an error.
    Raises `ArgumentError` if the library has none of that name.
    """
    try:
        function = library[name]
    except AttributeError:
        raise ArgumentError(f"the library has no function {name!r}") from None
    function.restype = ctypes.c_int

    def call(*args: Any) -> None:
        passed = [_argument(arg) for arg in args]
        status = function(*(argument for argument, _ in passed))
        if status:
            raise RuntimeError(f"{name} returned {status}")

    return call


def load_library(path: Path) -> ctypes.CDLL:
    """Loads a shared library, or an object file, which is linked first."""
    if path.suffix in (".so", ".dylib", ".dll"):
        return _loaded(path)
    with tempfile.TemporaryDirectory() as directory:
        linked = Path(directory) / "library.so"
        run_compiler(None, ["-shared", str(path), "-o", str(linked)], suffix=".cpp")
        return _loaded(linked)


def _loaded(path: Path) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path.resolve()))
    except OSError as error:
        raise ArgumentError(f"{path}: {error}") from None


def compile_source(
    code: str, suffix: str, output: Path, options: Iterable[str] = (), compiler: str | None = None
) -> None:
    """Compiles C (`.c`) or C++ (`.cpp`) source code to an object file. Raises `ArgumentError` with what the compiler says."""
    with tempfile.TemporaryDirectory() as directory:
        include = Path(directory) / "dlpack"
        include.mkdir()
        (include / "dlpack.h").write_text(DLPACK_HEADER)
        source = Path(directory) / f"main{suffix}"
        source.write_text(code)
        command = ["-c", "-fPIC", *options, "-I", directory, str(source), "-o", str(output)]
        run_compiler(compiler, command, suffix)


def run_compiler(compiler: str | None, arguments: Sequence[str], suffix: str) -> None:
    """Runs the named compiler, that of `CC` or `CXX`, or the one of the machine."""
    variable, default = ("CC", "cc") if suffix == ".c" else ("CXX", "c++")
    name = compiler or os.environ.get(variable) or default
    if shutil.which(name) is None:
        raise ArgumentError(f"there is no compiler {name!r} to make a library with; {variable} names one")
    done = subprocess.run([name, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ArgumentError(f"{name} failed: {done.stderr.strip()}")
