"""Generators of random programs."""
