"""Resizing with symbolic sizes computes what the same model of fixed sizes computes, in programs and in the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")

import xdsl_relax  # noqa: E402
from harness.onnx_models import info, model  # noqa: E402
from onnx import helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
from xdsl_relax.frontend.model.problems import UnsupportedModelError  # noqa: E402
from xdsl_relax.frontend.onnx import from_onnx  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402

SIZES = ((6, 8), (5, 7), (13, 1), (1, 2), (0, 3), (2, 0))


def resize(scales: Sequence[float], dims: list[Any], **options: Any) -> Any:
    node = helper.make_node("Resize", ["x", "", "scales"], ["y"], **options)
    return model([node], [info("x", dims)], ["y"], {"scales": np.array(scales, np.float32)})


METHODS: dict[str, dict[str, Any]] = {
    "nearest": {},
    "nearest_ceil": {"nearest_mode": "ceil", "coordinate_transformation_mode": "asymmetric"},
    "nearest_tf": {"nearest_mode": "floor", "coordinate_transformation_mode": "tf_half_pixel_for_nn"},
    "linear": {"mode": "linear"},
    "linear_ends": {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
    "linear_symmetric": {"mode": "linear", "coordinate_transformation_mode": "half_pixel_symmetric"},
    "cubic": {"mode": "cubic", "coordinate_transformation_mode": "pytorch_half_pixel"},
    "cubic_inside": {"mode": "cubic", "exclude_outside": 1},
    "antialias": {"mode": "linear", "antialias": 1},
}


@pytest.mark.sweep
@pytest.mark.parametrize(("method", "scales"), [*((name, [1, 0.5, 1.5]) for name in METHODS), ("linear", [1, 0.3, 2])])
def test_scales_of_symbolic_sizes_are_those_of_coordinates(method: str, scales: list[float]):
    options = METHODS[method]
    symbolic = from_onnx(resize(scales, [2, "h", "w"], **options))
    compiled = xdsl_relax.compile(symbolic)
    for h, w in SIZES:
        x = np.random.default_rng(h * w).standard_normal((2, h, w)).astype(np.float32)
        fixed = from_onnx(resize(scales, [2, h, w], **options))
        expected = interpret(fixed)("main", x)[0]
        for result in (interpret(symbolic)("main", x)[0], compiled["main"](x)):
            np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_whole_scales_of_symbolic_images_are_one_op():
    for scales, count in (([1, 1, 2, 3], 1), ([1, 1, 0.5, 2], 0)):
        module = from_onnx(resize(scales, [1, 2, "h", "w"], mode="linear"))
        assert sum(op.name == "relax.image.resize2d" for op in module.walk()) == count


def test_sizes_of_symbolic_dims_of_other_ranks():
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], mode="linear", axes=[0])
    symbolic = from_onnx(model([node], [info("x", ["n", 3])], ["y"], {"sizes": np.array([5])}))
    compiled = xdsl_relax.compile(symbolic)
    for n in (1, 2, 7):
        x = np.random.default_rng(n).standard_normal((n, 3)).astype(np.float32)
        fixed = from_onnx(model([node], [info("x", [n, 3])], ["y"], {"sizes": np.array([5])}))
        for result in (interpret(symbolic)("main", x)[0], compiled["main"](x)):
            np.testing.assert_allclose(result, interpret(fixed)("main", x)[0], rtol=1e-5, atol=1e-6)
    for run in (interpret(symbolic), lambda _, x: compiled["main"](x)):
        with pytest.raises(Exception, match="max"):
            run("main", np.zeros((0, 3), np.float32))


def test_antialias_needs_a_scale():
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], mode="linear", axes=[0], antialias=1)
    with pytest.raises(UnsupportedModelError, match=r"antialias needs a scale that is a number; give n a number"):
        from_onnx(model([node], [info("x", ["n", 3])], ["y"], {"sizes": np.array([5])}))


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("method", ["nearest", "linear", "linear_ends", "cubic"])
@pytest.mark.parametrize("sizes", [(3, 13), (12, 8), (4, 4)])
def test_a_kept_aspect_ratio_is_the_scale_of_coordinates(policy: str, method: str, sizes: tuple[int, int]):
    options = {**METHODS[method], "axes": [1, 2], "keep_aspect_ratio_policy": policy}
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], **options)
    proto = model([node], [info("x", [2, 5, 7])], ["y"], {"sizes": np.array(sizes)})
    x = np.random.default_rng(0).standard_normal((2, 5, 7)).astype(np.float32)
    expected: Any = ReferenceEvaluator(proto).run(None, {"x": x})
    np.testing.assert_allclose(interpret(from_onnx(proto))("main", x)[0], expected[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("sizes", "options", "count"),
    [
        ([1 << 40, 3], {"mode": "nearest"}, 1 << 40),
        ([3, 1 << 26], {"mode": "cubic"}, 1 << 28),
        ([1 << 30, 1 << 30], {"mode": "linear"}, 1 << 31),
    ],
)
def test_tables_of_sizes_beyond_any_image_are_not_made(sizes: list[int], options: dict[str, Any], count: int):
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], axes=[0, 1], **options)
    with pytest.raises(UnsupportedModelError, match=f"its table would have {count} items, more than"):
        from_onnx(model([node], [info("x", [3, 3])], ["y"], {"sizes": np.array(sizes)}))


def test_windows_beyond_any_image_are_not_made():
    for dims in ([2, 3], ["n", 3]):
        with pytest.raises(UnsupportedModelError, match=r"its table would have|have up to 64 items"):
            from_onnx(resize([1e-30, 1], dims, mode="linear", antialias=1))
