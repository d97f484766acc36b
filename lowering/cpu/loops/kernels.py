"""Private functions that all contractions of a module share, made on demand, and the arithmetic inside them.

func.func private @relax.contract.6x64...(%a: memref<?xf32>, offset, row step, step, %b: memref<?xf32>, offset, step,
                                          %c: memref<?xf32>, offset, row step, %steps, %columns, %first: i1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, cast

from xdsl.dialects import arith, func, vector
from xdsl.dialects.builtin import AnyFloat, ModuleOp, StringAttr, SymbolRefAttr, VectorType
from xdsl.ir import Attribute, Block, Region, SSAValue

from ....dialects.new_op import new_op
from ....dialects.relax.vocabulary.attributes import NO_INLINE
from ....dialects.relax.vocabulary.symbols import SymbolNames
from ....records import record
from ...emit.constructors import binary, call
from ...emit.emitter import Index
from ..schedule.contraction import Conversion
from .builder import LoopBuilder


class Kernel(Protocol):
    """What a kernel is compiled for; equal kernels have equal names."""

    @property
    def name(self) -> str: ...
    @property
    def a_type(self) -> Attribute: ...
    @property
    def b_type(self) -> Attribute: ...
    @property
    def acc_type(self) -> Attribute: ...


@record
class KernelOperands:
    """What a call of a kernel passes: element `offset + row * row_step + step * step_size` of a buffer and so on."""

    a: tuple[SSAValue, Index, Index, Index]
    """Buffer, offset, distance of rows, distance of steps."""
    b: tuple[SSAValue, Index, Index]
    """Buffer, offset, distance of steps (or of columns, where B is contiguous along the reduction)."""
    c: tuple[SSAValue, Index, Index]
    """Buffer, offset, distance of rows."""
    steps: Index
    columns: Index
    first: SSAValue
    """Whether the output has no content yet."""
    parts: tuple[Index, ...] = ()
    """The distances in A of the steps of the loops around panels that the kernel has, outermost first."""
    part: Index = 0
    """The distance in B from one panel to the next, for these loops."""
    fetched: tuple[SSAValue, Index, Index] | None = None
    """What the kernel fetches for later, if it fetches anything: buffer, offset, distance of what two iterations fetch."""
    copied: tuple[SSAValue, Index, Index] | None = None
    """Where the kernel copies what it reads of B to, if it does: buffer, offset, distance of steps."""
    terms: tuple[SSAValue, Index, SSAValue] | None = None
    """Where what belongs to each row alone is, and what belongs to each column, if sums of bytes are multiplied: buffer, offset, buffer."""


class KernelLibrary:
    """The kernels of a module."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self._symbols = SymbolNames(module)
        self._made: dict[str, str] = {}

    def call(
        self,
        b: LoopBuilder,
        kernel: Kernel,
        operands: KernelOperands,
        write_body: Callable[[LoopBuilder, Sequence[SSAValue]], None],
    ) -> None:
        """Emits the call of a kernel; its function is added to the module the first time."""
        o = operands
        values: list[SSAValue] = []
        for buffer, *rest in (o.a, o.b, o.c):
            values += [buffer, *map(b.as_index, rest)]
        values += [b.as_index(o.steps), b.as_index(o.columns), o.first]
        values += [b.as_index(each) for each in ((*o.parts, o.part) if o.parts else ())]
        for buffer, *rest in (each for each in (o.copied, o.fetched) if each is not None):
            values += [buffer, *map(b.as_index, rest)]
        if o.terms is not None:
            rows, offset, columns = o.terms
            values += [rows, b.as_index(offset), columns]
        self.call_function(b, kernel.name, values, write_body)

    def call_function(
        self,
        b: LoopBuilder,
        name: str,
        values: Sequence[SSAValue],
        write_body: Callable[[LoopBuilder, Sequence[SSAValue]], None],
    ) -> None:
        """Emits the call of a function that equal names share; it is added to the module the first time."""
        if name not in self._made:
            self._made[name] = self._symbols.fresh(name)
            types = [value.type for value in values]
            self.module.body.block.add_op(_function(types, self._made[name], write_body))
        b.append(call(SymbolRefAttr(self._made[name]), values, ()))


def _function(
    types: Sequence[Attribute], name: str, write_body: Callable[[LoopBuilder, Sequence[SSAValue]], None]
) -> func.FuncOp:
    entry = Block(arg_types=types)
    write_body(LoopBuilder(entry), entry.args)
    entry.add_op(func.ReturnOp())
    function = func.FuncOp(name, (types, []), Region(entry), StringAttr("private"))
    NO_INLINE.set(function)
    return function


def type_key(kernel: Kernel, a: Conversion, b: Conversion) -> str:
    """Returns the part of a kernel's name that tells its element types and their conversions."""
    return f"{kernel.a_type}{a.key}.{kernel.b_type}{b.key}.{kernel.acc_type}"


def multiply_add(b: LoopBuilder, x: SSAValue, y: SSAValue, acc: SSAValue) -> SSAValue:
    """Emits `x * y + acc` on vectors, rounded once where floats are."""
    if isinstance(cast(VectorType, acc.type).element_type, AnyFloat):
        return b.insert(new_op(vector.FMAOp, operands=[x, y, acc], result_types=[acc.type]))
    return b.insert(arith.AddiOp(b.insert(arith.MuliOp(x, y)), acc))


def add(b: LoopBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """Emits the sum of two vectors, or of two scalars."""
    element = x.type.element_type if isinstance(x.type, VectorType) else x.type
    is_float = isinstance(element, AnyFloat)
    return b.insert(binary(arith.AddfOp if is_float else arith.AddiOp, x, y))
