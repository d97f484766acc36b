"""`auto_pad` of convolutions and poolings whose stride is greater than the window, where the formula of ONNX gives negative padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")

from harness.onnx_models import info, model  # noqa: E402
from onnx import helper, numpy_helper, shape_inference  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
from xdsl_relax.frontend.onnx import from_onnx  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402

MODES = ("SAME_UPPER", "SAME_LOWER")


def windowed(op: str, dims: Sequence[Any], kernel: Sequence[int], **options: Any) -> Any:
    weights = {"w": np.arange(1, np.prod(kernel) + 1, dtype=np.float32).reshape(1, 1, *kernel)} if "Conv" in op else {}
    node = helper.make_node(op, ["x", *weights], ["y"], kernel_shape=kernel, **options)
    return model([node], [info("x", [1, 1, *dims])], ["y"], weights)


def image(*dims: int) -> np.ndarray:
    return np.arange(1, np.prod(dims) + 1, dtype=np.float32).reshape(1, 1, *dims)


def computed(proto: Any, x: np.ndarray) -> np.ndarray:
    weights = [numpy_helper.to_array(item) for item in proto.graph.initializer if np.prod(item.dims) > 1]
    return interpret(from_onnx(proto))("main", x, *weights)[0]


def expected_of(proto: Any, x: np.ndarray) -> np.ndarray:
    results = ReferenceEvaluator(proto).run(None, {"x": x})
    assert isinstance(results, list)
    return np.asarray(results[0])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("size", "kernel", "stride"), [(7, 2, 3), (8, 1, 3), (8, 2, 5), (11, 2, 4), (1, 1, 3)])
def test_a_window_that_strides_leave_short_is_not_padded_below_zero(mode: str, size: int, kernel: int, stride: int):
    x = image(size, 5)
    options = {"strides": [stride, 2], "auto_pad": mode}
    proto = windowed("Conv", [size, 5], [kernel, 3], **options)
    expected = expected_of(proto, x)
    np.testing.assert_allclose(computed(proto, x), expected)
    for op in ("MaxPool", "AveragePool", "LpPool"):
        proto = windowed(op, [size, 5], [kernel, 3], **options)
        pooled = computed(proto, x)
        declared = shape_inference.infer_shapes(proto).graph.output[0].type.tensor_type.shape
        assert pooled.shape == tuple(dim.dim_value for dim in declared.dim) == expected.shape
    starts = np.arange(-(-size // stride)) * stride
    if kernel == 1:
        proto = windowed("MaxPool", [size, 5], [1, 1], strides=[stride, 1], auto_pad=mode)
        np.testing.assert_array_equal(computed(proto, x), x[:, :, starts])


@pytest.mark.parametrize("mode", MODES)
def test_windows_of_one_item_need_no_size(mode: str):
    symbolic = from_onnx(windowed("Conv", ["h", "w"], [1, 1], strides=[2, 3], auto_pad=mode))
    for dims in ((7, 8), (6, 9), (1, 1)):
        x = image(*dims)
        np.testing.assert_array_equal(interpret(symbolic)("main", x)[0], x[:, :, ::2, ::3])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("size", "kernel", "stride"), [(7, 2, 3), (3, 1, 3), (5, 1, 4), (6, 2, 5), (1, 1, 2)])
def test_zeros_of_transposed_convolutions_are_on_both_sides(mode: str, size: int, kernel: int, stride: int):
    proto = windowed("ConvTranspose", [size], [kernel], strides=[stride], auto_pad=mode)
    result = computed(proto, image(size))
    assert result.shape == (1, 1, size * stride)
    np.testing.assert_array_equal(result, expected_of(proto, image(size)))


@pytest.mark.parametrize(("mode", "most"), [("NOTSET", 11), ("SAME_UPPER", 13), ("SAME_LOWER", 13)])
def test_zeros_for_a_greater_output_shape_are_those_of_the_reference(mode: str, most: int):
    for size in range(9, most + 1):
        proto = windowed("ConvTranspose", [3], [3], strides=[3], auto_pad=mode, output_shape=[size])
        np.testing.assert_array_equal(computed(proto, image(3)), expected_of(proto, image(3)))
