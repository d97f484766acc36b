"""Quantization: to integers of 2 to 16 bits and to floats of 4 and 8 bits, by one scale, one for each channel, or one a block."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, SSAValue

from ....dialects.relax.dtypes import FLOATS, QUANTIZED
from ...model.problems import Unsupported
from ...model.value_types import normalized
from ..node import Node
from ..table import Table, converters
from ..types import NATIVE, SMALL_FLOATS, SMALL_INTEGERS, storage
from ..values import Tensor
from .cast import encoded, widened

TABLE: Table = {}
op = converters(TABLE)


@op("QuantizeLinear")
def _quantize(node: Node) -> Tensor:
    g = node.g
    kind = node.kind(2) if node.has(2) else node.attr("output_dtype", 0) or TensorProto.UINT8
    target = storage(kind)
    precision = _precision(node)
    if target in QUANTIZED and kind in NATIVE and _is_plain(node) and precision == f32:
        scale, zero_point = _flat(node, node.x(1), 1), _zero_point(node, target)
        value = g.quantize(node.x(0), scale, zero_point, axis=_axis(node), out_dtype=target)
        return Tensor(value=value, kind=kind)
    ratio = g.divide(node.cast(node.x(0), precision), _spread(node, node.cast(node.x(1), precision), 1))
    ratio = node.cast(ratio, f32)
    if kind in SMALL_FLOATS:
        return Tensor(value=encoded(node, ratio, kind, bool(node.attr("saturate", 1))), kind=kind)
    value = g.round(ratio)
    if node.has(2):
        value = g.add(value, _spread(node, g.astype(node.x(2), dtype=f32), 2))
    if kind in SMALL_INTEGERS:
        bits, is_signed = SMALL_INTEGERS[kind]
        least = -(1 << (bits - 1)) if is_signed else 0
        value = g.clip(value, min=float(least), max=float(least + (1 << bits) - 1))
    return Tensor(value=g.astype(value, dtype=target), kind=kind)


@op("DequantizeLinear")
def _dequantize(node: Node) -> Tensor:
    g = node.g
    wanted = node.attr("output_dtype", 0) or node.kind(1)
    target: Attribute = storage(wanted)
    if node.kind(0) in NATIVE and node.element(0) in QUANTIZED and _is_plain(node) and target == f32:
        scale, zero_point = _flat(node, node.x(1), 1), _zero_point(node, node.element(0))
        value = g.dequantize(node.x(0), scale, zero_point, axis=_axis(node), out_dtype=f32)
        return Tensor(value=value, kind=wanted)
    value = node.cast(widened(node, node.tensor(0)), f32)
    if node.has(2):
        value = g.subtract(value, _spread(node, node.cast(widened(node, node.tensor(2)), f32), 2))
    value = g.multiply(value, _spread(node, node.cast(node.x(1), f32), 1))
    return Tensor(value=node.cast(value, target), kind=wanted)


def _is_plain(node: Node) -> bool:
    """Returns whether there is one scale, or one for each index of the axis, of a type that the ops of the dialect take."""
    data_or_scale = node.element(0) if node.op == "QuantizeLinear" else node.element(1)
    is_float = data_or_scale in FLOATS[1:] and node.element(1) in FLOATS[1:]
    return node.rank(1) <= 1 and not node.attr("block_size", 0) and is_float


def _precision(node: Node) -> Attribute:
    """Returns the type that data is divided by scales in: since version 23 `precision`, or else that of the scales; before it f32."""
    if node.since < 23:
        return f32
    given = storage(node.attr("precision", 0) or node.kind(1))
    return given if given in FLOATS else f32


def _axis(node: Node) -> int:
    rank = node.rank(0)
    if node.rank(1) == 0 or node.shape(1) == (1,):
        return -1
    return normalized(node.attr("axis", 1), rank)


def _zero_point(node: Node, target: Attribute) -> SSAValue:
    """Returns the zero point; one for each channel as a single number where all are equal, as those of weights mostly are."""
    if not node.has(2):
        return node.g.constant(0, target)
    if node.is_known(2):
        numbers = np.unique(node.known(2))
        if numbers.size == 1:
            return node.g.constant(numbers[0], target)
    return _flat(node, node.x(2), 2)


def _flat(node: Node, value: SSAValue, index: int) -> SSAValue:
    """Returns a vector of one element as a scalar tensor."""
    return node.g.reshape(value, []) if node.shape(index) == (1,) else value


def _spread(node: Node, value: SSAValue, index: int) -> SSAValue:
    """Returns scales or zero points in a shape that is broadcast to the data."""
    g, rank = node.g, node.rank(0)
    if node.rank(index) == 0 or node.shape(index) == (1,):
        return _flat(node, value, index)
    axis = normalized(node.attr("axis", 1), rank)
    block = int(node.attr("block_size", 0))
    if not block:
        behind = rank - axis if node.rank(index) == 1 else 1
        return g.expand_dims(value, axis=list(range(1, behind))) if behind > 1 else value
    size = node.shape(0)[axis]
    if not isinstance(size, int):
        raise Unsupported("the size of a dim that is quantized by blocks must be a number")
    repeated = g.repeat(value, repeats=block, axis=axis)
    return g.strided_slice(repeated, axes=[axis], begin=[0], end=[size])
