"""Products; f16 and bf16 accumulate in f32, integers wrap around."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

from .....dialects.relax.attrs import element_type_of
from .....dialects.relax.base import element
from .....dialects.relax.dtypes import accumulator_of
from .....dialects.relax.ops import linear_algebra, packing
from .....dialects.symbolic.expressions import apply, ceildiv
from ..table import Rules, Scope, known
from .manipulate import padded


def _product(op: Any, lhs: str, rhs: str, scope: Scope) -> str:
    """Returns the matrix product, accumulated in the wider one of the operands' type and that of the result."""
    nodes = scope.nodes
    result = element_type_of(op.results[0].type)
    sums = accumulator_of(element(op.operands[0]), result)
    wide = [nodes.wide(nodes.converted(value, sums)) for value in (lhs, rhs)]
    return nodes.converted(nodes.cast(nodes.add("MatMul", *wide), sums), result)


def _matmul(op: linear_algebra.MatmulOp, args: Sequence[str], scope: Scope) -> str:
    return _product(op, args[0], args[1], scope)


def _linear(op: linear_algebra.LinearOp, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    rank = len(scope.dims(op.weight, args[1]))
    weight = nodes.transposed(args[1], [1, 0]) if rank == 2 else args[1]
    result = _product(op, args[0], weight, scope)
    if len(args) < 3:
        return result
    return nodes.cast(nodes.add("Add", nodes.wide(result), nodes.wide(args[2])), nodes.element(result))


def _einsum(op: linear_algebra.EinsumOp, args: Sequence[str], scope: Scope) -> str:
    """Writes an einsum with a letter for each dim: checkers take no ellipsis of different lengths, and no dims of size 1 to repeat."""
    nodes = scope.nodes
    shapes = [scope.dims(operand, arg) for operand, arg in zip(op.tensors, args, strict=True)]
    subscripts = op.parsed(shapes)
    labels = dict.fromkeys(label for term in subscripts.operands for label in term)
    taken = {label for label in labels if len(label) == 1}
    free = iter(letter for letter in string.ascii_letters if letter not in taken)
    letters = {label: label if label in taken else next(free) for label in labels}
    repeated = {
        label
        for term, shape in zip(subscripts.operands, shapes, strict=True)
        for label, dim in zip(term, shape, strict=True)
        if dim != 1
    }
    operands: list[str] = []
    terms: list[str] = []
    for arg, term, shape in zip(args, subscripts.operands, shapes, strict=True):
        single = [axis for axis, dim in enumerate(shape) if dim == 1 and term[axis] in repeated]
        operands.append(nodes.squeezed(nodes.wide(arg), single))
        terms.append("".join(letters[label] for axis, label in enumerate(term) if axis not in single))
    equation = f"{','.join(terms)}->{''.join(letters[label] for label in subscripts.result)}"
    return nodes.cast(nodes.add("Einsum", *operands, equation=equation), nodes.element(args[0]))


def _outer(op: linear_algebra.OuterOp, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    column = nodes.unsqueezed(nodes.wide(args[0]), [1])
    return nodes.cast(nodes.add("Mul", column, nodes.wide(args[1])), nodes.element(args[0]))


def _pack_weight(op: packing.PackWeightOp, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    rows, columns = scope.dims(op.weight, args[0])
    group = packing.group_of(nodes.element(args[0]))
    panel = op.panel_columns
    groups, panels = ceildiv(rows, group), ceildiv(columns, panel)
    # Padded by a whole group and panel, and cut: how much is missing may be known at run time only.
    wide = padded(scope, args[0], [(0, group - 1), (0, panel - 1)], 0)
    for axis, (count, size) in enumerate(((groups, group), (panels, panel))):
        (whole,) = known([apply("*", count, size)])
        wide = nodes.sliced(wide, axis, nodes.integers([0]), scope.sizes.vector(whole))
    split = scope.reshaped(wide, [groups, group, panels, panel])
    packed = nodes.transposed(split, [2, 0, 3, 1])
    return packed if group > 1 else nodes.squeezed(packed, [3])


def _packed_matmul(op: packing.PackedMatmulOp, args: Sequence[str], scope: Scope) -> str:
    nodes, (lhs, packed) = scope.nodes, args
    panels, groups, width, *rest = scope.dims(op.packed, packed)
    group = rest[0] if rest else 1
    split = packed if rest else nodes.unsqueezed(packed, [3])
    matrix = nodes.transposed(split, [1, 3, 0, 2])
    matrix = scope.reshaped(matrix, [apply("*", groups, group), apply("*", panels, width)])
    rows = scope.dims(op.lhs, lhs)[-1]
    matrix = nodes.sliced(matrix, 0, nodes.integers([0]), scope.sizes.vector(rows))
    matrix = nodes.sliced(matrix, 1, nodes.integers([0]), nodes.integers([op.columns.value.data]))
    return _product(op, lhs, matrix, scope)


RULES: Rules = {
    linear_algebra.MatmulOp: _matmul,
    linear_algebra.LinearOp: _linear,
    linear_algebra.EinsumOp: _einsum,
    linear_algebra.OuterOp: _outer,
    packing.PackWeightOp: _pack_weight,
    packing.PackedMatmulOp: _packed_matmul,
}
