"""Arrays of other libraries as numpy arrays, and back, without a copy: by DLPack, with the element types that it lacks as bits."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

BITS = {"bfloat16": "int16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}
"""Element types that numpy does not have of itself, and the one that stands for their bits."""


def is_torch(value: Any) -> bool:
    """Returns whether a value is a tensor of torch."""
    return type(value).__module__.partition(".")[0] == "torch"


def to_numpy(value: Any) -> Any:
    """Returns an array of any library as a numpy array of the same memory; anything else as it is."""
    if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack__"):
        return value
    if not is_torch(value):
        return np.from_dlpack(value)
    tensor = value.detach()
    name = str(tensor.dtype).removeprefix("torch.")
    if name not in BITS:
        return np.from_dlpack(tensor)
    torch = import_module("torch")
    bits = np.from_dlpack(tensor.view(getattr(torch, BITS[name])))
    return bits.view(getattr(ml_dtypes, name))


def to_torch(array: Array) -> Any:
    """Returns a numpy array as a tensor of torch, of the same memory where that can be written to."""
    torch = import_module("torch")
    writable = array if array.flags.writeable else array.copy()
    name = array.dtype.name
    if name not in BITS:
        return torch.from_dlpack(writable)
    return torch.from_dlpack(writable.view(BITS[name])).view(getattr(torch, name))
