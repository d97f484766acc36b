"""Masks of attention that a model stores: they are computed, as passes know what ops on constants hide, and parameters may be anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, SSAValue

from ...builder import BlockBuilder
from ...dialects.relax.dtypes import is_float
from ...dialects.relax.triangle import Triangle, triangle_of
from ...dialects.symbolic.nodes import Known


def mask_of(shape: Sequence[Known], element: Attribute, read: Callable[[], np.ndarray]) -> Triangle | None:
    """Returns what is in a stored tensor that is a mask; `None` for a weight.

    A mask is one matrix, behind dims of 1: of conditions that are true up to a diagonal, or everywhere, or of floats, of three dims or
    more, that are 0 up to a diagonal, and half of the lowest number or less behind it.
    """
    leading = shape[:-2]
    # Weights are not read: they may be large, and matrices of floats are mostly these.
    if any(size != 1 for size in leading) or (element != i1 and not (leading and is_float(element))):
        return None
    triangle = triangle_of(read())
    hides = triangle is not None and (triangle.below if element == i1 else _hides(triangle))
    return triangle if hides else None


def _hides(triangle: Triangle) -> bool:
    lowest = np.finfo(np.float16 if triangle.above.dtype == np.float16 else np.float32).min
    return triangle.below == 0 and bool(triangle.above <= lowest / 2)


def computed_mask(g: BlockBuilder, mask: Triangle, shape: Sequence[Known], element: Attribute) -> SSAValue:
    """Inserts the ops that compute a mask."""
    seen = g.ones(list(shape), dtype=i1)
    if mask.diagonal is None:
        return seen
    seen = g.tril(seen, k=mask.diagonal)
    return seen if element == i1 else g.where(seen, *(g.constant(each, element) for each in (mask.below, mask.above)))
