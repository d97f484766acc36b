"""Native code between Python and a compiled function: it compares arguments with those of an earlier call, and passes their addresses on.

In Python each argument takes a quarter of a microsecond, and so does each thing that is made for a call. The code relies on CPython, where
one thread at a time runs Python, and on the layout of numpy's arrays, which is numpy's ABI; where these are others, calls go on in Python.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable, Sequence
from struct import pack, unpack
from typing import Any, TypeAlias

import numpy as np

from ...dialects.relax.vocabulary.call_words import INTERRUPTED, LOOK, LOOKED, VALUES, WORDS
from ...targets.cpu import host_target
from .jit import NativeModule, compile_ir
from .signals import main_thread

Enter: TypeAlias = Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], bool | bytes]
"""Calls a compiled function with a tuple of arguments, a tuple of arrays for results, and a list of workspaces.

Returns `False` where an argument or a workspace differs from what was declared: nothing has run. `True` says that all is done, bytes are
the status and the values of an assertion that failed (`failure` reads them). What a handler of a signal raises is raised.
"""

_MOST_BUFFERS = 4096
"""Their addresses are on the stack."""

_HEAD = object.__basicsize__
_TYPE, _DATA, _RANK, _DIMS, _DTYPE, _FLAGS = _HEAD - 8, _HEAD, _HEAD + 8, _HEAD + 16, _HEAD + 40, _HEAD + 48
"""Where an object has its type, and an array what is asked of it."""
_TAKEN_AS_IT_IS = 0x101
"""The flags of numpy for arrays that are contiguous and aligned."""
_FASTCALL = 0x80
"""The flag of CPython for functions that take their arguments as an array."""

_C_API = {
    "PyTuple_Size": "i64 (ptr)",
    "PyTuple_GetItem": "ptr (ptr, i64)",
    "PyList_GetItem": "ptr (ptr, i64)",
    "PyBytes_AsString": "ptr (ptr)",
    "PyBytes_FromStringAndSize": "ptr (ptr, i64)",
    "PyBool_FromLong": "ptr (i64)",
    "PyErr_CheckSignals": "i32 ()",
    "PyEval_SaveThread": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
    "PyThread_get_thread_ident": "i64 ()",
}


def _declaration(name: str, function_type: str) -> str:
    result, _, parameters = function_type.partition(" ")
    return f"declare {result} @{name}{parameters}"


_IR = f"""
@ndarray = external global i8
@main_thread = external global i64
; The state of Python's main thread while a call on it runs native code.
@outside = internal global ptr null
{"".join(_declaration(*entry) + chr(10) for entry in _C_API.items())}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal i64 @look() {{
  %state = load ptr, ptr @outside
  call void @PyEval_RestoreThread(ptr %state)
  %raised = call i32 @PyErr_CheckSignals()
  %left = call ptr @PyEval_SaveThread()
  store ptr %left, ptr @outside
  %goes_on = icmp eq i32 %raised, 0
  %status = select i1 %goes_on, i64 0, i64 {INTERRUPTED}
  ret i64 %status
}}

