"""Products with a weight, and rows of one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from .. import op
from ..annotations import checked
from ..module import Module
from ..symbols import IntExpr
from ..tensor import Parameter, Tensor, apply


class _Affine(Module):
    """`x @ weight^T + bias`, for a weight of shape `[rows, in_features]`."""

    @checked
    def __init__(
        self,
        in_features: IntExpr | str,
        rows: IntExpr | str,
        bias: bool,
        dtype: str | None,
        out_dtype: str | None,
    ):
        self.in_features = in_features
        self.out_dtype = out_dtype
        self.weight: Tensor = Parameter((rows, in_features), dtype)
        self.bias: Tensor | None = Parameter((rows,), dtype if out_dtype is None else out_dtype) if bias else None

    def product(self, x: Tensor) -> Tensor:
        """Returns the product in `out_dtype`, or in the dtype of `x`."""
        product = op.matmul(x, op.permute_dims(self.weight), out_dtype=self.out_dtype)
        return product if self.bias is None else product + self.bias

    def to(self, dtype: str | None = None) -> None:
        """Changes the dtype of the weight, and that of the bias unless it is `out_dtype`."""
        bias = self.bias
        if self.out_dtype is not None:
            self.bias = None
        try:
            super().to(dtype)
        finally:
            self.bias = bias


class Linear(_Affine):
    """`x @ weight^T + bias`, for a weight of shape `[out_features, in_features]`."""

    @checked
    def __init__(
        self,
        in_features: IntExpr | str,
        out_features: IntExpr | str,
        bias: bool = True,
        dtype: str | None = None,
        out_dtype: str | None = None,
    ):
        super().__init__(in_features, out_features, bias, dtype, out_dtype)
        self.out_features = out_features

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns the product in `out_dtype`, or in the dtype of `x`."""
        return self.product(x)


class MultiLinear(_Affine):
    """Several linear layers of one input, whose weights are the rows of one weight `[sum of out_features, in_features]`."""

    @checked
    def __init__(
        self,
        in_features: IntExpr | str,
        out_features: Sequence[int],
        bias: bool = True,
        dtype: str | None = None,
        out_dtype: str | None = None,
    ):
        super().__init__(in_features, sum(out_features), bias, dtype, out_dtype)
        self.out_features = out_features
        self.sections = list(accumulate(out_features))[:-1]

    @checked
    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        """Returns the result of each layer."""
        return op.split(self.product(x), self.sections, axis=-1)


class Embedding(Module):
    """The rows of a weight `[num, dim]` at indices; those out of range are what `relax.take` makes of them, no error."""

    @checked
    def __init__(self, num: IntExpr | str, dim: IntExpr | str, dtype: str | None = None):
        self.num = num
        self.dim = dim
        self.weight: Tensor = Parameter((num, dim), dtype)

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns a row for each index, in the shape of `x`."""
        if x.ndim == 1:
            return op.take(self.weight, x, axis=0)
        rows = op.take(self.weight, op.reshape(x, [-1]), axis=0)
        # Not `op.reshape`, to which 0 is no size.
        return apply("reshape", rows, [*x.shape, self.weight.shape[1]], name="reshape")
