"""The sequences of a cache of keys and values, and the passes that append to them: tokens lie in pages, which forks share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...records import record
from .memory import OutOfMemoryError
from .pages import CacheError, Pages
from .rope import Floats, Positions


@record(frozen=False)
class CachedSequence:
    """The tokens of one sequence, in pages of the cache."""

    pages: list[int] = field(default_factory=list[int])
    length: int = 0
    window: int | None = None
    """How many of the last tokens attention sees; all of them without one."""
    sink: int = 0
    """How many of the first tokens attention sees beside the window."""


@record
class Batch:
    """What one forward pass appends, as `begin_forward` announced it."""

    sequences: tuple[int, ...]
    lengths: tuple[int, ...]
    stored: set[int] = field(default_factory=set[int])
    """The layers that have stored the keys and values of all tokens."""

    @property
    def tokens(self) -> int:
        """The number of tokens of all sequences."""
        return sum(self.lengths)


class PagedSequences:
    """The keys and values of all layers, for the sequences of a batch, and the passes that append to them."""

    def __init__(
        self,
        *,
        max_batch_size: int,
        max_total_length: int,
        page_size: int,
        layers: int,
        key_value_heads: int,
        key_dim: int,
        value_dim: int,
        dtype: Any = np.float32,
        prefill_chunk_size: int | None = None,
    ):
        sizes = {
            "max_batch_size": max_batch_size,
            "max_total_length": max_total_length,
            "page_size": page_size,
            "layers": layers,
            "key_value_heads": key_value_heads,
            "key_dim": key_dim,
            "value_dim": value_dim,
        }
        for name, size in sizes.items():
            require_integer(size, name)
            if size < 1:
                raise CacheError(f"expected {name} to be at least 1, got {size}")
        self.max_batch_size, self.max_total_length = max_batch_size, max_total_length
        self.prefill_chunk_size = prefill_chunk_size
        self.key_value_heads = key_value_heads
        self.key_dim, self.value_dim = key_dim, value_dim
        try:
            self.pages = Pages(
                layers=layers,
                # A fork copies its last page, so that each sequence may need one page more than its tokens fill.
                count=-(-max_total_length // page_size) + max_batch_size,
                size=page_size,
                heads=key_value_heads,
                key_dim=key_dim,
                value_dim=value_dim,
                dtype=dtype,
            )
        except OutOfMemoryError as error:
            raise CacheError(f"a cache of {max_total_length} tokens: {error}") from None
        self._sequences: dict[int, CachedSequence] = {}
        self._batch: Batch | None = None

    # Sequences

    def add_sequence(self, name: int) -> None:
        """Adds an empty sequence. Raises `CacheError` for a name that exists, or more sequences than the cache was made for."""
        self._require_idle()
        self._require_new(name)
        self._sequences[int(name)] = CachedSequence()

    def remove_sequence(self, name: int) -> None:
        """Removes a sequence; pages that no fork shares are free again."""
        self._require_idle()
        sequence = self._sequence(name)
        del self._sequences[name]
        self.pages.release(sequence.pages)

    def fork_sequence(self, parent: int, child: int, position: int = -1) -> None:
        """Adds a sequence with the first `position` tokens of another one, all of them for -1. Full pages are shared."""
        self._require_idle()
        origin = self._sequence(parent)
        require_integer(position, "the position of a fork")
        length = origin.length if position == -1 else position
        if not 0 <= length <= origin.length:
            raise CacheError(
                f"expected to fork sequence {parent} at a position in [0, {origin.length}], got {position}"
            )
        self._require_new(child)
        shared = origin.pages[: length // self.pages.size]
        # The copy comes first: without a page for it nothing has changed.
        copied = [self.pages.copied(origin.pages[len(shared)])] if length % self.pages.size else []
        self.pages.share(shared)
        self._sequences[int(child)] = CachedSequence([*shared, *copied], length, origin.window, origin.sink)

    def pop(self, name: int, count: int) -> None:
        """Removes the last tokens of a sequence."""
        self._require_idle()
        sequence = self._sequence(name)
        require_integer(count, "the number of tokens to remove")
        if not 0 <= count <= sequence.length:
            raise CacheError(f"expected to remove 0 to {sequence.length} tokens of sequence {name}, got {count}")
        length = sequence.length - count
        kept = -(-length // self.pages.size)
        # What follows is written into the last page, which a fork may share while it is full.
        if length % self.pages.size and self.pages.is_shared(sequence.pages[kept - 1]):
            copy = self.pages.copied(sequence.pages[kept - 1])
            self.pages.release([sequence.pages[kept - 1]])
            sequence.pages[kept - 1] = copy
        self._shorten(sequence, count)

    def enable_sliding_window(self, name: int, window: int, sink: int = 0) -> None:
        """Lets attention of a sequence see the first `sink` tokens and the last `window - sink` alone."""
        self._require_idle()
        require_integer(window, "the length of a window")
        require_integer(sink, "the length of a sink")
        if not 0 <= sink < window:
            raise CacheError(f"expected a window that is longer than its sink, got {window} and {sink}")
        sequence = self._sequence(name)
        sequence.window, sequence.sink = int(window), int(sink)

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
        return self.total_length - self.pages.size * self.pages.shared

    @property
    def available_pages(self) -> int:
        """The number of free pages."""
        return self.pages.free

    def keys_and_values(self, name: int, layer: int) -> tuple[Floats, Floats]:
        """Returns the stored keys and values of a sequence, `[tokens, heads, dims]`, keys rotated where the mode is normal."""
        sequence = self._sequence(name)
        self.require_layer(layer)
        table, lengths = np.asarray([sequence.pages], np.int64), np.asarray([sequence.length])
        keys, values = self.pages.read(layer, slice(None), table, lengths, 0, sequence.length)
        return keys[:, 0].swapaxes(0, 1).copy(), values[:, 0].swapaxes(0, 1).copy()

    def begin_forward(self, names: Sequence[int], lengths: Sequence[int]) -> None:
        """Announces the sequences of a pass and how many tokens each appends; gives them pages.

        Raises `CacheError`, and changes nothing, where the tokens are more than the cache or a pass may hold.
        """
        self._require_idle()
        names, lengths = _listed(names, "sequences"), _listed(lengths, "lengths")
        if len(names) != len(lengths) or len(set(names)) != len(names):
            raise CacheError(
                f"expected one length for each of different sequences, got {list(names)} and {list(lengths)}"
            )
        if not all(length >= 1 for length in lengths):
            raise CacheError(f"expected each sequence to append at least 1 token, got {list(lengths)}")
        self._require_room(sum(lengths))
        sequences = [self._sequence(name) for name in names]
        pages = [
            -(-(sequence.length + length) // self.pages.size) - len(sequence.pages)
            for sequence, length in zip(sequences, lengths, strict=True)
        ]
        self.pages.require(sum(pages))
        for sequence, length, count in zip(sequences, lengths, pages, strict=True):
            sequence.pages += self.pages.allocate(count)
            sequence.length += length
        self._batch = Batch(tuple(names), tuple(lengths))

    def end_forward(self) -> None:
        """Ends a pass. Where a layer has not stored the tokens, the cache becomes what it was before `begin_forward`.

        Raises `CacheError` if other layers have: an error in between ended the pass, or the model has fewer layers than the cache;
        and where no pass is running.
        """
        batch, self._batch = self.running(), None
        layers = range(self.pages.layers)
        if batch.stored.issuperset(layers):
            return
        for name, length in zip(batch.sequences, batch.lengths, strict=True):
            self._shorten(self._sequence(name), length)
        if batch.stored:
            missing = [layer for layer in layers if layer not in batch.stored]
            raise CacheError(
                f"the pass is undone: expected all of {len(layers)} layers to store its tokens, {missing} have not"
            )

    def query_positions(self) -> NDArray[np.int32]:
        """Returns the position of each token of the pass in its sequence."""
        parts = [positions.astype(np.int32) for _, _, positions in self.parts()]
        return np.concatenate([np.empty(0, np.int32), *parts])

    def parts(self) -> Iterator[tuple[CachedSequence, slice, Positions]]:
        """Yields the sequences of the pass, where their tokens lie in its tensors, and the positions of these tokens."""
        batch = self.running()
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

    def _require_new(self, name: int) -> None:
        """Raises `CacheError` for what no further sequence may be named, or where there is no room for one."""
        require_integer(name, "the name of a sequence")
        if name in self._sequences:
            raise CacheError(f"sequence {name} exists already")
        if len(self._sequences) >= self.max_batch_size:
            raise CacheError(f"expected at most {self.max_batch_size} sequences")

    def require_layer(self, layer: int) -> None:
        """Raises `CacheError` for a layer that the cache does not have."""
        require_integer(layer, "the layer")
        if not 0 <= layer < self.pages.layers:
            raise CacheError(f"expected a layer in [0, {self.pages.layers}), got {layer}")

    def running(self) -> Batch:
        if self._batch is None:
            raise CacheError("there is no forward pass, call begin_forward(sequences, lengths) before")
        return self._batch

    def _sequence(self, name: int) -> CachedSequence:
        require_integer(name, "the name of a sequence")
        if name not in self._sequences:
            raise CacheError(f"there is no sequence {name}")
        return self._sequences[name]

    def _shorten(self, sequence: CachedSequence, count: int) -> None:
        """Removes the last tokens of a sequence, and the pages that only they need."""
        sequence.length -= count
        kept = -(-sequence.length // self.pages.size)
        self.pages.release(sequence.pages[kept:])
        del sequence.pages[kept:]


def _listed(values: Any, what: str) -> list[int]:
    """Returns integers as a list; raises `CacheError` for anything else."""
    try:
        listed = list(values)
    except TypeError:
        raise CacheError(f"expected a list of {what}, got {values!r:.40}") from None
    if not all(_is_integer(value) for value in listed):
        raise CacheError(f"expected integers as {what}, got {listed!r:.80}")
    return [int(value) for value in listed]


def require_integer(value: Any, what: str) -> None:
    """Raises `CacheError` for what is no integer."""
    if not _is_integer(value):
        raise CacheError(f"expected an integer as {what}, got {value!r:.40}")


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
