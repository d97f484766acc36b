"""`DequantizeLinear` and `QuantizeLinear` of every scale that a float can be, against their formulas in f64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs onnx")

import ml_dtypes
from harness.main_runs import interpreted
from onnx import TensorProto, helper, numpy_helper
from xdsl_relax.frontend.onnx import import_onnx
from xdsl_relax.runtime.compiler import compile as compile_module

Array = np.ndarray[Any, Any]

SCALES = np.array(
    [0.0, -0.0, 1e-45, 1e-40, 1.17549435e-38, 0.37, 0.25, -0.5, 3e38, np.inf, -np.inf, np.nan], np.float32
)
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16)
BF16 = np.dtype(ml_dtypes.bfloat16)


def _type(dtype: Any) -> int:
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def _results(nodes: list[Any], x: Array, stored: dict[str, Array], result: Any, opset: int) -> list[Array]:
    """Returns what a model computes by the interpreter and as machine code of two levels."""
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("x", _type(x.dtype), x.shape)],
        [helper.make_tensor_value_info("y", _type(result), x.shape)],
        [numpy_helper.from_array(array, name) for name, array in stored.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    imported = import_onnx(model)
    arguments = [x, *(np.asarray(imported.params[name]) for name in imported.params)]
    runs = [interpreted(imported.module, arguments)[0]]
    runs += [compile_module(imported.module, opt_level=level)["main"](*arguments) for level in (0, 2)]
    return [np.asarray(run) for run in runs]


def _quantized(x: Array, scale: Array, zero_point: Array, dtype: Any, precision: Any = np.float32) -> Array:
    """`saturate(round(x / scale) + zero_point)` in f64 of a quotient that is rounded once, halves to even; NaN as 0."""
    limits = np.iinfo(dtype)
    with np.errstate(all="ignore"):
        exact = x.astype(precision).astype(np.float64) / scale.astype(precision).astype(np.float64)
        quotient = exact.astype(precision).astype(np.float64)
        total = np.clip(np.rint(quotient) + zero_point.astype(np.float64), limits.min, limits.max)
    return np.where(np.isnan(total), 0, total).astype(dtype)


@pytest.mark.parametrize("op", [None, "Log", "Sqrt", "Reciprocal"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_chains_with_unusual_scales(dtype: Any, op: str | None):
    """One row for each scale; what follows the dequantization makes NaN and infinities of some numbers."""
    limits = np.iinfo(dtype)
    row = np.unique(np.linspace(limits.min, limits.max, 61).astype(dtype))
    x = np.tile(row, (len(SCALES), 1))
    zero_points = np.linspace(limits.min, limits.max, len(SCALES)).astype(dtype)
    source = {"s": np.roll(SCALES, 5), "z": zero_points}
    target = {"t": SCALES, "u": zero_points[::-1].copy()}
    nodes = [helper.make_node("DequantizeLinear", ["x", "s", "z"], ["d"], axis=0)]
    if op is not None:
        nodes.append(helper.make_node(op, ["d"], ["c"]))
    nodes.append(helper.make_node("QuantizeLinear", ["d" if op is None else "c", "t", "u"], ["y"], axis=0))
    with np.errstate(all="ignore"):
        d = (x.astype(np.float64) - zero_points[:, None]).astype(np.float32) * source["s"][:, None]
        functions = {None: np.positive, "Log": np.log, "Sqrt": np.sqrt, "Reciprocal": np.reciprocal}
        c = functions[op](d.astype(np.float64)).astype(np.float32)
    expected = _quantized(c, SCALES[:, None], target["u"][:, None], dtype)
    for got in _results(nodes, x, {**source, **target}, dtype, 21):
        # A logarithm is right to a unit in the last place, which large quotients round elsewhere.
        tolerance = 1 if op == "Log" else 0
        assert np.max(np.abs(got.astype(np.int64) - expected.astype(np.int64))) <= tolerance


@pytest.mark.parametrize("scale", SCALES)
def test_a_single_unusual_scale(scale: np.float32):
    """Constant scales of the whole tensor are what native code may compute bounds of."""
    x = np.arange(-128, 128).astype(np.int8)
    stored = {
        "s": np.array(scale),
        "z": np.array(3, np.int8),
        "t": np.array(0.37, np.float32),
        "u": np.array(-7, np.int8),
    }
    for first, second in (("s", "t"), ("t", "s")):
        nodes = [
            helper.make_node("DequantizeLinear", ["x", first, "z"], ["d"]),
            helper.make_node("QuantizeLinear", ["d", second, "u"], ["y"]),
        ]
        with np.errstate(all="ignore"):
            d = (x.astype(np.float32) - 3) * stored[first]
        expected = _quantized(d, stored[second], stored["u"], np.int8)
        for got in _results(nodes, x, stored, np.int8, 21):
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("opset", "data", "scale", "precision", "divided"),
    [
        (21, np.float16, np.float16, None, np.float32),
        (23, np.float16, np.float16, None, np.float16),
        (25, BF16, BF16, None, BF16),
        (23, np.float16, np.float32, None, np.float32),
        (23, np.float32, np.float16, None, np.float16),
        (23, np.float32, np.float32, TensorProto.FLOAT16, np.float16),
        (23, np.float16, np.float16, TensorProto.FLOAT, np.float32),
    ],
)
@pytest.mark.parametrize("blocks", [False, True])
def test_the_division_has_the_precision_of_the_scale(
    opset: int, data: Any, scale: Any, precision: int | None, divided: Any, blocks: bool
):
    """Since version 23; 3.4999 is 3.5 as f16, which becomes 4."""
    rng = np.random.default_rng(0)
    x = (rng.standard_normal((3, 1024)) * 60).astype(data)
    shape = (3, 8) if blocks else ()
    s, z = np.full(shape, 0.37).astype(scale), np.full(shape, 3, np.int8)
    attributes: dict[str, Any] = {"block_size": 128, "axis": 1} if blocks else {}
    if precision is not None:
        attributes["precision"] = precision
    node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], **attributes)
    expected = _quantized(x, np.asarray(s.flat[0]), np.asarray(3), np.int8, divided)
    for got in _results([node], x, {"s": s, "z": z}, np.int8, opset):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(("size", "block"), [(64, 16), (5, 2), (3, 4), (7, 1)])
def test_a_vector_is_quantized_by_blocks(size: int, block: int):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(size) * 60).astype(np.float32)
    count = -(-size // block)
    stored = {"s": rng.uniform(0.3, 2, count).astype(np.float32), "z": rng.integers(-9, 9, count).astype(np.int8)}
    scale, zero = (np.repeat(stored[name], block)[:size] for name in ("s", "z"))
    node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], block_size=block, axis=0)
    expected = _quantized(x, scale, zero, np.int8)
    for got in _results([node], x, stored, np.int8, 21):
        np.testing.assert_array_equal(got, expected)
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], block_size=block, axis=0),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], block_size=block, axis=0),
    ]
    for got in _results(nodes, x, stored, np.float32, 21):
        np.testing.assert_allclose(got, (expected.astype(np.float32) - zero) * scale, rtol=1e-6)
