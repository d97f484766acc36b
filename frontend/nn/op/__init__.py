"""The functions of `nn.op`, by name."""

from __future__ import annotations

from .activation import relu, silu
from .linear_algebra import matmul
from .manipulate import concat, permute_dims, split

__all__ = ["concat", "matmul", "permute_dims", "relu", "silu", "split"]
