"""Activations, in f32 for floats of 16 bits, as the dialect has them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..emit import Emitter, element_of, shape_of
from ..rule import Rule, Rules
from .elementwise import wide


def _widened(write: Any) -> Rule:
    return lambda e, op, operands: e.convert(write(e, op, wide(e, operands[0])), element_of(operands[0]))


def _relu(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return e.binary("maximum", operands[0], 0)


def _leaky_relu(e: Emitter, op: Any, x: Any) -> Any:
    return e.select(e.compare("greater", x, 0), x, e.binary("multiply", x, float(op.prop("alpha", 0.01))))


def _gelu(e: Emitter, op: Any, x: Any) -> Any:
    half = e.binary("multiply", x, 0.5)
    return e.binary(
        "multiply", half, e.binary("add", e.unary("chlo.erf", e.binary("multiply", x, math.sqrt(0.5))), 1.0)
    )


def _gelu_tanh(e: Emitter, op: Any, x: Any) -> Any:
    cube = e.binary("multiply", x, e.binary("multiply", x, x))
    inner = e.binary("multiply", e.binary("add", x, e.binary("multiply", cube, 0.044715)), math.sqrt(2 / math.pi))
    return e.binary("multiply", e.binary("multiply", x, 0.5), e.binary("add", e.unary("tanh", inner), 1.0))


def _silu(e: Emitter, op: Any, x: Any) -> Any:
    return e.binary("multiply", x, e.unary("logistic", x))


# Klambauer et al., Self-Normalizing Neural Networks (2017), equation 14.
_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


def _selu(e: Emitter, op: Any, x: Any) -> Any:
    low = e.binary("multiply", e.unary("exponential_minus_one", x), _SELU_ALPHA)
    return e.binary("multiply", e.select(e.compare("greater", x, 0.0), x, low), _SELU_SCALE)


def _softplus(e: Emitter, op: Any, x: Any) -> Any:
    beta, threshold = op.prop("beta", 1.0), op.prop("threshold", 20.0)
    scaled = e.binary("multiply", x, beta)
    smooth = e.binary("divide", e.unary("log_plus_one", e.unary("exponential", scaled)), beta)
    return e.select(e.compare("greater", scaled, threshold), x, smooth)


def _prelu(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, alpha = (wide(e, operand) for operand in operands)
    rank = len(shape_of(x))
    if rank:
        axis = op.channel_axis(rank)
        alpha = e.reshape(alpha, [shape_of(alpha)[0] if index == axis else 1 for index in range(rank)])
    else:
        alpha = e.reshape(alpha, [])
    y = e.select(e.compare("greater", x, 0.0), x, e.binary("multiply", alpha, x))
    return e.convert(y, element_of(operands[0]))


RULES: Rules = {
    "relax.nn.gelu": _widened(_gelu),
    "relax.nn.gelu_tanh": _widened(_gelu_tanh),
    "relax.nn.leakyrelu": _widened(_leaky_relu),
    "relax.nn.prelu": _prelu,
    "relax.nn.relu": _relu,
    "relax.nn.selu": _widened(_selu),
    "relax.nn.silu": _widened(_silu),
    "relax.nn.softplus": _widened(_softplus),
}
