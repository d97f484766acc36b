"""Passes that group ops into kernels and into regions for other code generators."""
