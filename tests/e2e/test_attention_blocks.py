"""Attention that is computed for some rows at a time (`relax-fuse-attention`, `tile-attention`), against numpy in f64."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.lowering.pipeline import STAGES

DTYPES: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f64": np.float64}
TOLERANCE = {"f32": 2e-5, "f16": 4e-3, "bf16": 3e-2, "f64": 1e-12}


def run(text: str, *arrays: Any, threads: int = 1, columns: int = 0) -> np.ndarray:
    """The result of a program whose attention is in blocks of some rows, with all columns or with some after the others."""
    # With a cache as small as that, few rows go together whatever their columns.
    tiles = f"tile-attention{{cache=1 columns={columns}}}"
    fuse = ",".join(tiles if name == "tile-attention" else name for name in STAGES["fuse"])
    program = xdsl_relax.compile(text, threads=threads, passes={"fuse": fuse})
    return np.asarray(program["main"](*arrays)).astype(np.float64)


def normals(seed: int, dtype: str, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    return [random.standard_normal(shape).astype(DTYPES[dtype]) for shape in shapes]


def tensor(*dims: int | str, dtype: str = "f32") -> str:
    """The type of a tensor; names are those of symbolic dims."""
    names = ", ".join(dim for dim in dims if isinstance(dim, str))
    sizes = "x".join("?" if isinstance(dim, str) else str(dim) for dim in dims)
    return f"tensor<{sizes}x{dtype}, #relax.sym<{names}>>" if names else f"tensor<{sizes}x{dtype}>"


def weights_of(scores: np.ndarray) -> np.ndarray:
    """The softmax of rows; rows that see nothing have no weights."""
    highest = scores.max(-1, keepdims=True, initial=-np.finfo(np.float64).max)
    weights = np.exp(scores - highest)
    return weights / np.maximum(weights.sum(-1, keepdims=True), 1)


def attention(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    bias: np.ndarray | None = None,
    causal: str | None = None,
    window: int | None = None,
) -> np.ndarray:
    """What `relax.nn.attention` computes."""
    q, k, v = (array.astype(np.float64) for array in (q, k, v))
    rows, columns, groups = q.shape[1], k.shape[1], q.shape[2] // k.shape[2]
    k, v = np.repeat(k, groups, 2), np.repeat(v, groups, 2)
    scores = np.einsum("bihd,bjhd->bhij", q, k) * q.shape[3] ** -0.5
    if bias is not None:
        scores = scores + bias.astype(np.float64)
    if causal is not None:
        ends = np.arange(rows)[:, None] + (columns - rows if causal == "BottomRight" else 0)
        seen = np.arange(columns) <= ends
        if window is not None:
            seen &= np.arange(columns) > ends - window
        scores = np.where(seen, scores, -np.inf)
    return np.einsum("bhij,bjhd->bihd", weights_of(scores), v)


def attention_text(
    q: tuple[int | str, ...],
    k: tuple[int | str, ...],
    v: tuple[int | str, ...],
    dtype: str = "f32",
    bias: tuple[int | str, ...] | None = None,
    causal: str | None = None,
    window: int | None = None,
) -> str:
    """A program with one op of attention."""
    types = [tensor(*dims, dtype=dtype) for dims in (q, k, v, *([] if bias is None else [bias]))]
    result = tensor(*q[:3], v[3], dtype=dtype)
    fields = [] if causal is None else [f'causal_mask = "{causal}"']
    fields += [] if window is None else [f"window_size = {window} : i64"]
    names = ["%q", "%k", "%v", "%bias"][: len(types)]
    return f"""
