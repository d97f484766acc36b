"""Arithmetic, comparisons, logic and bits, element by element."""

from __future__ import annotations

from functools import reduce

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import is_float
from ...model.problems import Unsupported
from ...model.value_types import element_of
from ..node import Converter, Node
from ..table import ONNX, Table, at_least, converters
from ..values import Value

TABLE: Table = {}
op = converters(TABLE)

UNARY = {
    "Abs": "abs",
    "Acos": "acos",
    "Acosh": "acosh",
    "Asin": "asin",
    "Asinh": "asinh",
    "Atan": "atan",
    "Atanh": "atanh",
    "BitwiseNot": "bitwise_not",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "IsNaN": "isnan",
    "Log": "log",
    "Neg": "negative",
    "Not": "logical_not",
    "Round": "round",
    "Sigmoid": "sigmoid",
    "Sin": "sin",
    "Sinh": "sinh",
    "Sqrt": "sqrt",
    "Tan": "tan",
    "Tanh": "tanh",
}

BINARY = {
    "Add": "add",
    "And": "logical_and",
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "Div": "divide",
    "Equal": "equal",
    "Greater": "greater",
    "GreaterOrEqual": "greater_equal",
    "Less": "less",
    "LessOrEqual": "less_equal",
    "Mul": "multiply",
    "Or": "logical_or",
    "Sub": "subtract",
    "Xor": "logical_xor",
}

VARIADIC = {"Max": "maximum", "Min": "minimum", "Sum": "add"}


def _unary(name: str) -> Converter:
    return lambda node: node.g.op(name, node.x(0))


def _binary(name: str) -> Converter:
    return lambda node: node.g.op(name, node.x(0), node.x(1))


def _variadic(name: str) -> Converter:
    return lambda node: reduce(lambda a, b: node.g.op(name, a, b), node.xs())


TABLE.update({(ONNX, name): _unary(target) for name, target in UNARY.items()})
TABLE.update({(ONNX, name): _binary(target) for name, target in BINARY.items()})
TABLE.update({(ONNX, name): _variadic(target) for name, target in VARIADIC.items()})


@op("Identity")
def _identity(node: Node) -> Value:
    return node.any(0)


@op("Mean")
def _mean(node: Node) -> SSAValue:
    total = reduce(node.g.add, node.xs())
    return node.g.divide(total, node.constant(len(node.inputs)))


@op("Reciprocal")
def _reciprocal(node: Node) -> SSAValue:
    return node.g.divide(node.constant(1), node.x(0))


@op("Pow")
def _pow(node: Node) -> SSAValue:
    """Converts a node. The result has the type of the base; an exponent of another type is the wider one if it alone is a float."""
    base, exponent = node.element(0), node.element(1)
    common = exponent if is_float(exponent) and not is_float(base) else base
    return node.cast(node.g.power(node.cast(node.x(0), common), node.cast(node.x(1), common)), base)


@op("Mod")
def _mod(node: Node) -> SSAValue:
    name = "mod" if node.attr("fmod", 0) else "floor_mod"
    return node.g.op(name, node.x(0), node.x(1))


@op("BitShift")
def _bit_shift(node: Node) -> SSAValue:
    name = {"LEFT": "left_shift", "RIGHT": "right_shift"}.get(node.attr("direction", ""))
    if name is None:
        raise Unsupported(f"expected the direction LEFT or RIGHT, got {node.attr('direction', '')!r}")
    return node.g.op(name, node.x(0), node.x(1))


@op("Sign")
def _sign(node: Node) -> SSAValue:
    """Converts a node. NaN stays NaN, where the op of the dialect gives 0."""
    g, x = node.g, node.x(0)
    return g.where(g.isnan(x), x, g.sign(x)) if is_float(node.element(0)) else g.sign(x)


@op("IsInf")
def _is_inf(node: Node) -> SSAValue:
    g, x = node.g, node.x(0)
    positive, negative = node.attr("detect_positive", 1), node.attr("detect_negative", 1)
    if positive and negative:
        return g.isinf(x)
    if not positive and not negative:
        return g.zeros_like(x, dtype=i1)
    return g.equal(x, node.constant(float("inf") if positive else float("-inf")))


@op("Where")
def _where(node: Node) -> SSAValue:
    return node.g.where(node.x(0), node.x(1), node.x(2))


@op("Clip")
def _clip(node: Node) -> SSAValue:
    """Converts a node. The bounds are attributes before version 11, then operands; the upper one wins where they cross."""
    g, x = node.g, node.x(0)
    for index, (name, target) in enumerate((("min", "maximum"), ("max", "minimum")), 1):
        if name in node.attributes:
            x = g.op(target, x, node.constant(node.attr(name, 0.0)))
        elif node.has(index):
            x = g.op(target, x, node.x(index))
    return x


@op("Det", ranks={0: at_least(2)})
def _det(node: Node) -> SSAValue:
    """Converts a node. Gauss' elimination without pivots would divide by zero: the rows are exchanged by selection, step by step."""
    g, x = node.g, node.x(0)
    *batch, rows, columns = node.shape(0)
    if not isinstance(columns, int) or rows != columns:
        raise Unsupported(f"takes square matrices of a known size, got {rows} x {columns}")
    total = g.ones(g.shape(*batch), dtype=node.element(0))
    rank = len(batch) + 2
    for size in range(columns, 0, -1):
        column = g.squeeze(g.strided_slice(x, axes=[rank - 1], begin=[0], end=[1]), axis=[rank - 1])
        pivot = g.argmax(g.abs(column), axis=rank - 2, keepdims=True)
        chosen = g.equal(pivot, g.arange(start=0, end=size, dtype=element_of(pivot)))
        mask = g.expand_dims(node.cast(chosen, node.element(0)), axis=[rank - 1])
        row = g.sum(
            g.where(g.expand_dims(chosen, axis=[rank - 1]), x, node.constant(0)), axis=[rank - 2], keepdims=True
        )
        first = g.strided_slice(x, axes=[rank - 2], begin=[0], end=[1])
        head = g.strided_slice(row, axes=[rank - 1], begin=[0], end=[1])
        is_first = g.equal(pivot, g.constant(0, element_of(pivot)))
        sign = g.where(g.squeeze(is_first, axis=[rank - 2]), node.constant(1), node.constant(-1))
        total = g.multiply(total, g.multiply(sign, g.squeeze(head, axis=[rank - 2, rank - 1])))
        if size == 1:
            break
        # The first row takes the place of the pivot's.
        x = g.add(g.multiply(mask, first), g.multiply(g.subtract(node.constant(1), mask), x))
        below = g.strided_slice(x, axes=[rank - 2], begin=[1], end=[size])
        factor = g.divide(g.strided_slice(below, axes=[rank - 1], begin=[0], end=[1]), head)
        factor = g.where(g.equal(head, node.constant(0)), node.constant(0), factor)
        x = g.subtract(below, g.multiply(factor, row))
        x = g.strided_slice(x, axes=[rank - 1], begin=[1], end=[size])
    return total
