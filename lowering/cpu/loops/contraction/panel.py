"""Panels of B: what a block of columns multiplies with, copied so that kernels read it in order.

    B[k, n] of 512 steps and 64 columns    becomes    panel[k * 64 + n]

One of four ways fills it: rows where B is contiguous along the columns, blocks transposed in registers where it is along the
steps, rows of which elements are picked where columns are a few elements apart, and elements one by one otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import lcm
from typing import cast

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import AnyFloat, f32, i16
from xdsl.dialects.vector import BitcastOp
from xdsl.ir import Attribute, SSAValue

from .....records import record
from .....targets.cpu import DOT_PRODUCTS
from ....emit.constructors import vector_type
from ....emit.emitter import Index
from ...schedule.contraction import Contraction, Conversion
from ...schedule.nest import Nest
from ...schedule.tiles import Tiling
from ..builder import LoopBuilder
from ..conversion import convert
from ..fetch import elements_of_line, fetch
from ..flat import FlatAccess
from ..loop_nest import LoopNest, with_loop
from ..stack import stack
from ..transpose import transpose_block
from ..vector_access import load_apart, mask_apart
from .dot_product import as_elements, as_lanes, interleave, widened

GROUPS_AHEAD = 48
"""How many groups before it is widened a part of a block is fetched: its lines lie too far apart for the processor to do so by itself.
Measured on a Zen 3: networks are 2 to 4 % faster."""

UNROLLED = 36
"""Rows of a panel that are written by straight-line code: four times a window of 3x3."""


def panel_contents(contraction: Contraction, tiling: Tiling) -> tuple[Attribute, Conversion]:
    """Returns the type of a panel's elements, and what happens to them before they are multiplied: nothing, but for
    dot products.

    The elements of dot products are those of B as they are; others are converted on the way to the panel.
    """
    if tiling.dot is not None and tiling.dot.widens:
        return tiling.dot.element, Conversion(())
    if tiling.dot is not None:
        return contraction.b.type.element_type, contraction.b_conversion
    return contraction.acc_type, Conversion(())


def steps_inside(nest: Nest, tiling: Tiling) -> int:
    """Returns the steps of a panel for one of the chunked loop."""
    steps = 1
    for d in tiling.whole:
        size = nest.sizes[d]
        assert isinstance(size, int)
        steps *= size
    return steps


def most_steps(nest: LoopNest, tiling: Tiling) -> int:
    """Returns the steps that a panel has at most."""
    size = nest.uppers[tiling.chunked]
    chunk = min(tiling.chunk, size) if isinstance(size, int) else tiling.chunk
    return max(1, -(-chunk * steps_inside(nest, tiling) // tiling.unit) * tiling.unit)


@record
class _Vector:
    """A vector of a row: where it is in B, how many of its lanes exist (possibly none, or more), and where it goes."""

    dims: Mapping[int, Index]
    left: Index
    mask: SSAValue | None
    target: int


class Panel:
    """A panel on the stack, allocated where the builder stands. Groups of steps lie together if the tiling says so."""

    def __init__(
        self,
        b: LoopBuilder,
        nest: LoopNest,
        contraction: Contraction,
        tiling: Tiling,
        source: FlatAccess,
        count: int = 1,
    ):
        self.b = b
        self.k = contraction
        self.t = tiling
        self.source = source
        self.sizes = nest.uppers
        self.element, _ = panel_contents(contraction, tiling)
        self.conversion = contraction.b_conversion if tiling.dot is None else Conversion(())
        self.inside = steps_inside(nest, tiling)
        self.unit = lcm(self.inside, tiling.group) // self.inside
        self.transposed = is_transposed(contraction, tiling)
        self.spread = contraction.b.spread(contraction.column) if contraction.b.type.element_type == f32 else None
        """How many elements neighboring columns of B are apart, where vectors are picked from several loads."""
        t = tiling
        group = max(t.group, contraction.packed_group)
        self.size = -(-most_steps(nest, t) // group) * group * t.width
        """The elements from one panel to the next, if there are several."""
        self.distance = t.width
        """The elements from one step to the next."""
        self.start: Index = 0
        """Where the panel begins that is filled."""
        is_plain = count == 1 and not contraction.packed_block
        steps = most_steps(nest, t) if is_plain else count * self.size // t.width
        # Vectors reach beyond the last step, or the last column of it, and a group may not be full.
        slack = t.lanes * t.group * (t.width if self.transposed else 1) + (t.group - 1) * t.width
        self.buffer = stack(b, self.element, steps * t.width + slack)
        self.terms = stack(b, contraction.acc_type, t.width) if t.dot is not None and t.dot.pairs else None
        """Where the sum of `w0 * w2 + w1 * w3` of each column is, of all groups of steps; None where nothing needs it."""
        if t.joined_rows > 1 and t.group == 1 and isinstance(self.element, AnyFloat):
            self._clear_unused_lanes(steps)

    def _clear_unused_lanes(self, steps: int) -> None:
        """Writes zeros behind the rows that are joined: what the stack holds there may be denormal, and slows products by ten."""
        b, t, size = self.b, self.t, self.sizes[self.k.column]
        assert isinstance(size, int)
        written = (t.joined_rows - 1) * size + (size - 1) // t.lanes * t.lanes + t.lanes
        if written < t.width:
            zero = b.constant(0, vector_type(self.element, t.lanes))
            last = t.width - t.lanes
            b.plain_loop(0, steps, 1, lambda i: b.vector_store(zero, self.buffer, [b.add(b.mul(i, t.width), last)]))

    def fill(self, point: list[Index], count: Index, start: Index = 0) -> None:
        """Copies `count` steps of the chunked dim from a point on to the panel that begins at `start`."""
        b, t = self.b, self.t
        self.start = start
        if self.k.packed_block:
            self._widen_blocks(point, b.mul(count, self.inside))
            return
        inner = t.innermost
        first = point[t.chunked]
        if self.transposed and (inner == t.chunked or _is_one_row(self.k, t)):
            # All steps lie one after the other from the point on.
            self._fill_transposed(point, inner, point[inner], b.mul(count, self.inside), 0)
            return

        vectors = self._vectors(point)
        limit: Index = 0
        if t.group > 1 and not self.transposed and self.unit * self.inside <= UNROLLED:
            limit = b.round_down(count, self.unit)
            b.plain_loop(
                0,
                limit,
                self.unit,
                lambda i: self._fill_groups(with_loop(point, t.chunked, b.add(first, i)), i, vectors),
            )

        def level(depth: int, at: list[Index], flat: Index) -> None:
            if depth == len(t.whole):
                self._fill_rows([at], b.mul(flat, t.width), vectors)
                return
            d = t.whole[depth]
            size = self.sizes[d]
            if self.transposed and d == inner:
                self._fill_transposed(at, d, 0, size, b.mul(b.mul(flat, size), t.width))
                return
            b.plain_loop(0, size, 1, lambda i: level(depth + 1, with_loop(at, d, i), b.add(b.mul(flat, size), i)))

        b.plain_loop(limit, count, 1, lambda i: level(0, with_loop(point, t.chunked, b.add(first, i)), i))
        if t.group > 1 and not self.transposed:
            self._group_steps(b.mul(limit, self.inside), b.mul(count, self.inside))
        if t.gathers and not self.transposed:
            self._clear_unit(b.mul(count, self.inside))

    def _vectors(self, point: list[Index]) -> list[_Vector]:
        """Returns the vectors of a row, at a point of which the reduced dims do not matter."""
        b, k, t = self.b, self.k, self.t
        size = self.sizes[k.column]
        if t.joined_rows == 1:
            starts = [b.add(point[k.column], v * t.lanes) for v in range(t.vectors)]
            if isinstance(size, int) and size % t.width == 0:
                return [_Vector({k.column: start}, t.lanes, None, v * t.lanes) for v, start in enumerate(starts)]
            lefts = [b.sub(size, start) for start in starts]
            return [
                _Vector({k.column: start}, left, self._mask(left), v * t.lanes)
                for v, (start, left) in enumerate(zip(starts, lefts, strict=True))
            ]
        second = k.columns[-2]
        assert isinstance(size, int)
        last = b.sub(self.sizes[second], 1)
        # Vectors beyond the last row read its columns again; nothing uses them.
        rows = [b.minimum(b.add(point[second], r), last) if r else point[second] for r in range(t.joined_rows)]
        return [
            _Vector({second: row, k.column: start}, size - start, self._mask(size - start), r * size + start)
            for r, row in enumerate(rows)
            for start in range(0, size, t.lanes)
        ]

    def _mask(self, left: Index) -> SSAValue | None:
        """Returns the mask of the lanes that exist; None where all of them do, or no vectors are loaded."""
        full = isinstance(left, int) and (left <= 0 or left >= self.t.lanes)
        return None if full or self.k.b.step(self.k.column) != 1 else self.b.mask(left, self.t.lanes)

    def _fill_groups(self, point: list[Index], position: Index, vectors: Sequence[_Vector]) -> None:
        """Fills as many steps of the chunked dim as make whole groups."""
        b, t = self.b, self.t
        inner = [range(cast(int, self.sizes[d])) for d in t.whole]
        points: list[list[Index]] = []
        for first, *rest in product(range(self.unit), *inner):
            at = with_loop(point, t.chunked, b.add(point[t.chunked], first))
            for d, index in zip(t.whole, rest, strict=True):
                at[d] = index
            points.append(at)
        target = b.mul(position, self.inside * t.width)
        for first in range(0, len(points), t.group):
            self._fill_rows(points[first : first + t.group], b.add(target, first * t.width), vectors)

    def _fill_rows(self, points: Sequence[list[Index]], target: Index, vectors: Sequence[_Vector]) -> None:
        """Fills one row, or a group of rows that lie together; what lies beyond the last column does not matter."""
        b, lanes = self.b, self.t.lanes
        for vector in vectors:
            if isinstance(vector.left, int) and vector.left <= 0:
                values = [b.constant(0, vector_type(self.element, lanes))] * len(points)
            else:
                values = [self._load(point, vector) for point in points]
            value = values[0] if len(values) == 1 else interleave(b, values)
            b.vector_store(value, self.buffer, [b.add(b.add(self.start, target), vector.target * len(points))])

    def _load(self, point: list[Index], vector: _Vector) -> SSAValue:
        b, lanes, column = self.b, self.t.lanes, self.k.column
        at = [vector.dims.get(d, index) for d, index in enumerate(point)]
        offset = self.source.offset(b, at)
        if self.k.b.step(column) == 1:
            loaded = b.vector_load(self.source.buffer, [offset], lanes, vector.mask)
        elif self.spread is not None:
            loaded = self._load_apart(offset, vector.left, self.spread)
        else:
            distance = self.source.step(b, column)
            # Lanes that do not exist read the last element.
            columns = [b.minimum(lane, b.sub(vector.left, 1)) for lane in range(lanes)]
            loaded = b.gather([b.load(self.source.buffer, [b.add(offset, b.mul(p, distance))]) for p in columns])
        return self._converted(loaded)

    def _converted(self, loaded: SSAValue) -> SSAValue:
        return widened(self.b, self.t.dot, self.k.b_conversion, convert(self.b, self.conversion, loaded))

    def _widen_blocks(self, point: list[Index], steps: Index) -> None:
        """Fills the panel from blocks of B, in whose columns four bytes lie together: as two groups of two steps in i16."""
        b, k, t = self.b, self.k, self.t
        start, row = self.source.offset(b, point), k.packed_block * k.packed_group
        (extension,) = k.b_conversion.ops
        is_signed = isinstance(extension, arith.ExtSIOp)
        # Steps 0, 2, 1, 3 of each column: even bytes are then those of its first group, and odd ones of its second.
        order = [4 * c + s for c in range(t.lanes) for s in (0, 2, 1, 3)]
        byte = b.constant(8, vector_type(i16, 2 * t.lanes))

        def halves(words: SSAValue) -> tuple[SSAValue, SSAValue]:
            shift = arith.ShRSIOp if is_signed else arith.ShRUIOp
            return b.insert(shift(b.insert(arith.ShLIOp(words, byte)), byte)), b.insert(shift(words, byte))

        line = elements_of_line(k.b.type.element_type)
        fetched = -(-4 * t.width // line) if t.width < k.packed_block else 0

        def group(g: Index, terms: Sequence[SSAValue]) -> Sequence[SSAValue]:
            ahead = b.add(start, b.mul(b.add(g, GROUPS_AHEAD), row))
            for number in range(fetched):
                fetch(b, self.source.buffer, b.add(ahead, number * line))
            sums: list[SSAValue] = []
            for v in range(t.vectors):
                at = b.add(b.add(start, b.mul(g, row)), v * t.lanes * 4)
                loaded = b.vector_load(self.source.buffer, [at], 4 * t.lanes)
                words = b.insert(BitcastOp(b.shuffle(loaded, loaded, order), byte.type))
                target = b.add(b.add(self.start, b.mul(g, 4 * t.width)), v * t.lanes * 2)
                pairs = halves(words)
                for number, half in enumerate(pairs):
                    b.vector_store(half, self.buffer, [b.add(target, number * 2 * t.width)])
                if self.terms is not None:
                    name = DOT_PRODUCTS["vpmaddwd"].intrinsic_of(t.lanes)
                    product = b.insert(llvm.CallIntrinsicOp(name, list(pairs), [terms[v].type]))
                    sums.append(b.insert(arith.AddiOp(terms[v], product)))
            return sums

        zeros = [b.constant(0, vector_type(k.acc_type, t.lanes))] * (0 if self.terms is None else t.vectors)
        for v, sums in enumerate(b.loop(0, b.ceildiv(steps, k.packed_group), 1, zeros, group)):
            assert self.terms is not None
            b.vector_store(sums, self.terms, [v * t.lanes])

    def _load_apart(self, start: Index, left: Index, spread: int) -> SSAValue:
        b, lanes = self.b, self.t.lanes
        exist = isinstance(left, int) and left >= lanes

        def load(offset: int) -> SSAValue:
            mask = None if exist else mask_apart(b, left, spread, offset, lanes)
            return b.vector_load(self.source.buffer, [b.add(start, offset)], lanes, mask)

        return load_apart(b, load, spread, lanes)

    def _fill_transposed(self, at: list[Index], inner: int, first: Index, count: Index, target: Index) -> None:
        """Fills `count` rows of the panel from row `target / width` on: vectors along the steps, transposed in blocks.

        The last block may write rows beyond the last one: they are written again later, or are the slack at the end of the panel.
        """
        b, k, t = self.b, self.k, self.t
        last = b.sub(self.sizes[k.column], 1)
        # A vector's lanes are groups of steps.
        steps = t.lanes * t.group

        def vector(v: Index) -> None:
            start = b.add(at[k.column], v)
            # What lies beyond the last column is read from the last column; nothing uses the result.
            columns = [with_loop(at, k.column, b.minimum(b.add(start, lane), last)) for lane in range(t.lanes)]

            def block(i: Index, mask: SSAValue | None) -> None:
                rows: list[SSAValue] = []
                for column in columns:
                    offset = self.source.offset(b, with_loop(column, inner, b.add(first, i)))
                    loaded = self._converted(b.vector_load(self.source.buffer, [offset], steps, mask))
                    rows.append(loaded if t.group == 1 else as_lanes(b, loaded))
                base = b.add(b.add(b.add(self.start, target), b.mul(i, t.width)), b.mul(v, t.group))
                for step, column in enumerate(transpose_block(b, rows)):
                    value = column if t.group == 1 else as_elements(b, column, self.element)
                    b.vector_store(value, self.buffer, [b.add(base, step * t.group * t.width)])

            limit = b.round_down(count, steps)
            b.plain_loop(0, limit, steps, lambda i: block(i, None))
            # At most one iteration.
            b.plain_loop(limit, count, steps, lambda i: block(i, b.mask(b.sub(count, i), steps)))

        b.plain_loop(0, t.width, t.lanes, vector)

    def _group_steps(self, first: Index, steps: Index) -> None:
        """Puts the elements of each group of rows from the first on side by side, in place; rows beyond the last step are zero."""
        b, t = self.b, self.t
        zero = b.constant(0, vector_type(self.element, t.lanes))
        whole = b.mul(b.ceildiv(steps, t.group), t.group)

        def clear(i: Index) -> None:
            for v in range(t.vectors):
                b.vector_store(zero, self.buffer, [b.add(b.add(self.start, b.mul(i, t.width)), v * t.lanes)])

        def group(i: Index) -> None:
            offset = b.add(self.start, b.mul(i, t.width))
            rows = [
                [
                    b.vector_load(self.buffer, [b.add(offset, r * t.width + v * t.lanes)], t.lanes)
                    for r in range(t.group)
                ]
                for v in range(t.vectors)
            ]
            for v, vectors in enumerate(rows):
                b.vector_store(interleave(b, vectors), self.buffer, [b.add(offset, v * t.lanes * t.group)])

        b.plain_loop(steps, whole, 1, clear)
        b.plain_loop(first, whole, t.group, group)

    def _clear_unit(self, steps: Index) -> None:
        """Writes zeros from the last group on to the end of what a row of a tile has."""
        b, t = self.b, self.t
        zero = b.constant(0, vector_type(self.element, t.lanes))
        first, end = (b.mul(b.mul(b.ceildiv(steps, n), n), t.width) for n in (t.group, t.unit))
        b.plain_loop(first, end, t.lanes, lambda i: b.vector_store(zero, self.buffer, [b.add(self.start, i)]))


def _is_one_row(k: Contraction, t: Tiling) -> bool:
    """Returns whether all steps of a panel lie one after the other in B."""
    loops = [t.chunked, *t.whole]
    steps = [k.b.static_step(d) for d in loops]
    sizes = [k.nest.sizes[d] for d in loops]
    return all(
        outer == (inner or 0) * (size or 0) for outer, inner, size in zip(steps, steps[1:], sizes[1:], strict=False)
    )


def is_transposed(k: Contraction, t: Tiling) -> bool:
    """Returns whether B is contiguous along the steps and not along the columns, so that blocks are transposed in
    registers.
    """
    if k.packed_block:
        return False
    size = k.nest.sizes[t.chunked if _is_one_row(k, t) else t.innermost]
    if t.joined_rows > 1 or t.lanes & (t.lanes - 1) or k.b.step(k.column) == 1:
        return False
    if t.whole and _is_one_row(k, t):
        size = None if size is None else size * steps_inside(k.nest, t)
    elif t.whole and (size is None or size % t.group):
        # A group would reach into the next of the outer steps.
        return False
    return k.b.step(t.innermost) == 1 and not (size is not None and size < t.lanes)
