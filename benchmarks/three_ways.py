"""Ops and layers written for this compiler, for onnxruntime and for torch, on one core: `python benchmarks/three_ways.py`.

The three take turns; a ratio is the time of the faster peer over ours, so that more than 1 is a win.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import onnx
import onnxruntime
import torch
import torch.nn.functional as functional
import xdsl_relax
from onnx import TensorProto, helper
from take_turns import take_turns
from xdsl_relax.builder import BlockBuilder, ModuleBuilder, tensor

Array: TypeAlias = "np.ndarray[Any, Any]"
Graph: TypeAlias = Callable[[BlockBuilder, Any, Mapping[str, Any]], Any]
Node: TypeAlias = tuple[str, Sequence[str], str, Mapping[str, Any]]


@dataclass(frozen=True)
class Workload:
    """One computation of an input `x` and weights, written three times."""

    name: str
    x: tuple[int, ...]
    weights: Mapping[str, tuple[int, ...]]
    ours: Graph
    onnx: Sequence[Node]
    torch: Callable[[torch.Tensor, Mapping[str, torch.Tensor]], torch.Tensor]


WORKLOADS = (
    Workload(
        "exp(x + 5 sums), 1024 x 1024",
        (1024, 1024),
        {},
        lambda g, x, w: g.exp(g.add(g.add(g.add(g.add(g.add(x, x), x), x), x), x)),
        [("Add", ["x", "x"], "a", {})]
        + [("Add", [name, "x"], chr(ord(name) + 1), {}) for name in "abcd"]
        + [("Exp", ["e"], "y", {})],
        lambda x, w: (x + x + x + x + x + x).exp(),
    ),
    Workload(
        "softmax, 64 x 12 x 128 x 128",
        (64, 12, 128, 128),
        {},
        lambda g, x, w: g.nn.softmax(x, axis=-1),
        [("Softmax", ["x"], "y", {"axis": -1})],
        lambda x, w: torch.softmax(x, -1),
    ),
    Workload(
        "layer_norm, 512 x 4096",
        (512, 4096),
        {"gamma": (4096,), "beta": (4096,)},
        lambda g, x, w: g.nn.layer_norm(x, w["gamma"], w["beta"], axes=[-1], epsilon=1e-5),
        [("LayerNormalization", ["x", "gamma", "beta"], "y", {"axis": -1, "epsilon": 1e-5})],
        lambda x, w: functional.layer_norm(x, (4096,), w["gamma"], w["beta"], 1e-5),
    ),
    Workload(
        "matmul 1024^3, constant weight",
        (1024, 1024),
        {"w": (1024, 1024)},
        lambda g, x, w: g.matmul(x, w["w"]),
        [("MatMul", ["x", "w"], "y", {})],
        lambda x, w: x @ w["w"],
    ),
    Workload(
        "matmul 1 x 4096 x 11008, constant weight",
        (1, 4096),
        {"w": (4096, 11008)},
        lambda g, x, w: g.matmul(x, w["w"]),
        [("MatMul", ["x", "w"], "y", {})],
        lambda x, w: x @ w["w"],
    ),
    Workload(
        "conv2d 3x3, 64 channels, 56 x 56",
        (1, 64, 56, 56),
        {"w": (64, 64, 3, 3)},
        lambda g, x, w: g.nn.conv2d(x, w["w"], padding=[1, 1, 1, 1]),
        [("Conv", ["x", "w"], "y", {"pads": [1, 1, 1, 1]})],
        lambda x, w: functional.conv2d(x, w["w"], padding=1),
    ),
    Workload(
        "feed-forward block 128 x 768 x 3072, gelu",
        (128, 768),
        {"up": (768, 3072), "up_bias": (3072,), "down": (3072, 768), "down_bias": (768,)},
        lambda g, x, w: g.add(
            g.matmul(g.nn.gelu(g.add(g.matmul(x, w["up"]), w["up_bias"])), w["down"]), w["down_bias"]
        ),
        [
            ("MatMul", ["x", "up"], "a", {}),
            ("Add", ["a", "up_bias"], "b", {}),
            ("Gelu", ["b"], "c", {}),
            ("MatMul", ["c", "down"], "d", {}),
            ("Add", ["d", "down_bias"], "y", {}),
        ],
        lambda x, w: functional.gelu(x @ w["up"] + w["up_bias"]) @ w["down"] + w["down_bias"],
    ),
)


def native(workload: Workload, x: Array, weights: Mapping[str, Array]) -> Callable[[], Array]:
    """Compiles with lifted parameters."""
    m = ModuleBuilder()
    with m.function("main") as f:
        data = f.input("x", tensor(workload.x, "f32"))
        params = {name: f.param(name, tensor(array.shape, "f32")) for name, array in weights.items()}
        with f.dataflow() as g:
            y = g.output(workload.ours(g, data, params))
        f.returns(y)
    executable = xdsl_relax.compile(m.build(), lift=bool(weights))
    main = executable["main"]
    if not weights:
        return lambda: main(x)
    transformed = executable.transform_params(dict(weights))
    return lambda: main(x, transformed)


def model_of(workload: Workload, x: Array, weights: Mapping[str, Array]) -> onnx.ModelProto:
    """Makes a model of ONNX with the weights as initializers."""
    nodes = [
        helper.make_node(name, list(given), [result], **attributes) for name, given, result, attributes in workload.onnx
    ]
    constants = [
        helper.make_tensor(name, TensorProto.FLOAT, array.shape, array.tobytes(), raw=True)
        for name, array in weights.items()
    ]
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def session(workload: Workload, x: Array, weights: Mapping[str, Array]) -> Callable[[], Array]:
    """Makes a session of onnxruntime on one thread."""
    model = model_of(workload, x, weights)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    run = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run
    return lambda: np.asarray(run(None, {"x": x})[0])


def main() -> None:
    """Prints a row of a Markdown table for each workload."""
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    ratios: list[float] = []
    print("| workload | xdsl-relax ms | onnxruntime ms | torch ms | ratio |\n|---|---|---|---|---|")
    for workload in WORKLOADS:
        x = rng.standard_normal(workload.x, np.float32) / 8
        weights = {
            name: rng.standard_normal(shape, np.float32) / math.sqrt(shape[0])
            for name, shape in workload.weights.items()
        }
        tensors = {name: torch.from_numpy(array) for name, array in weights.items()}
        data = torch.from_numpy(x)
        calls: list[Callable[[], object]] = [
            native(workload, x, weights),
            session(workload, x, weights),
            lambda data=data, tensors=tensors, run=workload.torch: run(data, tensors),
        ]
        ours, reference = np.asarray(calls[0]()), np.asarray(calls[1]())
        np.testing.assert_allclose(ours, reference, rtol=1e-3, atol=1e-3)
        times = [seconds * 1e3 for seconds in take_turns(*calls)]
        ratios.append(min(times[1:]) / times[0])
        print(f"| {workload.name} | {times[0]:.3f} | {times[1]:.3f} | {times[2]:.3f} | {ratios[-1]:.2f} |")
    print(f"geometric mean of the ratios: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")


if __name__ == "__main__":
    with torch.inference_mode():
        main()
