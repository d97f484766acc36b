"""Convolutions whose windows have more steps than the panels of a tile: each panel is filled by itself."""

from __future__ import annotations

import numpy as np
import pytest
import xdsl_relax

TEXT = """
func.func @main(%x: {x}, %w: {w}) -> {y} {{
  %0 = relax.nn.conv2d %x, %w {{data_layout = "NHWC", kernel_layout = "HWIO", padding = array<i64: {pads}>{out}}} : ({x}, {w}) -> {y}
  return %0 : {y}
}}
"""


def type_of(shape, element) -> str:
    return f"tensor<{'x'.join(map(str, (*shape, element)))}>"


@pytest.mark.parametrize("dtype", [np.int8, np.float32])
@pytest.mark.parametrize(
    ("sides", "channels", "window"), [((8, 20), (64, 16), 7), ((8, 8), (63, 64), 7), ((9, 8), (128, 65), 5)]
)
def test_windows_of_many_steps(dtype, sides, channels, window):
    rng, pad, (inputs, outputs) = np.random.default_rng(0), window // 2, channels
    x = rng.integers(-100, 100, (1, *sides, inputs)).astype(dtype)
    w = rng.integers(-100, 100, (window, window, inputs, outputs)).astype(dtype)
    element, out = ("i8", ", out_dtype = i32") if dtype is np.int8 else ("f32", "")
    result = "i32" if dtype is np.int8 else "f32"
    types = {"x": type_of(x.shape, element), "w": type_of(w.shape, element), "y": type_of((1, *sides, outputs), result)}
    text = TEXT.format(**types, pads=", ".join(4 * [str(pad)]), out=out)
    padded = np.pad(x.astype(np.float64), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (window, window), (1, 2))
    expected = np.einsum("nhwcij,ijco->nhwo", windows, w.astype(np.float64), optimize=True)
    # Integers of this size are exact in f64; sums of f32 are not.
    for level in (0, 2):
        np.testing.assert_allclose(
            xdsl_relax.compile(text, opt_level=level)["main"](x, w),
            expected,
            rtol=1e-4,
            atol=0.0 if dtype is np.int8 else 40.0,
        )
