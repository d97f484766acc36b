"""Import of ONNX: what becomes of dims, weights, shape subgraphs, functions and control flow, and what is refused how."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")

import xdsl_relax  # noqa: E402
from harness.onnx_models import info, model  # noqa: E402
from onnx import ModelProto, TensorProto, helper  # noqa: E402
from xdsl.dialects.builtin import NameLoc  # noqa: E402
from xdsl_relax.dialects.relax.ops.linear_algebra import MatmulOp  # noqa: E402
from xdsl_relax.frontend.model.problems import ModelImportError, UnsupportedModelError  # noqa: E402
from xdsl_relax.frontend.onnx import from_onnx, import_onnx  # noqa: E402
from xdsl_relax.runtime.compiler import load  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402
from xdsl_relax.tools import relax_import, relax_run  # noqa: E402


def attention_like() -> ModelProto:
    """Returns a model that computes a shape from that of its input, as exporters write it."""
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Gather", ["shape", "zero"], ["batch"]),
        helper.make_node("Gather", ["shape", "one"], ["length"]),
        helper.make_node("Unsqueeze", ["batch", "axes"], ["batch_1"]),
        helper.make_node("Unsqueeze", ["length", "axes"], ["length_1"]),
        helper.make_node("Concat", ["batch_1", "length_1", "heads"], ["split"], axis=0),
        helper.make_node("MatMul", ["x", "w"], ["h"], name="proj"),
        helper.make_node("Reshape", ["h", "split"], ["y"]),
    ]
    weights = {
        "zero": np.array(0),
        "one": np.array(1),
        "axes": np.array([0]),
        "heads": np.array([2, -1]),
        "w": np.arange(48, dtype=np.float32).reshape(8, 6),
    }
    return model(nodes, [info("x", ["batch", "length", 8])], ["y"], weights)


def test_shape_subgraphs_become_symbolic_dims():
    imported = import_onnx(attention_like())
    assert "tensor<?x?x2x3xf32, #relax.sym<batch, length>>" in str(imported.module)
    assert "shape_of" not in str(imported.module)
    x = np.random.default_rng(0).standard_normal((2, 5, 8)).astype(np.float32)
    (result,) = interpret(imported.module)("main", x, imported.params["w"])
    np.testing.assert_allclose(result, (x @ imported.params["w"]).reshape(2, 5, 2, 3), rtol=1e-5)


def test_weights_are_parameters_under_their_names():
    imported = import_onnx(attention_like())
    assert list(imported.params) == ["w"]
    assert '{relax.name = "w"}' in str(imported.module)
    assert "dense_resource" not in str(imported.module) and "4.700000e+01" not in str(imported.module)


def test_dims_are_fixed_or_named():
    text = str(from_onnx(attention_like(), dims={"batch": 3, "length": "n"}))
    assert "tensor<3x?x8xf32, #relax.sym<n>>" in text
    with pytest.raises(
        ModelImportError, match="no input or size of the model is named 'bach', it has batch, length, x"
    ):
        import_onnx(attention_like(), dims={"bach": 3})


def test_ops_have_the_location_of_their_node():
    locations = [op.location for op in from_onnx(attention_like()).walk() if isinstance(op, MatmulOp)]
    assert [location.desc.data for location in locations if isinstance(location, NameLoc)] == ["proj"]


def test_functions_are_imported_with_their_attributes():
    scaled = helper.make_node("Mul", ["a", "factor"], ["r"])
    constant = helper.make_node("Constant", [], ["factor"])
    constant.attribute.append(
        onnx.AttributeProto(name="value_float", ref_attr_name="by", type=onnx.AttributeProto.FLOAT)
    )
    function = helper.make_function(
        "own", "Scale", ["a"], ["r"], [constant, scaled], [helper.make_opsetid("", 21)], ["by"]
    )
    calls = [
        helper.make_node("Scale", ["x"], ["t"], domain="own", by=3.0),
        helper.make_node("Scale", ["t"], ["y"], domain="own", by=2.0),
    ]
    imported = import_onnx(model(calls, [info("x", [2])], ["y"], functions=[function]))
    assert interpret(imported.module)("main", np.ones(2, np.float32))[0].tolist() == [6, 6]


def test_a_branch_that_depends_on_values_is_scf_if():
    def branch(name: str, op: str) -> Any:
        return helper.make_graph([helper.make_node(op, ["x"], ["r"])], name, [], [info("r", None)])

    nodes = [
        helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0),
        helper.make_node("Greater", ["s", "limit"], ["c"]),
        helper.make_node("If", ["c"], ["y"], then_branch=branch("a", "Neg"), else_branch=branch("b", "Exp")),
    ]
    imported = import_onnx(model(nodes, [info("x", ["n"])], ["y"], {"limit": np.float32(0)}))
    assert "scf.if" in str(imported.module)
    exe = xdsl_relax.compile(imported.module)
    for x in (np.ones(3, np.float32), -np.ones(3, np.float32)):
        np.testing.assert_allclose(exe["main"](x), -x if x.sum() > 0 else np.exp(x), rtol=1e-5)


def test_a_loop_of_unknown_length_is_scf_while():
    body = helper.make_graph(
        [
            helper.make_node("Add", ["v", "v"], ["next"]),
            helper.make_node("ReduceMax", ["next"], ["top"], keepdims=0),
            helper.make_node("Less", ["top", "limit"], ["again"]),
        ],
        "body",
        [info("i", [], TensorProto.INT64), info("go", [], TensorProto.BOOL), info("v", ["n"])],
        [info("again", [], TensorProto.BOOL), info("next", ["n"])],
    )
    nodes = [helper.make_node("Loop", ["", "yes", "x"], ["y"], body=body)]
    weights = {"yes": np.array(True), "limit": np.float32(100)}
    imported = import_onnx(model(nodes, [info("x", ["n"])], ["y"], weights))
    assert "scf.while" in str(imported.module)
    x = np.array([1, 3], np.float32)
    for run in (interpret(imported.module), lambda name, *a: xdsl_relax.compile(imported.module)[name].call(*a)):
        assert run("main", x)[0].tolist() == [64, 192]


@pytest.mark.parametrize("passed", [("p", "q"), ("q", "p"), ("q", "q"), ("sum", "p")])
def test_a_loop_passes_on_what_it_carries_as_it_is(passed: tuple[str, str]):
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["again"]), helper.make_node("Add", ["p", "q"], ["sum"])],
        "body",
        [info("i", [], TensorProto.INT64), info("go", [], TensorProto.BOOL), info("p", ["n"]), info("q", ["n"])],
        [info("again", [], TensorProto.BOOL), *(info(name, ["n"]) for name in passed)],
    )
    nodes = [helper.make_node("Loop", ["t", "", "x", "y"], ["a", "b"], body=body)]
    inputs = [info("t", [], TensorProto.INT64), info("x", ["n"]), info("y", ["n"])]
    imported = import_onnx(model(nodes, inputs, ["a", "b"]))
    exe = xdsl_relax.compile(imported.module)
    x, y = np.array([1, 3], np.float32), np.array([2, -5], np.float32)
    for trips in range(4):
        p, q = x, y
        for _ in range(trips):
            named = {"p": p, "q": q, "sum": p + q}
            p, q = (named[name] for name in passed)
        for run in (interpret(imported.module), lambda name, *a: exe[name].call(*a)):
            np.testing.assert_array_equal(run("main", np.array(trips), x, y), [p, q])


def test_everything_unsupported_is_listed_at_once_with_counts():
    nodes = [
        helper.make_node("RandomNormalLike", ["x"], ["a"], name="first"),
        helper.make_node("RandomNormalLike", ["x"], ["b"], name="second"),
        helper.make_node("Nothing", ["a"], ["y"], name="third", domain="own"),
    ]
    with pytest.raises(UnsupportedModelError) as caught:
        import_onnx(model(nodes, [info("x", [2])], ["y"]))
    assert caught.value.counts == {"RandomNormalLike": 2, "own.Nothing": 1}
    assert str(caught.value) == (
        "cannot import 3 constructs of 2 kinds: RandomNormalLike (2 times) at 'first': draws random numbers: "
        "results are a function of the arguments; own.Nothing at 'third': the op has no counterpart"
    )


def test_pads_are_two_for_each_axis():
    node = helper.make_node("Pad", ["x", "pads"], ["y"])
    proto = model([node], [info("x", [2, 3])], ["y"], {"pads": np.zeros(8, np.int64)})
    with pytest.raises(UnsupportedModelError, match="needs two pads for each of 2 axes, got 8"):
        import_onnx(proto)


def test_an_input_that_the_import_must_know_is_named_and_can_be_fixed():
    nodes = [helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)]
    proto = model(nodes, [info("x", ["n", 4]), info("axes", [1], TensorProto.INT64)], ["y"])
    with pytest.raises(UnsupportedModelError, match="needs the value of 'axes' before the program runs") as caught:
        import_onnx(proto)
    assert caught.value.inputs == ("axes",)
    imported = import_onnx(proto, values={"axes": np.array([1])})
    assert imported.inputs == ("x",)
    assert interpret(imported.module)("main", np.ones((2, 4), np.float32))[0].tolist() == [4, 4]


def save_external(path: Path) -> None:
    onnx.save(attention_like(), path, save_as_external_data=True, location="data.bin", size_threshold=64)


def test_external_data_is_mapped(tmp_path: Path):
    save_external(tmp_path / "model.onnx")
    weight = import_onnx(tmp_path / "model.onnx").params["w"]
    assert isinstance(weight, np.memmap) and weight[0, 1] == 1


def test_a_file_is_compiled_with_its_weights(tmp_path: Path):
    save_external(tmp_path / "model.onnx")
    weight = import_onnx(tmp_path / "model.onnx").params["w"]
    compiled = xdsl_relax.compile(tmp_path / "model.onnx")
    x = np.random.default_rng(0).standard_normal((2, 5, 8)).astype(np.float32)
    expected = (x @ weight).reshape(2, 5, 2, 3)
    for result in (compiled(x), compiled(x=x), compiled.run({"x": x})["y"]):
        np.testing.assert_allclose(result, expected, rtol=1e-5)
    with pytest.raises(ValueError, match="main: expected the inputs 'x', got 'z'"):
        compiled(z=x)


def test_results_by_name_are_written_where_the_caller_says(tmp_path: Path):
    save_external(tmp_path / "model.onnx")
    compiled = xdsl_relax.compile(tmp_path / "model.onnx")
    x = np.random.default_rng(0).standard_normal((2, 5, 8)).astype(np.float32)
    expected = compiled(x)
    for of in (lambda y: y, lambda y: {"y": y}):
        y = np.empty_like(expected)
        assert compiled.run({"x": x}, out=of(y))["y"] is y
        np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(compiled.run({"x": x}, out={})["y"], expected)
    np.testing.assert_array_equal(compiled.run({"x": x}, out={"y": None}, results="numpy")["y"], expected)
    with pytest.raises(ValueError, match="main: expected a mapping from names of inputs to arrays, got list"):
        compiled.run([x])
    with pytest.raises(ValueError, match="main: out: expected names of the results 'y', got 'z'"):
        compiled.run({"x": x}, out={"z": expected})
    with pytest.raises(ValueError, match="main: out: expected"):
        compiled.run({"x": x}, out=np.empty(3, np.float32))
    with pytest.raises(ValueError, match=r"^main: out\['y'\]: expected shape \[2, 5, 2, 3\], got \[3\]$"):
        compiled.run({"x": x}, out={"y": np.empty(3, np.float32)})


def test_errors_of_arrays_for_results_have_the_names_of_these():
    nodes = [helper.make_node("Relu", ["x"], ["positive"]), helper.make_node("Neg", ["x"], ["negated"])]
    compiled = xdsl_relax.compile(import_onnx(model(nodes, [info("x", [3])], ["positive", "negated"])))
    x, y = np.ones(3, np.float32), np.empty(3, np.float32)
    with pytest.raises(ValueError, match=r"^main: out\['negated'\]: expected element type float32, got float64$"):
        compiled.run({"x": x}, out={"negated": np.empty(3)})
    with pytest.raises(ValueError, match=r"^main: out\['negated'\]: shares memory with out\['positive'\]$"):
        compiled.run({"x": x}, out={"negated": y, "positive": y})
    with pytest.raises(ValueError, match=r"^main: out\[1\]: expected shape \[3\], got \[4\]$"):
        compiled.run({"x": x}, out=(None, np.empty(4, np.float32)))


def test_the_tools_take_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path, program, weights = tmp_path / "model.onnx", tmp_path / "model.mlir", tmp_path / "model.safetensors"
    save_external(path)
    assert relax_import.main(["onnx", str(path), "-o", str(program), "--params", str(weights), "--dim", "batch=2"]) == 0
    assert relax_run.main([str(program), "--params", str(weights), "--check"]) == 0
    assert relax_run.main([str(path), "--dim", "batch=2", "--dim", "length=3", "--check"]) == 0
    assert "result 0 agrees with the interpreter" in capsys.readouterr().out


def test_the_text_of_a_model_may_say_what_each_op_comes_from(tmp_path: Path):
    path, program = tmp_path / "model.onnx", tmp_path / "model.mlir"
    node = helper.make_node("Relu", ["x"], ["y"], name="first")
    node.metadata_props.add(key="namespace", value="layers.0")
    path.write_bytes(model([node], [info("x", [2])], ["y"]).SerializeToString())
    for options, locations in (([], []), (["--print-debuginfo"], ['"first"("layers.0")'])):
        assert relax_import.main(["onnx", str(path), "-o", str(program), *options]) == 0
        assert [text for text in locations if f"loc({text})" not in program.read_text()] == []
        (op,) = (op for op in load(program).walk() if op.name == "relax.nn.relu")
        assert ("first" in str(op.location)) == bool(options)


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:100]), "not a model of ONNX"),
        (lambda path: path.write_text("module {}"), "not a model of ONNX"),
        (lambda path: path.write_bytes(b""), "not a model of ONNX"),
        (lambda path: path.with_name("data.bin").unlink(), "the data of tensor 'w' is missing: there is no file"),
        (
            lambda path: path.with_name("data.bin").write_bytes(b"abc"),
            "the data of tensor 'w' does not fit: expected 192",
        ),
        (lambda path: path.unlink(), "no such file or directory"),
    ],
)
def test_a_bad_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: Any, expected: str):
    path, out = tmp_path / "model.onnx", tmp_path / "out.mlir"
    save_external(path)
    damage(path)
    for run, arguments in ((relax_import.main, ["onnx", str(path), "-o", str(out)]), (relax_run.main, [str(path)])):
        assert run(arguments) == 1
        error = capsys.readouterr().err
        assert expected.lower() in error.lower() and error.count("\n") == 1
    assert not out.exists()


def test_sizes_computed_as_floats_are_folded():
    """Exporters compute the places of a grid from sizes that are converted to floats."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"], start=1, end=2),
        helper.make_node("Squeeze", ["s"], ["n"]),
        helper.make_node("Cast", ["n"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Range", ["zero", "f", "unit"], ["y"]),
    ]
    proto = model(nodes, [info("x", [2, "n"])], ["y"], {"zero": np.float32(0), "unit": np.float32(1)})
    imported = import_onnx(proto)
    (result,) = interpret(imported.module)("main", np.zeros((2, 5), np.float32))
    assert result.dtype == np.float32 and result.tolist() == [0, 1, 2, 3, 4]


def test_a_shape_that_the_program_computes_is_a_shape_of_new_sizes():
    proto = model(
        [helper.make_node("Reshape", ["x", "shape"], ["y"])],
        [info("x", ["n", 4]), info("shape", [3], TensorProto.INT64)],
        ["y"],
    )
    exe = xdsl_relax.compile(from_onnx(proto))
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert exe["main"](x, np.array([2, -1, 3])).shape == (2, 2, 3)
    with pytest.raises((ValueError, RuntimeError)):
        exe["main"](x, np.array([2, 2, 2]))


def test_branches_of_other_ranks_name_the_sizes_that_decide():
    def branch(op: str, *operands: str) -> Any:
        return helper.make_graph([helper.make_node(op, operands, ["r"])], op, [], [info("r", None)])

    then, otherwise = branch("Squeeze", "x", "axis"), branch("Identity", "x")

    nodes = [
        helper.make_node("Shape", ["x"], ["s"], start=1, end=2),
        helper.make_node("Squeeze", ["s"], ["n"]),
        helper.make_node("Equal", ["n", "unit"], ["c"]),
        helper.make_node("If", ["c"], ["y"], then_branch=then, else_branch=otherwise),
    ]
    proto = model(nodes, [info("x", [2, "n"])], ["y"], {"unit": np.array(1), "axis": np.array([1])})
    with pytest.raises(UnsupportedModelError, match="give n a number"):
        import_onnx(proto)
    assert interpret(from_onnx(proto, dims={"n": 1}))("main", np.ones((2, 1), np.float32))[0].shape == (2,)
    assert interpret(from_onnx(proto, dims={"n": 3}))("main", np.ones((2, 3), np.float32))[0].shape == (2, 3)


def test_the_programs_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    page = Path(__file__).parents[4] / "docs" / "onnx.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert len(blocks) == 2
    # They write files, and the second one goes on where the first one ends.
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (helper.make_node("Softmax", ["x"], ["y"], axes=1), "the op declares no attribute 'axes', it has axis"),
        (helper.make_node("Softmax", ["x"], ["y"], axis=1.0), "expected attribute 'axis' of type int, got float"),
        (helper.make_node("Cast", ["x"], ["y"]), "attribute 'to' is missing"),
    ],
)
def test_attributes_are_those_that_the_op_declares(node: Any, expected: str):
    with pytest.raises(UnsupportedModelError, match=expected):
        import_onnx(model([node], [info("x", [2, 3])], ["y"]))


def test_names_that_are_no_text_and_types_that_do_not_exist():
    data = model([helper.make_node("Relu", ["x"], ["y"], name="zero")], [info("x", [2])], ["y"]).SerializeToString()
    with pytest.raises(ModelImportError, match=r"onnx.NodeProto.name b'\\xffero' is no UTF-8"):
        import_onnx(data.replace(b"zero", b"\xffero"))
    weight = TensorProto(name="w", dims=[2], data_type=99, raw_data=bytes(8))
    proto = model([helper.make_node("Add", ["x", "w"], ["y"])], [info("x", [2])], ["y"])
    proto.graph.initializer.append(weight)
    with pytest.raises(ModelImportError, match="tensor 'w' has no type: type 99"):
        import_onnx(proto)
