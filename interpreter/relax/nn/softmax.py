"""Interpreter rules of softmax, log-softmax and dropout; f16 and bf16 are computed in f32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialects.relax.ops.nn import softmax as nn_softmax
from ...rule import Bindings, Rules, result_dtype, widened


def _shifted(op: nn_softmax.SoftmaxLikeOp, args: Sequence[Any]) -> tuple[Any, int]:
    x = widened(args[0])
    axis = op.normalized(x.ndim)
    return x - np.max(x, axis=axis, keepdims=True, initial=-np.inf), axis


def _softmax(op: nn_softmax.SoftmaxOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    shifted, axis = _shifted(op, args)
    exponentials = np.exp(shifted)
    return [(exponentials / np.sum(exponentials, axis=axis, keepdims=True)).astype(result_dtype(op))]


def _log_softmax(op: nn_softmax.LogSoftmaxOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    shifted, axis = _shifted(op, args)
    total = np.sum(np.exp(shifted), axis=axis, keepdims=True)
    return [(shifted - np.log(total)).astype(result_dtype(op))]


def _dropout(op: nn_softmax.DropoutOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    return [args[0], np.ones_like(args[0])]


RULES: Rules = {
    nn_softmax.SoftmaxOp: _softmax,
    nn_softmax.LogSoftmaxOp: _log_softmax,
    nn_softmax.DropoutOp: _dropout,
}
