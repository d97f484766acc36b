"""Products of matrices, of floats and of integers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from ....dialects.symbolic.expressions import equal
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.value_types import sizes_of
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)


@op("MatMul")
def _matmul(node: Node) -> SSAValue:
    return node.g.matmul(node.x(0), node.x(1))


@op("Gemm")
def _gemm(node: Node) -> SSAValue:
    g = node.g
    lhs, rhs = node.x(0), node.x(1)
    lhs = g.permute_dims(lhs, axes=[1, 0]) if node.attr("transA", 0) else lhs
    rhs = g.permute_dims(rhs, axes=[1, 0]) if node.attr("transB", 0) else rhs
    result = scaled(node, g.matmul(lhs, rhs), node.attr("alpha", 1.0))
    if not node.has(2):
        return result
    addend = _fitting_addend(node, node.x(2), sizes_of(result))
    # By 0 it is not read: what is no number in it would stay.
    beta = node.attr("beta", 1.0)
    return g.add(result, scaled(node, addend, beta)) if beta else result


def _fitting_addend(node: Node, value: SSAValue, shape: Sequence[Known]) -> SSAValue:
    """Returns an addend that is broadcast to a shape, and does not broadcast it, which is checked when the program runs if need be."""
    own = sizes_of(value)
    decided = [size == 1 or equal(size, wanted) for size, wanted in zip(own[::-1], shape[::-1], strict=False)]
    if len(own) > len(shape) or False in decided:
        raise Unsupported(f"the addend must be broadcast to {_shown(shape)}, got {_shown(own)}")
    return value if all(decided) else node.g.broadcast_to(value, list(shape))


def _shown(shape: Sequence[Known]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def scaled(node: Node, value: SSAValue, factor: float) -> SSAValue:
    """Returns a value multiplied by a number."""
    return value if factor == 1 else node.g.multiply(value, node.constant(factor))


@op("Einsum")
def _einsum(node: Node) -> SSAValue:
    return node.g.einsum(*node.xs(), subscripts=node.attr("equation", "").replace(" ", ""))


@op("MatMulInteger")
def _matmul_integer(node: Node) -> SSAValue:
    lhs = centered(node, 0, 2, rows=True)
    rhs = centered(node, 1, 3)
    return node.g.matmul(lhs, rhs)


def centered(node: Node, index: int, zero_point: int, rows: bool = False) -> SSAValue:
    """Returns integers less their zero point, in i32; a vector of zero points is one for each column, or each row."""
    g = node.g
    value = g.astype(node.x(index), dtype=i32)
    if not node.has(zero_point):
        return value
    zero = g.astype(node.x(zero_point), dtype=i32)
    if rows and node.rank(zero_point) == 1 and node.shape(zero_point) != (1,):
        zero = g.expand_dims(zero, axis=[-1])
    return g.subtract(value, zero)


@op("QLinearMatMul")
def _qlinear_matmul(node: Node) -> SSAValue:
    """Operands: a, its scale and zero point, b, its scale and zero point, the scale and zero point of the result."""
    g = node.g
    lhs, rhs = centered(node, 0, 2, rows=True), centered(node, 3, 5)
    factor = g.multiply(_column(node, 1), node.cast(node.x(4), f32))
    return requantized(node, g.matmul(lhs, rhs), factor, 6, 7)


def _column(node: Node, index: int) -> SSAValue:
    value = node.cast(node.x(index), f32)
    return node.g.expand_dims(value, axis=[-1]) if node.rank(index) == 1 and node.shape(index) != (1,) else value


def requantized(node: Node, sums: SSAValue, factor: SSAValue, scale: int, zero_point: int) -> SSAValue:
    """Returns sums of products in the scale of the result, with its zero point, rounded and within its range."""
    g = node.g
    ratio = g.divide(factor, node.cast(node.x(scale), f32))
    rounded = g.round(g.multiply(g.astype(sums, dtype=f32), ratio))
    # Conversions to integers stay in their range.
    return g.astype(g.add(rounded, g.astype(node.x(zero_point), dtype=f32)), dtype=node.element(zero_point))
