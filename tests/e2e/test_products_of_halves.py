"""Contractions of bf16, by `vdpbf16ps` and without it, and of f16, in f32: against numpy in f64."""

import itertools

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from harness.loops_kernel import DTYPES, Kernel, generic
from xdsl_relax.targets.cpu import host_target

BF16, PLAIN, NARROW = "znver4", "x86-64-v4", "x86-64-v3"
"""Targets with `vdpbf16ps`, without it, and with vectors of 256 bits."""

requires_bf16 = pytest.mark.skipif(
    not {"avx512bf16", "avx512vl"} <= host_target().features, reason="the processor has no AVX512-BF16"
)
LEFT = {"n": "(d0, d1, d2) -> (d0, d2)", "t": "(d0, d1, d2) -> (d2, d0)", "s": "(d0, d1, d2) -> (d0, d2, 0)"}
RIGHT = {"n": "(d0, d1, d2) -> (d2, d1)", "t": "(d0, d1, d2) -> (d1, d2)"}
BODY = """%p = arith.extf %a0 : {e} to f32
%q = arith.extf %a1 : {e} to f32
%r = arith.mulf %p, %q : f32
%s = arith.addf %a2, %r : f32
linalg.yield %s : f32"""


def function(maps, types, element, fill=True) -> str:
    names = [f"%x{k}" for k in range(3)]
    operands = list(zip(names, types, strict=True))
    zero = f"%z = arith.constant 0.0 : f32\nlinalg.fill ins(%z : f32) outs(%x2 : {types[2]})\n" if fill else ""
    text = generic(maps, "ppr", operands[:2], operands[2:], BODY.format(e=element))
    return f"func.func @f({', '.join(f'{n}: {t}' for n, t in operands)}) {{\n{zero}{text}func.return\n}}"


def memref(shape, element, dynamic=False) -> str:
    return f"memref<{''.join('?x' if dynamic else f'{s}x' for s in shape)}{element}>"


def numbers(rng, shape, dtype, special: bool) -> np.ndarray:
    result = rng.standard_normal(shape)
    if special and result.size:
        for value in (np.inf, -np.inf, np.nan, 0.0, -0.0):
            result[rng.random(shape) < 0.01] = value
        # The last step alone, where a group has no second one.
        result.flat[-1] = np.inf
    return result.astype(dtype)


def check_product(result, left, right, start=0.0):
    wide, other = left.astype(np.float64), right.astype(np.float64)
    with np.errstate(invalid="ignore"):
        want = wide @ other + start
        finite = [np.where(np.isfinite(x), abs(x), 0) for x in (wide, other)]
    # Sums in f32, in whatever order.
    bound = (left.shape[1] + 2) * 2.0**-24 * (finite[0] @ finite[1] + abs(start))
    same = np.isfinite(want)
    np.testing.assert_array_equal(result[~same], want[~same].astype(np.float32))
    assert (abs(result[same] - want[same]) <= bound[same]).all()


def check_matmul(size, layout, element, target, *, fill=True, dynamic=False, special=False) -> Kernel:
    m, n, k = size
    rng = np.random.default_rng(m + 3 * n + 5 * k)
    left, right = (numbers(rng, shape, DTYPES[element], special) for shape in ((m, k), (k, n)))
    a = {"n": left, "t": left.T, "s": np.stack([left, left + left], -1)}[layout[0]]
    b = right if layout[1] == "n" else right.T
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    types = [memref(x.shape, element, dynamic) for x in (a, b)]
    kernel = Kernel(
        function(
            [LEFT[layout[0]], RIGHT[layout[1]], "(d0, d1, d2) -> (d0, d1)"],
            [*types, memref((m, n), "f32", dynamic)],
            element,
            fill,
        ),
        target=target,
    )
    out = np.full((m, n), 7, np.float32)
    kernel(a, b, out)
    check_product(out, left, right, 0 if fill else 7)
    return kernel


# Odd numbers of rows, columns and steps, more steps than a panel has, few steps, and few rows.
SIZES = [
    [(16, 64, 64), (17, 65, 63), (63, 130, 33), (13, 130, 2051)],
    [(97, 5, 67), (200, 70, 3), (65, 66, 2), (9, 1025, 1)],
    [(1, 200, 101), (2, 300, 65), (3, 67, 129), (4, 1100, 17), (8, 64, 1031)],
]


@pytest.mark.sweep
@requires_bf16
@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt", "sn"])
@pytest.mark.parametrize("sizes", SIZES, ids=["large", "short", "skinny"])
def test_bf16(layout, sizes):
    for number, size in enumerate(sizes):
        kernel = check_matmul(size, layout, "bf16", BF16, fill=number % 2 == 0, special=number % 2 == 1)
        skinny = size[0] <= 8 and layout != "tt"
        if size[2] > 1 and np.prod(size) >= 1 << 13 and (layout[0] == "n" or not skinny):
            assert "dpbf16ps.512" in kernel.ir


@pytest.mark.sweep
@pytest.mark.parametrize("element", ["bf16", "f16"])
@pytest.mark.parametrize(
    ("layout", "target"), [("nn", PLAIN), ("tt", PLAIN), ("sn", PLAIN), ("tn", NARROW), ("nt", NARROW)]
)
def test_conversion(element, layout, target):
    for number, size in enumerate(itertools.chain.from_iterable(SIZES)):
        if number % 3 == len(layout + target) % 3:
            assert "dpbf16" not in check_matmul(size, layout, element, target, special=number % 2 == 0).ir


