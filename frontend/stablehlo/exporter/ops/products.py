"""Products of matrices, einsum and convolutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from math import prod
from typing import Any, TypeAlias

import numpy as np

from .....dialects.relax.attrs import element_type_of
from .....dialects.relax.dtypes import accumulator_of
from ...bindings import ir
from ..emit import Emitter, element_of, integer, ints, matrix, shape_of
from ..rule import Rules, known_sizes, result_element, result_shape
from .elementwise import converted, wide


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
    sums = sums_of(op)
    factors = [factor(e, x, sums) for x in (lhs, rhs)]
    return converted(e, e.op("dot_general", factors, shape, sums, {"dot_dimension_numbers": numbers}), element)


def batched_product(e: Emitter, lhs: Any, rhs: Any) -> Any:
    """Writes the product of matrices of wide elements, whose other dims are the same."""
    count = len(shape_of(lhs)) - 2
    shape = [*shape_of(lhs)[:-1], shape_of(rhs)[-1]]
    numbers = {"dot_dimension_numbers": _numbers(count, count + 1, count)}
    return e.op("dot_general", (lhs, rhs), shape, element_of(lhs), numbers)


def sums_of(op: Any) -> str:
    """Returns the element type that products are summed in: the wider one of those of the operands and of the result."""
    return str(accumulator_of(element_type_of(op.operands[0].type), element_type_of(op.results[0].type)))


def factor(e: Emitter, x: Any, sums: str) -> Any:
    """Writes a factor of sums of an element type: floats of 16 bits and signed bytes are factors as they are."""
    return x if (element_of(x), sums) in _FACTORS else converted(e, x, sums)


_FACTORS = {("f16", "f32"), ("bf16", "f32")}


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


def _outer(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    column, row = (wide(e, x) for x in operands)
    return e.convert(e.binary("multiply", e.reshape(column, [*shape_of(column), 1]), row), result_element(op))


def _einsum(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    subscripts = op.parsed([shape_of(x) for x in operands])
    terms = list(subscripts.operands)
    repeated = {
        label
        for term, x in zip(terms, operands, strict=True)
        for label, size in zip(term, shape_of(x), strict=True)
        if size != 1
    }
    parts = [_diagonal(e, wide(e, x), term, repeated) for x, term in zip(operands, terms, strict=True)]
    y, labels = parts[0]
    for index, (x, others) in enumerate(parts[1:], start=1):
        later = {label for _, term in parts[index + 1 :] for label in term} | set(subscripts.result)
        y, labels = _contracted(
            e, _summed(e, y, labels, later | set(others)), _summed(e, x, others, later | set(labels)), later
        )
    y, labels = _summed(e, y, labels, set(subscripts.result))
    y = e.transpose(y, [labels.index(label) for label in subscripts.result])
    return e.convert(e.reshape(y, result_shape(op)), result_element(op))


Labeled: TypeAlias = tuple[Any, list[str]]
"""A value, and a label for each of its dims."""


def _diagonal(e: Emitter, x: Any, term: Sequence[str], repeated: set[str]) -> Labeled:
    """Writes an operand without the dims of size 1 that are repeated elsewhere, and with one dim of each label."""
    kept = [axis for axis, label in enumerate(term) if shape_of(x)[axis] != 1 or label not in repeated]
    x, labels = e.reshape(x, [shape_of(x)[axis] for axis in kept]), [term[axis] for axis in kept]
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            is_equal = e.compare("equal", *(e.iota(shape_of(x), axis, "i64") for axis in (first, second)))
            x = e.reduce(e.select(is_equal, x, e.constant(0, element_of(x))), "add", 0, [second])
            del labels[second]
    return x, labels


def _summed(e: Emitter, x: Any, labels: Sequence[str], needed: set[str]) -> Labeled:
    """Writes the sum over dims whose labels are not needed."""
    axes = [axis for axis, label in enumerate(labels) if label not in needed]
    return e.reduce(x, "add", 0, axes), [label for label in labels if label in needed]


def _contracted(e: Emitter, lhs: Labeled, rhs: Labeled, needed: set[str]) -> Labeled:
    """Writes the product of two operands, summed over the labels that both have and that are not needed."""
    (x, own), (y, others) = lhs, rhs
    batch = [label for label in own if label in others and label in needed]
    inner = [label for label in own if label in others and label not in needed]
    free = [[label for label in labels if label not in batch and label not in inner] for labels in (own, others)]
    lists = [[labels.index(label) for label in group] for group in (batch, inner) for labels in (own, others)]
    names = ("lhs_batching", "rhs_batching", "lhs_contracting", "rhs_contracting")
    numbers = ", ".join(f"{name}_dimensions = {axes}" for name, axes in zip(names, lists, strict=True))
    sizes = {**dict(zip(own, shape_of(x), strict=True)), **dict(zip(others, shape_of(y), strict=True))}
    labels = [*batch, *free[0], *free[1]]
    attributes = {"dot_dimension_numbers": ir.Attribute.parse(f"#stablehlo.dot<{numbers}>")}
    return e.op("dot_general", (x, y), [sizes[label] for label in labels], element_of(x), attributes), labels


def _pack_weight(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, packed = operands[0], result_shape(op)
    panels, groups, width, group = packed if len(packed) == 4 else [*packed, 1]
    rows, columns = shape_of(x)
    x = e.pad(x, e.constant(0, element_of(x)), [0, 0], [groups * group - rows, panels * width - columns])
    x = e.transpose(e.reshape(x, [groups, group, panels, width]), [2, 0, 3, 1])
    return e.reshape(x, packed)


def _packed_matmul(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    lhs, packed = operands
    shape = shape_of(packed)
    panels, groups, width, group = shape if len(shape) == 4 else (*shape, 1)
    matrix = e.transpose(e.reshape(packed, [panels, groups, width, group]), [1, 3, 0, 2])
    matrix = e.reshape(matrix, [groups * group, panels * width])
    matrix = e.slice(matrix, [0, 0], [shape_of(lhs)[-1], op.prop("columns")])
    return e.reshape(product(e, op, lhs, matrix), result_shape(op))


def _conv(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    data, kernel = operands
    if op.kernel_block:
        # The channels of a block stand beside the blocks again.
        sizes, axes = shape_of(kernel), op.kernel_axes()
        kernel = e.transpose(kernel, list(chain(*axes)))
        kernel = e.reshape(kernel, [prod(sizes[k] for k in each) for each in axes])
    windows = op.windows([shape_of(kernel)[axis] for axis in op.kernel_positions()[2:]])
    pads = [(window.before, window.after) for window in windows]
    strides = [window.stride for window in windows]
    return _convolution(e, op, data, kernel, op.kernel_positions(), pads, {"window_strides": ints(strides)})


def _conv_transpose(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    data, kernel = operands
    places, groups = op.kernel_positions(), op.group_count
    windows = op.windows([shape_of(kernel)[axis] for axis in places[2:]])
    kernel = e.reverse(e.transpose(kernel, places), range(2, len(places)))
    inputs, outputs, *sizes = shape_of(kernel)
    if groups > 1:
        kernel = e.reshape(kernel, [groups, inputs // groups, outputs, *sizes])
        kernel = e.transpose(kernel, [1, 0, 2, *range(3, len(places) + 1)])
        kernel = e.reshape(kernel, [inputs // groups, groups * outputs, *sizes])
    pads = [
        (extent - 1 - window.before, extent - 1 - window.after + extra)
        for window, extra, extent in zip(
            windows, op.output_paddings(), known_sizes([window.extent() for window in windows]), strict=True
        )
    ]
    at = (1, 0, *range(2, len(places)))
    return _convolution(e, op, data, kernel, at, pads, {"lhs_dilation": ints([window.stride for window in windows])})


def _convolution(
    e: Emitter,
    op: Any,
    data: Any,
    kernel: Any,
    kernel_at: Sequence[int],
    pads: Sequence[tuple[int, int]],
    steps: Mapping[str, Any],
) -> Any:
    """Writes a convolution; `kernel_at` tells where outputs, inputs and spatial dims of the kernel stand."""
    windows = op.windows([shape_of(kernel)[axis] for axis in kernel_at[2:]])
    if 0 in (*shape_of(data), *shape_of(kernel)):
        return e.constant(0, result_element(op), result_shape(op))
    data_at, out_at = op.data_positions(), op.out_positions()
    numbers = ir.Attribute.parse(
        f"#stablehlo.conv<raw input_batch_dimension = {data_at[0]}, input_feature_dimension = {data_at[1]}, "
        f"input_spatial_dimensions = {list(data_at[2:])}, kernel_input_feature_dimension = {kernel_at[1]}, "
        f"kernel_output_feature_dimension = {kernel_at[0]}, kernel_spatial_dimensions = {list(kernel_at[2:])}, "
        f"output_batch_dimension = {out_at[0]}, output_feature_dimension = {out_at[1]}, "
        f"output_spatial_dimensions = {list(out_at[2:])}>"
    )
    attributes = {
        "dimension_numbers": numbers,
        "padding": matrix(pads),
        "rhs_dilation": ints([window.dilation for window in windows]),
        "feature_group_count": integer(op.group_count),
        "batch_group_count": integer(1),
        **steps,
    }
    sums = sums_of(op)
    operands = [factor(e, x, sums) for x in (data, kernel)]
    return converted(e, e.op("convolution", operands, result_shape(op), sums, attributes), result_element(op))


RULES: Rules = {
    "relax.einsum": _einsum,
    "relax.linear": _linear,
    "relax.matmul": _matmul,
    "relax.nn.conv1d": _conv,
    "relax.nn.conv1d_transpose": _conv_transpose,
    "relax.nn.conv2d": _conv,
    "relax.nn.conv2d_transpose": _conv_transpose,
    "relax.nn.conv3d": _conv,
    "relax.nn.conv3d_transpose": _conv_transpose,
    "relax.outer": _outer,
    "relax.pack_weight": _pack_weight,
    "relax.packed_matmul": _packed_matmul,
}
