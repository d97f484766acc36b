"""Convolutions whose kernel lies in blocks of output channels: which they are, and their register tiles.

    yield (acc + a * b)    with a indexed by (c, y + i, x + j), b by (o floordiv 16, c, i, j, o mod 16), acc by (o, y, x)

has the channel o, whose blocks are vectors, and the pixel x (contiguous in the output), several of which share each vector of b.
Neither strides nor padding, nor the number of pixels in a row, leave lanes without work.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import AnyFloat

from ....dialects.relax import schedule as schedules
from ....records import record
from .access import Access
from .contraction import factors_of, is_linear, packed_block
from .nest import Nest, Size

UNROLLED_TAPS = 3
"""The innermost reduction is written out up to this size. Its steps share elements of the image, which LLVM keeps in registers: more of
them would leave too few for the sums."""


@record
class Convolution:
    """`result += image * kernel`; loops are positions in the nest."""

    nest: Nest
    image: Access
    kernel: Access
    result: Access
    channel: int
    """The loop over output channels, which lie in blocks in the kernel."""
    pixel: int
    """The loop over neighboring elements of the result."""
    block: int
    """The channels of a block."""

    @property
    def others(self) -> list[int]:
        """The parallel loops over batches, groups and rows of pixels."""
        return [d for d in range(self.nest.rank()) if self.nest.parallel[d] and d not in (self.channel, self.pixel)]

    @property
    def plane(self) -> list[int]:
        """The parallel loops inside of that over channels: those of a plane of pixels, rows before pixels."""
        return [d for d in self.others if d > self.channel] + [self.pixel]

    @property
    def row(self) -> int | None:
        """The loop over rows of pixels that follow one another in the result, if there is one."""
        size = self.nest.sizes[self.pixel]
        before = self.plane[:-1]
        if not before or size is None or self.result.static_step(before[-1]) != size:
            return None
        return before[-1]

    @property
    def taps(self) -> int:
        """The steps of the innermost reduction that are written out: all of them, or 1 where it is a loop."""
        size = self.nest.sizes[self.nest.reduced[-1]]
        return size if size is not None and 1 <= size <= UNROLLED_TAPS else 1


def recognize_convolution(nest: Nest) -> Convolution | None:
    """Returns the convolution that a merged nest computes, with the element types equal and floats; None if it is none."""
    factors = factors_of(nest)
    if factors is None or any(conversion.ops for _, conversion in factors):
        return None
    # Invariant: every parallel loop is one of the result, every reduction one of both factors, the pixel is one of the image alone and
    # the channel one of the kernel alone.
    result = nest.outputs[0]
    pixel = next((d for d in range(nest.rank()) if nest.parallel[d] and result.step(d) == 1), None)
    if pixel is None or not isinstance(result.type.element_type, AnyFloat):
        return None
    (kernel, _), (image, _) = sorted(factors, key=lambda factor: pixel in factor[0].dims())
    if pixel in kernel.dims() or pixel not in image.dims():
        return None
    channels = [d for d in range(pixel) if nest.parallel[d] and d not in image.dims()]
    reduced = set(nest.reduced)
    if len(channels) != 1 or not reduced or not reduced <= image.dims() & kernel.dims():
        return None
    (channel,) = channels
    block, group = packed_block(nest, kernel, channel)
    if block == 0 or group != 1 or result.dims() != {d for d in range(nest.rank()) if nest.parallel[d]}:
        return None
    if not is_linear(image, nest.rank()) or not is_linear(result, nest.rank()):
        return None
    count = nest.sizes[channel]
    if count is None or count % block or image.static_step(pixel) is None:
        return None
    return Convolution(nest, image, kernel, result, channel, pixel, block)


def convolution_problem(k: Convolution | None, schedule: schedules.Convolution) -> str | None:
    """Returns the reason why a nest cannot be a convolution with these tiles."""
    # From the op to the shape of a tile, then what else has a size: each test relies on those before it.
    if k is None:
        return "the payload and the maps are not those of a convolution by blocks of channels"
    pixels, channels = schedule.shape
    if channels % k.block and k.block % channels:
        return f"shape = [{pixels}, {channels}], but the kernel lies in blocks of {k.block} channels"
    if k.block % schedule.lanes:
        return f"lanes = {schedule.lanes}, but the kernel lies in blocks of {k.block} channels"
    if schedule.pixel != k.pixel:
        return f"pixel = {schedule.pixel}, want {k.pixel}, along which the output is contiguous"
    if schedule.joined > 1:
        size = k.nest.sizes[k.pixel]
        if k.row is None or k.nest.sizes[k.row] is None:
            return f"joined = {schedule.joined}, but no rows of a known number follow one another in the output"
        if schedule.joined * (size or 0) != pixels:
            return f"joined = {schedule.joined} rows of {size} pixels, but a tile has {pixels}"
    if schedule.chunk:
        problem = _chunk_problem(k, schedule)
        if problem is not None:
            return problem
    if schedule.span and k.nest.sizes[k.pixel] is None:
        return f"span = {schedule.span}, but the number of pixels is not known"
    if schedule.fetched and any(k.nest.sizes[d] is None for d in (*k.nest.reduced, *k.plane)):
        return f"fetched = {schedule.fetched}, but some of the sizes of the kernel and of a plane are not known"
    return None


def _chunk_problem(k: Convolution, schedule: schedules.Convolution) -> str | None:
    """Returns the reason why the first reduction of a convolution cannot be taken in these chunks."""
    # Each test is of one size, and that of the stack last, for which all are known.
    steps, rows = k.nest.sizes[k.nest.reduced[0]], static_product(k.nest.sizes, k.plane[:-1])
    if len(k.plane) not in (1, 2):
        return f"chunk = {schedule.chunk}, but a plane has {len(k.plane)} loops, want pixels, or rows and pixels"
    size = k.nest.sizes[k.pixel]
    if not rows or not size:
        return f"chunk = {schedule.chunk} with rows = {rows} of {size} pixels, want a known number of each, and not 0"
    if len(k.nest.reduced) == 1 and k.taps > 1:
        return f"chunk = {schedule.chunk}, but the only reduction is written out"
    if not steps or steps % schedule.chunk:
        return f"chunk = {schedule.chunk}, want a divisor of the {steps} steps of the first reduction"
    sums = -(-(schedule.rows or rows) // schedule.joined) * schedule.joined * size * schedule.shape[1]
    if sums > schedules.MOST_PANEL:
        return f"chunk = {schedule.chunk} with {sums} sums of a plane, want at most {schedules.MOST_PANEL} elements on the stack"
    return None


def static_product(sizes: Sequence[Size], loops: Sequence[int]) -> int:
    """Returns the product of the sizes of loops, 0 where one is not known."""
    return prod(sizes[d] or 0 for d in loops)
