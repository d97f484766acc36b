"""Native code between Python and a compiled function: it compares arguments with those of an earlier call, and passes their addresses on.

In Python each argument takes a quarter of a microsecond, and so does each thing that is made for a call. The code relies on CPython, where
one thread at a time runs Python, and on the layout of numpy's arrays, which is numpy's ABI; where these are others, calls go on in Python.
"""

from __future__ import annotations

import ctypes
import functools
import math
import sys
from collections.abc import Callable, Sequence
from struct import pack, unpack
from typing import Any, TypeAlias

import numpy as np

from ...dialects.relax.vocabulary.call_words import VALUES
from ...targets.cpu import host_target
from .enter_ir import BYTE_ORDER, C_API, DATA, DIMS, DTYPE, FLAGS, IR, KIND, RANK, TYPE
from .jit import NativeModule, compile_ir
from .signals import main_thread

Enter: TypeAlias = Callable[..., bool | bytes]
"""Calls a compiled function with a tuple of arguments, a tuple of arrays for results, and a list of workspaces.

With a fourth argument the arrays are those of the caller: they are compared as well, and share memory with nothing that is read.

Returns `False` where an argument or a workspace differs from what was declared: nothing has run. `True` says that all is done, bytes are
the status and the values of an assertion that failed (`failure` reads them). What a handler of a signal raises is raised.
"""

_MOST_BUFFERS = 4096
"""Their addresses are on the stack."""

_FASTCALL = 0x80
"""The flag of CPython for functions that take their arguments as an array."""


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

    def word(offset: int, of: object = probe) -> int:
        return ctypes.c_int64.from_address(id(of) + offset).value

    def number(offset: int) -> int:
        return ctypes.c_int32.from_address(id(probe) + offset).value

    order = ctypes.c_char.from_address(id(probe.dtype) + BYTE_ORDER).value.decode("latin-1")
    laid_out = (word(TYPE), word(DATA), number(RANK), word(DTYPE), number(FLAGS), word(KIND, probe.dtype), order)
    of_array = (id(np.ndarray), probe.ctypes.data, probe.ndim, id(probe.dtype), probe.flags.num)
    expected = (*of_array, id(np.int16), probe.dtype.byteorder)
    # Only where the rest is as it should be are the dims at an address.
    return laid_out == expected and (ctypes.c_int64 * 2).from_address(word(DIMS))[:] == [3, 5]


@functools.cache
def _native() -> tuple[_Method, NativeModule] | None:
    """Returns the native code, which stays in the process; `None` where Python or numpy are not what it relies on."""
    if not _has_expected_layout():
        return None
    symbols = {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in C_API}
    symbols |= {"ndarray": id(np.ndarray), "main_thread": ctypes.addressof(main_thread)}
    # It is compiled while a program waits, and better code would save some nanoseconds.
    module = compile_ir(IR, host_target(), codegen_level=0, symbols=symbols)
    return _Method(b"enter", module.address("enter"), _FASTCALL, None), module


def enterer(
    entry: int,
    given: Sequence[np.ndarray[Any, Any]],
    prepared: Sequence[tuple[int, int]] | None,
    results: Sequence[tuple[np.dtype[Any], tuple[int, ...]]],
    dims: Sequence[int],
    workspaces: Sequence[int],
) -> Enter | None:
    """Returns what calls a compiled function with arrays like the `given` ones; `None` where this Python cannot.

    `prepared` are the address and the bytes of each array of a parameter set, which the caller looks at and passes behind the given arrays,
    `dims` all sizes of the calling convention, `workspaces` the bytes of each.
    """
    params = prepared or ()
    if len(given) + len(params) + len(results) + len(workspaces) > _MOST_BUFFERS or len(dims) > _MOST_BUFFERS:
        return None
    native = _native()
    if native is None:
        return None
    arguments = [word for array in given for word in _declared(array.dtype, array.shape)]
    outputs = [_declared(*result) for result in results]
    sizes = [*(array.nbytes for array in given), *(size for _, size in params), *(words[2] for words in outputs)]
    written = [word for words in outputs for word in words]
    counts = (len(given), len(given) + (prepared is not None), len(params), len(results), len(dims), len(workspaces))
    words = (
        entry,
        *counts,
        len(written),
        *arguments,
        *written,
        *(start for start, _ in params),
        *sizes,
        *dims,
        *workspaces,
    )
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(ctypes.addressof(native[0]), pack(f"{len(words)}q", *words), None)


def _declared(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Sequence[int]:
    # The object of which numpy has a single one, and which stays: that of an array may go with it.
    return (id(np.dtype(dtype.type)), len(shape), math.prod(shape) * dtype.itemsize, *shape)


def failure(said: bytes) -> tuple[int, Sequence[int]]:
    """Returns the status and the values of an assertion that failed."""
    status, *values = unpack(f"{1 + VALUES}q", said)
    return status, values
