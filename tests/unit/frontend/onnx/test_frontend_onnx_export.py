"""Programs as models of ONNX: names, weights, calls, control flow, files, and errors in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")
pytest.importorskip("onnxruntime", reason="needs onnxruntime")

from harness.onnx_export import run_onnxruntime  # noqa: E402
from harness.onnx_models import info, model  # noqa: E402
from onnx import helper  # noqa: E402
from xdsl_relax.frontend.model.problems import ProgramExportError, UnsupportedProgramError  # noqa: E402
from xdsl_relax.frontend.onnx import from_onnx, save_model, to_onnx  # noqa: E402
from xdsl_relax.frontend.onnx.exporter import module as exporter  # noqa: E402
from xdsl_relax.runtime.compiler import load  # noqa: E402
from xdsl_relax.runtime.params.safetensors_file import write_safetensors  # noqa: E402
from xdsl_relax.tools import relax_export, relax_import  # noqa: E402

LINEAR = """
func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<4x8xf32> {relax.name = "fc.weight"})
    -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %y = relax.linear %x, %w : (tensor<?x8xf32, #relax.sym<n>>, tensor<4x8xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %y : tensor<?x4xf32, #relax.sym<n>>
}
"""


def exported(text: str, **options):
    model = to_onnx(load(text), **options)
    onnx.checker.check_model(model, full_check=True)
    return model


def test_names_and_symbolic_dims():
    model = exported(LINEAR)
    assert [item.name for item in model.graph.input] == ["x", "fc.weight"]
    dims = model.graph.input[0].type.tensor_type.shape.dim
    assert (dims[0].dim_param, dims[1].dim_value) == ("n", 8)
    assert model.graph.output[0].type.tensor_type.shape.dim[0].dim_param == "n"


def test_weights_are_stored():
    weight = np.arange(32, dtype=np.float32).reshape(4, 8)
    model = exported(LINEAR, params={"fc.weight": weight})
    assert [item.name for item in model.graph.input] == ["x"]
    assert "fc.weight" in [item.name for item in model.graph.initializer]
    x = np.ones((3, 8), np.float32)
    np.testing.assert_array_equal(run_onnxruntime(model, [x])[0], x @ weight.T)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"entry": "f"}, "the module has no function @f, it has @main"),
        ({"opset": 7}, "opset must be from 19 to "),
        ({"params": {"v": np.ones(2)}}, "no argument is named 'v', there are x, fc.weight"),
        ({"params": {}}, "no weight is given for 'fc.weight'"),
        ({"params": {"fc.weight": np.ones((4, 8))}}, "'fc.weight': expected element type float32, got float64"),
        (
            {"params": {"fc.weight": np.ones((4, 9), "f")}},
            "'fc.weight': expected tensor<4x8xf32>, got the shape (4, 9)",
        ),
    ],
)
def test_what_does_not_fit(options, message):
    with pytest.raises(ProgramExportError) as error:
        to_onnx(load(LINEAR), **options)
    assert str(error.value).startswith(message)


def test_all_that_is_unsupported_is_one_error():
    program = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = relax.ccl.broadcast_from_worker0 %x : (tensor<2xf32>) -> tensor<2xf32>
  %b = relax.ccl.broadcast_from_worker0 %a : (tensor<2xf32>) -> tensor<2xf32>
  %c = relax.ccl.broadcast_from_worker0 %x : (tensor<2xf32>) -> tensor<2xf32>
  %d = relax.add %b, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %d : tensor<2xf32>
}
"""
    with pytest.raises(UnsupportedProgramError) as error:
        to_onnx(load(program))
    assert str(error.value) == (
        "cannot export 2 constructs of 1 kind: relax.ccl.broadcast_from_worker0 (2 times) at '@main %a': "
        "the op has no counterpart"
    )


def test_calls_name_the_same_size_differently():
    program = """
func.func private @twice(%s: !relax.shape<[n]>, %v: tensor<?xf32, #relax.sym<m>>)
    -> (!relax.shape<[m]>, tensor<?xf32, #relax.sym<n>>) {
  %t = relax.shape_of %v : (tensor<?xf32, #relax.sym<m>>) -> !relax.shape<[m]>
  %z = relax.ones %s {dtype = f32} : (!relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
  return %t, %z : !relax.shape<[m]>, tensor<?xf32, #relax.sym<n>>
}
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<m>>)
    -> (tensor<?xf32, #relax.sym<m>>, !relax.shape<[n]>) {
  %s = relax.shape_of %y : (tensor<?xf32, #relax.sym<m>>) -> !relax.shape<[m]>
  %a, %b = func.call @twice(%s, %x) : (!relax.shape<[m]>, tensor<?xf32, #relax.sym<n>>)
      -> (!relax.shape<[n]>, tensor<?xf32, #relax.sym<m>>)
  return %b, %a : tensor<?xf32, #relax.sym<m>>, !relax.shape<[n]>
}
"""
    results = run_onnxruntime(exported(program), [np.zeros(2, np.float32), np.zeros(5, np.float32)])
    assert [result.tolist() for result in results] == [[1] * 5, [2]]


