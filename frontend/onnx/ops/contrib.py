"""Ops of onnxruntime (`com.microsoft`) that its optimizer and exporters of transformers write."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import f32, i1, i32, i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import ui8
from ....dialects.symbolic.expressions import add, apply
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.sizes import number_of
from ...model.value_types import normalized_axes, sizes_of
from ..node import Node
from ..table import CONTRIB, Table, converters, exactly
from .linear_algebra import centered, requantized, scaled

TABLE: Table = {}
op = converters(TABLE, CONTRIB)

MASK = range(1, 5)
"""The numbers of dims of a mask: lengths of sequences, or which keys count."""


# Activations and products


@op("Gelu")
def _gelu(node: Node) -> SSAValue:
    return node.g.nn.gelu(node.x(0))


@op("BiasGelu")
def _bias_gelu(node: Node) -> SSAValue:
    return node.g.nn.gelu(node.g.add(node.x(0), node.x(1)))


@op("FastGelu")
def _fast_gelu(node: Node) -> SSAValue:
    return node.g.nn.gelu_tanh(node.g.add(node.x(0), node.x(1)) if node.has(1) else node.x(0))


@op("QuickGelu")
def _quick_gelu(node: Node) -> SSAValue:
    g, x = node.g, node.x(0)
    return g.multiply(x, g.sigmoid(g.multiply(x, node.constant(node.attr("alpha", 1.702)))))


@op("FusedMatMul", "TransposeMatMul")
def _fused_matmul(node: Node) -> SSAValue:
    operands: list[SSAValue] = []
    for index, side in enumerate("AB"):
        value, rank = node.x(index), node.rank(index)
        if node.attr(f"transBatch{side}", 0):
            raise Unsupported(f"transBatch{side} has no counterpart")
        if node.attr(f"trans{side}", 0) and rank > 1:
            value = node.g.permute_dims(value, axes=[*range(rank - 2), rank - 1, rank - 2])
        operands.append(value)
    return scaled(node, node.g.matmul(*operands), node.attr("alpha", 1.0))


@op("QGemm")
def _qgemm(node: Node) -> SSAValue:
    """Converts a node. Operands: a and b, each with its scale and zero point, the bias in i32, the result's scale and zero point."""
    g = node.g
    lhs, rhs = centered(node, 0, 2), centered(node, 3, 5)
    if node.attr("transA", 0):
        lhs = g.permute_dims(lhs, axes=[1, 0])
    if node.attr("transB", 0):
        rhs = g.permute_dims(g.astype(node.x(3), dtype=i32), axes=[1, 0])
        rhs = g.subtract(rhs, g.astype(node.x(5), dtype=i32)) if node.has(5) else rhs
    sums = g.matmul(lhs, rhs)
    if node.has(6):
        sums = g.add(sums, g.astype(node.x(6), dtype=i32))
    factor = g.multiply(node.cast(node.x(1), f32), node.cast(node.x(4), f32))
    factor = g.multiply(factor, g.constant(node.attr("alpha", 1.0), f32))
    if node.has(7):
        return requantized(node, sums, factor, 7, 8)
    return g.multiply(g.astype(sums, dtype=f32), factor)


