"""Activations."""

from __future__ import annotations

from ..tensor import Tensor, apply


def relu(x: Tensor, name: str = "relu") -> Tensor:
    """Returns `max(x, 0)`."""
    return apply("nn.relu", x, name=name)


def silu(x: Tensor, name: str = "silu") -> Tensor:
    """Returns `x * sigmoid(x)`."""
    return apply("nn.silu", x, name=name)
