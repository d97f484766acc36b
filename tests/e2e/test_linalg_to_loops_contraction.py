"""Contractions against numpy: layouts, element types, odd sizes, convolutions."""

import re

import numpy as np
import pytest
from harness.loops_kernel import DTYPES, Kernel, generic, random

PLAIN = ("(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)")


def maps(*texts):
    """Gives named dims their numbers."""
    result = []
    for text in texts:
        names = [n.strip() for n in text[1 : text.index(")")].split(",")]
        for number, name in enumerate(names):
            text = _rename(text, name, f"d{number}")
        result.append(text)
    return result


def _rename(text, name, new):
    import re

    return re.sub(rf"\b{name}\b", new, text)


def body(element, accumulator, unsigned=False):
    lines, x, y = [], "%a0", "%a1"
    if element != accumulator:
        op = "arith.extf" if accumulator.startswith("f") else "arith.extui" if unsigned else "arith.extsi"
        for k in range(2):
            lines.append(f'%e{k} = "{op}"(%a{k}) : ({element}) -> {accumulator}')
        x, y = "%e0", "%e1"
    suffix = "f" if accumulator.startswith("f") else "i"
    lines.append(f"%p = arith.mul{suffix} {x}, {y} : {accumulator}")
    lines.append(f"%s = arith.add{suffix} %a2, %p : {accumulator}")
    lines.append(f"linalg.yield %s : {accumulator}")
    return "\n".join(lines)


def memref(shape, element):
    return f"memref<{''.join(f'{s}x' for s in shape)}{element}>"


def contraction(index_maps, iterators, shapes, element="f32", accumulator=None, fill=True, unsigned=False):
    accumulator = accumulator or element
    types = [memref(s, t) for s, t in zip(shapes, (element, element, accumulator), strict=True)]
    operands = [(f"%x{k}", t) for k, t in enumerate(types)]
    zero = f"%z = arith.constant {'0.0' if accumulator.startswith('f') else '0'} : {accumulator}\n"
    first = f"{zero}linalg.fill ins(%z : {accumulator}) outs(%x2 : {types[2]})\n" if fill else ""
    text = generic(maps(*index_maps), iterators, operands[:2], operands[2:], body(element, accumulator, unsigned))
    args = ", ".join(f"{n}: {t}" for n, t in operands)
    return f"func.func @f({args}) {{\n{first}{text}func.return\n}}\n"


def check(kernel, a, b, shape, want, accumulator="f32", fill=True, k=1):
    dtype = DTYPES[accumulator]
    out = np.full(shape, 3, dtype)
    want = want if fill else want + 3
    kernel(a, b, out)
    if np.issubdtype(dtype, np.integer):
        np.testing.assert_array_equal(out, want)
    else:
        tolerance = (1e-12 if accumulator == "f64" else 2e-5) * max(1, np.sqrt(k))
        np.testing.assert_allclose(out, want, rtol=tolerance, atol=tolerance)


SIZES = [(1, 1, 1), (2, 3, 4), (6, 64, 16), (7, 65, 33), (13, 5, 100), (20, 130, 600), (3, 64, 1100), (100, 70, 40)]


@pytest.mark.parametrize("fill", [False, True])
def test_dynamic_matmul(fill):
    kernel = Kernel(contraction(PLAIN, "ppr", ["??", "??", "??"], fill=fill))
    assert "relax.contract" in kernel.loops
    for m, n, k in [*SIZES, (0, 5, 5), (5, 0, 5), (5, 7, 0)]:
        a, b = random("f32", (m, k)), random("f32", (k, n), 1)
        check(kernel, a, b, (m, n), a.astype(np.float64) @ b, fill=fill, k=k)