func.func @main({", ".join(f"{name}: {each}" for name, each in zip(names, types, strict=True))}) -> {result} {{
  %y = relax.nn.attention{"" if bias is None else "_bias"} {", ".join(names)} {{{", ".join(fields)}}} : ({", ".join(types)}) -> {result}
  return %y : {result}
}}
"""


# With all columns of a row at once, and with some after the others.
PARTS = pytest.mark.parametrize("columns", [0, 16])

# Batch, rows, columns, heads of queries, of keys, their length, that of values.
SHAPES = [
    (1, 130, 130, 2, 2, 16, 16),
    (2, 67, 131, 4, 2, 8, 5),
    (1, 113, 41, 3, 1, 7, 8),
    (2, 129, 1, 2, 2, 8, 8),
    (1, 0, 50, 2, 2, 8, 8),
]
CAUSAL = [(None, None), ("TopLeft", None), ("BottomRight", None), ("TopLeft", 20), ("BottomRight", 1)]


def check(
    shape: tuple[int, ...], causal: str | None, window: int | None, symbolic: bool, threads: int, columns: int
) -> None:
    """Compares a program with numpy."""
    batch, rows, count, heads, key_heads, length, value_length = shape
    keys = (batch, count, key_heads)
    arrays = normals(0, "f32", (batch, rows, heads, length), (*keys, length), (*keys, value_length))
    b, i, j = ("b", "n", "m") if symbolic else (batch, rows, count)
    types = (b, i, heads, length), (b, j, key_heads, length), (b, j, key_heads, value_length)
    result = run(attention_text(*types, causal=causal, window=window), *arrays, threads=threads, columns=columns)
    q, k, v = arrays
    wanted = attention(q, k, v, causal=causal, window=window)
    np.testing.assert_allclose(result, wanted, atol=TOLERANCE["f32"])


@PARTS
@pytest.mark.sweep(20)
@pytest.mark.parametrize(("causal", "window"), CAUSAL)
@pytest.mark.parametrize("shape", SHAPES)
def test_attention(shape: tuple[int, ...], causal: str | None, window: int | None, columns: int):
    check(shape, causal, window, symbolic=False, threads=1, columns=columns)


@PARTS
@pytest.mark.sweep(8)
@pytest.mark.parametrize(("causal", "window"), CAUSAL)
@pytest.mark.parametrize("shape", SHAPES[1:3])
def test_symbolic_sizes(shape: tuple[int, ...], causal: str | None, window: int | None, columns: int):
    check(shape, causal, window, symbolic=True, threads=2, columns=columns)


@PARTS
@pytest.mark.parametrize("shape", SHAPES[3:])
def test_few_rows_and_columns_of_symbolic_sizes(shape: tuple[int, ...], columns: int):
    check(shape, "BottomRight", None, symbolic=True, threads=1, columns=columns)


@PARTS
@pytest.mark.sweep(6)
@pytest.mark.parametrize("causal", [None, "BottomRight"])
@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64"])
def test_element_types(dtype: str, causal: str | None, columns: int):
    q, k = (2, 101, 4, 8), (2, 70, 2, 8)
    queries, keys, values = normals(1, dtype, q, k, k)
    result = run(attention_text(q, k, k, dtype, causal=causal), queries, keys, values, threads=2, columns=columns)
    np.testing.assert_allclose(result, attention(queries, keys, values, causal=causal), atol=TOLERANCE[dtype])


@pytest.mark.sweep(4)
@pytest.mark.parametrize("causal", [None, "TopLeft"])
@pytest.mark.parametrize("bias", [(1, 1, 1, 1), (2, 1, 1, 70), (1, 4, 101, 1), (1, 1, 101, 70), (2, 4, 101, 70)])
def test_bias(bias: tuple[int, ...], causal: str | None):
    q, k = (2, 101, 4, 8), (2, 70, 2, 8)
    queries, keys, values, added = normals(2, "f32", q, k, k, bias)
    result = run(attention_text(q, k, k, bias=bias, causal=causal), queries, keys, values, added)
    np.testing.assert_allclose(result, attention(queries, keys, values, added, causal), atol=TOLERANCE["f32"])


def test_rows_beyond_the_cache():
    """With the cache of the target: a head has several blocks, and a row several parts."""
    q, k = (1, 333, 3, 8), (1, 2501, 3, 8)
    queries, keys, values = normals(3, "f32", q, k, k)
    for threads in (1, 2):
        result = xdsl_relax.compile(attention_text(q, k, k), threads=threads)["main"](queries, keys, values)
        np.testing.assert_allclose(result, attention(queries, keys, values), atol=TOLERANCE["f32"])


def products_text(q: str, k: str, v: str, mask: str, scores: str, result: str, ops: str = "") -> str:
    """A program of two products with a mask and a softmax in between; `ops` make `%p` the factor `%f`."""
    return f"""
