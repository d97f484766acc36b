"""How tests compile, run and compare programs."""
