"""Arithmetic at the loops stage, run natively through the C entry and compared with numpy."""

import numpy as np
import pytest
from harness.llvm_kernel import (
    DTYPES,
    FLOATS,
    INTS,
    call,
    check_upstream,
    lower,
    needs_upstream,
    random,
    same,
    shape_dims,
)
from harness.loops_kernel import target_of
from xdsl_relax.runtime.machine.jit import compile_ir

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
    op, fn = ("ori", np.logical_or) if dtype == "i1" else ("addf", np.add) if dtype in FLOATS else ("addi", np.add)
    zero = "false" if dtype == "i1" else f"{'0.0' if dtype in FLOATS else '0'} : {dtype}"
    native = compile_ir(lower(VECTOR.format(t=dtype, op=op, zero=zero)), target_of(cpu))
    for size in (0, 1, 15, 16, 17, 100):
        a, b = random(dtype, (size,)), random(dtype, (size,), 1)
        c = np.zeros(size + 32, DTYPES[dtype])
        c[:] = 1
        assert call(native, "f", [a, b, c], [size, size, size]) == 0
        want = np.asarray(fn(a, b), DTYPES[dtype])
        np.testing.assert_array_equal(c[:size], want)
        np.testing.assert_array_equal(c[size:], np.ones(32, c.dtype))


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
    lanes = 16
    # xDSL's own arith casts verify for scalars only.
    native = compile_ir(lower(cast_kernel(op, source, target, lanes), verify=False), target_of(cpu))
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


@pytest.mark.sweep
@needs_upstream
@pytest.mark.parametrize(
    "text",
    [
        *[VECTOR.format(t=t, op="addf", zero=f"0.0 : {t}") for t in FLOATS],
        VECTOR.format(t="i1", op="ori", zero="false"),
        *[BINARY.format(t=t, op=op) for t, op, _ in CASES],
        REDUCE.format(t="f32", op="addf", kind="add", fm="fastmath<reassoc>", zero="0.0"),
        REDUCE.format(t="f32", op="maximumf", kind="maximumf", fm="", zero="0.0"),
    ],
)
def test_upstream_accepts_the_llvm_dialect(text):
    check_upstream(text)
