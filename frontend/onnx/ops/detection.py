"""Boxes of detectors: `NonMaxSuppression`."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import f32, i1, i64
from xdsl.ir import SSAValue

from ....builder import BlockBuilder
from ....dialects.symbolic.expressions import apply, product
from ..node import Node
from ..table import Table, converters, exactly

TABLE: Table = {}
op = converters(TABLE)


@op("NonMaxSuppression", ranks={0: exactly(3), 1: exactly(3)})
def _non_max_suppression(node: Node) -> SSAValue:
    """Converts a node. Operands: boxes `[b, n, 4]`, scores `[b, c, n]`, the most boxes of a class, the two thresholds.

    In each round every class of every image takes its best box that is left, and drops those that overlap with it.
    """
    g = node.g
    batch, count, _ = node.shape(0)
    classes = node.shape(1)[1]
    rows = product((batch, classes))
    areas = g.reshape(node.x(0), [batch, 1, count, 4])
    boxes = g.reshape(g.broadcast_to(areas, [batch, classes, count, 4]), [rows, count, 4])
    corners = _corners(node, boxes)
    least = _scalar(node, 4, float("-inf"))
    scores = g.reshape(node.x(1), [rows, count])
    floor = g.constant(float("-inf"), f32)
    scores = g.where(g.greater(scores, least), scores, floor)
    most = node.cast(g.reshape(node.x(2), []), i64) if node.has(2) else g.constant(0, i64)
    limit = _scalar(node, 3, 0.0)
    rounds = g.minimum(most, g.symbol_value(g.shape(count)))

    def goes_on(inner: BlockBuilder, number: SSAValue, *_: SSAValue) -> SSAValue:
        return inner.less(number, rounds)

    def take(
        inner: BlockBuilder, number: SSAValue, left: SSAValue, chosen: SSAValue, order: SSAValue
    ) -> list[SSAValue]:
        best = inner.argmax(left, axis=1, keepdims=True)
        best = best if best.type == order.type else inner.astype(best, dtype=i64)
        score = inner.gather_elements(left, best, axis=1)
        is_left = inner.greater(score, inner.constant(float("-inf"), f32))
        overlaps = _overlaps(inner, corners, best, limit)
        places = inner.reshape(inner.arange([0, count, 1], dtype=i64), [1, count])
        is_best = inner.equal(places, best)
        drops = inner.logical_and(inner.logical_or(overlaps, is_best), is_left)
        left = inner.where(drops, inner.constant(float("-inf"), f32), left)
        newly = inner.logical_and(is_best, is_left)
        chosen = inner.logical_or(chosen, newly)
        order = inner.where(newly, number, order)
        return [inner.add(number, inner.constant(1, i64)), left, chosen, order]

    none = g.zeros(g.shape(rows, count), dtype=i1)
    late = g.full(g.shape(rows, count), g.constant(np.iinfo(np.int64).max, i64))
    _, _, chosen, order = g.while_([g.constant(0, i64), scores, none, late], goes_on, take)
    # Sorted by the round in which they were taken, those that were not at the end.
    places = g.argsort(order, axis=1, dtype=i64)
    taken = node.importer.named(g.nonzero(g.gather_elements(chosen, places, axis=1)))
    row, rank = (g.squeeze(part, axis=[0]) for part in g.split(taken, sections=2, axis=0))
    flat = g.reshape(places, [apply("*", rows, count)])
    box = g.take(flat, g.add(g.multiply(row, g.symbol_value(g.shape(count))), rank), axis=0)
    number = g.symbol_value(g.shape(classes))
    return g.stack(g.floor_divide(row, number), g.floor_mod(row, number), box, axis=1)


def _scalar(node: Node, index: int, default: float) -> SSAValue:
    """Returns an operand with one number as a scalar tensor, or the default if it is left out."""
    return node.g.reshape(node.x(index), []) if node.has(index) else node.g.constant(default, f32)


def _corners(node: Node, boxes: SSAValue) -> list[SSAValue]:
    """Returns the least and the greatest coordinate along both axes, of boxes given by corners or by centers and sizes."""
    g = node.g
    a, b, c, d = (g.squeeze(part, axis=[2]) for part in g.split(boxes, sections=4, axis=2))
    if not node.attr("center_point_box", 0):
        return [g.minimum(a, c), g.minimum(b, d), g.maximum(a, c), g.maximum(b, d)]
    half = g.constant(0.5, f32)
    width, height = g.multiply(c, half), g.multiply(d, half)
    return [g.subtract(a, width), g.subtract(b, height), g.add(a, width), g.add(b, height)]


def _overlaps(g: BlockBuilder, corners: list[SSAValue], best: SSAValue, limit: SSAValue) -> SSAValue:
    """Returns which boxes share more of their union with the best one than the limit."""
    zero = g.constant(0, f32)
    top, left, bottom, right = corners
    own = [g.gather_elements(side, best, axis=1) for side in corners]
    height = g.maximum(g.subtract(g.minimum(bottom, own[2]), g.maximum(top, own[0])), zero)
    width = g.maximum(g.subtract(g.minimum(right, own[3]), g.maximum(left, own[1])), zero)
    common = g.multiply(height, width)
    areas = g.multiply(g.subtract(bottom, top), g.subtract(right, left))
    area = g.multiply(g.subtract(own[2], own[0]), g.subtract(own[3], own[1]))
    union = g.subtract(g.add(areas, area), common)
    is_some = g.greater(union, zero)
    share = g.divide(common, g.where(is_some, union, g.constant(1, f32)))
    return g.logical_and(is_some, g.greater(share, limit))
