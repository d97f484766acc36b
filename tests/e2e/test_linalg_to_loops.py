"""Element-wise, reduction and scalar schedules against numpy, on odd shapes."""

import numpy as np
import pytest
from harness.loops_kernel import DTYPES, FLOATS, Kernel, generic, random
from xdsl_relax.targets.cpu import cpu_target

BINARY = {"f": "%r = arith.addf %a0, %a1 : {t}", "i": "%r = arith.addi %a0, %a1 : {t}"}
ID2 = "(d0, d1) -> (d0, d1)"


def function(types, body, extra=""):
    args = ", ".join(f"%x{k}: {t}" for k, t in enumerate(types))
    return f"{extra}func.func @f({args}) {{\n{body}\nfunc.return\n}}\n"


def same(got, want):
    np.testing.assert_array_equal(got.astype(np.float64), np.asarray(want, got.dtype).astype(np.float64))


def close(got, want, dtype="f32", scale=1.0):
    tolerance = {"f64": 1e-12, "f32": 2e-5, "f16": 2e-2, "bf16": 1e-1}[dtype] * scale
    np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != "i1"])
def test_add_dynamic(dtype):
    t = f"memref<?x?x{dtype}>"
    body = BINARY["f" if dtype in FLOATS else "i"].format(t=dtype) + f"\nlinalg.yield %r : {dtype}"
    kernel = Kernel(function([t] * 3, generic([ID2] * 3, "pp", [("%x0", t), ("%x1", t)], [("%x2", t)], body)))
    for shape in ((0, 3), (3, 0), (1, 1), (5, 7), (4, 16), (3, 33), (17, 130)):
        a, b = random(dtype, shape), random(dtype, shape, 1)
        c = np.zeros_like(a)
        kernel(a, b, c)
        same(c, a + b)


@pytest.mark.parametrize(
    "shape", [(1,), (2,), (3,), (7,), (8,), (15,), (16,), (17,), (31,), (48,), (1, 1, 1), (2, 1, 5)]
)
def test_static_sizes_and_broadcasts(shape):
    """A bias along the last dim, a column along the first, and a scalar."""
    rank = len(shape)
    dims = [f"d{k}" for k in range(rank)]
    t = f"memref<{'x'.join(map(str, shape))}xf32>"
    maps = [
        f"({', '.join(dims)}) -> ({', '.join(dims)})",
        f"({', '.join(dims)}) -> ({dims[-1]})",
        f"({', '.join(dims)}) -> ({dims[0]})",
        f"({', '.join(dims)}) -> ()",
        f"({', '.join(dims)}) -> ({', '.join(dims)})",
    ]
    body = """%0 = arith.mulf %a0, %a1 : f32
%1 = arith.addf %0, %a2 : f32
%2 = arith.subf %1, %a3 : f32
linalg.yield %2 : f32"""
    types = [t, f"memref<{shape[-1]}xf32>", f"memref<{shape[0]}xf32>", "memref<f32>", t]
    operands = [(f"%x{k}", ty) for k, ty in enumerate(types)]
    text = function(types, generic(maps, "p" * rank, operands[:4], operands[4:], body))
    x, bias = random("f32", shape), random("f32", shape[-1:], 1)
    column, scalar = random("f32", shape[:1], 2), random("f32", (), 3)
    out = np.zeros_like(x)
    Kernel(text)(x, bias, column, scalar, out)
    want = x * bias + column.reshape(-1, *[1] * (rank - 1)) - scalar
    same(out, want)


@pytest.mark.parametrize("shape", [(5, 7), (16, 16), (33, 20), (64, 48), (100, 37)])
@pytest.mark.parametrize("static", [False, True])
def test_transpose(shape, static):
    a, b = ("x".join(map(str, s if static else ("?", "?"))) for s in (shape, shape[::-1]))
    ta, tb = f"memref<{a}xf32>", f"memref<{b}xf32>"
    body = "linalg.yield %a0 : f32"
    text = function([ta, tb], generic(["(d0, d1) -> (d1, d0)", ID2], "pp", [("%x0", ta)], [("%x1", tb)], body))
    x = random("f32", shape)
    out = np.zeros(shape[::-1], np.float32)
    Kernel(text)(x, out)
    same(out, x.T)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("dtype", ["i8", "f16"])
