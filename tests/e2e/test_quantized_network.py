"""A network with `QuantizeLinear` and `DequantizeLinear` around its products, from ONNX to machine code, against onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.loops_kernel import target_of
from xdsl_relax.frontend.onnx import import_onnx
from xdsl_relax.runtime.compiler import available_passes, pipeline_of, relax_context

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

STEP = 0.02
"""The scale of every activation: a result that is one step off was half a step from both."""


class Network:
    """Nodes of a graph, with quantized activations and weights."""

    def __init__(self, activations: type[np.integer[Any]], seed: int):
        self.rng = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.zero_point = self.constant(np.array(100 if activations is np.uint8 else -9, activations))
        self.scale = self.constant(np.array(STEP, np.float32))

    def constant(self, array: np.ndarray[Any, Any]) -> str:
        self.weights.append(onnx.numpy_helper.from_array(array, f"w{len(self.weights)}"))
        return self.weights[-1].name

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        self.nodes.append(onnx.helper.make_node(op, inputs, [f"v{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def rounded(self, x: str) -> str:
        """The 8-bit numbers nearest to a tensor, and back."""
        q = self.node("QuantizeLinear", x, self.scale, self.zero_point)
        return self.node("DequantizeLinear", q, self.scale, self.zero_point)

    def weight(self, *shape: int) -> str:
        numbers = self.constant(self.rng.integers(-127, 128, shape).astype(np.int8))
        scales = self.constant(self.rng.uniform(0.001, 0.004, shape[0]).astype(np.float32))
        return self.node("DequantizeLinear", numbers, scales, self.constant(np.zeros(shape[0], np.int8)), axis=0)

    def convolution(self, x: str, inputs: int, outputs: int, window: int, **attributes: Any) -> str:
        bias = self.constant(self.rng.uniform(-1, 1, outputs).astype(np.float32))
        pads = [window // 2] * 4
        return self.node("Conv", x, self.weight(outputs, inputs, window, window), bias, pads=pads, **attributes)

    def model(self, result: str) -> Any:
        helper, float32 = onnx.helper, onnx.TensorProto.FLOAT
        x = helper.make_tensor_value_info("x", float32, ["n", 3, "h", "w"])
        y = helper.make_tensor_value_info(result, float32, None)
        graph = helper.make_graph(self.nodes, "network", [x], [y], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)


def network(activations: type[np.integer[Any]]) -> Any:
    """A strided convolution, pooling, a residual branch, a mean, and a linear layer."""
    n = Network(activations, 0)
    x = n.rounded(n.node("Relu", n.convolution(n.rounded("x"), 3, 20, 5, strides=[2, 2])))
    x = n.rounded(n.node("MaxPool", x, kernel_shape=[3, 3], pads=[1] * 4))
    branch = n.rounded(n.node("Relu", n.convolution(x, 20, 32, 3)))
    sides = n.rounded(n.convolution(branch, 32, 20, 1)), x
    x = n.rounded(n.node("Relu", n.node("Add", *sides)))
    x = n.rounded(n.node("Flatten", n.node("GlobalAveragePool", x)))
    return n.model(n.rounded(n.node("Gemm", x, n.weight(11, 20), transB=1)))


def residual_network(activations: type[np.integer[Any]]) -> Any:
    """Two stages of residual blocks, whose channels make whole blocks of 16."""
    n = Network(activations, 1)
    x = n.rounded(n.node("Relu", n.convolution(n.rounded("x"), 3, 32, 7, strides=[2, 2])))
    for inputs, outputs, stride in ((32, 32, 1), (32, 64, 2)):
        strides = [stride, stride]
        y = n.rounded(n.node("Relu", n.convolution(x, inputs, outputs, 3, strides=strides)))
        y = n.rounded(n.convolution(y, outputs, outputs, 3))
        if stride > 1:
            x = n.rounded(n.convolution(x, inputs, outputs, 1, strides=strides))
        x = n.rounded(n.node("Relu", n.node("Add", y, x)))
    x = n.rounded(n.node("Flatten", n.node("GlobalAveragePool", x)))
    return n.model(n.rounded(n.node("Gemm", x, n.weight(100, 64), transB=1)))


def session_of(path: Path) -> Any:
    """Returns what runs a model node by node."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def check(compiled: Any, session: Any, sizes: tuple[int, int, int], *params: Any) -> np.ndarray[Any, Any]:
    """Checks the result for some images of a height and a width, and returns it."""
    x = np.random.default_rng(1).standard_normal((sizes[0], 3, *sizes[1:])).astype(np.float32)
    (expected,) = session.run(None, {"x": x})
    result = np.asarray(compiled(x, *params))
    steps = np.abs(result - expected) / STEP
    assert steps.max() < 1.01
    assert (steps > 0.01).mean() < 0.1
    return result


@pytest.mark.parametrize("activations", [np.uint8, np.int8])
def test_network(activations, tmp_path):
    path = tmp_path / "network.onnx"
    onnx.save(network(activations), path)
    session, compiled = session_of(path), xdsl_relax.compile(path)
    # Means of an odd number of pixels: one of an even number may lie in the middle of two steps.
    for sizes in ((1, 17, 17), (3, 21, 17), (2, 1, 17), (1, 9, 40)):
        check(compiled, session, sizes)


@pytest.mark.sweep
@pytest.mark.parametrize("activations", [np.uint8, np.int8])
@pytest.mark.parametrize("dims", [{}, {"h": 52, "w": 100}, {"n": 2, "h": 108, "w": 52}], ids=str)
@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "x86-64-v4", "sapphirerapids"])
def test_lifted_weights_at_targets(target, dims, activations, tmp_path):
    """Kernels are packed by lifting, in groups of channels for tile registers; threads change nothing."""
    target_of(target)
    path = tmp_path / "network.onnx"
    onnx.save(residual_network(activations), path)
    session, imported = session_of(path), import_onnx(path, dims=dims)
    calls = [(n, dims.get("h", h), dims.get("w", w)) for n, h, w in ((1, 52, 52), (2, 26, 35)) if n == dims.get("n", n)]
    results = []
    for threads in (1, 2, 3) if target == "sapphirerapids" else (1,):
        compiled: Any = xdsl_relax.compile(imported.module, target=target, lift=True, threads=threads, cache=False)
        params = compiled.transform_params(imported.params)
        results.append([check(compiled["main"], session, sizes, params) for sizes in calls])
    for other in results[1:]:
        for result, same in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(result, same)


def test_all_products_are_integer_and_channels_stay_last(tmp_path):
    path = tmp_path / "network.onnx"
    onnx.save(network(np.uint8), path)
    module = import_onnx(path).module
    spec = "relax-recognize-quantized,relax-convert-layout"
    for item in pipeline_of(spec.split(","), available_passes()):
        item.apply(relax_context(), module)
    names = [op.name for op in module.walk()]
    assert names.count("relax.qnn.conv2d") == 3
    assert names.count("relax.qnn.dense") == 1
    assert not {"relax.nn.conv2d", "relax.matmul", "relax.linear"} & set(names)
    images = [op for op in module.walk() if op.name == "relax.permute_dims" and str(op.results[0].type).count("x") > 2]
    # Of the input and of the weights: nothing is transposed between the convolutions.
    inputs = [op for op in images if str(op.operands[0].type).startswith("tensor<?x3x")]
    activations = [op for op in images if "#relax.sym<n>" in str(op.operands[0].type)]
    assert len(inputs) == len(activations) == 1
