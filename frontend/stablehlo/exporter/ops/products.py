"""Products of matrices, convolutions and pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .....dialects.relax.dtypes import accumulator
from ....model.problems import Unsupported
from ...bindings import ir
from ..emit import Emitter, element_of, integer, ints, matrix, shape_of
from ..rule import Rules, result_element, result_shape


def _matmul(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return e.reshape(product(e, op, operands[0], operands[1]), result_shape(op))


def product(e: Emitter, op: Any, lhs: Any, rhs: Any) -> Any:
    """Writes numpy's product of matrices, accumulated as in the dialect, with all dims of the operands' matrices."""
    lhs = e.reshape(lhs, (1, *shape_of(lhs))) if len(shape_of(lhs)) == 1 else lhs
    rhs = e.reshape(rhs, (*shape_of(rhs), 1)) if len(shape_of(rhs)) == 1 else rhs
    batch = list(np.broadcast_shapes(shape_of(lhs)[:-2], shape_of(rhs)[:-2]))
    lhs, rhs = (e.broadcast(x, [*batch, *shape_of(x)[-2:]]) for x in (lhs, rhs))
    count = len(batch)
    numbers = _numbers(count, count + 1, count)
    shape = [*batch, shape_of(lhs)[-2], shape_of(rhs)[-1]]
    element = result_element(op)
    sums = str(accumulator(op.results[0].type.element_type))
    y = e.op("dot_general", (lhs, rhs), shape, sums, {"dot_dimension_numbers": numbers})
    return e.convert(y, element)


def _numbers(batch: int, lhs: int, rhs: int) -> Any:
    axes = ", ".join(map(str, range(batch)))
    return ir.Attribute.parse(
        f"#stablehlo.dot<lhs_batching_dimensions = [{axes}], rhs_batching_dimensions = [{axes}], "
        f"lhs_contracting_dimensions = [{lhs}], rhs_contracting_dimensions = [{rhs}]>"
    )


def _linear(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, weight, *bias = operands
    rank = len(shape_of(weight))
    weight = e.transpose(weight, [1, 0]) if rank == 2 else weight
    y = e.reshape(product(e, op, x, weight), result_shape(op))
    return e.binary("add", y, e.convert(bias[0], element_of(y))) if bias else y


def _conv(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    data, kernel = operands
    if op.kernel_block:
        raise Unsupported(f"a kernel in blocks of {op.kernel_block} channels")
    places = op.kernel_positions()
    sizes = [shape_of(kernel)[axis] for axis in places[2:]]
    windows = op.windows(sizes)
    data_at, kernel_at, out_at = op.data_positions(), places, op.out_positions()
    numbers = ir.Attribute.parse(
        f"#stablehlo.conv<raw input_batch_dimension = {data_at[0]}, input_feature_dimension = {data_at[1]}, "
        f"input_spatial_dimensions = {list(data_at[2:])}, kernel_input_feature_dimension = {kernel_at[1]}, "
        f"kernel_output_feature_dimension = {kernel_at[0]}, kernel_spatial_dimensions = {list(kernel_at[2:])}, "
        f"output_batch_dimension = {out_at[0]}, output_feature_dimension = {out_at[1]}, "
        f"output_spatial_dimensions = {list(out_at[2:])}>"
    )
    attributes = {
        "dimension_numbers": numbers,
        "window_strides": ints([window.stride for window in windows]),
        "padding": matrix([[window.before, window.after] for window in windows]),
        "rhs_dilation": ints([window.dilation for window in windows]),
        "feature_group_count": integer(op.group_count),
        "batch_group_count": integer(1),
    }
    sums = str(accumulator(op.results[0].type.element_type))
    y = e.op("convolution", (data, kernel), result_shape(op), sums, attributes)
    return e.convert(y, result_element(op))


RULES: Rules = {
    "relax.linear": _linear,
    "relax.matmul": _matmul,
    "relax.nn.conv1d": _conv,
    "relax.nn.conv2d": _conv,
    "relax.nn.conv3d": _conv,
}
