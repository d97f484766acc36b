"""Element types of torch, and tensors as arrays."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import torch
from xdsl.dialects.builtin import bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute

from ...dialects.relax.dtypes import ui8, ui16, ui32, ui64
from ..model.problems import Unsupported

ELEMENTS: dict[torch.dtype, Attribute] = {
    torch.float32: f32,
    torch.float64: f64,
    torch.float16: f16,
    torch.bfloat16: bf16,
    torch.int8: i8,
    torch.int16: i16,
    torch.int32: i32,
    torch.int64: i64,
    torch.uint8: ui8,
    torch.uint16: ui16,
    torch.uint32: ui32,
    torch.uint64: ui64,
    torch.bool: i1,
}
"""The types that are elements of the dialect."""

DTYPES = {element: dtype for dtype, element in ELEMENTS.items()}


def element_of_dtype(dtype: torch.dtype) -> Attribute:
    """Returns the element type of a dtype; raises `Unsupported` for complex numbers and small floats."""
    if dtype not in ELEMENTS:
        raise Unsupported(f"tensors of {str(dtype).removeprefix('torch.')} have no counterpart")
    return ELEMENTS[dtype]


def to_numpy(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    """Returns the elements of a tensor, without a copy where they lie in the memory of the CPU, in order."""
    data = tensor.detach().cpu().contiguous()
    if data.dtype == torch.bfloat16:
        return data.view(torch.uint16).numpy().view(ml_dtypes.bfloat16)
    return data.numpy()


def from_numpy(array: np.ndarray[Any, Any]) -> torch.Tensor:
    """Returns an array as a tensor on the same memory."""
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.uint16)).view(torch.bfloat16)
    return torch.from_numpy(array)
