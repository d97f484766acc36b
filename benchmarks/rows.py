"""Rows, searches and moves of data on one core against onnxruntime, eager torch and numpy: `python benchmarks/rows.py [WORD]...`.

They take turns; a ratio is the time of the fastest peer over ours, so that more than 1 is a win. Words choose the rows that have one
of them in their name.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import onnx
import onnxruntime
import torch
import torch.nn.functional as functional
import xdsl_relax
from onnx import helper, numpy_helper
from take_turns import take_turns
from xdsl_relax.builder import BlockBuilder, ModuleBuilder, tensor

Array: TypeAlias = "np.ndarray[Any, Any]"
Node: TypeAlias = tuple[str, Sequence[str], Mapping[str, Any]]


@dataclass(frozen=True)
class Row:
    """One computation of inputs `a`, `b`, ..., written for each of those that have it. Integers are indices below `below`."""

    name: str
    inputs: Sequence[tuple[tuple[int, ...], str]]
    ours: Callable[..., Any]
    torch: Callable[..., Any]
    node: Node | None = None
    """The operator of ONNX, its operands and attributes."""
    constants: Mapping[str, Array] = field(default_factory=dict[str, Array])
    numpy: Callable[..., Any] | None = None
    results: int = 1
    below: int = 0

    def arrays(self, rng: np.random.Generator) -> list[Array]:
        """Returns inputs."""
        return [
            rng.standard_normal(shape, np.float32) if kind == "f32" else rng.integers(0, self.below, shape)
            for shape, kind in self.inputs
        ]


def numbers(*values: float) -> Array:
    """Returns an operand of ONNX."""
    return np.array(values, np.int64 if all(isinstance(value, int) for value in values) else np.float32)


def reduction(name: str, shape: tuple[int, int], axis: int) -> Row:
    """Returns the row of `argmax` or `argmin`."""
    node: Node = ("ArgMax" if name == "argmax" else "ArgMin", ["a"], {"axis": axis, "keepdims": 0})
    return Row(
        f"{name}, axis {axis} of {shape[0]} x {shape[1]}",
        [(shape, "f32")],
        lambda g, a: getattr(g, name)(a, axis=axis),
        lambda a: getattr(a, name)(axis),
        node,
        numpy=lambda a: getattr(a, name)(axis),
    )


def topk(shape: tuple[int, int], k: int) -> Row:
    """Returns the row of the first k elements of rows."""
    return Row(
        f"topk {k} of {shape[0]} x {shape[1]}",
        [(shape, "f32")],
        lambda g, a: g.topk(a, k=k, axis=1),
        lambda a: torch.topk(a, k, 1),
        ("TopK", ["a", "k"], {"axis": 1}),
        {"k": numbers(k)},
        results=2,
    )


def ordered(name: str, shape: tuple[int, int]) -> Row:
    """Returns the row of `sort` or `argsort`."""
    which = 0 if name == "sort" else 1
    return Row(
        f"{name} {shape[0]} x {shape[1]}",
        [(shape, "f32")],
        lambda g, a: getattr(g, name)(a, axis=1),
        lambda a: torch.sort(a, dim=1, stable=True)[which],
        numpy=lambda a: np.sort(a, 1) if name == "sort" else np.argsort(a, 1, kind="stable"),
    )


def scan(shape: tuple[int, int], axis: int) -> Row:
    """Returns the row of a running sum."""
    return Row(
        f"cumsum, axis {axis} of {shape[0]} x {shape[1]}",
        [(shape, "f32")],
        lambda g, a: g.cumsum(a, axis=axis),
        lambda a: a.cumsum(axis),
        ("CumSum", ["a", "axis"], {}),
        {"axis": np.array(axis, np.int64)},
        lambda a: np.cumsum(a, axis=axis),
    )


def softmax(shape: tuple[int, ...], axis: int) -> Row:
    """Returns the row of a softmax."""
    return Row(
        f"softmax, axis {axis} of {' x '.join(map(str, shape))}",
        [(shape, "f32")],
        lambda g, a: g.nn.softmax(a, axis=axis),
        lambda a: torch.softmax(a, axis),
        ("Softmax", ["a"], {"axis": axis}),
    )


def take(shape: tuple[int, int], count: int, axis: int) -> Row:
    """Returns the row of a gather along an axis."""
    return Row(
        f"take {count} along axis {axis} of {shape[0]} x {shape[1]}",
        [(shape, "f32"), ((count,), "i64")],
        lambda g, a, b: g.take(a, b, axis=axis),
        lambda a, b: torch.index_select(a, axis, b),
        ("Gather", ["a", "b"], {"axis": axis}),
        numpy=lambda a, b: np.take(a, b, axis=axis),
        below=shape[axis],
    )


def concat(axis: int) -> Row:
    """Returns the row of four tensors that become one."""
    return Row(
        f"concat of 4 along axis {axis}",
        [((256, 1024), "f32")] * 4,
        lambda g, *tensors: g.concat(*tensors, axis=axis),
        lambda *tensors: torch.cat(tensors, axis),
        ("Concat", list("abcd"), {"axis": axis}),
        numpy=lambda *arrays: np.concatenate(arrays, axis),
    )


def permuted(shape: tuple[int, ...], axes: tuple[int, ...]) -> Row:
    """Returns the row of a transposition."""
    return Row(
        f"permute {axes} of {' x '.join(map(str, shape))}",
        [(shape, "f32")],
        lambda g, a: g.permute_dims(a, axes=list(axes)),
        lambda a: a.permute(axes).contiguous(),
        ("Transpose", ["a"], {"perm": axes}),
        numpy=lambda a: np.ascontiguousarray(a.transpose(axes)),
    )


def upsampled(method: str) -> Row:
    """Returns the row of an image of twice the size."""
    nearest = method == "nearest"
    mode = "asymmetric" if nearest else "half_pixel"
    ours = {"method": "nearest_neighbor", "rounding_method": "floor"} if nearest else {"method": "linear"}
    attributes = {"mode": method, "coordinate_transformation_mode": mode, "nearest_mode": "floor"}
    return Row(
        f"upsample 2 x, {method}, 64 x 56 x 56",
        [((1, 64, 56, 56), "f32")],
        lambda g, a: g.image.resize2d(a, (112, 112), coordinate_transformation_mode=mode, **ours),
        lambda a: functional.interpolate(a, scale_factor=2, mode=method if nearest else "bilinear"),
        ("Resize", ["a", "", "scales"], attributes),
        {"scales": numbers(1.0, 1.0, 2.0, 2.0)},
    )


ROWS = (
    reduction("argmax", (64, 32000), 1),
    reduction("argmin", (512, 1000), 0),
    topk((64, 32000), 8),
    topk((1, 50257), 50),
    topk((1024, 64), 6),
    topk((1024, 8), 2),
    topk((256, 1000), 5),
    ordered("sort", (64, 4096)),
    ordered("argsort", (64, 4096)),
    ordered("sort", (1000, 32)),
    scan((512, 4096), 1),
    scan((512, 4096), 0),
    softmax((64, 12, 128, 128), 3),
    softmax((512, 1000), 1),
    softmax((64, 128, 128), 1),
    Row(
        "rms_norm 512 x 4096",
        [((512, 4096), "f32"), ((4096,), "f32")],
        lambda g, a, b: g.nn.rms_norm(a, b, axes=[-1], epsilon=1e-5),
        lambda a, b: functional.rms_norm(a, (4096,), b, 1e-5),
        ("SimplifiedLayerNormalization", ["a", "b"], {"axis": -1, "epsilon": 1e-5}),
    ),
    take((50257, 768), 512, 0),
    take((1000, 1000), 64, 1),
    concat(0),
    concat(1),
    permuted((1024, 1024), (1, 0)),
    permuted((8, 128, 12, 64), (0, 2, 1, 3)),
    permuted((1, 3, 224, 224), (0, 2, 3, 1)),
    permuted((1, 224, 224, 3), (0, 3, 1, 2)),
    Row(
        "pad 64 x 56 x 56 by 1",
        [((1, 64, 56, 56), "f32")],
        lambda g, a: g.nn.pad(a, pad_width=[0, 0, 0, 0, 1, 1, 1, 1]),
        lambda a: functional.pad(a, (1, 1, 1, 1)),
        ("Pad", ["a", "amounts"], {}),
        {"amounts": numbers(0, 0, 1, 1, 0, 0, 1, 1)},
    ),
    upsampled("nearest"),
    upsampled("linear"),
)


def native(row: Row, arrays: Sequence[Array]) -> Callable[[], Any]:
    """Compiles."""
    m = ModuleBuilder()
    with m.function("main") as f:
        inputs = [f.input(name, tensor(*kind)) for name, kind in zip("abcd", row.inputs, strict=False)]
        with f.dataflow() as g:
            made = written(row, g, inputs)
        f.returns(*made)
    main = xdsl_relax.compile(m.build())["main"]
    return lambda: main(*arrays)


def written(row: Row, g: BlockBuilder, inputs: Sequence[Any]) -> Sequence[Any]:
    """Returns the results that a block hands out."""
    made = row.ours(g, *inputs)
    if row.results == 1:
        return [g.output(made)]
    return g.output(*made)


def session(row: Row, node: Node, arrays: Sequence[Array]) -> Callable[[], Any]:
    """Makes a session of onnxruntime on one thread."""
    names = [f"y{k}" for k in range(row.results)]
    feeds = dict(zip("abcd", arrays, strict=False))
    graph = helper.make_graph(
        [helper.make_node(node[0], list(node[1]), names, **node[2])],
        "graph",
        [helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for k, v in feeds.items()],
        [onnx.ValueInfoProto(name=name) for name in names],
        [numpy_helper.from_array(value, name) for name, value in row.constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    run = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run
    return lambda: run(None, feeds)


def parts(value: Any) -> list[Array]:
    """Returns the results of a call as arrays."""
    several = isinstance(value, list | tuple)
    return [np.asarray(part) for part in value] if several else [np.asarray(value)]


def main() -> None:
    """Prints a row of a Markdown table for each row that is chosen."""
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    words = sys.argv[1:]
    ratios: list[float] = []
    print("| row | xdsl-relax ms | onnxruntime ms | torch ms | numpy ms | ratio |\n|---|---|---|---|---|---|")
    for row in ROWS:
        if words and not any(word in row.name for word in words):
            continue
        arrays = row.arrays(rng)
        tensors = [torch.from_numpy(array) for array in arrays]
        calls: dict[str, Callable[[], Any]] = {"ours": native(row, arrays)}
        if row.node is not None:
            calls["onnxruntime"] = session(row, row.node, arrays)
        calls["torch"] = lambda run=row.torch, tensors=tensors: run(*tensors)
        if row.numpy is not None:
            calls["numpy"] = lambda run=row.numpy, arrays=arrays: run(*arrays)
        ours = parts(calls["ours"]())
        for name, call in calls.items():
            for result, other in zip(ours, parts(call()), strict=True):
                np.testing.assert_allclose(result, other, rtol=1e-3, atol=1e-3, err_msg=f"{row.name}: {name}")
        times = dict(zip(calls, (seconds * 1e3 for seconds in take_turns(*calls.values())), strict=True))
        ratios.append(min(time for name, time in times.items() if name != "ours") / times["ours"])
        shown = [f"{times[name]:.3f}" if name in times else "-" for name in ("ours", "onnxruntime", "torch", "numpy")]
        print(f"| {row.name} | {' | '.join(shown)} | {ratios[-1]:.2f} |", flush=True)
    print(f"geometric mean of the ratios: {math.exp(sum(map(math.log, ratios)) / max(1, len(ratios))):.2f}")


if __name__ == "__main__":
    with torch.inference_mode():
        main()
