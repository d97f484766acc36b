"""Row operations that share their outer loops, and ops that must not."""

import numpy as np
import pytest
from harness.loops_kernel import Kernel, generic, random

ID2, ROW, COLUMN = "(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)", "(d0, d1) -> (d1)"
WIDE, NARROW = "memref<?x?xf32>", "memref<?xf32>"
MAXIMUM = "%r = arith.maximumf %a1, %a0 : f32\nlinalg.yield %r : f32"
TOTAL = "%r = arith.addf %a1, %a0 : f32\nlinalg.yield %r : f32"
EXPONENTIAL = "%s = arith.subf %a0, %a1 : f32\n%r = math.exp %s : f32\nlinalg.yield %r : f32"
QUOTIENT = "%r = arith.divf %a0, %a1 : f32\nlinalg.yield %r : f32"


def fill(value, name, target, type_):
    return f"%{name} = arith.constant {value} : f32\nlinalg.fill ins(%{name} : f32) outs({target} : {type_})\n"


def softmax(wide, narrow, offsets, sizes):
    rows = [f"memref.view %ws[%o{k}][{sizes}] : memref<?xi8> to {narrow}" for k in range(2)]
    return f"""
func.func @f(%x: {wide}, %y: {wide}, %ws: memref<?xi8> {{relax.workspace}}) {{
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : {wide}
  {"".join(f"%o{k} = arith.constant {o} : index{chr(10)}" for k, o in enumerate(offsets))}
  %max = {rows[0]}
  {fill("0xff800000", "low", "%max", narrow)}
  {generic([ID2, ROW], "pr", [("%x", wide)], [("%max", narrow)], MAXIMUM)}
  {generic([ID2, ROW, ID2], "pp", [("%x", wide), ("%max", narrow)], [("%y", wide)], EXPONENTIAL)}
  %sum = {rows[1]}
  {fill("0.0", "zero", "%sum", narrow)}
  {generic([ID2, ROW], "pr", [("%y", wide)], [("%sum", narrow)], TOTAL)}
  {generic([ID2, ROW, ID2], "pp", [("%y", wide), ("%sum", narrow)], [("%y", wide)], QUOTIENT)}
  func.return
}}"""


def reference(x):
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


@pytest.mark.parametrize("columns", ["?", "67"])
def test_softmax(columns):
    """The two scratch rows share their place: it is the same place for each row."""
    kernel = Kernel(softmax(f"memref<?x{columns}xf32>", NARROW, (0, 0), "%n"))
    assert kernel.loops.count("scf.parallel") == 1
    for rows, size in ((1, 67), (40, 67), (0, 67), (33, 67 if columns != "?" else 200)):
        x = random("f32", (rows, size))
        y = np.zeros_like(x)
        kernel(x, y, workspace=8192)
        np.testing.assert_allclose(y, reference(x), rtol=3e-6, atol=1e-7)


@pytest.mark.parametrize("offset", [64, 160])
def test_softmax_static_scratch(offset):
    """Scratch rows that overlap without being the same are not joined, those that follow one another are."""
    kernel = Kernel(softmax("memref<40x2000xf32>", "memref<40xf32>", (0, offset), ""))
    assert (kernel.loops.count("scf.parallel") == 1) == (offset == 160)
    x = random("f32", (40, 2000))
    y = np.zeros_like(x)
    kernel(x, y, workspace=8192)
    np.testing.assert_allclose(y, reference(x), rtol=3e-6, atol=1e-7)


