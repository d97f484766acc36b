"""Register-tiled kernels of contractions: private functions that all contractions of a module share.

`rows` x `vectors` accumulators stay in registers over the whole reduction; they are added to, or become, the tile of
the output. Rows of A are read in place, one scalar per row and step; B comes in vectors.
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
    UnitAttr,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from .builder import INDEX, Index, LoopBuilder

NO_INLINE = "relax.no_inline"
TARGET_REGISTERS = {512: 32}
"""Vector registers by their width; 16 for what is not listed."""


@dataclass(frozen=True)
class Conversion:
    """What happens to an operand before it is multiplied: operations with one operand each, first to last."""

    ops: tuple[Operation, ...]

    @property
    def key(self) -> str:
        return "".join(f".{op.name.rpartition('.')[2]}.{op.results[0].type}" for op in self.ops)

    def emit(self, b: LoopBuilder, value: SSAValue) -> SSAValue:
        """Applies the operations to a scalar or to lanes."""
        for op in self.ops:
            type_ = op.results[0].type
            if isinstance(value.type, VectorType):
                type_ = VectorType(type_, value.type.get_shape())
            value = b.insert(
                type(op).create(
                    operands=[value],
                    result_types=[type_],
                    properties=dict(op.properties),
                    attributes=dict(op.attributes),
                )
            )
        return value


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

    @property
    def name(self) -> str:
        kinds = f"{self.a_type}{self.a_conversion.key}.{self.b_type}{self.b_conversion.key}.{self.acc_type}"
        return f"relax.contract.{self.rows}x{self.vectors * self.lanes}.{self.lanes}.{kinds}"


def registers_needed(rows: int, vectors: int, split: int = 1) -> int:
    """Accumulators, one row of B, one element of A; `split` registers make one vector."""
    return (rows * vectors + vectors + 1) * split


class KernelLibrary:
    """The kernels of a module, made on demand."""

    def __init__(self, module: ModuleOp, vector_bits: int):
        self.module = module
        self.vector_bits = vector_bits
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
    name = library.symbol(kernel.name, lambda: _build(kernel, kernel.name, library.vector_bits))
    b.append(func.CallOp(name, operands, []))


def _build(kernel: MicroKernel, name: str, vector_bits: int) -> func.FuncOp:
    flat = [MemRefType(t, [DYNAMIC_INDEX]) for t in (kernel.a_type, kernel.b_type, kernel.acc_type)]
    types = [flat[0], INDEX, INDEX, INDEX, flat[1], INDEX, INDEX, flat[2], INDEX, INDEX, INDEX, INDEX, i1]
    entry = Block(arg_types=types)
    a, a_offset, a_row, a_step, panel, b_offset, b_step, c, c_offset, c_row, steps, columns, first = entry.args
    b = LoopBuilder(entry, vector_bits)
    lanes = kernel.lanes
    type_ = VectorType(kernel.acc_type, [lanes])
    zero = b.constant(0, type_)
    row_starts = [b.add(a_offset, b.mul(a_row, r)) for r in range(kernel.rows)]

    def step(k: Index, carried: Sequence[SSAValue]) -> list[SSAValue]:
        at = b.add(b_offset, b.mul(k, b_step))
        columns_of_b = [
            kernel.b_conversion.emit(b, b.vector_load(panel, [b.add(at, v * lanes)], lanes))
            for v in range(kernel.vectors)
        ]
        offset = b.mul(k, a_step)
        results: list[SSAValue] = []
        for r, start in enumerate(row_starts):
            scalar = kernel.a_conversion.emit(b, b.load(a, [b.add(start, offset)]))
            spread = b.splat(scalar, lanes)
            for v, column in enumerate(columns_of_b):
                results.append(multiply_add(b, spread, column, carried[r * kernel.vectors + v]))
        return results

    sums = b.loop(0, steps, 1, [zero] * (kernel.rows * kernel.vectors), step, no_unroll=True)
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
    function.attributes[NO_INLINE] = UnitAttr()
    return function


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


__all__ = ["Conversion", "KernelLibrary", "MicroKernel", "call_kernel", "registers_needed"]
