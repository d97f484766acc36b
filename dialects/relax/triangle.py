"""Data that has one value up to a diagonal, and another one behind it, such as the mask of causal attention."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...records import record


@record
class Triangle:
    """What a matrix holds, or each of a tensor; numpy arrays without dims."""

    below: Any
    """The value of the columns up to row + `diagonal`."""
    above: Any
    """The value of the columns behind."""
    diagonal: int | None
    """None where all columns of all rows have one value."""


def triangle_of(data: np.ndarray[Any, Any]) -> Triangle | None:
    """Returns what an array is that holds one matrix, behind dims of 1; `None` where it has other values."""
    if data.ndim < 2 or data.size == 0 or data.size != prod(data.shape[-2:]):
        return None
    matrix = data.reshape(data.shape[-2:])
    rows, columns = map(np.arange, data.shape[-2:])
    below, above = matrix[0, 0], matrix[0, -1]
    diagonal = int(np.count_nonzero(matrix[0] == below)) - 1
    triangle = np.where(columns <= rows[:, None] + diagonal, below, above)
    if not np.array_equal(matrix, triangle):
        return None
    return Triangle(np.asarray(below), np.asarray(above), None if below == above else diagonal)
