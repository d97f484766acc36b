"""Normalizations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..annotations import checked
from ..errors import ModelError
from ..symbols import IntExpr
from ..tensor import Tensor, apply
from .create import ones, zeros


@checked
def layer_norm(
    x: Tensor,
    normalized_shape: IntExpr | Sequence[IntExpr],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    name: str = "layer_norm",
) -> Tensor:
    """Returns `(x - mean) / sqrt(variance + eps) * weight + bias`, with mean and variance over the last dims.

    These dims have the sizes `normalized_shape`, and so have weight and bias.
    """
    shape = list(normalized_shape) if isinstance(normalized_shape, Sequence) else [normalized_shape]
    gamma = _filled(shape, 1, x.dtype) if weight is None else weight
    beta = _filled(shape, 0, x.dtype) if bias is None else bias
    axes = list(range(-len(shape), 0))
    return apply("nn.layer_norm", x, gamma, beta, axes=axes, epsilon=eps, name=name)


@checked
def rms_norm(
    x: Tensor, weight: Tensor, axes: int | Sequence[int], epsilon: float = 1e-5, name: str = "rms_norm"
) -> Tensor:
    """Returns `x / sqrt(mean of squares + epsilon) * weight`, with the mean along axes."""
    return apply("nn.rms_norm", x, weight, axes=axes, epsilon=epsilon, name=name)


@checked
def group_norm(
    x: Tensor,
    num_groups: int,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float = 1e-5,
    channel_axis: int = 1,
    axes: Sequence[int] | None = None,
    name: str = "group_norm",
) -> Tensor:
    """Returns `(x - mean) / sqrt(variance + eps) * weight + bias`, with mean and variance over groups of channels.

    Each is taken over the channels of a group and over `axes`, the dims behind the second by default. Weight and bias have an element
    for each channel.
    """
    if not -x.ndim <= channel_axis < x.ndim:
        raise ModelError(f"group_norm expected channel_axis to be in [-{x.ndim}, {x.ndim}), got {channel_axis}")
    channels = [x.shape[channel_axis]]
    gamma = _filled(channels, 1, x.dtype) if weight is None else weight
    beta = _filled(channels, 0, x.dtype) if bias is None else bias
    attributes = {
        "num_groups": num_groups,
        "channel_axis": channel_axis,
        "axes": list(range(2, x.ndim) if axes is None else axes),
    }
    return apply("nn.group_norm", x, gamma, beta, **attributes, epsilon=eps, name=name)


def _filled(shape: Sequence[IntExpr], value: int, dtype: str) -> Tensor:
    """Returns ones or zeros: a constant where the sizes are known."""
    known = [size for size in shape if isinstance(size, int)]
    if len(known) == len(shape):
        return Tensor.from_const(np.full(known, value), dtype)
    return ones(shape, dtype) if value else zeros(shape, dtype)
