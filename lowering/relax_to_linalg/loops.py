"""Loops and branches over tensors as carried values, for sequential algorithms and accesses that are not affine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from .builder import LinalgBuilder, Size, element
from .op_builder import OpBuilder

Values: TypeAlias = Sequence[SSAValue]


def block_builder(block: Block) -> OpBuilder:
    """Returns a builder at the end of a block."""
    return OpBuilder(InsertPoint.at_end(block))


def as_index(b: OpBuilder, size: Size) -> SSAValue:
    """Returns a size as an `index` value."""
    return b.index(size) if isinstance(size, int) else size


def for_range(
    b: OpBuilder,
    lower: Size,
    upper: Size,
    initial: Values,
    body: Callable[[OpBuilder, SSAValue, Values], Values],
    step: Size = 1,
) -> Values:
    """Inserts an `scf.for`; `body` gets the index and the carried values and returns the next ones."""
    block = Block(arg_types=[IndexType(), *(value.type for value in initial)])
    inner = block_builder(block)
    inner.insert_op(scf.YieldOp(*body(inner, block.args[0], block.args[1:])))
    return b.insert_op(scf.ForOp(as_index(b, lower), as_index(b, upper), as_index(b, step), initial, Region(block)))


def for_each(
    b: OpBuilder, sizes: Sequence[Size], initial: Values, body: Callable[[OpBuilder, list[SSAValue], Values], Values]
) -> Values:
    """Inserts one loop for each size, nested, in row-major order."""

    def nest(b: OpBuilder, outer: list[SSAValue], carried: Values) -> Values:
        if len(outer) == len(sizes):
            return body(b, outer, carried)
        return for_range(
            b, 0, sizes[len(outer)], carried, lambda inner, index, values: nest(inner, [*outer, index], values)
        )

    return nest(b, [], initial)


def while_loop(
    b: OpBuilder,
    initial: Values,
    condition: Callable[[OpBuilder, Values], SSAValue],
    body: Callable[[OpBuilder, Values], Values],
) -> Values:
    """Inserts an `scf.while` whose carried values keep their types."""
    types = [value.type for value in initial]
    before, after = Block(arg_types=types), Block(arg_types=types)
    test, step = block_builder(before), block_builder(after)
    test.insert_op(scf.ConditionOp(condition(test, before.args), *before.args))
    step.insert_op(scf.YieldOp(*body(step, after.args)))
    return b.insert_op(scf.WhileOp(initial, types, Region(before), Region(after)))


def if_else(
    b: LinalgBuilder,
    condition: SSAValue,
    then: Callable[[LinalgBuilder], SSAValue],
    otherwise: Callable[[LinalgBuilder], SSAValue],
) -> SSAValue:
    """Inserts an `scf.if` with one result."""
    regions: list[Region] = []
    values: list[SSAValue] = []
    for branch in (then, otherwise):
        block = Block()
        inner = LinalgBuilder(InsertPoint.at_end(block), b.symbols, b.ranges)
        values.append(branch(inner))
        inner.insert_op(scf.YieldOp(values[-1]))
        regions.append(Region(block))
    return b.insert(scf.IfOp(condition, [values[0].type], regions[0], regions[1]))


def extract(b: OpBuilder, source: SSAValue, indices: Sequence[Size]) -> SSAValue:
    """Reads an element of a tensor."""
    return b.insert(tensor.ExtractOp(source, [as_index(b, index) for index in indices], element(source)))


def insert(b: OpBuilder, scalar: SSAValue, destination: SSAValue, indices: Sequence[Size]) -> SSAValue:
    """Writes an element of a tensor."""
    return b.insert(tensor.InsertOp(scalar, destination, [as_index(b, index) for index in indices]))


def add(b: OpBuilder, x: Size, y: Size) -> Size:
    """Returns `x + y`."""
    if isinstance(x, int) and isinstance(y, int):
        return x + y
    if x == 0 or y == 0:
        return y if x == 0 else x
    return b.insert(arith.AddiOp(as_index(b, x), as_index(b, y)))


def sub(b: OpBuilder, x: Size, y: Size) -> Size:
    """Returns `x - y`."""
    if isinstance(x, int) and isinstance(y, int):
        return x - y
    return x if y == 0 else b.insert(arith.SubiOp(as_index(b, x), as_index(b, y)))


def mul(b: OpBuilder, x: Size, y: Size) -> Size:
    """Returns `x * y`."""
    if isinstance(x, int) and isinstance(y, int):
        return x * y
    if x == 1 or y == 1:
        return y if x == 1 else x
    return b.insert(arith.MuliOp(as_index(b, x), as_index(b, y)))


def product(b: OpBuilder, sizes: Sequence[Size]) -> Size:
    """Returns the product of sizes."""
    total: Size = 1
    for size in sizes:
        total = mul(b, total, size)
    return total


def minimum(b: OpBuilder, x: Size, y: Size) -> SSAValue:
    """Returns the smaller of two `index` values, compared as signed."""
    return b.insert(arith.MinSIOp(as_index(b, x), as_index(b, y)))


def maximum(b: OpBuilder, x: Size, y: Size) -> SSAValue:
    """Returns the larger of two `index` values, compared as signed."""
    return b.insert(arith.MaxSIOp(as_index(b, x), as_index(b, y)))


def less(b: OpBuilder, x: Size, y: Size) -> SSAValue:
    """Returns whether `x < y`, compared as signed."""
    return b.insert(arith.CmpiOp(as_index(b, x), as_index(b, y), "slt"))


def both(b: OpBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """Returns the conjunction of two i1."""
    return b.insert(arith.AndIOp(x, y))


def either(b: OpBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """Returns the disjunction of two i1."""
    return b.insert(arith.OrIOp(x, y))


def select(b: OpBuilder, condition: SSAValue, x: Size, y: Size) -> SSAValue:
    """Returns `x` where the condition holds, else `y`, as `index`."""
    return b.insert(arith.SelectOp(condition, as_index(b, x), as_index(b, y)))


def nonempty(
    b: LinalgBuilder,
    needed: Sequence[Size],
    sizes: Sequence[Size],
    element_type: Attribute,
    compute: Callable[[LinalgBuilder], SSAValue],
    otherwise: float = 0,
) -> SSAValue:
    """Returns a tensor that is computed by reading others, `otherwise` everywhere if one of the sizes that are `needed` is 0."""
    if 0 in [size for size in needed if isinstance(size, int)]:
        return b.filled(otherwise, element_type, sizes)
    unknown = [size for size in needed if not isinstance(size, int)]
    if not unknown:
        return compute(b)
    condition = less(b, 0, unknown[0])
    for size in unknown[1:]:
        condition = both(b, condition, less(b, 0, size))
    return if_else(b, condition, compute, lambda inner: inner.filled(otherwise, element_type, sizes))


def true(b: OpBuilder) -> SSAValue:
    """Returns the i1 that holds."""
    return b.constant(True, i1)
