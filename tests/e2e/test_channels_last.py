"""Images of a few channels that come last in the result alone: vectors lie along the pixels and are interleaved."""

from __future__ import annotations

import numpy as np
import pytest
import xdsl_relax

TARGETS = ["x86-64", "x86-64-v3", "x86-64-v4", "native"]
DTYPES = {"ui8": np.uint8, "i1": np.bool_, "f16": np.float16, "f32": np.float32, "i64": np.int64}

pytestmark = pytest.mark.sweep


def channels_last(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.moveaxis(x, 1, -1))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize(
    "dims", [(1, 3, 9, 17), (2, 2, 3, 64), (1, 4, 1, 131), (1, 5, 4, 33), (2, 3, 5, 1), (1, 1, 7, 40), (0, 3, 8, 8)]
)
def test_channels_become_last(dims: tuple[int, ...], element: str, target: str) -> None:
    batch, channels, height, width = dims
    x, y = (f"tensor<{'x'.join(map(str, each))}x{element}>" for each in (dims, (batch, height, width, channels)))
    executable = xdsl_relax.compile(
        f"""func.func @main(%x: {x}) -> {y} {{
          %y = relax.permute_dims %x {{axes = array<i64: 0, 2, 3, 1>}} : ({x}) -> {y}
          return %y : {y}
        }}""",
        target=target,
    )
    value = np.random.default_rng(0).integers(0, 256, dims).astype(DTYPES[element])
    np.testing.assert_array_equal(executable["main"](value), channels_last(value))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("width", [1, 15, 16, 47])
def test_sizes_that_are_known_at_run_time_only(width: int, target: str) -> None:
    text = """func.func @main(%x: tensor<?x3x?xf32, #relax.sym<n, w>>, %s: tensor<3xf32>) -> tensor<?x?x3xf32, #relax.sym<n, w>> {
      %r = relax.dataflow {
        %t = relax.permute_dims %x {axes = array<i64: 0, 2, 1>} : (tensor<?x3x?xf32, #relax.sym<n, w>>) -> tensor<?x?x3xf32, #relax.sym<n, w>>
        %y = relax.multiply %t, %s : (tensor<?x?x3xf32, #relax.sym<n, w>>, tensor<3xf32>) -> tensor<?x?x3xf32, #relax.sym<n, w>>
        relax.output %y : tensor<?x?x3xf32, #relax.sym<n, w>>
      } : tensor<?x?x3xf32, #relax.sym<n, w>>
      return %r : tensor<?x?x3xf32, #relax.sym<n, w>>
    }"""
    executable = xdsl_relax.compile(text, target=target)
    x = np.random.default_rng(0).standard_normal((2, 3, width), np.float32)
    x.flat[::5], x.flat[1::7] = np.nan, -np.inf
    scale = np.array([2, -0.5, 0], np.float32)
    with np.errstate(invalid="ignore"):
        expected = channels_last(x) * scale
    np.testing.assert_array_equal(executable["main"](x, scale), expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("width", [16, 50])
def test_quantized_and_padded(width: int, target: str) -> None:
    text = f"""func.func @main(%x: tensor<1x3x6x{width}xf32>) -> tensor<1x10x{width + 4}x3xui8> {{
      %r = relax.dataflow {{
        %s = relax.constant {{value = dense<0.25> : tensor<f32>}} : () -> tensor<f32>
        %z = relax.constant {{value = dense<7> : tensor<ui8>}} : () -> tensor<ui8>
        %q = relax.quantize %x, %s, %z {{out_dtype = ui8}} : (tensor<1x3x6x{width}xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x6x{width}xui8>
        %t = relax.permute_dims %q {{axes = array<i64: 0, 2, 3, 1>}} : (tensor<1x3x6x{width}xui8>) -> tensor<1x6x{width}x3xui8>
        %y = relax.nn.pad %t {{pad_width = array<i64: 0, 0, 2, 2, 2, 2, 0, 0>, pad_value = 7.0 : f64}} : (tensor<1x6x{width}x3xui8>) -> tensor<1x10x{width + 4}x3xui8>
        relax.output %y : tensor<1x10x{width + 4}x3xui8>
      }} : tensor<1x10x{width + 4}x3xui8>
      return %r : tensor<1x10x{width + 4}x3xui8>
    }}"""
    x = np.random.default_rng(0).standard_normal((1, 3, 6, width), np.float32) * 20
    quantized = np.clip(np.rint(x / np.float32(0.25)) + 7, 0, 255).astype(np.uint8)
    expected = np.pad(channels_last(quantized), [(0, 0), (2, 2), (2, 2), (0, 0)], constant_values=7)
    np.testing.assert_array_equal(xdsl_relax.compile(text, target=target)["main"](x), expected)
