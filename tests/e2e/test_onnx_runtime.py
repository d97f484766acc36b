"""Ops of onnxruntime (`com.microsoft`), and details that ONNX's node suite leaves out, against onnxruntime."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs onnx")
ort = pytest.importorskip("onnxruntime", reason="needs onnxruntime")

from harness.main_runs import ENGINES  # noqa: E402
from onnx import ModelProto, helper  # noqa: E402
from xdsl_relax.frontend.onnx import import_onnx  # noqa: E402

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Case:
    """A node, its operands (`None` for one that is left out), and how many outputs it has (0 for one that is left out)."""

    op: str
    operands: Sequence[Any]
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    outputs: Sequence[int] = (1,)
    domain: str = "com.microsoft"
    known: Sequence[int] = ()
    """The operands that are stored in the model."""
    tolerance: float = 1e-4

    def model(self) -> ModelProto:
        """Returns a model of the node alone."""
        names = [f"x{i}" if item is not None else "" for i, item in enumerate(self.operands)]
        results = [f"y{i}" if wanted else "" for i, wanted in enumerate(self.outputs)]
        node = helper.make_node(self.op, names, results, domain=self.domain, **self.attributes)
        given = [
            (i, name, item) for i, (name, item) in enumerate(zip(names, self.operands, strict=True)) if item is not None
        ]
        inputs = [_info(name, item) for i, name, item in given if i not in self.known]
        stored = [
            helper.make_tensor(name, helper.np_dtype_to_tensor_dtype(item.dtype), item.shape, item.tobytes(), raw=True)
            for i, name, item in given
            if i in self.known
        ]
        outputs = [helper.make_empty_tensor_value_info(name) for name in results if name]
        graph = helper.make_graph([node], "case", inputs, outputs, stored)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def arguments(self) -> list[Array]:
        """Returns the operands that are not stored."""
        return [np.asarray(item) for i, item in enumerate(self.operands) if item is not None and i not in self.known]


def _info(name: str, array: Array) -> Any:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def cases() -> dict[str, Case]:
    """Returns the cases by name."""
    rng = np.random.default_rng(0)

    def f(*shape: int) -> Array:
        return rng.standard_normal(shape).astype(np.float32)

    def u8(*shape: int) -> Array:
        return rng.integers(0, 256, shape).astype(np.uint8)

    def scaled(value: Array, scale: float, zero_point: int) -> list[Any]:
        return [value, np.float32(scale), value.dtype.type(zero_point)]

    def result(scale: float, zero_point: int, signed: bool = False) -> list[Any]:
        return [np.float32(scale), (np.int8 if signed else np.uint8)(zero_point)]

    i8 = (u8(2, 6, 5) - np.float32(128)).astype(np.int8)
    image = scaled(u8(2, 3, 9, 7), 0.03, 120)
    angles = np.arange(16)[:, None] / 100 ** (np.arange(4) / 4)
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    turns = np.arange(16)[:, None] / 100 ** (np.arange(8) / 8)
    wide = [np.cos(turns).astype(np.float32), np.sin(turns).astype(np.float32)]
    positions = np.array([[0, 1, 2], [4, 5, 6]], np.int64)
    return {
        "bias_gelu": Case("BiasGelu", [f(2, 8), f(8)]),
        "fast_gelu": Case("FastGelu", [f(2, 8), f(8)], tolerance=1e-3),
        "fast_gelu_plain": Case("FastGelu", [f(2, 8)], tolerance=1e-3),
        "quick_gelu": Case("QuickGelu", [f(2, 8)], {"alpha": 1.5}),
        "fused_matmul": Case("FusedMatMul", [f(2, 4, 3), f(2, 5, 4)], {"transA": 1, "transB": 1, "alpha": 0.5}),
        "qgemm": Case(
            "QGemm",
            [
                u8(3, 4),
                np.float32(0.1),
                np.uint8(7),
                u8(4, 5),
                np.float32(0.2),
                np.uint8(9),
                None,
                np.float32(3),
                np.uint8(5),
            ],
        ),
        "qgemm_float": Case(
            "QGemm",
            [
                u8(3, 4),
                np.float32(0.1),
                np.uint8(7),
                u8(5, 4),
                np.float32(0.2),
                np.uint8(9),
                rng.integers(-9, 9, 5).astype(np.int32),
            ],
            {"transB": 1, "alpha": 0.5},
        ),
        "matmul_4_bits": Case(
            "MatMulNBits",
            [f(3, 64), u8(8, 2, 16), f(16), u8(8)],
            {"K": 64, "N": 8, "bits": 4, "block_size": 32},
            known=(1, 2, 3),
            tolerance=1e-3,
        ),
        "matmul_4_bits_symmetric": Case(
            "MatMulNBits",
            [f(3, 40), u8(8, 2, 16), f(16)],
            {"K": 40, "N": 8, "bits": 4, "block_size": 32},
            known=(1, 2),
            tolerance=1e-3,
        ),
        "skip_layer_norm": Case(
            "SkipLayerNormalization",
            [f(2, 3, 8), f(2, 3, 8), f(8), f(8), f(8)],
            {"epsilon": 1e-5},
            outputs=(1, 0, 0, 1),
        ),
        "skip_rms_norm": Case(
            "SkipSimplifiedLayerNormalization", [f(2, 3, 8), f(2, 3, 8), f(8)], {"epsilon": 1e-5}, outputs=(1, 0, 0, 1)
        ),
        "embed_layer_norm": Case(
            "EmbedLayerNormalization",
            [
                np.array([[1, 2, 3]], np.int32),
                np.array([[0, 1, 1]], np.int32),
                f(5, 8),
                f(4, 8),
                f(2, 8),
                f(8),
                f(8),
                np.array([[1, 1, 0]], np.int32),
            ],
            outputs=(1, 1),
        ),
        "rotary": Case("RotaryEmbedding", [f(2, 3, 16), positions, cos, sin], {}),
        "rotary_interleaved": Case("RotaryEmbedding", [f(2, 2, 3, 8), positions, cos, sin], {"interleaved": 1}),
        "rotary_offset": Case("RotaryEmbedding", [f(2, 3, 16), np.array([5], np.int64), cos, sin], {}),
        "attention": Case("Attention", [f(2, 3, 8), f(8, 24), f(24)], {"num_heads": 2}),
        "attention_lengths": Case(
            "Attention", [f(2, 3, 8), f(8, 24), f(24), np.array([2, 3], np.int32)], {"num_heads": 2}
        ),
        "attention_causal_past": Case(
            "Attention",
            [f(2, 3, 8), f(8, 24), f(24), None, f(2, 2, 2, 4, 4)],
            {"num_heads": 2, "unidirectional": 1},
            outputs=(1, 1),
        ),
        "multi_head": Case(
            "MultiHeadAttention",
            [f(2, 3, 8), f(2, 5, 8), f(2, 5, 8), f(24), np.array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]], np.int32)],
            {"num_heads": 2},
        ),
        "multi_head_past": Case(
            "MultiHeadAttention",
            [f(2, 3, 8), f(2, 3, 8), f(2, 3, 8), None, None, f(1, 2, 3, 7), f(2, 2, 4, 4), f(2, 2, 4, 4)],
            {"num_heads": 2, "scale": 0.3},
            outputs=(1, 1, 1),
        ),
        "group_query_prompt": Case(
            "GroupQueryAttention",
            [f(2, 3, 64), f(2, 3, 32), f(2, 3, 32), None, None, np.array([2, 2], np.int32), np.int32(3), *wide],
            {"num_heads": 4, "kv_num_heads": 2, "do_rotary": 1},
            outputs=(1, 1, 1),
            known=(6,),
        ),
        "group_query_token": Case(
            "GroupQueryAttention",
            [
                f(2, 1, 128),
                None,
                None,
                f(2, 2, 5, 16),
                f(2, 2, 5, 16),
                np.array([5, 5], np.int32),
                np.int32(6),
                *wide,
            ],
            {"num_heads": 4, "kv_num_heads": 2, "do_rotary": 1},
            outputs=(1, 1, 1),
            known=(6,),
        ),
        "qlinear_add": Case("QLinearAdd", [*scaled(u8(2, 5), 0.1, 7), *scaled(u8(5), 0.2, 99), *result(0.25, 8)]),
        "qlinear_add_signed": Case(
            "QLinearAdd", [*scaled(i8, 0.1, -7), *scaled(i8[:, :1], 0.2, 9), *result(0.3, -8, signed=True)]
        ),
        "qlinear_mul": Case("QLinearMul", [*scaled(u8(2, 5), 0.1, 7), *scaled(u8(2, 1), 0.2, 99), *result(2.5, 80)]),
        "qlinear_sigmoid": Case(
            "QLinearSigmoid", [*scaled(u8(31), 0.05, 128), *result(1 / 256, 0)], known=(1, 2, 3, 4)
        ),
        "qlinear_leaky_relu": Case(
            "QLinearLeakyRelu",
            [*scaled(i8, 0.05, 3), *result(0.04, 0, signed=True)],
            {"alpha": 0.2},
            known=(1, 2, 3, 4),
        ),
        "qlinear_softmax": Case(
            "QLinearSoftmax", [*scaled(u8(3, 4, 8), 0.05, 128), *result(1 / 256, 0)], {"axis": -1, "opset": 13}
        ),
        "qlinear_softmax_of_dims": Case(
            "QLinearSoftmax", [*scaled(u8(3, 4, 2), 0.05, 128), *result(1 / 256, 0)], {"axis": 1, "opset": 11}
        ),
        "qlinear_concat": Case(
            "QLinearConcat",
            [*result(0.1, 20), *scaled(u8(2, 3), 0.1, 7), *scaled(u8(2, 1), 0.05, 128), *scaled(u8(2, 4), 0.2, 0)],
            {"axis": 1},
            known=(0, 1, 3, 4, 6, 7, 9, 10),
        ),
        "qlinear_global_average_pool": Case("QLinearGlobalAveragePool", [*image, *result(0.02, 128)]),
        "qlinear_average_pool": Case(
            "QLinearAveragePool",
            [*image, *result(0.02, 128)],
            {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1], "count_include_pad": 1},
        ),
        "qlinear_average_pool_ceil": Case(
            "QLinearAveragePool",
            [*image, *result(0.02, 128)],
            {"kernel_shape": [3, 3], "strides": [2, 3], "ceil_mode": 1},
        ),
        "lstm_of_many_steps": Case(
            "LSTM",
            [f(9, 2, 3), f(2, 16, 3), f(2, 16, 4), f(2, 32), np.array([9, 4], np.int32)],
            {"hidden_size": 4, "direction": "bidirectional"},
            outputs=(1, 1, 1),
            domain="",
        ),
        "gru_of_many_steps": Case(
            "GRU",
            [f(9, 2, 3), f(1, 12, 3), f(1, 12, 4), f(1, 24)],
            {"hidden_size": 4, "linear_before_reset": 1},
            outputs=(1, 1),
            domain="",
        ),
        "resize_odd": Case(
            "Resize",
            [f(1, 2, 5, 7), None, None, np.array([1, 2, 8, 3], np.int64)],
            {"mode": "cubic", "coordinate_transformation_mode": "align_corners"},
            domain="",
            known=(3,),
        ),
        "max_pool_ceil": Case(
            "MaxPool",
            [f(1, 2, 7, 6)],
            {"kernel_shape": [3, 2], "strides": [2, 3], "pads": [1, 0, 1, 1], "ceil_mode": 1},
            outputs=(1, 1),
            domain="",
        ),
        "boxes": Case(
            "NonMaxSuppression",
            [np.abs(f(2, 30, 4)), np.abs(f(2, 3, 30)), np.int64(4), np.float32(0.3), np.float32(0.2)],
            domain="",
        ),
    }


@pytest.mark.sweep
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", cases())
def test_results_are_those_of_onnxruntime(name: str, engine: str) -> None:
    case = cases()[name]
    proto = case.model()
    arguments = case.arguments()
    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feeds = {info.name: array for info, array in zip(proto.graph.input, arguments, strict=True)}
    expected = session.run(None, feeds)
    imported = import_onnx(proto)
    run: Callable[..., Sequence[Array]] = ENGINES[engine]
    results = run(imported.module, [*arguments, *(imported.params[key] for key in imported.params)])
    for got, want in zip(results, expected, strict=True):
        assert got.shape == want.shape and got.dtype == want.dtype
        if want.dtype.kind == "f":
            np.testing.assert_allclose(got, want, rtol=case.tolerance, atol=case.tolerance)
        else:
            assert np.max(np.abs(got.astype(np.int64) - want.astype(np.int64))) <= (want.dtype.itemsize == 1)
