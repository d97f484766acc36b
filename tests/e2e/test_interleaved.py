"""Permutations of few channels, by vectors of each channel: every width of elements, numbers of pixels that leave parts of vectors."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from harness.guard_pages import call_guarded
from harness.loops_kernel import Kernel, generic, target_of

TARGETS = ["x86-64", "x86-64-v3", "x86-64-v4", "sapphirerapids"]
DTYPES = {
    "i8": np.int8,
    "ui8": np.uint8,
    "i16": np.int16,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i32": np.int32,
    "f32": np.float32,
    "i64": np.int64,
    "f64": np.float64,
    "i1": np.bool_,
}
PIXELS = (0, 1, 15, 16, 17, 31, 61, 4099)
TO_LAST = "0, 2, 1"


def permutation(name: str, batch: str, shape: tuple[str, str], dtype: str) -> str:
    """Returns the text of a function that swaps the last two dims of a tensor; `?` are symbols."""

    def type_of(dims: tuple[str, ...]) -> str:
        symbols = ", ".join("bp"[dim == "p"] for dim in dims if not dim.isdigit())
        sizes = "x".join(dim if dim.isdigit() else "?" for dim in dims)
        return f"tensor<{sizes}x{dtype}{f', #relax.sym<{symbols}>' if symbols else ''}>"

    before, after = type_of((batch, *shape)), type_of((batch, *shape[::-1]))
    return f"""func.func @{name}(%x: {before}) -> {after} {{
      %y = relax.permute_dims %x {{axes = array<i64: {TO_LAST}>}} : ({before}) -> {after}
      return %y : {after}
    }}"""


def values_of(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    count = int(np.prod(shape))
    if dtype == "i1":
        return (np.arange(count) % 3 == 0).reshape(shape)
    return (np.arange(count) % 251 - (0 if dtype == "ui8" else 125)).astype(DTYPES[dtype]).reshape(shape)


def check(function, x: np.ndarray) -> None:
    (result,) = call_guarded(function, [x])
    want = np.ascontiguousarray(x.transpose(0, 2, 1))
    assert result.dtype == want.dtype
    np.testing.assert_array_equal(result.view(np.uint8), want.view(np.uint8))


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_symbolic_pixels(target, dtype):
    target_of(target)
    text = "\n".join(
        permutation(f"{way}{c}", "b", (str(c), "p") if way == "first" else ("p", str(c)), dtype)
        for c in range(1, 10)
        for way in ("first", "last")
    )
    compiled = xdsl_relax.compile(text, target=target)
    for c in range(1, 10):
        for pixels in PIXELS:
            for batch in (1, 3):
                check(compiled[f"first{c}"], values_of((batch, c, pixels), dtype))
                check(compiled[f"last{c}"], values_of((batch, pixels, c), dtype))


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_known_pixels(target, dtype):
    target_of(target)
    sizes = [(c, pixels) for c in (2, 3, 6, 7) for pixels in (4, 13, 16, 35, 64)] + [(5, 67), (8, 131), (3, 16411)]
    text = "\n".join(
        permutation(f"f{c}_{p}", "2", (str(c), str(p)), dtype) + permutation(f"l{c}_{p}", "2", (str(p), str(c)), dtype)
        for c, p in sizes
    )
    compiled = xdsl_relax.compile(text, target=target)
    for c, pixels in sizes:
        check(compiled[f"f{c}_{pixels}"], values_of((2, c, pixels), dtype))
        check(compiled[f"l{c}_{pixels}"], values_of((2, pixels, c), dtype))


@pytest.mark.parametrize("threads", [1, 2])
def test_images_become_planes(threads):
    """Bytes of pixels are scaled by channel, on the way to planes of floats, and back."""
    text = """
    func.func @planes(%x: tensor<2x3001x3xui8>, %scale: tensor<3xf32>) -> tensor<2x3x3001xf32> {
      %f = relax.astype %x {dtype = f32} : (tensor<2x3001x3xui8>) -> tensor<2x3001x3xf32>
      %s = relax.multiply %f, %scale : (tensor<2x3001x3xf32>, tensor<3xf32>) -> tensor<2x3001x3xf32>
      %y = relax.permute_dims %s {axes = array<i64: 0, 2, 1>} : (tensor<2x3001x3xf32>) -> tensor<2x3x3001xf32>
      return %y : tensor<2x3x3001xf32>
    }
    func.func @pixels(%x: tensor<2x3x3001xf32>) -> tensor<2x3001x3xui8> {
      %t = relax.permute_dims %x {axes = array<i64: 0, 2, 1>} : (tensor<2x3x3001xf32>) -> tensor<2x3001x3xf32>
      %y = relax.astype %t {dtype = ui8} : (tensor<2x3001x3xf32>) -> tensor<2x3001x3xui8>
      return %y : tensor<2x3001x3xui8>
    }"""
    compiled = xdsl_relax.compile(text, threads=threads)
    x = values_of((2, 3001, 3), "ui8")
    scale = np.array([1, 0.5, -1], np.float32)
    planes = compiled["planes"](x, scale)
    np.testing.assert_array_equal(planes, (x * scale).transpose(0, 2, 1))
    np.testing.assert_array_equal(compiled["pixels"](np.abs(planes)), np.abs(x * scale).astype(np.uint8))


@pytest.mark.sweep(8)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("channels", range(2, 9))
@pytest.mark.parametrize("lanes", [2, 4, 16])
def test_by_hand(channels, threads, lanes):
    """Operands that lie in either way, indices in the payload, and chunks of a loop that threads share."""
    pixels = 67
    apart, together = f"memref<{channels}x{pixels}xf32>", f"memref<{pixels}x{channels}xf32>"
    types = [apart, together, f"memref<{channels}xf32>", f"memref<{pixels}xf32>", together, apart]
    maps = ["(p, c) -> (c, p)", "(p, c) -> (p, c)", "(p, c) -> (c)", "(p, c) -> (p)"]
    maps += ["(p, c) -> (p, c)", "(p, c) -> (c, p)"]
    body = """%p = linalg.index 0 : index
    %c = linalg.index 1 : index
    %n = arith.addi %p, %c : index
    %i = arith.index_cast %n : index to i32
    %f = arith.sitofp %i : i32 to f32
    %0 = arith.addf %a0, %f : f32
    %1 = arith.mulf %a1, %a2 : f32
    %2 = arith.subf %1, %a3 : f32
    linalg.yield %0, %2 : f32, f32"""
    operands = [(f"%x{k}", type_) for k, type_ in enumerate(types)]
    schedule = f"interleaved, loops = [0, 1], lanes = {lanes}, chunk = {2 * lanes}, parallel = 1, grain = 1"
    generic_ = generic(maps, "pp", operands[:4], operands[4:], body)
    generic_ = generic_.replace("{\n^bb0", f"attrs = {{relax.schedule = #relax.schedule<{schedule}>}} {{\n^bb0")
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in operands)
    kernel = Kernel(f"func.func @f({arguments}) {{\n{generic_}return\n}}", threads=threads)
    assert "vector.shuffle" in kernel.loops
    rng = np.random.default_rng(channels)
    shapes = [(channels, pixels), (pixels, channels), (channels,), (pixels,)]
    x, y, scale, shift = (rng.integers(-9, 9, shape).astype(np.float32) for shape in shapes)
    first, second = np.zeros((pixels, channels), np.float32), np.zeros((channels, pixels), np.float32)
    kernel(x, y, scale, shift, first, second)
    np.testing.assert_array_equal(first, x.T + np.add.outer(np.arange(pixels), np.arange(channels)))
    np.testing.assert_array_equal(second, (y * scale - shift[:, None]).T)
