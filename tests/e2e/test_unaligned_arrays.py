"""Arrays that do not begin at a line of the cache: results are those of arrays that do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xdsl_relax

LINE = 64
OFFSETS = (0, 4, 16, 28, 60)


def at_offset(array: np.ndarray[Any, Any], offset: int) -> np.ndarray[Any, Any]:
    """Returns a copy that begins so many bytes behind a line."""
    memory = np.empty(array.nbytes + 2 * LINE, np.uint8)
    start = -memory.ctypes.data % LINE + offset
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


@pytest.mark.sweep(8)
@pytest.mark.parametrize("element", ["f32", "f16", "i8", "f64"])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((64, 64), (1, 0)),
        ((256, 320), (1, 0)),
        ((80, 400), (1, 0)),
        ((100, 128), (1, 0)),
        ((3, 128, 192), (0, 2, 1)),
        ((128, 3, 128), (2, 1, 0)),
        ((2, 64, 3, 256), (3, 0, 2, 1)),
        ((67, 129), (1, 0)),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_transposes(element: str, shape: tuple[int, ...], axes: tuple[int, ...], threads: int) -> None:
    dtype = np.dtype({"f32": np.float32, "f16": np.float16, "i8": np.int8, "f64": np.float64}[element])
    source, result = ("x".join(map(str, sizes)) for sizes in (shape, [shape[axis] for axis in axes]))
    text = f"""
func.func @main(%x: tensor<{source}x{element}>) -> tensor<{result}x{element}> {{
  %y = relax.permute_dims %x {{axes = array<i64: {", ".join(map(str, axes))}>}} : (tensor<{source}x{element}>) -> tensor<{result}x{element}>
  return %y : tensor<{result}x{element}>
}}"""
    main = xdsl_relax.compile(text, threads=threads)["main"]
    x = np.random.default_rng(0).integers(-100, 100, shape).astype(dtype)
    expected = np.ascontiguousarray(x.transpose(axes))
    for offset in OFFSETS:
        if offset % dtype.itemsize:
            continue
        given = at_offset(x, offset)
        np.testing.assert_array_equal(main(given), expected)
        out = at_offset(np.zeros_like(expected), offset)
        np.testing.assert_array_equal(main(given, out=out), expected)
