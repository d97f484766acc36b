"""Images with channels last whose padding fills the borders alone: as numpy pads them, at sizes below and above the least."""

from __future__ import annotations

import numpy as np
import pytest
import xdsl_relax

pytestmark = pytest.mark.sweep

WIDTHS = [(0, 0, 0, 0), (1, 1, 1, 1), (0, 1, 2, 0), (3, 0, 0, 0), (0, 0, 5, 2)]
"""Before and behind the rows, before and behind the pixels."""


@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "x86-64-v4", "native"])
@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize("dims", [(1, 13, 17, 64), (2, 7, 1, 96), (1, 9, 11, 65), (1, 5, 3, 16), (0, 13, 17, 64)])
@pytest.mark.parametrize("element", ["ui8", "f32"])
def test_padding_with_channels_last(element: str, dims: tuple[int, ...], widths: tuple[int, ...], target: str) -> None:
    top, bottom, left, right = widths
    shape = (dims[0], dims[1] + top + bottom, dims[2] + left + right, dims[3])
    x, y = (f"tensor<{'x'.join(map(str, each))}x{element}>" for each in (dims, shape))
    executable = xdsl_relax.compile(
        f"""func.func @main(%x: {x}) -> {y} {{
          %y = relax.nn.pad %x {{pad_width = array<i64: 0, 0, {top}, {bottom}, {left}, {right}, 0, 0>, pad_value = 7.0 : f64}} : ({x}) -> {y}
          return %y : {y}
        }}""",
        target=target,
    )
    dtype = np.uint8 if element == "ui8" else np.float32
    value = np.random.default_rng(0).integers(0, 256, dims).astype(dtype)
    padded = np.pad(value, [(0, 0), (top, bottom), (left, right), (0, 0)], constant_values=7)
    np.testing.assert_array_equal(executable["main"](value), padded)
