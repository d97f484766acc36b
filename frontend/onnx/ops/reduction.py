"""Reductions, and running sums."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import f64, i1, i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import accumulator, is_float, ui8
from ....dialects.symbolic.expressions import product
from ...model.value_types import normalized, normalized_axes
from ..node import Node
from ..table import ONNX, Table, converters

TABLE: Table = {}
op = converters(TABLE)


class Reduction:
    """The axes that a node reduces."""

    def __init__(self, node: Node):
        axes = node.ints_of("axes", 1)
        rank = node.rank(0)
        self.is_identity = not axes and bool(node.attr("noop_with_empty_axes", 0))
        """Whether there is nothing to reduce; what stands before and after the sum is computed all the same."""
        self.axes = normalized_axes(axes, rank) if axes else list(range(rank))
        self.keepdims = bool(node.attr("keepdims", 1))
        self._node = node

    def __call__(self, name: str, x: SSAValue) -> SSAValue:
        """Returns the reduction of a value by an op."""
        if self.is_identity:
            return x
        return self._node.g.op(name, x, axis=self.axes, keepdims=self.keepdims)

    def count(self) -> SSAValue:
        """Returns the number of elements that make one."""
        node = self._node
        size = 1 if self.is_identity else product(node.shape(0)[axis] for axis in self.axes)
        return node.cast(node.g.symbol_value(node.g.shape(size)), node.element(0))


def _simple(name: str) -> Callable[[Node], SSAValue]:
    return lambda node: Reduction(node)(name, node.x(0))


TABLE.update({(ONNX, f"Reduce{name}"): _simple(target) for name, target in {"Sum": "sum", "Prod": "prod"}.items()})


@op("ReduceMean")
def _mean(node: Node) -> SSAValue:
    reduction = Reduction(node)
    if is_float(node.element(0)):
        return reduction("mean", node.x(0))
    return node.g.divide(reduction("sum", node.x(0)), reduction.count())


@op("ReduceMax", "ReduceMin")
def _extreme(node: Node) -> SSAValue:
    """Converts a node. The greatest of no elements is the least number, and the other way round."""
    g, element, reduction = node.g, node.element(0), Reduction(node)
    name = "max" if node.op == "ReduceMax" else "min"
    if any(node.shape(0)[axis] == 0 for axis in reduction.axes) and not reduction.is_identity:
        return _extreme_of_nothing(node, reduction)
    if element == i1:
        return g.astype(reduction(name, g.astype(node.x(0), dtype=ui8)), dtype=i1)
    return reduction(name, node.x(0))


def _extreme_of_nothing(node: Node, reduction: Reduction) -> SSAValue:
    g, element = node.g, node.element(0)
    kept = [1 if axis in reduction.axes else size for axis, size in enumerate(node.shape(0))]
    shape = kept if reduction.keepdims else [s for axis, s in enumerate(node.shape(0)) if axis not in reduction.axes]
    greatest = node.op == "ReduceMin"
    if is_float(element):
        value: float | int | bool = float("inf") if greatest else float("-inf")
    elif element == i1:
        value = greatest
    else:
        text = str(element)
        bits = int(text.lstrip("ui"))
        least, most = (0, (1 << bits) - 1) if text.startswith("u") else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        value = most if greatest else least
    return g.full(g.shape(*shape), g.constant(value, element))


@op("ReduceL1")
def _l1(node: Node) -> SSAValue:
    return Reduction(node)("sum", node.g.abs(node.x(0)))


@op("ReduceL2")
def _l2(node: Node) -> SSAValue:
    wide = node.element(0) if is_float(node.element(0)) else i64
    total = Reduction(node)("sum", node.g.square(node.cast(node.x(0), accumulator(wide))))
    if wide == i64:
        total = node.g.astype(total, dtype=f64)
    return node.cast(node.g.sqrt(total), node.element(0))


@op("ReduceSumSquare")
def _sum_square(node: Node) -> SSAValue:
    return Reduction(node)("sum", node.g.square(node.x(0)))


@op("ReduceLogSum")
def _log_sum(node: Node) -> SSAValue:
    return node.g.log(Reduction(node)("sum", node.x(0)))


@op("ReduceLogSumExp")
def _log_sum_exp(node: Node) -> SSAValue:
    """Converts a node. The greatest element is taken out, so that no exponential overflows; an infinite one would leave NaN."""
    g, x, reduction = node.g, node.x(0), Reduction(node)
    if reduction.is_identity or any(node.shape(0)[axis] == 0 for axis in reduction.axes):
        return g.log(reduction("sum", g.exp(x)))
    top = g.max(x, axis=reduction.axes, keepdims=True)
    top = g.where(g.isfinite(top), top, node.constant(0))
    total = g.log(reduction("sum", g.exp(g.subtract(x, top))))
    return g.add(total, top if reduction.keepdims else g.squeeze(top, axis=reduction.axes))


@op("ArgMax", "ArgMin")
def _arg(node: Node) -> SSAValue:
    """Converts a node. `select_last_index` takes the last of equal elements: the first one from the other end."""
    g, axis = node.g, node.axis(0)
    last = bool(node.attr("select_last_index", 0))
    x = g.flip(node.x(0), axis=axis) if last else node.x(0)
    place = g.op(node.op.lower(), x, axis=axis, keepdims=bool(node.attr("keepdims", 1)))
    place = node.cast(place, i64)
    if last:
        size = g.symbol_value(g.shape(node.shape(0)[axis]))
        place = g.subtract(g.subtract(size, g.constant(1, i64)), place)
    return place


@op("CumSum", "CumProd")
def _running(node: Node) -> SSAValue:
    g, x = node.g, node.x(0)
    axis = normalized(int(node.number(1, 0)), node.rank(0))
    backwards = bool(node.attr("reverse", 0))
    x = g.flip(x, axis=axis) if backwards else x
    result = g.op(node.op.lower(), x, axis=axis, exclusive=bool(node.attr("exclusive", 0)))
    result = node.cast(result, node.element(0))
    return g.flip(result, axis=axis) if backwards else result
