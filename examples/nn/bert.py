"""BERT: states of a text and of its pooled first token; parameters have the names of `BertModel` of Hugging Face.

python examples/nn/bert.py --num-hidden-layers 2 bert.mlir
relax-run bert.mlir --dim b=2 --dim s=7 --check
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from command_line import parsed, run, write
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn import op


@dataclass
class BertConfig:
    """The sizes of a BERT, under the names of a `config.json`."""

    hidden_size: int = 64
    intermediate_size: int = 128
    num_hidden_layers: int = 2
    num_attention_heads: int = 4
    max_position_embeddings: int = 128
    type_vocab_size: int = 2
    vocab_size: int = 320
    layer_norm_eps: float = 1e-12
    dtype: str = "float32"


class BertEmbeddings(nn.Module):
    """The sum of what is known of each token: word, position, and which text it is of."""

    def __init__(self, config: BertConfig):
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)

    def forward(self, tokens: nn.Tensor, token_types: nn.Tensor) -> nn.Tensor:
        """Returns hidden states `[b, s, hidden_size]`."""
        positions = op.arange(0, tokens.shape[1], dtype="int32")
        x = self.word_embeddings(tokens) + self.token_type_embeddings(token_types)
        return self.LayerNorm(x + self.position_embeddings(positions))


class BertSelfAttention(nn.Module):
    """Attention to the tokens that the mask shows."""

    def __init__(self, config: BertConfig):
        self.heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x: nn.Tensor, mask: nn.Tensor) -> nn.Tensor:
        """Returns the attention of hidden states, for a mask `[b, 1, s, s]`."""
        b, s, _ = x.shape
        q, k, v = (layer(x).reshape(b, s, self.heads, -1) for layer in (self.query, self.key, self.value))
        return op.scaled_dot_product_attention(q, k, v, mask).reshape(b, s, -1)


class BertOutput(nn.Module):
    """A linear layer, added to the states in front of what it takes, and normalized."""

    def __init__(self, in_features: int, config: BertConfig):
        self.dense = nn.Linear(in_features, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)

    def forward(self, y: nn.Tensor, x: nn.Tensor) -> nn.Tensor:
        """Returns the normalized sum."""
        return self.LayerNorm(self.dense(y) + x)


class BertAttention(nn.Module):
    """Attention and its output layer."""

    def __init__(self, config: BertConfig):
        self.self = BertSelfAttention(config)
        self.output = BertOutput(config.hidden_size, config)

    def forward(self, x: nn.Tensor, mask: nn.Tensor) -> nn.Tensor:
        """Returns the states behind the attention."""
        return self.output(self.self(x, mask), x)


class BertIntermediate(nn.Module):
    """The inner layer of the feed-forward block."""

    def __init__(self, config: BertConfig):
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        """Returns the activated layer of the hidden states."""
        return op.gelu(self.dense(x))


class BertLayer(nn.Module):
    """Attention and the feed-forward block."""

    def __init__(self, config: BertConfig):
        self.attention = BertAttention(config)
        self.intermediate = BertIntermediate(config)
        self.output = BertOutput(config.intermediate_size, config)

    def forward(self, x: nn.Tensor, mask: nn.Tensor) -> nn.Tensor:
        """Returns the states behind the layer."""
        x = self.attention(x, mask)
        return self.output(self.intermediate(x), x)


class BertEncoder(nn.Module):
    """The layers."""

    def __init__(self, config: BertConfig):
        self.layer = nn.ModuleList([BertLayer(config) for _ in range(config.num_hidden_layers)])

    def forward(self, x: nn.Tensor, mask: nn.Tensor) -> nn.Tensor:
        """Returns the states behind the last layer."""
        for layer in self.layer:
            x = layer(x, mask)
        return x


class BertPooler(nn.Module):
    """What the first token says of the text."""

    def __init__(self, config: BertConfig):
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        """Returns `[b, hidden_size]`."""
        return op.tanh(self.dense(op.take(x, nn.Tensor.from_const(0, "int32"), axis=1)))


class Bert(nn.Module):
    """BERT without a head."""

    def __init__(self, config: BertConfig):
        self.config = config
        self.embeddings = BertEmbeddings(config)
        self.encoder = BertEncoder(config)
        self.pooler = BertPooler(config)
        self.to(config.dtype)

    def forward(self, tokens: nn.Tensor, token_types: nn.Tensor, attention_mask: nn.Tensor) -> Any:
        """Returns the states `[b, s, hidden_size]` of tokens `[b, s]`, and the pooled ones; the mask is 0 where there is no token."""
        b, s = tokens.shape
        seen = op.reshape(attention_mask > 0, [b, 1, 1, s])
        x = self.encoder(self.embeddings(tokens, token_types), op.broadcast_to(seen, [b, 1, s, s]))
        return x, self.pooler(x)

    def spec(self) -> dict[str, Any]:
        """Returns what `forward` takes, of any batch and length."""
        numbers = nn.spec.Tensor(["b", "s"], "int32")
        return {"forward": dict.fromkeys(("tokens", "token_types", "attention_mask"), numbers)}


def main() -> None:
    """Writes the program of a BERT of the sizes that the options say."""
    config, path = parsed(__doc__, BertConfig())
    model = Bert(config)
    write(model, model.spec(), path)


if __name__ == "__main__":
    run(main)
