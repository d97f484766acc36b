"""The model definitions of MLC-LLM that are run: small configurations, in the terms of `config.json`, and what each is compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from torch import nn

from . import torch_decoders

Weights = dict[str, np.ndarray]


@dataclass(frozen=True)
class Row:
    """A configuration of a model file."""

    name: str
    """The name in the table; the model file is named by its first word."""
    classes: tuple[str, str]
    """The classes of the configuration and of the model."""
    config: dict[str, Any]
    reference: str | Callable[[dict[str, Any]], nn.Module]
    """`model_type` in transformers, or what makes a module of torch."""
    kind: Literal["decoder", "encoder", "heads", "draft"] = "decoder"
    own: dict[str, Any] = field(default_factory=dict[str, Any])
    """What the configuration of the model file has beside that of the reference."""
    is_single: bool = False
    """Whether a step of the model file takes one sequence alone: it asks for the position of one token."""
    window: int = 0
    """How many tokens attention sees; 0 for all."""
    rearrange: Callable[[Weights, dict[str, Any]], Weights] = lambda weights, _: weights
    """Makes weights of the reference those of a checkpoint that the model file expects."""

    @property
    def model(self) -> str:
        """The name of the model file."""
        return self.name.split()[0]


SIZES = {"hidden_size": 32, "intermediate_size": 56, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 61}
SIZES |= {"max_position_embeddings": 64}
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
GROUPED = {**SIZES, "num_key_value_heads": 2}
RMS = {**GROUPED, "rms_norm_eps": 1e-5}
ROPE = {"rope_theta": 500.0}
WIDE = {"hidden_size": 160, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 80}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LLAMA3 |= {"original_max_position_embeddings": 16}
GPT2 = {"vocab_size": 61, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "layer_norm_epsilon": 1e-5}
NEOX = {**SIZES, "layer_norm_eps": 1e-5, "rotary_pct": 0.5, "hidden_act": "gelu"}
STARCODER = {"norm_epsilon": 1e-5, "hidden_act": "gelu_pytorch_tanh", "tie_word_embeddings": True}
LONG = {"type": "longrope", "short_factor": [1.0, 1.1, 1.3, 2.0], "long_factor": [2.0, 2.5, 3.0, 4.0]}


def _half_rotary(weights: Weights, config: dict[str, Any]) -> Weights:
    """Returns weights whose rotary pairs are halves of heads, from such whose pairs lie side by side."""
    dim = config["hidden_size"] // config["num_attention_heads"]
    order = [*range(0, dim, 2), *range(1, dim, 2)]
    return {
        name: array.reshape(-1, dim, *array.shape[1:])[:, order].reshape(array.shape)
        if name.endswith(("q_proj.weight", "k_proj.weight"))
        else array
        for name, array in weights.items()
    }


def _llama(name: str, **changes: Any) -> Row:
    return Row(f"llama {name}".strip(), ("LlamaConfig", "LlamaForCausalLM"), {**RMS, **changes}, "llama")


def _ours(name: str, classes: tuple[str, str], config: dict[str, Any], *style: Any, **more: Any) -> Row:
    return Row(name, classes, config, lambda given: torch_decoders.Decoder(given, *style), **more)


ROWS = [
    _llama("", **ROPE),
    _llama("tied, head size 80, one key head", **WIDE, tie_word_embeddings=True),
    _llama("scaled rotary", rope_scaling=LLAMA3),
    _llama("wide heads", head_dim=16, num_key_value_heads=4),
    Row("qwen2", ("QWen2Config", "QWen2LMHeadModel"), {**RMS, **ROPE, "hidden_act": "silu"}, "qwen2"),
    Row(
        "qwen2 tied, head size 80",
        ("QWen2Config", "QWen2LMHeadModel"),
        {**RMS, **ROPE, **WIDE, "hidden_act": "silu", "tie_word_embeddings": True},
        "qwen2",
    ),
    *(
        Row(
            f"qwen3 {name}".strip(),
            ("Qwen3Config", "Qwen3LMHeadModel"),
            {**RMS, **ROPE, "hidden_act": "silu", "head_dim": 16, **changes},
            "qwen3",
        )
        for name, changes in (
            ("", {"attention_bias": False, "tie_word_embeddings": True}),
            ("bias", {"attention_bias": True, "num_key_value_heads": 1}),
        )
    ),
    Row("mistral", ("MistralConfig", "MistralForCausalLM"), {**RMS, "sliding_window": None, "head_dim": 8}, "mistral"),
    Row(
        "mistral window of 3",
        ("MistralConfig", "MistralForCausalLM"),
        {**RMS, "sliding_window": 3, "head_dim": 8},
        "mistral",
        window=3,
    ),
    Row(
        "gemma one key head",
        ("GemmaConfig", "GemmaForCausalLM"),
        {
            **RMS,
            "num_key_value_heads": 1,
            "head_dim": 16,
            "attention_bias": False,
            "hidden_activation": "gelu_pytorch_tanh",
        },
        "gemma",
    ),
    Row("phi3", ("Phi3Config", "Phi3ForCausalLM"), {**RMS, **TOKENS}, "phi3", own={"model_type": "phi3"}),
    Row(
        "phi3 tied, partial rotary",
        ("Phi3Config", "Phi3ForCausalLM"),
        {**RMS, **TOKENS, "partial_rotary_factor": 0.5, "tie_word_embeddings": True},
        "phi3",
        own={"model_type": "phi3"},
    ),
    *(
        Row(
            f"phi3 long rotary, {name}",
            ("Phi3Config", "Phi3ForCausalLM"),
            {**RMS, **TOKENS, "rope_scaling": LONG, "original_max_position_embeddings": original},
            "phi3",
            own={"model_type": "phi3"},
        )
        for name, original in (("inside", 32), ("beyond", 2))
    ),
    Row("gpt2", ("GPT2Config", "GPT2LMHeadModel"), GPT2, "gpt2", is_single=True),
    Row(
        "gpt2 scaled by layer, head size 80",
        ("GPT2Config", "GPT2LMHeadModel"),
        {**GPT2, "n_embd": 160, "n_head": 2, "scale_attn_by_inverse_layer_idx": True},
        "gpt2",
        is_single=True,
    ),
    *(
        Row(
            f"gpt_neox {name}",
            ("GPTNeoXConfig", "GPTNeoXForCausalLM"),
            {**NEOX, "use_parallel_residual": parallel},
            "gpt_neox",
            rearrange=lambda weights, _: weights | {"embed_out.weight": weights["lm_head.weight"]},
        )
        for name, parallel in (("parallel, partial rotary", True), ("sequential, partial rotary", False))
    ),
    Row(
        "gpt_bigcode one key head",
        ("GPTBigCodeConfig", "GPTBigCodeForCausalLM"),
        {**GPT2, "n_inner": 56, "activation_function": "gelu"},
        "gpt_bigcode",
        is_single=True,
    ),
    _ours(
        "baichuan",
        ("BaichuanConfig", "BaichuanForCausalLM"),
        {**SIZES, "rms_norm_eps": 1e-5, "tie_word_embeddings": False},
        torch_decoders.NAMES,
        "W_pack",
        own={**TOKENS, "initializer_range": 0.02, "use_cache": True},
    ),
    _ours(
        "internlm2",
        ("InternLM2Config", "InternLM2ForCausalLM"),
        {**RMS, **ROPE, "bias": False},
        torch_decoders.INTERNLM2,
        "wqkv",
        own={**TOKENS, "use_cache": True},
    ),
    _ours(
        "orion",
        ("OrionConfig", "OrionForCausalLM"),
        {**RMS, **ROPE},
        torch_decoders.NAMES,
        "q_proj k_proj v_proj",
        nn.LayerNorm,
    ),
    *(
        Row(
            f"stable_lm {name}, partial rotary",
            ("StableLmConfig", "StableLmForCausalLM"),
            {**GROUPED, **ROPE, "layer_norm_eps": 1e-5, "partial_rotary_factor": 0.25, **changes},
            "stablelm",
        )
        for name, changes in (
            ("bias", {"use_qkv_bias": True}),
            ("no bias, head size 80", {**WIDE, "use_qkv_bias": False}),
        )
    ),
    *(
        Row(
            name,
            ("Starcoder2Config", "Starcoder2ForCausalLM"),
            {**GROUPED, **ROPE, **STARCODER, "use_bias": bias},
            "starcoder2",
            own={**TOKENS, "use_cache": True},
        )
        for name, bias in (("starcoder2", True), ("starcoder2 no bias", False))
    ),
    *(
        Row(
            f"olmo {name}".strip(),
            ("OLMoConfig", "OLMoForCausalLM"),
            {**GROUPED, **ROPE, **TOKENS, "hidden_act": "silu", **changes},
            "olmo",
        )
        for name, changes in (
            ("", {"clip_qkv": None}),
            ("clipped, tied", {"clip_qkv": 0.5, "tie_word_embeddings": True}),
        )
    ),
    Row("olmo2", ("OLMo2Config", "OLMo2ForCausalLM"), {**RMS, **ROPE, **TOKENS, "hidden_act": "silu"}, "olmo2"),
    *(
        _ours(
            name,
            ("MiniCPMConfig", "MiniCPMForCausalLM"),
            {**RMS, "scale_emb": 12, "scale_depth": 1.4, "dim_model_base": 16, "tie_word_embeddings": tied, **changes},
            own={**TOKENS, "use_cache": True, "hidden_act": "silu"},
        )
        for name, tied, changes in (
            ("minicpm", False, {}),
            ("minicpm tied, head size 80, one key head", True, WIDE),
        )
    ),
    Row(
        "cohere",
        ("CohereConfig", "CohereForCausalLM"),
        {**GROUPED, **ROPE, **TOKENS, "layer_norm_eps": 1e-5, "logit_scale": 1.0},
        "cohere",
        own={"model_type": "cohere"},
        rearrange=_half_rotary,
    ),
    *(
        Row(
            f"nemotron {name}",
            ("NemotronConfig", "NemotronForCausalLM"),
            {**GROUPED, **ROPE, **TOKENS, "norm_eps": 1e-5, "hidden_act": "relu2", **changes},
            "nemotron",
        )
        for name, changes in (
            ("partial rotary", {"partial_rotary_factor": 0.5}),
            ("bias, tied", {"partial_rotary_factor": 1.0, "mlp_bias": True, "tie_word_embeddings": True}),
        )
    ),
    *(
        Row(
            f"bert {act}",
            ("BertConfig", "BertModel"),
            {**SIZES, "hidden_act": act, "layer_norm_eps": 1e-5, "type_vocab_size": 2},
            "bert",
            kind="encoder",
        )
        for act in ("gelu", "relu")
    ),
    Row(
        "medusa",
        ("MedusaConfig", "MedusaModel"),
        {"hidden_size": 32, "vocab_size": 61, "medusa_num_heads": 3, "medusa_num_layers": 2},
        torch_decoders.Medusa,
        kind="heads",
    ),
    *(
        _ours(
            f"eagle {name}",
            ("EagleConfig", "EagleForCausalLM"),
            {**RMS, "num_hidden_layers": 1, "bias": bias},
            torch_decoders.EAGLE,
            kind="draft",
        )
        for name, bias in (("bias", True), ("no bias", False))
    ),
]
"""Each model file at least once, with the awkward cases that it has."""
