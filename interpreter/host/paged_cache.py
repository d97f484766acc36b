"""The cache of keys and values at run time: attention to sequences in pages, in float32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from .attention import Span, attention, portions
from .paged_passes import ForwardPass, Group, Window
from .paged_sequences import CachedSequence, PagedSequences, require_integer
from .pages import CacheError
from .rope import Floats, Positions, Rope, RopeMode, Rotations

_Read: TypeAlias = Callable[[slice, slice, int, int], tuple[Floats, Floats]]
"""Returns keys and values `[heads, sequences, places, dims]` of some heads of some sequences, from one place to another."""
_Seen: TypeAlias = Callable[[Group], tuple[Positions, Positions]]
"""Returns the last place that each token of a group may see, and the place `[sequences, 1]` of the first key that is read."""
_STATES = 1 << 22
"""So many numbers of keys and values are read from the pages at once: 16 MiB of them."""


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
        self.rope_mode = rope_mode
        self._rotations = None if rope is None or rope_mode == RopeMode.NONE else Rotations(rope)
        self._forward_pass: ForwardPass | None = None
        self.kinds = kinds
        self.sliding_window = sliding_window

    def attention_with_fused_qkv(self, layer: int, sm_scale: float, qkv: Any) -> Floats:
        """Appends the keys and values of a pass and returns its attention, `[tokens, heads, value_dim]`.

        `qkv` is `[tokens, heads + 2 key_value_heads, dims]`: queries, keys, values.
        """
        states = self._tokens(qkv, self.heads + 2 * self.key_value_heads)
        split = [self.heads, self.heads + self.key_value_heads]
        queries, keys, values = np.split(states, split, axis=1)
        self.append(layer, keys, values[..., : self.value_dim])

        def seen(group: Group) -> tuple[Positions, Positions]:
            return group.positions, np.zeros_like(group.positions[:, :1])

        return self._attend(layer, sm_scale, queries, seen)[0]

    def self_attention(self, layer: int, sm_scale: float, q: Any, k: Any, v: Any) -> tuple[Floats, Floats]:
        """Returns causal attention of the tokens of a pass among themselves, and the logarithm (base 2) of its sums.

        Nothing is appended.
        """
        queries = self._tokens(q, self.heads)
        keys, values = (self._tokens(states, self._heads_of(states)) for states in (k, v))
        self.require_layer(layer)
        rotated = self._current().rotated(keys)

        def reader(group: Group) -> _Read:
            own_keys, own_values = (states[group.tokens].transpose(2, 0, 1, 3) for states in (rotated, values))

            def read(heads: slice, sequences: slice, begin: int, end: int) -> tuple[Floats, Floats]:
                return own_keys[heads, sequences, begin:end], own_values[heads, sequences, begin:end]

            return read

        def seen(group: Group) -> tuple[Positions, Positions]:
            return group.positions, group.positions[:, :1]

        sizes = (keys.shape[1], values.shape[2])
        return self._attention(layer, queries * np.float32(sm_scale), sizes, reader, seen, is_rotated=True)

    def cross_attention(self, layer: int, sm_scale: float, q: Any) -> tuple[Floats, Floats]:
        """Returns attention of the queries of a pass to what was stored before it, and the logarithm (base 2) of its sums."""

        def seen(group: Group) -> tuple[Positions, Positions]:
            last = np.broadcast_to(group.positions[:, :1] - 1, group.positions.shape)
            return last, np.zeros_like(last[:, :1])

        return self._attend(layer, sm_scale, self._tokens(q, self.heads), seen)

    def append_mla(self, layer: int, kv: Any) -> None:
        """Appends the compressed keys of a pass, `[tokens, key_dim]`, for multi-head latent attention."""
        states = np.asarray(kv, np.float32)
        expected = (self.running().tokens, self.key_dim)
        if states.shape != expected:
            raise CacheError(f"expected keys of shape {expected}, got {states.shape}")
        keys = states[:, None]
        self.append(layer, keys, keys[..., : self.value_dim])

    def append(self, layer: int, keys: Floats, values: Floats) -> None:
        """Stores the keys and values of a pass, `[tokens, key_value_heads, dims]`; keys are rotated where the mode is normal."""
        self.require_layer(layer)
        current = self._current()
        if self.rope_mode == RopeMode.NORMAL and self.kinds[layer] != "mla":
            keys = current.rotated(keys)
        self.pages.write(layer, current.pages, current.slots, keys, values)
        current.batch.stored.add(layer)

    def _attend(self, layer: int, sm_scale: float, queries: Floats, seen: _Seen) -> tuple[Floats, Floats]:
        """Returns attention of the queries of a pass to the keys of their sequences that they may see."""
        self.require_layer(layer)
        is_latent = self.kinds[layer] == "mla"

        def reader(group: Group) -> _Read:
            tables, lengths = group.tables, group.lengths

            def read(heads: slice, sequences: slice, begin: int, end: int) -> tuple[Floats, Floats]:
                keys, values = self.pages.read(layer, heads, tables[sequences], lengths[sequences], begin, end)
                if self._rotations is not None and self.rope_mode == RopeMode.INLINE and not is_latent:
                    turns = self._rotations.turns(np.arange(begin, end), int(lengths[0]))
                    keys = self._rotations.rotated(keys, turns)
                return keys, values

            return read

        sizes = (self.key_value_heads, self.value_dim)
        scaled = queries * np.float32(sm_scale)
        return self._attention(layer, scaled, sizes, reader, seen, is_rotated=not is_latent)

    def _attention(
        self,
        layer: int,
        queries: Floats,
        sizes: tuple[int, int],
        reader: Callable[[Group], _Read],
        seen: _Seen,
        is_rotated: bool,
    ) -> tuple[Floats, Floats]:
        """Returns attention to what a reader of each group returns; `sizes` are the heads of keys and the dims of values."""
        # Invariant: each row of the results belongs to one group, and is written once, or stays what attention to nothing is.
        key_heads, value_dim = sizes
        tokens, heads, key_dim = queries.shape
        output = np.zeros((tokens, heads, value_dim), np.float32)
        logarithms = np.full((tokens, heads), -np.inf, np.float32)
        current = self._current()
        plain = current.rotated(queries) if is_rotated else queries
        near = current.rotated_near(queries) if is_rotated and current.has_sinks else plain
        serves = heads // key_heads
        for group in current.groups(self.kinds[layer] == "mha_sliding", lambda sequence: self._window(sequence, layer)):
            read = reader(group)
            last_seen, origin = seen(group)
            ranges = [
                (near if is_near else plain, np.maximum(first - origin, 0), last - origin)
                for is_near, first, last in group.window.ranges(group.positions, last_seen)
            ]
            states = (int(last_seen.max()) + 1) * (key_dim + value_dim)
            for in_group, of_keys in portions(len(group.sequences), key_heads, _STATES // max(states, 1)):
                spans: list[Span] = []
                rows = group.tokens[in_group]
                for turned, first, last in ranges:
                    first, last = first[in_group], last[in_group]
                    begin, end = int(first.min()), int(last.max()) + 1
                    if begin < end:
                        keys, values = read(of_keys, in_group, begin, end)
                        by_head = turned[rows].reshape(*rows.shape, key_heads, serves, key_dim)
                        asked = by_head.transpose(2, 0, 3, 1, 4)[of_keys]
                        spans.append(Span(asked, keys, values, begin, first, last))
                if spans:
                    of_queries = slice(of_keys.start * serves, of_keys.stop * serves)
                    output[rows, of_queries], logarithms[rows, of_queries] = attention(spans)
        return output, logarithms

    def _current(self) -> ForwardPass:
        """Returns what the layers of the running pass share."""
        batch = self.running()
        if self._forward_pass is None or self._forward_pass.batch is not batch:
            self._forward_pass = ForwardPass(batch, list(self.parts()), self.pages.size, self._rotations)
        return self._forward_pass

    def _window(self, sequence: CachedSequence, layer: int) -> Window:
        if self.kinds[layer] == "mha_sliding":
            return Window(min(sequence.window or self.sliding_window, self.sliding_window), 0)
        return Window(sequence.window, sequence.sink)

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
