"""Relax to linalg on tensors."""
