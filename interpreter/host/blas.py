"""Packed functions that `relax-offload-blas` calls: matrix products by the BLAS that numpy was built with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def _function(is_transposed: bool, has_bias: bool, has_relu: bool) -> Callable[..., None]:
    """Returns `f(bias?, w, x, out)`, which writes `relu?(x @ w + bias?)`, or with the weight transposed, into `out`."""

    def call(*arrays: Array) -> None:
        *bias, w, x, out = arrays
        w = w.T if is_transposed else w
        # A bias may have more dims than the product, or larger ones.
        made = np.matmul(x, w, out=out if _product_shape(x, w) == out.shape else None)
        if has_bias:
            np.add(made, bias[0], out=out)
        if has_relu:
            np.maximum(out, 0, out=out)

    return call


def _product_shape(x: Array, w: Array) -> tuple[int, ...]:
    if x.ndim == 1 or w.ndim == 1:
        return x.shape[:-1] + (w.shape[:-2] + w.shape[-1:] if w.ndim > 1 else ())
    return (*np.broadcast_shapes(x.shape[:-2], w.shape[:-2]), x.shape[-2], w.shape[-1])


BLAS: Mapping[str, Callable[..., None]] = {
    "blas.matmul" + "_transposed" * is_transposed + "_bias" * has_bias + "_relu" * has_relu: _function(
        is_transposed, has_bias, has_relu
    )
    for is_transposed, has_bias, has_relu in product((False, True), repeat=3)
}