func.func @main(%q: {q}, %k: {k}, %v: {v}, %mask: {mask}) -> {result} {{
  %s = relax.matmul %q, %k : ({q}, {k}) -> {scores}
  %c = relax.constant {{value = dense<0.25> : {scale_of(scores)}}} : () -> {scale_of(scores)}
  %t = relax.multiply %s, %c : ({scores}, {scale_of(scores)}) -> {scores}
  %a = relax.add %mask, %t : ({mask}, {scores}) -> {scores}
  %p = relax.nn.softmax %a : ({scores}) -> {scores}
  %o = relax.matmul %p, %v : ({scores}, {v}) -> {result}
  return %o : {result}
}}
"""


def scale_of(scores: str) -> str:
    """The type of one element."""
    return f"tensor<{scores.partition(',')[0].rstrip('>').rpartition('x')[2]}>"


def products(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """What the program computes, with NaN where the softmax of a row has it."""
    q, k, v, mask = (array.astype(np.float64) for array in (q, k, v, mask))
    with np.errstate(invalid="ignore"):
        scores = q @ k * 0.25 + mask
        weights = np.exp(scores - scores.max(-1, keepdims=True, initial=-np.inf))
        return weights / weights.sum(-1, keepdims=True) @ v


@PARTS
@pytest.mark.sweep(6)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mask", [(2, 131, 37), (1, 131, 37), (37,), (131, 1), (2, 1, 1)])
def test_products(mask: tuple[int, ...], threads: int, columns: int):
    q, k, v = (2, 131, 8), (2, 8, 37), (2, 37, 5)
    text = products_text(*(tensor(*dims) for dims in (q, k, v, mask, (2, 131, 37), (2, 131, 5))))
    arrays = normals(4, "f32", q, k, v, mask)
    result = run(text, *arrays, threads=threads, columns=columns)
    np.testing.assert_allclose(result, products(*arrays), atol=TOLERANCE["f32"])


@PARTS
@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64"])
def test_element_types_of_products(dtype: str, columns: int):
    q, k, v, mask = (101, 8), (8, 70), (70, 5), (70,)
    text = products_text(*(tensor(*dims, dtype=dtype) for dims in (q, k, v, mask, (101, 70), (101, 5))))
    arrays = normals(5, dtype, q, k, v, mask)
    np.testing.assert_allclose(run(text, *arrays, columns=columns), products(*arrays), atol=4 * TOLERANCE[dtype])


@pytest.mark.parametrize("sizes", [(0, 3), (1, 5), (64, 1), (65, 64), (200, 7)])
def test_symbolic_products(sizes: tuple[int, int]):
    n, m = sizes
    dims = ((3, "n", 8), (3, 8, "m"), (3, "m", 4), (3, 1, "m"), (3, "n", "m"), (3, "n", 4))
    arrays = normals(6, "f32", (3, n, 8), (3, 8, m), (3, m, 4), (3, 1, m))
    text = products_text(*(tensor(*each) for each in dims))
    np.testing.assert_allclose(run(text, *arrays, threads=2), products(*arrays), atol=TOLERANCE["f32"])


@PARTS
def test_masked_rows_and_nan(columns: int):
    """A row whose scores are all masked, infinite, or NaN is NaN, as its softmax is, and no other is."""
    q, k, v, mask = normals(7, "f32", (2, 131, 8), (2, 8, 37), (2, 37, 5), (131, 37))
    # Of most rows the first columns that go together are masked, of all the last ones.
    mask[20:, :17] = -np.inf
    mask[:, 30:] = -np.inf
    mask[7] = -np.inf
    mask[60, 23] = np.inf
    q[1, 130] = np.nan
    shapes = ((2, 131, 8), (2, 8, 37), (2, 37, 5), (131, 37), (2, 131, 37), (2, 131, 5))
    result = run(products_text(*(tensor(*dims) for dims in shapes)), q, k, v, mask, columns=columns)
    wanted = products(q, k, v, mask)
    assert np.isnan(wanted).all(-1).sum() == 5
    np.testing.assert_allclose(result, wanted, atol=TOLERANCE["f32"])


@PARTS
def test_large_values(columns: int):
    """Weights that are divided by their sum never make a result that is larger than the values."""
    shapes = (67, 8), (8, 700), (700, 5), (1, 1)
    q, k, _, mask = normals(11, "f32", *shapes)
    v = np.full(shapes[2], 1e38, np.float32)
    text = products_text(*(tensor(*dims) for dims in (*shapes, (67, 700), (67, 5))))
    np.testing.assert_allclose(run(text, q, k, v, mask, columns=columns), np.full((67, 5), 1e38), rtol=1e-5)


def test_hidden_columns_are_not_read():
    """NaN in keys and values that no row of a block sees does not matter; what a row sees does."""
    shape = (1, 192, 1, 8)
    q, k, v = normals(8, "f32", shape, shape, shape)
    result = run(attention_text(shape, shape, shape, causal="TopLeft"), q, k, v)
    k[:, 150:], v[:, 150:] = np.nan, np.nan
    changed = run(attention_text(shape, shape, shape, causal="TopLeft"), q, k, v)
    np.testing.assert_array_equal(changed[:, :100], result[:, :100])
    assert np.isnan(changed[:, 150:]).all()


@PARTS
@pytest.mark.parametrize("threads", [1, 2])
def test_what_follows(threads: int, columns: int):
    """Sums behind the second product, and heads that become one dim again, are a part of the kernel."""
    h, i, j, d = 3, 101, 53, 8
    q, s, out = tensor(h, i, d), tensor(h, i, j), tensor(i, h * d)
    k, v, turned, kept = tensor(h, j, d), tensor(h, j, d), tensor(i, h, d), tensor(i, h * d)
    text = f"""
