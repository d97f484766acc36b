"""Interpreter rules of activations; f16 and bf16 are computed in f32."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....dialects.relax.ops.nn import activation as nn_activation
from ...blockwise import erf, in_blocks
from ...rule import Bindings, Rule, Rules, result_dtype, widened

# Klambauer et al., Self-Normalizing Neural Networks (2017), equation 14.
SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805


def _rounded_once(function: Callable[[Any, Any], Any]) -> Rule:
    """Makes a rule of a function of the op and the widened data."""
    return lambda op, args, bindings: [np.asarray(function(op, widened(args[0]))).astype(result_dtype(op))]


def _gelu(op: Any, x: Any) -> Any:
    def gelu(block: Any) -> Any:
        return block * (0.5 + 0.5 * erf(block.astype(np.float64) * math.sqrt(0.5))).astype(block.dtype)

    return in_blocks(gelu, x, x.dtype)


def _gelu_tanh(op: Any, x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def _softplus(op: nn_activation.SoftplusOp, x: Any) -> Any:
    beta, threshold = op.prop("beta", 1.0), op.prop("threshold", 20.0)
    return np.where(beta * x > threshold, x, np.log1p(np.exp(beta * x)) / beta)


def _prelu(op: nn_activation.PReluOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x, alpha = widened(args[0]), widened(args[1])
    shape = [1] * x.ndim
    shape[op.channel_axis(x.ndim)] = alpha.size
    return [np.where(x > 0, x, alpha.reshape(shape) * x).astype(result_dtype(op))]


RULES: Rules = {
    nn_activation.ReluOp: _rounded_once(lambda op, x: np.maximum(x, x.dtype.type(0))),
    nn_activation.LeakyReluOp: _rounded_once(lambda op, x: np.where(x > 0, x, op.prop("alpha", 0.01) * x)),
    nn_activation.PReluOp: _prelu,
    nn_activation.GeluOp: _rounded_once(_gelu),
    nn_activation.GeluTanhOp: _rounded_once(_gelu_tanh),
    nn_activation.SiluOp: _rounded_once(lambda op, x: x / (1 + np.exp(-x))),
    nn_activation.SeluOp: _rounded_once(
        lambda op, x: SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * np.expm1(np.minimum(x, x.dtype.type(0))))
    ),
    nn_activation.SoftplusOp: _rounded_once(_softplus),
}