def test_layer_norm():
    """Two sums of a row, then its elements, with a weight along the row."""
    wide, narrow, weight = "memref<700x130xf32>", "memref<700xf32>", "memref<130xf32>"
    moments = """%q = arith.mulf %a0, %a0 : f32
%r = arith.addf %a1, %a0 : f32
%s = arith.addf %a2, %q : f32
linalg.yield %r, %s : f32, f32"""
    scale = """%k = arith.constant 130.0 : f32
%m = arith.divf %a1, %k : f32
%q = arith.divf %a2, %k : f32
%mm = arith.mulf %m, %m : f32
%v = arith.subf %q, %mm : f32
%d = math.rsqrt %v : f32
%c = arith.subf %a0, %m : f32
%e = arith.mulf %c, %d : f32
%r = arith.mulf %e, %a3 : f32
linalg.yield %r : f32"""
    text = f"""
func.func @f(%x: {wide}, %w: {weight}, %y: {wide}, %ws: memref<?xi8> {{relax.workspace}}) {{
  %o0 = arith.constant 0 : index
  %o1 = arith.constant 2816 : index
  %a = memref.view %ws[%o0][] : memref<?xi8> to {narrow}
  %b = memref.view %ws[%o1][] : memref<?xi8> to {narrow}
  {fill("0.0", "z0", "%a", narrow)}{fill("0.0", "z1", "%b", narrow)}
  {generic([ID2, ROW, ROW], "pr", [("%x", wide)], [("%a", narrow), ("%b", narrow)], moments)}
  {generic([ID2, ROW, ROW, COLUMN, ID2], "pp", [("%x", wide), ("%a", narrow), ("%b", narrow), ("%w", weight)], [("%y", wide)], scale)}
  func.return
}}"""
    kernel = Kernel(text)
    assert kernel.loops.count("scf.parallel") == 1
    x, w = random("f32", (700, 130)), random("f32", (130,), 1)
    y = np.zeros_like(x)
    kernel(x, w, y, workspace=5632)
    wide_x = x.astype(np.float64)
    want = (wide_x - wide_x.mean(1, keepdims=True)) / wide_x.std(1, keepdims=True) * w
    np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-5)


def test_transposed_use_is_not_joined():
    """The second op reads other rows than the first has written."""
    square = "memref<64x64xf32>"
    first = generic([ID2, ROW], "pr", [("%x", square)], [("%m", "memref<64xf32>")], TOTAL)
    double = "%r = arith.mulf %a0, %a1 : f32\nlinalg.yield %r : f32"
    second = generic([ID2, COLUMN, ID2], "pp", [("%x", square), ("%m", "memref<64xf32>")], [("%y", square)], double)
    text = f"func.func @f(%x: {square}, %m: memref<64xf32>, %y: {square}) {{\n{first}{second}func.return\n}}"
    x, m = random("f32", (64, 64)), np.zeros(64, np.float32)
    y = np.zeros_like(x)
    Kernel(text)(x, m, y)
    np.testing.assert_allclose(y, x * m, rtol=1e-6)
    np.testing.assert_allclose(m, x.astype(np.float64).sum(1), rtol=1e-4, atol=1e-5)


def linear(m, k, n, layout, residual_in_place=False):
    """A product, plus a bias, relu, plus a residual."""
    a, b, c = f"memref<{m}x{k}xf32>", f"memref<{k}x{n}xf32>", f"memref<{m}x{n}xf32>"
    vector = f"memref<{n}xf32>"
    product = "%p = arith.mulf %a0, %a1 : f32\n%s = arith.addf %a2, %p : f32\nlinalg.yield %s : f32"
    product_maps = ["(d0, d1, d2) -> (d0, d2)", "(d0, d1, d2) -> (d2, d1)", "(d0, d1, d2) -> (d0, d1)"]
    bias = """%zz = arith.constant 0.0 : f32
%s = arith.addf %a0, %a1 : f32
%r = arith.maximumf %s, %zz : f32
linalg.yield %r : f32"""
    plus = "%s = arith.addf %a0, %a1 : f32\nlinalg.yield %s : f32"
    out = f"memref<{n}x{m}xf32>" if layout == "transposed" else c
    out_map = "(d0, d1) -> (d1, d0)" if layout == "transposed" else ID2
    target = "%res" if residual_in_place else "%y"
    return f"""
func.func @f(%x: {a}, %w: {b}, %b: {vector}, %res: {c}, %t: {c}, %u: {c}, %y: {out}) {{
  {fill("0.0", "zero", "%t", c)}
  {generic(product_maps, "ppr", [("%x", a), ("%w", b)], [("%t", c)], product)}
  {generic([ID2, COLUMN, ID2], "pp", [("%t", c), ("%b", vector)], [("%u", c)], bias)}
  {generic([ID2, ID2, out_map], "pp", [("%u", c), ("%res", c)], [(target, out)], plus)}
  func.return
}}"""


