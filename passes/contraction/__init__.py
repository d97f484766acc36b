"""Passes on matrix products and convolutions: combination of parallel ones, order, transposes."""
