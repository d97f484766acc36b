"""Layers of networks in plain torch, with random weights."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as functional
from torch import Tensor, nn


class Apply(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor):
        return self.function(*inputs)


class MatMul(nn.Module):
    """`x @ w` with a constant `w`."""

    def __init__(self, rows: int, columns: int):
        super().__init__()
        self.w = nn.Parameter(torch.randn(rows, columns) / math.sqrt(rows))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.w


class RmsNorm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.weight


class LlamaMlp(nn.Module):
    """`down(silu(gate(x)) * up(x))`, with weights in `dtype` that are converted to f32."""

    def __init__(self, width: int, hidden: int, dtype: torch.dtype = torch.float32):
        super().__init__()
        self.gate = nn.Parameter((torch.randn(hidden, width) / math.sqrt(width)).to(dtype), requires_grad=False)
        self.up = nn.Parameter((torch.randn(hidden, width) / math.sqrt(width)).to(dtype), requires_grad=False)
        self.down = nn.Parameter((torch.randn(width, hidden) / math.sqrt(hidden)).to(dtype), requires_grad=False)

    def forward(self, x: Tensor) -> Tensor:
        gate, up, down = (weight.to(x.dtype) for weight in (self.gate, self.up, self.down))
        return functional.linear(functional.silu(functional.linear(x, gate)) * functional.linear(x, up), down)


def heads(x: Tensor, count: int) -> Tensor:
    """From `[b, s, h * d]` to `[b, h, s, d]`."""
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, *, causal: bool = False) -> Tensor:
    """Attention of `[b, h, s, d]`, back as `[b, s, h * d]`."""
    result = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
    return result.transpose(1, 2).flatten(2)


class AttentionBlock(nn.Module):
    """Self-attention with its four projections."""

    def __init__(self, width: int, count: int):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.count = count

    def forward(self, x: Tensor) -> Tensor:
        return self.out(attend(*(heads(project(x), self.count) for project in (self.q, self.k, self.v))))


class CrossAttention(nn.Module):
    """Queries against keys and values that are there already."""

    def __init__(self, width: int, count: int):
        super().__init__()
        self.q, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.count = count

    def forward(self, x: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return self.out(attend(heads(self.q(x), self.count), k, v))


class EncoderLayer(nn.Module):
    """A layer of BERT (norms behind) or ViT (norms in front)."""

    def __init__(self, width: int, count: int, *, norm_first: bool):
        super().__init__()
        self.attention = AttentionBlock(width, count)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.norm_first = norm_first

    def mlp(self, x: Tensor) -> Tensor:
        return self.down(functional.gelu(self.up(x)))

    def forward(self, x: Tensor) -> Tensor:
        if self.norm_first:
            x = x + self.attention(self.first(x))
            return x + self.mlp(self.second(x))
        x = self.first(x + self.attention(x))
        return self.second(x + self.mlp(x))


class Gpt2Decode(nn.Module):
    """One token through a layer of GPT-2, with keys and values of the tokens before it; returns them grown by it."""

    def __init__(self, width: int, count: int):
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.count = count

    def forward(self, x: Tensor, past_k: Tensor, past_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v = (heads(part, self.count) for part in self.qkv(self.first(x)).chunk(3, -1))
        k, v = torch.cat([past_k, k], 2), torch.cat([past_v, v], 2)
        x = x + self.out(attend(q, k, v))
        return x + self.down(functional.gelu(self.up(self.second(x)), approximate="tanh")), k, v


class LlamaLayer(nn.Module):
    """A layer of Llama; with `past` keys and values in front of those of `x`."""

    def __init__(self, width: int, count: int, hidden: int):
        super().__init__()
        self.first, self.second = RmsNorm(width), RmsNorm(width)
        self.q, self.k, self.v, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.mlp = LlamaMlp(width, hidden)
        self.count = count

    def rotate(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        low, high = x.chunk(2, -1)
        return x * cos + torch.cat([-high, low], -1) * sin

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor | None, past: tuple[Tensor, Tensor] | None):
        y = self.first(x)
        q, k, v = (heads(project(y), self.count) for project in (self.q, self.k, self.v))
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        x = x + self.out(attend(q, k, v, mask))
        return x + self.mlp(self.second(x)), k, v


class Llama(nn.Module):
    """Layers of Llama on hidden states: a prompt, or with keys and values of `cached` tokens one token."""

    def __init__(self, layers: int, width: int, count: int, hidden: int, cached: int, tokens: int):
        super().__init__()
        self.layers = nn.ModuleList(LlamaLayer(width, count, hidden) for _ in range(layers))
        places = torch.arange(cached, cached + tokens)
        depth = width // count
        angles = places[:, None] * 10000.0 ** (-torch.arange(0, depth, 2) / depth)
        self.register_buffer("cos", torch.cat([angles, angles], -1).cos())
        self.register_buffer("sin", torch.cat([angles, angles], -1).sin())
        hidden_places = torch.full((tokens, tokens), -math.inf).triu(1)
        self.register_buffer("mask", hidden_places if tokens > 1 else None)

    def forward(self, x: Tensor, *past: Tensor) -> tuple[Tensor, ...]:
        kept: list[Tensor] = []
        for index, layer in enumerate(self.layers):
            before = (past[2 * index], past[2 * index + 1]) if past else None
            x, k, v = layer(x, self.cos, self.sin, self.mask, before)
            kept += [k, v]
        return x, *kept


def convolution(
    inputs: int, outputs: int, size: int, stride: int = 1, groups: int = 1, act: nn.Module | None = None
) -> nn.Sequential:
    """A convolution with a batch norm, as networks hold it."""
    layers: list[nn.Module] = [
        nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    ]
    return nn.Sequential(*layers, *([act] if act else []))


class InvertedResidual(nn.Module):
    """A block of MobileNetV2."""

    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.body = nn.Sequential(
            convolution(width, hidden, 1, act=nn.ReLU6()),
            convolution(hidden, hidden, 3, groups=hidden, act=nn.ReLU6()),
            convolution(hidden, width, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x)


class BasicBlock(nn.Module):
    """A block of ResNet-18."""

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.body = nn.Sequential(
            convolution(inputs, outputs, 3, stride, act=nn.ReLU()), convolution(outputs, outputs, 3)
        )
        self.skip = convolution(inputs, outputs, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.body(x) + self.skip(x))


def resnet18() -> nn.Module:
    """ResNet-18 of 224 x 224 images and 1,000 classes."""
    blocks: list[nn.Module] = [convolution(3, 64, 7, 2, act=nn.ReLU()), nn.MaxPool2d(3, 2, 1)]
    for inputs, outputs in ((64, 64), (64, 128), (128, 256), (256, 512)):
        blocks += [BasicBlock(inputs, outputs, 1 if inputs == outputs else 2), BasicBlock(outputs, outputs, 1)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))
