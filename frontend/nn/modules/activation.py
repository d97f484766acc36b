"""Activations as modules."""

from __future__ import annotations

from .. import op
from ..annotations import checked
from ..module import Module
from ..tensor import Tensor


class ReLU(Module):
    """`max(x, 0)`."""

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns the activation of `x`."""
        return op.relu(x)


class SiLU(Module):
    """`x * sigmoid(x)`."""

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns the activation of `x`."""
        return op.silu(x)


class GELU(Module):
    """`x * phi(x)` for the normal distribution's `phi`."""

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns the activation of `x`."""
        return op.gelu(x)


class Identity(Module):
    """`x`, as a layer that has a name."""

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns `x`."""
        return x
