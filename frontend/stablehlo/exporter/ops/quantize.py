"""Quantization and its inverse, with the rounding of the dialect; the other quantized ops are legalized before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .....dialects.relax.attrs import element_type_of
from .....dialects.relax.rules.qnn_rules import limits
from ..emit import Emitter, shape_of
from ..rule import Rules, result_element
from .elementwise import converted, wide


def _parameter(e: Emitter, op: Any, parameter: Any, rank: int) -> Any:
    """Writes a scale or a zero point in the shape in which it broadcasts."""
    count = int(np.prod(shape_of(parameter), dtype=np.int64))
    if all(size == 1 for size in shape_of(parameter)):
        return e.reshape(parameter, [])
    return e.reshape(parameter, [count if axis == op.normalized_axis() % rank else 1 for axis in range(rank)])


def _quantize(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    data, *parameters = (wide(e, x) for x in operands)
    scale, zero_point = (_parameter(e, op, parameter, len(shape_of(data))) for parameter in parameters)
    low, high = map(float, limits(element_type_of(op.results[0].type)))
    rounded = e.unary("round_nearest_even", e.binary("divide", data, scale))
    moved = e.binary("add", rounded, e.convert(zero_point, "f32"))
    return converted(e, e.binary("minimum", e.binary("maximum", moved, low), high), result_element(op))


def _dequantize(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    data, *parameters = (wide(e, x) for x in operands)
    scale, zero_point = (_parameter(e, op, parameter, len(shape_of(data))) for parameter in parameters)
    difference = e.binary("subtract", e.convert(data, "i32"), converted(e, zero_point, "i32"))
    y = e.binary("multiply", e.convert(difference, "f32"), scale)
    if result_element(op) == "f16":
        y = e.binary("minimum", e.binary("maximum", y, -65504.0), 65504.0)
    return e.convert(y, result_element(op))


RULES: Rules = {
    "relax.dequantize": _dequantize,
    "relax.qnn.dequantize": _dequantize,
    "relax.qnn.quantize": _quantize,
    "relax.quantize": _quantize,
}
