"""Quantized layers on one core against the same layers in f32 and onnxruntime's: `python benchmarks/int8.py`.

A line says how many billion operations a second there are (a product and a sum are two), how many times the speed of f32 that is, and the
time of onnxruntime's over ours, where it is installed and has the layout: more than 1 is a win.

Each layer is a product of ui8 data and i8 weights in i32, requantized to ui8; that in f32 has a relu instead. Weights are lifted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xdsl_relax
from take_turns import take_turns

try:
    import onnx
    import onnxruntime
except ImportError:
    onnx = onnxruntime = None

TURN = 0.02
"""The seconds of a turn: each meets the caches as its own last call left them."""

PARAMETERS = {"sx": 0.03, "sw": 0.02, "sp": 0.0006, "sy": 1.1, "zx": 120, "zy": 126, "z": 0}


def element(name: str) -> str:
    return "f32" if name.startswith("s") else "i32"


@dataclass
class Layer:
    """A layer by the shapes of its data, weight and result."""

    name: str
    data: Sequence[int]
    weight: Sequence[int]
    result: Sequence[int]
    work: int
    quantized: str
    float: str
    operator: str
    attributes: dict[str, Any]

    def program(self, is_quantized: bool) -> str:
        types = ("ui8", "i8", "i32", "ui8") if is_quantized else ("f32",) * 4
        shapes = (self.data, self.weight, self.result, self.result)
        x, w, t, y = (f"tensor<{'x'.join(map(str, (*s, e)))}>" for s, e in zip(shapes, types, strict=True))
        scale = ", ".join(f"tensor<{element(n)}>" for n in ("zx", "z", "sx", "sw"))
        if is_quantized:
            body = "\n".join(
                f"%{n} = relax.constant {{value = dense<{v}> : tensor<{element(n)}>}} : () -> tensor<{element(n)}>"
                for n, v in PARAMETERS.items()
            )
            body += f"""
              %t = {self.quantized.format(types=f"({x}, {w}, {scale}) -> {t}")}
              %y = relax.qnn.requantize %t, %sp, %z, %sy, %zy {{compute_dtype = f32, rounding = "TONEAREST", out_dtype = ui8}}
                : ({t}, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> {y}"""
        else:
            body = f"""{self.float.format(x=x, w=w, t=t)}
              %y = relax.nn.relu %t : ({t}) -> {y}"""
        return f"""func.func @main(%x: {x}, %w: {w} {{relax.name = "w"}}) -> {y} attributes {{relax.num_input = 1 : i64}} {{
          %r = relax.dataflow {{ {body}
            relax.output %y : {y}
          }} : {y}
          return %r : {y}
        }}"""


def dense(m: int, n: int, k: int) -> Layer:
    transposed = f"tensor<{k}x{n}xf32>"
    return Layer(
        f"dense {m}x{n}x{k}", (m, k), (n, k), (m, n), m * n * k,
        "relax.qnn.dense %x, %w, %zx, %z, %sx, %sw : {types}",
        "%wt = relax.permute_dims %w {{axes = array<i64: 1, 0>}} : ({w}) -> " + transposed + "\n"
        "%t = relax.matmul %x, %wt : ({x}, " + transposed + ") -> {t}",
        "QLinearMatMul", {},
    )  # fmt: skip


def conv2d(inputs: int, size: int, outputs: int, window: int, stride: int, layout: str) -> Layer:
    pad = window // 2
    result = (size + 2 * pad - window) // stride + 1
    data, weight, out = (1, inputs, size, size), (outputs, inputs, window, window), (1, outputs, result, result)
    kernel_layout = "OIHW"
    if layout == "NHWC":
        data, weight, out = (1, size, size, inputs), (window, window, inputs, outputs), (1, result, result, outputs)
        kernel_layout = "HWIO"
    attributes = (
        f'{{{{data_layout = "{layout}", kernel_layout = "{kernel_layout}", strides = array<i64: {stride}, {stride}>, '
        f"padding = array<i64: {pad}, {pad}, {pad}, {pad}>}}}}"
    )
    return Layer(
        f"conv2d {inputs}x{size}x{size} to {outputs}, {window}x{window}, stride {stride}, {layout}",
        data, weight, out, result * result * inputs * outputs * window * window,
        f"relax.qnn.conv2d %x, %w, %zx, %z, %sx, %sw {attributes} : {{types}}",
        f"%t = relax.nn.conv2d %x, %w {attributes} : ({{x}}, {{w}}) -> {{t}}",
        "QLinearConv", {"pads": [pad] * 4, "strides": [stride] * 2},
    )  # fmt: skip


LAYERS = [
    dense(1024, 1024, 1024),
    dense(128, 4096, 4096),
    dense(1, 4096, 4096),
    *(
        conv2d(*shape, layout)
        for shape in ((64, 56, 64, 3, 1), (256, 14, 256, 3, 1), (64, 56, 256, 1, 1), (3, 224, 64, 7, 2))
        for layout in ("NCHW", "NHWC")
    ),
]


def ours(layer: Layer, is_quantized: bool, x: np.ndarray, w: np.ndarray) -> Callable[[], np.ndarray]:
    executable = xdsl_relax.compile(layer.program(is_quantized), lift=True)
    params = executable.transform_params({"w": w})
    return lambda: executable["main"](x, params)


def of_onnxruntime(layer: Layer, x: np.ndarray, w: np.ndarray) -> Callable[[], np.ndarray] | None:
    """onnxruntime's operator, which has the layout NCHW alone."""
    if onnx is None or onnxruntime is None or "NHWC" in layer.name:
        return None
    helper = onnx.helper
    kinds = {"s": np.float32, "x": np.uint8, "w": np.int8, "y": np.uint8}
    constants = {
        **{n: np.array(PARAMETERS[n], np.float32) for n in ("sx", "sw", "sy")},
        "zx": np.array(120, np.uint8), "zw": np.array(0, np.int8), "zy": np.array(126, np.uint8),
        "w": np.ascontiguousarray(w.T) if layer.operator == "QLinearMatMul" else w,
    }  # fmt: skip
    inputs = ["x", "sx", "zx", "w", "sw", "zw", "sy", "zy"]
    node = helper.make_node(layer.operator, inputs, ["y"], **layer.attributes)
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [node], "g", [value("x", helper.np_dtype_to_tensor_dtype(np.dtype(kinds["x"])), x.shape)],
        [value("y", helper.np_dtype_to_tensor_dtype(np.dtype(kinds["y"])), None)],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )  # fmt: skip
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: np.asarray(session.run(None, {"x": x})[0])


def main() -> None:
    """Prints a line for each layer."""
    argparse.ArgumentParser(prog="python benchmarks/int8.py", description=__doc__).parse_args()
    rng = np.random.default_rng(0)
    for layer in LAYERS:
        x, w = rng.integers(0, 256, layer.data, np.uint8), rng.integers(-128, 128, layer.weight, np.int8)
        reals = (rng.standard_normal(shape, np.float32) for shape in (layer.data, layer.weight))
        integer, real, other = ours(layer, True, x, w), ours(layer, False, *reals), of_onnxruntime(layer, x, w)
        text = ""
        if other is None:
            a, b = take_turns(integer, real, turn=TURN)
        else:
            a, b, c = take_turns(integer, real, other, turn=TURN)
            # Products of scales are rounded differently.
            assert np.abs(integer().astype(np.int32) - other()).max() <= 1
            text = f", onnxruntime {2e-9 * layer.work / c:.0f}, ratio {c / a:.2f}"
        print(f"{layer.name}: {2e-9 * layer.work / a:.0f} Gop/s, {b / a:.2f} times f32{text}")


if __name__ == "__main__":
    main()
