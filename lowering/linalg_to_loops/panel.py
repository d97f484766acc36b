"""Panels of B: what a block of columns multiplies with, copied so that kernels read it in order."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, VectorType
from xdsl.ir import Attribute, SSAValue

from .builder import Index, LoopBuilder
from .contraction import Contraction, Tiling
from .conversion import Conversion
from .dot_product import as_bytes, as_lanes, interleave
from .flat import FlatAccess
from .iteration import with_dim
from .transpose import transpose_block


def panel_contents(contraction: Contraction, tiling: Tiling) -> tuple[Attribute, Conversion]:
    """The type of a panel's elements, and what happens to them before they are multiplied: nothing, but for dot products.

    The elements of dot products are those of B as they are; others are converted on the way to the panel.
    """
    if tiling.dot is not None:
        return contraction.b.type.element_type, contraction.b_conversion
    return contraction.acc_type, Conversion(())


def steps_inside(contraction: Contraction, tiling: Tiling) -> int:
    """The steps of a panel for one of the chunked dim."""
    steps = 1
    for d in tiling.whole:
        size = contraction.nest.sizes[d]
        assert isinstance(size, int)
        steps *= size
    return steps


class Panel:
    """A panel on the stack, allocated where the builder stands. Groups of steps lie together if the tiling says so."""

    def __init__(self, b: LoopBuilder, contraction: Contraction, tiling: Tiling, source: FlatAccess):
        self.b = b
        self.k = contraction
        self.t = tiling
        self.source = source
        self.sizes = contraction.nest.sizes
        self.element, _ = panel_contents(contraction, tiling)
        self.conversion = contraction.b_conversion if tiling.dot is None else Conversion(())
        self.inside = steps_inside(contraction, tiling)
        self.turned = _is_turned(contraction, tiling)
        t = tiling
        size = self.sizes[t.chunked]
        steps = max(1, (min(t.chunk, size) if isinstance(size, int) else t.chunk) * self.inside)
        # Vectors reach beyond the last step, or the last column of it, and a group may not be full.
        slack = t.lanes * t.group * (t.width if self.turned else 1) + (t.group - 1) * t.width
        alloca = b.insert(memref.AllocaOp.get(self.element, 64, [steps * t.width + slack]))
        dynamic = MemRefType(self.element, [DYNAMIC_INDEX])
        self.buffer = b.insert(memref.CastOp.build(operands=[alloca], result_types=[dynamic]))

    def fill(self, point: list[Index], count: Index) -> None:
        """Copies `count` steps of the chunked dim from a point on."""
        b, t = self.b, self.t
        inner = t.whole[-1] if t.whole else t.chunked
        first = point[t.chunked]
        if self.turned and inner == t.chunked:
            self._fill_turned(point, inner, first, count, 0)
            return

        def level(depth: int, at: list[Index], flat: Index) -> None:
            if depth == len(t.whole):
                self._fill_row(at, b.mul(flat, t.width))
                return
            d = t.whole[depth]
            size = self.sizes[d]
            if self.turned and d == inner:
                self._fill_turned(at, d, 0, size, b.mul(b.mul(flat, size), t.width))
                return
            b.plain_loop(0, size, 1, lambda i: level(depth + 1, with_dim(at, d, i), b.add(b.mul(flat, size), i)))

        b.plain_loop(0, count, 1, lambda i: level(0, with_dim(point, t.chunked, b.add(first, i)), i))
        if t.group > 1 and not self.turned:
            self._group_steps(b.mul(count, self.inside))

    def _fill_turned(self, at: list[Index], inner: int, first: Index, count: Index, target: Index) -> None:
        """`count` rows of the panel from row `target / width` on: vectors along the steps, turned in blocks.

        The last block may write rows beyond; they are written again, or belong to the slack at the panel's end.
        """
        b, k, t = self.b, self.k, self.t
        last = b.sub(self.sizes[k.column], 1)
        # A vector's lanes are groups of steps.
        steps = t.lanes * t.group

        def vector(v: Index) -> None:
            start = b.add(at[k.column], v)
            # Beyond the last column it is read again; nobody uses what comes of it.
            columns = [with_dim(at, k.column, b.min(b.add(start, lane), last)) for lane in range(t.lanes)]

            def block(i: Index, mask: SSAValue | None) -> None:
                rows: list[SSAValue] = []
                for column in columns:
                    offset = self.source.offset(b, with_dim(column, inner, b.add(first, i)))
                    loaded = self.conversion.emit(b, b.vector_load(self.source.buffer, [offset], steps, mask))
                    rows.append(loaded if t.group == 1 else as_lanes(b, loaded))
                place = b.add(b.add(target, b.mul(i, t.width)), b.mul(v, t.group))
                for step, column in enumerate(transpose_block(b, rows)):
                    value = column if t.group == 1 else as_bytes(b, column)
                    b.vector_store(value, self.buffer, [b.add(place, step * t.group * t.width)])

            limit = b.round_down(count, steps)
            b.plain_loop(0, limit, steps, lambda i: block(i, None))
            # At most one iteration.
            b.plain_loop(limit, count, steps, lambda i: block(i, b.mask(b.sub(count, i), steps)))

        b.plain_loop(0, t.width, t.lanes, vector)

    def _group_steps(self, steps: Index) -> None:
        """Puts the elements of each group of rows side by side, in place; rows beyond the last step are zero."""
        b, t = self.b, self.t
        zero = b.constant(0, VectorType(self.element, [t.lanes]))
        whole = b.mul(b.ceildiv(steps, t.group), t.group)

        def clear(i: Index) -> None:
            for v in range(t.vectors):
                b.vector_store(zero, self.buffer, [b.add(b.mul(i, t.width), v * t.lanes)])

        def group(i: Index) -> None:
            place = b.mul(i, t.width)
            rows = [
                [b.vector_load(self.buffer, [b.add(place, r * t.width + v * t.lanes)], t.lanes) for r in range(t.group)]
                for v in range(t.vectors)
            ]
            for v, vectors in enumerate(rows):
                b.vector_store(interleave(b, vectors), self.buffer, [b.add(place, v * t.lanes * t.group)])

        b.plain_loop(steps, whole, 1, clear)
        b.plain_loop(0, whole, t.group, group)

    def _fill_row(self, at: list[Index], target: Index) -> None:
        b, k, t = self.b, self.k, self.t
        if t.joined_rows == 1:
            for v in range(t.vectors):
                self._copy(with_dim(at, k.column, b.add(at[k.column], v * t.lanes)), b.add(target, v * t.lanes))
            return
        second = k.columns[-2]
        size = self.sizes[k.column]
        assert isinstance(size, int)
        last = b.sub(self.sizes[second], 1)
        for r in range(t.joined_rows):
            # Beyond the last row its columns are read again; nobody uses them.
            row = b.min(b.add(at[second], r), last) if r else at[second]
            for start in range(0, size, t.lanes):
                here = with_dim(with_dim(at, second, row), k.column, start)
                self._copy(here, b.add(target, r * size + start))

    def _copy(self, at: list[Index], target: Index) -> None:
        """A vector of B into the panel; what lies beyond the last column does not matter."""
        b, k, t = self.b, self.k, self.t
        size = self.sizes[k.column]
        left = b.sub(size, at[k.column])
        if isinstance(left, int) and left <= 0:
            value = b.constant(0, VectorType(self.element, [t.lanes]))
        else:
            value = self.conversion.emit(b, load_lanes(b, self.source, at, k.column, left, t.lanes))
        b.vector_store(value, self.buffer, [target])


def _is_turned(k: Contraction, t: Tiling) -> bool:
    """Whether B is contiguous along the steps and not along the columns, so that blocks are turned in registers."""
    inner = t.whole[-1] if t.whole else t.chunked
    size = k.nest.sizes[inner]
    if t.joined_rows > 1 or t.lanes & (t.lanes - 1) or k.b.step(k.column) == 1:
        return False
    if t.whole and (not isinstance(size, int) or size % t.group):
        # A group would reach into the next of the outer steps.
        return False
    return k.b.step(inner) == 1 and not (isinstance(size, int) and size < t.lanes * t.group)


def load_lanes(b: LoopBuilder, source: FlatAccess, at: list[Index], dim: int, left: Index, lanes: int) -> SSAValue:
    """Elements along a dim, of which `left` exist (possibly none, or more than a vector); the others are anything."""
    step = source.access.step(dim)
    offset = source.offset(b, at)
    full = isinstance(left, int) and left >= lanes
    if step == 1:
        return b.vector_load(source.buffer, [offset], lanes, None if full else b.mask(left, lanes))
    distance = source.step(b, dim)
    scalars: list[SSAValue] = []
    for lane in range(lanes):
        # Lanes that do not exist read the last element.
        place = b.min(lane, b.sub(left, 1))
        scalars.append(b.load(source.buffer, [b.add(offset, b.mul(place, distance))]))
    return b.gather(scalars)
