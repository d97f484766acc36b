"""Names of the vocabulary that are read where no program is: in messages to callers, and in files of parameters."""

from __future__ import annotations

PARAMS_FROM = "relax.params_from"
"""The attribute of a function that names the transform whose results are its parameters."""
FINGERPRINT = "relax.transform_fingerprint"
"""In a file of parameters: the digest of the transform that made it."""
SHAPES = "relax.shape_values"
"""In a file of parameters: the results that are shapes, by index, as JSON."""
