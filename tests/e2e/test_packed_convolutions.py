"""Convolutions whose kernel is packed by lifting, against torch in float64, and against the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import xdsl_relax
from xdsl_relax.builder import ModuleBuilder, tensor

CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "row-of-tiles": ((1, 5, 9, 58), (64, 5, 3, 3), {"padding": [1]}),
    "uneven-channel-tiles": ((2, 3, 6, 30), (80, 3, 3, 3), {}),
    "joined-rows": ((1, 4, 7, 7), (32, 4, 3, 3), {"padding": [1]}),
    "joined-rows-of-one": ((1, 4, 23, 3), (32, 4, 3, 3), {}),
    "joined-rows-of-many-steps": ((2, 97, 7, 7), (64, 97, 3, 3), {"padding": [1]}),
    "joined-rows-of-many-steps, strides": ((1, 64, 9, 10), (48, 64, 3, 3), {"strides": [2], "padding": [1]}),
    "three-dims-of-many-steps": ((1, 41, 3, 5, 6), (48, 41, 3, 3, 3), {"padding": [1]}),
    "groups-of-many-steps": ((1, 130, 5, 6), (128, 65, 3, 3), {"groups": 2}),
    "single-pixel": ((3, 4, 3, 3), (32, 4, 3, 3), {}),
    "vector-and-one-more": ((1, 3, 5, 19), (16, 3, 3, 3), {}),
    "prime-width": ((1, 3, 5, 43), (48, 3, 3, 3), {}),
    "strides": ((2, 3, 31, 29), (32, 3, 7, 7), {"strides": [2, 3], "padding": [3]}),
    "stride-without-window": ((1, 6, 29, 29), (32, 6, 1, 1), {"strides": [2]}),
    "dilation": ((1, 3, 20, 21), (32, 3, 3, 3), {"dilation": [2, 3]}),
    "groups": ((1, 8, 9, 17), (64, 4, 3, 3), {"groups": 2, "padding": [1]}),
    "blocks-of-eight": ((2, 4, 9, 17), (24, 4, 3, 3), {"padding": [1]}),
    "groups-of-eight": ((1, 20, 9, 37), (40, 4, 3, 3), {"groups": 5, "padding": [1], "strides": [2]}),
    "groups-of-eight, short-rows": ((2, 16, 7, 7), (16, 8, 3, 3), {"groups": 2, "padding": [1]}),
    "groups-of-eight, many-steps": ((1, 194, 9, 9), (16, 97, 3, 3), {"groups": 2, "padding": [1]}),
    "groups-of-eight, one-dim": ((1, 12, 70), (24, 4, 5), {"groups": 3}),
    "asymmetric-padding": ((1, 3, 9, 11), (16, 3, 3, 3), {"padding": [0, 1, 2, 3]}),
    "kernel-larger-than-image": ((1, 3, 2, 3), (16, 3, 5, 5), {"padding": [2]}),
    "planes-of-a-power-of-two": ((2, 5, 32, 32), (64, 5, 3, 3), {"padding": [1]}),
    "planes-of-a-power-of-two, uneven-channel-tiles": ((1, 3, 64, 64), (80, 3, 3, 3), {"padding": [1]}),
    "planes-of-a-power-of-two, long-rows": ((1, 3, 8, 256), (32, 3, 7, 7), {"strides": [1, 2], "padding": [3]}),
    "planes-of-a-power-of-two, odd-rows": ((1, 3, 1024, 5), (16, 3, 1, 1), {}),
    "no-batch": ((0, 3, 9, 9), (16, 3, 3, 3), {}),
    "no-channels": ((1, 0, 9, 9), (16, 0, 3, 3), {}),
    "one-dim": ((2, 3, 70), (32, 3, 5), {"padding": [2]}),
    "three-dims": ((1, 2, 5, 6, 17), (16, 2, 2, 3, 3), {"strides": [1, 2, 1], "padding": [1, 0, 1]}),
}
NAMES = {1: "conv1d", 2: "conv2d", 3: "conv3d"}


def program(x: tuple[Any, ...], w: tuple[int, ...], options: dict[str, Any], residual: bool = False):
    """A convolution, with a bias and a relu behind it, or a residual."""
    m = ModuleBuilder()
    with m.function("main") as f:
        data = f.input("x", tensor(x, "f32"))
        more = f.input("r", tensor((x[0], w[0], *x[2:]), "f32")) if residual else None
        weight = f.param("w", tensor(w, "f32"))
        bias = f.param("b", tensor((w[0], *[1] * (len(w) - 2)), "f32"))
        with f.dataflow() as g:
            y = getattr(g.nn, NAMES[len(w) - 2])(data, weight, **options)
            y = g.add(y, bias) if more is None else g.add(y, more)
            y = g.output(g.nn.relu(y))
        f.returns(y)
    return m.build()


def reference(x: np.ndarray, w: np.ndarray, b: np.ndarray, options: dict[str, Any]) -> np.ndarray:
    rank = w.ndim - 2
    padding = options.get("padding", [0])
    padding = padding * rank if len(padding) == 1 else padding
    pairs = list(zip(padding[:rank], padding[-rank:], strict=True))
    data = np.pad(x.astype(np.float64), [(0, 0), (0, 0), *pairs])
    given = {"stride": tuple(options.get("strides", [1])), "dilation": tuple(options.get("dilation", [1]))}
    function = getattr(torch.nn.functional, f"conv{rank}d")
    y = function(
        torch.from_numpy(data), torch.from_numpy(w.astype(np.float64)), groups=options.get("groups", 1), **given
    )
    return torch.relu(y + torch.from_numpy(b.astype(np.float64))).numpy()


def arrays(x: tuple[int, ...], w: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    bias = rng.standard_normal((w[0], *[1] * (len(w) - 2)), np.float32)
    return rng.standard_normal(x, np.float32), rng.standard_normal(w, np.float32), bias


@pytest.mark.sweep
@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "native"])
@pytest.mark.parametrize("name", CASES)
def test_packed_kernels(name: str, target: str):
    x_dims, w_dims, options = CASES[name]
    x, w, b = arrays(x_dims, w_dims)
    exe = xdsl_relax.compile(program(x_dims, w_dims, options), lift=True, target=target)
    params = exe.transform_params({"w": w, "b": b})
    got = np.asarray(exe["main"](x, params))
    if w.size == 0:
        want = np.broadcast_to(np.maximum(b, 0), got.shape)
    elif x.size == 0:
        want = np.zeros(got.shape)
    else:
        want = reference(x, w, b, options)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-4)


@pytest.mark.sweep(8)
@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("target", ["x86-64-v3", "native"])
@pytest.mark.parametrize(
    ("x_dims", "w_dims"),
    [
        ((1, 384, 14, 14), (80, 384, 1, 1)),
        ((1, 960, 7, 7), (160, 960, 1, 1)),
        ((2, 700, 5, 7), (48, 700, 1, 1)),
        ((1, 96, 301), (16, 96, 5)),
    ],
)
def test_threads_share_pixels_where_channels_are_few(
    x_dims: tuple[int, ...], w_dims: tuple[int, ...], target: str, threads: int
):
    x, w, b = arrays(x_dims, w_dims)
    results = []
    for count in (1, threads):
        exe = xdsl_relax.compile(program(x_dims, w_dims, {}), lift=True, target=target, threads=count)
        results.append(np.asarray(exe["main"](x, exe.transform_params({"w": w, "b": b}))).copy())
    np.testing.assert_array_equal(*results)
    np.testing.assert_allclose(results[1], reference(x, w, b, {}), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("target", ["x86-64-v3", "native"])
def test_symbolic_batch_and_image(target: str):
    w_dims, options = (32, 3, 3, 3), {"padding": [1], "strides": [2, 1]}
    exe = xdsl_relax.compile(program(("n", 3, "h", "w"), w_dims, options), lift=True, target=target)
    for dims in [(1, 3, 5, 14), (2, 3, 4, 15), (1, 3, 1, 1), (1, 3, 3, 27), (3, 3, 6, 64), (1, 3, 7, 65), (0, 3, 5, 5)]:
        x, w, b = arrays(dims, w_dims)
        got = np.asarray(exe["main"](x, exe.transform_params({"w": w, "b": b})))
        want = reference(x, w, b, options) if x.size else np.zeros(got.shape)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-4)


def test_not_a_number_stays_where_windows_reach_it():
    dims, w_dims, options = (1, 3, 9, 30), (32, 3, 3, 3), {"padding": [1]}
    x, w, b = arrays(dims, w_dims)
    x[0, 1, 4, 13], x[0, 2, 0, 29] = np.nan, np.inf
    exe = xdsl_relax.compile(program(dims, w_dims, options), lift=True)
    got = np.asarray(exe["main"](x, exe.transform_params({"w": w, "b": b})))
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(got, reference(x, w, b, options), rtol=1e-5, atol=1e-4)


def test_residual_runs_on_tiles_and_threads_agree():
    dims, w_dims, options = (1, 32, 28, 28), (64, 32, 3, 3), {"padding": [1]}
    x, w, b = arrays(dims, w_dims)
    r = np.random.default_rng(1).standard_normal((1, 64, 28, 28), np.float32)
    results = []
    for threads in (1, 2):
        exe = xdsl_relax.compile(program(dims, w_dims, options, residual=True), lift=True, threads=threads)
        results.append(np.asarray(exe["main"](x, r, exe.transform_params({"w": w, "b": b}))).copy())
    np.testing.assert_array_equal(*results)
    y = torch.nn.functional.conv2d(torch.from_numpy(x).double(), torch.from_numpy(w).double(), padding=1).numpy()
    np.testing.assert_allclose(results[0], np.maximum(y + r, 0), rtol=1e-5, atol=1e-4)
