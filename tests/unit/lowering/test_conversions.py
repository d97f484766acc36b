"""Conversions of floats at a target without instructions for them, against numpy and ml_dtypes, bit for bit."""

from __future__ import annotations

import ctypes
import re

import ml_dtypes
import numpy as np
import pytest
from xdsl_relax.lowering.llvm.names import is_library_name
from xdsl_relax.runtime.machine.conversions import runtime_support
from xdsl_relax.runtime.machine.jit import compile_ir, emit_object
from xdsl_relax.runtime.machine.object_file import read_object
from xdsl_relax.targets.cpu import cpu_target, host_target

pytestmark = pytest.mark.skipif(host_target().architecture != "x86_64", reason="the target is x86-64")

LOOP = """
define void @convert(ptr %source, ptr %target, i64 %count) {{
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %from = getelementptr {source}, ptr %source, i64 %i
  %to = getelementptr {target}, ptr %target, i64 %i
  %x = load {source}, ptr %from
  %y = {op} {source} %x to {target}
  store {target} %y, ptr %to
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %body, label %end
end:
  ret void
}}
"""
DTYPES = {"half": np.float16, "bfloat": ml_dtypes.bfloat16, "float": np.float32, "double": np.float64}


def convert(values: np.ndarray, source: str, target: str) -> np.ndarray:
    op = "fptrunc" if values.itemsize > np.dtype(DTYPES[target]).itemsize else "fpext"
    ir = LOOP.format(source=source, target=target, op=op)
    # The middle end must not drop what only code generation calls.
    native = compile_ir(ir, cpu_target("x86-64"), opt_level=2)
    out = np.empty(values.shape, DTYPES[target])
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(native.address("convert"))
    function(values.ctypes.data, out.ctypes.data, values.size)
    return out


def samples(source: str) -> np.ndarray:
    """Returns values of all magnitudes, and those beside and halfway between numbers of 16 bits."""
    rng = np.random.default_rng(0)
    wide = DTYPES[source]
    bits = rng.integers(0, 2**32, 200_000, np.uint32).view(np.float32)
    narrow = np.arange(2**16, dtype=np.uint16)
    halves, brains = narrow.view(np.float16).astype(np.float32), narrow.view(ml_dtypes.bfloat16).astype(np.float32)
    with np.errstate(all="ignore"):
        middles = [((x[:-1].astype(np.float64) + x[1:]) / 2).astype(wide) for x in (halves, brains)]
        beside = [np.nextafter(m, wide(sign * np.inf)) for m in middles for sign in (-1, 1)]
        return np.concatenate([x.astype(wide) for x in (bits, halves, brains, *middles, *beside)])


@pytest.mark.parametrize("target", ["half", "bfloat"])
@pytest.mark.parametrize("source", ["float", "double"])
def test_narrowing(source: str, target: str):
    values = samples(source)
    with np.errstate(all="ignore"):
        if (source, target) == ("double", "bfloat"):
            # ml_dtypes rounds twice; here the float between them is made odd where it is inexact.
            near = values.astype(np.float32)
            odd = near.view(np.uint32) - (np.abs(near.astype(np.float64)) > np.abs(values)) | 1
            exact = (near == values) | np.isnan(near)
            want = np.where(exact, near.view(np.uint32), odd).astype(np.uint32).view(np.float32).astype(DTYPES[target])
        else:
            want = values.astype(DTYPES[target])
    got = convert(values, source, target)
    nan = np.isnan(want.astype(np.float32))
    np.testing.assert_array_equal(np.isnan(got.astype(np.float32)), nan)
    np.testing.assert_array_equal(got.view(np.uint16)[~nan], want.view(np.uint16)[~nan])
    np.testing.assert_array_equal(np.signbit(got.astype(np.float32)[nan]), np.signbit(values[nan]))


def test_widening():
    values = np.arange(2**16, dtype=np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        want = values.astype(np.float32)
    got = convert(values, "half", "float")
    nan = np.isnan(want)
    np.testing.assert_array_equal(got.view(np.uint32)[~nan], want.view(np.uint32)[~nan])
    assert np.isnan(got[nan]).all()


def test_no_function_of_a_program_has_a_name_of_theirs() -> None:
    names = re.findall(r"^define .*@([\w.]+)\(", runtime_support("half bfloat"), re.MULTILINE)
    assert len(names) == 6 and all(map(is_library_name, names))


@pytest.mark.parametrize("source", ["float", "double"])
@pytest.mark.parametrize("target", ["half", "bfloat"])
def test_objects_are_complete(source: str, target: str):
    ir = LOOP.format(source=source, target=target, op="fptrunc")
    assert read_object(emit_object(ir, cpu_target("x86-64"))).undefined
    assert read_object(emit_object(ir + runtime_support(ir), cpu_target("x86-64"), opt_level=2)).undefined == ()
