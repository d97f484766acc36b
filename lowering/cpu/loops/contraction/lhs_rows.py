"""Rows of A, copied and converted for one tile, so that its kernel does neither for every element.

A[m, k] of 6 rows and 512 steps    becomes    rows[m * 528 + k]                where A is contiguous along the steps
                                   or         rows[k / g][m][k mod g]          elsewhere, for dot products of g steps (g = 1 without)

Steps that are gathered, such as the rows of a window, lie side by side in a copy, with zeros behind them:

A[2 * m + i, j] of 7 x 21 steps    becomes    rows[m * 320 + 21 * i + j]
"""

from __future__ import annotations

from functools import reduce
from itertools import product
from math import prod

from xdsl.dialects import memref
from xdsl.ir import Attribute, SSAValue

from .....targets.cpu import TILE_ROW_BYTES
from ....emit.constructors import vector_type
from ....emit.emitter import Index
from ...schedule.contraction import Contraction, Conversion
from ...schedule.tiles import Tiling, follows
from ..builder import LoopBuilder
from ..conversion import convert
from ..flat import FlatAccess
from ..loop_nest import LoopNest
from ..stack import stack
from .dot_product import interleave, widened
from .panel import most_steps


def lhs_contents(contraction: Contraction, tiling: Tiling) -> tuple[Attribute, Conversion]:
    """Returns the type of copied elements, and what happens to them before they are multiplied: nothing, but for dot products."""
    if tiling.dot is not None and tiling.dot.widens:
        return tiling.dot.element, Conversion(())
    if tiling.dot is not None:
        return contraction.a.type.element_type, contraction.a_conversion
    return contraction.acc_type, Conversion(())


