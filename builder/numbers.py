"""Numbers of Python as constants of an element type that holds them."""

from __future__ import annotations

import math
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, SSAValue

from ..dialects.relax.attrs import element_type_of
from ..dialects.relax.dtypes import element_from_numpy, is_float, numpy_dtype

Number: TypeAlias = bool | int | float | np.generic
"""A number of Python or numpy."""


def number_array(number: Number, element: Attribute) -> np.ndarray[Any, Any]:
    """Returns a number as an array of rank 0 of an element type, rounded where that is a float.

    Raises `ValueError` for what the element type does not hold: a fraction among integers, a number that is too large.
    """
    value = number.item() if isinstance(number, np.generic) else number
    try:
        with np.errstate(all="ignore"):
            array = np.asarray(float(value) if is_float(element) else value).astype(numpy_dtype(element))
        if is_float(element):
            held = math.isfinite(array) == math.isfinite(value)
        else:
            # Numbers compare by value: 2.0 is an i8, 300 is none. Truth is no matter of fractions.
            held = array.item() == value and not (array.dtype == np.bool_ and isinstance(value, float))
    except (OverflowError, TypeError, ValueError):
        held, array = False, None
    if not held or array is None:
        raise ValueError(f"{element} does not hold {number!r}")
    return array


def converted(array: np.ndarray[Any, Any], element: Attribute) -> np.ndarray[Any, Any]:
    """Returns an array in an element type. Raises `ValueError` for integers that an integer type does not hold."""
    result = np.asarray(array, numpy_dtype(element))
    if array.dtype.kind in "iu" and result.dtype.kind in "iu" and not np.array_equal(array, result):
        raise ValueError(f"{element} does not hold integers from {array.min()} to {array.max()}")
    return result


def element_of(given: Any) -> Attribute | None:
    """Returns the element type of what stands for a tensor operand; `None` for anything else."""
    if isinstance(given, Operation) and len(given.results) == 1:
        given = given.results[0]
    if isinstance(given, SSAValue):
        return element_type_of(given.type) if isinstance(given.type, TensorType | UnrankedTensorType) else None
    try:
        return element_from_numpy(given.dtype) if isinstance(given, np.ndarray | np.generic) else None
    except ValueError:
        return None


def with_element(given: Any, element: Attribute) -> Any:
    """Returns operands with arrays of an element type in place of numbers. Raises `ValueError` as `number_array` does."""
    if isinstance(given, tuple):
        return tuple(with_element(item, element) for item in cast(tuple[Any, ...], given))
    return number_array(given, element) if isinstance(given, int | float) else given
