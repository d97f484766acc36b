"""Passes that move what depends on parameters alone out of the inference functions, and those that change how parameters are passed."""
