"""Model files of MLC-LLM, unchanged, natively and in the interpreter, against torch; `--mlc PATH` names a checkout."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ORACLE = Path(__file__).parents[1] / "oracles" / "oracle_mlc.py"
MODELS = (
    "llama qwen2 qwen3 mistral gemma phi3 gpt2 gpt_neox gpt_bigcode baichuan internlm2 orion stable_lm starcoder2 olmo olmo2 minicpm cohere "
    "nemotron bert medusa eagle"
).split()
CASES = [("packed", model) for model in MODELS] + [
    (mode, model) for mode in ("lifted", "jit", "interpreted") for model in ("llama", "gpt2", "bert", "eagle")
]


@pytest.mark.parametrize(("mode", "model"), CASES)
def test_logits_are_those_of_torch(pytestconfig: pytest.Config, mode: str, model: str):
    checkout = pytestconfig.getoption("--mlc")
    if not checkout:
        pytest.skip("needs a checkout of MLC-LLM: --mlc PATH, or the environment variable MLC_LLM")
    for package in ("torch", "transformers"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs the package {package}")
    # The modules with TVM's names are in a process of their own.
    command = [sys.executable, str(ORACLE), "--mlc", str(checkout), "--mode", mode, model]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("| yes | yes | yes |") == result.stdout.count("\n") - 2 > 0