func.func @main(%q: {q}, %k: {k}, %v: {v}, %x: {kept}) -> {out} {{
  %s = relax.einsum %q, %k {{subscripts = "hid,hjd->hij"}} : ({q}, {k}) -> {s}
  %p = relax.nn.softmax %s : ({s}) -> {s}
  %o = relax.matmul %p, %v : ({s}, {v}) -> {q}
  %t = relax.permute_dims %o {{axes = array<i64: 1, 0, 2>}} : ({q}) -> {turned}
  %n = relax.shape : () -> !relax.shape<[{i}, {h * d}]>
  %r = relax.reshape %t, %n : ({turned}, !relax.shape<[{i}, {h * d}]>) -> {out}
  %y = relax.add %r, %x : ({out}, {kept}) -> {out}
  return %y : {out}
}}
"""
    arrays = normals(9, "f32", (h, i, d), (h, j, d), (h, j, d), (i, h * d))
    queries, keys, values, rest = (array.astype(np.float64) for array in arrays)
    wanted = (weights_of(queries @ keys.transpose(0, 2, 1)) @ values).transpose(1, 0, 2).reshape(i, h * d) + rest
    result = run(text, *arrays, threads=threads, columns=columns)
    np.testing.assert_allclose(result, wanted, atol=TOLERANCE["f32"])


def test_axes_in_another_order():
    """Scores whose columns come first, and whose diagonal is read, are computed alike."""
    n, d = 101, 8
    x, s = tensor(n, d), tensor(n, n)
    arrays = normals(10, "f32", (n, d), (n, d), (n, d))
    q, k, v = (array.astype(np.float64) for array in arrays)
    weights = weights_of(q @ k.T)
    for subscripts, wanted in (
        ("ij,jd->id", weights @ v),
        ("ij,id->jd", weights.T @ v),
        ("ii,jd->id", np.diag(weights)[:, None] * v.sum(0)),
    ):
        text = f"""