@pytest.mark.sweep
@pytest.mark.parametrize("size", [(6, 64, 64), (7, 65, 33), (20, 130, 600), (50, 24, 30), (33, 40, 520), (12, 9, 90)])
@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
def test_static_matmul(size, layout):
    m, n, k = size
    a_shape = (k, m) if layout[0] == "t" else (m, k)
    b_shape = (n, k) if layout[1] == "t" else (k, n)
    index = [
        f"(m, n, k) -> ({'k, m' if layout[0] == 't' else 'm, k'})",
        f"(m, n, k) -> ({'n, k' if layout[1] == 't' else 'k, n'})",
        PLAIN[2],
    ]
    kernel = Kernel(contraction(index, "ppr", [a_shape, b_shape, (m, n)]))
    assert "relax.contract" in kernel.loops
    a, b = random("f32", a_shape), random("f32", b_shape, 1)
    want = (a.T if layout[0] == "t" else a).astype(np.float64) @ (b.T if layout[1] == "t" else b)
    check(kernel, a, b, (m, n), want, k=k)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("element", "accumulator", "unsigned"),
    [
        ("f16", "f32", False),
        ("bf16", "f32", False),
        ("f64", "f64", False),
        ("i8", "i32", False),
        ("i8", "i32", True),
        ("i16", "i32", False),
        ("i32", "i32", False),
        ("i32", "i64", False),
    ],
)
@pytest.mark.parametrize("width", [None, 64])
def test_element_types(element, accumulator, unsigned, width):
    m, n, k = 25, 70, 75
    a, b = random(element, (m, k)), random(element, (k, n), 1)
    wide = np.float64 if accumulator.startswith("f") else np.int64
    x, y = a, b
    if unsigned:
        x, y = a.view(np.uint8), b.view(np.uint8)
    want = x.astype(wide) @ y.astype(wide)
    if width is None:
        kernel = Kernel(contraction(PLAIN, "ppr", [(m, k), (k, n), (m, n)], element, accumulator, unsigned=unsigned))
        check(kernel, a, b, (m, n), want, accumulator, k=k)
        return
    packed, shape = pack(b)
    index = [PLAIN[0], "(m, n, k) -> (n floordiv 64, k, n mod 64)", PLAIN[2]]
    kernel = Kernel(contraction(index, "ppr", [(m, k), shape, (m, n)], element, accumulator, unsigned=unsigned))
    # B is read where it lies; rows of A are copied if they are converted.
    assert kernel.loops.count("memref.alloca") == (element != accumulator)
    check(kernel, a, packed, (m, n), want, accumulator, k=k)


