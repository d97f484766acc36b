"""The scripts of examples/nn: each writes the program of its model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from harness.nn_references import EXAMPLES
from xdsl.parser import Parser
from xdsl_relax.runtime.compiler import relax_context
from xdsl_relax.tools import relax_run

torch = pytest.importorskip("torch")

import bert  # noqa: E402
import gpt2  # noqa: E402
import llama  # noqa: E402
import resnet  # noqa: E402
import unet  # noqa: E402
import whisper  # noqa: E402


def test_a_script_writes_a_program_that_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "gpt2.mlir"
    script = [sys.executable, EXAMPLES / "gpt2.py", "--n-layer", "1", "--n-embd", "12", path]
    subprocess.run(script, check=True, capture_output=True)
    assert relax_run.main([str(path), "--dim", "s=3", "--check", "--backend", "interpret"]) in (0, None)
    assert "tensor<4x3x320xf32>" in capsys.readouterr().out


@pytest.mark.parametrize("script", [bert, gpt2, llama, resnet, unet, whisper], ids=lambda script: script.__name__)
def test_a_script_prints_a_program_and_writes_it(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "argv", [f"{script.__name__}.py"])
    script.main()
    printed = capsys.readouterr().out
    path = tmp_path / "program.mlir"
    monkeypatch.setattr(sys, "argv", [f"{script.__name__}.py", str(path)])
    script.main()
    parsed = Parser(relax_context(), path.read_text(), str(path)).parse_module()
    parsed.verify()
    assert path.read_text() == printed and len(list(parsed.ops)) > 0
