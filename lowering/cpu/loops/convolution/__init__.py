"""Loops of convolutions whose kernel lies in blocks of channels: tiles of pixels, and the kernels that they call."""
