"""Reductions with any body, over whole dims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, SSAValue

from ....dialects.relax.dtypes import is_float, numpy_dtype
from ....dialects.symbolic.nodes import Known
from ...model.value_types import sizes_of
from ..bodies import applied, only_op
from ..node import Node, known_sizes
from ..table import Table, converters
from .manipulate import transposed

TABLE: Table = {}
op = converters(TABLE)

REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
OF_TRUTH = {"add": "max", "or": "max", "maximum": "max", "multiply": "min", "and": "min", "minimum": "min"}


def reduction_of(name: str | None, element: Attribute) -> str | None:
    """Returns the reduction of the dialect that a body of one op stands for."""
    return None if name is None else (OF_TRUTH if element == i1 else REDUCTIONS).get(name)


@op("reduce")
def _reduce(node: Node) -> list[SSAValue]:
    count = len(node.inputs) // 2
    axes = node.ints("dimensions")
    reduction = reduction_of(only_op(node.regions[0]), node.element()) if count == 1 else None
    if reduction is None:
        return _by_halves(node, node.regions[0], [node.x(index) for index in range(count)], axes)
    total = node.g.op(reduction, node.x(0), axis=axes) if axes else node.x(0)
    return [total if is_neutral(node, 1, reduction) else joined(node, [node.x(1)], [total])[0]]


def joined(node: Node, lhs: Sequence[SSAValue], rhs: Sequence[SSAValue]) -> list[SSAValue]:
    """Returns what the body makes of values, of which the second ones have all the dims."""
    return applied(node, node.regions[0], [*lhs, *rhs], sizes_of(rhs[0]))


def is_neutral(node: Node, index: int, reduction: str) -> bool:
    """Returns whether an operand is known to be a number that changes no result of a reduction."""
    tensor = node.tensor(index)
    if not tensor.is_known or tensor.count != 1:
        return False
    return bool(tensor.array.reshape(-1)[0] == neutral(reduction, tensor.element))


def neutral(reduction: str, element: Attribute) -> Any:
    """Returns the number that changes no result of a reduction."""
    dtype: np.dtype[Any] = numpy_dtype(element)
    if reduction in ("sum", "prod"):
        return dtype.type(0 if reduction == "sum" else 1)
    if element == i1:
        return np.bool_(reduction == "min")
    if is_float(element):
        return dtype.type(-np.inf if reduction == "max" else np.inf)
    limits = np.iinfo(dtype)
    return dtype.type(limits.min if reduction == "max" else limits.max)


def _by_halves(node: Node, region: Any, values: list[SSAValue], axes: Sequence[int]) -> list[SSAValue]:
    """Returns a reduction with any body: neighbors are joined until one is left, in order, and last the initial values with it."""
    g = node.g
    shape = node.shape(0)
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    outer: list[Known] = [shape[axis] for axis in kept]
    count = int(np.prod(known_sizes([shape[axis] for axis in axes], "reduced dims"), dtype=np.int64))
    values = [g.reshape(transposed(node, x, [*kept, *axes]), [*outer, count]) for x in values]
    last = len(outer)
    initial = [node.x(len(values) + index) for index in range(len(values))]
    if count == 0:
        return [g.broadcast_to(value, outer) for value in initial]
    while count > 1:
        even = count - count % 2
        firsts = [g.strided_slice(x, axes=[last], begin=[0], end=[even], strides=[2]) for x in values]
        seconds = [g.strided_slice(x, axes=[last], begin=[1], end=[even], strides=[2]) for x in values]
        halves = applied(node, region, [*firsts, *seconds], [*outer, even // 2])
        if even < count:
            rests = [g.strided_slice(x, axes=[last], begin=[even], end=[count]) for x in values]
            halves = [g.concat(half, rest, axis=last) for half, rest in zip(halves, rests, strict=True)]
        values, count = halves, count - even // 2
    values = [g.squeeze(x, axis=[last]) for x in values]
    return applied(node, region, [*initial, *values], outer)
