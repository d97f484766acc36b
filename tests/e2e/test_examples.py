"""Every example agrees with the interpreter, at several sizes of its symbolic dims."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl_relax.tools.relax_run import main

EXAMPLES = Path(__file__).parents[2] / "examples"

CASES = [
    "llama_decoder.mlir --entry prefill --dim s=1",
    "llama_decoder.mlir --entry prefill --dim s=13",
    "llama_decoder.mlir --entry decode --dim m=1",
    "llama_decoder.mlir --entry decode --dim m=37",
    "bert_layer.mlir --dim b=1 --dim s=17",
    "bert_layer.mlir --dim b=3 --dim s=8",
    "resnet18.mlir",
]


@pytest.mark.parametrize("case", CASES)
def test_example_agrees_with_the_interpreter(case, capsys):
    name, *flags = case.split()
    assert main([str(EXAMPLES / name), *flags, "--check"]) == 0
    assert "agrees with the interpreter" in capsys.readouterr().out
