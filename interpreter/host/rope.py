"""Rotary position embeddings: the frequencies of each published way to stretch them, and the rotation.

Dim `i` and dim `i + rotary_dim / 2` of a head are rotated together, those from `rotary_dim` on stay. With `gptj` and `llama4`, dims `2 i`
and `2 i + 1` are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import field
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...records import record

Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Positions: TypeAlias = NDArray[np.int64]


class RopeMode(IntEnum):
    """When keys are rotated: never, before they are stored, or each time they are read."""

    NONE = 0
    NORMAL = 1
    INLINE = 2


@record
class Rope:
    """A rotary position embedding of one model."""

    rotary_dim: int
    """How many dims of a head are rotated; even."""
    theta: float = 10000.0
    """The base: dims `i` have the frequency `theta^(-2 i / rotary_dim)`."""
    scale: float = 1.0
    """A factor of all positions."""
    scaling: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """How the frequencies are stretched: `rope_type` and what its formula needs, as in the `config.json` of models."""
    ext_factors: tuple[float, ...] | None = None
    """Divisors of the frequencies for `longrope`: `rotary_dim / 2`, or as many for sequences longer than the original context, then as many
    for the others."""

    def __post_init__(self) -> None:
        # Invariant: an embedding that exists has finite frequencies and all that its kind needs.
        if self.rotary_dim % 2 or self.rotary_dim < 0:
            raise ValueError(f"expected an even number of dims to rotate, got {self.rotary_dim}")
        for name, number in (("theta", self.theta), ("scale", self.scale)):
            if not (math.isfinite(number) and number > 0):
                raise ValueError(f"expected {name} to be a positive number, got {number}")
        if self.kind not in _FREQUENCIES:
            raise ValueError(f"expected a rope_type of {', '.join(map(repr, _FREQUENCIES))}, got {self.kind!r}")
        required = _REQUIRED.get(self.kind, ())
        missing = [key for key in required if key not in self.scaling]
        if missing:
            raise ValueError(f"rope_scaling of type {self.kind} needs {', '.join(missing)}")
        if self.ext_factors is not None and len(self.ext_factors) not in (self.rotary_dim // 2, self.rotary_dim):
            expected = f"{self.rotary_dim // 2} or {self.rotary_dim}"
            raise ValueError(f"expected {expected} extension factors, got {len(self.ext_factors)}")

    @property
    def kind(self) -> str:
        """The way in which frequencies are stretched."""
        return str(self.scaling.get("rope_type", "default"))

    @property
    def is_interleaved(self) -> bool:
        """Whether neighbors are rotated together, not dims half a head apart."""
        return self.kind in ("gptj", "llama4")

    def frequencies(self, length: int = 0) -> Doubles:
        """Returns the angle per position of each pair of dims, `rotary_dim / 2` of them, in a sequence of a length."""
        plain = self.theta ** (-2.0 * np.arange(self.rotary_dim // 2) / max(self.rotary_dim, 1))
        return _FREQUENCIES[self.kind](self, plain, length)

    def magnitude(self) -> float:
        """Returns the factor of rotated values, which `longrope` makes greater than 1."""
        if self.kind != "longrope":
            return 1.0
        original = self.scaling["original_max_position_embeddings"]
        ratio = self.scaling["max_position_embeddings"] / original
        return math.sqrt(1 + math.log(ratio) / math.log(original)) if ratio > 1 else 1.0

    def is_long(self, length: int) -> bool:
        """Returns whether a sequence of a length has the frequencies of long ones, which are others than those of short ones."""
        return self.kind == "longrope" and length > self.scaling["original_max_position_embeddings"]


class Rotations:
    """The rotations by an embedding: cosines and sines of each position are computed once."""

    def __init__(self, rope: Rope):
        self.rope = rope
        self._tables: dict[bool, tuple[Floats, Floats]] = {}

    def turns(self, positions: Positions, length: int) -> tuple[Floats, Floats]:
        """Returns cosines and sines, `[*positions, rotary_dim / 2]`, in a sequence of a length."""
        is_long = self.rope.is_long(length)
        table = self._tables.get(is_long)
        needed = int(positions.max(initial=-1)) + 1
        if table is None or len(table[0]) < needed:
            table = self._tables[is_long] = self._table(1 << (needed - 1).bit_length(), length)
        return table[0][positions], table[1][positions]

    def _table(self, count: int, length: int) -> tuple[Floats, Floats]:
        rope = self.rope
        angles = (np.arange(count)[:, None] * rope.scale) * rope.frequencies(length)[None, :]
        cosine, sine = ((rope.magnitude() * function(angles)).astype(np.float32) for function in (np.cos, np.sin))
        return cosine, sine

    def rotated(self, states: Floats, turns: tuple[Floats, Floats]) -> Floats:
        """Returns states `[..., dims]`, rotated by cosines and sines that are broadcast to their pairs of dims."""
        cosine, sine = turns
        rotated = states.copy()
        first, second = self._pairs()
        a, b = states[..., first], states[..., second]
        rotated[..., first] = a * cosine - b * sine
        rotated[..., second] = b * cosine + a * sine
        return rotated

    def _pairs(self) -> tuple[slice, slice]:
        dims = self.rope.rotary_dim
        if self.rope.is_interleaved:
            return slice(0, dims, 2), slice(1, dims, 2)
        return slice(0, dims // 2), slice(dims // 2, dims)


def _stretched_low_frequencies(rope: Rope, plain: Doubles, _: int) -> Doubles:
    """Divides low frequencies by `factor`, keeps high ones, and goes smoothly from one to the other (Llama 3.1)."""
    low, high = rope.scaling["low_freq_factor"], rope.scaling["high_freq_factor"]
    turns = rope.scaling["original_max_position_embeddings"] * plain / (2 * math.pi)
    smooth = (turns >= low).astype(np.float64) if high == low else np.clip((turns - low) / (high - low), 0.0, 1.0)
    return (1 - smooth) * plain / rope.scaling["factor"] + smooth * plain


def _yarn(rope: Rope, plain: Doubles, _: int) -> Doubles:
    """Divides by `factor` the frequencies that turn less than `beta_slow` times in the original context (YaRN, section 3.2)."""
    context, half = rope.scaling["original_max_position_embeddings"], rope.rotary_dim

    def dim_of(turns: float) -> float:
        return half * math.log(context / (turns * 2 * math.pi)) / (2 * math.log(rope.theta))

    low = max(dim_of(rope.scaling["beta_fast"]), 0)
    high = min(dim_of(rope.scaling["beta_slow"]), half - 1)
    ramp = np.clip((np.arange(half // 2) - low) / (high - low if high != low else 0.001), 0.0, 1.0)
    return ramp * plain / rope.scaling["factor"] + (1 - ramp) * plain


def _divided(rope: Rope, plain: Doubles, length: int) -> Doubles:
    """Divides by the factors of the sequence's length (LongRoPE, as models of transformers choose them)."""
    if rope.ext_factors is None:
        return plain
    half = rope.rotary_dim // 2
    factors = rope.ext_factors[:half] if rope.is_long(length) else rope.ext_factors[-half:]
    return plain / np.asarray(factors)


_FREQUENCIES: Mapping[str, Callable[[Rope, Doubles, int], Doubles]] = {
    "default": lambda _, plain, __: plain,
    "gptj": lambda _, plain, __: plain,
    "llama3": _stretched_low_frequencies,
    "llama4": _stretched_low_frequencies,
    "longrope": _divided,
    "yarn": _yarn,
}

_STRETCHED = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "llama3": _STRETCHED,
    "llama4": _STRETCHED,
    "longrope": ("max_position_embeddings", "original_max_position_embeddings"),
    "yarn": ("factor", "original_max_position_embeddings", "beta_fast", "beta_slow"),
}
