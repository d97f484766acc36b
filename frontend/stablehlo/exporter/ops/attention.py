"""Attention, dropout and losses, in f32 for floats of 16 bits, rounded once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..emit import Emitter, element_of, shape_of
from ..rule import Rules
from .elementwise import wide
from .indexing import element_vectors, gather, signed
from .products import batched_product
from .reductions import kept, total


def _visible(e: Emitter, op: Any, queries: int, keys: int) -> Any:
    """Writes which key (column) each query (row) sees; `None` for all."""
    mask, window = op.prop("causal_mask"), op.prop("window_size")
    if mask is None:
        return None
    last, key = (e.iota([queries, keys], axis, "i64") for axis in (0, 1))
    last = e.binary("add", last, keys - queries if mask == "BottomRight" else 0)
    visible = e.compare("less_equal", key, last)
    if window is None:
        return visible
    return e.binary("and", visible, e.compare("greater", key, e.binary("subtract", last, window)))


def _attention(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    query, key, value = (e.transpose(wide(e, x), [0, 2, 1, 3]) for x in operands[:3])
    _, heads, queries, depth = shape_of(query)
    times = heads // shape_of(key)[1] if shape_of(key)[1] else 1
    if times > 1:
        key, value = (_repeated_heads(e, x, times) for x in (key, value))
    scores = batched_product(e, query, e.transpose(key, [0, 1, 3, 2]))
    scale = op.prop("scale")
    if scale is None:
        scale = 1 / math.sqrt(depth) if depth else math.inf
    scores = e.binary("multiply", scores, float(scale))
    if len(operands) == 4:
        scores = e.binary("add", scores, wide(e, operands[3]))
    element, shape = element_of(scores), shape_of(scores)
    visible = _visible(e, op, queries, shape[3])
    if visible is not None:
        scores = e.select(e.broadcast(visible, shape), scores, -math.inf)
    # A query that sees no key gives zeros: the largest score is at least the lowest number, the sum of weights at least 1.
    lowest = float(np.finfo(np.float64 if element == "f64" else np.float32).min)
    largest = e.binary("maximum", kept(e, e.reduce(scores, "maximum", -math.inf, [3]), shape, [3]), lowest)
    weights = e.unary("exponential", e.binary("subtract", scores, largest))
    whole = e.binary("maximum", kept(e, total(e, weights, [3]), shape, [3]), 1.0)
    y = e.binary("divide", batched_product(e, weights, value), whole)
    return e.convert(e.transpose(y, [0, 2, 1, 3]), element_of(operands[0]))


def _repeated_heads(e: Emitter, x: Any, times: int) -> Any:
    batch, heads, length, depth = shape_of(x)
    return e.reshape(
        e.place(x, [0, 1, 3, 4], [batch, heads, times, length, depth]), [batch, heads * times, length, depth]
    )


def _dropout(e: Emitter, op: Any, operands: Sequence[Any]) -> list[Any]:
    x = operands[0]
    return [x, e.constant(1, element_of(x), shape_of(x))]


def _cross_entropy(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    predictions, labels = (wide(e, x) for x in operands)
    shape = shape_of(predictions)
    loss = e.unary("negate", total(e, e.binary("multiply", predictions, labels), range(len(shape))))
    if len(shape) > 1:
        loss = e.binary("divide", loss, float(shape[0]))
    return e.convert(loss, element_of(operands[0]))


def _nll_loss(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    predictions, targets = wide(e, operands[0]), signed(e, operands[1])
    shape, element = shape_of(predictions), element_of(predictions)
    axis = 1 if len(shape) > 1 else 0
    classes = shape[axis]
    weights = wide(e, operands[2]) if len(operands) > 2 else e.constant(1, element, [classes])
    if classes == 0:
        # No target is valid; there must be something to read all the same.
        high = [int(index == axis) for index in range(len(shape))]
        predictions = e.pad(predictions, e.constant(0, element), [0] * len(shape), high)
        weights = e.constant(1, element, [1])
    is_valid = e.binary("and", e.compare("greater_equal", targets, 0), e.compare("less", targets, classes))
    chosen = e.select(is_valid, targets, 0)
    single = [*shape_of(targets)[:axis], 1, *shape_of(targets)[axis:]]
    vectors = element_vectors(e, e.reshape(chosen, single), axis)
    picked = e.constant(0, element, shape_of(targets))
    if 0 not in shape_of(targets):
        picked = e.reshape(gather(e, predictions, vectors, range(len(shape))), shape_of(targets))
    weight = gather(e, weights, e.reshape(chosen, [*shape_of(chosen), 1]), [0])
    weight = e.select(is_valid, weight, math.nan)
    is_ignored = e.compare("equal", targets, op.prop("ignore_index", -100))
    weight = e.select(is_ignored, 0, weight)
    losses = e.select(is_ignored, 0, e.unary("negate", e.binary("multiply", picked, weight)))
    every = range(len(shape_of(targets)))
    match op.prop("reduction", "mean"):
        case "none":
            y = losses
        case "sum":
            y = total(e, losses, every)
        case _:
            y = e.binary("divide", total(e, losses, every), total(e, weight, every))
    return e.convert(y, element_of(operands[0]))


RULES: Rules = {
    "relax.nn.attention": _attention,
    "relax.nn.attention_bias": _attention,
    "relax.nn.cross_entropy_with_logits": _cross_entropy,
    "relax.nn.dropout": _dropout,
    "relax.nn.nll_loss": _nll_loss,
}
