"""Interpreter rules of normalizations; f16 and bf16 are computed in f32 and rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialects.relax.ops.nn import norm as nn_norm
from ...rule import Bindings, Rules, result_dtype, widened
from ..reduction import mean_of


def _along(vector: Any, axes: Sequence[int], rank: int) -> Any:
    """Returns a parameter with the dims `axes` of an array of some rank, ready to broadcast."""
    order = np.argsort(axes)
    shape = [1] * rank
    for axis, size in zip(axes, vector.shape, strict=True):
        shape[axis] = size
    return widened(vector).transpose(order).reshape(shape)


def _affine(op: Any, x: Any, gamma: Any, beta: Any) -> Any:
    if op.prop("scale", True):
        x = x * gamma
    return x + beta if op.prop("center", True) else x


def _standardized(x: Any, axes: Sequence[int], epsilon: float) -> Any:
    centered = x - mean_of(x, axis=axes, keepdims=True)
    variance = mean_of(centered * centered, axis=axes, keepdims=True)
    return centered / np.sqrt(variance + x.dtype.type(epsilon))


def _layer_norm(op: nn_norm.LayerNormOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x = widened(args[0])
    axes = op.normalized(x.ndim)
    y = _standardized(x, axes, op.prop("epsilon", nn_norm.EPSILON))
    return [_affine(op, y, *(_along(array, axes, x.ndim) for array in args[1:])).astype(result_dtype(op))]


def _rms_norm(op: nn_norm.RMSNormOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x = widened(args[0])
    axes = op.normalized(x.ndim)
    mean = mean_of(x * x, axis=axes, keepdims=True)
    y = x / np.sqrt(mean + x.dtype.type(op.prop("epsilon", nn_norm.EPSILON)))
    return [(y * _along(args[1], axes, x.ndim)).astype(result_dtype(op))]


def _l2_normalize(op: nn_norm.L2NormalizeOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x = widened(args[0])
    total = np.sum(x * x, axis=op.normalized(x.ndim), keepdims=True, dtype=x.dtype)
    return [(x / np.sqrt(np.maximum(total, x.dtype.type(op.prop("eps"))))).astype(result_dtype(op))]


def _group_norm(op: nn_norm.GroupNormOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x = widened(args[0])
    channel, groups = op.channel(x.ndim), op.prop("num_groups")
    axes = [axis + (axis > channel) for axis in op.normalized(x.ndim)]
    shape = x.shape
    split = x.reshape(*shape[:channel], groups, shape[channel] // groups, *shape[channel + 1 :])
    y = _standardized(split, [channel + 1, *axes], op.prop("epsilon", nn_norm.EPSILON)).reshape(shape)
    return [_affine(op, y, *(_along(array, [channel], x.ndim) for array in args[1:])).astype(result_dtype(op))]


def _instance_norm(op: nn_norm.InstanceNormOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x = widened(args[0])
    channel = op.channel(x.ndim)
    y = _standardized(x, op.normalized(x.ndim), op.prop("epsilon", nn_norm.EPSILON))
    return [_affine(op, y, *(_along(array, [channel], x.ndim) for array in args[1:])).astype(result_dtype(op))]


def _batch_norm(op: nn_norm.BatchNormOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x, gamma, beta, moving_mean, moving_var = map(widened, args)
    channel = op.channel(x.ndim)
    mean, variance = moving_mean, moving_var
    new_mean, new_var = args[3], args[4]
    if op.prop("training", True):
        others = tuple(axis for axis in range(x.ndim) if axis != channel)
        momentum = x.dtype.type(op.prop("momentum", 0.1))
        mean = mean_of(x, axis=others)
        centered = x - _along(mean, [channel], x.ndim)
        variance = mean_of(centered * centered, axis=others)
        new_mean = (1 - momentum) * moving_mean + momentum * mean
        new_var = (1 - momentum) * moving_var + momentum * variance
    factor = 1 / np.sqrt(variance + x.dtype.type(op.prop("epsilon", nn_norm.EPSILON)))
    y = (x - _along(mean, [channel], x.ndim)) * _along(factor, [channel], x.ndim)
    y = _affine(op, y, _along(gamma, [channel], x.ndim), _along(beta, [channel], x.ndim))
    dtype = result_dtype(op)
    return [y.astype(dtype), new_mean.astype(dtype), new_var.astype(dtype)]


RULES: Rules = {
    nn_norm.LayerNormOp: _layer_norm,
    nn_norm.RMSNormOp: _rms_norm,
    nn_norm.L2NormalizeOp: _l2_normalize,
    nn_norm.GroupNormOp: _group_norm,
    nn_norm.InstanceNormOp: _instance_norm,
    nn_norm.BatchNormOp: _batch_norm,
}
