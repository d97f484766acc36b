"""`--check=onnxruntime`, `--value`: a model against the library that it comes from, and what is refused before anything is compiled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")
pytest.importorskip("onnxruntime", reason="needs onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from xdsl_relax.frontend.model.files import format_of  # noqa: E402
from xdsl_relax.frontend.model.problems import OriginalModelError  # noqa: E402
from xdsl_relax.tools import function_run, relax_import, relax_run  # noqa: E402

PROGRAM = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the directory of the test, which is the current one, with two models and a program."""
    monkeypatch.chdir(tmp_path)
    weight = numpy_helper.from_array(np.arange(16, dtype=np.float32).reshape(8, 2), "w")
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 8])
    axes = helper.make_tensor_value_info("axes", TensorProto.INT64, [1])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("ReduceSum", ["h", "axes"], ["y"])]
    graph = helper.make_graph(nodes, "sums", [x, axes], [y], [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), "sums.onnx")
    parts = helper.make_node("SplitToSequence", ["x"], ["parts"], axis=0, keepdims=1)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 2])
    out = helper.make_tensor_sequence_value_info("parts", TensorProto.FLOAT, None)
    graph = helper.make_graph([parts], "parts", [x], [out])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), "parts.onnx")
    scale, zero = (
        numpy_helper.from_array(np.array(0.1, np.float32), "s"),
        numpy_helper.from_array(np.array(0, np.int8), "z"),
    )
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"]),
    ]
    graph = helper.make_graph(nodes, "rounded", [x], [y], [scale, zero])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), "rounded.onnx")
    np.save("axes.npy", np.array([1]))
    Path("program.mlir").write_text(PROGRAM)
    return tmp_path


def test_agrees_with_onnxruntime(folder: Path, capsys: pytest.CaptureFixture[str]):
    options = ["--value", "axes=axes.npy", "--dim", "batch=3"]
    assert relax_run.main(["sums.onnx", *options, "--check=onnxruntime"]) == 0
    assert "result 0 agrees with onnxruntime: error" in capsys.readouterr().out
    assert relax_run.main(["sums.onnx", *options, "--check"]) == 0
    assert "result 0 agrees with the interpreter" in capsys.readouterr().out
    assert relax_run.main(["parts.onnx", "--check=onnxruntime"]) == 0
    assert "result 2 agrees with onnxruntime" in capsys.readouterr().out
    assert relax_run.main(["rounded.onnx", "--check=onnxruntime"]) == 0
    assert "quantized" not in capsys.readouterr().out


def test_a_wrong_result_is_found(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    host_call = function_run.host_call
    monkeypatch.setattr(
        function_run,
        "host_call",
        lambda call, functions: host_call(lambda *a: tuple(r + 1 for r in call(*a)), functions),
    )
    options = ["--value", "axes=axes.npy", "--dim", "batch=3", "--check=onnxruntime"]
    assert relax_run.main(["sums.onnx", *options]) == 1
    printed = capsys.readouterr().out
    assert "result 0 FAILED: error" in printed and "quantized" not in printed
    assert relax_run.main(["rounded.onnx", "--check=onnxruntime"]) == 1
    printed = capsys.readouterr().out
    assert "result 0 FAILED: error" in printed
    assert "differ from those of onnxruntime by some steps of the quantization" in printed


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("program.mlir --check=onnxruntime", "program.mlir: error: onnxruntime runs files that end in .onnx, this is none"),
        ("program.mlir --value x=axes.npy", "program.mlir: error: --value fixes inputs of models that are imported"),
        ("sums.onnx --check=onnxruntime --params w.safetensors", "--params replaces the weights of the model, --check="),
        ("sums.onnx --check=onnxruntime --bisect", "--bisect compares with the interpreter, --check=onnxruntime runs"),
        ("sums.onnx --value axes=none.npy", "none.npy: error: no such file or directory"),
        ("sums.onnx --value axes=program.mlir", "program.mlir: error: not a numpy array file"),
        ("sums.onnx --value other=axes.npy", "no input or size of the model is named 'other'"),
    ],
)  # fmt: skip
def test_refused(folder: Path, capsys: pytest.CaptureFixture[str], arguments: str, expected: str):
    assert relax_run.main(arguments.split()) == 1
    error = capsys.readouterr().err
    assert expected in error and error.count("\n") == 1


def test_the_importer_names_a_file_of_values_that_is_none(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert relax_import.main(["onnx", "sums.onnx", "--value", "axes=program.mlir"]) == 1
    assert capsys.readouterr().err.startswith("program.mlir: error: not a numpy array file")
    assert relax_import.main(["onnx", "sums.onnx", "--value", "axes=axes.npy"]) == 0
    assert "@main" in capsys.readouterr().out


def test_what_onnxruntime_does_not_run_is_one_line(folder: Path):
    model_format = format_of("sums.onnx")
    assert model_format is not None and model_format.run is not None
    with pytest.raises(OriginalModelError, match="takes 'axes', which is no tensor"):
        model_format.run(Path("sums.onnx"), {"x": np.ones((2, 8), np.float32)})
    with pytest.raises(OriginalModelError, match="onnxruntime does not run the model: "):
        model_format.run(Path("sums.onnx"), {"x": np.ones((2, 7), np.float32), "axes": np.array([1])})
