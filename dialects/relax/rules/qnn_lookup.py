"""Tables of functions of 8-bit quantized numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from ..ops.qnn import unary as qnn_unary

Array: TypeAlias = "np.ndarray[Any, Any]"
Function: TypeAlias = Callable[[Array], Array]

_ERF = np.frompyfunc(math.erf, 1, 1)


def _hard_swish(x: Array) -> Array:
    return x * np.clip(x + 3.0, 0.0, 6.0) / 6.0


FUNCTIONS: Mapping[type[qnn_unary.QnnUnaryOp], Function] = {
    qnn_unary.QnnTanhOp: np.tanh,
    qnn_unary.QnnSigmoidOp: lambda x: 1.0 / (1.0 + np.exp(-x)),
    qnn_unary.QnnExpOp: np.exp,
    qnn_unary.QnnLogOp: np.log,
    qnn_unary.QnnSqrtOp: np.sqrt,
    qnn_unary.QnnRsqrtOp: lambda x: 1.0 / np.sqrt(x),
    qnn_unary.QnnErfOp: lambda x: np.asarray(_ERF(x)).astype(np.float64),
    qnn_unary.QnnAbsOp: np.abs,
    qnn_unary.QnnHardSwishOp: _hard_swish,
}
"""The functions that the ops compute, of f64 arrays."""


def quantized_function(
    function: Function,
    q: Array,
    scale: np.float32,
    zero_point: int,
    output_scale: np.float32,
    output_zero_point: int,
) -> Array:
    """Returns a function of quantized numbers as integers of the same dtype: f64 of the f32 number, rounded to f32, quantized."""
    limits = np.iinfo(q.dtype)
    with np.errstate(all="ignore"):
        x = (q.astype(np.int32) - np.int32(zero_point)).astype(np.float32) * np.float32(scale)
        y = function(x.astype(np.float64)).astype(np.float32)
        scaled = np.round(y / np.float32(output_scale)) + np.float32(output_zero_point)
        clipped = np.clip(scaled, np.float32(limits.min), np.float32(limits.max))
    exact = np.where(np.isnan(clipped), 0.0, clipped.astype(np.float64))
    return np.clip(exact, limits.min, limits.max).astype(q.dtype)


def all_elements(dtype: np.dtype[Any]) -> Array:
    """Returns the 256 elements of an 8-bit dtype, `q` at `q mod 256`: where `relax.take` finds them, as it counts from the end below 0."""
    limits = np.iinfo(dtype)
    return np.concatenate([np.arange(0, limits.max + 1), np.arange(limits.min, 0)]).astype(dtype)


def lookup_table(function: Function, dtype: np.dtype[Any], *parameters: Any) -> Array:
    """Returns the 256 results for an 8-bit dtype, that of the element `q` at `q mod 256`."""
    return quantized_function(function, all_elements(dtype), *parameters)
