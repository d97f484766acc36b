"""Normalizations, in f32 for floats of 16 bits, rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .....dialects.relax.ops.nn.norm import EPSILON
from ..emit import Emitter, element_of, shape_of
from ..rule import Rules
from .elementwise import wide
from .reductions import kept, mean_of, total


def _along(e: Emitter, vector: Any, axes: Sequence[int], shape: Sequence[int]) -> Any:
    """Writes a parameter that has the dims `axes` of a shape, broadcast to it."""
    return e.place(wide(e, vector), axes, shape)


def _affine(e: Emitter, op: Any, x: Any, parameters: Sequence[Any], axes: Sequence[int]) -> Any:
    gamma, beta = (_along(e, parameter, axes, shape_of(x)) for parameter in parameters)
    if op.prop("scale", True):
        x = e.binary("multiply", x, gamma)
    return e.binary("add", x, beta) if op.prop("center", True) else x


def _deviation(e: Emitter, op: Any, variance: Any) -> Any:
    return e.unary("sqrt", e.binary("add", variance, op.prop("epsilon", EPSILON)))


def _moments(e: Emitter, x: Any, axes: Sequence[int]) -> tuple[Any, Any]:
    """Writes mean and variance over axes, which are dropped."""
    mean = mean_of(e, x, axes)
    centered = e.binary("subtract", x, kept(e, mean, shape_of(x), axes))
    return mean, mean_of(e, e.binary("multiply", centered, centered), axes)


def _standardized(e: Emitter, op: Any, x: Any, axes: Sequence[int]) -> Any:
    mean, variance = (kept(e, moment, shape_of(x), axes) for moment in _moments(e, x, axes))
    return e.binary("divide", e.binary("subtract", x, mean), _deviation(e, op, variance))


def _layer_norm(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = wide(e, operands[0])
    axes = op.normalized(len(shape_of(x)))
    y = _affine(e, op, _standardized(e, op, x, axes), operands[1:], axes)
    return e.convert(y, element_of(operands[0]))


def _rms_norm(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = wide(e, operands[0])
    axes = op.normalized(len(shape_of(x)))
    squares = kept(e, mean_of(e, e.binary("multiply", x, x), axes), shape_of(x), axes)
    y = e.binary("divide", x, _deviation(e, op, squares))
    y = e.binary("multiply", y, _along(e, operands[1], axes, shape_of(x)))
    return e.convert(y, element_of(operands[0]))


def _l2_normalize(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = wide(e, operands[0])
    axes = op.normalized(len(shape_of(x)))
    squares = kept(e, total(e, e.binary("multiply", x, x), axes), shape_of(x), axes)
    length = e.unary("sqrt", e.binary("maximum", squares, op.prop("eps")))
    return e.convert(e.binary("divide", x, length), element_of(operands[0]))


def _group_norm(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = wide(e, operands[0])
    shape, groups = shape_of(x), op.prop("num_groups")
    channel = op.channel(len(shape))
    axes = [axis + (axis > channel) for axis in op.normalized(len(shape))]
    split = e.split(x, channel, [groups, shape[channel] // groups])
    y = e.reshape(_standardized(e, op, split, [channel + 1, *axes]), shape)
    return e.convert(_affine(e, op, y, operands[1:], [channel]), element_of(operands[0]))


def _instance_norm(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = wide(e, operands[0])
    rank = len(shape_of(x))
    y = _standardized(e, op, x, op.normalized(rank))
    return e.convert(_affine(e, op, y, operands[1:], [op.channel(rank)]), element_of(operands[0]))


def _batch_norm(e: Emitter, op: Any, operands: Sequence[Any]) -> list[Any]:
    x, _, _, mean, variance = (wide(e, operand) for operand in operands)
    shape, element = shape_of(x), element_of(operands[0])
    channel = op.channel(len(shape))
    new_mean, new_variance = operands[3:]
    if op.prop("training", True):
        others = [axis for axis in range(len(shape)) if axis != channel]
        moments = _moments(e, x, others)
        # The share of what was before is 1 less the momentum as the element type has it.
        momentum = (np.float64 if element == "f64" else np.float32)(op.prop("momentum", 0.1))
        new_mean, new_variance = (
            e.convert(
                e.binary(
                    "add", e.binary("multiply", old, float(1 - momentum)), e.binary("multiply", new, float(momentum))
                ),
                element,
            )
            for old, new in zip((mean, variance), moments, strict=True)
        )
        mean, variance = moments
    factor = e.binary("divide", e.constant(1.0, element_of(x)), _deviation(e, op, variance))
    y = e.binary("subtract", x, _along(e, mean, [channel], shape))
    y = e.binary("multiply", y, _along(e, factor, [channel], shape))
    return [e.convert(_affine(e, op, y, operands[1:3], [channel]), element), new_mean, new_variance]


RULES: Rules = {
    "relax.nn.batch_norm": _batch_norm,
    "relax.nn.group_norm": _group_norm,
    "relax.nn.instance_norm": _instance_norm,
    "relax.nn.l2_normalize": _l2_normalize,
    "relax.nn.layer_norm": _layer_norm,
    "relax.nn.rms_norm": _rms_norm,
}
