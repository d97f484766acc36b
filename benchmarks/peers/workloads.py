"""The computations that are compared: ops, layers, networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

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


def randn(*shapes: tuple[int, ...], dtype: torch.dtype = torch.float32) -> Callable[[], list[Tensor]]:
    """Normal numbers of these shapes."""
    return lambda: [torch.randn(shape).to(dtype) for shape in shapes]


def row(name: str, function: Callable[..., object], *shapes: tuple[int, ...], **options) -> Workload:
    """A function without weights."""
    return Workload(name, lambda: Apply(function), randn(*shapes), **options)


def layer(name: str, module: Callable[[], nn.Module], *shapes: tuple[int, ...], **options) -> Workload:
    """A module with weights."""
    return Workload(name, module, randn(*shapes), **options)


def halves(name: str, dtype: torch.dtype, tolerance: float) -> Workload:
    """A product of 512 x 512 matrices of 16-bit numbers, both given with the call."""
    inputs = lambda: [(torch.randn(512, 512) / math.sqrt(512)).to(dtype) for _ in range(2)]  # noqa: E731
    return Workload(name, lambda: Apply(torch.matmul), inputs, tolerance)


ELEMENTWISE = [
    row("exp(x + 5 sums) 1024^2", lambda x: (x + x + x + x + x + x).exp(), (1024, 1024)),
    row("gelu(x * a + b) 4096x1024", lambda x, a, b: functional.gelu(x * a + b), (4096, 1024), (1024,), (1024,)),
    row("softmax 64x12x128x128", lambda x: x.softmax(-1), (64, 12, 128, 128)),
    layer("layer_norm 512x4096", lambda: nn.LayerNorm(4096), (512, 4096)),
    layer("rms_norm 512x4096", lambda: RmsNorm(4096), (512, 4096)),
    row("argmax 64x32000", lambda x: x.argmax(-1), (64, 32000)),
    row("top 8 of 64x32000", lambda x: x.topk(8)[0], (64, 32000)),
    row("cumsum 512x4096", lambda x: x.cumsum(-1), (512, 4096)),
    Workload(
        "embedding 50257x768, 512 rows",
        lambda: nn.Embedding(50257, 768),
        lambda: [torch.randint(0, 50257, (1, 512))],
    ),
    row("concat of 4 of 256x1024", lambda *x: torch.cat(x, -1), *[(256, 1024)] * 4),
    row("transpose 1024x1024", lambda x: x.t().contiguous() * 1.0, (1024, 1024)),
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
    layer("conv 3x3 64->64 56^2", lambda: nn.Conv2d(64, 64, 3, padding=1), (1, 64, 56, 56)),
    layer("conv 3x3 64->64 65^2", lambda: nn.Conv2d(64, 64, 3, padding=1), (1, 64, 65, 65)),
    layer("conv 7x7 s2 3->64 224^2", lambda: nn.Conv2d(3, 64, 7, 2, 3), (1, 3, 224, 224)),
    layer("conv 1x1 256->64 56^2", lambda: nn.Conv2d(256, 64, 1), (1, 256, 56, 56)),
    layer("conv 3x3 s2 128->256 28^2", lambda: nn.Conv2d(128, 256, 3, 2, 1), (1, 128, 28, 28)),
    layer("depthwise 3x3 96 56^2", lambda: nn.Conv2d(96, 96, 3, padding=1, groups=96), (1, 96, 56, 56)),
    layer("transposed conv 4x4 s2 128->64 28^2", lambda: nn.ConvTranspose2d(128, 64, 4, 2, 1), (1, 128, 28, 28)),
    row("max_pool 3x3 s2 64 112^2", lambda x: functional.max_pool2d(x, 3, 2, 1), (1, 64, 112, 112)),
    row("avg_pool 2x2 s2 64 112^2", lambda x: functional.avg_pool2d(x, 2), (1, 64, 112, 112)),
    layer("inverted residual 24->144 56^2", lambda: InvertedResidual(24, 144), (1, 24, 56, 56)),
    layer("ResNet-18", resnet18, (1, 3, 224, 224)),
]

CACHED = 128
LLAMA = (4, 1024, 16, 2816)

TRANSFORMERS = [
    layer("attention block S128", lambda: AttentionBlock(768, 12), (1, 128, 768)),
    layer("cross-attention 1 to 1500", lambda: CrossAttention(512, 8), (1, 1, 512), *[(1, 8, 1500, 64)] * 2),
    layer("BERT layer S128", lambda: EncoderLayer(768, 12, norm_first=False), (1, 128, 768)),
    layer("ViT layer S197", lambda: EncoderLayer(768, 12, norm_first=True), (1, 197, 768)),
    layer("GPT-2 layer decode, 512 cached", lambda: Gpt2Decode(768, 12), (1, 1, 768), *[(1, 12, 512, 64)] * 2),
    layer("Llama 4 layers, prefill 128", lambda: Llama(*LLAMA, 0, 128), (1, 128, 1024)),
    layer("Llama 4 layers, decode", lambda: Llama(*LLAMA, CACHED, 1), (1, 1, 1024), *[(1, 16, CACHED, 64)] * 8),
]

WORKLOADS = [*ELEMENTWISE, *CONTRACTIONS, *CONVOLUTIONS, *TRANSFORMERS]
