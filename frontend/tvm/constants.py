"""Constant tensors of TVM and of the dialect, both ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import tvm
from tvm import relax
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, TensorType

from ...dialects.relax.dense import dense_from_numpy, dense_to_numpy
from .types import dtype_of, element_of


def constant_value(value: Any) -> DenseIntOrFPElementsAttr:
    """Returns the data of a TVM tensor as a dense attribute."""
    shape = tuple(int(size) for size in value.shape)
    return dense_from_numpy(value.numpy().reshape(shape), element_of(str(value.dtype)))


def constant_expression(value: DenseIntOrFPElementsAttr | DenseResourceAttr) -> Any:
    """Returns a dense attribute as a TVM constant."""
    tensor = value.type
    assert isinstance(tensor, TensorType)
    data = np.ascontiguousarray(dense_to_numpy(value)).reshape(tensor.get_shape())
    return relax.const(tvm.runtime.tensor(data), dtype_of(tensor.element_type))
