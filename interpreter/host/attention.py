"""Attention in numpy: over what each query may see, with the sums that attention to two sets of keys is merged by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .rope import Doubles, Floats


def scores_of(queries: Floats, keys: Floats) -> Doubles:
    """Returns the products of queries and keys, `[heads, queries, keys]`. Each head of keys serves as many heads of queries."""
    repeated = np.repeat(keys, queries.shape[1] // keys.shape[1], axis=1).astype(np.float64)
    return np.einsum("qhd,khd->hqk", queries.astype(np.float64), repeated)


def attention(scores: Doubles, values: Floats, visible: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Returns `softmax(scores) v` over what is visible, and the logarithm (base 2) of the sums of exponentials.

    A query that sees nothing gets zeros and `-inf`.
    """
    scores = np.where(visible[None], scores, -np.inf)
    highest = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    exponentials = np.exp(scores - np.where(np.isneginf(highest), 0.0, highest))
    sums = exponentials.sum(axis=-1, keepdims=True)
    weights = exponentials / np.where(sums == 0, 1.0, sums)
    repeated = np.repeat(values, len(scores) // values.shape[1], axis=1).astype(np.float64)
    output = np.einsum("hqk,khd->qhd", weights, repeated)
    with np.errstate(divide="ignore"):
        logarithms = (np.log(sums[..., 0]) + highest[..., 0]) / np.log(2.0)
    return output.astype(np.float32), logarithms.T.astype(np.float32)


def merged(output: Floats, logarithms: Floats, other_output: Floats, other_logarithms: Floats) -> tuple[Floats, Floats]:
    """Returns attention to two sets of keys from the attention to each, with the logarithms (base 2) of their sums."""
    highest = np.maximum(logarithms, other_logarithms)
    shift = np.where(np.isneginf(highest), 0.0, highest)
    first, second = np.exp2(logarithms - shift), np.exp2(other_logarithms - shift)
    total = first + second
    weights = [(part / np.where(total == 0, 1.0, total))[..., None] for part in (first, second)]
    with np.errstate(divide="ignore"):
        combined = np.log2(total) + shift
    mixed = output * weights[0] + other_output * weights[1]
    return mixed.astype(np.float32), combined.astype(np.float32)


def joined(outputs: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Returns the attention of all sequences, one behind the other."""
    states, logarithms = zip(*outputs, strict=True)
    return np.concatenate(states), np.concatenate(logarithms)
