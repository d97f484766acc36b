"""Loops of convolutions by Winograd's F(2x2, 3x3)."""
