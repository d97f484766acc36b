"""A U-Net of diffusion: a block that halves images, one in the middle, one that doubles them, with steps and a text as conditions.

python examples/nn/unet.py --channels 32 unet.mlir
relax-run unet.mlir --dim b=2 --dim h=8 --dim w=6 --dim t=5 --check
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from command_line import parsed, run, write
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn import op


@dataclass
class UNetConfig:
    """The sizes of a U-Net."""

    image_channels: int = 4
    channels: int = 32
    """The channels of the first block; those inside have twice as many."""
    groups: int = 8
    heads: int = 4
    context_size: int = 24
    """The size of the states of the text."""


class ResnetBlock(nn.Module):
    """Two convolutions, the step's embedding between them, around which the images pass."""

    def __init__(self, inputs: int, outputs: int, embedding_size: int, groups: int):
        self.norm1 = nn.GroupNorm(groups, inputs)
        self.conv1 = nn.Conv2D(inputs, outputs, 3, padding=1)
        self.time_emb_proj = nn.Linear(embedding_size, outputs)
        self.norm2 = nn.GroupNorm(groups, outputs)
        self.conv2 = nn.Conv2D(outputs, outputs, 3, padding=1)
        self.conv_shortcut = nn.Conv2D(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x: nn.Tensor, embedding: nn.Tensor) -> nn.Tensor:
        """Returns images `[b, outputs, h, w]`."""
        y = self.conv1(op.silu(self.norm1(x)))
        step = self.time_emb_proj(op.silu(embedding))
        y = y + op.reshape(step, [*step.shape, 1, 1])
        return self.conv_shortcut(x) + self.conv2(op.silu(self.norm2(y)))


class FeedForward(nn.Module):
    """A layer whose one half is gated by the other."""

    def __init__(self, size: int):
        self.proj = nn.Linear(size, 8 * size)
        self.out = nn.Linear(4 * size, size)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        """Returns the block of the hidden states."""
        states, gate = op.split(self.proj(x), 2, axis=-1)
        return self.out(states * op.gelu(gate))


class TransformerBlock(nn.Module):
    """Attention of pixels to each other and to a text."""

    def __init__(self, channels: int, config: UNetConfig):
        heads, size = config.heads, channels // config.heads
        self.norm = nn.GroupNorm(config.groups, channels, eps=1e-6)
        self.norm1 = nn.LayerNorm(channels)
        self.attn1 = nn.Attention(channels, heads=heads, dim_head=size)
        self.norm2 = nn.LayerNorm(channels)
        self.attn2 = nn.Attention(channels, config.context_size, heads, size)
        self.norm3 = nn.LayerNorm(channels)
        self.ff = FeedForward(channels)

    def forward(self, x: nn.Tensor, context: nn.Tensor) -> nn.Tensor:
        """Returns images, for states `[b, t, context_size]` of a text."""
        b, c, h, w = x.shape
        y = op.reshape(op.permute_dims(self.norm(x), [0, 2, 3, 1]), [b, h * w, c])
        y = y + self.attn1(self.norm1(y))
        y = y + self.attn2(self.norm2(y), context)
        y = y + self.ff(self.norm3(y))
        return x + op.permute_dims(op.reshape(y, [b, h, w, c]), [0, 3, 1, 2])


class UNet(nn.Module):
    """Predicts the noise in images."""

    def __init__(self, config: UNetConfig):
        self.config = config
        outer, inner = config.channels, 2 * config.channels
        time, groups = 4 * outer, config.groups
        self.time_proj = nn.Timesteps(outer, flip_sin_to_cos=True, downscale_freq_shift=0)
        self.time_embedding = nn.TimestepEmbedding(outer, time)
        self.conv_in = nn.Conv2D(config.image_channels, outer, 3, padding=1)
        self.down = ResnetBlock(outer, outer, time, groups)
        self.downsample = nn.Conv2D(outer, outer, 3, stride=2, padding=1)
        self.mid = ResnetBlock(outer, inner, time, groups)
        self.transformer = TransformerBlock(inner, config)
        self.upsample = nn.Conv2D(inner, outer, 3, padding=1)
        self.up = ResnetBlock(2 * outer, outer, time, groups)
        self.conv_norm_out = nn.GroupNorm(groups, outer)
        self.conv_out = nn.Conv2D(outer, config.image_channels, 3, padding=1)

    def forward(self, images: nn.Tensor, steps: nn.Tensor, context: nn.Tensor) -> nn.Tensor:
        """Returns the noise of images `[b, image_channels, h, w]` at steps `[b]`, for the states of a text."""
        embedding = self.time_embedding(self.time_proj(steps))
        outer = self.down(self.conv_in(images), embedding)
        inner = self.transformer(self.mid(self.downsample(outer), embedding), context)
        doubled = self.upsample(op.interpolate(inner, images.shape[2:]))
        x = self.up(op.concat([doubled, outer], dim=1), embedding)
        return self.conv_out(op.silu(self.conv_norm_out(x)))

    def spec(self) -> dict[str, Any]:
        """Returns what `forward` takes: any batch, images of any size, texts of any length."""
        config = self.config
        return {
            "forward": {
                "images": nn.spec.Tensor(["b", config.image_channels, "h", "w"], "float32"),
                "steps": nn.spec.Tensor(["b"], "int32"),
                "context": nn.spec.Tensor(["b", "t", config.context_size], "float32"),
            }
        }


def main() -> None:
    """Writes the program of a U-Net of the sizes that the options say."""
    config, path = parsed(__doc__, UNetConfig())
    model = UNet(config)
    write(model, model.spec(), path)


if __name__ == "__main__":
    run(main)
