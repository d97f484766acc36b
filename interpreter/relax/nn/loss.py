"""Interpreter rules of loss functions; f16 and bf16 are computed in f32 and rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialects.relax.ops.nn import loss as nn_loss
from ...rule import Bindings, Rules, result_dtype, widened


def _cross_entropy(op: nn_loss.CrossEntropyWithLogitsOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    predictions, labels = widened(args[0]), widened(args[1])
    loss = -np.sum(predictions * labels)
    if predictions.ndim > 1:
        loss = loss / predictions.dtype.type(predictions.shape[0])
    return [np.asarray(loss).astype(result_dtype(op))]


def _nll_loss(op: nn_loss.NLLLossOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    predictions, targets = widened(args[0]), np.asarray(args[1])
    axis = 1 if predictions.ndim > 1 else 0
    classes = predictions.shape[axis]
    weights = widened(args[2]) if len(args) > 2 else np.ones(classes, predictions.dtype)
    if classes == 0:
        # No target is valid; there must be something to read all the same.
        predictions, weights = (
            np.pad(predictions, [(0, dim == axis) for dim in range(predictions.ndim)]),
            np.ones(1),
        )
    valid = (targets >= 0) & (targets < classes)
    chosen = np.where(valid, targets, 0).astype(np.int64)
    weight = np.where(valid, weights[chosen], np.nan)
    picked = np.take_along_axis(predictions, np.expand_dims(chosen, axis), axis).squeeze(axis)
    taken = targets != op.prop("ignore_index", -100)
    weight = np.where(taken, weight, 0).astype(predictions.dtype)
    losses = np.where(taken, -picked * weight, 0).astype(predictions.dtype)
    match op.prop("reduction", "mean"):
        case "none":
            result = losses
        case "sum":
            result = np.sum(losses)
        case _:
            result = np.sum(losses) / np.sum(weight)
    return [np.asarray(result).astype(result_dtype(op))]


RULES: Rules = {
    nn_loss.CrossEntropyWithLogitsOp: _cross_entropy,
    nn_loss.NLLLossOp: _nll_loss,
}
