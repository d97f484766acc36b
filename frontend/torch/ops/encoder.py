"""The two fused ops of `nn.MultiheadAttention` and `nn.TransformerEncoderLayer` that torch calls for inference."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ...model.problems import Unsupported
from ...model.value_types import element_of, sizes_of
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)

QUERIES_AND_KEYS, KEYS = 0, 1
"""What a mask has dims for; any other one has those of the scores."""


@op("_transformer_encoder_layer_fwd")
def _encoder_layer(node: Node) -> SSAValue:
    """Converts a node: attention and two linear layers, each with its input added, and normalized before (`norm_first`) or behind."""
    g, x, first = node.g, node.x("src"), bool(node["norm_first"])

    def normalized(value: SSAValue, index: int) -> SSAValue:
        gamma, beta = node.x(f"norm_weight_{index}"), node.x(f"norm_bias_{index}")
        return g.nn.layer_norm(value, gamma, beta, axes=[-1], epsilon=float(node["eps"]))

    given = normalized(x, 1) if first else x
    x = g.add(x, _multi_head(node, (given, given, given), int(node["num_heads"]))[0])
    x = x if first else normalized(x, 1)
    given = normalized(x, 2) if first else x
    hidden = g.linear(given, node.x("ffn_weight_1"), node.x("ffn_bias_1"))
    hidden = g.nn.gelu(hidden) if node["use_gelu"] else g.nn.relu(hidden)
    x = g.add(x, g.linear(hidden, node.x("ffn_weight_2"), node.x("ffn_bias_2")))
    return x if first else normalized(x, 2)


@op("_native_multi_head_attention")
def _multi_head_attention(node: Node) -> Sequence[SSAValue | None]:
    given = (node.x("query"), node.x("key"), node.x("value"))
    result, weights = _multi_head(node, given, int(node["num_head"]), weighted=node.is_read(1))
    if weights is not None and node["average_attn_weights"]:
        weights = node.g.mean(weights, axis=[1])
    return [result, weights]


def _multi_head(
    node: Node, given: tuple[SSAValue, SSAValue, SSAValue], heads: int, weighted: bool = False
) -> tuple[SSAValue, SSAValue | None]:
    """Returns attention of `[batch, length, size]` behind its last product, and its weights (`[batch, heads, length, keys]`)."""
    g, size = node.g, int(node["embed_dim"])
    if heads < 1 or size % heads:
        raise Unsupported(f"the number of heads must divide {size}, got {heads}")
    query, key, value = (
        g.reshape(item, [*sizes_of(item)[:2], heads, size // heads]) for item in _projected(node, given)
    )
    mask = _added_mask(node) if node.has("mask") else None
    scale, weights = 1 / math.sqrt(size // heads), None
    if weighted:
        seen, weights = _weighted(node, query, key, value, mask, scale)
    elif mask is None:
        seen = g.nn.attention(query, key, value, scale=scale)
    else:
        seen = g.nn.attention_bias(query, key, value, mask, scale=scale)
    joined = g.reshape(seen, [*sizes_of(seen)[:2], size])
    return g.linear(joined, node.x("proj_weight"), node.x("proj_bias")), weights


def _projected(node: Node, given: tuple[SSAValue, SSAValue, SSAValue]) -> Sequence[SSAValue]:
    """Returns queries, keys and values, by one product where they come from one tensor."""
    g, weight, bias = node.g, node.x("qkv_weight"), node.x("qkv_bias")
    if given[0] is given[1] is given[2]:
        return g.split(g.linear(given[0], weight, bias), sections=3, axis=2)
    parts = zip(given, g.split(weight, sections=3, axis=0), g.split(bias, sections=3, axis=0), strict=True)
    return [g.linear(*part) for part in parts]


def _weighted(
    node: Node, query: SSAValue, key: SSAValue, value: SSAValue, mask: SSAValue | None, scale: float
) -> tuple[SSAValue, SSAValue]:
    """Returns attention with its weights, computed one after the other."""
    g = node.g
    query, value = (g.permute_dims(item, axes=[0, 2, 1, 3]) for item in (query, value))
    scores = g.multiply(g.matmul(query, g.permute_dims(key, axes=[0, 2, 3, 1])), node.number(scale))
    weights = g.nn.softmax(scores if mask is None else g.add(scores, mask), axis=-1)
    return g.permute_dims(g.matmul(weights, value), axes=[0, 2, 1, 3]), weights


def _added_mask(node: Node) -> SSAValue:
    """Returns what is added to the scores: minus infinity where the mask is not zero, in the dims of the scores."""
    g, mask, kind = node.g, node.value("mask"), node["mask_type"]
    rank = len(sizes_of(mask))
    missing = {QUERIES_AND_KEYS: [0, 1], KEYS: [1, 2]}.get(kind, [])
    if rank + len(missing) != 4:
        raise Unsupported(f"a mask of the type {kind} must have rank {4 - len(missing)}, got {rank}")
    if element_of(mask) != i1:
        mask = g.not_equal(mask, node.number(0, element_of(mask)))
    mask = g.expand_dims(mask, axis=missing) if missing else mask
    return g.where(mask, node.number(-math.inf), node.number(0))
