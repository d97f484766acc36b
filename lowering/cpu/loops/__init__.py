"""Loops and vectors from linalg on memrefs."""
