"""The cache of keys and values at run time: attention to sequences in pages.

A first implementation in numpy, correct before it is fast: attention is computed in float32 (products in float64), one sequence after the
other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .attention import attention, joined, scores_of
from .paged_sequences import CachedSequence, CacheError, PagedSequences, Positions, require_integer
from .rope import Doubles, Floats, Rope, RopeMode


@dataclass(frozen=True)
class _Window:
    """What a token sees: the first `sink` tokens and the last `size - sink`, itself included; all before it without a size."""

    size: int | None
    sink: int

    def sees(self, places: Positions, positions: Positions) -> NDArray[np.bool_]:
        """Returns which places each position sees."""
        visible = places[None, :] <= positions[:, None]
        if self.size is not None:
            last = places[None, :] > positions[:, None] - (self.size - self.sink)
            visible &= (places[None, :] < self.sink) | last
        return visible


class PagedCache(PagedSequences):
    """Keys and values of all layers, for the sequences of a batch.

    Each pass is `begin_forward(ids, lengths)`, then attention for every layer with the tokens of the sequences one behind the other, then
    `end_forward()`. Heads have `key_dim` and `value_dim` dims; with multi-head latent attention (`kind` "mla") there is one head of keys,
    whose first `value_dim` dims are the values. Behind a window with a sink, positions are those in the window: the first tokens are as
    far from a token as if what the window left out had never been there.
    """

    def __init__(
        self,
        *,
        layers: int,
        heads: int,
        key_value_heads: int,
        rope_mode: RopeMode = RopeMode.NONE,
        rope: Rope | None = None,
        kind: str | Sequence[str] = "mha",
        sliding_window: int = 1024,
        **sizes: Any,
    ):
        # Invariant: a setting is refused where it has no meaning, or another one contradicts it.
        for name, size in (("heads", heads), ("key_value_heads", key_value_heads), ("layers", layers)):
            require_integer(size, name)
        if heads < 1:
            raise CacheError(f"expected heads to be at least 1, got {heads}")
        if key_value_heads > 0 and heads % key_value_heads:
            raise CacheError(f"expected a number of heads that {key_value_heads} divides, got {heads}")
        if rope_mode != RopeMode.NONE and rope is None:
            raise CacheError(f"rope mode {rope_mode.name.lower()} needs the frequencies of the rotation")
        kinds = [kind] * layers if isinstance(kind, str) else list(kind)
        if len(kinds) != layers or not set(kinds) <= {"mha", "mla", "mha_sliding"}:
            raise CacheError(f"expected mha, mla or mha_sliding for each of {layers} layers, got {kinds}")
        require_integer(sliding_window, "sliding_window")
        if sliding_window < 1 and "mha_sliding" in kinds:
            raise CacheError(f"expected sliding_window to be at least 1, got {sliding_window}")
        super().__init__(layers=layers, key_value_heads=key_value_heads, **sizes)
        if rope is not None and rope_mode != RopeMode.NONE and rope.rotary_dim > self.key_dim:
            raise CacheError(f"expected at most {self.key_dim} dims of a head to rotate, got {rope.rotary_dim}")
        self.heads = heads
        self.rope_mode, self.rope = rope_mode, rope
        self.kinds = kinds
        self.sliding_window = sliding_window

    def attention_with_fused_qkv(self, layer: int, sm_scale: float, qkv: Any) -> Floats:
        """Appends the keys and values of a pass and returns its attention, `[tokens, heads, value_dim]`.

        `qkv` is `[tokens, heads + 2 key_value_heads, dims]`: queries, keys, values.
        """
        states = self._tokens(qkv, self.heads + 2 * self.key_value_heads)
        split = [self.heads, self.heads + self.key_value_heads]
        queries, keys, values = np.split(states, split, axis=1)
        self._append(layer, keys, values[..., : self.value_dim])
        return self._attend(layer, sm_scale, queries)[0]

    def self_attention(self, layer: int, sm_scale: float, q: Any, k: Any, v: Any) -> tuple[Floats, Floats]:
        """Returns causal attention of the tokens of a pass among themselves, and the logarithm (base 2) of its sums.

        Nothing is appended.
        """
        outputs: list[tuple[Floats, Floats]] = []
        queries = self._tokens(q, self.heads)
        keys, values = (self._tokens(states, self._heads_of(states)) for states in (k, v))
        self.require_layer(layer)
        for sequence, tokens, positions in self.parts():
            window = self._window(sequence, layer)
            rotated = self._rotated(keys[tokens], positions)
            scores = self._scores(queries[tokens], rotated, positions, positions, window)
            outputs.append(attention(scores * sm_scale, values[tokens], window.sees(positions, positions)))
        return joined(outputs)

    def cross_attention(self, layer: int, sm_scale: float, q: Any) -> tuple[Floats, Floats]:
        """Returns attention of the queries of a pass to what was stored before it, and the logarithm (base 2) of its sums."""
        return self._attend(layer, sm_scale, self._tokens(q, self.heads), is_past_only=True)

    def append_mla(self, layer: int, kv: Any) -> None:
        """Appends the compressed keys of a pass, `[tokens, key_dim]`, for multi-head latent attention."""
        states = np.asarray(kv, np.float32)
        expected = (self.running().tokens, self.key_dim)
        if states.shape != expected:
            raise CacheError(f"expected keys of shape {expected}, got {states.shape}")
        keys = states[:, None]
        self._append(layer, keys, keys[..., : self.value_dim])

    def _append(self, layer: int, keys: Floats, values: Floats) -> None:
        self.require_layer(layer)
        for sequence, tokens, positions in self.parts():
            stored = keys[tokens]
            if self.rope_mode == RopeMode.NORMAL and self.kinds[layer] != "mla":
                stored = self._rotated(stored, positions)
            pages = np.asarray(sequence.pages)[positions // self.page_size]
            self._keys[layer, pages, positions % self.page_size] = stored
            self._values[layer, pages, positions % self.page_size] = values[tokens]
        self.running().stored.add(layer)

    def _attend(
        self, layer: int, sm_scale: float, queries: Floats, is_past_only: bool = False
    ) -> tuple[Floats, Floats]:
        """Returns attention of the queries of a pass to the keys of their sequences that they may see."""
        self.require_layer(layer)
        outputs: list[tuple[Floats, Floats]] = []
        is_latent = self.kinds[layer] == "mla"
        for sequence, tokens, positions in self.parts():
            keys, values = self.stored(sequence, layer)
            places = np.arange(sequence.length)
            window = self._window(sequence, layer)
            visible = window.sees(places, positions)
            if is_past_only:
                visible &= places[None, :] < positions[0]
            if is_latent:
                scores = scores_of(queries[tokens], keys)
            else:
                if self.rope_mode == RopeMode.INLINE:
                    keys = self._rotated(keys, places)
                scores = self._scores(queries[tokens], keys, places, positions, window)
            outputs.append(attention(scores * sm_scale, values, visible))
        return joined(outputs)

    def _scores(
        self, queries: Floats, keys: Floats, places: Positions, positions: Positions, window: _Window
    ) -> Doubles:
        """Returns the products of queries at positions, which are not rotated, and keys at places, which are."""
        scores = scores_of(self._rotated(queries, positions), keys)
        if window.size is None or not window.sink:
            return scores
        # A rotation tells how far a key is from a query: to the first tokens it is as far as the window is long.
        near = scores_of(self._rotated(queries, np.minimum(positions, window.size - 1)), keys)
        return np.where(places[None, None, :] < window.sink, near, scores)

    def _rotated(self, heads: Floats, positions: Positions) -> Floats:
        return heads if self.rope is None or self.rope_mode == RopeMode.NONE else self.rope.rotate(heads, positions)

    def _window(self, sequence: CachedSequence, layer: int) -> _Window:
        if self.kinds[layer] == "mha_sliding":
            return _Window(min(sequence.window or self.sliding_window, self.sliding_window), 0)
        return _Window(sequence.window, sequence.sink)

    def _heads_of(self, states: Any) -> int:
        """Returns the heads of keys or values; raises `CacheError` where they do not divide those of the queries."""
        shape = np.shape(states)
        if len(shape) != 3 or shape[1] < 1 or self.heads % shape[1]:
            raise CacheError(
                f"expected keys and values of heads that divide {self.heads}, got an array of shape {shape}"
            )
        return shape[1]

    def _tokens(self, states: Any, heads: int) -> Floats:
        """Returns states as `[tokens, heads, dims]` in float32; raises `CacheError` where they are not those of the pass."""
        array = np.asarray(states, np.float32)
        batch = self.running()
        if array.shape[:2] != (batch.tokens, heads):
            raise CacheError(f"expected {batch.tokens} tokens of {heads} heads, got an array of shape {array.shape}")
        return array