@pytest.mark.parametrize("shape", [(16, 8), (16, 14), (32, 63), (48, 64), (64, 65), (16, 140), (33, 70), (7, 9)])
def test_transposes_of_narrow_elements(shape, dtype):
    """Blocks side by side are transposed together; the rows that are left, of which run time may know the number, are fewer blocks."""
    for rows in map(str, (shape[1], "?")):
        ta, tb = f"memref<{shape[0]}x{rows}x{dtype}>", f"memref<{rows}x{shape[0]}x{dtype}>"
        body = "linalg.yield %a0 : " + dtype
        text = function([ta, tb], generic(["(d0, d1) -> (d1, d0)", ID2], "pp", [("%x0", ta)], [("%x1", tb)], body))
        x = random(dtype, shape)
        out = np.zeros(shape[::-1], x.dtype)
        Kernel(text)(x, out)
        same(out, x.T)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", DTYPES)
def test_transposed_blocks_of_long_payloads(dtype):
    """A payload that is too long to be written out for each row reads rows, columns and a second transposed operand."""
    op = {"f": "arith.addf", "i": "arith.addi"}["f" if dtype in FLOATS else "i"] if dtype != "i1" else "arith.xori"
    chain = [f"%s0 = {op} %a0, %a1 : {dtype}"]
    chain += [f"%s{k + 1} = {op} %s{k}, %a{(1, 2, 3)[k % 3]} : {dtype}" for k in range(12)]
    for shape in ((40, 37), (16, 33), (32, 48), (17, 100)):
        for static in (True, False):
            n, m = map(str, shape) if static else "??"
            types = [f"memref<{n}x{m}x{dtype}>"] * 2
            types += [f"memref<{m}x{dtype}>", f"memref<{n}x{dtype}>", f"memref<{m}x{n}x{dtype}>"]
            maps = ["(d0, d1) -> (d1, d0)"] * 2 + ["(d0, d1) -> (d0)", "(d0, d1) -> (d1)", ID2]
            operands = [(f"%x{k}", t) for k, t in enumerate(types)]
            body = "\n".join([*chain, f"linalg.yield %s12 : {dtype}"])
            kernel = Kernel(function(types, generic(maps, "pp", operands[:4], operands[4:], body)))
            assert "vector.shuffle" in kernel.loops
            x, y, row, column = (random(dtype, s, k) for k, s in enumerate((shape, shape, shape[1:], shape[:1])))
            out = np.zeros(shape[::-1], x.dtype)
            kernel(x, y, row, column, out)
            parts = [x.T, y.T, np.broadcast_to(row[:, None], out.shape), np.broadcast_to(column, out.shape)]
            add = np.logical_xor if dtype == "i1" else np.add
            want = add(parts[0], parts[1])
            for k in range(12):
                want = add(want, parts[(1, 2, 3)[k % 3]])
            same(out, want)


def test_index_select_and_casts():
    """Lane numbers, comparisons and conversions in one payload."""
    t, u = "memref<?x?xi8>", "memref<?x?xf16>"
    body = """%i = linalg.index 0 : index
%j = linalg.index 1 : index
%s = arith.addi %i, %j : index
%c = arith.cmpi ult, %j, %i : index
%w = "arith.sitofp"(%a0) : (i8) -> f32
%n = arith.index_cast %s : index to i32
%f = "arith.sitofp"(%n) : (i32) -> f32
%k = arith.constant 2.5 : f32
%m = arith.mulf %f, %k : f32
%r = arith.select %c, %w, %m : f32
%h = arith.truncf %r : f32 to f16
linalg.yield %h : f16"""
    kernel = Kernel(function([t, u], generic([ID2, ID2], "pp", [("%x0", t)], [("%x1", u)], body)))
    for shape in ((1, 1), (3, 40), (20, 17)):
        x = random("i8", shape)
        out = np.zeros(shape, np.float16)
        kernel(x, out)
        i, j = np.indices(shape)
        same(out, np.where(j < i, x.astype(np.float32), (i + j).astype(np.float32) * np.float32(2.5)))


