"""Loops of contractions: register tiles, panels, skinny products, and what follows on each tile."""
