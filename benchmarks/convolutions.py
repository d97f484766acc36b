"""Convolutions and pooling on one core against onnxruntime, OpenVINO and eager torch: `python benchmarks/convolutions.py [WORD]...`.

The four take turns; a ratio is the time of the fastest peer over ours, so that more than 1 is a win. Words choose the rows that
have one of them in their name.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx
import openvino
import torch
import torch.nn.functional as functional
from take_turns import take_turns
from three_ways import Array, Node, Workload, model_of, native, session


def conv(
    name: str, x: tuple[int, ...], w: tuple[int, ...], stride: int = 1, padding: int = 0, groups: int = 1
) -> Workload:
    """Returns the row of a 2-D convolution."""
    onnx_attributes = {"strides": [stride] * 2, "pads": [padding] * 4, "group": groups}
    return Workload(
        name,
        x,
        {"w": w},
        lambda g, x, p: g.nn.conv2d(x, p["w"], strides=[stride] * 2, padding=[padding] * 4, groups=groups),
        [("Conv", ["x", "w"], "y", onnx_attributes)],
        lambda x, p: functional.conv2d(x, p["w"], None, stride, padding, 1, groups),
    )


def transposed(name: str, x: tuple[int, ...], w: tuple[int, ...], stride: int, padding: int) -> Workload:
    """Returns the row of a transposed 2-D convolution."""
    return Workload(
        name,
        x,
        {"w": w},
        lambda g, x, p: g.nn.conv2d_transpose(x, p["w"], strides=[stride] * 2, padding=[padding] * 4),
        [("ConvTranspose", ["x", "w"], "y", {"strides": [stride] * 2, "pads": [padding] * 4})],
        lambda x, p: functional.conv_transpose2d(x, p["w"], None, stride, padding),
    )


def pool(name: str, kind: str, x: tuple[int, ...], size: int, stride: int, padding: int) -> Workload:
    """Returns the row of a pooling, `max` or `avg`."""
    window = {"pool_size": [size] * 2, "strides": [stride] * 2, "padding": [padding] * 4}
    node: Node = (
        "MaxPool" if kind == "max" else "AveragePool",
        ["x"],
        "y",
        {"kernel_shape": [size] * 2, "strides": [stride] * 2, "pads": [padding] * 4},
    )
    if kind == "max":
        return Workload(
            name,
            x,
            {},
            lambda g, x, p: g.nn.max_pool2d(x, **window),
            [node],
            lambda x, p: functional.max_pool2d(x, size, stride, padding),
        )
    return Workload(
        name,
        x,
        {},
        lambda g, x, p: g.nn.avg_pool2d(x, **window),
        [node],
        lambda x, p: functional.avg_pool2d(x, size, stride, padding, count_include_pad=False),
    )


def inverted_residual() -> Workload:
    """Returns the row of a block of MobileNetV2: 1x1 to 144 channels, depthwise 3x3, 1x1 to 24, each but the last cut at 0 and 6."""

    def ours(g: Any, x: Any, p: Mapping[str, Any]) -> Any:
        y = g.clip(g.nn.conv2d(x, p["up"]), min=0.0, max=6.0)
        y = g.clip(g.nn.conv2d(y, p["depth"], padding=[1] * 4, groups=144), min=0.0, max=6.0)
        return g.add(g.nn.conv2d(y, p["down"]), x)

    def by_torch(x: torch.Tensor, p: Mapping[str, torch.Tensor]) -> torch.Tensor:
        y = functional.relu6(functional.conv2d(x, p["up"]))
        y = functional.relu6(functional.conv2d(y, p["depth"], padding=1, groups=144))
        return functional.conv2d(y, p["down"]) + x

    return Workload(
        "inverted residual 24-144-24, 56 x 56",
        (1, 24, 56, 56),
        {"up": (144, 24, 1, 1), "depth": (144, 1, 3, 3), "down": (24, 144, 1, 1), "low": (), "high": ()},
        ours,
        [
            ("Conv", ["x", "up"], "a", {}),
            ("Clip", ["a", "low", "high"], "b", {}),
            ("Conv", ["b", "depth"], "c", {"pads": [1] * 4, "group": 144}),
            ("Clip", ["c", "low", "high"], "d", {}),
            ("Conv", ["d", "down"], "e", {}),
            ("Add", ["e", "x"], "y", {}),
        ],
        by_torch,
    )


WORKLOADS = (
    pool("max_pool 3x3 s2 p1, 64 x 112 x 112", "max", (1, 64, 112, 112), 3, 2, 1),
    pool("max_pool 2x2 s2, 64 x 112 x 112", "max", (1, 64, 112, 112), 2, 2, 0),
    pool("max_pool 3x3 s1 p1, 64 x 56 x 56", "max", (1, 64, 56, 56), 3, 1, 1),
    pool("avg_pool 3x3 s1 p1, 64 x 56 x 56", "avg", (1, 64, 56, 56), 3, 1, 1),
    pool("avg_pool 2x2 s2, 128 x 56 x 56", "avg", (1, 128, 56, 56), 2, 2, 0),
    conv("conv stem 7x7 s2 p3, 3 -> 64, 224 x 224", (1, 3, 224, 224), (64, 3, 7, 7), 2, 3),
    conv("conv stem 3x3 s2 p1, 3 -> 32, 224 x 224", (1, 3, 224, 224), (32, 3, 3, 3), 2, 1),
    conv("conv 3x3, 64 -> 64, 56 x 56", (1, 64, 56, 56), (64, 64, 3, 3), 1, 1),
    conv("conv 3x3, 128 -> 128, 28 x 28", (1, 128, 28, 28), (128, 128, 3, 3), 1, 1),
    conv("conv 3x3, 256 -> 256, 14 x 14", (1, 256, 14, 14), (256, 256, 3, 3), 1, 1),
    conv("conv 3x3, 512 -> 512, 7 x 7", (1, 512, 7, 7), (512, 512, 3, 3), 1, 1),
    conv("conv 3x3, 32 -> 32, 64 x 64", (1, 32, 64, 64), (32, 32, 3, 3), 1, 1),
    conv("conv 3x3, 32 -> 32, 65 x 65", (1, 32, 65, 65), (32, 32, 3, 3), 1, 1),
    conv("conv 3x3 s2, 128 -> 256, 28 x 28", (1, 128, 28, 28), (256, 128, 3, 3), 2, 1),
    conv("conv 1x1 s2, 128 -> 256, 28 x 28", (1, 128, 28, 28), (256, 128, 1, 1), 2, 0),
    conv("conv 1x1, 256 -> 64, 56 x 56", (1, 256, 56, 56), (64, 256, 1, 1)),
    conv("conv 1x1, 960 -> 160, 7 x 7", (1, 960, 7, 7), (160, 960, 1, 1)),
    conv("conv 3x3 in 4 groups, 128 -> 128, 28 x 28", (1, 128, 28, 28), (128, 32, 3, 3), 1, 1, 4),
    conv("depthwise 3x3, 96 x 56 x 56", (1, 96, 56, 56), (96, 1, 3, 3), 1, 1, 96),
    conv("depthwise 3x3 s2, 96 x 112 x 112", (1, 96, 112, 112), (96, 1, 3, 3), 2, 1, 96),
    conv("depthwise 5x5, 480 x 14 x 14", (1, 480, 14, 14), (480, 1, 5, 5), 1, 2, 480),
    inverted_residual(),
    transposed("transposed 4x4 s2 p1, 64 -> 32, 32 x 32", (1, 64, 32, 32), (64, 32, 4, 4), 2, 1),
    transposed("transposed 2x2 s2, 128 -> 64, 28 x 28", (1, 128, 28, 28), (128, 64, 2, 2), 2, 0),
)


def compiled(workload: Workload, x: Array, weights: Mapping[str, Array]) -> Callable[[], Array]:
    """Compiles a model for OpenVINO on one thread in f32."""
    core = openvino.Core()
    options = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    model = onnx.shape_inference.infer_shapes(model_of(workload, x, weights))
    request = core.compile_model(core.read_model(model.SerializeToString()), "CPU", options).create_infer_request()

    def call() -> Array:
        request.infer([x], share_inputs=True, share_outputs=True)
        return request.get_output_tensor(0).data

    return call


def main() -> None:
    """Prints a row of a Markdown table for each workload."""
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    ratios: list[float] = []
    words = sys.argv[1:]
    print("| workload | xdsl-relax ms | onnxruntime ms | OpenVINO ms | torch ms | ratio |\n|---|---|---|---|---|---|")
    for workload in WORKLOADS:
        if words and not any(word in workload.name for word in words):
            continue
        x = rng.standard_normal(workload.x, np.float32)
        weights = {
            name: rng.standard_normal(shape, np.float32) / math.sqrt(math.prod(shape[1:]))
            for name, shape in workload.weights.items()
        }
        weights.update({k: np.array(v, np.float32) for k, v in (("low", 0), ("high", 6)) if k in weights})
        tensors = {name: torch.from_numpy(array) for name, array in weights.items()}
        data = torch.from_numpy(x)
        calls: list[Callable[[], object]] = [
            native(workload, x, {k: v for k, v in weights.items() if v.shape}),
            session(workload, x, weights),
            compiled(workload, x, weights),
            lambda data=data, tensors=tensors, run=workload.torch: run(data, tensors),
        ]
        reference = np.asarray(calls[1]())
        for call in calls:
            np.testing.assert_allclose(np.asarray(call()), reference, rtol=1e-3, atol=1e-3)
        times = [seconds * 1e3 for seconds in take_turns(*calls)]
        ratios.append(min(times[1:]) / times[0])
        print("|", " | ".join([workload.name, *(f"{t:.3f}" for t in times), f"{ratios[-1]:.2f}"]), "|", flush=True)
    print(f"geometric mean of the ratios: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")


if __name__ == "__main__":
    with torch.inference_mode():
        main()
