"""Lowering of the ops of neural networks: `relax.nn.*`."""
