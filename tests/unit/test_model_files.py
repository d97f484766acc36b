"""Files of models: what is no model, cannot be read, or is asked for with sizes that it cannot have, is one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.frontend.model.files import FORMATS, import_as, import_file
from xdsl_relax.frontend.model.problems import ModelImportError
from xdsl_relax.tools import relax_import


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