class LhsRows:
    """Memory on the stack for the rows of a tile, allocated where the builder stands."""

    def __init__(self, b: LoopBuilder, nest: LoopNest, contraction: Contraction, tiling: Tiling, source: FlatAccess):
        self.b = b
        self.t = tiling
        self.k = contraction
        self.element, _ = lhs_contents(contraction, tiling)
        self.conversion = contraction.a_conversion if tiling.dot is None else Conversion(())
        # One vector more than there are steps: rows do not lie a power of two apart, which few lines of a cache would hold.
        self.group = 1 if tiling.dot is None else tiling.group
        self.width = tiling.lanes * (
            self.group if tiling.dot is not None and (tiling.is_of_tiles or tiling.dot.widens) else 1
        )
        self.row = (most_steps(nest, tiling) // self.width + 2) * self.width
        self.buffer = stack(b, self.element, tiling.rows * self.row)
        self.parts = _Parts(b, nest, contraction, tiling, source) if tiling.gathers else None
        if self.parts is not None:
            zero = b.constant(0, vector_type(self.element, self.width))
            b.plain_loop(0, tiling.rows * self.row, self.width, lambda i: b.vector_store(zero, self.buffer, [i]))

    def begin_at_lines(self, source: tuple[SSAValue, Index, Index, Index]) -> SSAValue | None:
        """Returns whether all rows begin at a line of the cache, as tile registers load them fastest; None where they surely do not."""
        b, (buffer, start, row, step) = self.b, source
        size = TILE_ROW_BYTES // self.width
        if (
            self.parts is not None
            or step != 1
            or self.t.row is None
            or (isinstance(row, int) and row * size % TILE_ROW_BYTES)
        ):
            return None
        address = b.insert(memref.ExtractAlignedPointerAsIndexOp.get(buffer))
        places = [b.add(address, b.mul(start, size))]
        if not isinstance(row, int):
            places.append(b.mul(row, size))
        whole = [b.compare("eq", place, b.round_down(place, TILE_ROW_BYTES)) for place in places]
        return reduce(b.both, whole)

    def fill(
        self, source: tuple[SSAValue, Index, Index, Index], rows: Index, steps: Index
    ) -> tuple[SSAValue, Index, Index, Index]:
        """Copies so many rows and steps; source and result are buffer, offset, distance of rows and distance of steps."""
        b, (buffer, start, row, step) = self.b, source
        if self.parts is not None:
            parts = self.parts
            b.plain_loop(0, rows, 1, lambda r: self._gather_row(parts, buffer, b.add(start, b.mul(row, r)), r))
            return self.buffer, 0, self.row, 1
        if step == 1:
            b.plain_loop(0, rows, 1, lambda r: self._fill_row(buffer, b.add(start, b.mul(row, r)), r, steps))
            return self.buffer, 0, self.row, 1

        assert isinstance(rows, int)

        def values(k: Index) -> SSAValue:
            at = b.add(start, b.mul(k, step))
            if row == 1:
                loaded = b.vector_load(buffer, [at], rows)
            else:
                loaded = b.gather([b.load(buffer, [b.add(at, b.mul(row, r))]) for r in range(rows)])
            return self._converted(loaded)

        def group(k: Index, last: Index | None) -> None:
            at = [b.add(k, s) if last is None else b.minimum(b.add(k, s), last) for s in range(self.group)]
            value = values(k) if self.group == 1 else interleave(b, [values(each) for each in at])
            b.vector_store(value, self.buffer, [b.mul(k, rows)])

        whole = b.round_down(steps, self.group)
        b.plain_loop(0, whole, self.group, lambda k: group(k, None))
        # At most one iteration; the kernel does not read what is beyond the last step.
        b.plain_loop(whole, steps, self.group, lambda k: group(k, b.sub(steps, 1)))
        return self.buffer, 0, self.group, rows

    def _converted(self, loaded: SSAValue) -> SSAValue:
        return widened(self.b, self.t.dot, self.k.a_conversion, convert(self.b, self.conversion, loaded))

    def _gather_row(self, parts: _Parts, buffer: SSAValue, start: Index, row: Index) -> None:
        """Copies the parts of a row side by side: what a vector has beyond the end of one is written again with the next."""
        b, most = self.b, self.width
        lanes = min(most, 1 << (parts.steps - 1).bit_length())
        mask = b.mask(parts.steps % lanes, lanes) if parts.steps % lanes else None
        target = b.mul(row, self.row)
        for number, place in enumerate(parts.places):
            for k in range(0, parts.steps, lanes):
                is_whole = k + lanes <= parts.steps
                loaded = b.vector_load(buffer, [b.add(b.add(start, place), k)], lanes, None if is_whole else mask)
                b.vector_store(loaded, self.buffer, [b.add(target, number * parts.steps + k)])

    def _fill_row(self, buffer: SSAValue, start: Index, row: Index, steps: Index) -> None:
        """Copies a row that is contiguous."""
        b, lanes = self.b, self.width

        def vector(k: Index, mask: SSAValue | None) -> None:
            loaded = b.vector_load(buffer, [b.add(start, k)], lanes, mask)
            b.vector_store(self._converted(loaded), self.buffer, [b.add(b.mul(row, self.row), k)])

        full = b.round_down(steps, lanes)
        b.plain_loop(0, full, lanes, lambda k: vector(k, None))
        b.when(b.less(full, steps), lambda: vector(full, b.mask(b.sub(steps, full), lanes)))


class _Parts:
    """The parts of a row that is gathered: the steps that each has, one after the other, and where they begin."""

    def __init__(self, b: LoopBuilder, nest: LoopNest, contraction: Contraction, tiling: Tiling, source: FlatAccess):
        loops = [tiling.chunked, *tiling.whole]
        sizes = [nest.sizes[d] or 0 for d in loops]
        first = len(loops) - 1
        while first and follows(contraction, loops[first - 1], loops[first]):
            first -= 1
        self.steps = prod(sizes[first:])
        outer = [source.step(b, d) for d in loops[:first]]
        self.places: list[Index] = []
        for indices in product(*map(range, sizes[:first])):
            place: Index = 0
            for index, step in zip(indices, outer, strict=True):
                place = b.add(place, b.mul(step, index))
            self.places.append(place)
