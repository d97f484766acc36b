"""Passes that plan memory at the graph level."""