; Reads what `enterer` packs: the entry, five counts and then, one behind the other, what is declared of each argument (dtype, rank, dims),
; the addresses of parameters, the dims, the bytes of workspaces.
define ptr @enter(ptr %self, ptr %passed, i64 %count) {{
start:
  %plan = call ptr @PyBytes_AsString(ptr %self)
  %entry = load ptr, ptr %plan
  %compared_p = getelementptr i64, ptr %plan, i64 1
  %compared = load i64, ptr %compared_p
  %taken_p = getelementptr i64, ptr %plan, i64 2
  %taken = load i64, ptr %taken_p
  %params_p = getelementptr i64, ptr %plan, i64 3
  %params = load i64, ptr %params_p
  %results_p = getelementptr i64, ptr %plan, i64 4
  %results = load i64, ptr %results_p
  %sizes_p = getelementptr i64, ptr %plan, i64 5
  %sizes = load i64, ptr %sizes_p
  %scratch_p = getelementptr i64, ptr %plan, i64 6
  %scratch = load i64, ptr %scratch_p
  %declared = getelementptr i64, ptr %plan, i64 7
  %arguments = load ptr, ptr %passed
  %outputs_p = getelementptr ptr, ptr %passed, i64 1
  %outputs = load ptr, ptr %outputs_p
  %workspaces_p = getelementptr ptr, ptr %passed, i64 2
  %workspaces = load ptr, ptr %workspaces_p
  %before_results = add i64 %compared, %params
  %before_scratch = add i64 %before_results, %results
  %buffers = add i64 %before_scratch, %scratch
  ; In front of the table is the first workspace, which is passed on its own.
  %memory = alloca ptr, i64 %buffers
  %table = getelementptr ptr, ptr %memory, i64 1
  %dims = alloca i64, i64 %sizes
  %words = alloca [{WORDS + 1} x i64]
  %size = call i64 @PyTuple_Size(ptr %arguments)
  %as_many = icmp eq i64 %size, %taken
  br i1 %as_many, label %next, label %differs

next:
  %i = phi i64 [ 0, %start ], [ %i_next, %fits ]
  %wanted = phi ptr [ %declared, %start ], [ %wanted_next, %fits ]
  %more = icmp slt i64 %i, %compared
  br i1 %more, label %compare, label %known
compare:
  %argument = call ptr @PyTuple_GetItem(ptr %arguments, i64 %i)
  %type_p = getelementptr i8, ptr %argument, i64 {_TYPE}
  %type = load ptr, ptr %type_p
  %is_array = icmp eq ptr %type, @ndarray
  br i1 %is_array, label %array, label %differs
array:
  %flags_p = getelementptr i8, ptr %argument, i64 {_FLAGS}
  %flags = load i32, ptr %flags_p
  %set = and i32 %flags, {_TAKEN_AS_IT_IS}
  %as_it_is = icmp eq i32 %set, {_TAKEN_AS_IT_IS}
  %dtype_p = getelementptr i8, ptr %argument, i64 {_DTYPE}
  %dtype = load i64, ptr %dtype_p
  %wanted_dtype = load i64, ptr %wanted
  %of_type = icmp eq i64 %dtype, %wanted_dtype
  %rank_p = getelementptr i8, ptr %argument, i64 {_RANK}
  %rank_i = load i32, ptr %rank_p
  %rank = sext i32 %rank_i to i64
  %wanted_rank_p = getelementptr i64, ptr %wanted, i64 1
  %wanted_rank = load i64, ptr %wanted_rank_p
  %of_rank = icmp eq i64 %rank, %wanted_rank
  %and = and i1 %as_it_is, %of_type
  %all = and i1 %and, %of_rank
  br i1 %all, label %sized, label %differs
sized:
  %shape_p = getelementptr i8, ptr %argument, i64 {_DIMS}
  %shape = load ptr, ptr %shape_p
  %wanted_shape = getelementptr i64, ptr %wanted, i64 2
  br label %axis
axis:
  %k = phi i64 [ 0, %sized ], [ %k_next, %same ]
  %more_axes = icmp slt i64 %k, %rank
  br i1 %more_axes, label %same, label %fits
same:
  %dim_p = getelementptr i64, ptr %shape, i64 %k
  %dim = load i64, ptr %dim_p
  %wanted_dim_p = getelementptr i64, ptr %wanted_shape, i64 %k
  %wanted_dim = load i64, ptr %wanted_dim_p
  %k_next = add i64 %k, 1
  %is_same = icmp eq i64 %dim, %wanted_dim
  br i1 %is_same, label %axis, label %differs
fits:
  %data_p = getelementptr i8, ptr %argument, i64 {_DATA}
  %data = load ptr, ptr %data_p
  %slot = getelementptr ptr, ptr %table, i64 %i
  store ptr %data, ptr %slot
  %wanted_next = getelementptr i64, ptr %wanted_shape, i64 %rank
  %i_next = add i64 %i, 1
  br label %next

known:
  %after_given = getelementptr ptr, ptr %table, i64 %compared
  %params_bytes = mul i64 %params, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %after_given, ptr %wanted, i64 %params_bytes, i1 false)
  %known_dims = getelementptr i64, ptr %wanted, i64 %params
  %dims_bytes = mul i64 %sizes, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %dims, ptr %known_dims, i64 %dims_bytes, i1 false)
  %needs = getelementptr i64, ptr %known_dims, i64 %sizes
  br label %output
output:
  %o = phi i64 [ 0, %known ], [ %o_next, %written ]
  %more_outputs = icmp slt i64 %o, %results
  br i1 %more_outputs, label %written, label %scratched
written:
  %result = call ptr @PyTuple_GetItem(ptr %outputs, i64 %o)
  %result_p = getelementptr i8, ptr %result, i64 {_DATA}
  %result_data = load ptr, ptr %result_p
  %result_at = add i64 %before_results, %o
  %result_slot = getelementptr ptr, ptr %table, i64 %result_at
  store ptr %result_data, ptr %result_slot
  %o_next = add i64 %o, 1
  br label %output

scratched:
  %w = phi i64 [ 0, %output ], [ %w_next, %large ]
  %more_scratch = icmp slt i64 %w, %scratch
  br i1 %more_scratch, label %workspace, label %run
workspace:
  %bytes = call ptr @PyList_GetItem(ptr %workspaces, i64 %w)
  %bytes_shape_p = getelementptr i8, ptr %bytes, i64 {_DIMS}
  %bytes_shape = load ptr, ptr %bytes_shape_p
  %has = load i64, ptr %bytes_shape
  %need_p = getelementptr i64, ptr %needs, i64 %w
  %need = load i64, ptr %need_p
  %is_large = icmp sge i64 %has, %need
  br i1 %is_large, label %large, label %differs
large:
  %bytes_p = getelementptr i8, ptr %bytes, i64 {_DATA}
  %bytes_data = load ptr, ptr %bytes_p
  %is_first = icmp eq i64 %w, 0
  %behind = add i64 %before_scratch, %w
  %bytes_at = select i1 %is_first, i64 0, i64 %behind
  %bytes_slot = getelementptr ptr, ptr %memory, i64 %bytes_at
  store ptr %bytes_data, ptr %bytes_slot
  %w_next = add i64 %w, 1
  br label %scratched

