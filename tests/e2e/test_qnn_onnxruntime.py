"""Quantized programs, compiled natively, against the operators of ONNX as onnxruntime computes them: bit by bit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from harness.native import compile_native
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.parser import Parser
from xdsl_relax.dialects.relax.dialect import Relax
from xdsl_relax.passes.quantization.qnn_legalize import QnnLegalizePass

onnxruntime = pytest.importorskip("onnxruntime")
onnx = pytest.importorskip("onnx")

TARGETS = ("plain", "x86-vnni", "int16")


def reference(
    nodes, inputs: dict[str, np.ndarray], constants: dict[str, np.ndarray], output: type[np.generic]
) -> np.ndarray:
    """Runs nodes `(operator, inputs, output, attributes)`; the last one's output is the result."""
    helper = onnx.helper
    made = [helper.make_node(name, given, [result], **attributes) for name, given, result, attributes in nodes]
    types = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in inputs.items()}
    graph = helper.make_graph(
        made,
        "graph",
        [helper.make_tensor_value_info(name, types[name], array.shape) for name, array in inputs.items()],
        [helper.make_tensor_value_info(nodes[-1][2], helper.np_dtype_to_tensor_dtype(np.dtype(output)), None)],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return np.asarray(session.run(None, inputs)[0])


def compiled(text: str, target: str = "plain"):
    """Returns the native `@main` of a module, legalized for a target."""
    context = Context()
    for dialect in (Builtin, Func, Relax):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    QnnLegalizePass(target=target).apply(Context(), module)
    run = compile_native(module)
    return lambda *args: run("main", *args)[0]


def constant(name: str, value: float | str, element: str) -> str:
    return f"%{name} = relax.constant {{value = dense<{value}> : tensor<{element}>}} : () -> tensor<{element}>\n"


def numbers(rng, dtype, shape, low=None, high=None) -> np.ndarray:
    limits = np.iinfo(dtype)
    return rng.integers(limits.min if low is None else low, limits.max if high is None else high, shape, dtype, True)


ELEMENTS = {"i8": np.int8, "ui8": np.uint8}


@pytest.mark.parametrize("element", ELEMENTS)
def test_quantize_and_dequantize(element: str):
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.standard_normal(500) * 30, (np.arange(-100, 100) + 0.5) * 0.25]).astype(np.float32)
    scale, zero_point = np.float32(0.25), ELEMENTS[element](7)
    constants = {"s": np.array(scale), "z": np.array(zero_point)}
    q = reference([("QuantizeLinear", ["x", "s", "z"], "q", {})], {"x": x}, constants, ELEMENTS[element])
    y = reference([("DequantizeLinear", ["q", "s", "z"], "y", {})], {"q": q}, constants, np.float32)
    parameters = constant("s", 0.25, "f32") + constant("z", 7, "i32")
    for prefix in ("relax.qnn.", "relax."):
        run = compiled(f"""func.func @main(%x: tensor<700xf32>) -> tensor<700x{element}> {{ {parameters}
            %q = {prefix}quantize %x, %s, %z {{out_dtype = {element}}} : (tensor<700xf32>, tensor<f32>, tensor<i32>) -> tensor<700x{element}>
            return %q : tensor<700x{element}> }}""")
        np.testing.assert_array_equal(run(x), q)
        run = compiled(f"""func.func @main(%q: tensor<700x{element}>) -> tensor<700xf32> {{ {parameters}
            %y = {prefix}dequantize %q, %s, %z : (tensor<700x{element}>, tensor<f32>, tensor<i32>) -> tensor<700xf32>
            return %y : tensor<700xf32> }}""")
        np.testing.assert_array_equal(run(q), y)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("weight", ELEMENTS)
