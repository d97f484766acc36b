"""Models of ONNX that are none, or that have no result for some arguments: one error each, with what is found and what is required."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")

import xdsl_relax  # noqa: E402
from harness.onnx_models import info, model  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402
from xdsl_relax.frontend.model.problems import ModelImportError  # noqa: E402
from xdsl_relax.frontend.onnx import from_onnx  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402


def one(
    op: str, shapes: Sequence[Sequence[Any]], weights: Mapping[str, Any] | None = None, outputs: int = 1, **options: Any
) -> Any:
    """Returns a model of one node, whose operands are inputs, then weights."""
    inputs = [info(f"x{index}", shape) for index, shape in enumerate(shapes)]
    names = [f"y{index}" for index in range(outputs)]
    node = helper.make_node(op, [*(item.name for item in inputs), *(weights or {})], names, name="node", **options)
    return model([node], inputs, names, weights)


def if_of(*outputs: int) -> Any:
    def branch(count: int) -> Any:
        nodes = [helper.make_node("Identity", ["x"], [f"r{index}"]) for index in range(count)]
        return helper.make_graph(nodes, "branch", [], [info(f"r{index}", None) for index in range(count)])

    then, otherwise = map(branch, outputs)
    node = helper.make_node("If", ["c"], ["y"], name="node", then_branch=then, else_branch=otherwise)
    return model([node], [info("c", [], TensorProto.BOOL), info("x", [2])], ["y"])


def twice() -> Any:
    proto = one("Softmax", [[2, 3]], axis=1)
    proto.graph.node[0].attribute.append(helper.make_attribute("axis", 0))
    return proto


def without_operator_sets() -> Any:
    proto = one("Relu", [[2]])
    del proto.opset_import[:]
    return proto


def declared(shape: Sequence[int], kind: int = TensorProto.FLOAT) -> Any:
    proto = one("Relu", [[2]])
    proto.graph.node[0].input[0] = "w"
    proto.graph.initializer.append(onnx.numpy_helper.from_array(np.ones((2, 3), np.float32), "w"))
    proto.graph.input.append(info("w", shape, kind))
    return proto


MODELS = {
    "kernel_shape": (
        one("Conv", [[1, 2, 8, 8], [4, 2, 3, 3]], kernel_shape=[5, 5]),
        r"'node': kernel_shape must be that of the weight, \[3, 3\], got \[5, 5\]",
    ),
    "bias": (
        one("Conv", [[1, 2, 8, 8], [4, 2, 3, 3], [1]]),
        r"'node': the bias must have one number for each of 4 channels, got the shape \[1\]",
    ),
    "bias_transposed": (
        one("ConvTranspose", [[1, 2, 8, 8], [2, 4, 3, 3], [8]]),
        r"'node': the bias must have one number for each of 4 channels, got the shape \[8\]",
    ),
    "both_paddings": (
        one("MaxPool", [[1, 2, 8, 8]], kernel_shape=[2, 2], auto_pad="SAME_UPPER", pads=[1, 1, 1, 1]),
        r"'node': takes pads or auto_pad, got both: \[1, 1, 1, 1\] and SAME_UPPER",
    ),
    "addend": (
        one("Gemm", [[1, 3], [3, 4], [5, 4]]),
        r"'node': the addend must be broadcast to \[1, 4\], got \[5, 4\]",
    ),
    "addend_of_more_dims": (
        one("Gemm", [[2, 3], [3, 4], [1, 2, 4]]),
        r"'node': the addend must be broadcast to \[2, 4\], got \[1, 2, 4\]",
    ),
    "initializer": (declared([3, 3]), r"'w': declared with the shape \[3, 3\], its initializer has \[2, 3\]"),
    "initializer_of_another_type": (
        declared([2, 3], TensorProto.INT64),
        "'w': declared as int64, its initializer is float",
    ),
    "twice": (twice(), "'node': attribute 'axis' must be given once, got 2"),
    "repeats": (
        one("Tile", [[2, 3]], {"r": np.array([2])}),
        "'node': takes one number of repeats for each of 2 dims, got 1",
    ),
    "branches": (if_of(1, 2), "'node': the node has 1 results, its else_branch has 2"),
    "index": (one("Gather", [[3]], {"i": np.array([0, 3])}), "'node': indices must be from -3 to 2, got 3"),
    "index_of_dims": (
        one("GatherND", [[2, 3]], {"i": np.array([[1, 2], [1, -4]])}),
        "'node': indices must be from -3 to 2, got -4",
    ),
    "index_that_is_written": (
        model(
            [helper.make_node("ScatterND", ["x", "i", "u"], ["y"], name="node")],
            [info("x", [2, 3]), info("u", [1, 3])],
            ["y"],
            {"i": np.array([[2]])},
        ),
        "'node': indices must be from -2 to 1, got 2",
    ),
    "perm": (
        one("Transpose", [[2, 3]], perm=[-1, 0]),
        r"'node': perm must have each of the 2 dims once, counted from 0, got \[-1, 0\]",
    ),
    "quotient": (one("Div", [], {"a": np.array([1, 2]), "b": np.array([1, 0])}), "'node': divides integers by 0"),
    "remainder": (one("Mod", [], {"a": np.array([1, 2]), "b": np.array([1, 0])}), "'node': divides integers by 0"),
    "operator_sets": (without_operator_sets(), "opset_import names no operator set of the domain ''"),
    "first_of_negative_number": (one("TopK", [[3]], {"k": np.array([-1])}, 2), "k must be from 0 to the size 3"),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_is_no_model_is_one_error(name: str):
    proto, expected = MODELS[name]
    with pytest.raises(ModelImportError, match=expected):
        from_onnx(proto)


def test_padding_of_zeros_beside_auto_pad_says_nothing_else():
    module = from_onnx(one("MaxPool", [[1, 1, 4, 4]], kernel_shape=[2, 2], auto_pad="VALID", pads=[0, 0, 0, 0]))
    assert interpret(module)("main", np.zeros((1, 1, 4, 4), np.float32))[0].shape == (1, 1, 3, 3)


def test_sizes_that_are_squeezed_without_axes_are_no_1():
    module = from_onnx(one("Squeeze", [["n", 1, 3]]))
    compiled = xdsl_relax.compile(module)
    for n in (2, 5):
        assert compiled["main"](np.zeros((n, 1, 3), np.float32)).shape == (n, 3)
    with pytest.raises(ValueError, match="n >= 2"):
        compiled["main"](np.zeros((1, 1, 3), np.float32))
    assert interpret(from_onnx(one("Squeeze", [["n", 1, 3]]), dims={"n": 1}))("main", np.zeros((1, 1, 3), np.float32))[
        0
    ].shape == (3,)


def test_a_size_that_is_computed_cannot_be_squeezed_without_axes():
    nodes = [
        helper.make_node("Slice", ["x", "start", "end", "axis", "step"], ["half"]),
        helper.make_node("Squeeze", ["half"], ["y"], name="node"),
    ]
    numbers = {"start": [0], "end": [1 << 40], "axis": [0], "step": [2]}
    proto = model(nodes, [info("x", ["n", 3])], ["y"], {name: np.array(item) for name, item in numbers.items()})
    with pytest.raises(ModelImportError, match=r"is 1 decides the number of dims; give n a number \(--dim n=N\)"):
        from_onnx(proto)
    assert interpret(from_onnx(proto, dims={"n": 2}))("main", np.zeros((2, 3), np.float32))[0].shape == (3,)


def test_an_addend_of_open_size_is_checked_by_the_call():
    module = from_onnx(one("Gemm", [[1, 3], [3, 4], ["n", 4]]))
    compiled = xdsl_relax.compile(module)
    arguments = np.ones((1, 3), np.float32), np.ones((3, 4), np.float32)
    assert compiled["main"](*arguments, np.ones((1, 4), np.float32)).tolist() == [[4, 4, 4, 4]]
    with pytest.raises((ValueError, RuntimeError)):
        compiled["main"](*arguments, np.ones((2, 4), np.float32))


def test_by_0_the_addend_is_not_read():
    module = from_onnx(one("Gemm", [[2, 3], [3, 4], [4]], beta=0.0))
    arguments = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32), np.full(4, np.nan, np.float32)
    assert interpret(module)("main", *arguments)[0].tolist() == [[3] * 4] * 2


@pytest.mark.parametrize("trips", [-3, 0, 2])
def test_loops_of_less_than_no_iteration_have_none(trips: int):
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["d"]), helper.make_node("Add", ["x", "x"], ["s"])],
        "body",
        [info("i", [], TensorProto.INT64), info("c", [], TensorProto.BOOL)],
        [info("d", []), info("s", None)],
    )
    node = helper.make_node("Loop", ["trips", ""], ["y"], body=body)
    module = from_onnx(model([node], [info("x", [3])], ["y"], {"trips": np.array(trips)}))
    for run in (interpret(module), lambda _, x: (xdsl_relax.compile(module)["main"](x),)):
        assert run("main", np.ones(3, np.float32))[0].shape == (max(trips, 0), 3)


def with_places(proto: Any) -> Any:
    """Returns a model whose second result is declared as integers."""
    proto.graph.output[1].type.tensor_type.elem_type = TensorProto.INT64
    return proto


@pytest.mark.parametrize("largest", [0, 1])
def test_the_first_of_a_number_that_is_computed_from_sizes(largest: int):
    nodes = [
        helper.make_node("Shape", ["x"], ["s"], start=1, end=2),
        helper.make_node("Min", ["s", "most"], ["k"]),
        helper.make_node("TopK", ["x", "k"], ["y", "i"], largest=largest),
    ]
    module = from_onnx(with_places(model(nodes, [info("x", [2, "n"])], ["y", "i"], {"most": np.array([5])})))
    compiled = xdsl_relax.compile(module)
    for n in (0, 1, 5, 13):
        x = np.random.default_rng(n).integers(0, 6, (2, n)).astype(np.float32)
        places = np.argsort(-x if largest else x, axis=1, kind="stable")[:, :5]
        for result in (interpret(module)("main", x), compiled["main"](x)):
            np.testing.assert_array_equal(result[0], np.take_along_axis(x, places, 1))
            np.testing.assert_array_equal(result[1], places)


def test_the_first_0_elements():
    module = from_onnx(with_places(one("TopK", [[3, "n"]], {"k": np.array([0])}, 2)))
    values, places = xdsl_relax.compile(module)["main"](np.ones((3, 4), np.float32))
    assert values.shape == places.shape == (3, 0) and places.dtype == np.int64
