"""Loops-stage kernels, run natively through the C entry and compared with numpy."""

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
from xdsl_relax.lowering.convert_to_llvm import ConvertToLLVMPass
from xdsl_relax.lowering.llvm_to_ir import print_llvm_ir
from xdsl_relax.lowering.outline_parallel import OutlineParallelPass
from xdsl_relax.runtime.jit import NativeModule, compile_ir, parse_ir

C_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
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
    pointers = np.array([b.ctypes.data for b in buffers], np.int64)
    sizes = np.array([*dims, workspace], np.int64)
    scratch = np.zeros(workspace + 64, np.uint8)
    start = (scratch.ctypes.data + 63) // 64 * 64
    entry = C_ENTRY(native.address(f"{name}.call"))
    status = entry(pointers.ctypes.data, sizes.ctypes.data, start)
    call.dims = sizes
    return status


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


BINARY = """
func.func @f(%a: memref<?x?x{t}>, %b: memref<?x?x{t}>, %c: memref<?x?x{t}> {{relax.result}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x?x{t}>
  %m = memref.dim %a, %c1 : memref<?x?x{t}>
  scf.for %i = %c0 to %n step %c1 {{
    scf.for %j = %c0 to %m step %c1 {{
      %x = memref.load %a[%i, %j] : memref<?x?x{t}>
      %y = memref.load %b[%i, %j] : memref<?x?x{t}>
      %z = arith.{op} %x, %y : {t}
      memref.store %z, %c[%i, %j] : memref<?x?x{t}>
    }}
  }}
  func.return
}}
"""


def floor_divide_c(x, y):
    return np.trunc(x.astype(np.float64) / y.astype(np.float64)).astype(x.dtype)


