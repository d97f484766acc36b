"""Files of models: what is no model, cannot be read, or is asked for with sizes that it cannot have, is one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.frontend.model.files import FORMATS, import_as, import_file
from xdsl_relax.frontend.model.problems import ModelImportError
from xdsl_relax.tools import relax_import, relax_run

MODULE = """
from tvm.script import ir as I, relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.matmul(x, w)
            R.output(y)
        return y
"""


@pytest.mark.parametrize("source", FORMATS)
def test_files_that_cannot_be_read(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    missing = tmp_path / "missing"
    assert relax_import.main([source, str(missing)]) == 1
    assert relax_import.main([source, str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"{missing}: error: no such file or directory\n{tmp_path}: error: is a directory\n"
    )


@pytest.mark.parametrize("source", FORMATS)
def test_sizes_are_not_negative(source: str, tmp_path: Path):
    path = tmp_path / "model"
    path.write_text("")
    with pytest.raises(ModelImportError, match="the size 'batch' must not be negative, got -1"):
        import_as(FORMATS[source], path, {"batch": -1})


@pytest.mark.parametrize("name", ["model.tflite", "folder/model.h5", "m.pth"])
def test_other_files_are_refused_by_name(name: str):
    with pytest.raises(
        ModelImportError, match=rf"expected a program, or a file that ends in \.mlir or .*, got '{name}'"
    ):
        xdsl_relax.compile(name)
    with pytest.raises(ModelImportError, match="expected a file that ends in "):
        import_file(name)


def test_programs_are_no_file_names():
    text = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
    assert xdsl_relax.compile(text)["f"](np.ones(2, np.float32)).tolist() == [1, 1]


def test_files_of_python_that_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("tvm")
    path = tmp_path / "model.py"
    path.write_text("1 / 0\n")
    assert relax_import.main(["tvm", str(path)]) == 1
    assert capsys.readouterr().err == f"{path}: error: the file raises ZeroDivisionError: division by zero\n"


def test_files_of_other_formats_say_which_importer_reads_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "model.pt2"
    path.write_bytes(b"no model")
    pytest.importorskip("onnx")
    assert relax_import.main(["onnx", str(path)]) == 1
    assert "; a file that ends in .pt2 is read by relax-import torch\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text"), [("module.py", "x = 1\n"), ("module.json", '{"root_index": 0, "nodes": []}')]
)
def test_modules_of_tvm_are_imported_first(name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / name
    path.write_text(text)
    assert relax_run.main([str(path)]) == 1
    error = capsys.readouterr().err
    assert "relax-import tvm reads" in error
    assert error.count("\n") == 1


def test_no_file_of_weights_is_written_where_there_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("tvm")
    path, weights = tmp_path / "module.py", tmp_path / "weights.safetensors"
    path.write_text(MODULE)
    assert relax_import.main(["tvm", str(path), "--params", str(weights)]) == 1
    assert capsys.readouterr().err == f"{path}: error: the file has no weights for 'w': leave out --params\n"
    assert not weights.exists()
    assert relax_import.main(["tvm", str(path)]) == 0
