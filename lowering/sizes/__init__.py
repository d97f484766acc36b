"""Sizes as expressions over the shape inputs of a function."""
