"""Generating tokens with a Llama of a checkpoint: `examples/nn/generate.py`."""

from __future__ import annotations

import json
from functools import partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness.nn_references import llama_reference, weights_for
from xdsl_relax.runtime.params.safetensors_file import write_safetensors

torch = pytest.importorskip("torch")

import command_line  # noqa: E402
import generate  # noqa: E402
import llama  # noqa: E402


def test_generated_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    config = llama.LlamaConfig(24, 40, num_hidden_layers=1, num_key_value_heads=4, vocab_size=90)
    weights = weights_for(llama.LlamaForCausalLM(config))
    write_safetensors(tmp_path / "model.safetensors", {name: values.numpy() for name, values in weights.items()})
    (tmp_path / "config.json").write_text(
        json.dumps(vars(config) | {"head_dim": None, "num_key_value_heads": None, "model_type": "llama"})
    )
    tokens = [3, 89, 14]
    for _ in range(12):
        scores, _ = llama_reference(weights, config, torch.tensor([tokens]))
        tokens.append(int(scores[0, -1].argmax()))
    assert generate.main(["--weights", str(tmp_path), "--prompt", "3,89,14", "--tokens", "12"]) == tokens[3:]
    out, err = capsys.readouterr()
    assert out == ",".join(map(str, tokens[3:])) + "\n"
    assert "prefill: " in err and "decode: " in err and err.rstrip().endswith("tokens/s")


@pytest.mark.parametrize(("stored", "wanted"), [("float16", None), ("float16", "float32"), ("float32", "bfloat16")])
def test_a_dtype_is_that_of_the_option(
    stored: str, wanted: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    config = llama.LlamaConfig(16, 24, num_hidden_layers=1, vocab_size=30)
    weights = {name: values.numpy() for name, values in weights_for(llama.LlamaForCausalLM(config)).items()}
    write_safetensors(tmp_path / "model.safetensors", {name: a.astype(stored) for name, a in weights.items()})
    (tmp_path / "config.json").write_text(json.dumps(vars(config) | {"dtype": stored}))
    caches: list[np.ndarray] = []
    run = generate.generate
    monkeypatch.setattr(generate, "generate", lambda *args: caches.extend(args[1]) or run(*args))
    # The kernels of many vectors take LLVM most of the time.
    jit = llama.LlamaForCausalLM.jit
    monkeypatch.setattr(llama.LlamaForCausalLM, "jit", partialmethod(jit, opt_level=0))
    option = [] if wanted is None else ["--dtype", wanted]
    assert len(generate.main(["--weights", str(tmp_path), "--tokens", "2", *option])) == 2
    assert {cache.dtype.name for cache in caches} == {wanted or stored}


def test_options_are_for_what_a_configuration_does_not_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Without a `config.json` sizes are options, and a note says so."""
    config = llama.LlamaConfig(16, 24, num_hidden_layers=1, vocab_size=30)
    file = tmp_path / "some.safetensors"
    weights = weights_for(llama.LlamaForCausalLM(config))
    write_safetensors(file, {name: values.numpy() for name, values in weights.items()})
    sizes = ["--hidden-size", "16", "--intermediate-size", "24", "--num-hidden-layers", "1", "--vocab-size", "30"]
    generate.main(["--weights", str(file), "--tokens", "1", *sizes])
    assert "config.json: sizes are those of the options" in " ".join(capsys.readouterr().err.split())
    with pytest.raises(SystemExit) as error:
        command_line.run(lambda: generate.main(["--weights", str(file), "--tokens", "1"]))
    assert "expected data of shape (320, 64), got (30, 16)" in str(error.value)


@pytest.mark.parametrize(
    ("command", "config", "message"),
    [
        ([], {}, "3 parameters have no data, load them before jit: model.layers.0.input_layernorm.weight, "),
        (["--prompt", "3,90"], {}, "error: expected a prompt of tokens below 90, the vocab_size, got [90]"),
        (
            ["--num-attention-heads", "5"],
            {},
            "error: expected a hidden_size that 5 heads divide, or a head_dim, got 24",
        ),
        (
            ["--num-key-value-heads", "3"],
            {},
            "expected num_attention_heads that num_key_value_heads divides, got 4 and 3",
        ),
        ([], {"head_dim": 7}, "config.json: expected heads of an even size, got 7"),
        ([], {"rope_scaling": {"type": "linear"}}, "config.json: expected 'default' as rope_type, got 'linear'"),
        ([], {"rope_scaling": [2]}, "config.json: expected an object as rope_parameters or rope_scaling, got [2]"),
        ([], {"hidden_size": "24"}, 'config.json: expected a positive number as hidden_size, got "24"'),
        ([], {"num_attention_heads": 0}, "config.json: expected a positive number as num_attention_heads, got 0"),
        ([], {"attention_bias": 1}, "config.json: expected true or false as attention_bias, got 1"),
        ([], {"rms_norm_eps": [1]}, "config.json: expected a number as rms_norm_eps, got [1]"),
    ],
)
def test_what_does_not_fit_is_said_in_a_line(command: list[str], config: dict[str, Any], message: str, tmp_path: Path):
    sizes = llama.LlamaConfig(hidden_size=24, intermediate_size=40, num_hidden_layers=1, vocab_size=90)
    model = llama.LlamaForCausalLM(sizes)
    weights = {name: values.numpy() for name, values in weights_for(model).items() if "norm" not in name}
    write_safetensors(tmp_path / "model.safetensors", {**weights, "inv_freq": np.ones(3, np.float32)})
    (tmp_path / "config.json").write_text(json.dumps(vars(sizes) | config))
    with pytest.raises(SystemExit) as error:
        command_line.run(lambda: generate.main(["--weights", str(tmp_path), *command]))
    assert message in str(error.value) and "\n" not in str(error.value)
