"""Products with a weight."""

from __future__ import annotations

from .. import op
from ..module import Module
from ..symbols import IntExpr
from ..tensor import Parameter, Tensor


class Linear(Module):
    """`x @ weight^T + bias`, for a weight of shape `[out_features, in_features]`."""

    def __init__(
        self,
        in_features: IntExpr | str,
        out_features: IntExpr | str,
        bias: bool = True,
        dtype: str | None = None,
        out_dtype: str | None = None,
    ):
        self.in_features = in_features
        self.out_features = out_features
        self.out_dtype = out_dtype
        self.weight = Parameter((out_features, in_features), dtype)
        self.bias = Parameter((out_features,), dtype if out_dtype is None else out_dtype) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        """Returns the product in `out_dtype`, or in the dtype of `x`."""
        product = op.matmul(x, op.permute_dims(self.weight), out_dtype=self.out_dtype)
        return product if self.bias is None else product + self.bias
