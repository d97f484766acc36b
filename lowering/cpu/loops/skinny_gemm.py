"""The schedule of contractions with few rows: B is read in place, once, since a panel would cost more than its use.

parallel: batch, blocks of columns
  a kernel over the whole reduction; a private function per number of rows, shared by the module
    B contiguous along the columns: several steps of the reduction per pass over the block, which stays in cache
    B contiguous along the reduction: dot products of several columns at a time
  8-bit elements: four steps are one where the target has such an instruction
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StringAttr, VectorType, i1
from xdsl.ir import Attribute, Block, Region, SSAValue

from ....dialects.relax.vocabulary.attributes import NO_INLINE
from ....dialects.relax.vocabulary.symbols import MICRO_KERNEL
from ....targets.cpu import CpuTarget
from .builder import INDEX, Index, LoopBuilder
from .contraction import Contraction, Tiling
from .conversion import Conversion
from .dot_product import GROUP, DotProduct, interleave
from .epilogue import emit_epilogue
from .flat import flatten
from .iteration import Nest, with_dim
from .micro_kernel import KernelLibrary, add, multiply_add
from .parallel import ACCESS, inside, share

COLUMNS = 1024
"""Columns of a block: a page of f32, and few enough for the rows of C to stay in the first-level cache."""

DOT_COLUMNS = 64
"""Columns of a block of dot products, which share nothing."""


@dataclass(frozen=True)
class FewRowsKernel:
    """What a kernel is compiled for. `along_columns` tells how B lies, `group` how many steps (or columns) go together."""

    rows: int
    group: int
    lanes: int
    along_columns: bool
    a_type: Attribute
    b_type: Attribute
    acc_type: Attribute
    a_conversion: Conversion
    b_conversion: Conversion
    dot: DotProduct | None = None

    @property
    def name(self) -> str:
        kinds = f"{self.a_type}{self.a_conversion.key}.{self.b_type}{self.b_conversion.key}.{self.acc_type}"
        form = ("vnni." if self.dot is not None else "") + ("columns" if self.along_columns else "dot")
        return f"{MICRO_KERNEL}.{form}.{self.rows}x{self.group}.{self.lanes}.{kinds}"


def group_size(rows: int, along_columns: bool, budget: int) -> int:
    """How many steps, or columns, go together.

    Along the columns the elements of A stay in registers, with a vector of each row of C and one of B; with more rows than
    that allows they come from the first-level cache, and what counts are the long streams of B. For dot products there is a
    sum for each row and column.
    """
    if along_columns:
        return next((g for g in (8, 4) if rows * g + rows + 1 <= budget), 8 if budget >= 32 else 4)
    return next((g for g in (8, 4, 3, 2) if rows * g + min(rows, g) + 1 <= budget), 1)


def emit_few_rows(
    b: LoopBuilder,
    library: KernelLibrary,
    contraction: Contraction,
    tiling: Tiling,
    most: int,
    starts_at_zero: bool,
    epilogue: Sequence[Nest] = (),
) -> None:
    """Emits a contraction of at most `most` rows; see `emit_contraction`."""
    k = contraction
    sizes = k.nest.sizes
    fa, fb, fc = flatten(b, k.a), flatten(b, k.b), flatten(b, k.c)
    (reduced,) = k.reduced
    rows: Index = 1 if k.tile_row is None else sizes[k.tile_row]
    a_row, c_row = (0, 0) if k.tile_row is None else (fa.step(b, k.row), fc.step(b, k.row))
    a_step, steps = fa.step(b, reduced), sizes[reduced]
    along_columns = k.b.step(k.column) == 1
    b_step = fb.step(b, reduced if along_columns else k.column)
    block = COLUMNS if along_columns else DOT_COLUMNS
    first = b.constant(starts_at_zero, i1)
    others = [*k.batch, *k.columns[:-1]]

    def kernel(count: int) -> FewRowsKernel:
        sums = count if tiling.dot is None else tiling.dot.rows_of_sums(count)
        group = group_size(sums, along_columns, tiling.budget)
        types = (k.a.type.element_type, k.b.type.element_type, k.acc_type)
        conversions = (k.a_conversion, k.b_conversion)
        return FewRowsKernel(count, group, tiling.lanes, along_columns, *types, *conversions, tiling.dot)

    def body(indices: Sequence[Index]) -> None:
        point: list[Index] = [0] * k.nest.rank()
        for d, index in zip(others, indices, strict=False):
            point[d] = index
        point[k.column] = b.mul(indices[-1], block)
        columns = b.min(b.sub(sizes[k.column], point[k.column]), block)
        operands = [fa.buffer, *map(b.value, (fa.offset(b, point), a_row, a_step))]
        operands += [fb.buffer, *map(b.value, (fb.offset(b, point), b_step))]
        operands += [fc.buffer, *map(b.value, (fc.offset(b, point), c_row, steps, columns)), first]

        def call(count: int) -> None:
            found = kernel(count)
            name = library.symbol(found.name, lambda: _build(found, library.target))
            b.append(func.CallOp(name, operands, []))

        if isinstance(rows, int):
            call(rows)
        else:
            b.switch(rows, [lambda r=r: call(r) for r in range(1, most + 1)])
        if epilogue:
            width = tiling.width

            def finish(start: Index) -> None:
                at = with_dim(point, k.column, b.add(point[k.column], start))
                emit_epilogue(b, k, tiling, epilogue, at, rows, b.sub(columns, start))

            b.plain_loop(0, columns, width, finish)

    uppers = [*(sizes[d] for d in others), b.ceildiv(sizes[k.column], block)]
    extent = sizes[k.column]
    width = min(block, extent) if isinstance(extent, int) else block
    work = width * inside([steps]) * (ACCESS + (rows if isinstance(rows, int) else most) // 2)
    b.nest(uppers, body, share(uppers, work))


def _build(kernel: FewRowsKernel, target: CpuTarget) -> func.FuncOp:
    flat = [MemRefType(t, [DYNAMIC_INDEX]) for t in (kernel.a_type, kernel.b_type, kernel.acc_type)]
    types = [flat[0], INDEX, INDEX, INDEX, flat[1], INDEX, INDEX, flat[2], INDEX, INDEX, INDEX, INDEX, i1]
    entry = Block(arg_types=types)
    body = _Body(LoopBuilder(entry, target), kernel, entry.args)
    body.clear()
    if kernel.along_columns:
        body.along_columns()
    else:
        body.dot_products()
    entry.add_op(func.ReturnOp())
    function = func.FuncOp(kernel.name, (types, []), Region(entry), StringAttr("private"))
    NO_INLINE.set(function)
    return function


@dataclass(frozen=True)
class _Term:
    """What steps of the reduction add: a factor for each row of sums, and the columns of B that they are multiplied with."""

    factors: list[SSAValue]
    columns: Callable[[Index, SSAValue | None], SSAValue]


class _Body:
    """The code of a kernel."""

    def __init__(self, b: LoopBuilder, kernel: FewRowsKernel, args: Sequence[SSAValue]):
        self.b = b
        self.kernel = kernel
        self.a, a_offset, a_row, self.a_step, self.right, self.b_offset, self.b_step = args[:7]
        self.c, c_offset, c_row, self.steps, self.columns, self.first = args[7:]
        rows = range(kernel.rows)
        self.a_starts = [b.add(a_offset, b.mul(a_row, r)) for r in rows]
        self.c_starts = [b.add(c_offset, b.mul(c_row, r)) for r in rows]
        self.zero = b.constant(0, VectorType(kernel.acc_type, [kernel.lanes]))

    def clear(self) -> None:
        """Zeros in C, if it starts from there."""

        def vector(at: Index, mask: SSAValue | None) -> None:
            for start in self.c_starts:
                self.b.vector_store(self.zero, self.c, [self.b.add(start, at)], mask)

        self.b.when(self.first, lambda: self._vectors(self.columns, vector))

    def _vectors(self, count: Index, body: Callable[[Index, SSAValue | None], None]) -> None:
        b, lanes = self.b, self.kernel.lanes
        full = b.round_down(count, lanes)
        b.plain_loop(0, full, lanes, lambda i: body(i, None))
        b.when(b.less(full, count), lambda: body(full, b.mask(b.sub(count, full), lanes)))

    def along_columns(self) -> None:
        """C += A B, `group` steps at a time."""
        b, kernel = self.b, self.kernel
        limit = b.round_down(self.steps, kernel.group)
        b.plain_loop(0, limit, kernel.group, lambda k: self._pass(self._terms(k, kernel.group)))
        if kernel.dot is None:
            b.plain_loop(limit, self.steps, 1, lambda k: self._pass(self._terms(k, 1)))
        else:
            dot = kernel.dot
            b.plain_loop(limit, self.steps, GROUP, lambda k: self._pass([self._term_of_group(dot, k, is_last=True)]))

    def _terms(self, position: Index, count: int) -> list[_Term]:
        """What `count` steps from a position on add."""
        b, kernel = self.b, self.kernel
        if kernel.dot is not None:
            return [self._term_of_group(kernel.dot, b.add(position, s), is_last=False) for s in range(0, count, GROUP)]
        return [self._term_of_step(b.add(position, s)) for s in range(count)]

    def _term_of_step(self, step: Index) -> _Term:
        b, kernel = self.b, self.kernel
        offset = b.mul(step, self.a_step)
        scalars = [kernel.a_conversion.emit(b, b.load(self.a, [b.add(r, offset)])) for r in self.a_starts]
        start = b.add(self.b_offset, b.mul(step, self.b_step))

        def columns(at: Index, mask: SSAValue | None) -> SSAValue:
            return kernel.b_conversion.emit(b, b.vector_load(self.right, [b.add(start, at)], kernel.lanes, mask))

        return _Term([b.splat(x, kernel.lanes) for x in scalars], columns)

    def _term_of_group(self, dot: DotProduct, step: Index, is_last: bool) -> _Term:
        """Four steps; of the last group some may not exist: A is zero there, and B is read again."""
        b, kernel = self.b, self.kernel
        mask = b.mask(b.sub(self.steps, step), GROUP) if is_last else None
        groups = [b.vector_load(self.a, [b.add(r, step)], GROUP, mask) for r in self.a_starts]
        factors = [dot.moved(b, dot.spread(b, group, kernel.lanes)) for group in groups]
        steps = [b.add(step, s) for s in range(GROUP)]
        if is_last:
            last = b.sub(self.steps, 1)
            steps = [b.min(s, last) for s in steps]
        starts = [b.add(self.b_offset, b.mul(s, self.b_step)) for s in steps]

        def columns(at: Index, mask: SSAValue | None) -> SSAValue:
            rows = [b.vector_load(self.right, [b.add(start, at)], kernel.lanes, mask) for start in starts]
            return interleave(b, rows)

        return _Term(dot.with_zero_row(b, factors, kernel.lanes), columns)

    def _multiply_add(self, x: SSAValue, y: SSAValue, acc: SSAValue) -> SSAValue:
        dot = self.kernel.dot
        return multiply_add(self.b, x, y, acc) if dot is None else dot.multiply_add(self.b, x, y, acc)

    def _pass(self, terms: Sequence[_Term]) -> None:
        b, kernel = self.b, self.kernel

        def vector(at: Index, mask: SSAValue | None) -> None:
            places = [[b.add(start, at)] for start in self.c_starts]
            sums = [b.vector_load(self.c, place, kernel.lanes, mask) for place in places]
            sums += [self.zero] * (len(terms[0].factors) - len(sums))
            for term in terms:
                found = term.columns(at, mask)
                sums = [self._multiply_add(x, found, total) for x, total in zip(term.factors, sums, strict=True)]
            if kernel.dot is not None:
                sums = kernel.dot.without_zero_row(b, sums, 1)
            for total, place in zip(sums, places, strict=True):
                b.vector_store(total, self.c, place, mask)

        self._vectors(self.columns, vector)

    def dot_products(self) -> None:
        """C += A B, `group` columns at a time."""
        b, kernel = self.b, self.kernel
        limit = b.round_down(self.columns, kernel.group)
        b.plain_loop(0, limit, kernel.group, lambda j: self._dot(j, kernel.group))
        b.plain_loop(limit, self.columns, 1, lambda j: self._dot(j, 1))

    def _dot(self, column: Index, count: int) -> None:
        b, kernel = self.b, self.kernel
        lanes = kernel.lanes
        starts = [b.add(self.b_offset, b.mul(b.add(column, c), self.b_step)) for c in range(count)]

        width = lanes if kernel.dot is None else lanes * GROUP

        def step(k: Index, carried: Sequence[SSAValue], mask: SSAValue | None) -> list[SSAValue]:
            left, right = (
                [b.vector_load(source, [b.add(s, k)], width, mask) for s in places]
                for source, places in ((self.a, self.a_starts), (self.right, starts))
            )
            if kernel.dot is None:
                left = [kernel.a_conversion.emit(b, x) for x in left]
                right = [kernel.b_conversion.emit(b, y) for y in right]
            else:
                left = kernel.dot.with_zero_row(b, [kernel.dot.moved(b, x) for x in left], lanes)
            pairs = [(x, y) for x in left for y in right]
            return [self._multiply_add(x, y, total) for (x, y), total in zip(pairs, carried, strict=True)]

        full = b.round_down(self.steps, width)
        rows = kernel.rows if kernel.dot is None else kernel.dot.rows_of_sums(kernel.rows)
        zeros = [self.zero] * (rows * count)
        sums = b.loop(0, full, width, zeros, lambda k, carried: step(k, carried, None), no_unroll=True)
        # At most one iteration; lanes beyond the end are zero in both factors.
        rest = b.sub(self.steps, full)
        sums = b.loop(
            full, self.steps, width, sums, lambda k, carried: step(k, carried, b.mask(rest, width)), no_unroll=True
        )
        if kernel.dot is not None:
            sums = kernel.dot.without_zero_row(b, sums, count)
        for position, total in enumerate(sums):
            row, c = divmod(position, count)
            place = [b.add(self.c_starts[row], b.add(column, c))]
            b.store(add(b, b.load(self.c, place), _sum_of_lanes(b, total)), self.c, place)


def _sum_of_lanes(b: LoopBuilder, value: SSAValue) -> SSAValue:
    """The lanes of a vector added in halves."""
    lanes = cast(VectorType, value.type).get_shape()[0]
    while lanes > 1:
        lanes //= 2
        value = add(b, b.shuffle(value, value, range(lanes)), b.shuffle(value, value, range(lanes, 2 * lanes)))
    return b.extract(value, 0)
