"""Convolutions whose kernel lies in blocks of channels, by tiles of pixels and channels; the image is read in place.

    linalg.generic %y[o, y, x] += %x[c, y + i, x + j] * %w[o floordiv 16, c, i, j, o mod 16]    with shape = [14, 32]

becomes

    scf.parallel (batches, groups, blocks of 32 channels, rows of pixels)
      scf.for %x = 0 to 56 step 14
        func.call @relax.contract.pixels.1x14x32...    over the whole reduction
        the epilogue on the tile
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir.affine import AffineDimExpr

from .....dialects.relax import schedule as schedules
from ....emit.emitter import Index
from ...schedule.convolution import recognize_convolution
from ..builder import LoopBuilder
from ..contraction.epilogue import EpilogueTiles, emit_epilogue
from ..flat import flatten
from ..kernels import KernelLibrary
from ..loop_nest import LoopNest, uppers_of, with_loop
from .tile_kernel import Buffer, Reduction, TileKernel, call_tile_kernel


def emit_convolution(
    b: LoopBuilder,
    library: KernelLibrary,
    schedule: schedules.Convolution,
    nests: Sequence[LoopNest],
    *,
    starts_at_zero: bool,
) -> None:
    """Emits a convolution, the first nest; it adds to the output's content, or starts at zero and does not read it.

    The other nests run on each finished tile.
    """
    _TiledConvolution(b, library, schedule, nests, starts_at_zero).emit()


class _TiledConvolution:
    """Emits one convolution, from the parallel loop to the calls."""

    def __init__(
        self,
        b: LoopBuilder,
        library: KernelLibrary,
        schedule: schedules.Convolution,
        nests: Sequence[LoopNest],
        starts_at_zero: bool,
    ):
        nest, *self.epilogue = nests
        k = recognize_convolution(nest)
        assert k is not None
        self.b = b
        self.library = library
        self.schedule = schedule
        self.nest = nest
        self.k = k
        self.starts_at_zero = starts_at_zero
        self.pixels, self.channels = schedule.shape
        self.image, self.kernel, self.result = (flatten(b, access) for access in (k.image, k.kernel, k.result))
        blocks = [axis for axis, e in enumerate(k.kernel.exprs[:-1]) if e == AffineDimExpr(k.channel) // k.block]
        self.block_step: Index = self.kernel.strides[blocks[0]] if blocks else 0
        self.row = k.row if schedule.joined > 1 else None
        steps = [Reduction(nest.uppers[d], self.image.step(b, d), self.kernel.step(b, d)) for d in nest.reduced]
        self.taps = k.taps
        self.reductions = steps if k.taps == nest.uppers[nest.reduced[-1]] else [*steps, Reduction(1, 0, 0)]
        apart = k.image.static_step(k.pixel)
        assert apart is not None
        self.apart = apart

    def emit(self) -> None:
        """Emits the parallel loop over batches, groups, blocks of channels and rows of pixels."""
        b, k, nest = self.b, self.k, self.nest
        before = [d for d in k.others if d < k.channel]
        after = [d for d in k.others if d > k.channel]
        uppers: list[Index] = [*uppers_of(nest, before), b.ceildiv(nest.uppers[k.channel], self.channels)]
        uppers += [b.ceildiv(nest.uppers[d], self.schedule.joined) if d == self.row else nest.uppers[d] for d in after]

        def body(indices: Sequence[Index]) -> None:
            point: list[Index] = [0] * nest.rank()
            for d, index in zip([*before, k.channel, *after], indices, strict=True):
                point[d] = b.mul(index, {k.channel: self.channels, self.row: self.schedule.joined}.get(d, 1))
            self._blocks_of(point, k.channel, self.channels, lambda channels: self._rows(point, channels))

        b.nest(uppers, body, self.schedule.grain)

    def _blocks_of(self, point: Sequence[Index], loop: int, width: int, emit: Callable[[int], None]) -> None:
        """Emits the block of a loop of known size at a point: whole, or what is left in the last."""
        size = self.nest.sizes[loop]
        assert size is not None
        whole, rest = divmod(size, width)
        if rest == 0:
            emit(width)
        elif whole == 0:
            emit(rest)
        else:
            inside = self.b.less(point[loop], whole * width)
            self.b.if_else(inside, lambda: emit(width), lambda: emit(rest))

    def _rows(self, point: list[Index], channels: int) -> None:
        """Emits the tiles of a row of pixels, or of several that are joined."""
        b, size = self.b, self.nest.uppers[self.k.pixel]
        if self.row is not None:
            assert isinstance(size, int)
            self._blocks_of(point, self.row, self.schedule.joined, lambda rows: self._tile(point, rows, size, channels))
            return
        position: Index = 0
        for pixels in self._widths(size):
            limit = b.add(position, b.round_down(b.sub(size, position), pixels))
            b.plain_loop(
                position,
                limit,
                pixels,
                lambda i, pixels=pixels: self._tile(with_loop(point, self.k.pixel, i), 1, pixels, channels),
            )
            position = limit

    def _widths(self, size: Index) -> list[int]:
        """Returns the widths of tiles: those of the schedule, then what is left, or all powers of two where that is not known."""
        if isinstance(size, int):
            rest = size % self.pixels
            return [self.pixels, rest] if rest else [self.pixels]
        powers = [1 << k for k in reversed(range(self.pixels.bit_length()))]
        return [self.pixels, *(power for power in powers if power < self.pixels)]

    def _tile(self, point: list[Index], rows: int, pixels: int, channels: int) -> None:
        b, k = self.b, self.k
        image = Buffer(
            self.image.buffer, self.image.offset(b, point), 0 if self.row is None else self.image.step(b, self.row)
        )
        kernel = Buffer(self.kernel.buffer, self.kernel.offset(b, point), self.block_step)
        result = Buffer(self.result.buffer, self.result.offset(b, point), self.result.step(b, k.channel))
        lanes = self.schedule.lanes
        call_tile_kernel(
            b,
            self.library,
            TileKernel(
                pixels,
                rows,
                channels // lanes,
                lanes,
                k.block,
                self.apart,
                len(self.reductions) - 1,
                self.taps,
                k.result.type.element_type,
                not self.starts_at_zero,
            ),
            (image, kernel, result),
            self.reductions,
        )
        if self.epilogue:
            tiles = EpilogueTiles(lanes, -(-pixels // lanes), k.channel, k.pixel, rows, self.row)
            emit_epilogue(b, tiles, self.epilogue, point, channels, rows * pixels)
