"""Register-tiled kernels of contractions: private functions that all contractions of a module share.

`rows` x `vectors` accumulators stay in registers over the whole reduction; they are added to, or become, the tile of
the output. Rows of A are read in place, one scalar per row and step; B comes in vectors. With 8-bit elements four steps
may lie together in B, and be one step of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, func, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    MemRefType,
    ModuleOp,
    StringAttr,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from ....dialects.relax.vocabulary.attributes import NO_INLINE
from ....dialects.relax.vocabulary.symbols import MICRO_KERNEL
from ....targets.cpu import CpuTarget
from .builder import INDEX, Index, LoopBuilder
from .conversion import Conversion
from .dot_product import DotProduct


@dataclass(frozen=True)
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

    @property
    def name(self) -> str:
        kinds = f"{self.a_type}{self.a_conversion.key}.{self.b_type}{self.b_conversion.key}.{self.acc_type}"
        form = "" if self.group == 1 else "vnni." if self.dot is not None else "grouped."
        return f"{MICRO_KERNEL}.{form}{self.rows}x{self.vectors * self.lanes}.{self.lanes}.{kinds}"


def registers_needed(rows: int, vectors: int, split: int = 1) -> int:
    """Accumulators, one row of B, one element of A; `split` registers make one vector."""
    return (rows * vectors + vectors + 1) * split


class KernelLibrary:
    """The kernels of a module, made on demand."""

    def __init__(self, module: ModuleOp, target: CpuTarget):
        self.module = module
        self.target = target
        self.names: set[str] = set()

    def symbol(self, name: str, build: Callable[[], func.FuncOp]) -> str:
        """The name of a kernel's function, which is built and added to the module the first time."""
        if name not in self.names:
            self.names.add(name)
            self.module.body.block.add_op(build())
        return name


def call_kernel(
    b: LoopBuilder,
    library: KernelLibrary,
    kernel: MicroKernel,
    a: tuple[SSAValue, Index, Index, Index],
    panel: tuple[SSAValue, Index, Index],
    c: tuple[SSAValue, Index, Index],
    steps: Index,
    columns: Index,
    first: SSAValue,
) -> None:
    """Multiplies: `a` is (buffer, offset, row step, k step), `panel` (buffer, offset, k step), `c` (buffer, offset, row
    step); `columns` of the tile's columns exist, and `first` says that the tile has no content yet."""
    operands = [a[0], *map(b.value, a[1:]), panel[0], *map(b.value, panel[1:]), c[0], *map(b.value, c[1:])]
    operands += [b.value(steps), b.value(columns), first]
    name = library.symbol(kernel.name, lambda: _build(kernel, kernel.name, library.target))
    b.append(func.CallOp(name, operands, []))


def _build(kernel: MicroKernel, name: str, target: CpuTarget) -> func.FuncOp:
    flat = [MemRefType(t, [DYNAMIC_INDEX]) for t in (kernel.a_type, kernel.b_type, kernel.acc_type)]
    types = [flat[0], INDEX, INDEX, INDEX, flat[1], INDEX, INDEX, flat[2], INDEX, INDEX, INDEX, INDEX, i1]
    entry = Block(arg_types=types)
    a, a_offset, a_row, a_step, panel, b_offset, b_step, c, c_offset, c_row, steps, columns, first = entry.args
    b = LoopBuilder(entry, target)
    lanes = kernel.lanes
    type_ = VectorType(kernel.acc_type, [lanes])
    zero = b.constant(0, type_)
    row_starts = [b.add(a_offset, b.mul(a_row, r)) for r in range(kernel.rows)]
    step = _Step(b, kernel, a, row_starts, a_step, panel, b_offset, b_step)
    initial = [zero] * (step.rows * kernel.vectors)
    full = b.round_down(steps, kernel.group)
    sums = b.loop(0, full, kernel.group, initial, lambda k, carried: step.emit(k, carried, None), no_unroll=True)
    if kernel.group > 1:
        # At most one iteration; the rest of A is zero.
        rest = b.sub(steps, full)
        sums = b.loop(full, steps, kernel.group, sums, lambda k, carried: step.emit(k, carried, rest), no_unroll=True)
    if kernel.dot is not None:
        sums = kernel.dot.without_zero_row(b, sums, kernel.vectors)
    masks = [b.mask(b.sub(columns, v * lanes), lanes) for v in range(kernel.vectors)]

    def write(accumulate: bool) -> None:
        for r in range(kernel.rows):
            start = b.add(c_offset, b.mul(c_row, r))
            for v, mask in enumerate(masks):
                at = [b.add(start, v * lanes)]
                value = sums[r * kernel.vectors + v]
                if accumulate:
                    value = add(b, b.vector_load(c, at, lanes, mask), value)
                b.vector_store(value, c, at, mask)

    b.either(first, lambda: write(False), lambda: write(True))
    entry.add_op(func.ReturnOp())
    function = func.FuncOp(name, (types, []), Region(entry), StringAttr("private"))
    NO_INLINE.set(function)
    return function


