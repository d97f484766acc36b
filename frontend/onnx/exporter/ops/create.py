"""Creation of tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import f64, i1, i64

from .....dialects.relax.attrs import element_type_of
from .....dialects.relax.ops import create
from .....dialects.symbolic.expressions import Known
from ..sizes import Sizes
from ..table import Rule, Rules, Scope, is_positive, known


def _shape_of(op: Any, args: Sequence[Any], scope: Scope) -> tuple[Known, ...]:
    """Returns the dims that the first operand is or has."""
    return args[0] if isinstance(args[0], tuple) else scope.dims(op.operands[0], args[0])


def _filled(value: int) -> Rule:
    """Makes a rule for one number everywhere."""
    return lambda op, args, scope: scope.filled(value, element_type_of(op.result.type), _shape_of(op, args, scope))


def _full(op: create.FullOp | create.FullLikeOp, args: Sequence[Any], scope: Scope) -> str:
    value = scope.nodes.converted(args[1], element_type_of(op.result.type))
    return scope.expanded(scope.nodes.with_shape(value, scope.nodes.integers([])), _shape_of(op, args, scope))


def _bound(value: Any, sizes: Sizes) -> str:
    """Returns a bound of a range: a float, or a size, as a scalar."""
    return sizes.nodes.scalar(value, f64) if isinstance(value, float) else sizes.scalar(value)


def _arange(op: create.ArangeOp, args: Sequence[Any], scope: Scope) -> str:
    limits: Any = tuple(args[0]) if args else op.limits()
    start, end, step = limits
    nodes = scope.nodes
    indices = scope.indices(create.arange_length(start, end, step))
    if isinstance(step, float):
        indices = nodes.cast(indices, f64)
    products = nodes.add("Mul", indices, nodes.like(step, indices))
    return nodes.converted(nodes.add("Add", products, _bound(start, scope.sizes)), element_type_of(op.result.type))


def _diagonal(op: create.DiagonalOp, dims: Sequence[Known], scope: Scope) -> str:
    """Returns how far each element of a matrix is above diagonal `k`."""
    nodes = scope.nodes
    rows, columns = (scope.indices(dim) for dim in dims[-2:])
    above = nodes.add("Sub", nodes.unsqueezed(columns, [0]), nodes.unsqueezed(rows, [1]))
    return nodes.add("Sub", above, nodes.scalar(op.diagonal(), i64))


def _eye(op: create.EyeOp | create.EyeLikeOp, args: Sequence[Any], scope: Scope) -> str:
    above = _diagonal(op, _shape_of(op, args, scope), scope)
    is_one = scope.nodes.compare("Equal", above, scope.nodes.scalar(0, i64))
    return scope.nodes.cast(is_one, element_type_of(op.result.type))


def _triangle(compare: str) -> Callable[..., Any]:
    def rule(op: create.TriangleOp, args: Sequence[str], scope: Scope) -> str:
        nodes = scope.nodes
        kept = nodes.compare(compare, _diagonal(op, scope.dims(op.x, args[0]), scope), nodes.scalar(0, i64))
        return nodes.where(kept, args[0], nodes.like(0, args[0]))

    return rule


def _hamming_window(op: create.HammingWindowOp, args: Sequence[Any], scope: Scope) -> str:
    nodes = scope.nodes
    (size,) = known(args[0])
    element = element_type_of(op.result.type)
    count = nodes.cast(scope.sizes.scalar(size), f64)
    period = count if op.prop("periodic", True) else nodes.add("Sub", count, nodes.scalar(1, f64))
    angle = nodes.add("Mul", nodes.cast(scope.indices(size), f64), nodes.scalar(2 * math.pi, f64))
    cosine = nodes.add("Cos", nodes.add("Div", angle, period))
    window = nodes.add(
        "Sub",
        nodes.scalar(op.prop("alpha", 0.54), f64),
        nodes.add("Mul", cosine, nodes.scalar(op.prop("beta", 0.46), f64)),
    )
    if isinstance(size, int) and size == 1:
        return scope.filled(1, element, [1])
    if not is_positive(size - 1 if isinstance(size, int) else None):
        single = nodes.add("Equal", count, nodes.scalar(1, f64), element=i1)
        window = nodes.where(single, nodes.scalar(1, f64), window)
    return nodes.converted(window, element)


RULES: Rules = {
    create.ZerosOp: _filled(0),
    create.OnesOp: _filled(1),
    create.FullOp: _full,
    create.ZerosLikeOp: _filled(0),
    create.OnesLikeOp: _filled(1),
    create.FullLikeOp: _full,
    create.ArangeOp: _arange,
    create.EyeOp: _eye,
    create.EyeLikeOp: _eye,
    create.TrilOp: _triangle("LessOrEqual"),
    create.TriuOp: _triangle("GreaterOrEqual"),
    create.HammingWindowOp: _hamming_window,
}