@requires_bf16
@pytest.mark.parametrize("layout", ["nn", "tt"])
def test_dynamic_and_empty(layout):
    rng = np.random.default_rng(0)
    maps = [LEFT[layout[0]], RIGHT[layout[1]], "(d0, d1, d2) -> (d0, d1)"]
    types = [memref("??", "bf16", True), memref("??", "bf16", True), memref("??", "f32", True)]
    kernel = Kernel(function(maps, types, "bf16"), target=BF16)
    assert "dpbf16ps.512" in kernel.ir
    for m, n, k in [(1, 1, 1), (5, 67, 1), (31, 17, 67), (9, 3, 0), (9, 0, 3), (0, 4, 4), (33, 130, 1031), (2, 65, 7)]:
        left, right = (numbers(rng, shape, ml_dtypes.bfloat16, False) for shape in ((m, k), (k, n)))
        out = np.full((m, n), 7, np.float32)
        a, b = (x if side == "n" else x.T for x, side in zip((left, right), layout, strict=True))
        kernel(np.ascontiguousarray(a), np.ascontiguousarray(b), out)
        check_product(out, left, right)


@requires_bf16
def test_subnormals_are_zero():
    """`vdpbf16ps` takes subnormal factors as 0, and makes subnormal sums 0."""
    tiny = np.float32(2.0**-130).astype(ml_dtypes.bfloat16)
    kernel = check_matmul((16, 64, 64), "nn", "bf16", BF16)
    small = np.full((16, 64), 2.0**-70, ml_dtypes.bfloat16)
    for left, right in (
        (np.full((16, 64), tiny), np.full((64, 64), 1, ml_dtypes.bfloat16)),
        (small, np.full((64, 64), 2.0**-70, ml_dtypes.bfloat16)),
    ):
        out = np.full((16, 64), 7, np.float32)
        kernel(left, right, out)
        assert (out == 0).all()


MODULE = """
func.func @main(%x: tensor<3x?x67xELEMENT, #relax.sym<n>>, %w: tensor<3x67x130xELEMENT>, %b: tensor<130xELEMENT>)
    -> (tensor<3x?x130xELEMENT, #relax.sym<n>>, tensor<3x?x130xf32, #relax.sym<n>>) {
  %r:2 = relax.dataflow {
    %y = relax.matmul %x, %w : (tensor<3x?x67xELEMENT, #relax.sym<n>>, tensor<3x67x130xELEMENT>) -> tensor<3x?x130xELEMENT, #relax.sym<n>>
    %z = relax.add %y, %b : (tensor<3x?x130xELEMENT, #relax.sym<n>>, tensor<130xELEMENT>) -> tensor<3x?x130xELEMENT, #relax.sym<n>>
    %s = relax.nn.relu %z : (tensor<3x?x130xELEMENT, #relax.sym<n>>) -> tensor<3x?x130xELEMENT, #relax.sym<n>>
    %t = relax.matmul %x, %w {out_dtype = f32} : (tensor<3x?x67xELEMENT, #relax.sym<n>>, tensor<3x67x130xELEMENT>) -> tensor<3x?x130xf32, #relax.sym<n>>
    relax.output %s, %t : tensor<3x?x130xELEMENT, #relax.sym<n>>, tensor<3x?x130xf32, #relax.sym<n>>
  } : tensor<3x?x130xELEMENT, #relax.sym<n>>, tensor<3x?x130xf32, #relax.sym<n>>
  return %r#0, %r#1 : tensor<3x?x130xELEMENT, #relax.sym<n>>, tensor<3x?x130xf32, #relax.sym<n>>
}
"""


@pytest.mark.sweep(2)
@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_batches_epilogues_and_threads(element):
    """Results are rounded once, epilogues run on them, and threads change no bit."""
    text = MODULE.replace("ELEMENT", element)
    alone, shared = (xdsl_relax.compile(text, threads=threads) for threads in (1, 2))
    rng = np.random.default_rng(0)
    right, bias = (numbers(rng, shape, DTYPES[element], False) for shape in ((3, 67, 130), (130,)))
    for rows in (0, 1, 3, 17, 301):
        left = numbers(rng, (3, rows, 67), DTYPES[element], False)
        results = alone["main"](left, right, bias)
        for result, other in zip(results, shared["main"](left, right, bias), strict=True):
            np.testing.assert_array_equal(result.astype(np.float32), other.astype(np.float32))
        rounded, wide = results
        for batch in range(3):
            check_product(wide[batch], left[batch], right[batch])
        sums = wide.astype(DTYPES[element]).astype(np.float32) + bias.astype(np.float32)
        want = np.maximum(sums.astype(DTYPES[element]), 0)
        np.testing.assert_array_equal(rounded.astype(np.float32), want.astype(np.float32))


@pytest.mark.parametrize("target", [PLAIN, NARROW])
@pytest.mark.parametrize("shape", [(13, 512, 1040), (8, 1024, 520)])
def test_more_columns_than_a_cache_holds(shape, target):
    """The right matrix fills the second-level cache of the targets: rows are converted once for several tiles' columns."""
    m, k, n = shape
    a, b, c = (f"tensor<{x}x{y}xf16>" for x, y in ((m, k), (k, n), (m, n)))
    text = f"""func.func @main(%x: {a}, %y: {b}) -> {c} {{
      %z = relax.matmul %x, %y : ({a}, {b}) -> {c}
      return %z : {c}
    }}"""
    rng = np.random.default_rng(0)
    left, right = (rng.standard_normal(each).astype(np.float16) for each in ((m, k), (k, n)))
    result = xdsl_relax.compile(text, target=target)["main"](left, right)
    want = left.astype(np.float64) @ right.astype(np.float64)
    np.testing.assert_allclose(result, want, rtol=2e-3, atol=2e-2)
