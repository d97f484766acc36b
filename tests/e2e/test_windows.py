"""Pooling and depthwise convolutions, whose windows are written out, against torch in float64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as functional
import xdsl_relax
from harness.guard_pages import call_guarded
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl_relax.builder import ModuleBuilder, tensor

IMAGES = [(1, 3, 5, 1), (2, 40, 4, 7), (1, 2, 7, 16), (1, 33, 6, 17), (1, 2, 8, 56), (1, 3, 9, 65), (0, 3, 5, 5)]
TARGETS = ["x86-64", "x86-64-v3", "native"]


def pooled(kind: str, dims: tuple[Any, ...], **options: Any):
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor(dims, "f32"))
        with f.dataflow() as g:
            y = g.output(getattr(g.nn, f"{kind}_pool2d")(x, **options))
        f.returns(y)
    return m.build()


def convolved(dims: tuple[Any, ...], window: tuple[int, int], element: str = "f32", **options: Any):
    m = ModuleBuilder()
    with m.function("main") as f:
        x, w = f.input("x", tensor(dims, element)), f.input("w", tensor((dims[1], 1, *window), element))
        with f.dataflow() as g:
            y = g.output(g.nn.relu(g.nn.conv2d(x, w, groups=dims[1], **options)))
        f.returns(y)
    return m.build()


def numbers(dims: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(dims, np.float32)


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("size", "stride", "pad"), [(3, 1, 1), (3, 2, 1), (2, 2, 0), (5, 3, 2), (7, 2, 3)])
def test_pooling(size: int, stride: int, pad: int, target: str):
    options = {"pool_size": [size] * 2, "strides": [stride] * 2, "padding": [pad] * 4}
    for dims in IMAGES:
        if min(dims[2:]) + 2 * pad < size:
            continue
        x = numbers(dims)
        given = torch.from_numpy(x.astype(np.float64))
        largest = np.asarray(xdsl_relax.compile(pooled("max", dims, **options), target=target)["main"](x))
        mean = np.asarray(xdsl_relax.compile(pooled("avg", dims, **options), target=target)["main"](x))
        if x.size:
            np.testing.assert_array_equal(largest, functional.max_pool2d(given, size, stride, pad).numpy())
            want = functional.avg_pool2d(given, size, stride, pad, count_include_pad=False)
            np.testing.assert_allclose(mean, want.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.sweep(8)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("window", "stride", "dilation"),
    [((3, 3), 2, 1), ((2, 2), 3, 1), ((1, 19), 2, 1), ((2, 21), 4, 1), ((3, 4), 3, 2), ((1, 2), 2, 5)],
)
@pytest.mark.parametrize("columns", [47, 70])
def test_strided_windows_read_nothing_behind_an_image(
    columns: int, window: tuple[int, int], stride: int, dilation: int, target: str
):
    x = numbers((1, 3, 9, columns))
    options = {"pool_size": list(window), "strides": [stride] * 2, "padding": [0] * 4, "dilation": [dilation] * 2}
    (largest,) = call_guarded(xdsl_relax.compile(pooled("max", x.shape, **options), target=target)["main"], [x])
    want = functional.max_pool2d(torch.from_numpy(x), window, stride, 0, dilation)
    np.testing.assert_array_equal(largest, want.numpy())


BACKWARDS = """
#image = affine_map<(i, x, k, l) -> (i, x * 2 + k * 3 - l + 2)>
#window = affine_map<(i, x, k, l) -> (k, l)>
#out = affine_map<(i, x, k, l) -> (i, x)>
func.func @main(%a: tensor<4xINxf32>, %w: tensor<2x3xf32>) -> tensor<4xOUTxf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xOUTxf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4xOUTxf32>) -> tensor<4xOUTxf32>
  %r = linalg.generic {indexing_maps = [#image, #window, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %w : tensor<4xINxf32>, tensor<2x3xf32>) outs(%i : tensor<4xOUTxf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xOUTxf32>
  return %r : tensor<4xOUTxf32>
}
"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("columns", [5, 16, 37])
def test_a_strided_window_may_run_backwards(columns: int, target: str):
    size = 2 * (columns - 1) + 6
    x, w = numbers((4, size)), numbers((2, 3))
    program = BACKWARDS.replace("IN", str(size)).replace("OUT", str(columns))
    (got,) = call_guarded(xdsl_relax.compile(program, target=target)["main"], [x, w])
    places = np.arange(columns) * 2
    want = sum(x[:, places + 3 * k - m + 2].astype(np.float64) * w[k, m] for k in range(2) for m in range(3))
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("window", "options"),
    [
        ((3, 3), {"padding": [1] * 4}),
        ((3, 3), {"padding": [1] * 4, "strides": [2, 2]}),
        ((5, 5), {"padding": [2] * 4}),
        ((7, 7), {"padding": [3] * 4}),
        ((3, 2), {"padding": [2, 0, 1, 3], "strides": [1, 3], "dilation": [2, 1]}),
        ((1, 3), {"padding": [0, 1, 0, 1]}),
    ],
)
def test_depthwise_convolutions(window: tuple[int, int], options: dict[str, Any], target: str):
    for dims in IMAGES:
        x, w = numbers(dims), numbers((dims[1], 1, *window))
        got = np.asarray(xdsl_relax.compile(convolved(dims, window, **options), target=target)["main"](x, w))
        if not x.size:
            continue
        top, left, bottom, right = options["padding"]
        data = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (top, bottom), (left, right)])
        want = functional.conv2d(
            torch.from_numpy(data),
            torch.from_numpy(w.astype(np.float64)),
            None,
            tuple(options.get("strides", [1, 1])),
            0,
            tuple(options.get("dilation", [1, 1])),
            dims[1],
        )
        np.testing.assert_allclose(got, torch.relu(want).numpy(), rtol=1e-5, atol=1e-5)


