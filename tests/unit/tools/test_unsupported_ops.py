"""Programs of other projects with ops that no stage takes: one error, at the first of them, that names the others too."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl_relax.tools.relax_opt import main as relax_opt
from xdsl_relax.tools.relax_run import main as relax_run

CASES = {
    "branches": (
        """func.func @main(%a: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  cf.cond_br %a, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%x : tensor<4xf32>)
^bb2:
  cf.br ^bb3(%x : tensor<4xf32>)
^bb3(%z: tensor<4xf32>):
  return %z : tensor<4xf32>
}
""",
        "FILE:2:3: error: cf.cond_br is not supported, expected a function of one block with scf.if, scf.for, scf.while or "
        "scf.index_switch; also cf.br (line 4, 6)",
    ),
    "a block that no branch leads to": (
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^bb1(%z: f32):
}
""",
        "FILE:1:1: error: func.func of 2 blocks is not supported, expected a function of one block with scf.if, scf.for, scf.while or "
        "scf.index_switch",
    ),
    "affine": (
        """func.func @main(%x: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %j = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
  %k = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
  %e = tensor.extract %x[%j] : tensor<4xf32>
  %v = vector.broadcast %e : f32 to vector<4xf32>
  %s = vector.extract %v[1] : f32 from vector<4xf32>
  %y = tensor.insert %s into %x[%k] : tensor<4xf32>
  return %y : tensor<4xf32>
}
""",
        "FILE:2:3: error: affine.apply is left after the stage linalg; also affine.apply (line 3), vector.broadcast (line 5), "
        "vector.extract (line 6)",
    ),
    "foreign": (
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<4xf32>) outs(%x, %x : tensor<4xf32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<4xf32>
  %1 = "torch_c.to_builtin_tensor"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = arith.addf %1, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
""",
        "FILE:2:3: error: operation tm_tensor.scan is not registered; nor are tm_tensor.yield, torch_c.to_builtin_tensor",
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("tool", ["relax-run", "relax-opt"])
def test_all_ops_are_named_at_once(name: str, tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, expected = CASES[name]
    file = tmp_path / "program.mlir"
    file.write_text(text)
    status = relax_run([str(file)]) if tool == "relax-run" else relax_opt([str(file), "-p", "linalg"])
    assert status == 1
    assert capsys.readouterr().err.splitlines()[0] == expected.replace("FILE", str(file))


def test_branches_are_printed_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.mlir"
    file.write_text(CASES["branches"][0])
    assert relax_opt([str(file)]) in (0, None)
    assert "cf.cond_br" in capsys.readouterr().out
