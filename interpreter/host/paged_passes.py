"""What the layers of one pass share: where its tokens go, how they are rotated, and which sequences attend together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from ...records import record
from .paged_sequences import Batch, CachedSequence
from .rope import Floats, Positions, Rotations


@record
class Window:
    """What a token sees: the first `sink` tokens and the last `size - sink`, itself included; all before it without a size."""

    size: int | None
    sink: int

    def ranges(self, positions: Positions, last: Positions) -> list[tuple[bool, Positions, Positions]]:
        """Returns the places that tokens at positions see, up to `last`: whether they are those of the sink, the first, the last."""
        if self.size is None:
            return [(False, np.zeros_like(positions), last)]
        first = np.maximum(positions - (self.size - self.sink) + 1, self.sink)
        after = (False, first, last)
        return [(True, np.zeros_like(positions), np.minimum(last, self.sink - 1)), after] if self.sink else [after]


@record
class Group:
    """Sequences that append equally many tokens and have about as many pages: their attention is one computation."""

    sequences: Sequence[CachedSequence]
    tokens: Positions
    """Where their tokens are among those of the pass, `[sequences, tokens]`."""
    positions: Positions
    """The positions of these tokens in their sequences."""
    window: Window

    @property
    def lengths(self) -> Positions:
        """The lengths of the sequences."""
        return np.asarray([sequence.length for sequence in self.sequences])

    @property
    def tables(self) -> Positions:
        """The pages of each sequence in a row, behind shorter ones any page."""
        widest = max(len(sequence.pages) for sequence in self.sequences)
        tables = np.zeros((len(self.sequences), widest), np.int64)
        for row, sequence in zip(tables, self.sequences, strict=True):
            row[: len(sequence.pages)] = sequence.pages
        return tables


@record
class _Part:
    """A sequence of a pass: where its tokens lie in the tensors, and their positions."""

    sequence: CachedSequence
    tokens: Positions
    positions: Positions


class ForwardPass:
    """One pass: built when its first layer is computed, used by all."""

    def __init__(
        self,
        batch: Batch,
        parts: Sequence[tuple[CachedSequence, slice, Positions]],
        page_size: int,
        rotations: Rotations | None,
    ):
        self.batch = batch
        self.rotations = rotations
        self._parts = [
            _Part(sequence, np.arange(tokens.start, tokens.stop), positions) for sequence, tokens, positions in parts
        ]
        self.pages = _joined([np.asarray(p.sequence.pages)[p.positions // page_size] for p in self._parts])
        """The page of each token."""
        self.slots = _joined([p.positions % page_size for p in self._parts])
        """Its place in the page."""
        self._turns = self._turns_at(lambda part: part.positions)
        self.has_sinks = any(part.sequence.window is not None and part.sequence.sink for part in self._parts)
        """Whether a sequence has a sink."""
        self._near_turns = self._turns_at(_near_positions) if self.has_sinks else self._turns
        self._groups: dict[bool, list[Group]] = {}

    def rotated(self, states: Floats) -> Floats:
        """Returns states of the tokens, `[tokens, heads, dims]`, rotated by their positions."""
        return states if self._turns is None or self.rotations is None else self.rotations.rotated(states, self._turns)

    def rotated_near(self, states: Floats) -> Floats:
        """Returns states rotated as what is compared with a sink: to the first tokens none is further than the window is long."""
        if self._near_turns is None or self.rotations is None:
            return states
        return self.rotations.rotated(states, self._near_turns)

    def groups(self, is_sliding: bool, window_of: Callable[[CachedSequence], Window]) -> list[Group]:
        """Returns the sequences in groups, for the layers that slide or for those that do not."""
        if is_sliding not in self._groups:
            members: dict[Hashable, list[_Part]] = {}
            for part in self._parts:
                window = window_of(part.sequence)
                is_long = self.rotations is not None and self.rotations.rope.is_long(part.sequence.length)
                key = (len(part.tokens), _about(len(part.sequence.pages)), window, is_long)
                members.setdefault(key, []).append(part)
            self._groups[is_sliding] = [
                Group(
                    [part.sequence for part in group],
                    np.stack([part.tokens for part in group]),
                    np.stack([part.positions for part in group]),
                    window_of(group[0].sequence),
                )
                for group in members.values()
            ]
        return self._groups[is_sliding]

    def _turns_at(self, positions_of: Callable[[_Part], Positions]) -> tuple[Floats, Floats] | None:
        if self.rotations is None or not self._parts:
            return None
        turns = [
            self.rotations.turns(positions, int(positions[-1]) + 1) for positions in map(positions_of, self._parts)
        ]
        cosine, sine = (np.concatenate(tables)[:, None] for tables in zip(*turns, strict=True))
        return cosine, sine


def _near_positions(part: _Part) -> Positions:
    window = part.sequence.window
    return part.positions if window is None else np.minimum(part.positions, window - 1)


def _about(count: int) -> int:
    """Returns a number that counts of at most a third more share: 1, 2, 3, 4, 6, 8, 12, 16, 24 ..."""
    power = 1 << max(count - 1, 0).bit_length()
    return power * 3 // 4 if count <= power * 3 // 4 else power


def _joined(arrays: Sequence[Positions]) -> Positions:
    return np.concatenate([np.empty(0, np.int64), *arrays])
