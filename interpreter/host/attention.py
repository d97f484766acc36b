"""Attention in numpy: tile by tile over what each query may see, with the sums that attention to two sets of keys is merged by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...records import record
from .rope import Floats, Positions

_SCORES = 1 << 19
"""How many scores are computed at once: 2 MiB of them."""
_QUERIES, _KEYS = 256, 2048
"""How many queries and keys a tile of scores has at most."""


@record
class Span:
    """Keys at consecutive places, and the queries as they are compared with them, for sequences of one size.

    A query sees the places from `first` to `last`, each `[sequences, tokens]`; `begin` is the place of the first key.
    """

    queries: Floats
    """`[heads of keys, sequences, queries of a head, tokens, dims]`, multiplied by the scale."""
    keys: Floats
    """`[heads of keys, sequences, places, dims]`"""
    values: Floats
    begin: int
    first: Positions
    last: Positions

    def tiles(self, heads: slice, sequences: slice, tokens: slice) -> Iterator[tuple[Floats, Floats]]:
        """Yields scores of queries, `[heads, sequences, queries, places]`, with the values at these places."""
        queries = self.queries[heads, sequences, :, tokens]
        first, last = self.first[sequences, tokens], self.last[sequences, tokens]
        rows = queries.reshape(*queries.shape[:2], -1, queries.shape[-1])
        # Places that no query sees are left out before anything is computed.
        start = max(self.begin, int(first.min()))
        stop = min(self.begin + self.keys.shape[2], int(last.max()) + 1)
        for at in range(start, stop, _KEYS):
            end = min(at + _KEYS, stop)
            places = slice(at - self.begin, end - self.begin)
            scores = rows @ self.keys[heads, sequences, places].swapaxes(-1, -2)
            if at < first.max() or end - 1 > last.min():
                place = np.arange(at, end)
                hidden = (place < first[..., None]) | (place > last[..., None])
                by_token = scores.reshape(*queries.shape[:4], end - at)
                np.copyto(by_token, -np.inf, where=hidden[None, :, None])
            yield scores, self.values[heads, sequences, places]


class _RunningSoftmax:
    """`softmax(scores) v` over scores that come part by part.

    Invariant: `sums` and `output` are the sums of the exponentials, and of their products with the values, all divided by
    `exp(highest)`; what was summed before is divided anew where a higher score comes.
    """

    def __init__(self) -> None:
        self._parts = 0

    def add(self, scores: Floats, values: Floats) -> None:
        """Takes further scores, which are overwritten."""
        highest = scores.max(axis=-1, keepdims=True)
        if self._parts:
            np.maximum(highest, self._highest, out=highest)
        shift = np.where(np.isneginf(highest), np.float32(0), highest)
        scores -= shift
        np.exp(scores, out=scores)
        sums, output = scores.sum(axis=-1, keepdims=True), scores @ values
        if self._parts:
            factor = np.exp(self._highest - shift)
            sums += self._sums * factor
            output += self._output * factor
        self._highest, self._sums, self._output = highest, sums, output
        self._parts += 1

    def results(self) -> tuple[Floats, Floats] | None:
        """Returns the output, and the logarithms (base 2) of the sums of exponentials; None where nothing came."""
        if not self._parts:
            return None
        sums = self._sums
        logarithms = (np.log(sums) + self._highest) / np.float32(np.log(2.0))
        return self._output / np.where(sums == 0, np.ones_like(sums), sums), logarithms[..., 0]


def attention(spans: Sequence[Span]) -> tuple[Floats, Floats]:
    """Returns `softmax(scores) v` over the places of all spans, and the logarithm (base 2) of the sums of exponentials.

    The shapes are `[sequences, tokens, heads, dims]` and `[sequences, tokens, heads]`. A query that sees nothing gets zeros and `-inf`.
    """
    heads, sequences, group, tokens, _ = spans[0].queries.shape
    output = np.zeros((heads, sequences, group, tokens, spans[0].values.shape[-1]), np.float32)
    logarithms = np.full(output.shape[:-1], -np.inf, np.float32)
    token_step = max(1, _QUERIES // group)
    longest = max(span.keys.shape[2] for span in spans)
    at_once = max(1, _SCORES // max(group * min(tokens, token_step) * min(longest, _KEYS), 1))
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        for at_sequence, at_head in portions(sequences, heads, at_once):
            for at_token in _slices(tokens, token_step):
                softmax = _RunningSoftmax()
                for span in spans:
                    for scores, values in span.tiles(at_head, at_sequence, at_token):
                        softmax.add(scores, values)
                results = softmax.results()
                if results is not None:
                    place = (at_head, at_sequence, slice(None), at_token)
                    output[place] = results[0].reshape(output[place].shape)
                    logarithms[place] = results[1].reshape(logarithms[place].shape)
    joined = (sequences, tokens, heads * group)
    by_token = output.transpose(1, 3, 0, 2, 4).reshape(*joined, output.shape[-1])
    return by_token, logarithms.transpose(1, 3, 0, 2).reshape(joined)


def portions(sequences: int, heads: int, at_once: int) -> Iterator[tuple[slice, slice]]:
    """Yields slices of sequences and of heads that cover all pairs of them, not more pairs at once than that, but one."""
    head_step = min(max(at_once, 1), heads)
    for at_sequence in _slices(sequences, max(1, at_once // heads)):
        for at_head in _slices(heads, head_step):
            yield at_sequence, at_head


def _slices(count: int, step: int) -> Iterator[slice]:
    """Yields slices that cover a number of items."""
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


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
