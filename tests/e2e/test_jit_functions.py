"""Functions at the loops stage, run natively through the C entry: threads, assertions, views, control flow, symbols from outside."""

import ctypes

import numpy as np
import pytest
from harness.llvm_kernel import call, call_with_dims, check_upstream, lower, needs_upstream, random, same, shape_dims
from xdsl_relax.runtime.machine.jit import compile_ir

PARALLEL = """
func.func @f(%a: memref<?x?xf32>, %k: f32, %c: memref<?x?xf32> {relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x?xf32>
  %m = memref.dim %a, %c1 : memref<?x?xf32>
  "scf.parallel"(%c0, %c1, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %a[%i, %j] : memref<?x?xf32>
    %y = arith.mulf %x, %k : f32
    memref.store %y, %c[%i, %j] : memref<?x?xf32>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}
"""


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_parallel(threads):
    """Every iteration runs once, for any number of threads; the second dim starts at 1."""
    ir = lower(PARALLEL, threads)
    assert ("GOMP_parallel" in ir) == (threads != 1)
    native = compile_ir(ir)
    for shape in ((1, 2), (7, 13), (64, 33), (0, 4), (4, 1)):
        a = random("f32", shape)
        k, c = np.float32(3), np.full(shape, 5, np.float32)
        assert call(native, "f", [a, np.array(k), c], shape_dims(a, c)) == 0
        want = a * k
        want[:, :1] = 5
        same(c, want)


ASSERT = """
func.func private @inner(%n: index) -> index {
  %c3 = arith.constant 3 : index
  %ok = arith.cmpi slt, %n, %c3 : index
  cf.assert %ok, "n must be below 3"
  %r = arith.addi %n, %n : index
  func.return %r : index
}
func.func @f(%n: index, %flag: i1) -> (index, i1) {
  cf.assert %flag, "flag must be set"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (index) {
    %d = func.call @inner(%i) : (index) -> index
    %next = arith.addi %acc, %d : index
    scf.yield %next : index
  }
  %big = arith.cmpi sgt, %s, %c1 : index
  func.return %s, %big : index, i1
}
func.func @g(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %d = func.call @inner(%i) : (index) -> index
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
"""


def test_assertions():
    """The status is the position of the message; it crosses calls and threads."""
    native = compile_ir(lower(ASSERT))
    total, big = np.zeros((), np.int64), np.zeros((), np.bool_)

    def run(n: int, flag: bool) -> int:
        return call(native, "f", [np.array(n), np.array(flag), total, big], [n])

    assert (run(3, True), int(total), bool(big)) == (0, 6, True)
    assert run(1, True) == 0 and (int(total), bool(big)) == (0, False)
    assert run(1, False) == 2
    assert run(4, True) == 1
    assert call(native, "g", [np.array(3)], [3]) == 0
    assert call(native, "g", [np.array(40)], [40]) == 1


VIEWS = """
"memref.global"() <{sym_name = "table", sym_visibility = "private", constant, type = memref<4xf32>,
  initial_value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}> : () -> ()
func.func @f(%a: memref<?x12xf32>, %c: memref<?x3x2xf32> {relax.result}, %w: memref<?xi8> {relax.workspace}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %a, %c0 : memref<?x12xf32>
  %t = memref.get_global @table : memref<4xf32>
  %k = memref.load %t[%c3] : memref<4xf32>
  %e = "memref.expand_shape"(%a, %n) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: -9223372036854775808, 3, 4>}>
     : (memref<?x12xf32>, index) -> memref<?x3x4xf32>
  %s = memref.subview %e[0, 0, 1] [%n, 3, 2] [1, 1, 2] : memref<?x3x4xf32> to memref<?x3x2xf32, strided<[12, 4, 2], offset: 1>>
  %buf = memref.view %w[%c64][%n] : memref<?xi8> to memref<?x3x2xf32>
  "memref.copy"(%s, %buf) : (memref<?x3x2xf32, strided<[12, 4, 2], offset: 1>>, memref<?x3x2xf32>) -> ()
  %flat = "memref.collapse_shape"(%buf) <{reassociation = [[0, 1, 2]]}> : (memref<?x3x2xf32>) -> memref<?xf32>
  %len = memref.dim %flat, %c0 : memref<?xf32>
  scf.for %i = %c0 to %len step %c1 {
    %x = memref.load %flat[%i] : memref<?xf32>
    %y = arith.mulf %x, %k : f32
    memref.store %y, %flat[%i] : memref<?xf32>
  }
  "memref.copy"(%buf, %c) : (memref<?x3x2xf32>, memref<?x3x2xf32>) -> ()
  func.return
}
"""


@pytest.mark.parametrize("table", ["table", ".text", ".L1", "exp"])
def test_views_globals_copies(table: str):
    native = compile_ir(lower(VIEWS.replace('"table"', f'"{table}"').replace("@table", f'@"{table}"')))
    for n in (0, 1, 5):
        a = random("f32", (n, 12))
        c = np.zeros((n, 3, 2), np.float32)
        assert call(native, "f", [a, c], shape_dims(a, c), 64 + 24 * n) == 0
        same(c, a.reshape(n, 3, 4)[:, :, 1::2] * np.float32(4))


