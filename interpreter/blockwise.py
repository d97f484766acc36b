"""Element-wise functions block by block, so that what they compute on the way takes no memory of the size of a tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = "np.ndarray[Any, Any]"

BLOCK = 1 << 16
"""So many elements are computed together."""

_ERF = np.frompyfunc(math.erf, 1, 1)


def in_blocks(function: Callable[[Array], Any], x: Any, dtype: Any) -> Array:
    """Returns a function of each element as an array of a dtype; the function gets arrays of rank 1."""
    result = np.empty(np.shape(x), dtype)
    given, made = np.ravel(x), result.reshape(-1)
    for first in range(0, given.size, BLOCK):
        made[first : first + BLOCK] = function(given[first : first + BLOCK])
    return result


def erf(x: Array) -> Array:
    """Returns the error function of floats, which numpy has not, computed in f64."""
    return in_blocks(lambda block: _ERF(block.astype(np.float64)), x, x.dtype)