@op("MatMulNBits")
def _matmul_n_bits(node: Node) -> SSAValue:
    """Converts a node. The weight is `[n, blocks, bytes]`, each byte with several integers, the lowest bits first."""
    g, element = node.g, node.element(0)
    bits, block = int(node.attr("bits", 4)), int(node.attr("block_size", 32))
    inner, columns = int(node.attr("K", 0)), int(node.attr("N", 0))
    if bits not in (2, 4, 8) or node.has(4):
        raise Unsupported("weights of other than 2, 4 or 8 bits, or with a group index, have no counterpart")
    blocks = -(-inner // block)
    integers = unpacked(node, g.reshape(node.x(1), [columns, blocks * (block * bits // 8)]), bits)
    values = g.reshape(node.cast(integers, element), [columns, blocks, block])
    scales = g.reshape(node.cast(node.x(2), element), [columns, blocks, 1])
    if node.has(3) and node.element(3) == ui8:
        packed = g.reshape(node.x(3), [columns, -1])
        zeros = g.strided_slice(unpacked(node, packed, bits), axes=[1], begin=[0], end=[blocks])
        zero = g.reshape(node.cast(zeros, element), [columns, blocks, 1])
    elif node.has(3):
        zero = g.reshape(node.cast(node.x(3), element), [columns, blocks, 1])
    else:
        zero = g.constant(1 << (bits - 1), element)
    weight = g.reshape(g.multiply(g.subtract(values, zero), scales), [columns, blocks * block])
    weight = g.strided_slice(weight, axes=[1], begin=[0], end=[inner]) if blocks * block != inner else weight
    result = g.matmul(node.x(0), g.permute_dims(weight, axes=[1, 0]))
    return g.add(result, node.x(5)) if node.has(5) else result


def unpacked(node: Node, value: SSAValue, bits: int) -> SSAValue:
    """Returns the integers in the bytes of the last dim of a matrix, the lowest bits first."""
    if bits == 8:
        return value
    g = node.g
    rows, columns = sizes_of(value)
    shifts = g.constant(np.arange(0, 8, bits, dtype=np.uint8))
    parts = g.right_shift(g.expand_dims(value, axis=[2]), shifts)
    parts = g.bitwise_and(parts, g.constant((1 << bits) - 1, ui8))
    return g.reshape(parts, [rows, apply("*", columns, 8 // bits)])


# Normalizations


@op("SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
def _skip_layer_normalization(node: Node) -> Sequence[SSAValue | None]:
    """Converts a node. Operands: x, what is added to it, gamma, beta (not for the simplified one), the bias of the sum."""
    g, simplified = node.g, node.op.startswith("SkipSimplified")
    total = g.add(node.x(0), node.x(1))
    bias = 3 if simplified else 4
    total = g.add(total, node.x(bias)) if node.has(bias) else total
    axes, epsilon = [node.rank(0) - 1], float(node.attr("epsilon", 1e-12))
    if simplified:
        result = g.nn.rms_norm(total, node.x(2), axes=axes, epsilon=epsilon)
    else:
        beta = node.x(3) if node.has(3) else g.zeros_like(node.x(2))
        result = g.nn.layer_norm(total, node.x(2), beta, axes=axes, epsilon=epsilon)
    if node.wants(1) or node.wants(2):
        raise Unsupported("mean and variance as outputs have no counterpart")
    return [result, None, None, total]


@op("SimplifiedLayerNormalization")
def _simplified_layer_normalization(node: Node) -> SSAValue:
    axes = list(range(normalized_axes([node.attr("axis", -1)], node.rank(0))[0], node.rank(0)))
    return node.g.nn.rms_norm(node.x(0), node.x(1), axes=axes, epsilon=float(node.attr("epsilon", 1e-5)))


# Attention


@op("RotaryEmbedding", ranks={0: range(3, 5), 2: exactly(2), 3: exactly(2)})
def _rotary_embedding(node: Node) -> SSAValue:
    """Converts a node. Operands: x `[b, s, hidden]` or `[b, heads, s, size]`, positions, the tables of cosines and sines."""
    x, rank = node.x(0), node.rank(0)
    heads = int(node.attr("num_heads", 0))
    width = int(node.attr("rotary_embedding_dim", 0))
    half = max(number_of(node.shape(2)[1], "width of the tables"), 1)
    if rank == 3:
        size = node.shape(0)[2]
        heads = heads or number_of(size, "size of the heads") // (2 * half)
        x = by_heads(node, x, heads)
    result = rotated(node, x, node.x(1), node.x(2), node.x(3), bool(node.attr("interleaved", 0)), width)
    return joined_heads(node, result) if rank == 3 else result


def by_heads(node: Node, x: SSAValue, heads: int) -> SSAValue:
    """Returns `[b, s, heads * size]` as `[b, heads, s, size]`."""
    batch, length, hidden = sizes_of(x)
    parts = node.g.reshape(x, [batch, length, heads, apply("floordiv", hidden, heads)])
    return node.g.permute_dims(parts, axes=[0, 2, 1, 3])


def joined_heads(node: Node, x: SSAValue) -> SSAValue:
    """Returns `[b, heads, s, size]` as `[b, s, heads * size]`."""
    batch, heads, length, size = sizes_of(x)
    return node.g.reshape(node.g.permute_dims(x, axes=[0, 2, 1, 3]), [batch, length, apply("*", heads, size)])


def rotated(
    node: Node, x: SSAValue, positions: SSAValue, cosines: SSAValue, sines: SSAValue, interleaved: bool, width: int
) -> SSAValue:
    """Returns `[b, heads, s, size]` with pairs of items turned by the angles of their positions; items beyond `width` stay."""
    g = node.g
    batch, heads, length, size = sizes_of(x)
    positions = node.cast(positions, i64)
    if sizes_of(positions) == (1,):
        # One position is that of the first item of every sequence.
        positions = g.add(positions, g.arange([0, length, 1], dtype=i64))
        positions = g.broadcast_to(g.expand_dims(positions, axis=[0]), [batch, length])
    cos, sin = (g.expand_dims(g.take(table, positions, axis=0), axis=[1]) for table in (cosines, sines))
    rest = None
    if width and width != size:
        x, rest = g.split(x, indices=[width], axis=3)
        size = width
    half = apply("floordiv", size, 2)
    if interleaved:
        pairs = g.reshape(x, [batch, heads, length, half, 2])
        first, second = (g.squeeze(part, axis=[4]) for part in g.split(pairs, sections=2, axis=4))
    else:
        first, second = g.split(x, sections=2, axis=3)
    turned = g.subtract(g.multiply(first, cos), g.multiply(second, sin))
    other = g.add(g.multiply(second, cos), g.multiply(first, sin))
    if interleaved:
        result = g.reshape(g.stack(turned, other, axis=4), [batch, heads, length, size])
    else:
        result = g.concat(turned, other, axis=3)
    return result if rest is None else g.concat(result, rest, axis=3)


def attended(
    node: Node, query: SSAValue, key: SSAValue, value: SSAValue, scale: float | None, bias: SSAValue | None
) -> SSAValue:
    """Returns attention over `[b, heads, s, size]`, by the op of the dialect, whose operands are `[b, s, heads, size]`."""
    g = node.g
    operands = [g.permute_dims(item, axes=[0, 2, 1, 3]) for item in (query, key, value)]
    arguments = {} if scale is None else {"scale": scale}
    if bias is None:
        result = g.nn.attention(*operands, **arguments)
    else:
        result = g.nn.attention_bias(*operands, bias, **arguments)
    return g.permute_dims(result, axes=[0, 2, 1, 3])


def causal_bias(node: Node, queries: Known, keys: Known, window: int = -1) -> SSAValue:
    """Returns `[1, 1, queries, keys]` with the least number where a query, counted from the end, must not look."""
    g, element = node.g, node.element(0)
    rows = g.expand_dims(g.arange([0, queries, 1], dtype=i64), axis=[1])
    rows = g.add(rows, g.symbol_value(g.shape(apply("-", keys, queries))))
    columns = g.arange([0, keys, 1], dtype=i64)
    allowed = g.less_equal(columns, rows)
    if window > 0:
        allowed = g.logical_and(allowed, g.greater(columns, g.subtract(rows, g.constant(window, i64))))
    return g.expand_dims(masked(node, allowed, element), axis=[0, 1])


def masked(node: Node, allowed: SSAValue, element: object) -> SSAValue:
    """Returns 0 where something holds, elsewhere a number so low that nothing is left of what it is added to."""
    g = node.g
    low = -65504.0 if str(element) == "f16" else -1e30
    return g.where(allowed, node.constant(0), node.constant(low))


def combined_bias(node: Node, *parts: SSAValue | None) -> SSAValue | None:
    """Returns the sum of what is given."""
    total: SSAValue | None = None
    for part in parts:
        if part is not None:
            total = part if total is None else node.g.add(total, part)
    return total


def padding_bias(node: Node, index: int, batch: Known, keys: Known) -> SSAValue | None:
    """Returns `[b, 1, 1 or q, keys]` from a mask: lengths of sequences, or which keys count."""
    if not node.has(index):
        return None
    g, rank = node.g, node.rank(index)
    mask = node.x(index)
    if rank == 1:
        if node.shape(index) != (batch,):
            raise Unsupported("masks with starts and ends of sequences have no counterpart")
        allowed = g.less(g.arange([0, keys, 1], dtype=i32), g.expand_dims(node.cast(mask, i32), axis=[1]))
        return g.expand_dims(masked(node, allowed, node.element(0)), axis=[1, 2])
    allowed = g.astype(mask, dtype=i1)
    axes = {2: [1, 2], 3: [1], 4: []}[rank]
    allowed = g.expand_dims(allowed, axis=axes) if axes else allowed
    return masked(node, allowed, node.element(0))


@op("Attention", ranks={0: exactly(3), 1: exactly(2), 2: exactly(1), 3: MASK, 4: exactly(5)})
def _attention(node: Node) -> Sequence[SSAValue | None]:
    """Converts a node. Operands: x, the weights of query, key and value, their bias, a mask, what came before, a bias of the scores."""
    g, heads = node.g, int(node.attr("num_heads", 1))
    if node.attr("do_rotary", 0) or node.attr("past_present_share_buffer", 0):
        raise Unsupported("rotation and shared buffers in this op have no counterpart")
    product = g.matmul(node.x(0), node.x(1))
    product = g.add(product, node.x(2)) if node.has(2) else product
    sizes = [int(item) for item in node.attr("qkv_hidden_sizes", [])]
    if sizes:
        parts = g.split(product, indices=[sizes[0], sizes[0] + sizes[1]], axis=2)
    else:
        parts = g.split(product, sections=3, axis=2)
    query, key, value = (by_heads(node, part, heads) for part in parts)
    present: SSAValue | None = None
    if node.has(4):
        old_key, old_value = (g.squeeze(part, axis=[0]) for part in g.split(node.x(4), sections=2, axis=0))
        key, value = g.concat(old_key, key, axis=2), g.concat(old_value, value, axis=2)
    if node.wants(1):
        present = g.stack(key, value, axis=0)
    batch, _, length, _ = sizes_of(query)
    keys = sizes_of(key)[2]
    bias = combined_bias(
        node,
        padding_bias(node, 3, batch, keys),
        causal_bias(node, length, keys) if node.attr("unidirectional", 0) else None,
        node.x(5) if node.has(5) else None,
    )
    scale = float(node.attr("scale", 0.0)) or None
    return [joined_heads(node, attended(node, query, key, value, scale, bias)), present]


@op(
    "MultiHeadAttention",
    ranks={**dict.fromkeys(range(3), range(3, 5)), 3: exactly(1), 4: MASK, 6: exactly(4), 7: exactly(4)},
)
def _multi_head_attention(node: Node) -> Sequence[SSAValue | None]:
    """Converts a node. Operands: query, key, value, their bias, a mask, a bias of the scores, the keys and values before."""
    g, heads = node.g, int(node.attr("num_heads", 1))
    if not node.has(1) or not node.has(2):
        raise Unsupported("packed keys and values have no counterpart")
    values = [node.x(index) for index in range(3)]
    if node.has(3):
        widths = [node.shape(index)[-1] for index in range(2)]
        if node.rank(1) != 3:
            raise Unsupported("a bias of packed operands has no counterpart")
        first, second = (number_of(width, "width of the operands") for width in widths)
        biases = g.split(node.x(3), indices=[first, first + second], axis=0)
        values = [g.add(value, bias) for value, bias in zip(values, biases, strict=True)]
    query, key, value = (by_heads(node, item, heads) if len(sizes_of(item)) == 3 else item for item in values)
    if node.has(6):
        key, value = g.concat(node.x(6), key, axis=2), g.concat(node.x(7), value, axis=2)
    batch, _, length, _ = sizes_of(query)
    keys = sizes_of(key)[2]
    bias = combined_bias(
        node,
        padding_bias(node, 4, batch, keys),
        node.x(5) if node.has(5) else None,
        causal_bias(node, length, keys) if node.attr("unidirectional", 0) else None,
    )
    scale = float(node.attr("scale", 0.0)) or None
    return [joined_heads(node, attended(node, query, key, value, scale, bias)), key, value]


@op(
    "GroupQueryAttention",
    ranks={**dict.fromkeys(range(3), exactly(3)), 3: exactly(4), 4: exactly(4), 7: exactly(2), 8: exactly(2)},
)
def _group_query_attention(node: Node) -> Sequence[SSAValue]:
    """Converts a node. Operands: query (or all three packed), key, value, the keys and values before, the length of each sequence less one,
    the total length, the tables of cosines and sines.

    The keys before are those of all sequences: each has the same number of them, which is the total less the new ones.
    """
    g = node.g
    heads, groups = int(node.attr("num_heads", 1)), int(node.attr("kv_num_heads", 1))
    if not 1 <= groups <= heads:
        raise Unsupported(f"kv_num_heads must be from 1 to num_heads = {heads}, got {groups}")
    if float(node.attr("softcap", 0.0)) or node.attr("smooth_softmax", 0):
        raise Unsupported("softcap and smooth softmax have no counterpart")
    if node.has(1):
        query, key, value = (by_heads(node, node.x(i), n) for i, n in enumerate((heads, groups, groups)))
    else:
        hidden = node.shape(0)[2]
        size = number_of(hidden, "size of the packed operands") // (heads + 2 * groups)
        parts = g.split(node.x(0), indices=[heads * size, (heads + groups) * size], axis=2)
        query, key, value = (by_heads(node, part, n) for part, n in zip(parts, (heads, groups, groups), strict=True))
    batch, _, length, _ = sizes_of(query)
    before: Known = node.shape(3)[2] if node.has(3) else 0
    if node.attr("do_rotary", 0):
        starts = g.subtract(node.cast(node.x(5), i64), g.symbol_value(g.shape(apply("-", length, 1))))
        positions = g.add(g.expand_dims(starts, axis=[1]), g.arange([0, length, 1], dtype=i64))
        # Places before a sequence begins are masked; their angle does not matter.
        positions = g.maximum(positions, g.constant(0, i64))
        width = 2 * number_of(node.shape(7)[1], "width of the tables")
        cosines, sines = node.x(7), node.x(8)
        interleaved = bool(node.attr("rotary_interleaved", 0))
        query, key = (rotated(node, item, positions, cosines, sines, interleaved, width) for item in (query, key))
    if node.has(3) and before != 0:
        key, value = g.concat(node.x(3), key, axis=2), g.concat(node.x(4), value, axis=2)
    keys = add(before, length)
    assert keys is not None
    # A key counts up to the length of its sequence, and up to the place of the query that looks at it.
    rows = g.expand_dims(g.arange([0, length, 1], dtype=i64), axis=[1])
    ends = g.subtract(node.cast(node.x(5), i64), g.symbol_value(g.shape(apply("-", length, 1))))
    limit = g.add(g.reshape(ends, [batch, 1, 1, 1]), rows)
    columns = g.arange([0, keys, 1], dtype=i64)
    allowed = g.less_equal(columns, limit)
    window = int(node.attr("local_window_size", -1))
    if window > 0:
        allowed = g.logical_and(allowed, g.greater(columns, g.subtract(limit, g.constant(window, i64))))
    bias = combined_bias(node, masked(node, allowed, node.element(0)), node.x(10) if node.has(10) else None)
    keys_of, values_of = (
        g.repeat(item, repeats=heads // groups, axis=1) if heads != groups else item for item in (key, value)
    )
    scale = float(node.attr("scale", 0.0)) or None
    return [joined_heads(node, attended(node, query, keys_of, values_of, scale, bias)), key, value]


@op("EmbedLayerNormalization", ranks={**dict.fromkeys(range(5), exactly(2)), 7: exactly(2)})
def _embed_layer_normalization(node: Node) -> Sequence[SSAValue]:
    """Converts a node. Operands: words, segments, the tables of words, positions and segments, gamma, beta, a mask."""
    g = node.g
    length = node.shape(0)[1]
    places = g.take(node.x(3), g.arange([0, length, 1], dtype=i64), axis=0)
    total = g.add(g.take(node.x(2), node.x(0), axis=0), places)
    if node.has(1):
        total = g.add(total, g.take(node.x(4), node.x(1), axis=0))
    epsilon = float(node.attr("epsilon", 1e-12))
    result = g.nn.layer_norm(total, node.x(5), node.x(6), axes=[2], epsilon=epsilon)
    if node.has(7):
        counts = g.sum(node.cast(node.x(7), i32), axis=[1])
    else:
        counts = g.zeros(g.shape(node.shape(0)[0]), dtype=i32)
    return [result, counts, total]
