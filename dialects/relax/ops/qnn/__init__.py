"""Ops on quantized tensors, those of Relax and of Relay's qnn dialect."""
