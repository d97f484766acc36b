"""What becomes of an op when the dims of its operands are listed in another order: what a change of layouts asks of an op."""

from __future__ import annotations

from enum import Enum, auto


class LayoutRule(Enum):
    """How the op on transposed operands is written, so that its result is transposed in the same way."""

    FIXED = auto()
    """It is not: the order of the dims is part of what the op means."""
    ELEMENTS = auto()
    """As it is: every dim is alike, and operands broadcast. An attribute `axis`, if there is one, names a dim."""
    WINDOWS = auto()
    """With another `layout`, and `out_layout` if it has one."""
    REDUCTION = auto()
    """With other numbers in `axis`, the list of dims that are reduced."""
    JOIN = auto()
    """With another number in `axis`, the dim along which all operands are joined."""
