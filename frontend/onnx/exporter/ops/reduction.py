"""Reductions; f16 and bf16 accumulate in f32, NaN is the extreme of what it is among."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i1, i32, i64

from .....dialects.relax.dtypes import is_float, numpy_dtype
from .....dialects.relax.ops import reduction
from .....dialects.symbolic.expressions import Known, add, product
from ..scan import scanned
from ..table import Rule, Rules, Scope, count_of, is_positive, known


def _reduction(function: Callable[[Scope, str, Sequence[Known], Sequence[int], bool], str]) -> Rule:
    """Makes a rule of a function of the widened data, its dims, the axes and keepdims."""

    def rule(op: reduction.ReductionOp, args: Sequence[str], scope: Scope) -> str:
        nodes, (x,) = scope.nodes, args
        dims = scope.dims(op.x, x)
        result = function(scope, nodes.wide(x), dims, op.axes(len(dims)), op.prop("keepdims", False))
        return nodes.cast(result, nodes.element(x))

    return rule


def _sum(op: reduction.SumOp, args: Sequence[str], scope: Scope) -> str:
    nodes, (x,) = scope.nodes, args
    rank = len(scope.dims(op.x, x))
    return nodes.cast(nodes.summed(x, rank, op.axes(rank), op.prop("keepdims", False)), nodes.element(x))


def _prod(op: reduction.ProdOp, args: Sequence[str], scope: Scope) -> str:
    nodes, (x,) = scope.nodes, args
    element, dims, keepdims = nodes.element(x), scope.dims(op.x, x), op.prop("keepdims", False)
    axes = op.axes(len(dims))
    if is_float(element):
        return nodes.cast(nodes.reduced("ReduceProd", nodes.wide(x), axes, keepdims), element)
    # onnxruntime multiplies integers in f64: they are multiplied one after the other.
    kept = [axis for axis in range(len(dims)) if axis not in axes]
    rest = [dims[axis] for axis in kept]
    (count,) = known([product(dims[axis] for axis in axes)])
    rows = scope.reshaped(nodes.transposed(nodes.wide(x), [*axes, *kept]), [count, *rest])
    total, _ = scanned(scope, rows, [count, *rest], 0, "Mul", 1, False)
    return nodes.cast(scope.reshaped(total, reduction.reduced(dims, axes, keepdims)), element)


def mean(scope: Scope, x: str, dims: Sequence[Known], axes: Sequence[int], keepdims: bool = False) -> str:
    """Returns the mean over axes, NaN where there is nothing."""
    nodes = scope.nodes
    count = count_of(dims, axes)
    if is_positive(count):
        return nodes.reduced("ReduceMean", x, axes, keepdims)
    total = nodes.reduced("ReduceSum", x, axes, keepdims)
    return nodes.add("Div", total, nodes.cast(scope.sizes.scalar(count), nodes.element(x)))


def variance(scope: Scope, x: str, dims: Sequence[Known], axes: Sequence[int], keepdims: bool = False) -> str:
    """Returns the mean of the squared deviations from the mean."""
    nodes = scope.nodes
    centered = nodes.add("Sub", x, mean(scope, x, dims, axes, True))
    return mean(scope, nodes.add("Mul", centered, centered), dims, axes, keepdims)


def _extreme(op_type: str) -> Rule:
    def rule(op: reduction.ReductionOp, args: Sequence[str], scope: Scope) -> str:
        nodes, (x,) = scope.nodes, args
        element, keepdims = nodes.element(x), op.prop("keepdims", False)
        axes = op.axes(len(dims := scope.dims(op.x, x)))
        if not is_positive(count_of(dims, axes)) and not is_float(element):
            # The extreme of nothing is that of the element type, not that of the type that is computed in.
            x = _with_neutral(scope, x, dims, axes, op_type == "ReduceMax")
        ordered = nodes.ordered(x)
        result = nodes.reduced(op_type, ordered, axes, keepdims)
        if is_float(element):
            result = nodes.where(nodes.any_nan(ordered, axes, keepdims), nodes.like(np.nan, result), result)
        return nodes.unordered(result, element)

    return rule


def _with_neutral(scope: Scope, x: str, dims: Sequence[Known], axes: Sequence[int], least: bool) -> str:
    """Returns integers with one item more along axes: the least number, or the greatest."""
    element = scope.nodes.element(x)
    limits = np.iinfo(numpy_dtype(element)) if element != i1 else None
    low, high = (0, 1) if limits is None else (limits.min, limits.max)
    for axis in axes:
        x = scope.with_one_more(x, dims, axis, low if least else high)
        (more,) = known([add(dims[axis], 1)])
        dims = [*dims[:axis], more, *dims[axis + 1 :]]
    return x


def _place(op_type: str) -> Rule:
    def rule(op: reduction.ArgReductionOp, args: Sequence[str], scope: Scope) -> str:
        nodes, (x,) = scope.nodes, args
        dims = scope.dims(op.x, x)
        axes, keepdims = op.axes(len(dims)), op.prop("keepdims", False)
        result_dims = known(reduction.reduced(dims, axes, keepdims))
        if op.axis is None:
            x, dims = nodes.flattened(x), known([product(dims)])
            axis = 0
        else:
            axis = axes[0]
        ordered = nodes.ordered(x)
        if not is_positive(dims[axis]):
            # Of equals the first one is taken, which is the item more only if it is alone.
            element = nodes.element(ordered)
            limits: Any = np.finfo(numpy_dtype(element)) if is_float(element) else np.iinfo(numpy_dtype(element))
            lowest = -np.inf if is_float(element) else limits.min
            highest = np.inf if is_float(element) else limits.max
            ordered = scope.with_one_more(ordered, dims, axis, lowest if op_type == "ArgMax" else highest)
        place = nodes.add(op_type, ordered, element=i64, axis=axis, keepdims=0)
        if is_float(nodes.element(ordered)):
            marks = nodes.cast(nodes.is_nan(ordered), i32)
            first = nodes.add("ArgMax", marks, element=i64, axis=axis, keepdims=0)
            place = nodes.where(nodes.any_nan(ordered, [axis]), first, place)
        return scope.reshaped(place, result_dims)

    return rule


RULES: Rules = {
    reduction.SumOp: _sum,
    reduction.ProdOp: _prod,
    reduction.MeanOp: _reduction(mean),
    reduction.MaxOp: _extreme("ReduceMax"),
    reduction.MinOp: _extreme("ReduceMin"),
    reduction.VarianceOp: _reduction(variance),
    reduction.StdOp: _reduction(lambda scope, *rest: scope.nodes.add("Sqrt", variance(scope, *rest))),
    reduction.ArgMaxOp: _place("ArgMax"),
    reduction.ArgMinOp: _place("ArgMin"),
}
