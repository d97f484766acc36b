"""Loops and vectors from `linalg` on memrefs."""

from .convert import LinalgToLoopsPass

__all__ = ["LinalgToLoopsPass"]
