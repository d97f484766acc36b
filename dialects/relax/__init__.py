"""The relax dialect. The package imports nothing by itself: types and signatures are wanted where no op is."""
