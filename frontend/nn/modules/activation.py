"""Activations as modules."""

from __future__ import annotations

from .. import op
from ..module import Module
from ..tensor import Tensor


class ReLU(Module):
    """`max(x, 0)`."""

    def forward(self, x: Tensor) -> Tensor:
        """Returns the activation of `x`."""
        return op.relu(x)
