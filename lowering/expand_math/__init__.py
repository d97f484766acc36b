"""Polynomials in `arith` in place of `math` functions."""

from ...dialects import arith_lanes
from .expand import EXPANDED, ExpandMathPass, expand_math

arith_lanes.install()

__all__ = ["EXPANDED", "ExpandMathPass", "expand_math"]
