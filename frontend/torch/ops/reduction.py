"""Reductions, and running sums."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import accumulator, is_float, ui8
from ....dialects.symbolic.expressions import product
from ...model.problems import Unsupported
from ...model.value_types import element_of, sizes_of
from ..node import Node
from ..table import Table, converters
from .elementwise import truth

TABLE: Table = {}
op = converters(TABLE)


def _axes(node: Node, name: str = "dim") -> list[int]:
    return node.axes(name) if name in node.arguments else list(range(node.rank("self")))


def _keeps(node: Node) -> bool:
    return bool(node.arguments.get("keepdim", False))


def _reduced(node: Node, name: str, x: SSAValue, axes: Sequence[int]) -> SSAValue:
    """Returns a reduction; a scalar has nothing to reduce, but elements of one."""
    if not sizes_of(x):
        x = node.g.expand_dims(x, axis=[0])
        return node.g.op(name, x, axis=[0], keepdims=False)
    return node.g.op(name, x, axis=list(axes), keepdims=_keeps(node))


@op("sum", "sum.dim_IntList", "prod", "prod.dim_int", "nansum")
def _sum(node: Node) -> SSAValue:
    """Converts a node. Integers are summed in the type of the result, 16-bit floats in f32."""
    g, element = node.g, node.element()
    x = node.x("self", accumulator(element) if element != i1 else i64)
    if node.op == "nansum" and is_float(element_of(x)):
        x = g.where(g.isnan(x), node.number(0, element_of(x)), x)
    result = _reduced(node, "prod" if node.op == "prod" else "sum", x, _axes(node))
    return truth(node, result) if element == i1 else result


@op("mean", "mean.dim")
def _mean(node: Node) -> SSAValue:
    element = accumulator(node.element())
    return _reduced(node, "mean", node.x("self", element), _axes(node))


@op("amax", "amin", "max", "min")
def _extreme(node: Node) -> SSAValue:
    axes = node.axes("dim") if node.op.startswith("am") else list(range(node.rank("self")))
    return _reduced(node, node.op[-3:], node.x("self"), axes)


@op("aminmax")
def _both_extremes(node: Node) -> Sequence[SSAValue]:
    axes = [node.axis("dim")] if node.has("dim") else list(range(node.rank("self")))
    return [_reduced(node, name, node.x("self"), axes) for name in ("min", "max")]


@op("max.dim", "min.dim")
def _extreme_with_place(node: Node) -> Sequence[SSAValue]:
    """Converts a node; NaN is the extreme where there is one, and of equal elements the first one."""
    g, x = node.g, node.value("self")
    if node.rank("self") == 0:
        return [x, g.constant(0, i64)]
    axis = node.axis("dim")
    return [g.op(node.op, x, axis=[axis], keepdims=_keeps(node)), _place(node, x, f"arg{node.op}", axis, _keeps(node))]


@op("argmax", "argmin")
def _arg(node: Node) -> SSAValue:
    g, x, keeps = node.g, node.value("self"), _keeps(node)
    if node.rank("self") == 0:
        return g.constant(0, i64)
    if node.has("dim"):
        return _place(node, x, node.op, node.axis("dim"), keeps)
    place = _place(node, g.flatten(x), node.op, 0, False)
    return g.reshape(place, [1] * node.rank("self")) if keeps else place


def _place(node: Node, x: SSAValue, name: str, axis: int, keeps: bool) -> SSAValue:
    """Returns where the extreme element is; conditions are numbers."""
    x = node.cast(x, ui8) if element_of(x) == i1 else x
    return node.cast(node.g.op(name, x, axis=axis, keepdims=keeps), i64)


@op("any", "any.dim", "any.dims", "all", "all.dim", "all.dims")
def _quantified(node: Node) -> SSAValue:
    """Converts a node: the largest, or the least, of conditions."""
    g, x = node.g, truth(node, node.value("self"))
    axes = _axes(node)
    if not axes and node.rank("self"):
        axes = list(range(node.rank("self")))
    if not sizes_of(x):
        return x
    numbers = g.op("max" if node.op == "any" else "min", g.astype(x, dtype=ui8), axis=axes, keepdims=_keeps(node))
    return truth(node, numbers)


@op(
    "var.correction", "std.correction", "var_mean.correction", "std_mean.correction", "var.dim", "std.dim", "var", "std"
)
def _variance(node: Node) -> SSAValue | Sequence[SSAValue]:
    """Converts a node: the squared deviations over the number of elements less the correction, 1 if there is none."""
    g, element = node.g, accumulator(node.element())
    x = node.x("self", element)
    axes = node.axes("dim") if "dim" in node.arguments else list(range(node.rank("self")))
    if "correction" in node.arguments:
        correction = 1.0 if node["correction"] is None else float(node["correction"])
    else:
        correction = float(bool(node["unbiased"]))
    scalar = not sizes_of(x)
    if scalar:
        x, axes = g.expand_dims(x, axis=[0]), [0]
    mean = g.mean(x, axis=axes, keepdims=True)
    total = g.sum(g.square(g.subtract(x, mean)), axis=axes, keepdims=_keeps(node) and not scalar)
    count = product(sizes_of(x)[axis] for axis in axes)
    if isinstance(count, int):
        divisor = node.number(max(count - correction, 0.0), element)
    else:
        size = node.cast(g.symbol_value(g.shape(count)), element)
        divisor = g.maximum(g.subtract(size, node.number(correction, element)), node.number(0, element))
    result = g.divide(total, divisor)
    result = g.sqrt(result) if node.op.startswith("std") else result
    if not node.op.endswith("_mean"):
        return result
    return [result, mean if _keeps(node) and not scalar else g.squeeze(mean, axis=axes)]


@op("logsumexp")
def _logsumexp(node: Node) -> SSAValue:
    """Converts a node. The greatest element is taken out, so that no exponential overflows; an infinite one would leave NaN."""
    g, element, keeps = node.g, accumulator(node.element()), _keeps(node)
    x, axes = node.x("self", element), _axes(node)
    if not sizes_of(x):
        return x
    top = g.max(x, axis=axes, keepdims=True)
    top = g.where(g.isfinite(top), top, node.number(0, element))
    total = g.log(g.sum(g.exp(g.subtract(x, top)), axis=axes, keepdims=keeps))
    return g.add(total, top if keeps else g.squeeze(top, axis=axes))


@op("cumsum", "cumprod")
def _running(node: Node) -> SSAValue:
    g, element = node.g, node.element()
    x = node.x("self", accumulator(element) if element != i1 else i64)
    if not sizes_of(x):
        return x
    return g.op(node.op, x, axis=node.axis("dim"), dtype=element_of(x))


@op("cummax", "cummin")
def _running_extreme(node: Node) -> Sequence[SSAValue]:
    """Converts a node: each place sees those up to it. Of equal elements the last one counts, and NaN is the extreme."""
    g, x = node.g, node.value("self")
    rank = node.rank("self")
    if rank == 0:
        return [x, g.constant(0, i64)]
    axis = node.axis("dim")
    size = sizes_of(x)[axis]
    if not isinstance(size, int) or size > MAX_RUNNING:
        raise Unsupported(f"running extremes are of at most {MAX_RUNNING} elements, got {size}")
    order = [*(item for item in range(rank) if item != axis), axis]
    moved = g.permute_dims(node.cast(x, ui8) if element_of(x) == i1 else x, axes=order)
    best = g.strided_slice(moved, axes=[rank - 1], begin=[0], end=[1])
    place = g.full(g.shape(*sizes_of(best)), g.constant(0, i64))
    values, places = [best], [place]
    for index in range(1, size):
        item = g.strided_slice(moved, axes=[rank - 1], begin=[index], end=[index + 1])
        takes = g.op("greater_equal" if node.op == "cummax" else "less_equal", item, best)
        if is_float(element_of(item)):
            takes = g.logical_or(g.isnan(item), g.logical_and(takes, g.logical_not(g.isnan(best))))
        best = g.where(takes, item, best)
        place = g.where(takes, g.constant(index, i64), place)
        values.append(best)
        places.append(place)
    back = [order.index(item) for item in range(rank)]
    joined = [g.concat(*items, axis=rank - 1) if len(items) > 1 else items[0] for items in (values, places)]
    return [g.permute_dims(item, axes=back) for item in joined]


MAX_RUNNING = 64
"""Running extremes are one step after the other."""


@op("count_nonzero", "count_nonzero.dim_IntList")
def _count(node: Node) -> SSAValue:
    return _reduced(node, "sum", node.cast(truth(node, node.value("self")), i64), _axes(node))


@op("linalg_vector_norm")
def _vector_norm(node: Node) -> SSAValue:
    """Converts a node: the sum of powers, or the extreme for an infinite order, or the number of elements that are not zero."""
    g, element = node.g, accumulator(node.element())
    x, order = g.abs(node.x("self", element)), float(node["ord"])
    axes = _axes(node)
    if order in (float("inf"), float("-inf")):
        return _reduced(node, "max" if order > 0 else "min", x, axes)
    if order == 0:
        return _reduced(node, "sum", node.cast(truth(node, x), element), axes)
    if order == 1:
        return _reduced(node, "sum", x, axes)
    if order == 2:
        return g.sqrt(_reduced(node, "sum", g.square(x), axes))
    total = _reduced(node, "sum", g.power(x, node.number(order, element)), axes)
    return g.power(total, node.number(1 / order, element))
