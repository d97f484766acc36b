"""The models of examples/nn, compiled, against the same networks written with functions of torch on the same weights."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl_relax.frontend import nn
from xdsl_relax.lowering.pipeline import Settings
from xdsl_relax.passes.lifting.lift_transform_params import LiftTransformParamsPass
from xdsl_relax.runtime.compiler import available_passes, pipeline_of, relax_context
from xdsl_relax.runtime.params.safetensors_file import write_safetensors
from xdsl_relax.tools import relax_run

torch = pytest.importorskip("torch")
F = torch.nn.functional

EXAMPLES = Path(__file__).parents[2] / "examples" / "nn"
sys.path.insert(0, str(EXAMPLES))

import bert  # noqa: E402
import command_line  # noqa: E402
import generate  # noqa: E402
import gpt2  # noqa: E402
import llama  # noqa: E402
import resnet  # noqa: E402
import unet  # noqa: E402
import whisper  # noqa: E402

Weights = dict[str, Any]


def weights_for(model: nn.Module) -> Weights:
    """Binds random weights to a model and returns them: matrices that keep the size of states, all else around 1 or 0."""
    random = torch.Generator().manual_seed(0)
    weights: Weights = {}
    for name, parameter in model.named_parameters():
        if parameter.data is not None:
            continue
        values = torch.randn([int(str(size)) for size in parameter.shape], generator=random)
        if values.ndim > 1:
            values /= math.sqrt(values[0].numel())
        elif name.endswith("running_var"):
            values = values.abs() + 0.5
        else:
            values = values / 5 + (not name.endswith(("bias", "running_mean")))
        parameter.data = weights[name] = values
    return weights


def below(weights: Weights, prefix: str) -> Weights:
    """Returns the weights under a path, by the rest of their paths."""
    return {name.removeprefix(prefix): values for name, values in weights.items() if name.startswith(prefix)}


def tokens_of(shape: tuple[int, ...], vocabulary: int) -> Any:
    return torch.from_numpy(np.random.default_rng(len(shape) + shape[-1]).integers(0, vocabulary, shape, np.int32))


def linear(w: Weights, name: str, x: Any) -> Any:
    return F.linear(x, w[f"{name}.weight"], w.get(f"{name}.bias"))


def norm(w: Weights, name: str, x: Any, eps: float = 1e-5) -> Any:
    return F.layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"], eps)


def attention(q: Any, k: Any, v: Any, heads: int, kv_heads: int | None = None, **options: Any) -> Any:
    """Returns attention of `[b, s, heads * size]`, heads split and joined."""
    split = [
        x.unflatten(-1, (count, -1)).transpose(1, 2)
        for x, count in ((q, heads), (k, kv_heads or heads), (v, kv_heads or heads))
    ]
    y = F.scaled_dot_product_attention(*split, **options, enable_gqa=kv_heads is not None)
    return y.transpose(1, 2).flatten(-2)


def close(result: Any, expected: Any) -> None:
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)


# Llama

AWKWARD = llama.LlamaConfig(
    hidden_size=36,
    intermediate_size=50,
    num_attention_heads=3,
    num_key_value_heads=1,
    head_dim=10,
    vocab_size=77,
    rope_theta=500.0,
    attention_bias=True,
    tie_word_embeddings=True,
)


def llama_reference(w: Weights, config: llama.LlamaConfig, tokens: Any) -> tuple[Any, list[Any]]:
    """Returns the scores behind each token, and the keys and values of each layer."""
    size = config.head_size
    angles = torch.outer(torch.arange(tokens.shape[1]), config.rope_theta ** (-torch.arange(0, size, 2) / size))
    turns = torch.polar(torch.ones_like(angles), angles)[:, None]

    def rotated(x: Any) -> Any:
        first, second = x.unflatten(-1, (-1, size)).chunk(2, dim=-1)
        pairs = torch.complex(first, second) * turns
        return torch.cat([pairs.real, pairs.imag], dim=-1).flatten(-2)

    def rms(name: str, x: Any) -> Any:
        return F.rms_norm(x, x.shape[-1:], w[f"{name}.weight"], config.rms_norm_eps)

    x, caches = F.embedding(tokens, w["model.embed_tokens.weight"]), []
    for index in range(config.num_hidden_layers):
        layer = below(w, f"model.layers.{index}.")
        y = rms(f"model.layers.{index}.input_layernorm", x)
        q, k, v = (linear(layer, f"self_attn.{part}_proj", y) for part in "qkv")
        q, k = rotated(q), rotated(k)
        caches += [part.unflatten(-1, (-1, size)) for part in (k, v)]
        y = attention(q, k, v, config.num_attention_heads, config.num_key_value_heads, is_causal=True)
        x = x + linear(layer, "self_attn.o_proj", y)
        y = rms(f"model.layers.{index}.post_attention_layernorm", x)
        y = F.silu(linear(layer, "mlp.gate_proj", y)) * linear(layer, "mlp.up_proj", y)
        x = x + linear(layer, "mlp.down_proj", y)
    head = w["model.embed_tokens.weight" if config.tie_word_embeddings else "lm_head.weight"]
    return F.linear(rms("model.norm", x), head), caches


def test_llama():
    model = llama.LlamaForCausalLM(AWKWARD)
    weights = weights_for(model)
    compiled = model.jit(model.spec())
    (plan,) = compiled.executable.interface.transforms
    assert plan.name == "transform_params"
    for batch, length in ((2, 5), (1, 3)):
        tokens = tokens_of((batch, length + 4), AWKWARD.vocab_size)
        expected, expected_caches = llama_reference(weights, AWKWARD, tokens)
        caches = [torch.full(cache.shape, math.nan) for cache in model.caches(batch, 9)]
        # A prompt, the rest of a prompt, and token by token.
        for method, first, end in (
            ("prefill", 0, length),
            ("prefill", length, length + 2),
            ("decode", length + 2, length + 3),
            ("decode", length + 3, length + 4),
        ):
            scores, *results = compiled[method](tokens[:, first:end], first, *caches)
            close(scores[:, 0], expected[:, end - 1])
            # The caches are overwritten where they are.
            assert [cache.data_ptr() for cache in results] == [cache.data_ptr() for cache in caches]
        for rows, expected_rows in zip(caches, expected_caches, strict=True):
            close(rows[:, : length + 4], expected_rows)
            assert rows[:, length + 4 :].isnan().all()


def lines(module: ModuleOp, function: str) -> list[str]:
    (text,) = (str(op) for op in module.walk() if isinstance(op, func.FuncOp) and op.sym_name.data == function)
    return text.splitlines()


@pytest.mark.parametrize("is_shared", [True, False])
def test_gate_and_up_are_joined_by_the_transform(is_shared: bool):
    config = llama.LlamaConfig(num_hidden_layers=1)
    model = llama.LlamaForCausalLM(config)
    module, _ = model.export(model.spec())
    for method in ("prefill", "decode"):
        (use,) = (line for line in lines(module, method) if "%gate_up_weight = " in line)
        assert "relax.concat %model_layers_0_mlp_gate_proj_weight, %model_layers_0_mlp_up_proj_weight" in use
    LiftTransformParamsPass(shared=is_shared).apply(relax_context(), module)
    module.verify()
    transforms = ["transform_params"] if is_shared else ["decode_transform_params", "prefill_transform_params"]
    for transform in transforms:
        text = "\n".join(lines(module, transform))
        joined = text.partition(" = relax.concat %model_layers_0_mlp_gate_proj_weight")[0].split()[-1]
        assert f"relax.permute_dims {joined} : (tensor<344x64xf32>) -> tensor<64x344xf32>" in text
    for method in ("prefill", "decode"):
        text = "\n".join(lines(module, method))
        assert "gate_proj" not in text and "up_proj" not in text and "relax.permute_dims" not in text


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


@pytest.mark.parametrize(
    ("command", "config", "message"),
    [
        ([], {}, "3 parameters have no data, load them before jit: model.layers.0.input_layernorm.weight, "),
        (["--prompt", "3,90"], {}, "error: expected a prompt of tokens below 90, got [90]"),
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


def kernels_of(layers: int) -> int:
    """Returns how many kernels are left of a Llama-7B of some layers, which is exported, lifted and fused without weights."""
    model = llama.LlamaForCausalLM(llama.LlamaConfig(4096, 11008, layers, 32, 32, vocab_size=32000))
    module, parameters = model.export(model.spec())
    assert len(parameters) == 9 * layers + 3 and all(parameter.data is None for _, parameter in parameters)
    settings, context = Settings(lift="shared"), relax_context()
    for stage in ("optimize", "graph", "linalg"):
        for item in pipeline_of(settings.passes_of(stage), available_passes()):
            item.apply(context, module)
        module.verify()
        if stage == "graph":
            methods = [op for op in module.ops if isinstance(op, func.FuncOp) and op.sym_name.data in model.spec()]
            inside = {line for method in methods for line in lines(module, method.sym_name.data)}
            assert len(methods) == 2 and not any("relax.permute_dims" in line for line in inside)
    return sum(isinstance(op, func.FuncOp) for op in module.ops)


def test_a_model_of_many_layers_has_the_kernels_of_few():
    assert kernels_of(32) == kernels_of(2)


# GPT-2 and BERT


def gpt2_reference(w: Weights, config: gpt2.Gpt2Config, tokens: Any) -> Any:
    def affine(layer: Weights, name: str, x: Any) -> Any:
        return torch.addmm(layer[f"{name}.bias"], x.flatten(0, 1), layer[f"{name}.weight"]).unflatten(0, x.shape[:2])

    x = F.embedding(tokens, w["wte.weight"]) + w["wpe.weight"][: tokens.shape[1]]
    for index in range(config.n_layer):
        layer = below(w, f"h.{index}.")
        q, k, v = affine(layer, "attn.c_attn", norm(layer, "ln_1", x)).chunk(3, dim=-1)
        x = x + affine(layer, "attn.c_proj", attention(q, k, v, config.n_head, is_causal=True))
        y = F.gelu(affine(layer, "mlp.c_fc", norm(layer, "ln_2", x)), approximate="tanh")
        x = x + affine(layer, "mlp.c_proj", y)
    return F.linear(norm(w, "ln_f", x), w["wte.weight"])


def test_gpt2():
    config = gpt2.Gpt2Config(n_embd=36, n_head=3, n_positions=20, vocab_size=77)
    model = gpt2.Gpt2(config)
    weights = weights_for(model)
    compiled = model.jit(model.spec())
    for shape in ((2, 7), (1, 20)):
        tokens = tokens_of(shape, config.vocab_size)
        close(compiled(tokens), gpt2_reference(weights, config, tokens))


def bert_reference(w: Weights, config: bert.BertConfig, tokens: Any, types: Any, mask: Any) -> tuple[Any, Any]:
    e, eps = below(w, "embeddings."), config.layer_norm_eps
    x = F.embedding(tokens, e["word_embeddings.weight"]) + F.embedding(types, e["token_type_embeddings.weight"])
    x = norm(e, "LayerNorm", x + e["position_embeddings.weight"][: tokens.shape[1]], eps)
    for index in range(config.num_hidden_layers):
        layer = below(w, f"encoder.layer.{index}.")
        q, k, v = (linear(layer, f"attention.self.{part}", x) for part in ("query", "key", "value"))
        y = attention(q, k, v, config.num_attention_heads, attn_mask=mask[:, None, None] == 1)
        x = norm(layer, "attention.output.LayerNorm", linear(layer, "attention.output.dense", y) + x, eps)
        y = linear(layer, "output.dense", F.gelu(linear(layer, "intermediate.dense", x)))
        x = norm(layer, "output.LayerNorm", y + x, eps)
    return x, torch.tanh(linear(w, "pooler.dense", x[:, 0]))


def test_bert():
    config = bert.BertConfig(36, 50, 2, 3, max_position_embeddings=20, vocab_size=77)
    model = bert.Bert(config)
    weights = weights_for(model)
    compiled = model.jit(model.spec())
    for shape, padding in (((3, 7), 3), ((1, 20), 0)):
        tokens, types = tokens_of(shape, config.vocab_size), tokens_of(shape, config.type_vocab_size)
        mask = torch.ones(shape, dtype=torch.int32)
        mask[-1, shape[1] - padding :] = 0
        states, pooled = compiled(tokens, types, mask)
        expected_states, expected_pooled = bert_reference(weights, config, tokens, types, mask)
        close(states, expected_states)
        close(pooled, expected_pooled)


# Images


def resnet_reference(w: Weights, config: resnet.ResNetConfig, images: Any) -> Any:
    def normed(layer: Weights, name: str, x: Any) -> Any:
        mean, variance, weight, bias = (
            layer[f"{name}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")
        )
        return F.batch_norm(x, mean, variance, weight, bias)

    def conv(layer: Weights, number: int, x: Any, stride: int = 1) -> Any:
        weight = layer[f"conv{number}.weight"]
        return normed(layer, f"bn{number}", F.conv2d(x, weight, stride=stride, padding=weight.shape[-1] // 2))

    x = F.max_pool2d(F.relu(conv(w, 1, images, 2)), 3, 2, padding=1)
    for stage, count in enumerate(config.blocks, 1):
        for index in range(count):
            layer = below(w, f"layer{stage}.{index}.")
            stride = 2 if stage > 1 and index == 0 else 1
            if config.bottleneck:
                y = conv(layer, 3, F.relu(conv(layer, 2, F.relu(conv(layer, 1, x)), stride)))
            else:
                y = conv(layer, 2, F.relu(conv(layer, 1, x, stride)))
            if "downsample.0.weight" in layer:
                x = normed(layer, "downsample.1", F.conv2d(x, layer["downsample.0.weight"], stride=stride))
            x = F.relu(x + y)
    return linear(w, "fc", x.mean(dim=(2, 3)))


@pytest.mark.parametrize(("blocks", "bottleneck"), [((2, 2, 2, 2), False), ((3, 4, 6, 3), True)])
def test_resnet(blocks: tuple[int, ...], bottleneck: bool):
    config = resnet.ResNetConfig(blocks, bottleneck, width=6, classes=11, image_size=37)
    model = resnet.ResNet(config)
    weights = weights_for(model)
    compiled = model.jit(model.spec())
    for batch in (1, 3):
        images = torch.randn(batch, 3, 37, 37, generator=torch.Generator().manual_seed(batch))
        close(compiled(images), resnet_reference(weights, config, images))


def test_resnets_have_the_parameters_of_their_checkpoints():
    sizes = {
        "resnet18": (resnet.RESNET18, 11_689_512, 4_800 * 2),
        "resnet50": (resnet.RESNET50, 25_557_032, 26_560 * 2),
    }
    for config, trained, statistics in sizes.values():
        shapes = (map(int, map(str, parameter.shape)) for parameter in resnet.ResNet(config).parameters())
        assert sum(map(math.prod, shapes)) == trained + statistics


def unet_reference(w: Weights, config: unet.UNetConfig, images: Any, steps: Any, context: Any) -> Any:
    def group_norm(layer: Weights, name: str, x: Any, eps: float = 1e-5) -> Any:
        return F.group_norm(x, config.groups, layer[f"{name}.weight"], layer[f"{name}.bias"], eps)

    def conv(layer: Weights, name: str, x: Any, stride: int = 1) -> Any:
        weight = layer[f"{name}.weight"]
        return F.conv2d(x, weight, layer[f"{name}.bias"], stride, padding=weight.shape[-1] // 2)

    def block(layer: Weights, x: Any) -> Any:
        y = conv(layer, "conv1", F.silu(group_norm(layer, "norm1", x)))
        y = y + linear(layer, "time_emb_proj", F.silu(embedding))[:, :, None, None]
        y = conv(layer, "conv2", F.silu(group_norm(layer, "norm2", y)))
        return y + (conv(layer, "conv_shortcut", x) if "conv_shortcut.weight" in layer else x)

    def attended(layer: Weights, x: Any, states: Any) -> Any:
        q, k, v = linear(layer, "to_q", x), linear(layer, "to_k", states), linear(layer, "to_v", states)
        return linear(layer, "to_out.0", attention(q, k, v, config.heads))

    half = config.channels // 2
    angles = steps[:, None] * torch.exp(-math.log(10000) * torch.arange(half) / half)
    embedding = torch.cat([angles.cos(), angles.sin()], dim=-1)
    embedding = linear(w, "time_embedding.linear_2", F.silu(linear(w, "time_embedding.linear_1", embedding)))
    outer = block(below(w, "down."), conv(w, "conv_in", images))
    inner = block(below(w, "mid."), conv(w, "downsample", outer, 2))
    t = below(w, "transformer.")
    y = group_norm(t, "norm", inner, 1e-6).flatten(2).transpose(1, 2)
    normed = norm(t, "norm1", y)
    y = y + attended(below(t, "attn1."), normed, normed)
    y = y + attended(below(t, "attn2."), norm(t, "norm2", y), context)
    states, gate = linear(t, "ff.proj", norm(t, "norm3", y)).chunk(2, dim=-1)
    y = y + linear(t, "ff.out", states * F.gelu(gate))
    inner = inner + y.transpose(1, 2).unflatten(2, inner.shape[2:])
    doubled = conv(w, "upsample", F.interpolate(inner, images.shape[2:]))
    x = block(below(w, "up."), torch.cat([doubled, outer], dim=1))
    return conv(w, "conv_out", F.silu(group_norm(w, "conv_norm_out", x)))


def test_unet():
    config = unet.UNetConfig(image_channels=3, channels=12, groups=3, heads=2, context_size=7)
    model = unet.UNet(config)
    weights = weights_for(model)
    compiled = model.jit(model.spec())
    random = torch.Generator().manual_seed(0)
    for batch, height, width, length in ((2, 6, 8, 5), (1, 7, 5, 3)):
        images = torch.randn(batch, 3, height, width, generator=random)
        context = torch.randn(batch, length, 7, generator=random)
        steps = tokens_of((batch,), 1000)
        close(compiled(images, steps, context), unet_reference(weights, config, images, steps, context))


# Sound


def whisper_reference(w: Weights, config: whisper.WhisperConfig, mel: Any, tokens: Any) -> tuple[Any, Any]:
    def attended(layer: Weights, name: str, x: Any, states: Any, is_causal: bool = False) -> Any:
        q, k, v = (linear(layer, f"{name}.{part}_proj", y) for part, y in (("q", x), ("k", states), ("v", states)))
        return linear(layer, f"{name}.out_proj", attention(q, k, v, config.attention_heads, is_causal=is_causal))

    def expanded(layer: Weights, x: Any) -> Any:
        return x + linear(layer, "fc2", F.gelu(linear(layer, "fc1", norm(layer, "final_layer_norm", x))))

    e, d = below(w, "encoder."), below(w, "decoder.")
    x = F.gelu(F.conv1d(mel, e["conv1.weight"], e["conv1.bias"], padding=1))
    x = F.gelu(F.conv1d(x, e["conv2.weight"], e["conv2.bias"], stride=2, padding=1)).transpose(1, 2)
    x = x + e["embed_positions.weight"][: x.shape[1]]
    for index in range(config.encoder_layers):
        layer = below(e, f"layers.{index}.")
        y = norm(layer, "self_attn_layer_norm", x)
        x = expanded(layer, x + attended(layer, "self_attn", y, y))
    sound = norm(e, "layer_norm", x)
    x = F.embedding(tokens, d["embed_tokens.weight"]) + d["embed_positions.weight"][: tokens.shape[1]]
    for index in range(config.decoder_layers):
        layer = below(d, f"layers.{index}.")
        y = norm(layer, "self_attn_layer_norm", x)
        x = x + attended(layer, "self_attn", y, y, is_causal=True)
        x = x + attended(layer, "encoder_attn", norm(layer, "encoder_attn_layer_norm", x), sound)
        x = expanded(layer, x)
    return sound, F.linear(norm(d, "layer_norm", x), d["embed_tokens.weight"])


def test_whisper():
    config = whisper.WhisperConfig(11, 36, 1, 1, 3, 50, max_source_positions=30, max_target_positions=16, vocab_size=77)
    model = whisper.Whisper(config)
    weights = weights_for(model)
    compiled = model.jit(model.spec())
    for batch, frames, length in ((2, 9, 5), (1, 16, 16)):
        mel = torch.randn(batch, 11, frames, generator=torch.Generator().manual_seed(frames))
        tokens = tokens_of((batch, length), config.vocab_size)
        expected_sound, expected_scores = whisper_reference(weights, config, mel, tokens)
        sound = compiled.encode(mel)
        close(sound, expected_sound)
        close(compiled.decode(tokens, sound), expected_scores)


# Scripts


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
