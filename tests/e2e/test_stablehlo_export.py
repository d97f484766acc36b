"""Programs written as StableHLO by `relax-export`: read and run by jax, read again by the importer; what does not fit is one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="needs jax")

from jax.export import deserialize, export  # noqa: E402
from xdsl_relax.frontend.model.problems import ProgramExportError, UnsupportedProgramError  # noqa: E402
from xdsl_relax.frontend.stablehlo import import_stablehlo, to_stablehlo, to_stablehlo_bytecode  # noqa: E402
from xdsl_relax.frontend.stablehlo.load import read_module  # noqa: E402
from xdsl_relax.frontend.stablehlo.original import run_module, run_original  # noqa: E402
from xdsl_relax.runtime.compiler import load  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402
from xdsl_relax.runtime.params.safetensors_file import write_safetensors  # noqa: E402
from xdsl_relax.tools import relax_export  # noqa: E402

PROGRAM = """
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xELEMENT> {relax.name = "fc.weight"}, %m: tensor<4xi1> {relax.name = "mask"})
    -> tensor<2x4xf32> attributes {relax.num_input = 1 : i64} {
  %f = relax.astype %w {dtype = f32} : (tensor<3x4xELEMENT>) -> tensor<3x4xf32>
  %y = func.call @product(%x, %f) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %z = relax.where %m, %y, %n : (tensor<4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}
func.func @product(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %y = relax.matmul %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = relax.nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
""".replace("  %z =", "  %n = relax.negative %y : (tensor<2x4xf32>) -> tensor<2x4xf32>\n  %z =")

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
MASK = np.array([True, False, True, True])


def files(folder: Path, element: str = "bf16") -> tuple[Path, Path, np.ndarray]:
    program, weights = folder / "program.mlir", folder / "weights.safetensors"
    program.write_text(PROGRAM.replace("ELEMENT", element))
    w = (np.arange(12) % 5).reshape(3, 4)
    from xdsl_relax.dialects.relax.dtypes import ALL, numpy_dtype

    dtype = next(numpy_dtype(item) for item in ALL if str(item) == element)
    write_safetensors(weights, {"fc.weight": w.astype(dtype), "mask": MASK})
    product = X @ w.astype(np.float32)
    return program, weights, np.where(MASK, product, -product)


@pytest.mark.sweep
@pytest.mark.parametrize("out", ["out.mlirbc", "out.stablehlo"])
@pytest.mark.parametrize("element", ["bf16", "f16", "ui8", "i64"])
def test_weights_are_stored(tmp_path: Path, element: str, out: str):
    program, weights, expected = files(tmp_path, element)
    path = tmp_path / out
    assert relax_export.main(["stablehlo", str(program), "-o", str(path), "--params", str(weights)]) == 0
    (result,) = run_original(path, {"x": X})
    np.testing.assert_allclose(result, expected, rtol=1e-6)
    model = import_stablehlo(path)
    assert model.inputs == ("x",)
    (again,) = interpret(model.module)("main", X, *model.params.values())
    np.testing.assert_array_equal(again, result)


def test_another_entry_and_version(tmp_path: Path):
    program, _, _ = files(tmp_path)
    path = tmp_path / "out.mlirbc"
    options = ["--entry", "other", "--format-version", "1.0.0"]
    assert relax_export.main(["stablehlo", str(program), "-o", str(path), *options]) == 0
    assert b"StableHLO_v1.0.0" in path.read_bytes()
    text = tmp_path / "out.mlir"
    assert relax_export.main(["stablehlo", str(program), "-o", str(text), "--entry", "other"]) == 0
    assert "@other" in text.read_text() and "@product" not in text.read_text()


WRONG = {
    "entry": (["--entry", "f"], "the module has no function @f, it has @main, @product, @other"),
    "weight": (["--entry", "other", "--params", "WEIGHTS"], "no argument is named 'fc.weight', there are x"),
    "version of text": (["--format-version", "1.0.0"], "a version is that of an artifact, FILE.mlirbc; text has none"),
    "no version": (
        ["-o", "out.mlirbc", "--format-version", "one"],
        "the version of an artifact is written as 1.9.0, got one",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    program, weights, _ = files(tmp_path)
    options, message = WRONG[name]
    given = [str(weights) if option == "WEIGHTS" else option for option in options]
    assert relax_export.main(["stablehlo", str(program), "-o", "out.mlir", *given]) == 1
    assert capsys.readouterr().err == f"{program}: error: {message}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["program.mlir", "weights.safetensors"]


def test_versions_have_a_range(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    program, _, _ = files(tmp_path)
    assert relax_export.main(["stablehlo", str(program), "-o", "out.mlirbc", "--format-version", "99.0.0"]) == 1
    assert "the version of an artifact must be from 0.9.0 to " in capsys.readouterr().err
    assert relax_export.main(["onnx", str(program), "-o", "out.onnx", "--format-version", "1.9"]) == 1
    assert "the version of onnx is an opset, such as 21, got 1.9" in capsys.readouterr().err


def test_all_that_has_no_counterpart_is_named_at_once():
    module = load("""
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = relax.call_packed %y {callee = "f", pure = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
func.func @second(%y: tensor<4xf32>) -> tensor<4xf32> {
  %a = relax.call_packed %y {callee = "f", pure = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
""")
    with pytest.raises(UnsupportedProgramError) as caught:
        to_stablehlo(module)
    assert caught.value.counts == {"signature": 1, "relax.call_packed": 2}
    assert str(caught.value).startswith("cannot export 3 constructs of 2 kinds: ")
    with pytest.raises(ProgramExportError, match="params are those of one function"):
        to_stablehlo(module, params={})


def test_numbers_without_a_point():
    """What Python writes as `1e-12` is a number of MLIR too."""
    x = np.array([0, 1e-7], np.float32)
    module = load("""
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = relax.nn.l2_normalize %x {axis = array<i64: 0>, eps = 1.0e-12 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
""")
    (result,) = run_module(read_module(to_stablehlo(module)), [x])
    np.testing.assert_allclose(result, [0, 0.1], rtol=1e-6)


def test_jax_exports_come_back(tmp_path: Path):
    """What jax exports is imported, exported and called by jax's own deserializer's reader again."""
    exported = export(jax.jit(lambda x: jax.nn.softmax(x) @ x.T))(jax.ShapeDtypeStruct((2, 3), np.float32))
    module = import_stablehlo(deserialize(exported.serialize()).mlir_module_serialized).module
    path = tmp_path / "again.mlirbc"
    (tmp_path / "p.mlir").write_text(str(module))
    assert relax_export.main(["stablehlo", str(tmp_path / "p.mlir"), "-o", str(path)]) == 0
    (result,) = run_original(path, {import_stablehlo(path).inputs[0]: X})
    np.testing.assert_allclose(result, exported.call(X), rtol=1e-6)


def test_symbols_are_fixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    program, path = tmp_path / "p.mlir", tmp_path / "out.mlirbc"
    program.write_text("""
func.func @main(%x: tensor<?x?xf32, #relax.sym<n, 2 * n>>) -> tensor<?x?xf32, #relax.sym<n, 2 * n>> {
  %y = relax.nn.relu %x : (tensor<?x?xf32, #relax.sym<n, 2 * n>>) -> tensor<?x?xf32, #relax.sym<n, 2 * n>>
  return %y : tensor<?x?xf32, #relax.sym<n, 2 * n>>
}
""")
    given = ["stablehlo", str(program), "-o", str(path)]
    assert relax_export.main([*given, "--dim", "n=3"]) == 0
    (result,) = run_original(path, {"x": -np.ones((3, 6), np.float32)})
    assert result.tolist() == [[0] * 6] * 3
    for options, message in (
        ([], "sizes must be numbers, got n (--dim of relax-export"),
        (["--dim", "m=3"], "@main has no symbol m in its arguments; it has n"),
        (["--dim", "n=-3"], "the size of n is negative: -3"),
        (["--dim", "n=3", "--entry", "f"], "the module has no function @f, it has @main"),
    ):
        assert relax_export.main([*given, *options]) == 1
        error = capsys.readouterr().err
        assert error.startswith(f"{program}") and message in error and "Traceback" not in error


@pytest.mark.sweep
@pytest.mark.parametrize("op", ["nn.gelu", "erf", "asin", "acosh", "atanh", "cosh"])
@pytest.mark.parametrize("version", [None, "1.0.0"])
def test_artifacts_have_what_chlo_would_have(op: str, version: str | None):
    module = load(f"""
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {{
  %y = relax.{op} %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}}""")
    x = np.linspace(0.1, 0.9, 6, dtype=np.float32).reshape(2, 3) + (op == "acosh")
    (expected,) = interpret(module)("main", x)
    program = to_stablehlo_bytecode(module, version=version)
    (result,) = run_module(read_module(program), [x])
    np.testing.assert_allclose(result, expected, rtol=1e-5)
    (again,) = interpret(import_stablehlo(program).module)("main", x)
    np.testing.assert_allclose(again, expected, rtol=1e-5)


def test_an_artifact_of_a_version_without_an_op_is_refused():
    module = load("""
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = relax.tan %x : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}""")
    with pytest.raises(ProgramExportError, match=r"has ops that StableHLO 1\.0\.0 does not have: .*tan"):
        to_stablehlo_bytecode(module, version="1.0.0")