def test_booleans():
    t, u = "memref<?xf32>", "memref<?xi1>"
    body = """%c = arith.cmpf olt, %a0, %a1 : f32
%r = arith.andi %c, %a2 : i1
linalg.yield %r : i1"""
    identity = "(d0) -> (d0)"
    ins = [("%x0", t), ("%x1", t), ("%x2", u)]
    kernel = Kernel(function([t, t, u, u], generic([identity] * 4, "p", ins, [("%x3", u)], body)))
    for size in (0, 1, 16, 37):
        a, b, m = random("f32", (size,)), random("f32", (size,), 1), random("i1", (size,), 2)
        out = np.zeros(size, np.bool_)
        kernel(a, b, m, out)
        np.testing.assert_array_equal(out, (a < b) & m)


REDUCERS = {
    "addf": lambda x, axis, init: x.astype(np.float64).sum(axis) + init,
    "mulf": lambda x, axis, init: x.astype(np.float64).prod(axis) * init,
    "maximumf": lambda x, axis, init: np.maximum(x.max(axis, initial=-np.inf), init),
    "minimumf": lambda x, axis, init: np.minimum(x.min(axis, initial=np.inf), init),
    "maxnumf": lambda x, axis, init: np.fmax(np.fmax.reduce(x, axis, initial=-np.inf), init),
    "minnumf": lambda x, axis, init: np.fmin(np.fmin.reduce(x, axis, initial=np.inf), init),
    "addi": lambda x, axis, init: x.sum(axis, dtype=np.int32) + init,
    "maxsi": lambda x, axis, init: np.maximum(x.max(axis, initial=-(2**31)), init),
    "minsi": lambda x, axis, init: np.minimum(x.min(axis, initial=2**31 - 1), init),
    "andi": lambda x, axis, init: np.bitwise_and.reduce(x, axis) & init,
    "ori": lambda x, axis, init: np.bitwise_or.reduce(x, axis) | init,
    "xori": lambda x, axis, init: np.bitwise_xor.reduce(x, axis) ^ init,
}


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("op", list(REDUCERS))
def test_reduction(op, axis):
    """Along rows and columns; the output's content takes part."""
    dtype = "f32" if op.endswith("f") else "i32"
    t, u = f"memref<?x?x{dtype}>", f"memref<?x{dtype}>"
    body = f"%r = arith.{op} %a0, %a1 : {dtype}\nlinalg.yield %r : {dtype}"
    maps = [ID2, f"(d0, d1) -> (d{1 - axis})"]
    iterators = "rp" if axis == 0 else "pr"
    kernel = Kernel(function([t, u], generic(maps, iterators, [("%x0", t)], [("%x1", u)], body)))
    for shape in ((1, 1), (0, 5), (5, 0), (3, 7), (20, 16), (17, 200), (130, 65), (40, 73)):
        x = random(dtype, shape)
        if op == "mulf":
            x = (1 + x / 100).astype(np.float32)
        out = random(dtype, shape[1 - axis : 2 - axis], 5)
        want = REDUCERS[op](x, axis, out)
        kernel(x, out)
        if op in ("addf", "mulf"):
            close(out, want)
        else:
            same(out, want)


@pytest.mark.parametrize("axis", [0, 1])
def test_reduction_special_values(axis):
    """NaN is kept by maximumf and dropped by maxnumf; the sum of nothing but -0.0 is -0.0."""
    t, u = "memref<?x?xf32>", "memref<?xf32>"
    maps, iterators = [ID2, f"(d0, d1) -> (d{1 - axis})"], "rp" if axis == 0 else "pr"

    def kernel(op):
        body = f"%r = arith.{op} %a1, %a0 : f32\nlinalg.yield %r : f32"
        return Kernel(function([t, u], generic(maps, iterators, [("%x0", t)], [("%x1", u)], body)))

    size = 70
    x = random("f32", (size, size))
    x[3, 5], x[60, 69], x[:, 20], x[21, :] = np.nan, np.inf, np.nan, np.nan
    for op, fn, start in (("maximumf", np.maximum, -np.inf), ("maxnumf", np.fmax, np.nan)):
        out = np.full(size, start, np.float32)
        kernel(op)(x, out)
        same(out, fn(fn.reduce(x, axis), np.float32(start)))
    zeros = np.full((size, size), -0.0, np.float32)
    out = np.full(size, -0.0, np.float32)
    kernel("addf")(zeros, out)
    assert np.signbit(out).all()