@pytest.mark.sweep(4)
@pytest.mark.parametrize("layout", ["plain", "transposed"])
@pytest.mark.parametrize("sizes", [(13, 40, 70), (64, 600, 64), ("?", 30, 100), (40, 1100, "?")])
def test_epilogue(sizes, layout):
    """Runs on tiles of the product; a transposed result does not."""
    m, k, n = (33 if s == "?" else s for s in sizes)
    kernel = Kernel(linear(sizes[0], sizes[1], sizes[2], layout))
    # The transposed result is written by vectors that are turned in registers (16 rows at a time), in loops of its own.
    assert m < 16 or ("vector.shuffle" in kernel.loops) == (layout == "transposed")
    arrays = [random("f32", s, i) for i, s in enumerate([(m, k), (k, n), (n,), (m, n)])]
    x, w, b, r = arrays
    t, u = (np.zeros((m, n), np.float32) for _ in range(2))
    y = np.zeros((n, m) if layout == "transposed" else (m, n), np.float32)
    kernel(*arrays, t, u, y)
    want = np.maximum(x.astype(np.float64) @ w + b, 0) + r
    np.testing.assert_allclose(y, want.T if layout == "transposed" else want, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(t, x.astype(np.float64) @ w, rtol=1e-4, atol=1e-3)


def test_epilogue_in_place():
    kernel = Kernel(linear(13, 40, 70, "plain", residual_in_place=True))
    x, w, b, r = (random("f32", s, i) for i, s in enumerate([(13, 40), (40, 70), (70,), (13, 70)]))
    t, u, y = (np.zeros((13, 70), np.float32) for _ in range(3))
    want = np.maximum(x.astype(np.float64) @ w + b, 0) + r
    kernel(x, w, b, r, t, u, y)
    np.testing.assert_allclose(r, want, rtol=1e-4, atol=1e-4)


def test_epilogue_does_not_overwrite_an_operand():
    """The activation is written over the product's own input, which other tiles still need."""
    c = "memref<70x70xf32>"
    product = "%p = arith.mulf %a0, %a1 : f32\n%s = arith.addf %a2, %p : f32\nlinalg.yield %s : f32"
    maps = ["(d0, d1, d2) -> (d0, d2)", "(d0, d1, d2) -> (d2, d1)", "(d0, d1, d2) -> (d0, d1)"]
    negate = "%r = arith.negf %a0 : f32\nlinalg.yield %r : f32"
    text = f"""
func.func @f(%x: {c}, %w: {c}, %t: {c}) {{
  {fill("0.0", "zero", "%t", c)}
  {generic(maps, "ppr", [("%x", c), ("%w", c)], [("%t", c)], product)}
  {generic([ID2, ID2], "pp", [("%t", c)], [("%x", c)], negate)}
  func.return
}}"""
    x, w = random("f32", (70, 70)), random("f32", (70, 70), 1)
    t = np.zeros_like(x)
    want = -(x.astype(np.float64) @ w)
    Kernel(text)(x, w, t)
    np.testing.assert_allclose(x, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("planes", [64, 1, 0, 37])
def test_padding_by_planes(planes):
    """A plane is filled and then written inside; what reads all of it comes after."""
    inside, wide = "memref<?x7x19xf32, strided<[243, 27, 1], offset: 29>>", "memref<?x9x27xf32>"
    id3 = "(d0, d1, d2) -> (d0, d1, d2)"
    copy = generic([id3, id3], "ppp", [("%x", "memref<?x7x19xf32>")], [("%inside", inside)], "linalg.yield %a0 : f32")
    double = "%r = arith.addf %a0, %a0 : f32\nlinalg.yield %r : f32"
    kernel = Kernel(f"""
func.func @f(%x: memref<?x7x19xf32>, %y: {wide}, %z: {wide}) {{
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x7x19xf32>
  {fill("1.5", "value", "%y", wide)}
  %inside = memref.subview %y[0, 1, 2] [%n, 7, 19] [1, 1, 1] : {wide} to {inside}
  {copy}
  {generic([id3, id3], "ppp", [("%y", wide)], [("%z", wide)], double)}
  func.return
}}""")
    x = random("f32", (planes, 7, 19))
    y, z = np.zeros((planes, 9, 27), np.float32), np.zeros((planes, 9, 27), np.float32)
    kernel(x, y, z)
    np.testing.assert_array_equal(y, np.pad(x, ((0, 0), (1, 1), (2, 6)), constant_values=1.5))
    np.testing.assert_array_equal(z, y + y)
