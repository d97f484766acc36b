"""Every example agrees with the interpreter, at several sizes of its symbolic dims."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.library_programs import EXAMPLES, narrow_example
from harness.sampling import runs_all
from xdsl_relax.tools.relax_run import main

CASES = [
    "llama_decoder.mlir",
    "llama_decoder.mlir --entry prefill --dim s=1",
    "llama_decoder.mlir --entry prefill --dim s=13",
    "llama_decoder.mlir --entry decode --dim m=1",
    "llama_decoder.mlir --entry decode --dim m=37",
    "bert_layer.mlir --dim b=1 --dim s=17",
    "bert_layer.mlir --dim b=3 --dim s=8",
    "resnet18.mlir",
    "devices.mlir",
    "devices.mlir -O 0",
    "devices.mlir --backend interpret",
    "linear.mlir",
    "square_root.mlir --dim n=7 --input x=2 --input tolerance=0.0001",
    "row_mean.mlir",
]
WIDE = "llama_mlp_f16.mlir"
"""Making its weights takes longer than running it."""


def test_every_example_is_run():
    named = {WIDE, *(case.split()[0] for case in CASES)}
    # The weights of the feed-forward block take 540 MB as f32; the f16 one has the same ops.
    assert named | {"llama_mlp.mlir"} == {path.name for path in EXAMPLES.glob("*.mlir")}


def check(path: Path, flags: list[str], capsys: pytest.CaptureFixture[str]):
    assert main([str(path), *flags, "--check"]) == 0
    assert "agrees with the interpreter" in capsys.readouterr().out


@pytest.mark.usefixtures("compiled_once")
@pytest.mark.parametrize("case", CASES)
def test_example_agrees_with_the_interpreter(case: str, capsys: pytest.CaptureFixture[str]):
    name, *flags = case.split()
    check(EXAMPLES / name, flags, capsys)


@pytest.mark.any_target
def test_a_wide_example_agrees_with_the_interpreter(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """With its own widths where all cases of sweeps run."""
    path = EXAMPLES / WIDE if runs_all() else narrow_example(Path(WIDE).stem, tmp_path)
    check(path, [], capsys)
