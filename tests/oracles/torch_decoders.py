"""Decoders in torch for models that transformers does not have, with the names of weights of their checkpoints."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

NAMES = {
    "layers": "model.layers",
    "attention": "self_attn",
    "mlp": "mlp",
    "gate": "gate_proj",
    "up": "up_proj",
    "down": "down_proj",
    "out": "o_proj",
    "first_norm": "input_layernorm",
    "second_norm": "post_attention_layernorm",
    "embed": "model.embed_tokens",
    "norm": "model.norm",
    "head": "lm_head",
}
INTERNLM2 = NAMES | {
    "attention": "attention",
    "mlp": "feed_forward",
    "gate": "w1",
    "up": "w3",
    "down": "w2",
    "out": "wo",
    "first_norm": "attention_norm",
    "second_norm": "ffn_norm",
    "embed": "model.tok_embeddings",
    "head": "output",
}
EAGLE = NAMES | {"layers": "layers", "embed": "embed_tokens"}

Packing = Literal["q_proj k_proj v_proj", "W_pack", "wqkv"]
"""The weights of queries, keys and values: one each, one behind the other, or in groups of heads that share keys."""


class RMSNorm(nn.Module):
    """`x / rms(x) * weight`."""

    def __init__(self, size: int, eps: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps) * self.weight


class Decoder(nn.Module):
    """A decoder of the Llama family: rotary positions, grouped queries, gated layers."""

    def __init__(
        self,
        config: dict[str, Any],
        names: dict[str, str] = NAMES,
        packing: Packing = "q_proj k_proj v_proj",
        norm: type[nn.Module] = RMSNorm,
    ):
        super().__init__()
        self.config, self.names, self.packing = config, names, packing
        self.size = size = config["hidden_size"]
        self.heads = config["num_attention_heads"]
        self.key_heads = config.get("num_key_value_heads", self.heads)
        self.dim = size // self.heads
        bias = config.get("bias", False) and packing == "wqkv"
        width, eps = config["intermediate_size"], config["rms_norm_eps"]
        rows = [self.heads * self.dim, self.key_heads * self.dim, self.key_heads * self.dim]
        projections = packing.split()
        self.add(names["embed"], nn.Embedding(config["vocab_size"], size))
        for index in range(config["num_hidden_layers"]):
            layer = f"{names['layers']}.{index}"
            attention, mlp = f"{layer}.{names['attention']}", f"{layer}.{names['mlp']}"
            for name, count in zip(projections, rows if len(projections) == 3 else [sum(rows)], strict=True):
                self.add(f"{attention}.{name}", nn.Linear(size, count, bias=bias))
            self.add(f"{attention}.{names['out']}", nn.Linear(rows[0], size, bias=bias))
            for key, shape in (("gate", (size, width)), ("up", (size, width)), ("down", (width, size))):
                self.add(f"{mlp}.{names[key]}", nn.Linear(*shape, bias=False))
            for key in ("first_norm", "second_norm"):
                if names is not EAGLE or index > 0 or key == "second_norm":
                    self.add(f"{layer}.{names[key]}", norm(size, eps=eps))
        if names is not EAGLE:
            self.add(names["norm"], norm(size, eps=eps))
            if not config.get("tie_word_embeddings", False):
                self.add(names["head"], nn.Linear(size, config["vocab_size"], bias=False))
        else:
            self.add("fc", nn.Linear(2 * size, size, bias=config["bias"]))

    def add(self, name: str, module: nn.Module) -> None:
        """Adds a module under a dotted name."""
        parent: nn.Module = self
        *path, last = name.split(".")
        for part in path:
            if not hasattr(parent, part):
                parent.add_module(part, nn.Module())
            parent = getattr(parent, part)
        parent.add_module(last, module)

    def forward(self, ids: Tensor) -> Tensor:
        """Returns logits `[tokens, vocab]` of one sequence."""
        x = self.get_submodule(self.names["embed"])(ids) * self.config.get("scale_emb", 1)
        x = self.get_submodule(self.names["norm"])(self.states(x))
        x = x / (self.size // self.config.get("dim_model_base", self.size))
        if self.config.get("tie_word_embeddings", False):
            return x @ self.get_submodule(self.names["embed"]).weight.T
        return self.get_submodule(self.names["head"])(x)

    def fused(self, ids: Tensor, states: Tensor) -> Tensor:
        """Returns the states that a draft model predicts from tokens and the states of another model."""
        embedded = self.get_submodule(self.names["embed"])(ids)
        return self.states(self.get_submodule("fc")(torch.cat([embedded, states], dim=-1)))

    def states(self, x: Tensor) -> Tensor:
        """Returns what the layers make of embedded tokens `[tokens, size]`."""
        layers = self.config["num_hidden_layers"]
        scale = self.config.get("scale_depth", layers**0.5) / layers**0.5
        for index in range(layers):
            layer = self.get_submodule(f"{self.names['layers']}.{index}")
            parts = dict(layer.named_children())
            first = parts.get(self.names["first_norm"], nn.Identity())
            x = x + scale * self.attend(parts[self.names["attention"]], first(x))
            mlp = parts[self.names["mlp"]]
            gate, up, down = (getattr(mlp, self.names[key]) for key in ("gate", "up", "down"))
            y = parts[self.names["second_norm"]](x)
            x = x + scale * down(functional.silu(gate(y)) * up(y))
        return x

    def attend(self, attention: nn.Module, x: Tensor) -> Tensor:
        """Returns causal attention of one sequence."""
        count, group = len(x), self.heads // self.key_heads
        packed = [getattr(attention, name)(x) for name in self.packing.split()]
        if self.packing == "wqkv":
            grouped = packed[0].reshape(count, self.key_heads, group + 2, self.dim)
            q, k, v = grouped[:, :, :group].flatten(1, 2), grouped[:, :, group], grouped[:, :, group + 1]
        else:
            rows = [self.heads, self.key_heads, self.key_heads]
            q, k, v = torch.cat(packed, dim=-1).reshape(count, -1, self.dim).split(rows, dim=1)
        k, v = (heads.repeat_interleave(group, dim=1).transpose(0, 1) for heads in (self.rotated(k), v))
        y = functional.scaled_dot_product_attention(self.rotated(q).transpose(0, 1), k, v, is_causal=True)
        return getattr(attention, self.names["out"])(y.transpose(0, 1).reshape(count, -1))

    def rotated(self, heads: Tensor) -> Tensor:
        half = self.dim // 2
        base = self.config.get("rope_theta", 10000.0)
        frequencies = base ** (-torch.arange(half, dtype=torch.float64) / half)
        angles = torch.arange(len(heads), dtype=torch.float64)[:, None, None] * frequencies
        turned = torch.complex(heads[..., :half].double(), heads[..., half:].double()) * torch.polar(
            torch.ones_like(angles), angles
        )
        return torch.cat([turned.real, turned.imag], dim=-1).float()


class Medusa(nn.Module):
    """Heads that predict several further tokens from a state."""

    def __init__(self, config: dict[str, Any]):
        super().__init__()
        size = config["hidden_size"]
        self.medusa_head = nn.ModuleList()
        for _ in range(config["medusa_num_heads"]):
            blocks = [nn.Module() for _ in range(config["medusa_num_layers"])]
            for block in blocks:
                block.add_module("linear", nn.Linear(size, size))
            head = nn.Linear(size, config["vocab_size"], bias=False)
            self.medusa_head.append(nn.ModuleList([*blocks, head]))

    def forward(self, states: Tensor) -> list[Tensor]:
        """Returns the logits of each head."""
        logits: list[Tensor] = []
        for head in self.medusa_head:
            *blocks, last = head.children()
            x = states
            for block in blocks:
                x = x + functional.silu(block.get_submodule("linear")(x))
            logits.append(last(x))
        return logits
