"""Transposed convolutions as sums of slices, against torch in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as functional
import xdsl_relax
from xdsl_relax.builder import ModuleBuilder, tensor

TARGETS = ["x86-64", "x86-64-v3", "native"]

CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "4x4-s2": ((1, 6, 7, 17), (6, 5, 4, 4), {"strides": [2, 2], "padding": [1, 1, 1, 1]}),
    "2x2-s2": ((2, 3, 5, 16), (3, 4, 2, 2), {"strides": [2, 2]}),
    "4x4-s4": ((1, 3, 5, 9), (3, 4, 4, 4), {"strides": [4, 4]}),
    "3x3-s2": ((1, 4, 6, 19), (4, 3, 3, 3), {"strides": [2, 2], "padding": [1] * 4, "output_padding": [1, 1]}),
    "3x3-s1": ((1, 4, 6, 33), (4, 3, 3, 3), {"padding": [1] * 4}),
    "5x4-s3x2": ((1, 4, 5, 9), (4, 3, 5, 4), {"strides": [3, 2], "output_padding": [2, 1]}),
    "1x1-s2": ((1, 4, 5, 9), (4, 3, 1, 1), {"strides": [2, 2], "output_padding": [1, 0]}),
    "dilated": ((1, 4, 5, 9), (4, 3, 3, 2), {"dilation": [2, 3]}),
    "strided-and-dilated": ((1, 4, 5, 9), (4, 3, 3, 2), {"strides": [2, 3], "dilation": [2, 2]}),
    "much-padding": ((1, 4, 5, 1), (4, 3, 4, 6), {"strides": [2, 2], "padding": [3, 2, 3, 2]}),
    "groups": ((1, 6, 5, 8), (6, 2, 4, 4), {"strides": [2, 2], "padding": [1] * 4, "groups": 3}),
    "many-slices": ((1, 3, 5, 6), (3, 2, 7, 7), {"padding": [3] * 4}),
}


def module_of(dims: tuple[Any, ...], kernel: tuple[int, ...], element: str = "f32", **options: Any):
    m = ModuleBuilder()
    with m.function("main") as f:
        x, w = f.input("x", tensor(dims, element)), f.param("w", tensor(kernel, element))
        with f.dataflow() as g:
            y = g.output(g.nn.conv2d_transpose(x, w, **options))
        f.returns(y)
    return m.build()


def expected(x: np.ndarray, w: np.ndarray, **options: Any) -> np.ndarray:
    given = (torch.from_numpy(value.astype(np.float64)) for value in (x, w))
    before = options.get("padding", [0] * 4)[:2]
    return functional.conv_transpose2d(
        *given,
        stride=options.get("strides", 1),
        padding=before,
        output_padding=options.get("output_padding", 0),
        groups=options.get("groups", 1),
        dilation=options.get("dilation", 1),
    ).numpy()


def numbers(dims: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(dims, np.float32)


def close(result: object, want: np.ndarray, tolerance: float = 1e-5) -> None:
    np.testing.assert_allclose(np.asarray(result).astype(np.float64), want, rtol=tolerance, atol=tolerance * 10)


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
def test_plain_layout(name: str, target: str):
    dims, kernel, options = CASES[name]
    x, w = numbers(dims), numbers(kernel, 1)
    close(
        xdsl_relax.compile(module_of(dims, kernel, **options), target=target)["main"](x, w), expected(x, w, **options)
    )


@pytest.mark.parametrize("name", ["4x4-s2", "groups", "strided-and-dilated"])
def test_lifted_kernels(name: str):
    dims, kernel, options = CASES[name]
    x, w = numbers(dims), numbers(kernel, 1)
    exe = xdsl_relax.compile(module_of(dims, kernel, **options), lift=True)
    params = exe.transform_params({"w": w})
    close(exe["main"](x, params), expected(x, w, **options))


@pytest.mark.parametrize("name", ["4x4-s2", "3x3-s2", "groups", "strided-and-dilated"])
def test_channels_last(name: str):
    dims, kernel, options = CASES[name]
    x, w = numbers(dims), numbers(kernel, 1)
    last = tuple(dims[axis] for axis in (0, 2, 3, 1))
    exe = xdsl_relax.compile(module_of(last, kernel, **options, data_layout="NHWC"))
    result = np.asarray(exe["main"](np.ascontiguousarray(x.transpose(0, 2, 3, 1)), w))
    close(result.transpose(0, 3, 1, 2), expected(x, w, **options))


@pytest.mark.parametrize("name", ["4x4-s2", "2x2-s2", "3x3-s2", "3x3-s1", "much-padding"])
def test_symbolic_batch_and_image(name: str):
    dims, kernel, options = CASES[name]
    exe = xdsl_relax.compile(module_of(("n", dims[1], "h", "w"), kernel, **options))
    w = numbers(kernel, 1)
    for size in [(1, 1, 1), (2, 3, 2), (1, 5, 17), (3, 8, 16), (0, 4, 4)]:
        x = numbers((size[0], dims[1], *size[1:]))
        height, width = (
            (count - 1) * options.get("strides", [1, 1])[axis]
            - 2 * options.get("padding", [0] * 4)[axis]
            + kernel[2 + axis]
            + options.get("output_padding", [0, 0])[axis]
            for axis, count in enumerate(size[1:])
        )
        if min(height, width) < 0:
            continue
        result = np.asarray(exe["main"](x, w))
        assert result.shape == (size[0], kernel[1], height, width)
        if result.size:
            close(result, expected(x, w, **options))


@pytest.mark.parametrize("element", ["f16", "bf16", "f64"])
def test_other_floats(element: str):
    dims, kernel, options = CASES["3x3-s2"]
    dtype = {"f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64}[element]
    x, w = (torch.from_numpy(value).to(dtype) for value in (numbers(dims), numbers(kernel, 1)))
    exe = xdsl_relax.compile(module_of(dims, kernel, element, **options))
    result = torch.as_tensor(exe["main"](x, w)).double().numpy()
    want = expected(x.double().numpy(), w.double().numpy(), **options)
    close(result, want, {"f16": 1e-3, "bf16": 1e-2, "f64": 1e-12}[element])


def test_bytes_add_up_in_i32():
    dims, kernel, options = CASES["4x4-s2"]
    x, w = (
        np.random.default_rng(seed).integers(-128, 128, of).astype(np.int8) for seed, of in ((0, dims), (1, kernel))
    )
    result = xdsl_relax.compile(module_of(dims, kernel, "i8", out_dtype="i32", **options))["main"](x, w)
    np.testing.assert_array_equal(np.asarray(result), expected(x, w, **options))


@pytest.mark.parametrize("name", ["4x4-s2", "2x2-s2", "3x3-s2", "3x3-s1", "1x1-s2"])
@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_what_is_no_number_reaches_what_it_meets(value: float, name: str):
    dims, kernel, options = CASES[name]
    x, w = numbers(dims), numbers(kernel, 1)
    exe = xdsl_relax.compile(module_of(dims, kernel, **options))
    for spoiled, place in ((x, (0, 1, 2, 3)), (w, (2, 1, 0, 0))):
        changed = spoiled.copy()
        changed[place] = value
        given = (changed, w) if spoiled is x else (x, changed)
        result = np.asarray(exe["main"](*given))
        # What is no number is marked, and all of the other operand.
        marks = [np.isfinite(array) == np.isfinite(array).all() for array in given]
        reached = expected(*(mark.astype(np.float32) for mark in marks), **options) != 0
        assert np.array_equal(~np.isfinite(result), reached)


def test_threads_agree():
    dims, kernel, options = (2, 32, 20, 33), (32, 32, 4, 4), CASES["4x4-s2"][2]
    x, w = numbers(dims), numbers(kernel, 1)
    module = module_of(dims, kernel, **options)
    results = [np.asarray(xdsl_relax.compile(module, threads=threads)["main"](x, w)) for threads in (1, 2)]
    np.testing.assert_array_equal(results[0], results[1])
