"""Linear algebra as contractions: mul then add into a filled accumulator.

    %y = relax.matmul %a, %b : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf32>

becomes

    %acc = linalg.fill ins(%zero : f32) outs(%e)
    linalg.generic %acc[d0, d1] += arith.mulf(arith.extf %a[d0, d2], arith.extf %b[d2, d1])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import dims
from ....dialects.relax.base import element as relax_element
from ....dialects.relax.dtypes import accumulator, accumulator_of, is_unsigned
from ....dialects.relax.ops import linear_algebra
from ....dialects.relax.rules.einsum_rules import label_dims
from ....dialects.symbolic.conditions import SizeContext
from ....dialects.symbolic.expressions import Dim
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import PARALLEL, REDUCTION, Size, element, projection
from ..builder import LinalgBuilder, signless
from ..rule import Rules
from .unary import convert as converted


def contract(
    b: LinalgBuilder,
    lhs: SSAValue,
    rhs: SSAValue,
    maps: Sequence[AffineMap],
    sizes: Sequence[Size],
    parallel: int,
    reduced: int,
    element_type: Attribute,
    unsigned: bool = False,
    rhs_unsigned: bool | None = None,
) -> SSAValue:
    """Returns the sum over the last `reduced` iteration dims of `lhs * rhs`, rounded once to `element_type` (which may be unsigned).

    `unsigned` tells whether integers of the lhs are, `rhs_unsigned` those of the rhs, if that differs.
    `maps` are those of lhs, rhs and the result, whose sizes are `sizes`; the first `parallel` iteration dims are the result's.
    """
    wide = signless(accumulator_of(element(lhs), element_type))
    signs = unsigned, unsigned if rhs_unsigned is None else rhs_unsigned

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        x, y = (scalar.cast(s, arg, wide, sign, sign) for arg, sign in zip(args[:2], signs, strict=True))
        return scalar.add(s, args[2], scalar.mul(s, x, y))

    output = b.filled(0, wide, sizes)
    total = b.generic([lhs, rhs], [output], maps, [PARALLEL] * parallel + [REDUCTION] * reduced, body)[0]
    return convert(b, total, sizes, element_type, all(signs))


def convert(
    b: LinalgBuilder, value: SSAValue, sizes: Sequence[Size], target: Attribute, unsigned: bool = False
) -> SSAValue:
    """Returns a tensor with its elements converted as `relax.astype` does; `target` may be an unsigned type."""
    source = element(value)
    if source == signless(target):
        return value
    if unsigned and isinstance(source, IntegerType):
        source = IntegerType(source.width, Signedness.UNSIGNED)
    return b.elementwise([value], sizes, signless(target), lambda s, args: converted(s, args[0], source, target))


def _matmul(op: linear_algebra.MatmulOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    lhs, rhs = operands
    lhs_dims, rhs_dims = dims(op.lhs) or (), dims(op.rhs) or ()
    sizes = b.sizes(dims_of(op.result.type))
    rank = len(sizes)
    k = AffineExpr.dimension(rank)
    batch = rank - min(len(lhs_dims) - 1, 1) - min(len(rhs_dims) - 1, 1)

    def batch_exprs(shape: Sequence[object]) -> list[AffineExpr]:
        count = max(len(shape) - 2, 0)
        return [
            AffineExpr.constant(0)
            if shape[axis] == 1 and sizes[batch - count + axis] != 1
            else AffineExpr.dimension(batch - count + axis)
            for axis in range(count)
        ]

    row = [AffineExpr.dimension(batch)] if len(lhs_dims) > 1 else []
    column = [AffineExpr.dimension(rank - 1)] if len(rhs_dims) > 1 else []
    maps = [
        AffineMap(rank + 1, 0, (*batch_exprs(lhs_dims), *row, k)),
        AffineMap(rank + 1, 0, (*batch_exprs(rhs_dims), k, *column)),
        AffineMap(rank + 1, 0, tuple(AffineExpr.dimension(axis) for axis in range(rank))),
    ]
    element_type = element_type_of(op.result.type)
    signs = is_unsigned(relax_element(op.lhs)), is_unsigned(relax_element(op.rhs))
    return [contract(b, lhs, rhs, maps, sizes, rank, 1, element_type, *signs)]


def _linear(op: linear_algebra.LinearOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    data, weight = operands[:2]
    data_dims, weight_dims = dims(op.data) or (), dims(op.weight) or ()
    sizes = b.sizes((*data_dims[:-1], *weight_dims[:-1]))
    rank, rows = len(sizes), len(data_dims) - 1
    k = AffineExpr.dimension(rank)
    parallel = [AffineExpr.dimension(axis) for axis in range(rank)]
    maps = [
        AffineMap(rank + 1, 0, (*parallel[:rows], k)),
        AffineMap(rank + 1, 0, (*parallel[rows:], k)),
        AffineMap(rank + 1, 0, tuple(parallel)),
    ]
    element_type = element_type_of(op.result.type)
    product = contract(b, data, weight, maps, sizes, rank, 1, element_type, is_unsigned(relax_element(op.data)))
    if len(operands) == 2:
        return [product]
    result_sizes = b.sizes(dims_of(op.result.type))
    return [
        b.elementwise(
            [product, operands[2]], result_sizes, element(product), lambda s, args: scalar.add(s, args[0], args[1])
        )
    ]


Term = tuple[SSAValue, tuple[str, ...], tuple[Dim, ...]]
"""A tensor, the labels of its dims, and the dims."""


def _einsum(op: linear_algebra.EinsumOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    shapes = [dims(tensor) or () for tensor in op.tensors]
    labels = op.parsed(shapes)
    terms: list[Term] = list(zip(operands, labels.operands, shapes, strict=True))
    unsigned = is_unsigned(relax_element(op.tensors[0]))
    element_type = signless(element_type_of(op.result.type))
    wide = accumulator(element_type)

    def needed(index: int) -> set[str]:
        others = (label for i, (_, own, _) in enumerate(terms) if i != index for label in own)
        return {*labels.result, *others}

    # What only one operand has is summed before it meets the others.
    for index in range(len(terms)):
        if not needed(index).issuperset(terms[index][1]) and len(terms) > 1:
            kept = [label for label in dict.fromkeys(terms[index][1]) if label in needed(index)]
            terms[index] = _summed(b, terms[index], kept, wide)
    while len(terms) > 1:
        lhs, rhs, *rest = terms
        later = {*labels.result, *(label for _, own, _ in rest for label in own)}
        kept_labels = {*lhs[1], *rhs[1]} & later
        kept = [label for label in dict.fromkeys((*labels.result, *lhs[1], *rhs[1])) if label in kept_labels]
        terms = [_contracted(b, lhs, rhs, kept, wide if rest else element_type, unsigned), *rest]
    if len(operands) == 1:
        terms = [_summed(b, terms[0], labels.result, wide)]
    value, _, _ = terms[0]
    return [convert(b, value, b.shape(value), element_type, unsigned)]


def _reads(own: Sequence[str], shape: Sequence[Dim], order: Sequence[str], common: Mapping[str, Dim]) -> AffineMap:
    """Returns the map from the iteration dims `order` to those of an operand; a broadcast dim is read at 0."""
    exprs = (
        AffineExpr.constant(0) if dim == 1 and common[label] != 1 else AffineExpr.dimension(order.index(label))
        for label, dim in zip(own, shape, strict=True)
    )
    return AffineMap(len(order), 0, tuple(exprs))


def _contracted(
    b: LinalgBuilder, lhs: Term, rhs: Term, kept: Sequence[str], element_type: Attribute, unsigned: bool
) -> Term:
    """Multiplies two terms and sums over the labels that are not kept."""
    common = label_dims(SizeContext(), [lhs[1], rhs[1]], [lhs[2], rhs[2]])
    order = [*kept, *(label for label in common if label not in kept)]
    shape = tuple(common[label] for label in kept)
    maps = [_reads(own, dims, order, common) for _, own, dims in (lhs, rhs)]
    maps.append(projection(len(order), range(len(kept))))
    reduced = len(order) - len(kept)
    value = contract(b, lhs[0], rhs[0], maps, b.sizes(shape), len(kept), reduced, element_type, unsigned)
    return value, tuple(kept), shape


def _summed(b: LinalgBuilder, term: Term, kept: Sequence[str], wide: Attribute) -> Term:
    """Sums a term over the labels that are not kept, and orders the others."""
    value, own, dims = term
    common = label_dims(SizeContext(), [own], [dims])
    order = [*kept, *(label for label in common if label not in kept)]
    shape = tuple(common[label] for label in kept)
    maps = [_reads(own, dims, order, common), projection(len(order), range(len(kept)))]
    if len(order) == len(kept):
        return (
            b.elementwise([value], b.sizes(shape), element(value), lambda s, args: args[0], maps[:1]),
            tuple(kept),
            shape,
        )
    iterators = [PARALLEL] * len(kept) + [REDUCTION] * (len(order) - len(kept))
    total = b.generic(
        [value],
        [b.filled(0, wide, b.sizes(shape))],
        maps,
        iterators,
        lambda s, args: scalar.add(s, args[1], scalar.cast(s, args[0], wide)),
    )[0]
    return total, tuple(kept), shape


def _outer(op: linear_algebra.OuterOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    sizes = [b.dim(operands[0], 0), b.dim(operands[1], 0)]
    maps = [projection(2, [0]), projection(2, [1])]
    element_type = element(operands[0])
    return [b.elementwise(operands, sizes, element_type, lambda s, args: scalar.mul(s, args[0], args[1]), maps)]


RULES: Rules = {
    linear_algebra.MatmulOp: _matmul,
    linear_algebra.LinearOp: _linear,
    linear_algebra.EinsumOp: _einsum,
    linear_algebra.OuterOp: _outer,
}
