"""Dense constants and numpy arrays, both ways."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, DenseResourceAttr, TensorType
from xdsl.ir import Attribute

from .dtypes import numpy_dtype
from .resources import resource_data


def dense_to_numpy(value: DenseIntOrFPElementsAttr | DenseResourceAttr) -> np.ndarray[Any, Any]:
    """Returns the data of a dense constant, shaped as its type; a splat is expanded."""
    tensor = value.type
    assert isinstance(tensor, TensorType)
    shape: tuple[int, ...] = tensor.get_shape()
    dtype = numpy_dtype(tensor.element_type)
    contents = resolved(value).data.data
    data = np.frombuffer(contents, np.uint8 if dtype == np.bool_ else dtype)
    if dtype == np.bool_:
        data = data != 0
    return np.broadcast_to(data.reshape(()), shape) if data.size == 1 else data.reshape(shape)


def resolved(value: DenseIntOrFPElementsAttr | DenseResourceAttr) -> DenseIntOrFPElementsAttr:
    """Returns a constant with its data, which is not copied; raises `LookupError` for a resource without data."""
    if isinstance(value, DenseIntOrFPElementsAttr):
        return value
    assert isinstance(value.type, TensorType)
    return DenseIntOrFPElementsAttr(cast("TensorType[Any]", value.type), BytesAttr(resource_data(value)))


def dense_from_numpy(array: np.ndarray[Any, Any], element_type: Attribute) -> DenseIntOrFPElementsAttr:
    """Returns an array as a dense constant; its dtype is that of the element type."""
    tensor: TensorType[Any] = TensorType(element_type, array.shape)
    if array.dtype == np.bool_:
        array = np.where(array, np.uint8(255), np.uint8(0))
    return DenseIntOrFPElementsAttr(tensor, BytesAttr(np.ascontiguousarray(array).tobytes()))


def is_splat(value: DenseIntOrFPElementsAttr) -> bool:
    """Returns whether a constant repeats one element. (xDSL's own test makes a Python number of each element.)"""
    data = np.frombuffer(value.data.data, np.uint8)
    elements = data.reshape(-1, value.type.element_type.compile_time_size)
    return elements.size > 0 and bool(np.all(elements == elements[0]))
