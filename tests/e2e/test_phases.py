"""Reads at `d floordiv k`, whose vectors are interleaved: repetitions of neighbors, and images scaled by nearest items, against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.builder import ModuleBuilder, tensor

TARGETS = ["x86-64", "x86-64-v3", "native"]
SIZES = [0, 1, 2, 3, 7, 8, 9, 16, 17, 31, 56]
DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8, "i64": np.int64, "i1": np.bool_}


def numbers(dims: tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
    values = np.random.default_rng(0).integers(-100, 100, dims)
    return (values > 0 if dtype == np.bool_ else values).astype(dtype)


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("times", [0, 1, 2, 3, 4, 8])
def test_repetitions(times: int, target: str):
    m = ModuleBuilder()
    for size in SIZES:
        for axis in (0, 1):
            with m.function(f"f{size}_{axis}") as f:
                x = f.input("x", tensor((3, size), "f32"))
                with f.dataflow() as g:
                    y = g.output(g.repeat(x, repeats=times, axis=axis))
                f.returns(y)
    exe = xdsl_relax.compile(m.build(), target=target)
    for size in SIZES:
        x = numbers((3, size))
        for axis in (0, 1):
            np.testing.assert_array_equal(np.asarray(exe[f"f{size}_{axis}"](x)), x.repeat(times, axis))


@pytest.mark.parametrize("element", DTYPES)
def test_repetitions_of_every_type_and_of_symbolic_sizes(element: str):
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor(("n", "m"), element))
        with f.dataflow() as g:
            y = g.output(g.repeat(g.repeat(x, repeats=4, axis=1), repeats=2, axis=0))
        f.returns(y)
    exe = xdsl_relax.compile(m.build())
    for dims in [(1, 1), (2, 3), (3, 17), (0, 5), (5, 0), (4, 64)]:
        x = numbers(dims, DTYPES[element])
        np.testing.assert_array_equal(np.asarray(exe["main"](x)), x.repeat(4, 1).repeat(2, 0))


def scaled(dims: tuple[Any, ...], factors: tuple[int, int], layout: str, **options: Any):
    """Scales an image by nearest items and multiplies by 3, which fuses."""
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor(dims, "f32"))
        at = layout.index("H"), layout.index("W")
        size = [dims[axis] * factor for axis, factor in zip(at, factors, strict=True)]
        with f.dataflow() as g:
            y = g.image.resize2d(x, size, method="nearest_neighbor", layout=layout, **options)
            y = g.output(g.multiply(y, g.constant(np.float32(3))))
        f.returns(y)
    return m.build()


MODES = [
    ("asymmetric", "floor", True),
    ("half_pixel", "round", True),
    ("half_pixel", "round_prefer_floor", True),
    ("pytorch_half_pixel", "round_prefer_ceil", True),
    ("half_pixel", "floor", False),
    ("asymmetric", "round", False),
]


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("factors", [(2, 2), (1, 2), (4, 1), (4, 4), (3, 2)])
def test_images_scaled_by_nearest_items(factors: tuple[int, int], layout: str, target: str):
    for height, width in [(1, 1), (3, 5), (7, 17), (6, 56)]:
        dims = (2, 3, height, width) if layout == "NCHW" else (2, height, width, 3)
        x = numbers(dims)
        axes = layout.index("H"), layout.index("W")
        want = x.repeat(factors[0], axes[0]).repeat(factors[1], axes[1]) * 3
        module = scaled(dims, factors, layout, coordinate_transformation_mode="asymmetric", rounding_method="floor")
        np.testing.assert_array_equal(np.asarray(xdsl_relax.compile(module, target=target)["main"](x)), want)


@pytest.mark.parametrize(("mode", "rounding", "repeats"), MODES)
def test_places_whose_items_are_their_quotients(mode: str, rounding: str, repeats: bool):
    x = numbers((1, 2, 9, 20))
    module = scaled((1, 2, 9, 20), (2, 4), "NCHW", coordinate_transformation_mode=mode, rounding_method=rounding)
    result = np.asarray(xdsl_relax.compile(module)["main"](x))
    assert np.array_equal(result, x.repeat(2, 2).repeat(4, 3) * 3) == repeats
