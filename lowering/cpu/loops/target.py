"""What loops are written for: the vectors of a processor."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """The vectors of a processor."""

    vector_bits: int = 512
    """The width of a vector of 32-bit lanes; other element types have the same number of lanes."""
    vnni: bool = False
    """Whether there are instructions that multiply ui8 by i8 elements and add four products to each i32 lane."""

    @property
    def lanes(self) -> int:
        return max(1, self.vector_bits // 32)

    @property
    def registers(self) -> int:
        """The number of vector registers."""
        return 32 if self.vector_bits == 512 else 16
