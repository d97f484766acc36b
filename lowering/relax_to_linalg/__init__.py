"""Relax to linalg on tensors: one file of rules per op family."""

from .convert import RelaxToLinalgPass as RelaxToLinalgPass
