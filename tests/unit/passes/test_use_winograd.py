"""`relax-use-winograd`: what it declines, and what remains of a network, against convolutions in float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl_relax.builder import ModuleBuilder, tensor
from xdsl_relax.dialects.relax.ops.nn.winograd import WinogradConv2DOp
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.lowering.pipeline import Settings, pipelines
from xdsl_relax.passes.analysis.call_graph import named_functions
from xdsl_relax.passes.analysis.remarks import Topic, recording
from xdsl_relax.passes.lifting.use_winograd import UseWinogradPass
from xdsl_relax.runtime.compiler import available_passes

NAME = "relax.nn.winograd_conv2d"

Dims = Sequence[int | str]


def convolution(x: Dims, w: Dims, element: str = "f32", weight: bool = True, **options: Any) -> ModuleOp:
    """A convolution by a kernel that is a parameter, or an input."""
    m = ModuleBuilder()
    with m.function("main") as f:
        data = f.input("x", tensor(x, element))
        kernel = (f.param if weight else f.input)("w", tensor(w, element))
        with f.dataflow() as g:
            y = g.output(g.nn.conv2d(data, kernel, **options))
        f.returns(y)
    return m.build()


def names(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk()]


def is_used(module: ModuleOp, tile: Literal[0, 2, 4] = 0) -> bool:
    """Whether the pass replaces the convolution; the module is valid then."""
    UseWinogradPass(tile=tile).apply(Context(), module)
    module.verify()
    assert (NAME in names(module)) != ("relax.nn.conv2d" in names(module))
    return NAME in names(module)


TAKEN: dict[str, tuple[Dims, Dims, dict[str, Any]]] = {
    "padded": ((1, 32, 14, 14), (32, 32, 3, 3), {"padding": [1]}),
    "plain": ((1, 32, 14, 15), (32, 32, 3, 3), {}),
    "symbolic-batch": (("n", 64, 28, 28), (128, 64, 3, 3), {"padding": [1, 1]}),
    "four-paddings": ((2, 33, 12, 12), (35, 33, 3, 3), {"padding": [0, 1, 2, 3]}),
    "said-by-name": ((1, 32, 14, 14), (32, 32, 3, 3), {"strides": [1, 1], "dilation": [1], "groups": 1, "data_layout": "NCHW",
                                                      "kernel_layout": "OIHW", "out_layout": "NCHW", "out_dtype": "f32"}),
}  # fmt: skip

DECLINED: dict[str, tuple[Dims, Dims, dict[str, Any]]] = {
    "stride": ((1, 32, 28, 28), (32, 32, 3, 3), {"strides": [2]}),
    "stride-of-columns": ((1, 32, 28, 28), (32, 32, 3, 3), {"strides": [1, 2]}),
    "dilation": ((1, 32, 28, 28), (32, 32, 3, 3), {"dilation": [2]}),
    "groups": ((1, 64, 28, 28), (64, 32, 3, 3), {"groups": 2}),
    "1x1": ((1, 32, 28, 28), (32, 32, 1, 1), {}),
    "5x5": ((1, 32, 28, 28), (32, 32, 5, 5), {}),
    "3x1": ((1, 32, 28, 28), (32, 32, 3, 1), {}),
    "f16": ((1, 32, 28, 28), (32, 32, 3, 3), {"element": "f16"}),
    "f64": ((1, 32, 28, 28), (32, 32, 3, 3), {"element": "f64"}),
    "wider-result": ((1, 32, 28, 28), (32, 32, 3, 3), {"out_dtype": "f64"}),
    "few-rows": ((1, 32, 13, 28), (32, 32, 3, 3), {}),
    "few-columns": ((1, 32, 28, 11), (32, 32, 3, 3), {"padding": [1]}),
    "few-inputs": ((1, 31, 28, 28), (32, 31, 3, 3), {}),
    "few-outputs": ((1, 32, 28, 28), (31, 32, 3, 3), {}),
    "unknown-rows": ((1, 32, "h", 28), (32, 32, 3, 3), {}),
    "unknown-columns": ((1, 32, 28, "w"), (32, 32, 3, 3), {}),
    "unknown-inputs": ((1, "c", 28, 28), (32, "c", 3, 3), {}),
    "unknown-outputs": ((1, 32, 28, 28), ("o", 32, 3, 3), {}),
    "unknown-kernel": ((1, 32, 28, 28), (32, 32, "k", "k"), {}),
    "no-weight": ((1, 32, 28, 28), (32, 32, 3, 3), {"weight": False}),
    "channels-last": ((1, 28, 28, 32), (32, 32, 3, 3), {"data_layout": "NHWC"}),
    "result-with-channels-last": ((1, 32, 28, 28), (32, 32, 3, 3), {"out_layout": "NHWC"}),
    "other-kernel": ((1, 32, 28, 28), (3, 3, 32, 32), {"kernel_layout": "HWIO"}),
    "packed-kernel": ((1, 32, 28, 28), (2, 32, 3, 3, 16), {"kernel_layout": "OIHW16o"}),
}


@pytest.mark.parametrize("name", TAKEN)
def test_takes(name: str):
    x, w, options = TAKEN[name]
    assert is_used(convolution(x, w, **options))


REASONS = {
    "stride": "its kernel moves by 2x2, want 1x1",
    "stride-of-columns": "its kernel moves by 1x2, want 1x1",
    "dilation": "its kernel is dilated by 2x2, want 1x1",
    "groups": "it has 2 groups, want 1",
    "1x1": "its kernel has 1x1 taps, want 3x3",
    "5x5": "its kernel has 5x5 taps, want 3x3",
    "3x1": "its kernel has 3x1 taps, want 3x3",
    "f16": "data, kernel and result are f16, f16, f16, want f32",
    "f64": "data, kernel and result are f64, f64, f64, want f32",
    "wider-result": "data, kernel and result are f32, f32, f64, want f32",
    "few-rows": "its result has 11x26 pixels, want 12x12 at least, known before run time",
    "few-columns": "its result has 28x11 pixels, want 12x12 at least, known before run time",
    "few-inputs": "it has 31 input and 32 output channels, want 32 of each at least",
    "few-outputs": "it has 32 input and 31 output channels, want 32 of each at least",
    "unknown-rows": "its result has h - 2x26 pixels, want 12x12 at least, known before run time",
    "unknown-columns": "its result has 26xw - 2 pixels, want 12x12 at least, known before run time",
    "unknown-inputs": "it has c input and 32 output channels, want 32 of each at least",
    "unknown-outputs": "it has 32 input and o output channels, want 32 of each at least",
    "unknown-kernel": "its kernel has kxk taps, want 3x3",
    "no-weight": "its kernel is no weight, which would be transformed at every call",
    "channels-last": "channels do not come first in data, kernel and result, want NCHW, OIHW, NCHW",
    "result-with-channels-last": "channels do not come first in data, kernel and result, want NCHW, OIHW, NCHW",
    "other-kernel": "channels do not come first in data, kernel and result, want NCHW, OIHW, NCHW",
    "packed-kernel": "its kernel lies in blocks of 16 channels",
}


@pytest.mark.parametrize("name", DECLINED)
def test_declines_and_says_why(name: str):
    x, w, options = DECLINED[name]
    with recording() as remarks:
        assert not is_used(convolution(x, w, **options))
    texts = [remark.text for remark in remarks if remark.topic is Topic.REWRITE]
    assert texts == [f"relax.nn.conv2d is not computed by Winograd: {REASONS[name]}"]


def test_says_which_functions_have_no_weights():
    module = convolution((1, 32, 14, 14), (32, 32, 3, 3), weight=False)
    del named_functions(module)["main"].attributes["relax.num_input"]
    with recording() as remarks:
        assert not is_used(module)
    (remark,) = remarks
    assert remark.text.endswith("@main has no relax.num_input, so that no argument is a weight")


PICKED: list[tuple[int, int, tuple[int, int], int]] = [
    (32, 32, (12, 12), 6),
    (32, 32, (14, 14), 4),
    (32, 40, (13, 13), 4),
    (32, 32, (25, 25), 6),
    (32, 32, (28, 28), 6),
    (32, 64, (64, 65), 6),
    (64, 64, (14, 14), 6),
    (64, 64, (21, 21), 6),
    (256, 256, (12, 12), 6),
    (512, 64, (13, 56), 6),
]
"""Inputs, outputs, rows and columns of results, and the products that each dim of a tile has."""


def products(module: ModuleOp) -> set[Any]:
    ops = [op for op in module.walk() if isinstance(op, WinogradConv2DOp)]
    return {op.tile().window for op in ops}


@pytest.mark.parametrize(("inputs", "outputs", "sizes", "window"), PICKED)
def test_picks_a_tile(inputs: int, outputs: int, sizes: tuple[int, int], window: int):
    module = convolution(("n", inputs, *sizes), (outputs, inputs, 3, 3), padding=[1])
    assert is_used(module)
    assert products(module) == {window}


@pytest.mark.parametrize(("tile", "window"), [(2, 4), (4, 6)])
def test_takes_a_tile_for_all(tile: Literal[2, 4], window: int):
    for inputs, outputs, sizes, _ in PICKED:
        module = convolution((1, inputs, *sizes), (outputs, inputs, 3, 3), padding=[1])
        assert is_used(module, tile)
        assert products(module) == {window}


def test_other_tiles_are_none():
    with pytest.raises(ValueError, match="tile: expected one of 0, 2, 4, got 3"):
        UseWinogradPass(tile=3)  # pyright: ignore[reportArgumentType]


def direct(x: np.ndarray, w: np.ndarray, padding: Sequence[int], dtype: type) -> np.ndarray:
    """A convolution with sums in a type."""
    top, left, bottom, right = padding
    padded = np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)]).astype(dtype)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    return np.moveaxis(np.tensordot(windows, w.astype(dtype), ([1, 4, 5], [1, 2, 3])), -1, 1)


@pytest.mark.parametrize(
    ("tile", "channels", "bound"), [(2, 64, 1.5e-6), (2, 512, 3e-6), (4, 64, 3e-6), (4, 512, 6e-6)]
)
def test_the_error_is_small(tile: Literal[2, 4], channels: int, bound: float):
    rng = np.random.default_rng(channels)
    x = rng.standard_normal((1, channels, 14, 13), np.float32)
    w = rng.standard_normal((64, channels, 3, 3), np.float32)
    module = convolution(x.shape, w.shape, padding=[1])
    assert is_used(module, tile)
    (result,) = Interpreter(module).call("main", x, w)
    exact = direct(x, w, (1, 1, 1, 1), np.float64)
    error = np.abs(result - exact).max() / np.abs(exact).max()
    assert 0 < error < bound


def network() -> ModuleOp:
    """Two convolutions with scales and biases, a residual, and one that stays as it is."""
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor(("n", 32, 13, 14), "f32"))
        w = [
            f.param(f"w{i}", tensor(shape, "f32"))
            for i, shape in enumerate(((40, 32, 3, 3), (32, 40, 3, 3), (16, 32, 3, 3)))
        ]
        scale, bias = f.param("scale", tensor((40, 1, 1), "f32")), f.param("bias", tensor((32, 1, 1), "f32"))
        with f.dataflow() as g:
            y = g.nn.relu(g.multiply(g.nn.conv2d(x, w[0], padding=[1]), scale))
            y = g.nn.relu(g.add(g.add(g.nn.conv2d(y, w[1], padding=[1]), bias), x))
            y = g.output(g.nn.conv2d(y, w[2], strides=[2], padding=[1]))
        f.returns(y)
    return m.build()


@pytest.mark.parametrize("batch", [0, 1, 3])
def test_a_network(batch: int):
    module = network()
    for step in pipelines(Settings(lift=True))["optimize"]:
        PassPipeline.parse_spec(available_passes(), step).apply(Context(), module)
    main = named_functions(module)["main"]
    assert [op.name for op in main.walk() if "conv2d" in op.name] == [NAME, NAME, "relax.nn.conv2d"]
    assert "relax.matmul" not in [op.name for op in main.walk()]
    rng = np.random.default_rng(batch)
    x = rng.standard_normal((batch, 32, 13, 14), np.float32)
    w = [rng.standard_normal(shape, np.float32) for shape in ((40, 32, 3, 3), (32, 40, 3, 3), (16, 32, 3, 3))]
    scale, bias = rng.standard_normal((40, 1, 1), np.float32), rng.standard_normal((32, 1, 1), np.float32)
    interpreter = Interpreter(module)
    weights = interpreter.call("main_transform_params", *w, scale, bias)
    (result,) = interpreter.call("main", x, *weights)
    pads = (1, 1, 1, 1)
    y = np.maximum(direct(x, w[0], pads, np.float64) * scale, 0)
    y = np.maximum(direct(y, w[1], pads, np.float64) + bias + x, 0)
    expected = direct(y, w[2], pads, np.float64)[:, :, ::2, ::2]
    assert result.shape == expected.shape
    assert np.abs(result - expected).max(initial=0) <= 3e-6 * np.abs(expected).max(initial=0)


@pytest.mark.parametrize(("tile", "rows", "columns"), [(2, (2, 6), (6, 10)), (4, (0, 8), (4, 12))])
def test_a_nan_stays_in_the_tiles_whose_window_has_it(
    tile: Literal[2, 4], rows: tuple[int, int], columns: tuple[int, int]
):
    x = np.ones((1, 32, 14, 14), np.float32)
    w = np.ones((32, 32, 3, 3), np.float32)
    module = convolution(x.shape, w.shape)
    assert is_used(module, tile)
    for value in (np.nan, np.inf):
        x[0, 3, 5, 8] = value
        (result,) = Interpreter(module).call("main", x, w)
        reached = np.zeros((12, 12), bool)
        reached[slice(*rows), slice(*columns)] = True
        assert np.isfinite(result[0][:, ~reached]).all()
        assert not np.isfinite(result[0][:, 3:6, 6:9]).any()
