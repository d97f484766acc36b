"""Quantized ops of onnxruntime (`com.microsoft`), as its quantizer writes them: operands dequantized, the op, its result quantized."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onnx import NodeProto
from xdsl.ir import SSAValue

from ...model.problems import Unsupported
from ..node import Converter, Node
from ..table import CONTRIB, ONNX, Table, converters
from ..values import Tensor, Value
from . import activation, elementwise, manipulate, pool, quantize

TABLE: Table = {}
op = converters(TABLE, CONTRIB)

OPERANDS = {
    "Add": 2,
    "Mul": 2,
    "Sigmoid": 1,
    "LeakyRelu": 1,
    "Softmax": 1,
    "AveragePool": 1,
    "GlobalAveragePool": 1,
}
"""The ops of ONNX that have a quantized counterpart, with the number of their operands, behind which the result's scale is."""

VERSION = 13
"""The operator set whose definitions the ops have, unless an attribute says another one."""

CONVERTERS: Mapping[tuple[str, str], Converter] = {
    **elementwise.TABLE,
    **activation.TABLE,
    **manipulate.TABLE,
    **pool.TABLE,
    **quantize.TABLE,
}


def _converted(node: Node, name: str, inputs: Sequence[Value | None], attributes: dict[str, Any]) -> Tensor:
    """Returns the result of an op of ONNX on values."""
    proto = NodeProto(op_type=name, input=[f"x{index}" for index in range(len(inputs))], output=["y"])
    version = int(node.attr("opset", VERSION))
    result = CONVERTERS[ONNX, name](Node(node.importer, proto, inputs, attributes, version, version))
    if isinstance(result, SSAValue):
        return Tensor(value=result)
    assert isinstance(result, Tensor)
    return result


def _quantized(node: Node, name: str, operands: Sequence[int], result: int) -> Tensor:
    """Returns the result of an op; operands have their scales and zero points behind them, `result` is the place of its scale."""

    def parameters(index: int) -> list[Value | None]:
        return [node.any(index), node.any(index + 1) if node.has(index + 1) else None]

    if node.attr("channels_last", 0):
        raise Unsupported("channels as the last dim have no counterpart in this op")
    values = [_converted(node, "DequantizeLinear", [node.any(at), *parameters(at + 1)], {}) for at in operands]
    computed = _converted(node, name, values, node.attributes)
    kind = {"output_dtype": node.kind(operands[0])}
    return _converted(node, "QuantizeLinear", [computed, *parameters(result)], kind)


def _converter(name: str, operands: int) -> Converter:
    places = range(0, 3 * operands, 3)
    return lambda node: _quantized(node, name, places, 3 * operands)


for _name, _operands in OPERANDS.items():
    op(f"QLinear{_name}")(_converter(_name, _operands))


@op("QLinearConcat")
def _qlinear_concat(node: Node) -> Tensor:
    """Converts a node. The scale and the zero point of the result come first."""
    count, rest = divmod(len(node.inputs) - 2, 3)
    if count < 1 or rest:
        raise Unsupported(f"takes a scale, a zero point, and three operands for each tensor, got {len(node.inputs)}")
    return _quantized(node, "Concat", range(2, 2 + 3 * count, 3), 0)