CONTROL = """
func.func @collatz(%n: i64) -> index {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %zero = arith.constant 0 : index
  %inc = arith.constant 1 : index
  %r:2 = scf.while (%x = %n, %count = %zero) : (i64, index) -> (i64, index) {
    %go = arith.cmpi ne, %x, %one : i64
    scf.condition(%go) %x, %count : i64, index
  } do {
  ^bb0(%x: i64, %count: index):
    %bit = arith.andi %x, %one : i64
    %odd = arith.cmpi eq, %bit, %one : i64
    %next = scf.if %odd -> (i64) {
      %t = arith.muli %x, %three : i64
      %u = arith.addi %t, %one : i64
      scf.yield %u : i64
    } else {
      %h = arith.shrsi %x, %one : i64
      scf.yield %h : i64
    }
    %c = arith.addi %count, %inc : index
    scf.yield %next, %c : i64, index
  }
  func.return %r#1 : index
}
func.func @pick(%k: index) -> i32 {
  %r = scf.index_switch %k -> i32
  case 2 {
    %a = arith.constant 20 : i32
    scf.yield %a : i32
  }
  case 5 {
    %b = arith.constant 50 : i32
    scf.yield %b : i32
  }
  default {
    %c = arith.constant -1 : i32
    scf.yield %c : i32
  }
  func.return %r : i32
}
"""


def test_control_flow():
    native = compile_ir(lower(CONTROL))
    steps = np.zeros((), np.int64)
    for n, want in ((1, 0), (6, 8), (27, 111)):
        assert call(native, "collatz", [np.array(n), steps], []) == 0
        assert steps == want
    picked = np.zeros((), np.int32)
    for k, want in ((2, 20), (5, 50), (0, -1), (-7, -1)):
        assert call(native, "pick", [np.array(k), picked], [k]) == 0
        assert picked == want


def test_large_constant_and_callback():
    """A large constant is a symbol of the caller; so is a function without a body."""
    count = 20000
    text = f"""
"memref.global"() <{{sym_name = "big", sym_visibility = "private", constant, type = memref<{count}xf32>,
  initial_value = dense<2.0> : tensor<{count}xf32>}}> : () -> ()
func.func private @observe(memref<?xf32>, index)
func.func @f(%c: memref<?xf32> {{relax.result}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %c, %c0 : memref<?xf32>
  %g = memref.get_global @big : memref<{count}xf32>
  scf.for %i = %c0 to %n step %c1 {{
    %x = memref.load %g[%i] : memref<{count}xf32>
    memref.store %x, %c[%i] : memref<?xf32>
  }}
  func.call @observe(%c, %c1) : (memref<?xf32>, index) -> ()
  func.return
}}
"""
    data = np.arange(count, dtype=np.float32)
    seen: list[tuple[int, int]] = []
    callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(
        lambda pointer, size, flag: seen.append((size, flag))
    )
    symbols = {"big": data.ctypes.data, "observe": ctypes.cast(callback, ctypes.c_void_p).value or 0}
    native = compile_ir(lower(text), symbols=symbols, keep=(data, callback))
    c = np.zeros(100, np.float32)
    assert call(native, "f", [c], [100]) == 0
    same(c, data[:100])
    assert seen == [(100, 1)]


SHAPE = """
func.func @f(%a: memref<?xf32>, %c: memref<?xf32> {relax.result}) -> index attributes {relax.actual_dims = [array<i64: 0, 0>]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %half = arith.floordivsi %n, %c2 : index
  scf.for %i = %c0 to %half step %c1 {
    %j = arith.muli %i, %c2 : index
    %x = memref.load %a[%j] : memref<?xf32>
    memref.store %x, %c[%i] : memref<?xf32>
  }
  func.return %half : index
}
func.func @f.shape(%in: memref<?xi64>, %out: memref<?xi64>) -> i64 attributes {relax.shape_function_of = @f} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.load %in[%c0] : memref<?xi64>
  memref.store %n, %out[%c0] : memref<?xi64>
  %zero = arith.constant 0 : i64
  memref.store %zero, %out[%c1] : memref<?xi64>
  func.return %zero : i64
}
"""


def test_shape_function_and_actual_dims():
    """The shape function takes two pointers; an actual dim is written over the bound that was passed in."""
    native = compile_ir(lower(SHAPE))
    assert native.exports == {"f.call", "f.shape"}
    sizes, out = np.array([9], np.int64), np.full(2, -1, np.int64)
    shape = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(native.address("f.shape"))
    assert shape(sizes.ctypes.data, out.ctypes.data) == 0
    assert out.tolist() == [9, 0]
    a, c = random("f32", (9,)), np.zeros(9, np.float32)
    status, dims = call_with_dims(native, "f", [a, c], [9, 9])
    assert status == 0 and dims.tolist() == [9, 4, 0]
    same(c[:4], a[0:8:2])


def test_function_named_like_the_c_library():
    """A function called `expf` does not capture the call that `math.exp` becomes."""
    text = """
func.func private @expf(%x: f32) -> f32 {
  %z = arith.constant 7.0 : f32
  func.return %z : f32
}
func.func @f(%x: f32) -> (f32, f32) {
  %a = math.exp %x : f32
  %b = func.call @expf(%x) : (f32) -> f32
  func.return %a, %b : f32, f32
}
"""
    native = compile_ir(lower(text))
    a, b = np.zeros((), np.float32), np.zeros((), np.float32)
    assert call(native, "f", [np.array(1, np.float32), a, b], []) == 0
    assert abs(a - np.e) < 1e-6 and b == 7


@needs_upstream
@pytest.mark.parametrize("text", [PARALLEL, ASSERT, VIEWS, CONTROL, SHAPE])
def test_upstream_accepts_the_llvm_dialect(text):
    check_upstream(text)
