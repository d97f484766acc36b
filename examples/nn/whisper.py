"""An encoder of sound and a decoder of text, as Whisper has them; parameters have the names of `WhisperModel` of Hugging Face.

python examples/nn/whisper.py whisper.mlir
relax-run whisper.mlir --entry encode --dim b=2 --dim f=9 --check
relax-run whisper.mlir --entry decode --dim b=2 --dim s=5 --dim t=9 --check
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from command_line import parsed, run, write
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn import op


@dataclass
class WhisperConfig:
    """The sizes of a Whisper, under the names of a `config.json`."""

    num_mel_bins: int = 20
    d_model: int = 64
    encoder_layers: int = 2
    decoder_layers: int = 2
    attention_heads: int = 4
    ffn_dim: int = 128
    max_source_positions: int = 150
    max_target_positions: int = 64
    vocab_size: int = 320


class WhisperAttention(nn.Module):
    """Attention to the same states, or to other ones."""

    def __init__(self, config: WhisperConfig):
        self.heads = config.attention_heads
        self.k_proj = nn.Linear(config.d_model, config.d_model, bias=False)
        self.v_proj = nn.Linear(config.d_model, config.d_model)
        self.q_proj = nn.Linear(config.d_model, config.d_model)
        self.out_proj = nn.Linear(config.d_model, config.d_model)

    def forward(self, x: nn.Tensor, states: nn.Tensor, is_causal: bool = False) -> nn.Tensor:
        """Returns the attention of `x` to the states."""
        q, k, v = (
            op.reshape(layer(of), [0, 0, self.heads, -1])
            for layer, of in ((self.q_proj, x), (self.k_proj, states), (self.v_proj, states))
        )
        y = op.scaled_dot_product_attention(q, k, v, is_causal=is_causal)
        return self.out_proj(op.reshape(y, [0, 0, -1]))


class Layer(nn.Module):
    """What the layers of the encoder and of the decoder have: attention and the feed-forward block, each on normalized states."""

    def __init__(self, config: WhisperConfig):
        self.self_attn = WhisperAttention(config)
        self.self_attn_layer_norm = nn.LayerNorm(config.d_model)
        self.fc1 = nn.Linear(config.d_model, config.ffn_dim)
        self.fc2 = nn.Linear(config.ffn_dim, config.d_model)
        self.final_layer_norm = nn.LayerNorm(config.d_model)

    def attended(self, x: nn.Tensor, is_causal: bool = False) -> nn.Tensor:
        """Returns the states behind the attention to themselves."""
        y = self.self_attn_layer_norm(x)
        return x + self.self_attn(y, y, is_causal)

    def expanded(self, x: nn.Tensor) -> nn.Tensor:
        """Returns the states behind the feed-forward block."""
        return x + self.fc2(op.gelu(self.fc1(self.final_layer_norm(x))))


class EncoderLayer(Layer):
    """Attention of the sound to itself, and the feed-forward block."""

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        """Returns the states behind the layer."""
        return self.expanded(self.attended(x))


class DecoderLayer(Layer):
    """Attention to the text so far, attention to the sound, and the feed-forward block."""

    def __init__(self, config: WhisperConfig):
        super().__init__(config)
        self.encoder_attn = WhisperAttention(config)
        self.encoder_attn_layer_norm = nn.LayerNorm(config.d_model)

    def forward(self, x: nn.Tensor, sound: nn.Tensor) -> nn.Tensor:
        """Returns the states behind the layer."""
        x = self.attended(x, is_causal=True)
        x = x + self.encoder_attn(self.encoder_attn_layer_norm(x), sound)
        return self.expanded(x)


class Encoder(nn.Module):
    """Two convolutions, of which the second halves the number of frames, and layers."""

    def __init__(self, config: WhisperConfig):
        self.conv1 = nn.Conv1D(config.num_mel_bins, config.d_model, 3, padding=1)
        self.conv2 = nn.Conv1D(config.d_model, config.d_model, 3, stride=2, padding=1)
        self.embed_positions = nn.Embedding(config.max_source_positions, config.d_model)
        self.layers = nn.ModuleList([EncoderLayer(config) for _ in range(config.encoder_layers)])
        self.layer_norm = nn.LayerNorm(config.d_model)

    def forward(self, mel: nn.Tensor) -> nn.Tensor:
        """Returns the states of the sound."""
        x = op.permute_dims(op.gelu(self.conv2(op.gelu(self.conv1(mel)))), [0, 2, 1])
        positions = op.arange(0, x.shape[1], dtype="int32")
        return self.layer_norm(self.layers(x + self.embed_positions(positions)))


class Decoder(nn.Module):
    """Layers, and scores by the weight of the embedding."""

    def __init__(self, config: WhisperConfig):
        self.embed_tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.embed_positions = nn.Embedding(config.max_target_positions, config.d_model)
        self.layers = nn.ModuleList([DecoderLayer(config) for _ in range(config.decoder_layers)])
        self.layer_norm = nn.LayerNorm(config.d_model)

    def forward(self, tokens: nn.Tensor, sound: nn.Tensor) -> nn.Tensor:
        """Returns the scores behind each token."""
        positions = op.arange(0, tokens.shape[1], dtype="int32")
        x = self.embed_tokens(tokens) + self.embed_positions(positions)
        for layer in self.layers:
            x = layer(x, sound)
        return op.matmul(self.layer_norm(x), op.permute_dims(self.embed_tokens.weight))


class Whisper(nn.Module):
    """An encoder of sound and a decoder of text."""

    def __init__(self, config: WhisperConfig):
        self.config = config
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)

    def encode(self, mel: nn.Tensor) -> nn.Tensor:
        """Returns the states `[b, (f + 1) // 2, d_model]` of a spectrogram `[b, num_mel_bins, f]`."""
        return self.encoder(mel)

    def decode(self, tokens: nn.Tensor, sound: nn.Tensor) -> nn.Tensor:
        """Returns the scores `[b, s, vocab_size]` behind each of `[b, s]` tokens, for the states of the sound."""
        return self.decoder(tokens, sound)

    def spec(self) -> dict[str, Any]:
        """Returns what the methods take, of any batch and length."""
        config = self.config
        return {
            "encode": {"mel": nn.spec.Tensor(["b", config.num_mel_bins, "f"], "float32")},
            "decode": {
                "tokens": nn.spec.Tensor(["b", "s"], "int32"),
                "sound": nn.spec.Tensor(["b", "t", config.d_model], "float32"),
            },
        }


def main() -> None:
    """Writes the program of a Whisper of the sizes that the options say."""
    config, path = parsed(__doc__, WhisperConfig())
    model = Whisper(config)
    write(model, model.spec(), path)


if __name__ == "__main__":
    run(main)
