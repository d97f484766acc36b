"""Models of ONNX that hold for some sizes alone: what onnxruntime refuses to run is refused, by the interpreter and as machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs onnxruntime")

import xdsl_relax  # noqa: E402
from harness.onnx_models import info, model  # noqa: E402
from onnx import ModelProto, TensorProto, helper  # noqa: E402
from xdsl_relax.frontend.model.problems import UnsupportedModelError  # noqa: E402
from xdsl_relax.frontend.onnx import import_onnx  # noqa: E402
from xdsl_relax.interpreter.rule import InterpreterError  # noqa: E402
from xdsl_relax.runtime.executable.native_function import ExecutionError  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402

LENGTHS = range(7)


def split(outputs: str, opset: int, sizes: Any = None, **attributes: Any) -> ModelProto:
    weights = {} if sizes is None else {"s": np.array(sizes)}
    node = helper.make_node("Split", ["x", *weights], outputs.split(), **attributes)
    return model([node], [info("x", ["n"])], outputs.split(), weights, opset, ir_version=8)


def top_k(k: int) -> ModelProto:
    node = helper.make_node("TopK", ["x", "k"], ["values", "places"])
    return model([node], [info("x", ["n"])], ["values"], {"k": np.array([k])}, 18, ir_version=8)


@pytest.mark.parametrize(
    "proto", [split("a b", 13), split("a b c", 18, num_outputs=3), split("a b", 13, [1, 3]), top_k(2), top_k(5)]
)
def test_sizes_are_refused_where_onnxruntime_does(proto: ModelProto):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    module = import_onnx(proto).module
    executable = xdsl_relax.compile(module)
    runs = (interpret(module), lambda name, *arguments: executable[name].call(*arguments))
    refused: list[int] = []
    for length in LENGTHS:
        x = np.arange(length, dtype=np.float32)
        try:
            expected = session.run(None, {"x": x})
        except Exception:
            expected = None
            refused.append(length)
        for run in runs:
            if expected is None:
                with pytest.raises((InterpreterError, ExecutionError), match="match_cast"):
                    run("main", x)
                continue
            for result, wanted in zip(run("main", x), expected, strict=True):
                np.testing.assert_array_equal(result, wanted)
    assert 0 < len(refused) < len(LENGTHS)


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([helper.make_node("Split", ["x"], ["y", "z"])], r"Split at 'y': dim 0 must have the size 4, got 3"),
        (
            [helper.make_node("SplitToSequence", ["x", "s"], ["q"]), helper.make_node("SequenceAt", ["q", "i"], ["y"])],
            "SplitToSequence at 'q': dim 0 must have the size 2, got 3",
        ),
        (
            [helper.make_node("SplitToSequence", ["x", "i"], ["q"]), helper.make_node("SequenceAt", ["q", "i"], ["y"])],
            "the size of the parts must be at least 1, got 0",
        ),
    ],
)
def test_sizes_that_are_known_are_refused_by_the_import(nodes: list[Any], expected: str):
    proto = model(nodes, [info("x", [3])], ["y"], {"s": np.array([1, 1]), "i": np.array(0)}, 13)
    with pytest.raises(UnsupportedModelError, match=expected):
        import_onnx(proto)


@pytest.mark.parametrize("direction", ["reverse", "bidirectional"])
def test_a_layer_runs_backwards_over_sequences_of_several_lengths(direction: str):
    rng = np.random.default_rng(0)
    ways = 2 if direction == "bidirectional" else 1
    weights = {name: rng.standard_normal((ways, 12, size)).astype(np.float32) for name, size in (("w", 2), ("r", 3))}
    node = helper.make_node("LSTM", ["x", "w", "r", "", "lengths"], ["y", "h"], hidden_size=3, direction=direction)
    inputs = [info("x", ["time", 3, 2]), info("lengths", [3], TensorProto.INT32)]
    proto = model([node], inputs, ["y", "h"], weights, 14, ir_version=8)
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    imported = import_onnx(proto)
    executable = xdsl_relax.compile(imported.module)
    for time, lengths in ((4, [4, 1, 3]), (1, [1, 1, 1]), (40, [7, 40, 33])):
        x = rng.standard_normal((time, 3, 2)).astype(np.float32)
        given = np.array(lengths, np.int32)
        expected = session.run(None, {"x": x, "lengths": given})
        for run in (interpret(imported.module), lambda name, *arguments: executable[name].call(*arguments)):
            for result, wanted in zip(run("main", x, given, *imported.params.values()), expected, strict=True):
                np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("trips", "condition"), [(0, True), (3, False), (2, True)])
def test_a_loop_without_iterations_collects_nothing_of_its_shape(known: bool, trips: int, condition: bool):
    go = info("go", [], TensorProto.BOOL)
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["on"]),
            helper.make_node("Add", ["v", "x"], ["w"]),
            helper.make_node("Concat", ["w", "w"], ["twice"], axis=0),
        ],
        "body",
        [info("i", [], TensorProto.INT64), go, info("v", ["n"])],
        [info("on", [], TensorProto.BOOL), info("w", ["n"]), info("twice", None)],
    )
    node = helper.make_node("Loop", ["trips", "c", "x"], ["y", "all"], body=body)
    proto = model(
        [node],
        [info("x", ["n"]), *([] if known else [info("c", [], TensorProto.BOOL)])],
        ["y", "all"],
        {"trips": np.array(trips), **({"c": np.array(condition)} if known else {})},
        ir_version=8,
    )
    module = import_onnx(proto).module
    executable = xdsl_relax.compile(module)
    x = np.array([1, -2], np.float32)
    count = trips if condition else 0
    stacked = [np.tile(x * step, 2) for step in range(2, count + 2)]
    for run in (interpret(module), lambda name, *arguments: executable[name].call(*arguments)):
        last, collected = run("main", x, *([] if known else [np.array(condition)]))
        np.testing.assert_array_equal(last, x * (count + 1))
        np.testing.assert_array_equal(collected, np.array(stacked, np.float32).reshape(count, 4))


def test_the_sign_of_nan_is_nan():
    proto = model([helper.make_node("Sign", ["x"], ["y"])], [info("x", ["n"])], ["y"], ir_version=8)
    x = np.array([np.nan, -np.inf, -2, -0.0, 0, 3, np.inf], np.float32)
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, {"x": x})
    module = import_onnx(proto).module
    for result in (interpret(module)("main", x)[0], xdsl_relax.compile(module)["main"](x)):
        np.testing.assert_array_equal(result, expected)
    assert np.isnan(expected[0])
