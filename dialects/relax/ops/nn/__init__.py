"""Ops of neural networks: `relax.nn.*`."""