CONTROL = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %up: i1, %times: index) -> tensor<?xf32, #relax.sym<n>> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y = scf.if %up -> (tensor<?xf32, #relax.sym<n>>) {
    %s = relax.shape_of %x : (tensor<?xf32, #relax.sym<n>>) -> !relax.shape<[n]>
    %o = relax.ones %s {dtype = f32} : (!relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
    %a = relax.add %x, %o : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    scf.yield %a : tensor<?xf32, #relax.sym<n>>
  } else {
    scf.yield %x : tensor<?xf32, #relax.sym<n>>
  }
  %z = scf.for %i = %zero to %times step %one iter_args(%c = %y) -> (tensor<?xf32, #relax.sym<n>>) {
    %d = relax.add %c, %c : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    scf.yield %d : tensor<?xf32, #relax.sym<n>>
  }
  return %z : tensor<?xf32, #relax.sym<n>>
}
"""


@pytest.mark.parametrize(("up", "times", "expected"), [(True, 3, 16), (False, 3, 8), (True, 0, 2)])
def test_control_flow(up: bool, times: int, expected: float):
    (result,) = run_onnxruntime(exported(CONTROL), [np.ones(2, np.float32), np.bool_(up), np.int64(times)])
    assert result.tolist() == [expected] * 2


def test_arguments_and_constants_are_results():
    program = """
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32> {relax.name = "same"}, tuple<tensor<2xf32>, tensor<i64>>) {
  %c = relax.constant {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %t = relax.tuple %x, %c : (tensor<2xf32>, tensor<i64>) -> tuple<tensor<2xf32>, tensor<i64>>
  return %x, %t : tensor<2xf32>, tuple<tensor<2xf32>, tensor<i64>>
}
"""
    model = exported(program)
    assert [item.name for item in model.graph.output] == ["same", "result_1.0", "result_1.1"]
    assert [result.tolist() for result in run_onnxruntime(model, [np.ones(2, np.float32)])] == [[1, 1], [1, 1], 7]


def test_large_weights_lie_beside_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exporter, "EXTERNAL", 1000)
    weight = np.ones((40, 8), np.float32)
    program = LINEAR.replace("4x8", "40x8").replace("?x4xf32", "?x40xf32")
    for _ in range(2):
        save_model(exported(program, params={"fc.weight": weight}), tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx.data").stat().st_size < 2 * weight.nbytes
    (result,) = run_onnxruntime(onnx.load(tmp_path / "m.onnx"), [np.ones((1, 8), np.float32)])
    assert result.tolist() == [[8] * 40]


def test_the_tool(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    program, weights, out = tmp_path / "p.mlir", tmp_path / "w.safetensors", tmp_path / "m.onnx"
    program.write_text(LINEAR)
    write_safetensors(weights, {"fc.weight": np.ones((4, 8), np.float32)})
    assert relax_export.main(["onnx", str(program), "-o", str(out), "--params", str(weights)]) == 0
    model = onnx.load(out)
    assert [item.name for item in model.graph.input] == ["x"]
    assert relax_export.main(["onnx", str(program), "-o", str(out), "--entry", "f"]) == 1
    assert capsys.readouterr().err == f"{program}: error: the module has no function @f, it has @main\n"
    assert relax_export.main(["onnx", str(out), "-o", str(tmp_path / "again.onnx")]) == 1
    assert "error: not a text file: byte" in capsys.readouterr().err and not (tmp_path / "again.onnx").exists()
    # What is read is not written.
    for file in (program, weights):
        before = file.read_bytes()
        assert relax_export.main(["onnx", str(program), "-o", str(file), "--params", str(weights)]) == 1
        assert capsys.readouterr().err == f"{file}: error: is read, expected another file to write\n"
        assert file.read_bytes() == before
    before = out.read_bytes()
    for options in (["-o", str(out)], ["--params", str(out)]):
        assert relax_import.main(["onnx", str(out), *options]) == 1
        assert capsys.readouterr().err == f"{out}: error: is read, expected another file to write\n"
        assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            "func.func @main(%x: f32) { return }",
            "@main has no results, expected at least one: a model of ONNX has outputs",
        ),
        (
            "func.func @main(%x: tensor<2xi4>) -> tensor<2xi4> { return %x : tensor<2xi4> }",
            "cannot export 1 construct: argument at 'x': elements of type i4 have no counterpart",
        ),
    ],
)
def test_functions_that_no_model_is(program: str, message: str):
    with pytest.raises(ProgramExportError) as error:
        to_onnx(load(program))
    assert str(error.value) == message


def test_outputs_of_an_imported_model_keep_their_names():
    nodes = [helper.make_node("Relu", ["x"], ["hidden/out"]), helper.make_node("Neg", ["x"], ["logits"])]
    proto = model(nodes, [info("x", ["n"])], ["hidden/out", "logits"])
    written = to_onnx(from_onnx(proto))
    assert [item.name for item in written.graph.output] == ["hidden/out", "logits"]
    assert [item.name for item in written.graph.input] == ["x"]
