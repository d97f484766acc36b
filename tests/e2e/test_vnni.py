"""Contractions of 8-bit elements in i32, by `vpdpbusd`, by `vpmaddwd`, and without either, against numpy in i64."""

import itertools
import os
import re

import numpy as np
import pytest
from harness.loops_kernel import Kernel, generic
from xdsl_relax.targets.cpu import host_target

VNNI, NARROW, WORDS, PLAIN = "znver4", "alderlake", "x86-64-v3", "x86-64"
"""Targets with `vpdpbusd` on vectors of 512 and of 256 bits, one with `vpmaddwd` on those of 256 bits, and one where neither is used."""

requires_vnni = pytest.mark.skipif(
    not {"avx512vnni", "avx512vl"} <= host_target().features, reason="the processor has no AVX512-VNNI"
)
requires_avx2 = pytest.mark.skipif("avx2" not in host_target().features, reason="the processor has no AVX2")
DTYPES = {"s": np.int8, "u": np.uint8}
LEFT = {"n": "(d0, d1, d2) -> (d0, d2)", "t": "(d0, d1, d2) -> (d2, d0)"}
RIGHT = {
    "n": "(d0, d1, d2) -> (d2, d1)",
    "t": "(d0, d1, d2) -> (d1, d2)",
    "p": "(d0, d1, d2) -> (d1 floordiv 64, d2 floordiv 4, d1 mod 64, d2 mod 4)",
}
SIGNS = ["us", "su", "ss", "uu"]
EXTREMES = {"s": (-128, 127), "u": (0, 255)}


def body(signs: str) -> str:
    return f"""%p = arith.ext{signs[0]}i %a0 : i8 to i32
%q = arith.ext{signs[1]}i %a1 : i8 to i32
%r = arith.muli %p, %q : i32
%s = arith.addi %a2, %r : i32
linalg.yield %s : i32"""


def function(maps, iterators, types, signs, fill=True) -> str:
    names = [f"%x{k}" for k in range(3)]
    operands = list(zip(names, types, strict=True))
    zero = f"%z = arith.constant 0 : i32\nlinalg.fill ins(%z : i32) outs(%x2 : {types[2]})\n" if fill else ""
    text = generic(maps, iterators, operands[:2], operands[2:], body(signs))
    return f"func.func @f({', '.join(f'{n}: {t}' for n, t in operands)}) {{\n{zero}{text}func.return\n}}"


def memref(shape, element="i8", dynamic=False) -> str:
    return f"memref<{''.join('?x' if dynamic else f'{s}x' for s in shape)}{element}>"


