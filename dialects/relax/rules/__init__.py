"""Arithmetic that several ops agree on: shape rules, windows, fixed-point numbers, lookup tables. No ops."""
