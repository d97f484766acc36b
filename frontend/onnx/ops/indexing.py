"""Reading and writing at indices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import ui8
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.sizes import is_symbolic
from ...model.value_types import normalized
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)

REDUCTIONS = {"none": "update", "add": "add", "mul": "mul", "min": "min", "max": "max"}


@op("Gather")
def _gather(node: Node) -> SSAValue:
    _require_inside(node, _along_axis(node))
    return node.g.take(node.x(0), node.x(1), axis=node.axis(0))


def _require_inside(node: Node, sizes: Sequence[Known]) -> None:
    """Raises `Unsupported` for an index, known during the import, of no element; as many as there are sizes belong together."""
    if not node.is_known(1) or is_symbolic(node.tensor(1).known):
        return
    indices = node.known(1)
    if not sizes or not indices.size or indices.size % len(sizes):
        return
    indices = indices.reshape(-1, len(sizes))
    for place, size in enumerate(sizes):
        if isinstance(size, int):
            column = indices[:, place]
            outside = column[(column < -size) | (column >= size)]
            if outside.size:
                raise Unsupported(f"indices must be from {-size} to {size - 1}, got {outside[0]}")


def _along_axis(node: Node) -> Sequence[Known]:
    return [node.shape(0)[node.axis(0)]]


def _listed(node: Node, batch_dims: int = 0) -> Sequence[Known]:
    """Returns the sizes of the dims that the last dim of the indices is for."""
    count = node.shape(1)[-1] if node.rank(1) else 0
    return node.shape(0)[batch_dims:][:count] if isinstance(count, int) else ()


@op("GatherElements")
def _gather_elements(node: Node) -> SSAValue:
    _require_inside(node, _along_axis(node))
    return node.g.gather_elements(node.x(0), node.x(1), axis=node.axis(0))


@op("GatherND")
def _gather_nd(node: Node) -> SSAValue:
    batch_dims = int(node.attr("batch_dims", 0))
    _require_inside(node, _listed(node, batch_dims))
    return node.g.gather_nd(node.x(0), node.x(1), batch_dims=batch_dims)


@op("Scatter", "ScatterElements")
def _scatter_elements(node: Node) -> SSAValue:
    _require_inside(node, _along_axis(node))
    return node.g.scatter_elements(node.x(0), node.x(1), node.x(2), axis=node.axis(0), reduction=_reduction(node))


@op("ScatterND")
def _scatter_nd(node: Node) -> SSAValue:
    _require_inside(node, _listed(node))
    return node.g.scatter_nd(node.x(0), node.x(1), node.x(2), reduction=_reduction(node))


def _reduction(node: Node) -> str:
    given = node.attr("reduction", "none")
    if given not in REDUCTIONS:
        raise Unsupported(f"the reduction {given!r} is not known")
    return REDUCTIONS[given]


@op("TensorScatter")
def _tensor_scatter(node: Node) -> SSAValue:
    """Converts a node. Rows of a cache `[batch, ..., length, ...]` are written from an index of each item of the batch on."""
    g, shape = node.g, node.shape(0)
    rank = len(shape)
    axis = normalized(node.attr("axis", -2), rank)
    new = node.shape(1)
    start = node.cast(node.x(2), i64) if node.has(2) else g.zeros(g.shape(shape[0]), dtype=i64)
    start = g.reshape(start, [shape[0], *(1 for _ in range(rank - 1))])
    places = g.reshape(g.arange([0, new[axis], 1], dtype=i64), [new[axis], *(1 for _ in range(rank - axis - 1))])
    places = g.add(start, places)
    if node.attr("mode", "linear") == "circular":
        places = g.floor_mod(places, g.symbol_value(g.shape(shape[axis])))
    return g.scatter_elements(node.x(0), g.broadcast_to(places, list(new)), node.x(1), axis=axis)


@op("TfIdfVectorizer")
def _tf_idf(node: Node) -> SSAValue:
    """Converts a node. Each n-gram of the pool is compared with every window of the operand, and the matches are counted."""
    g = node.g
    pool = node.attributes.get("pool_int64s")
    if pool is None:
        raise Unsupported("n-grams of strings have no counterpart")
    starts = [int(item) for item in node.attr("ngram_counts", [])]
    columns = [int(item) for item in node.attr("ngram_indexes", [])]
    least, most = int(node.attr("min_gram_length", 1)), int(node.attr("max_gram_length", 1))
    bounds = [*starts, len(pool)]
    if not columns or min(columns) < 0 or min(least, most) < 1 or bounds != sorted(bounds) or bounds[0] != 0:
        raise Unsupported("ngram_counts, ngram_indexes and the lengths of the n-grams do not fit pool_int64s")
    lengths = [end - start for start, end in pairwise(bounds)]
    if any(size % length for length, size in enumerate(lengths, 1)) or len(columns) != sum(
        size // length for length, size in enumerate(lengths, 1)
    ):
        raise Unsupported("ngram_counts and ngram_indexes do not fit the number of items of pool_int64s")
    if len(node.attr("weights", columns)) != len(columns):
        raise Unsupported(
            f"takes {len(columns)} weights, one for each n-gram, got {len(node.attr('weights', columns))}"
        )
    skips, width = int(node.attr("max_skip_count", 0)), max(columns) + 1
    size = node.shape(0)[-1]
    if not isinstance(size, int):
        raise Unsupported(f"the length of the operand must be known, got {size}")
    x = node.cast(node.x(0), i64)
    x = g.reshape(x, [1, size]) if node.rank(0) == 1 else x
    rows = node.shape(0)[0] if node.rank(0) == 2 else 1
    counts: SSAValue = g.zeros(g.shape(rows, width), dtype=f32)
    number = 0
    for length, (start, end) in enumerate(zip(starts, [*starts[1:], len(pool)], strict=True), 1):
        grams = np.array(pool[start:end], np.int64).reshape(-1, length)
        targets, number = columns[number : number + len(grams)], number + len(grams)
        if not least <= length <= most or not len(grams):
            continue
        # Words that stand alone have nothing to skip.
        steps = range(1, skips + 2 if length > 1 else 2)
        windows = [first + np.arange(length) * step for step in steps for first in range(size - (length - 1) * step)]
        if not windows:
            continue
        read = g.take(x, g.constant(np.array(windows, np.int64)), axis=1)
        same = g.equal(g.expand_dims(read, axis=[2]), g.constant(grams))
        matches = g.min(g.astype(same, dtype=ui8), axis=[3])
        matched = g.sum(g.astype(matches, dtype=f32), axis=[1])
        spread = np.zeros((len(grams), width), np.float32)
        spread[np.arange(len(grams)), targets] = 1
        counts = g.add(counts, g.matmul(matched, g.constant(spread)))
    result = _weighted(node, counts, node.attr("mode", "TF"), columns, width)
    return g.reshape(result, [width]) if node.rank(0) == 1 else result


def _weighted(node: Node, counts: SSAValue, mode: str, columns: Sequence[int], width: int) -> SSAValue:
    """Returns counts as they are, as whether there are any, or one of both times the weights of the n-grams."""
    g = node.g
    weights = np.ones(width, np.float32)
    for column, weight in zip(columns, node.attr("weights", [1.0] * len(columns)), strict=True):
        weights[column] = weight
    present = g.astype(g.greater(counts, g.constant(0, f32)), dtype=f32)
    values = {"TF": counts, "IDF": present, "TFIDF": counts}.get(mode)
    if values is None:
        raise Unsupported(f"the mode {mode!r} is not known")
    return values if mode == "TF" else g.multiply(values, g.constant(weights))


ml = converters(TABLE, "ai.onnx.ml")


@ml("ArrayFeatureExtractor")
def _array_feature_extractor(node: Node) -> SSAValue:
    indices = node.g.reshape(node.x(1), [-1])
    taken = node.g.take(node.x(0), indices, axis=node.rank(0) - 1)
    return node.g.expand_dims(taken, axis=[0]) if node.rank(0) == 1 else taken


@ml("Binarizer")
def _binarizer(node: Node) -> SSAValue:
    above = node.g.greater(node.x(0), node.constant(node.attr("threshold", 0.0)))
    return node.g.astype(above, dtype=node.element(0))
