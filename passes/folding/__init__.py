"""Passes that compute on constants, and move scales and batch normalization into weights."""
