"""The models of text and sound of examples/nn, compiled, against the same network written with functions of torch on the same weights."""

from __future__ import annotations

from typing import Any

import pytest
from harness.nn_references import Weights, attention, below, close, linear, norm, tokens_of, weights_for

torch = pytest.importorskip("torch")
F = torch.nn.functional

import bert  # noqa: E402
import gpt2  # noqa: E402
import whisper  # noqa: E402


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