def test_matmul_integer(weight: str, target: str):
    rng = np.random.default_rng(2)
    x = numbers(rng, np.uint8, (9, 40))
    # Seven bits, as onnxruntime saturates sums of two products on processors without VNNI.
    w = numbers(rng, ELEMENTS[weight], (20, 40), None if weight == "ui8" else -64, 64)
    constants = {"w": w.T.copy(), "zx": np.array(131, np.uint8), "zw": np.array(5, ELEMENTS[weight])}
    expected = reference([("MatMulInteger", ["x", "w", "zx", "zw"], "y", {})], {"x": x}, constants, np.int32)
    parameters = constant("zx", 131, "i32") + constant("zw", 5, "i32") + constant("s", 0.1, "f32")
    run = compiled(f"""func.func @main(%x: tensor<9x40xui8>, %w: tensor<20x40x{weight}>) -> tensor<9x20xi32> {{ {parameters}
        %y = relax.qnn.dense %x, %w, %zx, %zw, %s, %s
          : (tensor<9x40xui8>, tensor<20x40x{weight}>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<9x20xi32>
        return %y : tensor<9x20xi32> }}""", target)  # fmt: skip
    np.testing.assert_array_equal(run(x, w), expected)


@pytest.mark.parametrize("target", TARGETS)
def test_conv_integer(target: str):
    rng = np.random.default_rng(3)
    x, w = numbers(rng, np.uint8, (2, 3, 9, 8)), numbers(rng, np.uint8, (4, 3, 3, 2), high=127)
    constants = {"w": w, "zx": np.array(100, np.uint8), "zw": np.array(11, np.uint8)}
    attributes = {"pads": [1, 0, 1, 1], "strides": [2, 1], "kernel_shape": [3, 2]}
    expected = reference([("ConvInteger", ["x", "w", "zx", "zw"], "y", attributes)], {"x": x}, constants, np.int32)
    shape = "x".join(map(str, expected.shape))
    parameters = constant("zx", 100, "i32") + constant("zw", 11, "i32") + constant("s", 0.1, "f32")
    run = compiled(f"""func.func @main(%x: tensor<2x3x9x8xui8>, %w: tensor<4x3x3x2xui8>) -> tensor<{shape}xi32> {{ {parameters}
        %y = relax.qnn.conv2d %x, %w, %zx, %zw, %s, %s {{padding = array<i64: 1, 0, 1, 1>, strides = array<i64: 2, 1>}}
          : (tensor<2x3x9x8xui8>, tensor<4x3x3x2xui8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<{shape}xi32>
        return %y : tensor<{shape}xi32> }}""", target)  # fmt: skip
    np.testing.assert_array_equal(run(x, w), expected)


