"""The functions of `nn.op`, by name."""

from __future__ import annotations

from .activation import relu, silu
from .debug import debug_func, print_
from .linear_algebra import matmul
from .manipulate import concat, permute_dims, split

__all__ = ["concat", "debug_func", "matmul", "permute_dims", "print_", "relu", "silu", "split"]
