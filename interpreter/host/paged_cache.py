"""The cache of keys and values at run time: sequences in pages, which forks share.

A first implementation in numpy, correct before it is fast: attention is computed in float32 (products in float64), one sequence after the
other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError
from .memory import OutOfMemoryError, require_memory
from .rope import Floats, Rope, RopeMode

Positions: TypeAlias = NDArray[np.int64]


class CacheError(ArgumentError):
    """A call that the cache cannot serve: an unknown sequence, no pages left, another shape than that of the batch."""


@dataclass
class _Sequence:
    """The tokens of one sequence, in pages of the cache."""

    pages: list[int] = field(default_factory=list[int])
    length: int = 0
    window: int | None = None
    """How many of the last tokens attention sees; all of them without one."""
    sink: int = 0
    """How many of the first tokens attention sees beside the window."""


@dataclass(frozen=True)
class _Batch:
    """What one forward pass appends, as `begin_forward` announced it."""

    sequences: tuple[int, ...]
    lengths: tuple[int, ...]

    @property
    def tokens(self) -> int:
        """The number of tokens of all sequences."""
        return sum(self.lengths)


class PagedCache:
    """Keys and values of all layers, for the sequences of a batch.

    Each pass is `begin_forward(ids, lengths)`, then attention for every layer with the tokens of the sequences one behind the other, then
    `end_forward()`. Heads have `key_dim` and `value_dim` dims; with multi-head latent attention (`kind` "mla") there is one head of keys,
    whose first `value_dim` dims are the values.
    """

    def __init__(
        self,
        *,
        max_batch_size: int,
        max_total_length: int,
        page_size: int,
        layers: int,
        heads: int,
        key_value_heads: int,
        key_dim: int,
        value_dim: int,
        rope_mode: RopeMode = RopeMode.NONE,
        rope: Rope | None = None,
        kind: str | Sequence[str] = "mha",
        dtype: Any = np.float32,
        sliding_window: int = 1024,
        prefill_chunk_size: int | None = None,
    ):
        sizes = {
            "max_batch_size": max_batch_size,
            "max_total_length": max_total_length,
            "page_size": page_size,
            "layers": layers,
            "heads": heads,
            "key_value_heads": key_value_heads,
            "key_dim": key_dim,
            "value_dim": value_dim,
        }
        for name, size in sizes.items():
            if size < 1:
                raise CacheError(f"expected {name} to be at least 1, got {size}")
        if heads % key_value_heads:
            raise CacheError(f"expected a number of heads that {key_value_heads} divides, got {heads}")
        if rope_mode != RopeMode.NONE and rope is None:
            raise CacheError(f"rope mode {rope_mode.name.lower()} needs the frequencies of the rotation")
        kinds = [kind] * layers if isinstance(kind, str) else list(kind)
        if len(kinds) != layers or not set(kinds) <= {"mha", "mla", "mha_sliding"}:
            raise CacheError(f"expected mha, mla or mha_sliding for each of {layers} layers, got {kinds}")
        self.max_batch_size, self.max_total_length = max_batch_size, max_total_length
        self.prefill_chunk_size = prefill_chunk_size
        self.page_size = page_size
        self.heads, self.key_value_heads = heads, key_value_heads
        self.key_dim, self.value_dim = key_dim, value_dim
        self.rope_mode, self.rope = rope_mode, rope
        self.kinds = kinds
        self.sliding_window = sliding_window
        # A fork copies its last page, so that each sequence may need one page more than its tokens fill.
        count = -(-max_total_length // page_size) + max_batch_size
        size = layers * count * page_size * key_value_heads * (key_dim + value_dim) * np.dtype(dtype).itemsize
        try:
            require_memory(size)
        except OutOfMemoryError as error:
            raise CacheError(f"a cache of {max_total_length} tokens: {error}") from None
        self._keys = np.zeros((layers, count, page_size, key_value_heads, key_dim), dtype)
        self._values = np.zeros((layers, count, page_size, key_value_heads, value_dim), dtype)
        self._free = list(range(count))[::-1]
        self._uses = [0] * count
        self._sequences: dict[int, _Sequence] = {}
        self._batch: _Batch | None = None

    # Sequences

    def add_sequence(self, name: int) -> None:
        """Adds an empty sequence. Raises `CacheError` for a name that exists, or more sequences than the cache was made for."""
        self._require_idle()
        if not _is_integer(name):
            raise CacheError(f"expected an integer as the name of a sequence, got {name!r}")
        if name in self._sequences:
            raise CacheError(f"sequence {name} exists already")
        if len(self._sequences) >= self.max_batch_size:
            raise CacheError(f"expected at most {self.max_batch_size} sequences")
        self._sequences[name] = _Sequence()

    def remove_sequence(self, name: int) -> None:
        """Removes a sequence; pages that no fork shares are free again."""
        self._require_idle()
        sequence = self._sequence(name)
        del self._sequences[name]
        self._release(sequence.pages)

    def fork_sequence(self, parent: int, child: int, position: int = -1) -> None:
        """Adds a sequence with the first `position` tokens of another one, all of them for -1. Full pages are shared."""
        self._require_idle()
        origin = self._sequence(parent)
        length = origin.length if position == -1 else position
        if not 0 <= length <= origin.length:
            raise CacheError(
                f"expected to fork sequence {parent} at a position in [0, {origin.length}], got {position}"
            )
        self.add_sequence(child)
        shared = origin.pages[: length // self.page_size]
        for page in shared:
            self._uses[page] += 1
        fork = _Sequence([*shared], length, origin.window, origin.sink)
        if length % self.page_size:
            fork.pages.append(self._copied(origin.pages[len(shared)]))
        self._sequences[child] = fork

    def pop(self, name: int, count: int) -> None:
        """Removes the last tokens of a sequence."""
        self._require_idle()
        sequence = self._sequence(name)
        if not 0 <= count <= sequence.length:
            raise CacheError(f"expected to remove 0 to {sequence.length} tokens of sequence {name}, got {count}")
        length = sequence.length - count
        kept = -(-length // self.page_size)
        # What follows is written into the last page, which a fork may share while it is full.
        if length % self.page_size and self._uses[sequence.pages[kept - 1]] > 1:
            copy = self._copied(sequence.pages[kept - 1])
            self._release([sequence.pages[kept - 1]])
            sequence.pages[kept - 1] = copy
        self._release(sequence.pages[kept:])
        del sequence.pages[kept:]
        sequence.length = length

    def enable_sliding_window(self, name: int, window: int, sink: int = 0) -> None:
        """Lets attention of a sequence see the first `sink` tokens and the last `window - sink` alone."""
        if not 0 <= sink < window:
            raise CacheError(f"expected a window that is longer than its sink, got {window} and {sink}")
        sequence = self._sequence(name)
        sequence.window, sequence.sink = window, sink

    def clear(self) -> None:
        """Ends the pass, if there is one, and removes all sequences."""
        self._batch = None
        for name in list(self._sequences):
            self.remove_sequence(name)

    def length(self, name: int) -> int:
        """Returns the number of tokens of a sequence."""
        return self._sequence(name).length

    @property
    def total_length(self) -> int:
        """The number of tokens of all sequences."""
        return sum(sequence.length for sequence in self._sequences.values())

    @property
    def _stored_tokens(self) -> int:
        """The number of tokens of all sequences, those that forks share counted once."""
        return self.total_length - self.page_size * sum(uses - 1 for uses in self._uses if uses > 1)

    @property
    def available_pages(self) -> int:
        """The number of free pages."""
        return len(self._free)

    def keys_and_values(self, name: int, layer: int) -> tuple[Floats, Floats]:
        """Returns the stored keys and values of a sequence, `[tokens, heads, dims]`, keys rotated where the mode is normal."""
        return self._stored(self._sequence(name), layer)

    # A forward pass

    def begin_forward(self, names: Sequence[int], lengths: Sequence[int]) -> None:
        """Announces the sequences of a pass and how many tokens each appends; gives them pages.

        Raises `CacheError`, and changes nothing, where the tokens are more than the cache or a pass may hold.
        """
        self._require_idle()
        if len(names) != len(lengths) or len(set(names)) != len(names):
            raise CacheError(
                f"expected one length for each of different sequences, got {list(names)} and {list(lengths)}"
            )
        if not all(_is_integer(length) and length >= 1 for length in lengths):
            raise CacheError(f"expected each sequence to append at least 1 token, got {list(lengths)}")
        self._require_room(sum(lengths))
        sequences = [self._sequence(name) for name in names]
        pages = [
            -(-(sequence.length + length) // self.page_size) - len(sequence.pages)
            for sequence, length in zip(sequences, lengths, strict=True)
        ]
        if sum(pages) > len(self._free):
            raise CacheError(
                f"expected at most {len(self._free)} new pages of {self.page_size} tokens, got {sum(pages)}"
            )
        for sequence, length, count in zip(sequences, lengths, pages, strict=True):
            sequence.pages += self._allocate(count)
            sequence.length += length
        self._batch = _Batch(tuple(names), tuple(lengths))

    def end_forward(self) -> None:
        """Ends a pass."""
        self._batch = None

    def query_positions(self) -> NDArray[np.int32]:
        """Returns the position of each token of the pass in its sequence."""
        return np.concatenate([positions for _, _, positions in self._parts()]).astype(np.int32)

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
        queries, keys, values = (np.asarray(states, np.float32) for states in (q, k, v))
        for _, tokens, positions in self._parts():
            visible = positions[None, :] <= positions[:, None]
            rotated = [self._rotated(states[tokens], positions) for states in (queries, keys)]
            outputs.append(_attention(rotated[0], rotated[1], values[tokens], sm_scale, visible))
        return _joined(outputs)

    def cross_attention(self, layer: int, sm_scale: float, q: Any) -> tuple[Floats, Floats]:
        """Returns attention of the queries of a pass to what was stored before it, and the logarithm (base 2) of its sums."""
        return self._attend(layer, sm_scale, np.asarray(q, np.float32), is_past_only=True)

    def append_mla(self, layer: int, kv: Any) -> None:
        """Appends the compressed keys of a pass, `[tokens, key_dim]`, for multi-head latent attention."""
        keys = np.asarray(kv, np.float32).reshape(-1, 1, self.key_dim)
        self._append(layer, keys, keys[..., : self.value_dim])

    def _append(self, layer: int, keys: Floats, values: Floats) -> None:
        for sequence, tokens, positions in self._parts():
            stored = keys[tokens]
            if self.rope_mode == RopeMode.NORMAL and self.kinds[layer] != "mla":
                stored = self._rotated(stored, positions)
            pages = np.asarray(sequence.pages)[positions // self.page_size]
            self._keys[layer, pages, positions % self.page_size] = stored
            self._values[layer, pages, positions % self.page_size] = values[tokens]

    def _attend(
        self, layer: int, sm_scale: float, queries: Floats, is_past_only: bool = False
    ) -> tuple[Floats, Floats]:
        """Returns attention of the queries of a pass to the keys of their sequences that they may see."""
        outputs: list[tuple[Floats, Floats]] = []
        is_latent = self.kinds[layer] == "mla"
        for sequence, tokens, positions in self._parts():
            keys, values = self._stored(sequence, layer)
            places = np.arange(sequence.length)
            last = positions[:1] - 1 if is_past_only else positions
            visible = self._visible(sequence, layer, places, positions) & (places[None, :] <= last[:, None])
            if self.rope_mode == RopeMode.INLINE and not is_latent:
                keys = self._rotated(keys, places)
            rotated = queries[tokens] if is_latent else self._rotated(queries[tokens], positions)
            outputs.append(_attention(rotated, keys, values, sm_scale, visible))
        return _joined(outputs)

    def _rotated(self, heads: Floats, positions: Positions) -> Floats:
        return heads if self.rope is None or self.rope_mode == RopeMode.NONE else self.rope.rotate(heads, positions)

    def _visible(self, sequence: _Sequence, layer: int, places: Positions, positions: Positions) -> NDArray[np.bool_]:
        """Returns which places are inside the window of each position."""
        window, sink = sequence.window, sequence.sink
        if self.kinds[layer] == "mha_sliding":
            window, sink = min(window or self.sliding_window, self.sliding_window), 0
        if window is None:
            return np.ones((len(positions), len(places)), np.bool_)
        return (places[None, :] < sink) | (places[None, :] > positions[:, None] - (window - sink))

    def _stored(self, sequence: _Sequence, layer: int) -> tuple[Floats, Floats]:
        """Returns the keys and values of a sequence, `[tokens, heads, dims]`."""
        tokens = slice(0, sequence.length)
        keys, values = self._keys[layer, sequence.pages], self._values[layer, sequence.pages]
        return (
            keys.reshape(-1, self.key_value_heads, self.key_dim)[tokens].astype(np.float32),
            values.reshape(-1, self.key_value_heads, self.value_dim)[tokens].astype(np.float32),
        )

    def _parts(self) -> Iterator[tuple[_Sequence, slice, Positions]]:
        """Yields the sequences of the pass, where their tokens lie in its tensors, and the positions of these tokens."""
        batch = self._running()
        start = 0
        for name, length in zip(batch.sequences, batch.lengths, strict=True):
            sequence = self._sequence(name)
            yield sequence, slice(start, start + length), np.arange(sequence.length - length, sequence.length)
            start += length

    def _require_room(self, added: int) -> None:
        """Raises `CacheError` for more tokens than a pass, or the cache, may hold."""
        limits = (
            (self.prefill_chunk_size, added, "a pass"),
            (self.max_total_length, self._stored_tokens + added, "all sequences"),
        )
        for limit, count, what in limits:
            if limit is not None and count > limit:
                raise CacheError(f"expected at most {limit} tokens in {what}, got {count}")

    def _require_idle(self) -> None:
        if self._batch is not None:
            raise CacheError("a forward pass is running, call end_forward() before")

    def _running(self) -> _Batch:
        if self._batch is None:
            raise CacheError("there is no forward pass, call begin_forward(sequences, lengths) before it")
        return self._batch

    def _tokens(self, states: Any, heads: int) -> Floats:
        """Returns states as `[tokens, heads, dims]` in float32; raises `CacheError` where they are not those of the pass."""
        array = np.asarray(states, np.float32)
        batch = self._running()
        if array.shape[:2] != (batch.tokens, heads):
            raise CacheError(f"expected {batch.tokens} tokens of {heads} heads, got an array of shape {array.shape}")
        return array

    # Pages

    def _sequence(self, name: int) -> _Sequence:
        if name not in self._sequences:
            raise CacheError(f"there is no sequence {name}")
        return self._sequences[name]

    def _allocate(self, count: int) -> list[int]:
        if count > len(self._free):
            raise CacheError(f"expected at most {len(self._free)} new pages of {self.page_size} tokens, got {count}")
        pages = [self._free.pop() for _ in range(count)]
        for page in pages:
            self._uses[page] = 1
        return pages

    def _release(self, pages: Sequence[int]) -> None:
        for page in pages:
            self._uses[page] -= 1
            if self._uses[page] == 0:
                self._free.append(page)

    def _copied(self, page: int) -> int:
        """Returns a new page with the contents of another one."""
        (copy,) = self._allocate(1)
        self._keys[:, copy], self._values[:, copy] = self._keys[:, page], self._values[:, page]
        return copy


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _attention(
    queries: Floats, keys: Floats, values: Floats, sm_scale: float, visible: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Returns `softmax(sm_scale * q k^T) v` over what is visible, and the logarithm (base 2) of the sums of exponentials.

    A query that sees nothing gets zeros and `-inf`. Each head of keys serves as many heads of queries.
    """
    group = queries.shape[1] // keys.shape[1]
    repeated = [np.repeat(heads, group, axis=1).astype(np.float64) for heads in (keys, values)]
    scores = np.einsum("qhd,khd->hqk", queries.astype(np.float64), repeated[0]) * sm_scale
    scores = np.where(visible[None], scores, -np.inf)
    highest = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    exponentials = np.exp(scores - np.where(np.isneginf(highest), 0.0, highest))
    sums = exponentials.sum(axis=-1, keepdims=True)
    weights = exponentials / np.where(sums == 0, 1.0, sums)
    output = np.einsum("hqk,khd->qhd", weights, repeated[1])
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


def _joined(outputs: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Returns the attention of all sequences, one behind the other."""
    states, logarithms = zip(*outputs, strict=True)
    return np.concatenate(states), np.concatenate(logarithms)
