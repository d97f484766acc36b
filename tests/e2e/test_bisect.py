"""`relax-run --check --bisect` finds miscompiles that are planted after passes."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from harness.planted import PLANTS
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter
from xdsl_relax.lowering.linalg.fuse_linalg import FuseLinalgPass
from xdsl_relax.runtime.bisection.case import number_of_ops
from xdsl_relax.tools.relax_run import main


@pytest.mark.sweep
@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_miscompile_is_found(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant = PLANTS[name]
    source, reduced = tmp_path / "program.mlir", tmp_path / "reduced.mlir"
    source.write_text(plant.program)
    sizes = [word for symbol, size in plant.sizes.items() for word in ("--dim", f"{symbol}={size}")]
    command = [str(source), "--check", "--bisect", "--reduced", str(reduced), *plant.options, *sizes]
    with plant.planted():
        assert main(command) == 1
        lines = capsys.readouterr().out.splitlines()
        accused = [line for line in lines if "differs after" in line or "suspected" in line]
        assert len(accused) == 1 and plant.pass_name in accused[0], lines
        assert number_of_ops(xdsl_relax.load(reduced)) <= min(3, number_of_ops(xdsl_relax.load(source)) - 1)
        # The command that it prints shows what is wrong, and only with the plant. (Passes run twice, which may undo it in the end.)
        printed = shlex.split(lines[-1].removeprefix("bisect: "))
        assert printed[:2] == ["relax-run", str(reduced)]
        assert main([*printed[1:], "--bisect", "--reduced", str(tmp_path / "again.mlir")]) == 1
    assert main(printed[1:]) == 0


def test_a_right_program_is_said_to_be_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "program.mlir"
    source.write_text(PLANTS["loops, a tail less"].program)
    assert main([str(source), "--check", "--bisect", "--reduced", str(tmp_path / "reduced.mlir")]) == 0
    assert "agrees with the interpreter after each pass" in capsys.readouterr().out
    assert not (tmp_path / "reduced.mlir").exists()


@pytest.mark.parametrize("lifts", ["", " attributes {relax.num_input = 1 : i64}"])
def test_unsigned_bytes_are_compared_by_their_bits(
    lifts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arguments, parameters and results of linalg have the types of signed ones."""
    source = tmp_path / "program.mlir"
    source.write_text(f"""
    func.func @main(%x: tensor<3x5xui8>, %w: tensor<5xui8>) -> (tensor<3x5xui8>, tensor<5xui8>){lifts} {{
      %r, %s = relax.dataflow {{
        %v = relax.add %w, %w : (tensor<5xui8>, tensor<5xui8>) -> tensor<5xui8>
        %y = relax.maximum %x, %v : (tensor<3x5xui8>, tensor<5xui8>) -> tensor<3x5xui8>
        relax.output %y, %v : tensor<3x5xui8>, tensor<5xui8>
      }} : tensor<3x5xui8>, tensor<5xui8>
      return %r, %s : tensor<3x5xui8>, tensor<5xui8>
    }}""")
    np.save(tmp_path / "x.npy", np.arange(241, 256, dtype=np.uint8).reshape(3, 5))
    arguments = [f"--input=x={tmp_path / 'x.npy'}", "--input=w=125", "--reduced", str(tmp_path / "reduced.mlir")]
    assert main([str(source), "--check", "--bisect", *arguments]) == 0
    assert "agrees with the interpreter after each pass" in capsys.readouterr().out


CONVOLUTION = """
func.func @main(%x: tensor<1x32x14x14xf32>, %w: tensor<32x32x3x3xf32>) -> tensor<1x32x12x12xf32> attributes {relax.num_input = 1 : i64} {
  %y = relax.nn.conv2d %x, %w : (tensor<1x32x14x14xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x12x12xf32>
  return %y : tensor<1x32x12x12xf32>
}
"""


CONVERTED = CONVOLUTION.replace(
    "  return %y : tensor<1x32x12x12xf32>",
    """  %z = relax.astype %y {dtype = ELEMENT} : (tensor<1x32x12x12xf32>) -> tensor<1x32x12x12xELEMENT>
  return %z : tensor<1x32x12x12xELEMENT>""",
).replace("-> tensor<1x32x12x12xf32> attributes", "-> tensor<1x32x12x12xELEMENT> attributes")


def bisect_convolution(tmp_path: Path, x: np.ndarray, program: str = CONVOLUTION) -> int:
    source, data, reduced = (tmp_path / name for name in ("program.mlir", "x.npy", "reduced.mlir"))
    source.write_text(program)
    np.save(data, x)
    return main([str(source), "--input", f"x={data}", "--check", "--bisect", "--reduced", str(reduced)])


@pytest.mark.sweep(4)
@pytest.mark.parametrize("value", [np.nan, None, np.inf])
def test_what_winograd_does_to_a_nan_is_not_at_fault(
    value: float | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = np.random.default_rng(0).standard_normal((1, 32, 14, 14)).astype(np.float32)
    if value is not None:
        x[0, 3, 5, 8] = value
    assert bisect_convolution(tmp_path, x) == 0
    out = capsys.readouterr().out
    assert "agrees with the interpreter after each pass, and in native code" in out
    assert ("elements are NaN or infinite since " in out) == (value is not None)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_a_nan_of_winograd_may_be_converted(element: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.random.default_rng(0).standard_normal((1, 32, 14, 14)).astype(np.float32)
    x[0, 3, 5, 8] = np.inf
    assert bisect_convolution(tmp_path, x, CONVERTED.replace("ELEMENT", element)) == 0
    assert "elements are NaN or infinite since relax-use-winograd" in capsys.readouterr().out


@pytest.mark.sweep(2)
@pytest.mark.parametrize("value", [np.nan, 0.0])
def test_a_pass_behind_winograd_is_found(
    value: float, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    apply = FuseLinalgPass.apply

    def wrong(self: FuseLinalgPass, ctx: Context, op: ModuleOp) -> None:
        apply(self, ctx, op)
        product = next(inner for inner in op.walk() if isinstance(inner, arith.MulfOp))
        Rewriter.replace_op(product, arith.AddfOp(product.lhs, product.rhs))

    monkeypatch.setattr(FuseLinalgPass, "apply", wrong)
    x = np.random.default_rng(0).standard_normal((1, 32, 14, 14)).astype(np.float32)
    x[0, 3, 5, 8] = value
    assert bisect_convolution(tmp_path, x) == 1
    (accused,) = [line for line in capsys.readouterr().out.splitlines() if "differs after" in line]
    assert accused.endswith("differs after fuse-linalg (stage fuse)")


def test_bisect_needs_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "program.mlir"
    source.write_text(PLANTS["loops, a tail less"].program)
    assert main([str(source), "--bisect"]) == 1
    assert "--bisect needs --check" in capsys.readouterr().err
