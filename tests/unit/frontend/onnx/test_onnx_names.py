"""Names of values in models of ONNX: nodes are sorted, and a name that nothing defines, or two things do, is one error."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")

from harness.onnx_models import info, model  # noqa: E402
from onnx import ModelProto, TensorProto, helper  # noqa: E402
from xdsl_relax.frontend.model.problems import ModelImportError, UnsupportedModelError  # noqa: E402
from xdsl_relax.frontend.onnx import import_onnx  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402

Inside = Callable[[str, str], Any]

X = np.array([-1, 2, -3], np.float32)
CONDITION = info("c", [], TensorProto.BOOL)
OWN = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]


def node(op: str, operands: str, results: str, **attributes: Any) -> Any:
    return helper.make_node(op, operands.split(), results.split(), **attributes)


def graph(nodes: list[Any], outputs: str) -> Any:
    return helper.make_graph(nodes, "inside", [], [info(name, None) for name in outputs.split()])


def unary(nodes: list[Any], outputs: str = "y", *inputs: Any, **more: Any) -> ModelProto:
    return model(nodes, [info("x", [3]), *inputs], outputs.split(), **more)


def choice(then: list[Any], otherwise: list[Any], results: str = "y", outputs: str = "r") -> Any:
    return node("If", "c", results, then_branch=graph(then, outputs), else_branch=graph(otherwise, "r"))


def results(proto: ModelProto, *arguments: Any) -> list[Any]:
    return [array.tolist() for array in interpret(import_onnx(proto).module)("main", *arguments)]


def test_nodes_are_sorted():
    nodes = [node("Relu", "b", "y"), node("Exp", "a", "z"), node("Add", "a x", "b"), node("Neg", "x", "a")]
    proto = unary(nodes, "y z")
    before = proto.SerializeToString()
    (y, z) = results(proto, X)
    assert y == [0, 0, 0]
    np.testing.assert_allclose(z, np.exp(-X), rtol=1e-6)
    assert proto.SerializeToString() == before, "the model of the caller is as it was"


def test_nodes_of_subgraphs_and_functions_are_sorted():
    own = helper.make_function("own", "F", ["p"], ["r"], [node("Relu", "q", "r"), node("Neg", "p", "q")], OWN)
    # The branch reads what a node behind the `If` computes.
    nodes = [
        choice([node("Relu", "t", "r"), node("Add", "f x", "t")], [node("Exp", "f", "r")]),
        node("F", "x", "f", domain="own"),
    ]
    proto = unary(nodes, "y", CONDITION, functions=[own])
    assert results(proto, X, np.array(True)) == [[0, 2, 0]]
    np.testing.assert_allclose(results(proto, X, np.array(False))[0], np.exp([1, 0, 3]), rtol=1e-6)


def test_a_subgraph_may_use_a_name_of_its_own_that_is_taken_around_it():
    nodes = [node("Neg", "x", "r"), choice([node("Relu", "x", "r")], [node("Exp", "x", "r")])]
    assert results(unary(nodes, "y r", CONDITION), X, np.array(True)) == [[0, 2, 0], [1, -2, 3]]


LOCAL = choice([node("Relu", "x", "r")], [node("Neg", "x", "r")])


@pytest.mark.parametrize(
    ("proto", "expected"),
    [
        (unary([node("Relu", "q", "y")]), r"node 'y' \(Relu\) reads 'q', which nothing defines"),
        (unary([node("Relu", "x", "y")], "y nope"), "an output is 'nope', which nothing defines"),
        (unary([LOCAL, node("Relu", "r", "z")], "z", CONDITION), r"\(Relu\) reads 'r', which only a subgraph defines"),
        (unary([choice([node("Relu", "x", "r")], [node("Neg", "x", "s")])], "y", CONDITION), "an output is 'r', which"),
        (
            unary([choice([node("Relu", "q", "r")], [node("Neg", "x", "r")])], "y", CONDITION),
            "reads 'q', which nothing",
        ),
        (unary([node("Add", "b x", "a"), node("Relu", "a", "b")], "a"), "reads what is computed from its own results"),
        (
            unary([choice([node("Add", "x z", "r")], [node("Neg", "x", "r")]), node("Relu", "y", "z")], "z", CONDITION),
            "reads what is computed from its own results",
        ),
        (unary([node("Relu", "x", "y"), node("Neg", "x", "y")]), r"'y' is defined twice: by node 'y' \(Relu\) and by"),
        (unary([node("Relu", "x", "x")], "x"), "the name 'x' is defined twice: by an input and by node"),
        (unary([node("Relu", "w", "w")], "w", weights={"w": X}), "'w' is defined twice: by an initializer and by node"),
        (unary([node("Relu", "x", "y")], "y", info("x", [3])), "'x' is defined twice: by an input and by an input"),
        (unary([node("Relu", "x", "y")], "y y"), "'y' is defined twice: by an output and by an output"),
        (unary([node("Relu", "x", "y")], "y", weights={"": X}), "an initializer has no name"),
        (unary([node("Relu", "x", "y")], "y", info("", [3])), "an input has no name"),
    ],
)
def test_a_name_is_defined_once(proto: ModelProto, expected: str):
    with pytest.raises(ModelImportError, match=expected):
        import_onnx(proto)


@pytest.mark.parametrize(
    ("proto", "expected"),
    [
        (unary([node("Relu", "a\x07b\x1b[31m", "y")]), r"reads 'a\x07b\x1b[31m', which nothing defines"),
        (unary([node("Relu\n\u2028", "x", "y")]), r"1 construct: Relu\n\u2028 at 'y': the op has no counterpart"),
    ],
)
def test_what_is_not_visible_in_names_is_escaped(proto: ModelProto, expected: str):
    with pytest.raises(ModelImportError, match=re.escape(expected)):
        import_onnx(proto)


def test_an_initializer_is_defined_once():
    proto = unary([node("Add", "x w", "y")], weights={"w": X})
    proto.graph.initializer.append(proto.graph.initializer[0])
    with pytest.raises(ModelImportError, match="'w' is defined twice: by an initializer and by an initializer"):
        import_onnx(proto)


def own_function(body: list[Any], calls: str = "x") -> ModelProto:
    function = helper.make_function("own", "F", ["p"], ["r"], body, OWN)
    return unary([node("F", calls, "y", domain="own")], functions=[function])


@pytest.mark.parametrize(
    ("proto", "expected"),
    [
        (unary([node("Relu", "x x", "y")]), "the op has 1 operands, got 2"),
        (unary([node("Relu", "", "y")]), "the op has 1 operands, got 0"),
        (unary([node("Relu", "x", "y z")]), "the op has 1 results, got 2"),
        (own_function([node("Relu", "p", "r")], "x x"), "the op has 0 to 1 operands, got 2"),
        (own_function([node("Relu", "p", "r")], ""), "Relu at 'y/r': needs operand 0, which is left out"),
        (own_function([node("Relu", "x", "r")]), r"function 'F': node 'r' \(Relu\) reads 'x', which nothing defines"),
        (own_function([node("F", "p", "r", domain="own")]), "the function 'F' calls itself"),
        (unary([node("", "x", "y")]), "node at 'y': the node has no op type"),
        (
            unary([choice([node("Relu", "x", "r")], [node("Neg", "x", "r")], "y z")], "y z", CONDITION),
            "the node has 2 results, its then_branch has 1",
        ),
    ],
)
def test_nodes_have_the_operands_and_results_of_their_op(proto: ModelProto, expected: str):
    with pytest.raises(ModelImportError, match=expected):
        import_onnx(proto)


def test_an_output_is_of_the_type_that_is_declared():
    proto = unary([node("Relu", "x", "y")])
    proto.graph.output[0].CopyFrom(info("y", [3], TensorProto.INT64))
    with pytest.raises(UnsupportedModelError, match="output at 'y': declared as int64, what is computed is float"):
        import_onnx(proto)


def test_calls_in_calls_do_not_multiply_without_bound():
    leaf = helper.make_function("own", "F0", ["p"], ["r"], [node("Relu", "p", "r")], OWN)

    def caller(level: int) -> Any:
        body = [node(f"F{level - 1}", operand, result, domain="own") for operand, result in (("p", "t"), ("t", "r"))]
        return helper.make_function("own", f"F{level}", ["p"], ["r"], body, OWN)

    def proto(levels: int) -> ModelProto:
        call = node(f"F{levels}", "x", "y", domain="own")
        return unary([call], functions=[leaf, *(caller(level) for level in range(1, levels + 1))])

    assert results(proto(4), X) == [[0, 2, 0]]
    with pytest.raises(ModelImportError, match="are 100663294 ops when they are inlined, expected at most 100000"):
        import_onnx(proto(25))


def test_loops_in_loops_do_not_multiply_without_bound(monkeypatch: pytest.MonkeyPatch):
    from xdsl_relax.frontend.onnx import graph as imported

    def loop(inside: Inside, level: int) -> Inside:
        carried, following = f"p{level}", f"q{level}"
        again = info(f"again{level}", [], TensorProto.BOOL)
        body = helper.make_graph(
            [inside(carried, following)],
            "body",
            [info(f"i{level}", [], TensorProto.INT64), again, info(carried, [3])],
            [again, info(following, [3])],
        )
        return lambda operand, result: helper.make_node("Loop", ["n", "", operand], [result], body=body)

    def nested(depth: int) -> ModelProto:
        inside: Inside = partial(node, "Relu")
        for level in range(depth):
            inside = loop(inside, level)
        return unary([inside("x", "y")], weights={"n": np.array(10)})

    assert results(nested(2), X) == [[0, 2, 0]]
    monkeypatch.setattr(imported, "MAX_INLINED", 100)
    with pytest.raises(ModelImportError, match="'y' has more than 100 nodes inside when its loops are unrolled"):
        import_onnx(nested(2))