def packed(matrix: np.ndarray) -> np.ndarray:
    """Blocks of 64 columns, in which four rows lie together."""
    rows, columns = matrix.shape
    padded = np.pad(matrix, ((0, -rows % 4), (0, -columns % 64)))
    return np.ascontiguousarray(padded.reshape(-(-rows // 4), 4, -(-columns // 64), 64).transpose(2, 0, 3, 1))


def elements(rng, sign: str, shape, extreme: bool) -> np.ndarray:
    low, high = EXTREMES[sign]
    if extreme:
        return rng.choice(np.array([low, high], DTYPES[sign]), shape)
    return rng.integers(low, high, shape, DTYPES[sign], endpoint=True)


def check_matmul(size, layout, signs, *, fill=True, dynamic=False, extreme=False, target=VNNI) -> Kernel:
    m, n, k = size
    rng = np.random.default_rng(m + 3 * n + 5 * k)
    left, right = elements(rng, signs[0], (m, k), extreme), elements(rng, signs[1], (k, n), extreme)
    a = left if layout[0] == "n" else np.ascontiguousarray(left.T)
    b = {"n": lambda: right, "t": lambda: np.ascontiguousarray(right.T), "p": lambda: packed(right)}[layout[1]]()
    types = [memref(a.shape, dynamic=dynamic), memref(b.shape, dynamic=dynamic), memref((m, n), "i32", dynamic)]
    maps = [LEFT[layout[0]], RIGHT[layout[1]], "(d0, d1, d2) -> (d0, d1)"]
    kernel = Kernel(function(maps, "ppr", types, signs, fill), target=target)
    out = np.full((m, n), 7, np.int32)
    kernel(a, b, out)
    # i32 sums wrap around.
    want = left.astype(np.int64) @ right.astype(np.int64) + (0 if fill else 7)
    np.testing.assert_array_equal(out, want.astype(np.int32), f"{size} {layout} {signs}")
    return kernel


# Odd numbers of rows, columns and steps, and more steps than a panel has.
SIZES = [(16, 64, 64), (31, 67, 33), (13, 130, 2051), (97, 5, 66), (20, 16, 3), (9, 513, 7)]


@pytest.mark.sweep
@requires_vnni
@pytest.mark.parametrize("layout", ["nn", "nt", "np"])
@pytest.mark.parametrize("signs", SIGNS)
def test_matmul(layout, signs):
    for number, size in enumerate(SIZES[SIGNS.index(signs) % 3 :: 3]):
        kernel = check_matmul(size, layout, signs, fill=number % 2 == 0)
        if np.prod(size) >= 1 << 13:
            assert "vpdpbusd.512" in kernel.ir


UNKNOWN = [(1, 1, 1), (5, 67, 1), (31, 17, 66), (9, 3, 0), (9, 0, 3), (0, 4, 4), (33, 130, 600)]
"""Rows, columns and steps of products whose sizes run time knows."""


def check_unknown_sizes(signs, target, instruction, sizes, *, extreme):
    """Compares products by an instruction, compiled once for all sizes, with those of numpy."""
    rng = np.random.default_rng(0)
    maps = [LEFT["n"], RIGHT["n"], "(d0, d1, d2) -> (d0, d1)"]
    types = [memref("??", dynamic=True), memref("??", dynamic=True), memref("??", "i32", True)]
    kernel = Kernel(function(maps, "ppr", types, signs), target=target)
    assert instruction in kernel.ir
    for m, n, k in sizes:
        a, b = elements(rng, signs[0], (m, k), extreme), elements(rng, signs[1], (k, n), extreme)
        out = np.full((m, n), 7, np.int32)
        kernel(a, b, out)
        np.testing.assert_array_equal(out, a.astype(np.int64) @ b.astype(np.int64), f"{m}x{n}x{k}")


@pytest.mark.sweep
@requires_vnni
@pytest.mark.parametrize("signs", SIGNS)
def test_dynamic_and_empty(signs):
    check_unknown_sizes(signs, VNNI, "vpdpbusd.512", UNKNOWN, extreme=False)


@requires_vnni
@pytest.mark.parametrize("signs", SIGNS)
def test_extreme_sums_do_not_saturate(signs):
    # Pairs of products exceed i16: what the older instructions of x86 saturate.
    for layout in ("nn", "nt", "np"):
        kernel = check_matmul((12, 64, 260), layout, signs, extreme=True)
        assert "vpdpbusd.512" in kernel.ir


@requires_vnni
def test_sums_wrap_around():
    rng = np.random.default_rng(1)
    a, b = np.full((9, 400), 255, np.uint8), rng.choice(np.array([-128], np.int8), (400, 64))
    maps = [LEFT["n"], RIGHT["n"], "(d0, d1, d2) -> (d0, d1)"]
    types = [memref((9, 400)), memref((400, 64)), memref((9, 64), "i32")]
    kernel = Kernel(function(maps, "ppr", types, "us", False), target=VNNI)
    out = np.full((9, 64), np.iinfo(np.int32).min + 5, np.int32)
    kernel(a, b, out)
    want = np.iinfo(np.int32).min + 5 - 255 * 128 * 400 + 2**32
    assert "vpdpbusd.512" in kernel.ir and (out == want).all()


@requires_vnni
def test_narrower_vectors():
    for signs in ("us", "ss"):
        assert "vpdpbusd.256" in check_matmul((31, 67, 33), "nn", signs, target=NARROW).ir


@requires_vnni
def test_steps_that_are_no_neighbors():
    for signs, layout in itertools.product(("us", "ss"), ("tn", "tt", "tp")):
        for size in ((31, 67, 130), (13, 70, 2051), (9, 9, 1023)):
            assert "vpdpbusd.512" in check_matmul(size, layout, signs, extreme=signs[0] == "u").ir


@pytest.mark.sweep
@pytest.mark.parametrize("layout", ["nn", "nt", "np", "tn", "tp"])
def test_without_the_instruction(layout):
    for signs in ("us", "ss"):
        kernel = check_matmul((31, 67, 130), layout, signs, target=PLAIN, extreme=signs[0] == "u")
        assert not re.search("vpdpbusd|pmadd", kernel.ir) and "relax.contract" in kernel.loops


@pytest.mark.sweep
@requires_avx2
@pytest.mark.parametrize("layout", ["nn", "nt", "np", "tn", "tt", "tp"])
@pytest.mark.parametrize("signs", SIGNS)
def test_words(layout, signs):
    sizes = [*SIZES, (1, 65, 127), (7, 63, 5), (129, 1, 1), (129, 65, 3), (5, 5, 3), (7, 64, 1024), (33, 64, 1028)]
    for number, size in enumerate(sizes[SIGNS.index(signs) % 2 :: 2]):
        kernel = check_matmul(size, layout, signs, fill=number % 2 == 0, extreme=number % 3 == 0, target=WORDS)
        if np.prod(size) >= 1 << 13 and size[0] > 4:
            assert "llvm.x86.avx2.pmadd.wd" in kernel.ir


@pytest.mark.sweep(2)
@requires_avx2
@pytest.mark.parametrize("signs", SIGNS)
def test_words_of_unknown_number(signs):
    check_unknown_sizes(signs, WORDS, "llvm.x86.avx2.pmadd.wd", [*UNKNOWN, (2, 65, 127)], extreme=True)


@pytest.mark.sweep(4)
@requires_avx2
@pytest.mark.parametrize("rows", [1, 7, 16, 129])
@pytest.mark.parametrize("dynamic", [False, True])
def test_blocks_that_are_fetched(rows, dynamic):
    # Larger than a cache of the second level, so that tiles fetch the next panel; the last ones fetch beyond the end.
    rng = np.random.default_rng(rows)
    left, right = rng.integers(-255, 256, (rows, 1066), np.int16), elements(rng, "s", (1066, 1040), True)
    block = packed(right)
    types = [
        memref(("?" if dynamic else rows, 1066), "i16"),
        memref(block.shape),
        memref(("?" if dynamic else rows, 1040), "i32"),
    ]
    maps = [LEFT["n"], RIGHT["p"], "(d0, d1, d2) -> (d0, d1)"]
    text = (
        function(maps, "ppr", types, "ss").replace("extsi %a0 : i8", "extsi %a0 : i16").replace("%a0: i8", "%a0: i16")
    )
    kernel, out = Kernel(text, target=WORDS), np.full((rows, 1040), 7, np.int32)
    kernel(left, block, out)
    # Panels fetch what they are widened from themselves, and where there are enough rows tiles do so before.
    assert kernel.ir.count("call void @llvm.prefetch") == (2 if dynamic or rows > 7 else 1)
    np.testing.assert_array_equal(out, left.astype(np.int64) @ right.astype(np.int64))


@requires_vnni
def test_other_accumulators_do_not_use_it():
    types = [memref((16, 64)), memref((64, 64)), memref((16, 64), "i64")]
    text = function([LEFT["n"], RIGHT["n"], "(d0, d1, d2) -> (d0, d1)"], "ppr", types, "us", False)
    kernel = Kernel(text.replace("i32", "i64"), target=VNNI)
    assert "vpdpbusd" not in kernel.ir


CONVOLUTIONS = {
    # (image, kernel, result) over n, output channel, row, column, input channel, window row, window column.
    "nchw": ("d0, d4, d2 * {s} + d5, d3 * {s} + d6", "d1, d4, d5, d6", "d0, d1, d2, d3"),
    "nhwc": ("d0, d2 * {s} + d5, d3 * {s} + d6, d4", "d5, d6, d4, d1", "d0, d2, d3, d1"),
    "nhwc, ohwi": ("d0, d2 * {s} + d5, d3 * {s} + d6, d4", "d1, d5, d6, d4", "d0, d2, d3, d1"),
}


@pytest.mark.sweep
@pytest.mark.parametrize("target", [pytest.param(VNNI, marks=requires_vnni), pytest.param(WORDS, marks=requires_avx2)])
@pytest.mark.parametrize("layout", CONVOLUTIONS)
@pytest.mark.parametrize(
    ("signs", "images", "inputs", "outputs", "size", "window", "stride"),
    [
        ("us", 1, 3, 8, 11, 3, 1),
        ("ss", 2, 5, 7, 9, 3, 2),
        ("uu", 1, 8, 64, 14, 1, 1),
        ("su", 1, 16, 33, 9, 3, 1),
        ("us", 1, 20, 65, 9, 3, 1),
        ("us", 2, 29, 70, 9, 2, 2),
        ("ss", 1, 68, 20, 8, 1, 1),
        ("us", 1, 132, 16, 8, 3, 1),
    ],
)
def test_convolution(target, layout, signs, images, inputs, outputs, size, window, stride):
    rng = np.random.default_rng(inputs)
    image = elements(rng, signs[0], (images, inputs, size, size), False)
    kernel = elements(rng, signs[1], (outputs, inputs, window, window), False)
    windows = np.lib.stride_tricks.sliding_window_view(image.astype(np.int64), (window, window), (2, 3))
    want = np.einsum("ncyxij,ocij->noyx", windows[:, :, ::stride, ::stride], kernel.astype(np.int64))
    if layout != "nchw":
        image = image.transpose(0, 2, 3, 1)
        kernel = kernel.transpose((2, 3, 1, 0) if layout == "nhwc" else (0, 2, 3, 1))
        want = want.transpose(0, 2, 3, 1)
    arrays = [np.ascontiguousarray(image), np.ascontiguousarray(kernel), np.full(want.shape, 7, np.int32)]
    dims = ", ".join(f"d{k}" for k in range(7))
    maps = [f"({dims}) -> ({m.format(s=stride)})" for m in CONVOLUTIONS[layout]]
    types = [memref(x.shape, t) for x, t in zip(arrays, ("i8", "i8", "i32"), strict=True)]
    compiled = Kernel(function(maps, "pppprrr", types, signs), target=target)
    compiled(*arrays)
    np.testing.assert_array_equal(arrays[2], want)
    assert ("vpdpbusd.512" if target == VNNI else "llvm.x86.avx2.pmadd.wd") in compiled.ir


@pytest.mark.sweep
@requires_vnni
@pytest.mark.parametrize("count", [4, 8, 12, 16, 24, 32, 48, 64, 100])
@pytest.mark.parametrize("signs", SIGNS)
def test_sums_of_one_vector(signs, count):
    rng = np.random.default_rng(count)
    x, y = (elements(rng, sign, shape, False) for sign, shape in zip(signs, ((3, count), (count,)), strict=True))
    types = [memref(shape, element) for shape, element in (((3, count), "i8"), ((count,), "i8"), ((3,), "i32"))]
    maps = ["(d0, d1) -> (d0, d1)", "(d0, d1) -> (d1)", "(d0, d1) -> (d0)"]
    sums = np.zeros(3, np.int32)
    Kernel(function(maps, "pr", types, signs), target=VNNI)(x, y, sums)
    np.testing.assert_array_equal(sums, x.astype(np.int64) @ y.astype(np.int64))


@requires_vnni
def test_random_matmuls():
    """`RELAX_VNNI_MATMULS` says how many."""
    rng = np.random.default_rng(int(os.environ.get("RELAX_VNNI_SEED", "0")))
    for _ in range(int(os.environ.get("RELAX_VNNI_MATMULS", "4"))):
        size = (rng.choice([1, 2, 5, 13, 31]), rng.choice([1, 3, 17, 64, 97]), rng.choice([1, 3, 16, 67, 515, 2051]))
        layout = str(rng.choice(["nn", "nt", "np", "tn", "tp"]))
        check_matmul(
            tuple(map(int, size)),
            layout,
            str(rng.choice(SIGNS)),
            fill=bool(rng.integers(2)),
            dynamic=layout[1] != "p" and bool(rng.integers(2)),
            extreme=bool(rng.integers(2)),
            target=str(rng.choice([VNNI, NARROW, WORDS, PLAIN])),
        )