def pack(b, width=64):
    k, n = b.shape
    blocks = -(-n // width)
    padded = np.zeros((k, blocks * width), b.dtype)
    padded[:, :n] = b
    packed = np.ascontiguousarray(padded.reshape(k, blocks, width).transpose(1, 0, 2))
    return packed, packed.shape


@pytest.mark.parametrize("m", [1, 2, 4, 9])
def test_packed_few_rows(m):
    k, n = 300, 200
    a, b = random("f32", (m, k)), random("f32", (k, n), 1)
    packed, shape = pack(b)
    index = [PLAIN[0], "(m, n, k) -> (n floordiv 64, k, n mod 64)", PLAIN[2]]
    for first in ((m, k), ("?", k)):
        kernel = Kernel(contraction(index, "ppr", [first, shape, (first[0], n)]))
        check(kernel, a, packed, (m, n), a.astype(np.float64) @ b, k=k)


@pytest.mark.parametrize("static", [False, True])
def test_batched(static):
    """Batch dims of both, and of one operand only; attention's two products."""
    b, h, s, d = 2, 3, 17, 40
    q, k = random("f32", (b, h, s, d)), random("f32", (b, h, s, d), 1)
    dims = [(b, h, s, d), (b, h, s, d), (b, h, s, s)] if static else ["????"] * 3
    index = ["(b, h, i, j, d) -> (b, h, i, d)", "(b, h, i, j, d) -> (b, h, j, d)", "(b, h, i, j, d) -> (b, h, i, j)"]
    check(Kernel(contraction(index, "ppppr", dims)), q, k, (b, h, s, s), np.einsum("bhid,bhjd->bhij", q, k), k=d)
    w = random("f32", (d, 50), 2)
    dims = [(b, h, s, d), (d, 50), (b, h, s, 50)] if static else ["????", "??", "????"]
    index = ["(b, h, i, n, d) -> (b, h, i, d)", "(b, h, i, n, d) -> (d, n)", "(b, h, i, n, d) -> (b, h, i, n)"]
    check(Kernel(contraction(index, "ppppr", dims)), q, w, (b, h, s, 50), q @ w, k=d)
    # Heads in the middle: rows of a batch are not neighbors.
    x = random("f32", (b, s, h, d), 3)
    dims = [(b, s, h, d), (b, s, h, d), (b, h, s, s)] if static else ["????"] * 3
    index = ["(b, h, i, j, d) -> (b, i, h, d)", "(b, h, i, j, d) -> (b, j, h, d)", "(b, h, i, j, d) -> (b, h, i, j)"]
    check(Kernel(contraction(index, "ppppr", dims)), x, x, (b, h, s, s), np.einsum("bihd,bjhd->bhij", x, x), k=d)


def conv_reference(x, w, stride, dilation, groups=1):
    n, _, height, width = x.shape
    o, cg, r, s = w.shape
    oh = (height - (r - 1) * dilation - 1) // stride + 1
    ow = (width - (s - 1) * dilation - 1) // stride + 1
    out = np.zeros((n, o, oh, ow))
    for g in range(groups):
        for i in range(r):
            for j in range(s):
                window = x[
                    :,
                    g * cg : (g + 1) * cg,
                    i * dilation : i * dilation + (oh - 1) * stride + 1 : stride,
                    j * dilation : j * dilation + (ow - 1) * stride + 1 : stride,
                ]
                block = slice(g * o // groups, (g + 1) * o // groups)
                out[:, block] += np.einsum("nchw,oc->nohw", window.astype(np.float64), w[block, :, i, j])
    return out


@pytest.mark.sweep
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize(
    ("pixels", "target"),
    [
        (5, "x86-64-v4"),
        *((pixels, target) for pixels in (7, 14) for target in ("x86-64", "x86-64-v3", "x86-64-v4")),
        (30, "x86-64-v3"),
        (30, "x86-64-v4"),
        (70, "x86-64-v4"),
    ],
)
def test_convolution_nchw(stride, dilation, pixels, target):
    """Short rows of pixels share a panel, as many as fit its width."""
    n, c, o, r = 2, 5, 19, 3
    size = (pixels - 1) * stride + (r - 1) * dilation + 1
    x, w = random("f32", (n, c, size, size)), random("f32", (o, c, r, r), 1)
    window = f"y * {stride} + i * {dilation}, z * {stride} + j * {dilation}"
    dims = "(n, o, y, z, c, i, j)"
    index = [f"{dims} -> (n, c, {window})", f"{dims} -> (o, c, i, j)", f"{dims} -> (n, o, y, z)"]
    shapes = [x.shape, w.shape, (n, o, pixels, pixels)]
    kernel = Kernel(contraction(index, "pppprrr", shapes), target=target)
    assert "relax.contract" in kernel.loops
    check(kernel, x, w, shapes[2], conv_reference(x, w, stride, dilation), k=c * r * r)


@pytest.mark.parametrize("stride", [1, 2])
def test_convolution_nhwc(stride):
    n, c, o, r, pixels = 2, 6, 40, 3, 9
    size = (pixels - 1) * stride + r
    x, w = random("f32", (n, c, size, size)), random("f32", (o, c, r, r), 1)
    dims = "(n, y, z, o, i, j, c)"
    index = [
        f"{dims} -> (n, y * {stride} + i, z * {stride} + j, c)",
        f"{dims} -> (i, j, c, o)",
        f"{dims} -> (n, y, z, o)",
    ]
    x_nhwc, w_hwio = np.ascontiguousarray(x.transpose(0, 2, 3, 1)), np.ascontiguousarray(w.transpose(2, 3, 1, 0))
    shapes = [x_nhwc.shape, w_hwio.shape, (n, pixels, pixels, o)]
    kernel = Kernel(contraction(index, "pppprrr", shapes))
    assert "relax.contract" in kernel.loops
    check(kernel, x_nhwc, w_hwio, shapes[2], conv_reference(x, w, stride, 1).transpose(0, 2, 3, 1), k=c * 9)


@pytest.mark.parametrize("groups", [2, 6])
def test_convolution_groups(groups):
    """Grouped, and depthwise: one channel in each group."""
    n, c, o, r, pixels = 1, 6, 12, 3, 20
    x, w = random("f32", (n, c, pixels + 2, pixels + 2)), random("f32", (o, c // groups, r, r), 1)
    dims = "(n, g, o, y, z, c, i, j)"
    index = [f"{dims} -> (n, g, c, y + i, z + j)", f"{dims} -> (g, o, c, i, j)", f"{dims} -> (n, g, o, y, z)"]
    shapes = [
        (n, groups, c // groups, pixels + 2, pixels + 2),
        (groups, o // groups, c // groups, r, r),
        (n, groups, o // groups, pixels, pixels),
    ]
    kernel = Kernel(contraction(index, "ppppprrr", shapes))
    want = conv_reference(x, w, 1, 1, groups).reshape(shapes[2])
    check(kernel, x.reshape(shapes[0]), w.reshape(shapes[1]), shapes[2], want, k=c * 9)


@pytest.mark.parametrize("threads", [1, 3])
def test_parallel_is_the_same(threads):
    m, n, k = 200, 130, 90
    a, b = random("f32", (m, k)), random("f32", (k, n), 1)
    kernel = Kernel(contraction(PLAIN, "ppr", [(m, k), (k, n), (m, n)]), threads=threads)
    assert "scf.parallel" in kernel.loops
    check(kernel, a, b, (m, n), a.astype(np.float64) @ b, k=k)


FEW = {"n": PLAIN, "t": (PLAIN[0], "(m, n, k) -> (n, k)", PLAIN[2])}


@pytest.mark.sweep
@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize("layout", ["n", "t"])
@pytest.mark.parametrize("fill", [False, True])
def test_few_rows(target, layout, fill):
    """B is read in place, by kernels for each number of rows, and by the tiled schedule where there are more."""
    dynamic = Kernel(contraction(FEW[layout], "ppr", ["??", "??", "??"], fill=fill), target=target)
    assert "scf.index_switch" in dynamic.loops
    assert f"relax.contract.{'columns' if layout == 'n' else 'dot'}.4x" in dynamic.loops
    for m, n, k in [(1, 1100, 70), (2, 37, 33), (3, 16, 5), (4, 70, 130), (5, 67, 40), (1, 3, 1), (4, 9, 0), (0, 5, 5)]:
        a, b = random("f32", (m, k)), random("f32", (k, n) if layout == "n" else (n, k), 1)
        want = a.astype(np.float64) @ (b if layout == "n" else b.T)
        check(dynamic, a, b, (m, n), want, fill=fill, k=k)
        if m in (1, 3, 5) and n * k > 3:
            shapes = [(m, k), b.shape, (m, n)]
            static = Kernel(contraction(FEW[layout], "ppr", shapes, fill=fill), target=target)
            check(static, a, b, (m, n), want, fill=fill, k=k)


@pytest.mark.parametrize(("element", "accumulator"), [("f16", "f32"), ("bf16", "f32"), ("f64", "f64"), ("i8", "i32")])
@pytest.mark.parametrize("layout", ["n", "t"])
def test_few_rows_element_types(element, accumulator, layout):
    m, n, k = 2, 70, 75
    a, b = random(element, (m, k)), random(element, (k, n) if layout == "n" else (n, k), 1)
    wide = np.float64 if accumulator.startswith("f") else np.int64
    want = a.astype(wide) @ (b if layout == "n" else b.T).astype(wide)
    text = contraction(FEW[layout], "ppr", [(m, k), b.shape, (m, n)], element, accumulator)
    kernel = Kernel(text)
    assert re.search(r"relax\.contract\.(vpmaddwd\.)?(columns|dot)", kernel.loops)
    check(kernel, a, b, (m, n), want, accumulator, k=k)


@pytest.mark.parametrize("layout", ["n", "t"])
def test_few_rows_batched(layout):
    """The two products of attention with one query."""
    h, s, d = 3, 130, 40
    b_shape = (h, s, d) if layout == "t" else (h, d, s)
    index = [
        "(h, i, j, d) -> (h, i, d)",
        f"(h, i, j, d) -> (h, {'j, d' if layout == 't' else 'd, j'})",
        "(h, i, j, d) -> (h, i, j)",
    ]
    q, b = random("f32", (h, 1, d)), random("f32", b_shape, 1)
    want = np.einsum("hid,hjd->hij" if layout == "t" else "hid,hdj->hij", q, b)
    for shapes in ([q.shape, b.shape, (h, 1, s)], ["???"] * 3):
        kernel = Kernel(contraction(index, "pppr", shapes))
        assert "relax.contract" in kernel.loops
        check(kernel, q, b, (h, 1, s), want, k=d)


@pytest.mark.parametrize(
    ("m", "n", "k"), [(17, 64, 8), (13, 130, 64), (61, 65, 1004), (197, 70, 66), (211, 129, 1100), (307, 64, 7)]
)
def test_packed_blocks_of_rows(m, n, k):
    """Several panels and blocks of rows, with an even number of steps and others: each thread count gives the same bits."""
    a, b = random("f32", (m, k)), random("f32", (k, n), 1)
    packed, shape = pack(b)
    index = [PLAIN[0], "(m, n, k) -> (n floordiv 64, k, n mod 64)", PLAIN[2]]
    results = []
    for threads in (1, 2):
        kernel = Kernel(contraction(index, "ppr", [(m, k), shape, (m, n)]), threads=threads)
        assert (".by4." in kernel.loops) == (k % 4 == 0)
        assert (".by2." in kernel.loops) == (k % 4 == 2)
        # A single step of a narrow tile is less than a line.
        assert "llvm.call_intrinsic" in kernel.loops or k % 2 or not kernel.target.fetches_streams
        check(kernel, a, packed, (m, n), a.astype(np.float64) @ b, k=k)
        out = np.full((m, n), 3, np.float32)
        kernel(a, packed, out)
        results.append(out)
    np.testing.assert_array_equal(*results)
    a[m // 2, k // 2], a[m - 1, 0] = np.nan, np.inf
    out = np.zeros((m, n), np.float32)
    kernel(a, packed, out)
    with np.errstate(invalid="ignore"):
        want = a.astype(np.float64) @ b
    np.testing.assert_array_equal(np.isnan(out), np.isnan(want))
    np.testing.assert_array_equal(np.isposinf(out), np.isposinf(want))


@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3"])
def test_narrow_vectors(target):
    m, n, k = 30, 70, 50
    a, b = random("f32", (m, k)), random("f32", (k, n), 1)
    for layout, index in FEW.items():
        right = np.ascontiguousarray(b if layout == "n" else b.T)
        kernel = Kernel(contraction(index, "ppr", [(m, k), right.shape, (m, n)]), target=target)
        check(kernel, a, right, (m, n), a.astype(np.float64) @ b, k=k)
    packed, shape = pack(b)
    index = [PLAIN[0], "(m, n, k) -> (n floordiv 64, k, n mod 64)", PLAIN[2]]
    kernel = Kernel(contraction(index, "ppr", [(m, k), shape, (m, n)]), target=target)
    check(kernel, a, packed, (m, n), a.astype(np.float64) @ b, k=k)


@pytest.mark.parametrize("shape", [(1, 300, 200), (300, 1, 200), (1, 1, 500)])
def test_vectors(shape):
    """Products with a vector, and of two vectors."""
    m, n, k = shape
    for index, b_shape in ((PLAIN, (k, n)), ((PLAIN[0], "(m, n, k) -> (n, k)", PLAIN[2]), (n, k))):
        a, b = random("f32", (m, k)), random("f32", b_shape, 1)
        want = a.astype(np.float64) @ (b if b_shape == (k, n) else b.T)
        check(Kernel(contraction(index, "ppr", [(m, k), b_shape, (m, n)])), a, b, (m, n), want, k=k)


def test_strided_operands():
    """Slices of larger matrices."""
    text = """
func.func @f(%x: memref<40x90xf32>, %y: memref<90x80xf32>, %z: memref<40x80xf32>) {
  %a = memref.subview %x[1, 2] [19, 40] [2, 1] : memref<40x90xf32> to memref<19x40xf32, strided<[180, 1], offset: 92>>
  %b = memref.subview %y[3, 4] [40, 70] [1, 1] : memref<90x80xf32> to memref<40x70xf32, strided<[80, 1], offset: 244>>
  %c = memref.subview %z[5, 6] [19, 70] [1, 1] : memref<40x80xf32> to memref<19x70xf32, strided<[80, 1], offset: 406>>
  CONTRACTION
  func.return
}"""
    types = ["memref<19x40xf32, strided<[180, 1], offset: 92>>", "memref<40x70xf32, strided<[80, 1], offset: 244>>"]
    out = "memref<19x70xf32, strided<[80, 1], offset: 406>>"
    op = generic(maps(*PLAIN), "ppr", [("%a", types[0]), ("%b", types[1])], [("%c", out)], body("f32", "f32"))
    kernel = Kernel(text.replace("CONTRACTION", op))
    x, y, z = random("f32", (40, 90)), random("f32", (90, 80), 1), random("f32", (40, 80), 2)
    want = z.astype(np.float64)
    want[5:24, 6:76] += x[1:39:2, 2:42].astype(np.float64) @ y[3:43, 4:74]
    kernel(x, y, z)
    np.testing.assert_allclose(z, want, rtol=2e-5, atol=2e-5)
