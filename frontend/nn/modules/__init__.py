"""The modules that models are made of."""

from __future__ import annotations

from .activation import ReLU
from .linear import Linear

__all__ = ["Linear", "ReLU"]