def test_symbolic_sizes():
    options = {"pool_size": [3, 3], "strides": [2, 2], "padding": [1] * 4}
    pool = xdsl_relax.compile(pooled("max", ("n", 5, "h", "w"), **options))["main"]
    convolution = xdsl_relax.compile(convolved(("n", 5, "h", "w"), (3, 3), padding=[1] * 4))["main"]
    w = numbers((5, 1, 3, 3))
    for dims in [(1, 5, 1, 1), (2, 5, 7, 33), (1, 5, 4, 16), (0, 5, 3, 3), (1, 5, 12, 50)]:
        x = numbers(dims)
        got = np.asarray(pool(x)), np.asarray(convolution(x, w))
        if x.size:
            given = torch.from_numpy(x.astype(np.float64))
            np.testing.assert_array_equal(got[0], functional.max_pool2d(given, 3, 2, 1).numpy())
            want = functional.conv2d(given, torch.from_numpy(w.astype(np.float64)), padding=1, groups=5)
            np.testing.assert_allclose(got[1], torch.relu(want).numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_reaches_the_windows_that_have_it(value: float):
    x = numbers((1, 2, 9, 40))
    x[0, 1, 4, 21] = value
    for kind in ("max", "avg"):
        options = {"pool_size": [3, 3], "strides": [1, 1], "padding": [1] * 4}
        got = np.asarray(xdsl_relax.compile(pooled(kind, x.shape, **options))["main"](x))
        given = torch.from_numpy(x)
        if kind == "max":
            np.testing.assert_array_equal(got, functional.max_pool2d(given, 3, 1, 1).numpy())
        else:
            want = functional.avg_pool2d(given, 3, 1, 1, count_include_pad=False).numpy()
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_narrow_floats_are_summed_in_f32(element: str):
    kind = {"f16": torch.float16, "bf16": torch.bfloat16}[element]
    x, w = (torch.from_numpy(numbers(dims)).to(kind) for dims in ((1, 4, 8, 37), (4, 1, 3, 3)))
    got = xdsl_relax.compile(convolved((1, 4, 8, 37), (3, 3), element))["main"](x, w)
    want = torch.relu(functional.conv2d(x.double(), w.double(), groups=4))
    np.testing.assert_allclose(torch.as_tensor(got).double().numpy(), want.numpy(), rtol=1e-2, atol=1e-2)


def test_threads_agree():
    x, w = numbers((1, 96, 56, 56)), numbers((96, 1, 3, 3))
    program = convolved((1, 96, 56, 56), (3, 3), padding=[1] * 4)
    alone, together = (xdsl_relax.compile(program, threads=t)["main"](x, w) for t in (1, 2))
    np.testing.assert_array_equal(alone, together)


@dataclass(frozen=True)
class Scheduled(ModulePass):
    """Appends the text of the module to a list."""

    texts: list[str]
    name = "scheduled"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.texts.append(str(op))


@pytest.mark.sweep(8)
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(("target", "decided"), [("x86-64-v2", "scratch = stack"), ("x86-64-v3", "schedule<padding>")])
@pytest.mark.parametrize(
    ("dims", "window"), [((3, 37, 31, 29), (3, 3)), ((1, 61, 67, 83), (5, 5)), ((67, 1, 41, 37), (3, 5))]
)
def test_padded_images_that_exceed_the_cache(
    dims: tuple[int, ...], window: tuple[int, int], target: str, decided: str, threads: int
):
    top, left = window[0] // 2, window[1] // 2
    x, w = numbers(dims), numbers((dims[1], 1, *window))
    texts: list[str] = []
    exe = xdsl_relax.compile(
        convolved(dims, window, padding=[top, left, top, left]),
        target=target,
        threads=threads,
        passes={"loops": [f"schedule-linalg{{target={target}}}", Scheduled(texts)]},
    )
    assert decided in texts[0]
    want = functional.conv2d(
        torch.from_numpy(x.astype(np.float64)), torch.from_numpy(w.astype(np.float64)), None, 1, (top, left), 1, dims[1]
    )
    np.testing.assert_allclose(exe["main"](x, w), torch.relu(want).numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("target", ["x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize(
    ("dims", "window", "stride", "pad"),
    [
        ((1, 33, 17, 40), (3, 3), 2, (1, 1, 1, 1)),
        ((2, 40, 5, 5), (5, 5), 1, (4, 3, 4, 3)),
        ((1, 35, 28, 28), (5, 5), 2, (2, 2, 2, 2)),
        ((1, 32, 19, 70), (2, 5), 3, (0, 2, 1, 5)),
        ((1, 32, 2, 9), (3, 1), 1, (2, 0, 3, 0)),
    ],
)
def test_images_are_read_where_they_are(
    dims: tuple[int, ...], window: tuple[int, int], stride: int, pad: tuple[int, int, int, int], target: str
):
    # Of memory before and behind the image, which cannot be accessed, nothing is read.
    x, w = numbers(dims), numbers((dims[1], 1, *window))
    program = convolved(dims, window, padding=list(pad), strides=[stride] * 2)
    texts: list[str] = []
    passes = {"loops": [f"schedule-linalg{{target={target}}}", Scheduled(texts)]}
    exe = xdsl_relax.compile(program, target=target, passes=passes)
    assert "schedule<padding>" in texts[0]
    top, left, bottom, right = pad
    data = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (top, bottom), (left, right)])
    want = functional.conv2d(
        torch.from_numpy(data), torch.from_numpy(w.astype(np.float64)), None, stride, 0, 1, dims[1]
    )
    (result,) = call_guarded(exe["main"], [x, w])
    np.testing.assert_allclose(result, torch.relu(want).numpy(), rtol=1e-5, atol=1e-5)