@pytest.mark.parametrize("target", TARGETS)
def test_dense_between_quantize_and_dequantize(target: str):
    """onnxruntime makes one integer operator of dequantize, matmul, quantize; it multiplies in f32 and rounds halves to even."""
    rng = np.random.default_rng(4)
    x = rng.standard_normal((17, 64)).astype(np.float32)
    w = numbers(rng, np.int8, (32, 64), -64, 64)
    constants = {
        "w": w.T.copy(), "sx": np.array(0.031, np.float32), "zx": np.array(120, np.uint8),
        "sw": np.array(0.017, np.float32), "zw": np.array(0, np.int8),
        "sy": np.array(0.11, np.float32), "zy": np.array(126, np.uint8),
    }  # fmt: skip
    nodes = [
        ("QuantizeLinear", ["x", "sx", "zx"], "xq", {}),
        ("DequantizeLinear", ["xq", "sx", "zx"], "xd", {}),
        ("DequantizeLinear", ["w", "sw", "zw"], "wd", {}),
        ("MatMul", ["xd", "wd"], "y", {}),
        ("QuantizeLinear", ["y", "sy", "zy"], "yq", {}),
        ("DequantizeLinear", ["yq", "sy", "zy"], "yd", {}),
    ]
    expected = reference(nodes, {"x": x}, constants, np.float32)
    product = float(np.float32(0.031) * np.float32(0.017))
    parameters = (
        constant("sx", 0.031, "f32") + constant("zx", 120, "i32") + constant("sw", 0.017, "f32")
        + constant("z", 0, "i32") + constant("sp", product, "f32") + constant("sy", 0.11, "f32")
        + constant("zy", 126, "i32")
    )  # fmt: skip
    run = compiled(f"""func.func @main(%x: tensor<17x64xf32>, %w: tensor<32x64xi8>) -> tensor<17x32xf32> {{ {parameters}
        %q = relax.qnn.quantize %x, %sx, %zx {{out_dtype = ui8}} : (tensor<17x64xf32>, tensor<f32>, tensor<i32>) -> tensor<17x64xui8>
        %t = relax.qnn.dense %q, %w, %zx, %z, %sx, %sw
          : (tensor<17x64xui8>, tensor<32x64xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<17x32xi32>
        %r = relax.qnn.requantize %t, %sp, %z, %sy, %zy {{compute_dtype = f32, rounding = "TONEAREST", out_dtype = ui8}}
          : (tensor<17x32xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<17x32xui8>
        %y = relax.qnn.dequantize %r, %sy, %zy : (tensor<17x32xui8>, tensor<f32>, tensor<i32>) -> tensor<17x32xf32>
        return %y : tensor<17x32xf32> }}""", target)  # fmt: skip
    np.testing.assert_array_equal(run(x, w), expected)


@pytest.mark.parametrize("target", TARGETS)
def test_conv_with_scales_of_channels(target: str):
    """`QLinearConv` multiplies in f32 and rounds halves to even."""
    rng = np.random.default_rng(5)
    x, w = numbers(rng, np.uint8, (1, 6, 13, 12)), numbers(rng, np.int8, (5, 6, 3, 3), -64, 64)
    scales = (rng.random(5) * 0.02 + 0.001).astype(np.float32)
    constants = {
        "sx": np.array(0.021, np.float32), "zx": np.array(117, np.uint8), "w": w, "sw": scales,
        "zw": np.zeros(5, np.int8), "sy": np.array(0.13, np.float32), "zy": np.array(120, np.uint8),
    }  # fmt: skip
    attributes = {"pads": [1, 1, 1, 1], "strides": [1, 2], "kernel_shape": [3, 3]}
    nodes = [("QLinearConv", ["x", "sx", "zx", "w", "sw", "zw", "sy", "zy"], "y", attributes)]
    expected = reference(nodes, {"x": x}, constants, np.uint8)
    shape = "x".join(map(str, expected.shape))
    products = ", ".join(repr(float(np.float32(0.021) * s)) for s in scales)
    parameters = (
        constant("sx", 0.021, "f32") + constant("zx", 117, "i32") + constant("z", 0, "i32")
        + constant("sy", 0.13, "f32") + constant("zy", 120, "i32") + constant("sp", f"[{products}]", "5xf32")
    )  # fmt: skip
    run = compiled(f"""func.func @main(%x: tensor<1x6x13x12xui8>, %w: tensor<5x6x3x3xi8>) -> tensor<{shape}xui8> {{ {parameters}
        %t = relax.qnn.conv2d %x, %w, %zx, %z, %sx, %sp {{padding = array<i64: 1>, strides = array<i64: 1, 2>}}
          : (tensor<1x6x13x12xui8>, tensor<5x6x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<5xf32>) -> tensor<{shape}xi32>
        %y = relax.qnn.requantize %t, %sp, %z, %sy, %zy {{axis = 1 : i64, compute_dtype = f32, rounding = "TONEAREST", out_dtype = ui8}}
          : (tensor<{shape}xi32>, tensor<5xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<{shape}xui8>
        return %y : tensor<{shape}xui8> }}""", target)  # fmt: skip
    assert len(np.unique(expected)) > 100
    np.testing.assert_array_equal(run(x, w), expected)
