"""The numpy dtype of each element type, by the name of the type: callers of programs know no attributes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

_DTYPES = {
    **{"f64": "float64", "f32": "float32", "f16": "float16", "index": "int64"},
    **{f"{sign}i1": "bool" for sign in ("", "s", "u")},
    **{f"{sign}i{width}": f"int{width}" for sign in ("", "s") for width in (8, 16, 32, 64)},
    **{f"ui{width}": f"uint{width}" for width in (8, 16, 32, 64)},
}


@cache
def dtype_named(element_type: str) -> np.dtype[Any]:
    """Returns the numpy dtype of an element type, of bf16 that of ml_dtypes; raises `ValueError` if there is none."""
    if element_type == "bf16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    name = _DTYPES.get(element_type)
    if name is None:
        raise ValueError(f"element type {element_type} has no numpy dtype")
    return np.dtype(name)
