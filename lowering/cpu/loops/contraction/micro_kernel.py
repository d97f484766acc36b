"""Register-tiled kernels of contractions.

`rows` x `vectors` accumulators stay in registers over the whole reduction; they are added to, or become, the tile of
the output. Rows of A are read in place, one scalar per row and step; B comes in vectors. Groups of steps
of narrow elements may lie together in B, and be one step of the kernel.

    %sums = scf.for %k = 0 to %steps iter_args(6 x 4 vectors)
      4 x vector.load of B, 6 x memref.load of A and vector.broadcast, 24 x vector.fma
    scf.if %first { stores } else { loads, additions, stores }
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import MemRefType, bf16, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from .....dialects.relax.vocabulary.symbols import MICRO_KERNEL
from .....records import record
from ....emit.constructors import vector_type
from ....emit.emitter import Index
from ....emit.pointers import address_of
from ...schedule.contraction import Conversion
from ...schedule.dot_product import DotProduct
from ...schedule.tiles import bits_of
from ..builder import LoopBuilder
from ..conversion import convert
from ..fetch import elements_of_line, fetch
from ..kernels import KernelLibrary, KernelOperands, add, multiply_add, type_key
from ..stack import stack
from .dot_product import as_lanes, moved, multiply_add_groups, spread, sums_of_rows, with_zero_row
from .paired_products import PairedTile, emit_paired_products
from .parts import for_parts


@record
class Unrolled:
    """What an iteration of a kernel does."""

    steps: int = 1
    """The steps, or groups of them, which divide all steps."""
    fetched: int = 0
    """The lines that it fetches for later."""
    a_step: int | None = None
    """The distance of steps in A, where it is known: several steps then share their addresses."""
    b_step: int | None = None
    """The same in B."""
    a_row: int | None = None
    """The distance of rows in A, where it is known: they then share their addresses."""
    panel: int | None = None
    """The columns of the panel, where a kernel reads pairs of its rows."""

    @property
    def name(self) -> str:
        """What the name of a kernel has of it: nothing for single steps."""
        distances = "" if self.steps == 1 else f".by{self.steps}.{self.a_step or 0}.{self.b_step or 0}"
        distances += f".row{self.a_row}" if self.a_row is not None else ""
        distances += f".panel{self.panel}" if self.panel is not None else ""
        return distances + (f".fetch{self.fetched}" if self.fetched else "")


@record
class MicroKernel:
    """What a kernel is compiled for."""

    rows: int
    vectors: int
    lanes: int
    a_type: Attribute
    b_type: Attribute
    acc_type: Attribute
    a_conversion: Conversion
    b_conversion: Conversion
    group: int = 1
    """Steps that lie together in B."""
    dot: DotProduct | None = None
    """How groups are multiplied; None if one step after the other is."""
    unrolled: Unrolled = Unrolled()
    copies: bool = False
    """Whether what is read of B is copied to a panel."""
    parts: tuple[int, ...] = ()
    """The iterations of the loops around panels, which the kernel has itself: sums stay in registers for all of them."""
    is_whole: bool = False
    """Whether all columns of the tile exist."""

    @property
    def name(self) -> str:
        form = "" if self.group == 1 else "grouped." if self.dot is None else f"{self.dot.instruction}."
        kinds = type_key(self, self.a_conversion, self.b_conversion)
        tile = f"{self.rows}x{self.vectors * self.lanes}.{self.lanes}"
        parts = "".join(f".{count}" for count in self.parts)
        whole, copies = ".whole" if self.is_whole else "", ".copy" if self.copies else ""
        return f"{MICRO_KERNEL}.{form}{tile}.{kinds}{whole}{self.unrolled.name}{parts and '.parts'}{parts}{copies}"


def call_kernel(b: LoopBuilder, library: KernelLibrary, kernel: MicroKernel, operands: KernelOperands) -> None:
    """Emits the multiplication of some rows of A with a panel, of which the first `columns` columns exist."""
    library.call(b, kernel, operands, lambda body, args: _MicroKernelBody(body, kernel, args).emit())


class _MicroKernelBody:
    """The code of a kernel."""

    def __init__(self, b: LoopBuilder, kernel: MicroKernel, args: Sequence[SSAValue]):
        self.b = b
        self.kernel = kernel
        self.a, a_offset, a_row, a_step, self.panel, b_offset, b_step = args[:7]
        self.c, self.c_offset, self.c_row, self.steps, self.columns, self.first = args[7:13]
        *self.a_parts, self.b_part = args[13 : 14 + len(kernel.parts)] if kernel.parts else (0,)
        start = 14 + len(kernel.parts) if kernel.parts else 13
        split = start + 3 if kernel.copies else start
        self.copied, fetched = args[start:split], args[split:]
        unrolled = kernel.unrolled
        is_known = unrolled.steps > 1
        self.a_step: Index = unrolled.a_step if is_known and unrolled.a_step is not None else a_step
        self.b_step: Index = unrolled.b_step if is_known and unrolled.b_step is not None else b_step
        self.fetched = fetched
        self.terms = args[13:16]
        """What belongs to rows, where it begins, and what belongs to columns, of sums of bytes."""
        self.zero = b.constant(0, vector_type(kernel.acc_type, kernel.lanes))
        distance: Index = a_row if unrolled.a_row is None else unrolled.a_row
        self.a_starts: list[Index] = [b.add(a_offset, b.mul(distance, r)) for r in range(kernel.rows)]
        self.b_start: Index = b_offset
        self.number: Index = 0
        """The iterations of the loops around panels before the one at hand."""

    def emit(self) -> None:
        """Emits the sums of all steps, and what becomes of them."""
        b, kernel = self.b, self.kernel
        if kernel.dot is not None and kernel.dot.pairs:
            sums = self._sums_of_pairs()
        else:
            sums = self._sums()
            if kernel.dot is not None:
                sums = sums_of_rows(b, kernel.dot, sums, kernel.vectors)
        columns = kernel.vectors * kernel.lanes if kernel.is_whole else self.columns
        b.with_masks(columns, kernel.vectors, kernel.lanes, lambda masks: self._write_or_add(sums, masks))

    def _write_or_add(self, sums: Sequence[SSAValue], masks: Sequence[SSAValue | None]) -> None:
        self.b.if_else(
            self.first,
            lambda: self._write(sums, masks, accumulate=False),
            lambda: self._write(sums, masks, accumulate=True),
        )

    def _sums_of_pairs(self) -> Sequence[SSAValue]:
        """Emits the products of sums of bytes, less what belongs to a row or to a column alone."""
        b, kernel = self.b, self.kernel
        row, width = kernel.unrolled.a_row, kernel.unrolled.panel
        assert kernel.dot is not None and row is not None and width is not None
        size = bits_of(kernel.dot.element) // 8
        sums = stack(b, kernel.acc_type, kernel.rows * kernel.vectors * kernel.lanes)
        rows_of_a = b.add(address_of(b, self.a), b.mul(self.a_starts[0], size))
        panel = b.add(address_of(b, self.panel), b.mul(self.b_start, size))
        tile = PairedTile(kernel.rows, kernel.vectors, row * size, width * kernel.group * size)
        emit_paired_products(b, tile, rows_of_a, panel, address_of(b, sums), self.steps)
        rows, offset, columns = self.terms
        of_columns = [b.vector_load(columns, [v * kernel.lanes], kernel.lanes) for v in range(kernel.vectors)]
        results: list[SSAValue] = []
        for r in range(kernel.rows):
            of_row = b.splat(b.load(rows, [b.add(offset, r)]), kernel.lanes)
            for v, of_column in enumerate(of_columns):
                place = (r * kernel.vectors + v) * kernel.lanes
                total = b.vector_load(sums, [place], kernel.lanes)
                results.append(b.insert(arith.SubiOp(b.insert(arith.SubiOp(total, of_row)), of_column)))
        return results

    def _sums(self) -> Sequence[SSAValue]:
        """Emits the reduction, over all panels whose loops the kernel has."""
        b, kernel = self.b, self.kernel
        rows = kernel.rows if kernel.dot is None else kernel.dot.rows_of_sums(kernel.rows)
        initial = [self.zero] * (rows * kernel.vectors)
        starts, start = self.a_starts, self.b_start

        def part(number: Index, offset: Index, sums: Sequence[SSAValue]) -> Sequence[SSAValue]:
            self.a_starts = [b.add(each, offset) for each in starts]
            self.b_start = b.add(start, b.mul(self.b_part, number))
            self.number = number
            return self._sums_of_panel(sums)

        return for_parts(b, kernel.parts, self.a_parts, initial, part)

    def _sums_of_panel(self, initial: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Emits the reduction over a panel; the last group of steps may not be full, and its missing steps multiply by zero."""
        b, group = self.b, self.kernel.group
        count = self.kernel.unrolled.steps * group
        full = self.steps if count > group else b.round_down(self.steps, group)

        def iteration(k: Index, sums: Sequence[SSAValue]) -> Sequence[SSAValue]:
            self._fetch(k, count)
            for start in range(0, count, group):
                sums = self._step(b.add(k, start), sums, None)
            return sums

        sums = b.loop(0, full, count, initial, iteration, no_unroll=True)
        if group == 1 or count > group:
            return sums
        rest = b.sub(self.steps, full)
        # At most one iteration.
        return b.loop(full, self.steps, group, sums, lambda k, carried: self._step(k, carried, rest), no_unroll=True)

    def _fetch(self, k: Index, count: int) -> None:
        """Emits what the iteration at step `k` fetches, which is that of `count` steps."""
        if not self.fetched:
            return
        b, (buffer, offset, distance) = self.b, self.fetched
        assert isa(buffer.type, MemRefType)
        line = elements_of_line(buffer.type.element_type)
        before = b.add(b.mul(self.number, b.floordiv(self.steps, count)), b.floordiv(k, count))
        start = b.add(offset, b.mul(before, distance))
        for number in range(self.kernel.unrolled.fetched):
            fetch(b, buffer, b.add(start, number * line))

    def _write(self, sums: Sequence[SSAValue], masks: Sequence[SSAValue | None], *, accumulate: bool) -> None:
        b, kernel = self.b, self.kernel
        for r in range(kernel.rows):
            start = b.add(self.c_offset, b.mul(self.c_row, r))
            for v, mask in enumerate(masks):
                at = [b.add(start, v * kernel.lanes)]
                value = sums[r * kernel.vectors + v]
                if accumulate:
                    value = add(b, b.vector_load(self.c, at, kernel.lanes, mask), value)
                b.vector_store(value, self.c, at, mask)

    def _step(self, k: Index, carried: Sequence[SSAValue], rest: Index | None) -> list[SSAValue]:
        """Emits the sums after step `k`, or after the group from there on, of which `rest` steps exist (None: all)."""
        b, kernel = self.b, self.kernel
        at = b.add(self.b_start, b.mul(k, self.b_step))
        width = kernel.lanes * kernel.group
        columns = [b.vector_load(self.panel, [b.add(at, v * width)], width) for v in range(kernel.vectors)]
        if kernel.copies:
            panel, offset, distance = self.copied
            to = b.add(offset, b.mul(k, distance))
            for v, column in enumerate(columns):
                b.vector_store(column, panel, [b.add(to, v * width)])
        if kernel.dot is not None:
            return self._group_at_once(kernel.dot, k, columns, carried, rest)
        return self._group_by_steps(k, columns, carried, rest)

    def _group_by_steps(
        self, k: Index, columns: Sequence[SSAValue], carried: Sequence[SSAValue], rest: Index | None
    ) -> list[SSAValue]:
        """Emits the multiplications of each step of a group in turn; its columns are every `group`-th lane of what was loaded."""
        b, kernel = self.b, self.kernel
        sums = list(carried)
        for s in range(kernel.group):
            factors = [self._step_of_group(c, s) for c in columns]
            offset = b.mul(b.add(k, s), self.a_step)
            mask = None if rest is None else b.mask(b.sub(rest, s), 1)
            for r, start in enumerate(self.a_starts):
                at = [b.add(start, offset)]
                element = b.load(self.a, at) if mask is None else b.extract(b.vector_load(self.a, at, 1, mask), 0)
                scalar = b.splat(convert(b, kernel.a_conversion, element), kernel.lanes)
                for v, factor in enumerate(factors, r * kernel.vectors):
                    sums[v] = multiply_add(b, scalar, factor, sums[v])
        return sums

    def _step_of_group(self, columns: SSAValue, step: int) -> SSAValue:
        """Emits the columns of one step of a group, converted."""
        b, kernel = self.b, self.kernel
        if kernel.group == 1:
            return convert(b, kernel.b_conversion, columns)
        if (
            kernel.group == 2
            and kernel.b_type == bf16
            and [op.name for op in kernel.b_conversion.ops[:1]] == ["arith.extf"]
        ):
            # A bf16 is the upper half of the f32, so that each lane of 32 bits holds two of them.
            lanes = as_lanes(b, columns)
            half = (
                b.insert(arith.AndIOp(lanes, b.constant(-1 << 16, lanes.type)))
                if step
                else b.insert(arith.ShLIOp(lanes, b.constant(16, lanes.type)))
            )
            wide = b.insert(vector.BitcastOp(half, vector_type(f32, kernel.lanes)))
            first, *rest = kernel.b_conversion.ops
            if first.results[0].type != f32:
                wide = b.insert(arith.ExtFOp(wide, vector_type(first.results[0].type, kernel.lanes)))
            return convert(b, Conversion(tuple(rest)), wide)
        lanes = range(step, kernel.lanes * kernel.group, kernel.group)
        return convert(b, kernel.b_conversion, b.shuffle(columns, columns, lanes))

    def _group_at_once(
        self, dot: DotProduct, k: Index, columns: Sequence[SSAValue], carried: Sequence[SSAValue], rest: Index | None
    ) -> list[SSAValue]:
        """Emits the multiplications of a group by an instruction that takes all of its steps."""
        b, kernel = self.b, self.kernel
        mask = None if rest is None else b.mask(rest, kernel.group)
        offset = b.mul(k, self.a_step)
        groups = [b.vector_load(self.a, [b.add(start, offset)], kernel.group, mask) for start in self.a_starts]
        factors = [moved(b, dot, spread(b, group, kernel.lanes)) for group in groups]
        pairs = [(x, c) for x in with_zero_row(b, dot, factors, kernel.lanes) for c in columns]
        return [multiply_add_groups(b, dot, x, c, total) for (x, c), total in zip(pairs, carried, strict=True)]
