"""Normalizations with weights."""

from __future__ import annotations

from collections.abc import Sequence

from .. import op
from ..annotations import checked
from ..errors import ModelError
from ..module import Module
from ..symbols import IntExpr
from ..tensor import Parameter, Tensor, apply


class LayerNorm(Module):
    """Normalizes along the last dim, with a weight and a bias if `elementwise_affine` is true."""

    @checked
    def __init__(
        self,
        normalized_shape: IntExpr,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        dtype: str | None = None,
    ):
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.weight: Tensor | None = Parameter((normalized_shape,), dtype) if elementwise_affine else None
        self.bias: Tensor | None = Parameter((normalized_shape,), dtype) if elementwise_affine else None

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns `x` normalized."""
        return op.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(Module):
    """Divides by the root of the mean of squares along axes, with a weight and, by default, a bias."""

    @checked
    def __init__(
        self,
        hidden_size: IntExpr,
        axes: int | Sequence[int],
        epsilon: float = 1e-5,
        bias: bool = True,
        dtype: str | None = None,
    ):
        self.epsilon = epsilon
        self.axes = axes
        self.weight: Tensor = Parameter((hidden_size,), dtype)
        self.bias: Tensor | None = Parameter((hidden_size,), dtype) if bias else None

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns `x` normalized."""
        result = op.rms_norm(x, self.weight, self.axes, self.epsilon)
        return result if self.bias is None else op.add(result, self.bias)


class GroupNorm(Module):
    """Normalizes groups of channels, with a weight and a bias for each channel if `affine` is true."""

    @checked
    def __init__(
        self,
        num_groups: int,
        num_channels: IntExpr,
        eps: float = 1e-5,
        affine: bool = True,
        dtype: str | None = None,
    ):
        if num_groups < 1 or (isinstance(num_channels, int) and num_channels % num_groups):
            raise ModelError(f"GroupNorm expected groups that divide {num_channels} channels, got {num_groups}")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.weight: Tensor | None = Parameter((num_channels,), dtype) if affine else None
        self.bias: Tensor | None = Parameter((num_channels,), dtype) if affine else None

    @checked
    def forward(self, x: Tensor, channel_axis: int = 1, axes: Sequence[int] | None = None) -> Tensor:
        """Returns `x` normalized over the channels of each group and `axes`, the dims behind the second by default."""
        return op.group_norm(x, self.num_groups, self.weight, self.bias, self.eps, channel_axis, axes)


class BatchNorm(Module):
    """Normalizes each channel, dim 1, by the mean and variance of the training, which are parameters."""

    IGNORED_STATE = ("num_batches_tracked",)

    @checked
    def __init__(self, num_features: IntExpr, eps: float = 1e-5, dtype: str | None = None):
        self.num_features = num_features
        self.eps = eps
        self.weight: Tensor = Parameter((num_features,), dtype)
        self.bias = Parameter((num_features,), dtype)
        self.running_mean = Parameter((num_features,), dtype)
        self.running_var = Parameter((num_features,), dtype)

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns `x` normalized."""
        operands = x, self.weight, self.bias, self.running_mean, self.running_var
        names = ("batch_norm", "mean", "variance")
        result, _, _ = apply("nn.batch_norm", *operands, axis=1, epsilon=self.eps, training=False, name=names)
        return result
