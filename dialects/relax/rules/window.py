"""Windows that slide over the spatial dims of a tensor, and the layouts that say where these dims are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....records import record
from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim, add, apply, floordiv, sub
from ..base import fail

SPATIAL = "DHW"


def spatial_letters(rank: int) -> str:
    """Returns the letters of `rank` spatial dims: `W`, `HW` or `DHW`."""
    return SPATIAL[-rank:]


def layout_positions(layout: str, canonical: str, what: str, constraint: str) -> tuple[int, ...]:
    """Returns where each dim of the canonical layout stands in a layout: `NHWC` of `NCHW` gives (0, 3, 1, 2).

    Layouts with packed dims, such as `NCHW4c`, are refused.
    """
    if sorted(layout) != sorted(canonical):
        fail(constraint, f"{what} must be a permutation of {canonical}, got {layout!r}")
    return tuple(layout.index(letter) for letter in canonical)


_BLOCKS = re.compile(r"([A-Za-z]+)([1-9][0-9]{0,3})o(?:([1-9][0-9]{0,3})i)?", re.ASCII)


def blocked_kernel(layout: str) -> tuple[str, int, int]:
    """Returns a kernel's layout without its last dims, and the sizes of these: a block of output channels, a group of input channels.

    `OIHW16o` gives (`OIHW`, 16, 0), `OHWI64o4i` gives (`OHWI`, 64, 4). A size is 0 where a layout has no such dim.
    """
    match = _BLOCKS.fullmatch(layout)
    return (match[1], int(match[2]), int(match[3] or 0)) if match else (layout, 0, 0)


def canonical_dims(dims: Sequence[Dim], positions: Sequence[int]) -> list[Dim]:
    """Returns dims in the order of the canonical layout."""
    return [dims[position] for position in positions]


def laid_out(dims: Sequence[Dim], positions: Sequence[int]) -> list[Dim]:
    """Returns canonical dims in the order of a layout."""
    result: list[Dim] = [None] * len(dims)
    for dim, position in zip(dims, positions, strict=True):
        result[position] = dim
    return result


def channels_last(rank: int) -> tuple[int, ...]:
    """Returns where each dim of the canonical layout stands where channels come last: (0, 3, 1, 2) for `NHWC`, of rank 4."""
    return (0, rank - 1, *range(1, rank - 1))


def per_dim(values: Sequence[int], rank: int, what: str, constraint: str, minimum: int = 1) -> tuple[int, ...]:
    """Returns one value for each spatial dim; one value given stands for all."""
    if len(values) not in (1, rank):
        fail(constraint, f"{what} must have {' or '.join(map(str, sorted({1, rank})))} values, got {len(values)}")
    if any(value < minimum for value in values):
        fail(constraint, f"{what} must be at least {minimum}, got {list(values)}")
    return tuple(values) if len(values) == rank else tuple(values) * rank


def padding_pairs(values: Sequence[int], rank: int, constraint: str) -> tuple[tuple[int, int], ...]:
    """Returns the padding before and after each spatial dim.

    One value pads all sides, `rank` values both sides of each dim, `2 * rank` values first all fronts, then all backs.
    """
    if len(values) not in (1, rank, 2 * rank):
        expected = " or ".join(map(str, sorted({1, rank, 2 * rank})))
        fail(constraint, f"padding must have {expected} values, got {len(values)}")
    if any(value < 0 for value in values):
        fail(constraint, f"padding must not be negative, got {list(values)}")
    if len(values) == 2 * rank:
        return tuple(zip(values[:rank], values[rank:], strict=True))
    return tuple((value, value) for value in (values if len(values) == rank else tuple(values) * rank))


@record
class Window:
    """A window of one spatial dim: its size, step, the distance of its items, and the padding of the dim."""

    size: Dim
    stride: int = 1
    dilation: int = 1
    before: int = 0
    after: int = 0

    def extent(self) -> Dim:
        """Returns how many positions the window spans."""
        return add(apply("*", sub(self.size, 1), self.dilation), 1)

    def count(self, context: SizeContext, size: Dim, constraint: str, ceil_mode: bool = False) -> Dim:
        """Returns the number of windows over a dim of some size.

        With `ceil_mode` a last window, or the only one, may reach over the end by less than the stride. Windows that start in the padding
        behind it are left out, all of them: with more padding there than a window reaches, there may be fewer windows than without
        `ceil_mode`.
        """
        padded, extent = add(size, self.before + self.after), self.extent()
        beyond = self.stride - 1 if ceil_mode else 0
        least = extent
        if beyond and isinstance(extent, int):
            # Of no data a window has to fit into the padding alone.
            least = min(extent, max(extent - beyond, self.before + self.after + 1))
        if context.is_below(padded, least):
            behind = f" and {beyond} behind it" if beyond else ""
            fail(constraint, f"a window of {extent} does not fit into the padded size {padded}{behind}")
        slack = sub(padded, extent)
        if not ceil_mode:
            return add(floordiv(slack, self.stride), 1)
        count = add(floordiv(add(slack, self.stride - 1), self.stride), 1)
        if isinstance(extent, int) and extent >= self.after + self.stride:
            return count
        return apply("min", count, floordiv(add(size, self.before + self.stride - 1), self.stride))


def pad_widths(windows: Sequence[Window]) -> tuple[int, ...]:
    """Returns what windows pad with channels last, before and after each dim, as `relax.nn.pad` lists it."""
    return (0, 0, *(width for window in windows for width in (window.before, window.after)), 0, 0)
