"""Skinny GEMM, contractions with few rows: B is read in place, once, since a panel would cost more than its use.

    linalg.generic %c += %a * %b    with skinny = <rows = [3], unroll = [8], columns = 1024>

becomes

    scf.parallel (batches, blocks of 1024 columns)
      func.call @relax.contract.columns.3x8...     over the whole reduction
      the epilogue on the block

The kernel, where B is contiguous along the columns, takes 8 steps of the reduction per pass over the block, which stays in cache:

    scf.for %k = 0 to %steps step 8
      3 x 8 elements of A, each in all lanes
      scf.for the block: 3 vectors of C += 8 vectors of B

and, where B is contiguous along the reduction, dot products of several columns at a time. Of narrow elements
a group of steps is one where the schedule names an instruction for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, SSAValue

from .....dialects.relax import schedule as schedules
from .....dialects.relax.vocabulary.symbols import MICRO_KERNEL
from .....records import record
from ....emit.constructors import vector_type
from ....emit.emitter import Index
from ...schedule.contraction import Contraction, Conversion
from ...schedule.dot_product import DotProduct, dot_product_of, lies_in_groups
from ...schedule.skinny import lies_along_columns
from ..builder import LoopBuilder
from ..conversion import convert
from ..fetch import fetch
from ..flat import flatten
from ..kernels import KernelLibrary, KernelOperands, add, multiply_add, type_key
from ..loop_nest import LoopNest, uppers_of, with_loop
from ..sums_of_lanes import picked_lanes, sums_of_lanes
from .dot_product import interleave, moved, multiply_add_groups, negative, spread, sums_of_rows, widened, with_zero_row
from .epilogue import EpilogueTiles, emit_epilogue


@record
class SkinnyKernel:
    """What a kernel is compiled for. `along_columns` tells how B lies, `unroll` how many steps (or columns) go together, `fetched` how
    many columns ahead lines of B come to the second-level cache."""

    rows: int
    unroll: int
    lanes: int
    along_columns: bool
    a_type: Attribute
    b_type: Attribute
    acc_type: Attribute
    a_conversion: Conversion
    b_conversion: Conversion
    fetched: int
    dot: DotProduct | None = None

    @property
    def name(self) -> str:
        form = ("" if self.dot is None else f"{self.dot.instruction}.") + ("columns" if self.along_columns else "dot")
        kinds = type_key(self, self.a_conversion, self.b_conversion)
        ahead = f".ahead{self.fetched}" if self.fetched else ""
        return f"{MICRO_KERNEL}.{form}.{self.rows}x{self.unroll}.{self.lanes}.{kinds}{ahead}"


def emit_skinny(
    b: LoopBuilder,
    library: KernelLibrary,
    schedule: schedules.Contraction,
    nest: LoopNest,
    contraction: Contraction,
    epilogue: Sequence[LoopNest],
    *,
    starts_at_zero: bool,
) -> None:
    """Emits a contraction of as many rows as the schedule has a kernel for; see `emit_contraction`."""
    k, row, skinny = contraction, schedule.row, schedule.skinny
    assert skinny is not None
    fa, fb, fc = flatten(b, k.a), flatten(b, k.b), flatten(b, k.c)
    (reduced,) = k.reduced
    rows: Index = 1 if row is None else nest.uppers[row]
    a_row, c_row = (0, 0) if row is None else (fa.step(b, row), fc.step(b, row))
    a_step, steps = fa.step(b, reduced), nest.uppers[reduced]
    b_step = fb.step(b, reduced if lies_along_columns(k) else k.column)
    first = b.constant(starts_at_zero, i1)
    extent = nest.uppers[k.column]
    others = [*k.batch, *k.columns[:-1]]

    def block(indices: Sequence[Index]) -> None:
        point: list[Index] = [0] * nest.rank()
        for d, index in zip(others, indices, strict=False):
            point[d] = index
        point[k.column] = b.mul(indices[-1], skinny.columns)
        columns = b.minimum(b.sub(extent, point[k.column]), skinny.columns)
        a = (fa.buffer, fa.offset(b, point), a_row, a_step)
        right = (fb.buffer, fb.offset(b, point), b_step)
        c = (fc.buffer, fc.offset(b, point), c_row)
        operands = KernelOperands(a, right, c, steps, columns, first)

        def call(kernel: SkinnyKernel) -> None:
            library.call(b, kernel, operands, lambda body, args: _SkinnyKernelBody(body, kernel, args).emit())

        kernels = _kernels(k, schedule, skinny)
        if isinstance(rows, int):
            call(kernels[rows])
        else:
            b.switch(rows, [lambda kernel=kernel: call(kernel) for kernel in kernels.values()])
        if epilogue:
            tiles = EpilogueTiles(schedule.lanes, skinny.width // schedule.lanes, row, k.column)

            def finish(start: Index, count: Index) -> None:
                at = with_loop(point, k.column, b.add(point[k.column], start))
                emit_epilogue(b, tiles, epilogue, at, rows, count)

            b.in_parts(columns, skinny.width, finish)

    b.nest([*uppers_of(nest, others), b.ceildiv(extent, skinny.columns)], block, skinny.grain)


def _kernels(k: Contraction, schedule: schedules.Contraction, skinny: schedules.Skinny) -> dict[int, SkinnyKernel]:
    """Returns the kernel for each number of rows that the schedule has one for."""
    dot = dot_product_of(k, schedule.instruction) if lies_in_groups(k, k.reduced[0]) else None
    types = (k.a.type.element_type, k.b.type.element_type, k.acc_type)
    rest = (schedule.lanes, lies_along_columns(k), *types, k.a_conversion, k.b_conversion, skinny.fetched, dot)
    return {rows: SkinnyKernel(rows, unroll, *rest) for rows, unroll in zip(skinny.rows, skinny.unroll, strict=True)}


@record
class _Term:
    """What steps of the reduction add: a factor for each row of sums, and the columns of B that they are multiplied with."""

    factors: list[SSAValue]
    columns: Callable[[Index, SSAValue | None], SSAValue]


class _SkinnyKernelBody:
    """The code of a kernel."""

    def __init__(self, b: LoopBuilder, kernel: SkinnyKernel, args: Sequence[SSAValue]):
        self.b = b
        self.kernel = kernel
        self.a, a_offset, a_row, self.a_step, self.right, self.b_offset, self.b_step = args[:7]
        self.c, c_offset, c_row, self.steps, self.columns, self.first = args[7:]
        rows = range(kernel.rows)
        self.a_starts = [b.add(a_offset, b.mul(a_row, r)) for r in rows]
        self.c_starts = [b.add(c_offset, b.mul(c_row, r)) for r in rows]
        self.zero = b.constant(0, vector_type(kernel.acc_type, kernel.lanes))

    def emit(self) -> None:
        """Emits the kernel: zeros in C if it starts from there, then the reduction."""
        self._clear()
        if self.kernel.along_columns:
            self._along_columns()
        else:
            self._dot_products()

    def _clear(self) -> None:

        def vector(at: Index, mask: SSAValue | None) -> None:
            for start in self.c_starts:
                self.b.vector_store(self.zero, self.c, [self.b.add(start, at)], mask)

        self.b.when(self.first, lambda: self._vectors(self.columns, vector))

    def _vectors(self, count: Index, body: Callable[[Index, SSAValue | None], None]) -> None:
        b, lanes = self.b, self.kernel.lanes
        full = b.round_down(count, lanes)
        b.plain_loop(0, full, lanes, lambda i: body(i, None))
        b.when(b.less(full, count), lambda: body(full, b.mask(b.sub(count, full), lanes)))

    def _along_columns(self) -> None:
        """Emits C += A B, `unroll` steps at a time."""
        b, kernel = self.b, self.kernel
        limit = b.round_down(self.steps, kernel.unroll)
        b.plain_loop(0, limit, kernel.unroll, lambda k: self._pass(self._terms(k, kernel.unroll)))
        if kernel.dot is None:
            b.plain_loop(limit, self.steps, 1, lambda k: self._pass(self._terms(k, 1)))
        else:
            dot = kernel.dot
            whole = b.round_down(self.steps, dot.group)
            b.plain_loop(limit, whole, dot.group, lambda k: self._pass(self._terms(k, dot.group)))
            # At most one iteration.
            b.plain_loop(
                whole, self.steps, dot.group, lambda k: self._pass([self._term_of_group(dot, k, is_last=True)])
            )

    def _terms(self, position: Index, count: int) -> list[_Term]:
        """Returns what `count` steps from a position on add."""
        b, kernel = self.b, self.kernel
        if kernel.dot is not None:
            dot = kernel.dot
            return [self._term_of_group(dot, b.add(position, s), is_last=False) for s in range(0, count, dot.group)]
        return [self._term_of_step(b.add(position, s)) for s in range(count)]

    def _term_of_step(self, step: Index) -> _Term:
        b, kernel = self.b, self.kernel
        offset = b.mul(step, self.a_step)
        scalars = [convert(b, kernel.a_conversion, b.load(self.a, [b.add(r, offset)])) for r in self.a_starts]
        start = b.add(self.b_offset, b.mul(step, self.b_step))

        def columns(at: Index, mask: SSAValue | None) -> SSAValue:
            return convert(b, kernel.b_conversion, b.vector_load(self.right, [b.add(start, at)], kernel.lanes, mask))

        return _Term([b.splat(x, kernel.lanes) for x in scalars], columns)

    def _term_of_group(self, dot: DotProduct, step: Index, is_last: bool) -> _Term:
        """Returns what a group of steps adds. In the last group, steps beyond the end have zeros in A, and in B zeros or its last row."""
        b, kernel = self.b, self.kernel
        mask = b.mask(b.sub(self.steps, step), dot.group) if is_last else None
        groups = [self._left(b.add(r, step), dot.group, mask) for r in self.a_starts]
        factors = [moved(b, dot, spread(b, group, kernel.lanes)) for group in groups]
        steps = [b.add(step, s) for s in range(dot.group)]
        # The last of two steps may be missing; 0 times infinity is no 0.
        is_single = is_last and dot.group == 2
        if is_last:
            last = b.sub(self.steps, 1)
            steps = [b.minimum(s, last) for s in steps]
        starts = [b.add(self.b_offset, b.mul(s, self.b_step)) for s in steps]

        def columns(at: Index, mask: SSAValue | None) -> SSAValue:
            rows = [self._right(b.add(start, at), kernel.lanes, mask) for start in starts]
            if is_single:
                rows[1] = b.constant(0, rows[0].type)
            return interleave(b, rows)

        return _Term(with_zero_row(b, dot, factors, kernel.lanes), columns)

    def _left(self, at: Index, count: int, mask: SSAValue | None) -> SSAValue:
        """Emits elements of A, as an instruction takes them if there is one."""
        loaded = self.b.vector_load(self.a, [at], count, mask)
        return widened(self.b, self.kernel.dot, self.kernel.a_conversion, loaded)

    def _right(self, at: Index, count: int, mask: SSAValue | None) -> SSAValue:
        """Emits elements of B in the same way."""
        loaded = self.b.vector_load(self.right, [at], count, mask)
        return widened(self.b, self.kernel.dot, self.kernel.b_conversion, loaded)

    def _multiply_add(self, x: SSAValue, y: SSAValue, acc: SSAValue) -> SSAValue:
        dot = self.kernel.dot
        return multiply_add(self.b, x, y, acc) if dot is None else multiply_add_groups(self.b, dot, x, y, acc)

    def _pass(self, terms: Sequence[_Term]) -> None:
        b, kernel = self.b, self.kernel

        def vector(at: Index, mask: SSAValue | None) -> None:
            targets = [[b.add(start, at)] for start in self.c_starts]
            sums = [b.vector_load(self.c, target, kernel.lanes, mask) for target in targets]
            if kernel.dot is not None and not kernel.dot.accumulates:
                sums = [negative(b, total) for total in sums]
            sums += [self.zero] * (len(terms[0].factors) - len(sums))
            for term in terms:
                columns = term.columns(at, mask)
                sums = [self._multiply_add(x, columns, total) for x, total in zip(term.factors, sums, strict=True)]
            if kernel.dot is not None:
                sums = sums_of_rows(b, kernel.dot, sums, 1)
            for total, target in zip(sums, targets, strict=True):
                b.vector_store(total, self.c, target, mask)

        self._vectors(self.columns, vector)

    def _dot_products(self) -> None:
        """Emits C += A B, `unroll` columns at a time."""
        b, kernel = self.b, self.kernel
        limit = b.round_down(self.columns, kernel.unroll)
        b.plain_loop(0, limit, kernel.unroll, lambda j: self._dot(j, kernel.unroll))
        b.plain_loop(limit, self.columns, 1, lambda j: self._dot(j, 1))

    def _dot(self, column: Index, count: int) -> None:
        b, kernel = self.b, self.kernel
        lanes = kernel.lanes
        starts = [b.add(self.b_offset, b.mul(b.add(column, c), self.b_step)) for c in range(count)]

        width = lanes if kernel.dot is None else lanes * kernel.dot.group
        ahead = b.mul(self.b_step, kernel.fetched)

        def step(k: Index, carried: Sequence[SSAValue], mask: SSAValue | None) -> list[SSAValue]:
            left = [self._left(b.add(s, k), width, mask) for s in self.a_starts]
            if kernel.fetched:
                for s in starts:
                    fetch(b, self.right, b.add(b.add(s, k), ahead))
            right = [self._right(b.add(s, k), width, mask) for s in starts]
            if kernel.dot is None:
                left = [convert(b, kernel.a_conversion, x) for x in left]
                right = [convert(b, kernel.b_conversion, y) for y in right]
            else:
                left = with_zero_row(b, kernel.dot, [moved(b, kernel.dot, x) for x in left], lanes)
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
            sums = sums_of_rows(b, kernel.dot, sums, count)
        totals = sums_of_lanes(b, sums)
        for row, start in enumerate(self.c_starts):
            at = [b.add(start, column)]
            total = picked_lanes(b, totals[row * count :][:count])
            if count == 1:
                b.store(add(b, b.load(self.c, at), total), self.c, at)
            else:
                b.vector_store(add(b, b.vector_load(self.c, at, count), total), self.c, at)