run:
  %first = load ptr, ptr %memory
  %lent = getelementptr i64, ptr %words, i64 1
  %looked = getelementptr i64, ptr %lent, i64 {LOOKED}
  store i64 0, ptr %looked
  %look_p = getelementptr i64, ptr %lent, i64 {LOOK}
  %thread = call i64 @PyThread_get_thread_ident()
  %main = load i64, ptr @main_thread
  %is_main = icmp eq i64 %thread, %main
  %look = select i1 %is_main, ptr @look, ptr null
  store ptr %look, ptr %look_p
  %state = call ptr @PyEval_SaveThread()
  br i1 %is_main, label %on_main, label %elsewhere
on_main:
  ; A handler that runs during a call may make another one.
  %outer = load ptr, ptr @outside
  store ptr %state, ptr @outside
  %main_status = call i64 %entry(ptr %table, ptr %dims, ptr %first, ptr %lent)
  store ptr %outer, ptr @outside
  br label %back
elsewhere:
  %other_status = call i64 %entry(ptr %table, ptr %dims, ptr %first, ptr %lent)
  br label %back
back:
  %status = phi i64 [ %main_status, %on_main ], [ %other_status, %elsewhere ]
  call void @PyEval_RestoreThread(ptr %state)
  switch i64 %status, label %failed [ i64 0, label %done i64 {INTERRUPTED}, label %raised ]
done:
  %true = call ptr @PyBool_FromLong(i64 1)
  ret ptr %true
differs:
  %false = call ptr @PyBool_FromLong(i64 0)
  ret ptr %false
raised:
  ret ptr null
failed:
  store i64 %status, ptr %words
  %said = call ptr @PyBytes_FromStringAndSize(ptr %words, i64 {8 * (VALUES + 1)})
  ret ptr %said
}}
"""


class _Method(ctypes.Structure):
    """CPython's `PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def _has_expected_layout() -> bool:
    """Returns whether this is a CPython with a global lock, and arrays are laid out as numpy's ABI says."""
    is_known = sys.implementation.name == "cpython" and "t" not in getattr(sys, "abiflags", "")
    if not is_known or {ctypes.sizeof(kind) for kind in (ctypes.c_long, ctypes.c_void_p)} != {8}:
        return False
    probe = np.empty((3, 5), np.int16)

    def word(offset: int) -> int:
        return ctypes.c_int64.from_address(id(probe) + offset).value

    def number(offset: int) -> int:
        return ctypes.c_int32.from_address(id(probe) + offset).value

    laid_out = (word(_TYPE), word(_DATA), number(_RANK), word(_DTYPE), number(_FLAGS))
    expected = (id(np.ndarray), probe.ctypes.data, probe.ndim, id(probe.dtype), probe.flags.num)
    # Only where the rest is as it should be are the dims at an address.
    return laid_out == expected and (ctypes.c_int64 * 2).from_address(word(_DIMS))[:] == [3, 5]


@functools.cache
def _native() -> tuple[_Method, NativeModule] | None:
    """Returns the native code, which stays in the process; `None` where Python or numpy are not what it relies on."""
    if not _has_expected_layout():
        return None
    symbols = {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in _C_API}
    symbols |= {"ndarray": id(np.ndarray), "main_thread": ctypes.addressof(main_thread)}
    # It is compiled while a program waits, and better code would save some nanoseconds.
    module = compile_ir(_IR, host_target(), codegen_level=0, symbols=symbols)
    return _Method(b"enter", module.address("enter"), _FASTCALL, None), module


def enterer(
    entry: int,
    given: Sequence[np.ndarray[Any, Any]],
    has_params: bool,
    params: bytes,
    results: int,
    dims: Sequence[int],
    workspaces: Sequence[int],
) -> Enter | None:
    """Returns what calls a compiled function with arrays like the `given` ones; `None` where this Python cannot.

    `params` are the addresses of a parameter set, which the caller looks at and passes behind the given arrays, `dims` all sizes of the
    calling convention, `workspaces` the bytes of each.
    """
    if len(given) + len(params) // 8 + results + len(workspaces) > _MOST_BUFFERS or len(dims) > _MOST_BUFFERS:
        return None
    native = _native()
    if native is None:
        return None
    counts = (len(given), len(given) + has_params, len(params) // 8, results, len(dims), len(workspaces))
    declared = [word for array in given for word in (id(array.dtype), array.ndim, *array.shape)]
    plan = pack(f"{1 + len(counts) + len(declared)}q", entry, *counts, *declared) + params
    plan += pack(f"{len(dims) + len(workspaces)}q", *dims, *workspaces)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(ctypes.addressof(native[0]), plan, None)


def failure(said: bytes) -> tuple[int, Sequence[int]]:
    """Returns the status and the values of an assertion that failed."""
    status, *values = unpack(f"{1 + VALUES}q", said)
    return status, values
