"""GPT-2: scores of the next token; parameters have the names of `GPT2Model` of Hugging Face.

python examples/nn/gpt2.py --n-layer 2 gpt2.mlir
relax-run gpt2.mlir --dim b=2 --dim s=7 --check
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from command_line import parsed, run, write
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn import op


@dataclass
class Gpt2Config:
    """The sizes of a GPT-2, under the names of a `config.json`."""

    n_embd: int = 64
    n_head: int = 4
    n_layer: int = 2
    n_positions: int = 128
    vocab_size: int = 320
    layer_norm_epsilon: float = 1e-5
    dtype: str = "float32"


class Affine(nn.Module):
    """`x @ weight + bias`: the weight is `[in, out]`, where that of `nn.Linear` is `[out, in]`."""

    def __init__(self, in_features: int, out_features: int):
        self.weight = nn.Parameter((in_features, out_features))
        self.bias = nn.Parameter((out_features,))

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        """Returns the product plus the bias."""
        return op.matmul(x, self.weight) + self.bias


class Gpt2Attention(nn.Module):
    """Causal attention; one product computes queries, keys and values."""

    def __init__(self, config: Gpt2Config):
        self.heads = config.n_head
        self.c_attn = Affine(config.n_embd, 3 * config.n_embd)
        self.c_proj = Affine(config.n_embd, config.n_embd)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        """Returns the attention of hidden states `[b, s, n_embd]`."""
        b, s, _ = x.shape
        q, k, v = (part.reshape(b, s, self.heads, -1) for part in op.split(self.c_attn(x), 3, axis=-1))
        y = op.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.reshape(b, s, -1))


class Gpt2Mlp(nn.Module):
    """The feed-forward block."""

    def __init__(self, config: Gpt2Config):
        self.c_fc = Affine(config.n_embd, 4 * config.n_embd)
        self.c_proj = Affine(4 * config.n_embd, config.n_embd)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        """Returns the block of the hidden states."""
        return self.c_proj(op.gelu(self.c_fc(x), approximate="tanh"))


class Gpt2Block(nn.Module):
    """Attention and the feed-forward block, each on normalized states."""

    def __init__(self, config: Gpt2Config):
        self.ln_1 = nn.LayerNorm(config.n_embd, config.layer_norm_epsilon)
        self.attn = Gpt2Attention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd, config.layer_norm_epsilon)
        self.mlp = Gpt2Mlp(config)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        """Returns the states behind the block."""
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt2(nn.Module):
    """GPT-2 with its head, whose weight is that of the embedding."""

    def __init__(self, config: Gpt2Config):
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.n_positions, config.n_embd)
        self.h = nn.ModuleList([Gpt2Block(config) for _ in range(config.n_layer)])
        self.ln_f = nn.LayerNorm(config.n_embd, config.layer_norm_epsilon)
        self.to(config.dtype)

    def forward(self, tokens: nn.Tensor) -> nn.Tensor:
        """Returns the scores `[b, s, vocab_size]` behind each of `[b, s]` tokens."""
        positions = op.arange(0, tokens.shape[1], dtype="int32")
        x = self.h(self.wte(tokens) + self.wpe(positions))
        return op.matmul(self.ln_f(x), op.permute_dims(self.wte.weight))

    def spec(self) -> dict[str, Any]:
        """Returns what `forward` takes, of any batch and length."""
        return {"forward": {"tokens": nn.spec.Tensor(["b", "s"], "int32")}}


def main() -> None:
    """Writes the program of a GPT-2 of the sizes that the options say."""
    config, path = parsed(__doc__, Gpt2Config())
    model = Gpt2(config)
    write(model, model.spec(), path)


if __name__ == "__main__":
    run(main)
