"""Attention: a contraction, the softmax of its rows, a contraction; the query heads of one key head are a dim of their own.

The row sums divide the result of the second contraction, not its operand.

    %y = relax.nn.attention %q, %k, %v

becomes

    linalg.generic %s[b, h, i, j] += %q[b, i, h, d] * %k[b, j, h, d]
    linalg.generic                                                 scale, mask, row maximum, exponentials, row sums
    linalg.generic %o[b, i, h, d] += %p[b, h, i, j] * %v[b, j, h, d]
    linalg.generic %y = %o / sums
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from xdsl.dialects import arith, math
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from .....dialects.relax.attrs import dims_of, element_type_of
from .....dialects.relax.base import dims
from .....dialects.relax.dtypes import accumulator
from .....dialects.relax.ops.nn import attention as nn_attention
from .....dialects.relax.vocabulary.attributes import WEIGHTLESS
from .....dialects.symbolic.expressions import Dim, equal, floordiv
from .....records import record
from ....emit import scalar
from ....emit.tensor_builder import ScalarBuilder, Size, projection, tensor_shape
from ...builder import LinalgBuilder
from ...regroup import join_dims, split_dim
from ...rule import Rules
from ..linear_algebra import contract
from .softmax import Rows, maximum_of_rows

LOWEST = {64: -1.7976931348623157e308, 32: -3.4028234663852886e38}


@record(frozen=False)
class Heads:
    """How the query heads are laid out: `[b, hkv, g, sq, skv]` is the order of the score dims, g is left out if it is 1."""

    key_heads: Size
    group: Size


def _heads(query: Dim, key: Dim, b: LinalgBuilder) -> Heads:
    return Heads(b.size(key), 1 if equal(query, key) is True else b.size(floordiv(query, key)))


def _attention(op: nn_attention.AttentionLikeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    query, key, value = operands[:3]
    query_dims, key_dims = (list(dims(operand) or ()) for operand in op.operands[:2])
    heads = _heads(query_dims[2], key_dims[2], b)
    batch, queries, keys = b.size(query_dims[0]), b.size(query_dims[1]), b.size(key_dims[1])
    element_type = element_type_of(op.result.type)
    wide = accumulator(element_type)
    grouped = heads.group != 1
    if grouped:
        query = split_dim(b, query, 2, heads.key_heads, heads.group, query_dims)
    # Iteration dims of the scores: b, hkv, [g], sq, skv, then d.
    head_dims = [1, 2] if grouped else [1]
    rank = 4 + grouped
    row, column, reduced = rank - 2, rank - 1, rank
    score_sizes = [batch, heads.key_heads, *([heads.group] if grouped else []), queries, keys]
    maps = [
        projection(rank + 1, [0, row, *head_dims, reduced]),
        projection(rank + 1, [0, column, 1, reduced]),
        projection(rank + 1, range(rank)),
    ]
    products = contract(b, query, key, maps, score_sizes, rank, 1, wide)
    scale = _scale(op, b, b.size(query_dims[3]), wide)
    scores = _scores(op, b, products, scale, operands[3:], score_sizes, heads, wide)
    rows = Rows(b, scores, score_sizes, [column])
    maximum = maximum_of_rows(rows, initial=LOWEST[wide.bitwidth])  # pyright: ignore[reportAttributeAccessIssue]
    weights = b.elementwise(
        [scores, maximum],
        score_sizes,
        wide,
        lambda s, args: scalar.exp_below(s, args[0], args[1]),
        maps=[rows.identity, rows.row],
    )
    total = rows.total(weights)
    result_dims = list(dims_of(op.result.type) or ())
    # Iteration dims of the result: b, sq, hkv, [g], dv, then skv.
    result_sizes = [batch, queries, *score_sizes[1 : 1 + len(head_dims)], b.size(result_dims[3])]
    result_heads = [axis + 1 for axis in head_dims]
    maps = [
        projection(rank + 1, [0, *result_heads, 1, rank]),
        projection(rank + 1, [0, rank, 2, rank - 1]),
        projection(rank + 1, range(rank)),
    ]
    weighted = contract(b, weights, value, maps, result_sizes, rank, 1, wide)
    result = _divided(b, weighted, total, result_sizes, result_heads, element_type)
    return [join_dims(b, result, 2) if grouped else result]


def _scale(op: nn_attention.AttentionLikeOp, b: LinalgBuilder, head_dim: Size, wide: Attribute) -> SSAValue:
    scale = op.prop("scale")
    if scale is not None:
        return b.constant(scale, wide)
    if isinstance(head_dim, int):
        return b.constant(head_dim**-0.5 if head_dim else inf, wide)
    return scalar.div(b, b.constant(1.0, wide), b.insert(math.SqrtOp(b.size_as(head_dim, wide))))


def _scores(
    op: nn_attention.AttentionLikeOp,
    b: LinalgBuilder,
    products: SSAValue,
    scale: SSAValue,
    bias: Sequence[SSAValue],
    sizes: Sequence[Size],
    heads: Heads,
    wide: Attribute,
) -> SSAValue:
    """Returns `products * scale + bias`, and `-inf` where a query does not see a key."""
    rank = len(sizes)
    queries, keys = sizes[-2:]
    causal_mask, window = op.prop("causal_mask"), op.prop("window_size")
    offset = b.index(0)
    if causal_mask == "BottomRight":
        offset = b.insert(arith.SubiOp(b.as_index(keys), b.as_index(queries)))

    def body(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
        score = scalar.mul(s, args[0], scale)
        if bias:
            score = scalar.add(s, score, scalar.widen(s, args[1]))
        if causal_mask is None:
            return score
        key = s.iteration(rank - 1)
        last = s.insert(arith.AddiOp(s.iteration(rank - 2), offset))
        visible = s.insert(arith.CmpiOp(key, last, "sle"))
        if window is not None:
            first = s.insert(arith.SubiOp(last, s.index(window)))
            visible = s.insert(arith.AndIOp(visible, s.insert(arith.CmpiOp(key, first, "sgt"))))
        masked = scalar.select(s, visible, score, s.constant(float("-inf"), wide))
        # The weight of a key that is not seen is 0, also where no key is.
        assert isinstance(masked.owner, arith.SelectOp)
        WEIGHTLESS.set(masked.owner)
        return masked

    if not bias:
        return b.elementwise([products], sizes, wide, body)
    bias_map, bias_value = _bias_map(b, bias[0], dims(op.operands[3]), sizes, heads)
    return b.elementwise([products, bias_value], sizes, wide, body, maps=[AffineMap.identity(rank), bias_map])


def _bias_map(
    b: LinalgBuilder, bias: SSAValue, bias_dims: Sequence[Dim] | None, sizes: Sequence[Size], heads: Heads
) -> tuple[AffineMap, SSAValue]:
    """Returns how the bias `[b, h, sq, skv]` is read from the score dims, and the bias with its heads split."""
    rank = len(sizes)
    full = [0, 1, rank - 2, rank - 1]
    if heads.group != 1 and tensor_shape(bias)[1] != 1:
        bias = split_dim(b, bias, 1, heads.key_heads, heads.group, bias_dims)
        full = list(range(rank))
    exprs = [
        AffineExpr.constant(0) if size == 1 and sizes[dim] != 1 else AffineExpr.dimension(dim)
        for size, dim in zip(tensor_shape(bias), full, strict=True)
    ]
    return AffineMap(rank, 0, tuple(exprs)), bias


def _divided(
    b: LinalgBuilder,
    weighted: SSAValue,
    total: SSAValue,
    sizes: Sequence[Size],
    result_heads: Sequence[int],
    element_type: Attribute,
) -> SSAValue:
    """Returns the weighted values over the sums of their weights, which are at least 1 but for a query that sees nothing."""
    rank = len(sizes)

    def body(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
        divisor = scalar.maximum(s, args[1], s.constant(1.0, args[1].type))
        return scalar.cast(s, scalar.div(s, args[0], divisor), element_type)

    maps = [AffineMap.identity(rank), projection(rank, [0, *result_heads, 1])]
    return b.elementwise([weighted, total], sizes, element_type, body, maps=maps)


RULES: Rules = {
    nn_attention.AttentionOp: _attention,
    nn_attention.AttentionBiasOp: _attention,
}
