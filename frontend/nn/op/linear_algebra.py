"""Products of matrices."""

from __future__ import annotations

from ..tensor import Tensor, apply


def matmul(a: Tensor, b: Tensor, out_dtype: str | None = None, name: str = "matmul") -> Tensor:
    """Returns the matrix product by numpy's rules, in `out_dtype` if that is given."""
    return apply("matmul", a, b, out_dtype=out_dtype, name=name)
