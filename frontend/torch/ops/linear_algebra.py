"""Products of matrices, and attention."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import accumulator
from ....dialects.symbolic.expressions import equal
from ...model.problems import Unsupported
from ...model.value_types import element_of, sizes_of
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)


@op("mm", "bmm", "matmul", "mv", "dot")
def _matmul(node: Node) -> SSAValue:
    names = [name for name in node.arguments if name not in ("out_dtype",)][:2]
    return node.g.matmul(node.x(names[0]), node.x(names[1]))


@op("linear")
def _linear(node: Node) -> SSAValue:
    """Converts a node. The bias of 16-bit floats is added before the sum is rounded."""
    g, element = node.g, node.element()
    wide = accumulator(element)
    bias = node.x("bias") if node.has("bias") else None
    if wide == element or bias is None:
        return g.linear(node.x("input"), node.x("weight"), bias)
    return g.linear(node.x("input"), node.x("weight"), node.cast(bias, wide), out_dtype=wide)


@op("addmm", "addmv", "baddbmm", "addbmm", "addr")
def _added_product(node: Node) -> SSAValue:
    """Converts a node: `beta * self + alpha * product`; with a beta of 0 the first operand counts for nothing."""
    g, element = node.g, node.element()
    wide = accumulator(element)
    lhs, rhs = [name for name in node.arguments if name not in ("self", "beta", "alpha", "out_dtype")][:2]
    alpha, beta = node["alpha"], node["beta"]
    if element == i1:
        raise Unsupported("products of conditions have no counterpart")
    if node.op == "addr":
        product = g.outer(node.x(lhs, wide), node.x(rhs, wide))
    else:
        product = g.matmul(node.x(lhs), node.x(rhs), out_dtype=wide)
    if node.op == "addbmm":
        product = g.sum(product, axis=[0], keepdims=False)
    product = product if alpha == 1 else g.multiply(product, node.operand(alpha, wide))
    if beta == 0:
        return product
    term = node.x("self", wide)
    return g.add(term if beta == 1 else g.multiply(term, node.operand(beta, wide)), product)


@op("outer")
def _outer(node: Node) -> SSAValue:
    return node.g.outer(node.x("self"), node.x("vec2"))


@op("einsum")
def _einsum(node: Node) -> SSAValue:
    """Converts a node. Labels may be letters of either case, or an ellipsis, as the dialect has them."""
    equation = node["equation"].replace(" ", "")
    return node.g.einsum(*[node.cast(item, node.element()) for item in node.values("tensors")], subscripts=equation)


@op("_trilinear")
def _trilinear(node: Node) -> SSAValue:
    """Converts a node: the products of three tensors, each without the dims that `expand` inserts, summed over `sumdim`."""
    rank = node.rank("i1") + len(node["expand1"])
    labels = [
        "".join(string.ascii_lowercase[axis] for axis in range(rank) if axis not in node[f"expand{index}"])
        for index in (1, 2, 3)
    ]
    kept = "".join(string.ascii_lowercase[axis] for axis in range(rank) if axis not in node["sumdim"])
    operands = [node.x(name) for name in ("i1", "i2", "i3")]
    return node.g.einsum(*operands, subscripts=f"{','.join(labels)}->{kept}")


# Attention


@op("scaled_dot_product_attention")
def _attention(node: Node) -> SSAValue:
    """Converts a node. torch has `[..., heads, length, size]`, the dialect `[batch, length, heads, size]`."""
    if float(node["dropout_p"]) > 0:
        raise Unsupported("drops at random (dropout_p): export the module after eval()")
    return attention(node, node["attn_mask"], bool(node["is_causal"]), bool(node["enable_gqa"]))


@op("_scaled_dot_product_flash_attention_for_cpu")
def _flash_attention(node: Node) -> Sequence[SSAValue | None]:
    if float(node["dropout_p"]) > 0:
        raise Unsupported("drops at random (dropout_p): export the module after eval()")
    return [attention(node, node["attn_mask"], bool(node["is_causal"]), True), None]


def attention(node: Node, mask: SSAValue | None, causal: bool, grouped: bool) -> SSAValue:
    """Returns attention; a condition in the mask says what is seen, numbers are added to the scores."""
    g, element = node.g, node.element()
    query, key, value = (node.x(name) for name in ("query", "key", "value"))
    rank = node.rank("query")
    scale = node["scale"]
    if scale is None:
        size = node.shape("query")[-1]
        if not isinstance(size, int):
            raise Unsupported(f"the size of a head must be a number, got {size}")
        scale = 1 / math.sqrt(size) if size else 1.0
    if grouped and rank >= 3:
        key, value = (_repeated(node, item, query) for item in (key, value))
    same = rank == 4 and all(
        equal(a, b) for item in (key, value) for a, b in zip(sizes_of(query)[:2], sizes_of(item)[:2], strict=True)
    )
    if not same or not _bias_fits(mask):
        return _composed_attention(node, query, key, value, mask, causal, float(scale))
    operands = [g.permute_dims(item, axes=[0, 2, 1, 3]) for item in (query, key, value)]
    extra = {"causal_mask": "TopLeft"} if causal else {}
    if mask is None:
        result = g.nn.attention(*operands, scale=float(scale), **extra)
    else:
        bias = _additive(node, mask, element)
        missing = 4 - len(sizes_of(bias))
        bias = g.expand_dims(bias, axis=list(range(missing))) if missing else bias
        result = g.nn.attention_bias(*operands, bias, scale=float(scale), **extra)
        result = _without_rows_of_nothing(node, result, bias)
    return g.permute_dims(result, axes=[0, 2, 1, 3])


def _bias_fits(mask: SSAValue | None) -> bool:
    return mask is None or len(sizes_of(mask)) <= 4


def _without_rows_of_nothing(node: Node, result: SSAValue, bias: SSAValue) -> SSAValue:
    """Returns attention whose rows that see nothing are zeros, as torch has them, not NaN."""
    g = node.g
    if 0 in sizes_of(bias):
        return result
    best = g.permute_dims(g.max(bias, axis=[3], keepdims=True), axes=[0, 2, 1, 3])
    return g.where(g.equal(best, node.number(-math.inf, element_of(bias))), node.number(0), result)


def _repeated(node: Node, value: SSAValue, query: SSAValue) -> SSAValue:
    """Returns keys or values with each head as often as queries share it."""
    heads, own = sizes_of(query)[-3], sizes_of(value)[-3]
    if equal(heads, own):
        return value
    if not isinstance(heads, int) or not isinstance(own, int):
        raise Unsupported(f"the numbers of heads must be known, got {heads} and {own}")
    return node.g.repeat(value, repeats=heads // own, axis=len(sizes_of(value)) - 3)


def _additive(node: Node, mask: SSAValue, element: object) -> SSAValue:
    """Returns a mask as numbers that are added to the scores."""
    if element_of(mask) != i1:
        return node.cast(mask, node.element())
    return node.g.where(mask, node.number(0), node.number(-math.inf))


def _composed_attention(
    node: Node,
    query: SSAValue,
    key: SSAValue,
    value: SSAValue,
    mask: SSAValue | None,
    causal: bool,
    scale: float,
) -> SSAValue:
    """Returns attention of any number of dims as products and a softmax."""
    g, wide = node.g, accumulator(node.element())
    query, key, value = (node.cast(item, wide) for item in (query, key, value))
    rank = len(sizes_of(key))
    turned = g.permute_dims(key, axes=[*range(rank - 2), rank - 1, rank - 2])
    scores = g.multiply(g.matmul(query, turned), node.number(scale, wide))
    low = node.number(-math.inf, wide)
    if causal:
        rows, columns = (g.arange([0, size, 1], dtype=i64) for size in sizes_of(scores)[-2:])
        scores = g.where(g.less_equal(columns, g.expand_dims(rows, axis=[1])), scores, low)
    if mask is not None:
        scores = g.where(mask, scores, low) if element_of(mask) == i1 else g.add(scores, node.cast(mask, wide))
    axis = len(sizes_of(scores)) - 1
    shares = g.nn.softmax(scores, axis=axis)
    if mask is not None and 0 not in sizes_of(scores):
        hidden = g.equal(g.max(scores, axis=[axis], keepdims=True), low)
        shares = g.where(hidden, node.number(0, wide), shares)
    return g.matmul(shares, value)


# Distances


@op("_cdist_forward", "_pdist_forward", "_euclidean_dist")
def _distances(node: Node) -> SSAValue:
    """Converts a node: norms of the differences of all pairs of rows; `pdist` has the pairs of different rows of one matrix."""
    g, element = node.g, node.element()
    order = float(node["p"]) if "p" in node.arguments else 2.0
    x = node.x("self" if node.op == "_pdist_forward" else "x1")
    rank = len(sizes_of(x))
    other = x if node.op == "_pdist_forward" else node.x("x2")
    lhs, rhs = g.expand_dims(x, axis=[rank - 1]), g.expand_dims(other, axis=[len(sizes_of(other)) - 2])
    gaps = g.abs(g.subtract(lhs, rhs))
    if order == 0:
        result = g.sum(node.cast(g.not_equal(gaps, node.number(0)), element), axis=[-1], keepdims=False)
    elif order == math.inf:
        count = sizes_of(gaps)[-1]
        result = g.max(gaps, axis=[-1], keepdims=False) if count != 0 else g.sum(gaps, axis=[-1], keepdims=False)
    elif order == 1:
        result = g.sum(gaps, axis=[-1], keepdims=False)
    elif order == 2:
        result = g.sqrt(g.sum(g.square(gaps), axis=[-1], keepdims=False))
    else:
        total = g.sum(g.power(gaps, node.number(order)), axis=[-1], keepdims=False)
        result = g.power(total, node.number(1 / order))
    if node.op != "_pdist_forward":
        return result
    rows = sizes_of(x)[0]
    if not isinstance(rows, int):
        raise Unsupported(f"the number of rows must be known, got {rows}")
    places = np.ravel_multi_index(np.triu_indices(rows, 1), (rows, rows)) if rows else np.zeros(0, np.int64)
    return g.take(g.reshape(result, [rows * rows]), g.constant(places.astype(np.int64)), axis=0)