func.func @main(%q: {x}, %k: {x}, %v: {x}) -> {x} {{
  %s = relax.einsum %q, %k {{subscripts = "id,jd->ij"}} : ({x}, {x}) -> {s}
  %p = relax.nn.softmax %s : ({s}) -> {s}
  %o = relax.einsum %p, %v {{subscripts = "{subscripts}"}} : ({s}, {x}) -> {x}
  return %o : {x}
}}
"""
        np.testing.assert_allclose(run(text, *arrays), wanted, atol=2e-4)


MASKS = {
    "added": """
    %o = relax.broadcast_to %one, %d : (tensor<f32>, !relax.shape<[RS, CS]>) -> MASK
    %t = relax.tril %o {k = K : i64} : (MASK) -> MASK
    %z = relax.equal %t, %zero : (MASK, tensor<f32>) -> BITS
    %h = relax.where %z, %lowest, %zero : (BITS, tensor<f32>, tensor<f32>) -> MASK
    %m = relax.add %s, %h : (SCORES, MASK) -> SCORES""",
    "upper": """
    %o = relax.full %d, %infinity : (!relax.shape<[RS, CS]>, tensor<f32>) -> MASK
    %h = relax.triu %o {k = BEHIND : i64} : (MASK) -> MASK
    %m = relax.add %h, %s : (MASK, SCORES) -> SCORES""",
    "picked": """
    %o = relax.ones %d {dtype = i1} : (!relax.shape<[RS, CS]>) -> BITS
    %t = relax.tril %o {k = K : i64} : (BITS) -> BITS
    %m = relax.where %t, %s, %infinity : (BITS, SCORES, tensor<f32>) -> SCORES""",
}
"""Masks of causal attention as they are in programs of others."""


def masked_text(mask: str, rows: int | str, columns: int | str, diagonal: int) -> str:
    """Attention of three heads with such a mask."""
    q, k, v = (tensor(3, rows, 8), tensor(3, 8, columns), tensor(3, columns, 8))
    scores = tensor(3, rows, columns)
    names = {"SCORES": scores, "MASK": tensor(rows, columns), "BITS": tensor(rows, columns, dtype="i1")}
    names |= {"BEHIND": str(diagonal + 1), "K": str(diagonal), "RS": str(rows), "CS": str(columns)}
    lines = MASKS[mask]
    for name, text in names.items():
        lines = lines.replace(name, text)
    return f"""
