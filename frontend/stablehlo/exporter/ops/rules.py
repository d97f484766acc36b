"""All rules."""

from __future__ import annotations

from ..rule import Rules
from . import elementwise, indexing, products, reductions, shapes

RULES: Rules = {**elementwise.RULES, **indexing.RULES, **products.RULES, **reductions.RULES, **shapes.RULES}