def test_reduction_of_expression_over_two_dims():
    """Mean square over (1, 3) of a rank-4 tensor, two outputs."""
    t, u = "memref<?x?x?x?xf32>", "memref<?x?xf32>"
    full, kept = "(d0, d1, d2, d3) -> (d0, d1, d2, d3)", "(d0, d1, d2, d3) -> (d0, d2)"
    body = """%s = arith.mulf %a0, %a0 : f32
%r = arith.addf %a1, %s : f32
%q = arith.addf %a0, %a2 : f32
linalg.yield %r, %q : f32, f32"""
    text = generic([full, kept, kept], "prpr", [("%x0", t)], [("%x1", u), ("%x2", u)], body)
    kernel = Kernel(function([t, u, u], text))
    for shape in ((2, 3, 4, 5), (1, 7, 2, 100), (3, 1, 1, 64)):
        x = random("f32", shape)
        squares, sums = (np.zeros((shape[0], shape[2]), np.float32) for _ in range(2))
        kernel(x, squares, sums)
        close(squares, (x.astype(np.float64) ** 2).sum((1, 3)))
        close(sums, x.astype(np.float64).sum((1, 3)), scale=10)


def test_argmax():
    """A reduction that carries an index: scalar loops."""
    t, u, v = "memref<?x?xf32>", "memref<?xf32>", "memref<?xi64>"
    row = "(d0, d1) -> (d0)"
    body = """%j = linalg.index 1 : index
%i = arith.index_cast %j : index to i64
%c = arith.cmpf ogt, %a0, %a1 : f32
%m = arith.select %c, %a0, %a1 : f32
%k = arith.select %c, %i, %a2 : i64
linalg.yield %m, %k : f32, i64"""
    kernel = Kernel(function([t, u, v], generic([ID2, row, row], "pr", [("%x0", t)], [("%x1", u), ("%x2", v)], body)))
    x = random("f32", (9, 50))
    best, where = np.full(9, -np.inf, np.float32), np.full(9, -1)
    kernel(x, best, where)
    same(best, x.max(1))
    np.testing.assert_array_equal(where, x.argmax(1))


def test_gather_payload():
    """A payload that reads a buffer at a computed place."""
    table, ids, out = "memref<?x?xf32>", "memref<?xi64>", "memref<?x?xf32>"
    body = """%j = linalg.index 1 : index
%i = arith.index_cast %a0 : i64 to index
%r = memref.load %x0[%i, %j] : memref<?x?xf32>
linalg.yield %r : f32"""
    text = generic(["(d0, d1) -> (d0)", ID2], "pp", [("%x1", ids)], [("%x2", out)], body)
    x, k = random("f32", (11, 20)), np.array([3, 0, 10, 3, 7])
    result = np.zeros((5, 20), np.float32)
    Kernel(function([table, ids, out], text))(x, k, result)
    same(result, x[k])