CASES = [
    *[(t, op, fn) for t in FLOATS for op, fn in (("addf", np.add), ("subf", np.subtract), ("mulf", np.multiply))],
    *[
        (t, op, fn)
        for t in FLOATS
        for op, fn in (("divf", np.divide), ("maximumf", np.maximum), ("minimumf", np.minimum))
    ],
    *[(t, op, fn) for t in FLOATS for op, fn in (("maxnumf", np.fmax), ("minnumf", np.fmin))],
    *[(t, op, fn) for t in INTS for op, fn in (("addi", np.add), ("subi", np.subtract), ("muli", np.multiply))],
    *[(t, op, fn) for t in INTS for op, fn in (("maxsi", np.maximum), ("minsi", np.minimum), ("xori", np.bitwise_xor))],
    *[(t, op, fn) for t in INTS for op, fn in (("floordivsi", np.floor_divide), ("remsi", np.fmod))],
    *[(t, "ceildivsi", lambda x, y: -(-x.astype(np.int64) // y.astype(np.int64))) for t in INTS],
    *[(t, "divsi", floor_divide_c) for t in ("i8", "i16", "i32", "index")],
    *[("i1", op, fn) for op, fn in (("andi", np.logical_and), ("ori", np.logical_or), ("xori", np.logical_xor))],
]


@pytest.mark.parametrize("dtype", list(DTYPES))
def test_binary_ops(dtype):
    """All operations of one element type in one module, on an odd size."""
    cases = [(op, fn) for t, op, fn in CASES if t == dtype]
    assert cases
    text = "".join(BINARY.format(t=dtype, op=op).replace("@f(", f"@f{k}(") for k, (op, _) in enumerate(cases))
    native = compile_ir(lower(text))
    a, b = random(dtype, (5, 7)), random(dtype, (5, 7), 1)
    if dtype in INTS:
        b[b == 0] = 3
    if dtype in FLOATS:
        a[0, 0], b[0, 1], a[1, 1] = np.nan, np.nan, np.inf
    for k, (_, fn) in enumerate(cases):
        c = np.zeros_like(a)
        assert call(native, f"f{k}", [a, b, c], shape_dims(a, b, c)) == 0
        with np.errstate(all="ignore"):
            want = np.asarray(fn(a, b), a.dtype)
        if dtype in FLOATS:
            np.testing.assert_array_equal(c.astype(np.float64), want.astype(np.float64))
        else:
            np.testing.assert_array_equal(c, want)


VECTOR = """
func.func @f(%a: memref<?x{t}>, %b: memref<?x{t}>, %c: memref<?x{t}> {{relax.result}}) {{
  %c0 = arith.constant 0 : index
  %step = arith.constant 16 : index
  %n = memref.dim %a, %c0 : memref<?x{t}>
  %z = arith.constant {zero}
  %pass = vector.broadcast %z : {t} to vector<16x{t}>
  scf.for %i = %c0 to %n step %step {{
    %left = arith.subi %n, %i : index
    %mask = vector.create_mask %left : vector<16xi1>
    %x = vector.maskedload %a[%i], %mask, %pass : memref<?x{t}>, vector<16xi1>, vector<16x{t}> into vector<16x{t}>
    %y = vector.maskedload %b[%i], %mask, %pass : memref<?x{t}>, vector<16xi1>, vector<16x{t}> into vector<16x{t}>
    %s = arith.{op} %x, %y : vector<16x{t}>
    vector.maskedstore %c[%i], %mask, %s : memref<?x{t}>, vector<16xi1>, vector<16x{t}>
  }}
  func.return
}}
"""


@pytest.mark.parametrize("cpu", [None, "haswell"])
@pytest.mark.parametrize("dtype", list(DTYPES))
def test_masked_vectors(dtype, cpu):
    """Masked loads and stores touch nothing beyond the size; also without AVX-512."""
    if cpu is not None and not _has_avx2():
        pytest.skip("needs AVX2")
    op, fn = ("ori", np.logical_or) if dtype == "i1" else ("addf", np.add) if dtype in FLOATS else ("addi", np.add)
    zero = "false" if dtype == "i1" else f"{'0.0' if dtype in FLOATS else '0'} : {dtype}"
    native = compile_ir(lower(VECTOR.format(t=dtype, op=op, zero=zero)), cpu=cpu)
    for size in (0, 1, 15, 16, 17, 100):
        a, b = random(dtype, (size,)), random(dtype, (size,), 1)
        c = np.zeros(size + 32, DTYPES[dtype])
        c[:] = 1
        assert call(native, "f", [a, b, c], [size, size, size]) == 0
        want = np.asarray(fn(a, b), DTYPES[dtype])
        np.testing.assert_array_equal(c[:size], want)
        np.testing.assert_array_equal(c[size:], np.ones(32, c.dtype))


def _has_avx2() -> bool:
    from xdsl_relax.runtime.jit import host_cpu

    return "+avx2" in host_cpu()[1]


REDUCE = """
func.func @f(%a: memref<?x{t}>) -> {t} {{
  %c0 = arith.constant 0 : index
  %step = arith.constant 8 : index
  %n = memref.dim %a, %c0 : memref<?x{t}>
  %init = arith.constant {zero} : {t}
  %v0 = vector.broadcast %init : {t} to vector<8x{t}>
  %v = scf.for %i = %c0 to %n step %step iter_args(%acc = %v0) -> (vector<8x{t}>) {{
    %x = vector.load %a[%i] : memref<?x{t}>, vector<8x{t}>
    %s = arith.{op} %acc, %x : vector<8x{t}>
    scf.yield %s : vector<8x{t}>
  }}
  %r = vector.reduction <{kind}>, %v {fm} : vector<8x{t}> into {t}
  func.return %r : {t}
}}
"""


@pytest.mark.parametrize(
    ("dtype", "op", "kind", "fast", "zero"),
    [
        ("f32", "addf", "add", "fastmath<reassoc>", "0.0"),
        ("f32", "addf", "add", "", "0.0"),
        ("f64", "addf", "add", "fastmath<reassoc>", "0.0"),
        ("f32", "maximumf", "maximumf", "", "-1000.0"),
        ("f32", "minnumf", "minnumf", "", "1000.0"),
        ("i32", "addi", "add", "", "0"),
        ("i64", "maxsi", "maxsi", "", "-1000"),
        ("index", "minsi", "minsi", "", "1000"),
        ("i16", "xori", "xor", "", "0"),
    ],
)
def test_reduction(dtype, op, kind, fast, zero):
    native = compile_ir(lower(REDUCE.format(t=dtype, op=op, kind=kind, fm=fast, zero=zero)))
    a = random(dtype, (40,))
    out = np.zeros((), DTYPES[dtype])
    assert call(native, "f", [a, out], [40]) == 0
    lanes = a.reshape(5, 8)
    if kind == "add":
        # Exact order: lanes first, then a tree of halves, or lane after lane.
        total = np.zeros(8, a.dtype)
        for row in lanes:
            total = total + row
        if fast:
            while total.size > 1:
                total = total[: total.size // 2] + total[total.size // 2 :]
            want = total[0]
        else:
            want = a.dtype.type(0)
            for lane in total:
                want = want + lane
    elif kind == "xor":
        want = np.bitwise_xor.reduce(a)
    else:
        want = a.max() if kind.startswith("max") else a.min()
    assert out == want


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


def test_views_globals_copies():
    native = compile_ir(lower(VIEWS))
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


def cast_kernel(op: str, source: str, target: str, lanes: int) -> str:
    return f"""
func.func @f(%a: memref<{lanes}x{source}>, %c: memref<{lanes}x{target}> {{relax.result}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cn = arith.constant {lanes} : index
  scf.for %i = %c0 to %cn step %c1 {{
    %x = memref.load %a[%i] : memref<{lanes}x{source}>
    %y = arith.{op} %x : {source} to {target}
    memref.store %y, %c[%i] : memref<{lanes}x{target}>
  }}
  func.return
}}
func.func @v(%a: memref<{lanes}x{source}>, %c: memref<{lanes}x{target}> {{relax.result}}) {{
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<{lanes}x{source}>, vector<{lanes}x{source}>
  %y = "arith.{op}"(%x) : (vector<{lanes}x{source}>) -> vector<{lanes}x{target}>
  vector.store %y, %c[%c0] : memref<{lanes}x{target}>, vector<{lanes}x{target}>
  func.return
}}
"""


@pytest.mark.parametrize("cpu", [None, "haswell"])
@pytest.mark.parametrize(
    ("op", "source", "target"),
    [
        ("extf", "f16", "f32"),
        ("extf", "bf16", "f32"),
        ("truncf", "f32", "f16"),
        ("truncf", "f32", "bf16"),
        ("truncf", "f64", "f32"),
        ("truncf", "f64", "bf16"),
        ("sitofp", "i8", "f32"),
        ("sitofp", "i32", "bf16"),
        ("uitofp", "i1", "f32"),
        ("fptosi", "f32", "i32"),
        ("fptosi", "f16", "i8"),
        ("fptosi", "bf16", "i64"),
        ("extsi", "i1", "i32"),
        ("extui", "i8", "i64"),
        ("trunci", "i64", "i8"),
        ("trunci", "i32", "i1"),
        ("index_cast", "i32", "index"),
        ("index_cast", "index", "i8"),
        ("bitcast", "f32", "i32"),
        ("bitcast", "i16", "bf16"),
    ],
)
def test_casts(op, source, target, cpu):
    """Scalars and vectors agree with numpy, bit for bit; NaN and Inf included."""
    if cpu is not None and not _has_avx2():
        pytest.skip("needs AVX2")
    lanes = 16
    # xDSL's own arith casts verify for scalars only.
    native = compile_ir(lower(cast_kernel(op, source, target, lanes), verify=False), cpu=cpu)
    a = random(source, (lanes,), 3)
    if op in ("extf", "truncf"):
        a[:6] = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0 + 2.0**-9], a.dtype)
    with np.errstate(all="ignore"):
        if op == "bitcast":
            want = a.view(DTYPES[target])
        elif op == "extsi" and source == "i1":
            want = -a.astype(DTYPES[target])
        elif op == "extui":
            want = a.view(np.uint8).astype(DTYPES[target])
        elif target == "i1":
            want = (a & 1).astype(np.bool_)
        elif source == "f64" and target == "bf16":
            want = a.astype(DTYPES[target])
        else:
            want = a.astype(DTYPES[target])
    for name in ("f", "v"):
        c = np.zeros(lanes, DTYPES[target])
        assert call(native, name, [a, c], shape_dims(a, c)) == 0
        if target in FLOATS and op != "bitcast":
            np.testing.assert_array_equal(c.astype(np.float64), want.astype(np.float64))
        else:
            same(c, want)


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
func.func @f(%a: memref<?xf32>, %c: memref<?xf32> {relax.result}) -> index attributes {relax.actual_dims = [["0", "0"]]} {
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
func.func @f.shape(%in: memref<?xi64>, %out: memref<?xi64>) -> i64 {
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
    assert call(native, "f", [a, c], [9, 9]) == 0
    assert call.dims.tolist() == [9, 4, 0]
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


@pytest.mark.skipif(shutil.which("mlir-translate-22") is None, reason="needs mlir-translate-22")
@pytest.mark.parametrize(
    "text",
    [
        *[VECTOR.format(t=t, op="addf", zero=f"0.0 : {t}") for t in FLOATS],
        VECTOR.format(t="i1", op="ori", zero="false"),
        *[BINARY.format(t=t, op=op) for t, op, _ in CASES],
        REDUCE.format(t="f32", op="addf", kind="add", fm="fastmath<reassoc>", zero="0.0"),
        REDUCE.format(t="f32", op="maximumf", kind="maximumf", fm="", zero="0.0"),
        PARALLEL,
        ASSERT,
        VIEWS,
        CONTROL,
        SHAPE,
    ],
)
def test_upstream_accepts_the_llvm_dialect(text):
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
    theirs = {f.name for f in parse_ir(result.stdout).functions if not f.is_declaration}
    ours = {f.name for f in parse_ir(print_llvm_ir(module)).functions if not f.is_declaration}
    assert ours == theirs