class _Step:
    """One step of the reduction, or a group of them."""

    def __init__(
        self,
        b: LoopBuilder,
        kernel: MicroKernel,
        a: SSAValue,
        row_starts: Sequence[Index],
        a_step: SSAValue,
        panel: SSAValue,
        b_offset: SSAValue,
        b_step: SSAValue,
    ):
        self.b = b
        self.kernel = kernel
        self.a, self.row_starts, self.a_step = a, row_starts, a_step
        self.panel, self.b_offset, self.b_step = panel, b_offset, b_step

    @property
    def rows(self) -> int:
        """The rows of sums; the last may be that of zeros in A."""
        dot = self.kernel.dot
        return self.kernel.rows if dot is None else dot.rows_of_sums(self.kernel.rows)

    def emit(self, k: Index, carried: Sequence[SSAValue], rest: Index | None) -> list[SSAValue]:
        """The sums after step `k`, or after the group from there on, of which `rest` steps exist (None: all)."""
        b, kernel = self.b, self.kernel
        at = b.add(self.b_offset, b.mul(k, self.b_step))
        width = kernel.lanes * kernel.group
        columns = [b.vector_load(self.panel, [b.add(at, v * width)], width) for v in range(kernel.vectors)]
        if kernel.dot is not None:
            return self._dot(kernel.dot, k, columns, carried, rest)
        sums = list(carried)
        for s in range(kernel.group):
            lanes = range(s, width, kernel.group)
            picked = columns if kernel.group == 1 else [b.shuffle(c, c, lanes) for c in columns]
            factors = [kernel.b_conversion.emit(b, c) for c in picked]
            offset = b.mul(b.add(k, s), self.a_step)
            mask = None if rest is None else b.mask(b.sub(rest, s), 1)
            for r, start in enumerate(self.row_starts):
                place = [b.add(start, offset)]
                # A step that does not exist multiplies by zero.
                element = b.load(self.a, place) if mask is None else b.extract(b.vector_load(self.a, place, 1, mask), 0)
                spread = b.splat(kernel.a_conversion.emit(b, element), kernel.lanes)
                for v, factor in enumerate(factors, r * kernel.vectors):
                    sums[v] = multiply_add(b, spread, factor, sums[v])
        return sums

    def _dot(
        self,
        dot: DotProduct,
        k: Index,
        columns: Sequence[SSAValue],
        carried: Sequence[SSAValue],
        rest: Index | None,
    ) -> list[SSAValue]:
        b, kernel = self.b, self.kernel
        mask = None if rest is None else b.mask(rest, kernel.group)
        groups = [b.vector_load(self.a, [b.add(start, k)], kernel.group, mask) for start in self.row_starts]
        factors = [dot.moved(b, dot.spread(b, group, kernel.lanes)) for group in groups]
        pairs = [(x, c) for x in dot.with_zero_row(b, factors, kernel.lanes) for c in columns]
        return [dot.multiply_add(b, x, c, total) for (x, c), total in zip(pairs, carried, strict=True)]


def multiply_add(b: LoopBuilder, x: SSAValue, y: SSAValue, acc: SSAValue) -> SSAValue:
    """`x * y + acc` on vectors, rounded once where floats are."""
    if isinstance(cast(VectorType, acc.type).element_type, AnyFloat):
        return b.insert(vector.FMAOp(x, y, acc))
    return b.insert(arith.AddiOp(b.insert(arith.MuliOp(x, y)), acc))


def add(b: LoopBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """The sum of two vectors, or of two scalars."""
    element = x.type.element_type if isinstance(x.type, VectorType) else x.type
    is_float = isinstance(element, AnyFloat)
    return b.insert(arith.AddfOp(x, y) if is_float else arith.AddiOp(x, y))


__all__ = ["KernelLibrary", "MicroKernel", "call_kernel", "registers_needed"]
