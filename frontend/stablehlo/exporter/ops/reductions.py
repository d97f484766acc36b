"""Reductions, scans and softmax."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..emit import Emitter, element_of, shape_of
from ..rule import Rule, Rules, axes_of, result_element, result_shape
from .elementwise import converted, limits_of, wide


def least(element: str) -> float:
    """Returns what is not above any number of an element type."""
    if element == "i1":
        return 0
    if element.startswith(("f", "b")):
        return -math.inf
    return int(limits_of(element).min)


def greatest(element: str) -> float:
    """Returns what is not below any number of an element type."""
    if element == "i1":
        return 1
    if element.startswith(("f", "b")):
        return math.inf
    return int(limits_of(element).max)


def total(e: Emitter, x: Any, axes: Sequence[int]) -> Any:
    """Writes a sum over axes, which are dropped."""
    return e.reduce(x, "add", 0, axes)


def kept(e: Emitter, x: Any, shape: Sequence[int], axes: Sequence[int]) -> Any:
    """Writes a reduced tensor with its axes as dims of size 1."""
    return e.reshape(x, [1 if axis in axes else size for axis, size in enumerate(shape)])


def _reduction(name: str) -> Rule:
    def write(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
        x = operands[0]
        element = element_of(x)
        initial = {"add": 0, "multiply": 1, "maximum": least(element), "minimum": greatest(element)}[name]
        x = wide(e, x) if name in ("add", "multiply") else x
        reduced = e.reduce(x, name, initial, axes_of(op, "axis", len(shape_of(x))))
        return e.convert(e.reshape(reduced, result_shape(op)), element)

    return write


def mean_of(e: Emitter, x: Any, axes: Sequence[int]) -> Any:
    """Writes a mean over axes, which are dropped."""
    count = float(np.prod([shape_of(x)[axis] for axis in axes], dtype=np.float64))
    return e.binary("divide", total(e, x, axes), count)


def _mean(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = wide(e, operands[0])
    mean = mean_of(e, x, axes_of(op, "axis", len(shape_of(x))))
    return e.convert(e.reshape(mean, result_shape(op)), element_of(operands[0]))


def _variance(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = wide(e, operands[0])
    axes = axes_of(op, "axis", len(shape_of(x)))
    centered = e.binary("subtract", x, kept(e, mean_of(e, x, axes), shape_of(x), axes))
    variance = mean_of(e, e.binary("multiply", centered, centered), axes)
    variance = e.unary("sqrt", variance) if op.name == "relax.std" else variance
    return e.convert(e.reshape(variance, result_shape(op)), element_of(operands[0]))


def _softmax(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = wide(e, operands[0])
    axis = op.prop("axis", -1) % len(shape_of(x))
    most = kept(e, e.reduce(x, "maximum", -math.inf, [axis]), shape_of(x), [axis])
    shifted = e.binary("subtract", x, most)
    power = e.unary("exponential", shifted)
    whole = kept(e, total(e, power, [axis]), shape_of(x), [axis])
    if op.name == "relax.nn.log_softmax":
        y = e.binary("subtract", shifted, e.unary("log", whole))
    else:
        y = e.binary("divide", power, whole)
    return e.convert(y, element_of(operands[0]))


def _scan(name: str, initial: int) -> Rule:
    def write(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
        element = result_element(op)
        x = wide(e, converted(e, operands[0], element))
        if op.prop("axis") is None:
            x = e.reshape(x, result_shape(op))
        shape = shape_of(x)
        axis = op.prop("axis", 0) % len(shape)
        size = shape[axis]
        if op.prop("exclusive") and size:
            x = e.along(x, axis, 0, size - 1)
            low = [1 if index == axis else 0 for index in range(len(shape))]
            x = e.pad(x, e.constant(initial, element_of(x)), low, [0] * len(shape))
        sizes = [size if index == axis else 1 for index in range(len(shape))]
        pads = [(size - 1 if index == axis else 0, 0) for index in range(len(shape))]
        y = e.reduce_windows(x, name, initial, sizes, pads) if size > 1 else x
        return e.convert(y, element)

    return write


RULES: Rules = {
    "relax.cumprod": _scan("multiply", 1),
    "relax.cumsum": _scan("add", 0),
    "relax.max": _reduction("maximum"),
    "relax.mean": _mean,
    "relax.min": _reduction("minimum"),
    "relax.nn.log_softmax": _softmax,
    "relax.nn.softmax": _softmax,
    "relax.prod": _reduction("multiply"),
    "relax.std": _variance,
    "relax.sum": _reduction("add"),
    "relax.variance": _variance,
}