def test_odd_maps():
    """Reversed, strided, diagonal and divided indices."""
    t = "memref<40xf32>"
    identity = "(d0) -> (d0)"
    body = "%r = arith.addf %a0, %a1 : f32\nlinalg.yield %r : f32"
    x, y = random("f32", (40,)), random("f32", (40,), 1)
    for first, index in (
        ("(d0) -> (d0 * -1 + 39)", np.arange(39, -1, -1)),
        ("(d0) -> (d0 floordiv 3)", np.arange(40) // 3),
        ("(d0) -> (d0 mod 7)", np.arange(40) % 7),
    ):
        out = np.zeros(40, np.float32)
        Kernel(
            function([t, t, t], generic([first, identity, identity], "p", [("%x0", t), ("%x1", t)], [("%x2", t)], body))
        )(x, y, out)
        same(out, x[index] + y)
    square = "memref<9x9xf32>"
    out = np.zeros(9, np.float32)
    text = generic(
        ["(d0) -> (d0, d0)", identity], "p", [("%x0", square)], [("%x1", "memref<9xf32>")], "linalg.yield %a0 : f32"
    )
    m = random("f32", (9, 9))
    Kernel(function([square, "memref<9xf32>"], text))(m, out)
    same(out, np.diagonal(m))


def test_strided_views():
    """Rows of a matrix through a subview, and a column."""
    text = """
func.func @f(%x: memref<12x40xf32>, %y: memref<12x40xf32>) {
  %s = memref.subview %x[2, 3] [5, 21] [2, 1] : memref<12x40xf32> to memref<5x21xf32, strided<[80, 1], offset: 83>>
  %d = memref.subview %y[1, 4] [5, 21] [1, 1] : memref<12x40xf32> to memref<5x21xf32, strided<[40, 1], offset: 44>>
  %e = memref.subview %y[1, 0] [10, 1] [1, 1] : memref<12x40xf32> to memref<10x1xf32, strided<[40, 1], offset: 40>>
  linalg.copy ins(%s : memref<5x21xf32, strided<[80, 1], offset: 83>>) outs(%d : memref<5x21xf32, strided<[40, 1], offset: 44>>)
  %k = arith.constant 7.0 : f32
  linalg.fill ins(%k : f32) outs(%e : memref<10x1xf32, strided<[40, 1], offset: 40>>)
  func.return
}"""
    x, y = random("f32", (12, 40)), random("f32", (12, 40), 1)
    want = y.copy()
    want[1:6, 4:25] = x[2:12:2, 3:24]
    want[1:11, 0] = 7
    Kernel(text)(x, y)
    same(y, want)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("shape", [(300, 400), (100003,)])
def test_parallel(shape, threads):
    rank = len(shape)
    dims = ", ".join(f"d{k}" for k in range(rank))
    t = f"memref<{'x'.join('?' * rank)}xf32>"
    body = "%r = arith.mulf %a0, %a0 : f32\nlinalg.yield %r : f32"
    kernel = Kernel(
        function([t, t], generic([f"({dims}) -> ({dims})"] * 2, "p" * rank, [("%x0", t)], [("%x1", t)], body)), threads
    )
    assert "scf.parallel" in kernel.loops
    x = random("f32", shape)
    out = np.zeros_like(x)
    kernel(x, out)
    same(out, x * x)


@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3"])
@pytest.mark.parametrize("axis", [0, 1])
def test_reduction_vector_width(axis, target):
    t, u = "memref<?x?xf32>", "memref<?xf32>"
    body = "%r = arith.addf %a0, %a1 : f32\nlinalg.yield %r : f32"
    text = generic([ID2, f"(d0, d1) -> (d{1 - axis})"], "rp" if axis == 0 else "pr", [("%x0", t)], [("%x1", u)], body)
    kernel = Kernel(function([t, u], text), target=target)
    for shape in ((1, 1), (17, 200), (130, 65)):
        x, out = random("f32", shape), random("f32", shape[1 - axis : 2 - axis], 5)
        want = x.astype(np.float64).sum(axis) + out
        kernel(x, out)
        close(out, want)


@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3"])
def test_window_of_a_vector(target):
    """Vectors along a reduction have no parts that are read side by side, though they are whole rows of what is read."""
    types = ["memref<17x4x4xf32>", "memref<3x3xf32>", "memref<17x1x1xf32>"]
    body = "%r = arith.addf %a0, %a2 : f32\nlinalg.yield %r : f32"
    maps = [f"(n, h, w, i, j) -> ({place})" for place in ("n, h * 2 + i, w * 2 + j", "i, j", "n, h, w")]
    inputs = [("%x0", types[0]), ("%x1", types[1])]
    kernel = Kernel(function(types, generic(maps, "ppprr", inputs, [("%x2", types[2])], body)), target=target)
    x, out = random("f32", (17, 4, 4)), np.zeros((17, 1, 1), np.float32)
    kernel(x, np.zeros((3, 3), np.float32), out)
    close(out[:, 0, 0], x[:, :3, :3].astype(np.float64).sum((1, 2)))


@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3"])
def test_vector_width(target):
    t = "memref<?xf32>"
    body = "%r = arith.mulf %a0, %a0 : f32\nlinalg.yield %r : f32"
    kernel = Kernel(
        function([t, t], generic(["(d0) -> (d0)"] * 2, "p", [("%x0", t)], [("%x1", t)], body)), target=target
    )
    assert f"<{cpu_target(target).lanes} x float>" in kernel.ir
    x = random("f32", (101,))
    out = np.zeros_like(x)
    kernel(x, out)
    same(out, x * x)