func.func @main(%q: {q}, %k: {k}, %v: {v}) -> {tensor(3, rows, 8)} {{
  %r = relax.dataflow {{
    %one = relax.constant {{value = dense<1.0> : tensor<f32>}} : () -> tensor<f32>
    %zero = relax.constant {{value = dense<0.0> : tensor<f32>}} : () -> tensor<f32>
    %lowest = relax.constant {{value = dense<-3.40282347e+38> : tensor<f32>}} : () -> tensor<f32>
    %infinity = relax.constant {{value = dense<0xff800000> : tensor<f32>}} : () -> tensor<f32>
    %d = relax.shape : () -> !relax.shape<[{rows}, {columns}]>
    %s = relax.matmul %q, %k : ({q}, {k}) -> {scores}{lines}
    %p = relax.nn.softmax %m : ({scores}) -> {scores}
    %y = relax.matmul %p, %v : ({scores}, {v}) -> {tensor(3, rows, 8)}
    relax.output %y : {tensor(3, rows, 8)}
  }} : {tensor(3, rows, 8)}
  return %r : {tensor(3, rows, 8)}
}}"""


@pytest.mark.parametrize("threads", (1, 2))
@pytest.mark.parametrize(("rows", "columns", "diagonal"), ((67, 67, 0), (130, 131, 5), (64, 20, 0), (5, 200, 195)))
@pytest.mark.parametrize("mask", MASKS)
def test_masks_of_constants(mask: str, rows: int, columns: int, diagonal: int, threads: int):
    """Causal attention of exporters, whose sizes are known or not."""
    q, k, v = normals(1, "f32", (3, rows, 8), (3, 8, columns), (3, columns, 8))
    scores = np.einsum("hid,hdj->hij", q.astype(np.float64), k.astype(np.float64))
    seen = np.arange(columns) <= np.arange(rows)[:, None] + diagonal
    expected = np.einsum("hij,hjd->hid", weights_of(np.where(seen, scores, -np.inf)), v.astype(np.float64))
    for names in ((rows, columns), ("n", "m")):
        result = run(masked_text(mask, *names, diagonal), q, k, v, threads=threads)
        assert np.abs(result - expected).max() < TOLERANCE["f32"]


def test_a_mask_beside_another_one_hides_what_it_hides():
    """A row whose own columns are all hidden by a mask that comes with the call sees those that the other one hides."""
    text = masked_text("added", 6, 6, 0).replace("%v: tensor<3x6x8xf32>)", "%v: tensor<3x6x8xf32>, %n: tensor<6xf32>)")
    sum_ = "%s = relax.add %s0, %n : (tensor<3x6x6xf32>, tensor<6xf32>) -> tensor<3x6x6xf32>"
    text = text.replace("%s = relax.matmul", "%s0 = relax.matmul").replace(
        "-> tensor<3x6x6xf32>\n", f"-> tensor<3x6x6xf32>\n    {sum_}\n", 1
    )
    q, k, v = normals(2, "f32", (3, 6, 8), (3, 8, 6), (3, 6, 8))
    padding = np.array([-np.inf, -np.inf, 0, 0, 0, 0], np.float32)
    result = run(text, q, k, v, padding)
    # The first two rows see none of their own: the others are equally far below.
    assert np.abs(result[:, :2] - v[:, None, 2:].mean(2)).max() < TOLERANCE["f32"]


@pytest.mark.parametrize("threads", (1, 2))
def test_rows_without_a_number_are_zeros(threads: int):
    """What torch writes to ONNX behind a softmax; its result has two readers."""
    rows, columns = 70, 33
    text = masked_text("picked", rows, columns, 0)
    scores = tensor(3, rows, columns)
    behind = f"""
    %n = relax.isnan %p0 : ({scores}) -> {tensor(3, rows, columns, dtype="i1")}
    %p = relax.where %n, %zero, %p0 : ({tensor(3, rows, columns, dtype="i1")}, tensor<f32>, {scores}) -> {scores}"""
    text = text.replace("%p = relax.nn.softmax", "%p0 = relax.nn.softmax")
    text = text.replace(f"({scores}) -> {scores}\n    %y", f"({scores}) -> {scores}{behind}\n    %y")
    q, k, v = normals(3, "f32", (3, rows, 8), (3, 8, columns), (3, columns, 8))
    q[1, 40] = np.inf
    seen = np.arange(columns) <= np.arange(rows)[:, None]
    with np.errstate(all="ignore"):
        wide = np.where(seen, np.einsum("hid,hdj->hij", q.astype(np.float64), k.astype(np.float64)), -np.inf)
        weights = np.exp(wide - wide.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
    expected = np.einsum("hij,hjd->hid", np.where(np.isnan(weights), 0, weights), v.astype(np.float64))
    assert np.abs(run(text, q, k, v, threads=threads) - expected).max() < TOLERANCE["f32"]
