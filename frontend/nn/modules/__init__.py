"""The modules that models are made of."""

from __future__ import annotations

from ..effects import IOEffect, KVCache
from .activation import GELU, Identity, ReLU, SiLU
from .conv import Conv1D, Conv2D, Conv3D, ConvTranspose1D
from .diffusion import Attention, TimestepEmbedding, Timesteps
from .linear import Embedding, Linear, MultiLinear
from .norm import BatchNorm, GroupNorm, LayerNorm, RMSNorm

__all__ = [
    "GELU",
    "Attention",
    "BatchNorm",
    "Conv1D",
    "Conv2D",
    "Conv3D",
    "ConvTranspose1D",
    "Embedding",
    "GroupNorm",
    "IOEffect",
    "Identity",
    "KVCache",
    "LayerNorm",
    "Linear",
    "MultiLinear",
    "RMSNorm",
    "ReLU",
    "SiLU",
    "TimestepEmbedding",
    "Timesteps",
]
