"""The computations that are compared: ops, layers, networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as functional
from peers.layers import (
    Apply,
    AttentionBlock,
    CrossAttention,
    EncoderLayer,
    Gpt2Decode,
    InvertedResidual,
    Llama,
    LlamaMlp,
    MatMul,
    RmsNorm,
    attend,
    resnet18,
)
from torch import Tensor, nn


@dataclass(frozen=True)
class Workload:
    """A module with random weights and its inputs; both are made when they are needed."""

    name: str
    module: Callable[[], nn.Module]
    inputs: Callable[[], list[Tensor]]
    tolerance: float = 1e-4
    """Of the largest magnitude of a result, against float64."""
    numpy: Callable[..., Any] | None = None
    """What numpy is called with, where one function of it does the same."""
    quantized: bool = False
    """Whether products are quantized to 8 bits: only for peers that read files."""

    def made(self) -> tuple[nn.Module, list[Tensor]]:
        """Makes the module, whose random weights are the same each time, and its inputs."""
        torch.manual_seed(0)
        return self.module().eval(), self.inputs()


def randn(*shapes: tuple[int, ...]) -> Callable[[], list[Tensor]]:
    """Normal numbers of these shapes."""
    return lambda: [torch.randn(shape) for shape in shapes]


def row(name: str, function: Callable[..., object], *shapes: tuple[int, ...], **options: Any) -> Workload:
    """A function without weights."""
    return Workload(name, lambda: Apply(function), randn(*shapes), **options)


def layer(
    name: str,
    module: Callable[[], nn.Module],
    *shapes: tuple[int, ...],
    indices: tuple[int, ...] | None = None,
    below: int = 0,
    **options: Any,
) -> Workload:
    """A module with weights; with `indices` it takes integers of that shape."""
    inputs = randn(*shapes) if indices is None else lambda: [torch.randint(0, below, indices)]
    return Workload(name, module, inputs, **options)


def halves(name: str, dtype: torch.dtype, tolerance: float) -> Workload:
    """A product of 512 x 512 matrices of 16-bit numbers, both given with the call."""
    inputs = lambda: [(torch.randn(512, 512) / math.sqrt(512)).to(dtype) for _ in range(2)]  # noqa: E731
    return Workload(name, lambda: Apply(torch.matmul), inputs, tolerance)


def permuted(shape: tuple[int, ...], axes: tuple[int, ...]) -> Workload:
    """A transposition of a tensor."""
    name = f"permute {axes} of {'x'.join(map(str, shape))}".replace(" ", "")
    return row(
        name,
        lambda x: x.permute(axes).contiguous(),
        shape,
        numpy=lambda x: np.ascontiguousarray(x.transpose(axes)),
    )


def joined(axis: int) -> Callable[..., Any]:
    """Concatenates arrays by numpy."""
    return lambda *arrays: np.concatenate(arrays, axis)


def convolved(inputs: int, outputs: int, side: int, window: int, *, stride: int = 1, groups: int = 1) -> Workload:
    """A convolution of a square image by a square window."""
    kind = "depthwise" if groups == inputs else "conv"
    extra = f"{f' s{stride}' if stride > 1 else ''}{f' in {groups} groups' if 1 < groups < inputs else ''}"
    name = f"{kind} {window}x{window}{extra} {inputs}->{outputs} {side}^2"
    module = lambda: nn.Conv2d(inputs, outputs, window, stride, window // 2, groups=groups)  # noqa: E731
    return layer(name, module, (1, inputs, side, side))


ELEMENTWISE = [
    row("exp(x + 5 sums) 1024^2", lambda x: (x + x + x + x + x + x).exp(), (1024, 1024)),
    row("gelu(x * a + b) 4096x1024", lambda x, a, b: functional.gelu(x * a + b), (4096, 1024), (1024,), (1024,)),
    row("softmax 64x12x128x128", lambda x: x.softmax(-1), (64, 12, 128, 128)),
    row("softmax 512x1000", lambda x: x.softmax(-1), (512, 1000)),
    row("softmax, axis 1 of 64x128x128", lambda x: x.softmax(1), (64, 128, 128)),
    layer("layer_norm 512x4096", lambda: nn.LayerNorm(4096), (512, 4096)),
    layer("rms_norm 512x4096", lambda: RmsNorm(4096), (512, 4096)),
    row("cumsum 512x4096", lambda x: x.cumsum(-1), (512, 4096), numpy=lambda x: x.cumsum(-1)),
    row("cumsum, axis 0 of 512x4096", lambda x: x.cumsum(0), (512, 4096), numpy=lambda x: x.cumsum(0)),
]

SEARCHES = [
    row("argmax 64x32000", lambda x: x.argmax(-1), (64, 32000), numpy=lambda x: x.argmax(-1)),
    row("argmin, axis 0 of 512x1000", lambda x: x.argmin(0), (512, 1000), numpy=lambda x: x.argmin(0)),
    row("top 8 of 64x32000", lambda x: x.topk(8)[0], (64, 32000)),
    row("top 50 of 1x50257", lambda x: x.topk(50)[0], (1, 50257)),
    row("top 6 of 1024x64", lambda x: x.topk(6)[0], (1024, 64)),
    row("top 2 of 1024x8", lambda x: x.topk(2)[0], (1024, 8)),
    row("sort 64x4096", lambda x: x.sort(-1)[0], (64, 4096), numpy=lambda x: np.sort(x, -1)),
    row("sort 1000x32", lambda x: x.sort(-1)[0], (1000, 32), numpy=lambda x: np.sort(x, -1)),
]

MOVES = [
    layer("embedding 50257x768, 512 rows", lambda: nn.Embedding(50257, 768), indices=(1, 512), below=50257),
    row("concat of 4 of 256x1024", lambda *x: torch.cat(x, -1), *[(256, 1024)] * 4, numpy=joined(-1)),
    row("concat of 4 of 256x1024, axis 0", lambda *x: torch.cat(x, 0), *[(256, 1024)] * 4, numpy=joined(0)),
    permuted((1024, 1024), (1, 0)),
    permuted((8, 128, 12, 64), (0, 2, 1, 3)),
    permuted((1, 3, 224, 224), (0, 2, 3, 1)),
    row("pad 64x56^2 by 1", lambda x: functional.pad(x, (1, 1, 1, 1)), (1, 64, 56, 56)),
    row("upsample 2x nearest 64x56^2", lambda x: functional.interpolate(x, scale_factor=2), (1, 64, 56, 56)),
    row(
        "upsample 2x linear 64x56^2",
        lambda x: functional.interpolate(x, scale_factor=2, mode="bilinear"),
        (1, 64, 56, 56),
    ),
]

CONTRACTIONS = [
    layer("gemm 256^3, constant B", lambda: MatMul(256, 256), (256, 256)),
    layer("gemm 1024^3, constant B", lambda: MatMul(1024, 1024), (1024, 1024)),
    layer("GEMV 4096x11008, constant B", lambda: MatMul(4096, 11008), (1, 4096)),
    layer("Llama MLP, 1 row", lambda: LlamaMlp(4096, 11008), (1, 4096)),
    layer("Llama MLP, 128 rows", lambda: LlamaMlp(4096, 11008), (128, 4096)),
    layer("Llama MLP, 1 row, f16 weights", lambda: LlamaMlp(4096, 11008, torch.float16), (1, 4096), tolerance=1e-3),
    halves("matmul 512^3 f16", torch.float16, 2e-2),
    halves("matmul 512^3 bf16", torch.bfloat16, 5e-2),
    row("batched matmul 12x197x64x197", torch.matmul, (12, 197, 64), (12, 64, 197)),
]

CONVOLUTIONS = [
    convolved(3, 64, 224, 7, stride=2),
    convolved(3, 32, 224, 3, stride=2),
    convolved(64, 64, 56, 3),
    convolved(128, 128, 28, 3),
    convolved(256, 256, 14, 3),
    convolved(512, 512, 7, 3),
    convolved(32, 32, 64, 3),
    convolved(32, 32, 65, 3),
    convolved(128, 256, 28, 3, stride=2),
    convolved(128, 256, 28, 1, stride=2),
    convolved(256, 64, 56, 1),
    convolved(960, 160, 7, 1),
    convolved(128, 128, 28, 3, groups=4),
    convolved(96, 96, 56, 3, groups=96),
    convolved(96, 96, 112, 3, stride=2, groups=96),
    convolved(480, 480, 14, 5, groups=480),
    layer("transposed conv 4x4 s2 128->64 28^2", lambda: nn.ConvTranspose2d(128, 64, 4, 2, 1), (1, 128, 28, 28)),
    layer("transposed conv 2x2 s2 128->64 28^2", lambda: nn.ConvTranspose2d(128, 64, 2, 2), (1, 128, 28, 28)),
    row("max_pool 3x3 s2 64x112^2", lambda x: functional.max_pool2d(x, 3, 2, 1), (1, 64, 112, 112)),
    row("max_pool 2x2 s2 64x112^2", lambda x: functional.max_pool2d(x, 2), (1, 64, 112, 112)),
    row("max_pool 3x3 s1 64x56^2", lambda x: functional.max_pool2d(x, 3, 1, 1), (1, 64, 56, 56)),
    row("avg_pool 3x3 s1 64x56^2", lambda x: functional.avg_pool2d(x, 3, 1, 1), (1, 64, 56, 56)),
    row("avg_pool 2x2 s2 64x112^2", lambda x: functional.avg_pool2d(x, 2), (1, 64, 112, 112)),
    layer("inverted residual 24->144 56^2", lambda: InvertedResidual(24, 144), (1, 24, 56, 56)),
    layer("ResNet-18", resnet18, (1, 3, 224, 224)),
]

CACHED = 128
LLAMA = (4, 1024, 16, 2816)

TRANSFORMERS = [
    row("attention 6x1500x64", attend, *[(1, 6, 1500, 64)] * 3),
    row("attention 2x8192x64", attend, *[(1, 2, 8192, 64)] * 3),
    row("attention 4x2048x64, causal", partial(attend, causal=True), *[(1, 4, 2048, 64)] * 3),
    layer("attention block S128", lambda: AttentionBlock(768, 12), (1, 128, 768)),
    layer("cross-attention 1 to 1500", lambda: CrossAttention(512, 8), (1, 1, 512), *[(1, 8, 1500, 64)] * 2),
    layer("BERT layer S128", lambda: EncoderLayer(768, 12, norm_first=False), (1, 128, 768)),
    layer("ViT layer S197", lambda: EncoderLayer(768, 12, norm_first=True), (1, 197, 768)),
    layer("GPT-2 layer decode, 512 cached", lambda: Gpt2Decode(768, 12), (1, 1, 768), *[(1, 12, 512, 64)] * 2),
    layer("Llama 4 layers, prefill 128", lambda: Llama(*LLAMA, 0, 128), (1, 128, 1024)),
    layer("Llama 4 layers, decode", lambda: Llama(*LLAMA, CACHED, 1), (1, 1, 1024), *[(1, 16, CACHED, 64)] * 8),
]

# Random weights have no spare precision: what is quantized differs by several percent from what is not.
QUANTIZED = [
    layer("ResNet-18, 8 bits", resnet18, (1, 3, 224, 224), tolerance=0.2, quantized=True),
    layer(
        "BERT layer S128, 8 bits",
        lambda: EncoderLayer(768, 12, norm_first=False),
        (1, 128, 768),
        tolerance=0.2,
        quantized=True,
    ),
]

WORKLOADS = [*ELEMENTWISE, *SEARCHES, *MOVES, *CONTRACTIONS, *CONVOLUTIONS, *TRANSFORMERS, *QUANTIZED]
