"""Quantization and its inverse, with the rounding of the dialect; the other quantized ops are legalized before."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f16, f32, i32

from .....dialects.relax.attrs import element_type_of
from .....dialects.relax.ops.qnn import elementwise as qnn
from .....dialects.relax.rules.qnn_rules import limits
from ..table import Rules, Scope


def _operands(op: qnn.QuantizeBase | qnn.DequantizeBase, args: Sequence[str], scope: Scope) -> list[str]:
    count = len(scope.dims(op.operands[0], args[0]))
    parameters: list[str] = []
    for operand, arg in zip(op.operands[1:], args[1:], strict=True):
        shape = scope.dims(operand, arg)
        if all(dim == 1 for dim in shape):
            parameters.append(scope.nodes.with_shape(arg, scope.nodes.integers([])))
        else:
            along = [-1 if axis == op.normalized_axis() % count else 1 for axis in range(count)]
            parameters.append(scope.nodes.moved("Reshape", [arg], [scope.nodes.integers(along)]))
    return [args[0], *parameters]


def _quantize(op: qnn.QuantizeBase, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    data, scale, zero_point = map(nodes.wide, _operands(op, args, scope))
    low, high = (nodes.scalar(limit, f32) for limit in limits(element_type_of(op.results[0].type)))
    rounded = nodes.add("Round", nodes.add("Div", data, scale))
    moved = nodes.add("Add", rounded, nodes.cast(zero_point, f32))
    clipped = nodes.add("Min", nodes.add("Max", moved, low), high)
    return nodes.converted(clipped, element_type_of(op.results[0].type))


def _dequantize(op: qnn.DequantizeBase, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    data, scale, zero_point = map(nodes.wide, _operands(op, args, scope))
    element = element_type_of(op.results[0].type)
    difference = nodes.add("Sub", nodes.cast(data, i32), nodes.converted(zero_point, i32))
    result = nodes.add("Mul", nodes.cast(difference, f32), scale)
    if element == f16:
        low, high = nodes.scalar(-65504, f32), nodes.scalar(65504, f32)
        result = nodes.add("Min", nodes.add("Max", result, low), high)
    return nodes.cast(result, element)


RULES: Rules = {
    qnn.QuantizeOp: _quantize,
    qnn.DequantizeOp: _dequantize,
    qnn.QnnQuantizeOp: _quantize,
    qnn.QnnDequantizeOp: _dequantize,
}
