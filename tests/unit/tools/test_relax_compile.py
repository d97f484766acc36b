"""The command line of `relax-compile`: what it writes and prints, and that what is wrong is one line and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.tools import relax_run
from xdsl_relax.tools.relax_compile import main

ROOT = Path(__file__).resolve().parents[3]
LINEAR = str(ROOT / "examples" / "linear.mlir")
WEIGHTS = str(ROOT / "examples" / "aot" / "linear.safetensors")


def test_it_prints_what_it_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = tmp_path / "new" / "linear"
    assert main([LINEAR, "-o", str(folder), "--params", WEIGHTS, "--linker", "none", "--name", "net"]) == 0
    printed = capsys.readouterr()
    assert printed.out.split() == [str(folder / f"net.{end}") for end in ("c", "h", "json", "o", "params")]
    assert printed.err == ""


@pytest.mark.parametrize(
    "program",
    [
        "module {}",
        "func.func private @f(%s: f32) -> f32 { return %s : f32 }",
        "func.func private @f(%s: f32) -> f32",
    ],
)
def test_a_program_without_a_public_function(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "none.mlir"
    path.write_text(program)
    assert main([str(path), "-o", str(tmp_path / "x"), "--linker", "none"]) == 1
    message = f"{path}: error: nothing to run: the module has no public function\n"
    assert capsys.readouterr().err == message
    assert relax_run.main([str(path)]) == 1
    assert capsys.readouterr().err == message
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonesuch.mlir"], "nonesuch.mlir: error: no such file or directory"),
        ([LINEAR, "--target", "nope"], f"{LINEAR}: error: unknown target 'nope'"),
        ([LINEAR, "--params", "none.safetensors"], "none.safetensors: error: no such file or directory"),
        ([LINEAR, "--linker", "foo"], f"{LINEAR}: error: there is no linker 'foo' for native"),
        (
            [LINEAR, "--name", "9a"],
            f"{LINEAR}: error: name: expected an identifier that C and its headers leave free, got '9a', did you mean 'n9a'?",
        ),
        ([LINEAR, "--dim", "k=3"], f"{LINEAR}: error: no function has a symbolic dim 'k'; there are n"),
        (
            [LINEAR, "--target", "wasm32", "--threads", "2"],
            f"{LINEAR}: error: threads: expected 1, as wasm32 has no others",
        ),
        (
            [str(ROOT / "examples" / "devices.mlir")],
            f"{ROOT / 'examples' / 'devices.mlir'}: error: only Python can call this program: main: 'w' is on device cpu:1",
        ),
    ],
)
def test_errors(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    # Names of targets in messages are those of a process without a choice of its own.
    monkeypatch.delenv("RELAX_TARGET", raising=False)
    assert main([*arguments, "-o", str(tmp_path / "x")]) == 1
    printed = capsys.readouterr().err
    assert printed.startswith(message) and printed.count("\n") == 1, printed
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("threads", ["-1", "99999", "many"])
def test_a_wrong_number_of_threads(threads: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as end:
        main([LINEAR, "-o", str(tmp_path / "x"), f"--threads={threads}"])
    assert end.value.code == 2
    assert "--threads" in capsys.readouterr().err


def test_a_model_of_onnx_has_its_weights(tmp_path: Path):
    onnx = pytest.importorskip("onnx")
    helper, numpy_helper, kind = onnx.helper, onnx.numpy_helper, onnx.TensorProto.FLOAT
    rng = np.random.default_rng(0)
    weights = {"w": rng.standard_normal((16, 8)).astype("f4"), "b": rng.standard_normal(8).astype("f4")}
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "w", "b"], ["y"]), helper.make_node("Softmax", ["y"], ["z"])],
        "graph",
        [helper.make_tensor_value_info("x", kind, ["n", 16])],
        [helper.make_tensor_value_info("z", kind, ["n", 8])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    path = tmp_path / "my-model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    assert main([str(path), "-o", str(tmp_path / "out"), "--linker", "none"]) == 0
    assert "relax_status my_model_main(" in (tmp_path / "out" / "my_model.h").read_text()
    library = xdsl_relax.load_library(tmp_path / "out")
    x = rng.standard_normal((5, 16)).astype("f4")
    result = library["main"](x, library.params["main"])
    assert result.tobytes() == xdsl_relax.compile(path)(x).tobytes()
    y = x @ weights["w"] + weights["b"]
    expected = np.exp(y) / np.exp(y).sum(1, keepdims=True)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-6)


TWO_FUNCTIONS = """
func.func @first(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %y = func.call @inner(%x) : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %y : tensor<?xf32, #relax.sym<n>>
}
func.func @second(%x: tensor<?xf32, #relax.sym<m>>, %s: !relax.shape<[n]>) -> tensor<?xf32, #relax.sym<m>> {
  return %x : tensor<?xf32, #relax.sym<m>>
}
func.func private @inner(%x: tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>> {
  %y = relax.exp %x : (tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
  return %y : tensor<?xf32, #relax.sym<k>>
}"""


def test_sizes_of_a_program_are_fixed(tmp_path: Path):
    (tmp_path / "p.mlir").write_text(TWO_FUNCTIONS)
    options = ["--linker", "none", "--dim", "n=3", "-o", str(tmp_path / "x")]
    assert main([str(tmp_path / "p.mlir"), *options]) == 0
    text = (tmp_path / "x" / "p.h").read_text()
    assert "first(x: float32[3]) -> float32[3]" in text and "second(x: float32[m], s: shape[3]) -> float32[m]" in text
    library = xdsl_relax.load_library(tmp_path / "x")
    x = np.zeros(3, np.float32)
    assert library["first"](x).tolist() == [1, 1, 1] and library["second"](x[:2], (3,)).tolist() == [0, 0]
    # The program of the caller stays as it is.
    module = xdsl_relax.load(tmp_path / "p.mlir")
    before = str(module)
    xdsl_relax.compile_library(module, tmp_path / "y", dims={"n": 3}, linker="none")
    assert str(module) == before


@pytest.mark.parametrize("value", ["-1", "5000", "two"])
def test_numbers_of_threads(value: str, capsys: pytest.CaptureFixture[str]):
    expected = "a number, got 'two'" if value == "two" else f"0 to 4096 threads, got {value}"
    for tool, arguments in ((main, ["-o", "x"]), (relax_run.main, [])):
        with pytest.raises(SystemExit):
            tool([LINEAR, *arguments, "--threads", value])
        assert capsys.readouterr().err.endswith(f"error: argument --threads: expected {expected}\n")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            "func.func @main(%x: tensor<4xi4>) -> tensor<4xi4> { return %x : tensor<4xi4> }",
            "1:1: error: main: argument 'x': ",
        ),
        (
            "func.func private @f(f32) -> f32\n"
            "func.func @main(%x: f32) -> f32 { %y = func.call @f(%x) : (f32) -> f32 return %y : f32 }",
            "2:35: error: @f has no body",
        ),
    ],
)
def test_programs_that_have_no_code(program: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "p.mlir").write_text(program)
    assert main([str(tmp_path / "p.mlir"), "-o", str(tmp_path / "x")]) == 1
    assert capsys.readouterr().err.startswith(f"{tmp_path / 'p.mlir'}:{message}")
    assert not (tmp_path / "x").exists()
