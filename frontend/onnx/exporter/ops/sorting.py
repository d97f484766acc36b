"""Sorting, scans, and ops whose result dims depend on the data; NaN is larger than every number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i1, i32, i64

from .....dialects.relax.attrs import element_type_of
from .....dialects.relax.dtypes import is_float
from .....dialects.relax.ops import data_dependent, scan, sorting
from .....dialects.symbolic.expressions import Known, apply, product
from ..scan import scanned
from ..table import Rule, Rules, Scope, known


def _order(scope: Scope, x: str, dims: Sequence[Known], axis: int, descending: bool) -> str:
    """Returns the indices that sort stably along an axis."""
    nodes = scope.nodes
    ordered, count = nodes.ordered(x), scope.sizes.vector(dims[axis])
    options = {"axis": axis, "largest": int(descending), "sorted": 1}

    def top(value: str) -> str:
        return nodes.add_all("TopK", [value, count], [nodes.element(value), i64], **options)[1]

    if not is_float(nodes.element(ordered)):
        return top(ordered)
    # Sorted by the numbers, NaN as infinity, then stably by whether they are NaN.
    is_nan = nodes.is_nan(ordered)
    first = top(nodes.where(is_nan, nodes.like(np.inf, ordered), ordered))
    second = top(nodes.moved("GatherElements", [nodes.cast(is_nan, i32)], [first], axis=axis))
    return nodes.moved("GatherElements", [first], [second], axis=axis)


def _sort(op: sorting.SortOp, args: Sequence[str], scope: Scope) -> str:
    dims = scope.dims(op.x, args[0])
    axis = op.normalized_axis(len(dims))
    order = _order(scope, args[0], dims, axis, op.prop("descending", False))
    return scope.nodes.moved("GatherElements", [args[0]], [order], axis=axis)


def _argsort(op: sorting.ArgsortOp, args: Sequence[str], scope: Scope) -> str:
    dims = scope.dims(op.x, args[0])
    order = _order(scope, args[0], dims, op.normalized_axis(len(dims)), op.prop("descending", False))
    return scope.nodes.cast(order, op.index_type())


def _topk(op: sorting.TopKOp, args: Sequence[str], scope: Scope) -> list[str]:
    nodes, (x,) = scope.nodes, args
    dims = scope.dims(op.x, x)
    axis = op.normalized_axis(len(dims))
    (count,) = known([op.count(dims[axis])])
    order = _order(scope, x, dims, axis, op.prop("largest", True))
    order = nodes.sliced(order, axis, nodes.integers([0]), scope.sizes.vector(count))
    values = nodes.moved("GatherElements", [x], [order], axis=axis)
    results = {"values": [values], "indices": [order], "both": [values, order]}[op.prop("ret_type", "both")]
    return [nodes.cast(result, op.index_type()) if result == order else result for result in results]


def _scan(combine: str) -> Rule:
    def rule(op: scan.ScanOp, args: Sequence[str], scope: Scope) -> str:
        nodes = scope.nodes
        element = element_type_of(op.result.type)
        dims = scope.dims(op.data, args[0])
        x = nodes.wide(nodes.converted(args[0], element))
        axis = op.normalized_axis(len(dims))
        if axis is None:
            x, dims, axis = nodes.flattened(x), known([product(dims)]), 0
        if combine == "Add" and element != i1:
            exclusive = int(op.prop("exclusive", False))
            result = nodes.add("CumSum", x, nodes.scalar(axis, i64), exclusive=exclusive)
        else:
            # In i1 a sum is whether there is an element so far, a product whether all are; the largest and the least number tell.
            node = combine if element != i1 else {"Add": "Max", "Mul": "Min"}[combine]
            neutral = 0 if combine == "Add" else 1
            _, result = scanned(scope, x, dims, axis, node, neutral, op.prop("exclusive", False))
        return nodes.cast(result, element)

    return rule


def _nonzero(op: data_dependent.NonzeroOp, args: Sequence[str], scope: Scope) -> str:
    nodes, (x,) = scope.nodes, args
    if not scope.dims(op.x, x):
        x = nodes.unsqueezed(x, [0])
    wide = nodes.wide(x)
    return nodes.add("NonZero", nodes.add("Not", nodes.compare("Equal", wide, nodes.like(0, wide))), element=i64)


def _unique(op: data_dependent.UniqueOp, args: Sequence[str], scope: Scope) -> list[str]:
    nodes, (x,) = scope.nodes, args
    dims = scope.dims(op.x, x)
    axis = op.normalized_axis(len(dims))
    if axis is None:
        x, dims, axis = nodes.flattened(x), known([product(dims)]), 0
    moved = nodes.transposed(x, [axis, *(index for index in range(len(dims)) if index != axis)])
    (rest,) = known([product(dim for index, dim in enumerate(dims) if index != axis)])
    rows = scope.reshaped(nodes.ordered(moved), [dims[axis], rest])
    element = nodes.element(rows)
    if is_float(element):
        # Each number is one of a pair: whether it is NaN, and what it is otherwise.
        is_nan = nodes.is_nan(rows)
        numbers = nodes.where(is_nan, nodes.like(0, rows), rows)
        pairs = nodes.joined([nodes.unsqueezed(nodes.cast(is_nan, element), [2]), nodes.unsqueezed(numbers, [2])], 2)
        rows = scope.reshaped(pairs, [dims[axis], apply("*", rest, 2)])
    else:
        rows = nodes.cast(rows, i64)
    _, first, inverse, counts = nodes.add_all(
        "Unique", [rows], [nodes.element(rows), i64, i64, i64], axis=0, sorted=int(op.prop("sorted", True))
    )
    results = [nodes.gathered(x, first, axis)]
    for name, value in (("return_index", first), ("return_inverse", inverse), ("return_counts", counts)):
        if op.prop(name, False):
            results.append(value)
    return results


RULES: Rules = {
    sorting.SortOp: _sort,
    sorting.ArgsortOp: _argsort,
    sorting.TopKOp: _topk,
    scan.CumsumOp: _scan("Add"),
    scan.CumprodOp: _scan("Mul"),
    data_dependent.NonzeroOp: _nonzero,
    data_dependent.UniqueOp: _unique,
}
