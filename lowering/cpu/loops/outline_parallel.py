"""The pass `outline-parallel`: the body of each parallel loop becomes a function over a range of iterations.

Before: `scf.parallel` without reductions. After: `func.call @f.parallel(%c0, %total, captures)` marked
`relax.parallel = threads`, of a private function that runs the iterations `[begin, end)` of the flattened loop one
after the other. Without the mark the call means the whole loop, so the module is valid and serial as it stands;
`convert-to-llvm` splits marked calls among threads. The attribute `relax.iterations_per_thread` of a loop goes to its call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from ....dialects.relax.vocabulary.attributes import ITERATIONS_PER_THREAD, MAY_ALIAS, PARALLEL
from ....dialects.relax.vocabulary.symbols import PARALLEL_BODY, SymbolNames
from ....dialects.upstream.op_error import OpError

# Views are rebuilt inside the body: what crosses is the buffer, so that buffers stay distinct pointers.
_SUNK = (
    memref.ViewOp,
    memref.SubviewOp,
    memref.CastOp,
    memref.ReinterpretCastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.GetGlobalOp,
    memref.AssumeAlignmentOp,
    arith.ConstantOp,
)
_INDEX = IndexType()


@dataclass(frozen=True)
class OutlineParallelPass(ModulePass):
    """Outlines parallel loops. `threads`: 0 lets the OpenMP runtime decide at run time, 1 makes plain loops.

    A parallel loop inside another one, and one that has a single iteration, becomes plain loops as well.
    """

    name = "outline-parallel"

    threads: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.threads < 0:
            raise PassFailedException(f"outline-parallel: threads is {self.threads}, want 0 or more")
        symbols = SymbolNames(op)
        for function in list(op.body.block.ops):
            if not isinstance(function, func.FuncOp) or not function.body.blocks:
                continue
            for loop in list(_outermost(function.body)):
                for inner in reversed(list(_outermost_all(loop.body))):
                    _serialize(inner)
                if self.threads == 1 or _single(loop):
                    _serialize(loop)
                else:
                    name = symbols.fresh(PARALLEL_BODY.format(function.sym_name.data))
                    op.body.block.insert_op_after(_outline(loop, name, self.threads), function)


def _outermost(region: Region) -> Iterator[scf.ParallelOp]:
    for block in region.blocks:
        for op in block.ops:
            if isinstance(op, scf.ParallelOp):
                yield op
            else:
                for inner in op.regions:
                    yield from _outermost(inner)


def _outermost_all(region: Region) -> Iterator[scf.ParallelOp]:
    """Returns all parallel loops below a region, outer ones first."""
    for loop in _outermost(region):
        yield loop
        yield from _outermost_all(loop.body)


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def _single(loop: scf.ParallelOp) -> bool:
    """Returns whether the loop is known to have at most one iteration."""
    total = 1
    for lower, upper, step in zip(loop.lowerBound, loop.upperBound, loop.step, strict=True):
        low, high, stride = _constant(lower), _constant(upper), _constant(step)
        if low is None or high is None or not stride:
            return False
        total *= max(0, -((low - high) // stride))
    return total <= 1


def _check(loop: scf.ParallelOp) -> None:
    if loop.initVals or loop.results:
        raise OpError(loop, "outline-parallel: scf.parallel with a reduction; use a loop with carried values")


def _serialize(loop: scf.ParallelOp) -> None:
    """Replaces a parallel loop by nested loops."""
    _check(loop)
    body = loop.body.block
    _drop_terminator(body)
    nest: list[tuple[SSAValue, SSAValue, SSAValue]] = list(
        zip(loop.lowerBound, loop.upperBound, loop.step, strict=True)
    )
    point = InsertPoint.before(loop)
    induction: list[SSAValue] = []
    for lower, upper, step in nest:
        block = Block(arg_types=(_INDEX,))
        nested = scf.ForOp(lower, upper, step, [], Region(block))
        Rewriter.insert_op(nested, point)
        end = scf.YieldOp()
        block.add_op(end)
        point = InsertPoint.before(end)
        induction.append(block.args[0])
    Rewriter.inline_block(body, point, induction)
    Rewriter.erase_op(loop)


def _drop_terminator(body: Block) -> None:
    terminator = body.last_op
    if isinstance(terminator, scf.ReduceOp):
        if terminator.args:
            raise OpError(terminator, "outline-parallel: scf.parallel with a reduction; use a loop with carried values")
        Rewriter.erase_op(terminator)
    elif isinstance(terminator, scf.YieldOp):
        Rewriter.erase_op(terminator)


def _captures(loop: scf.ParallelOp, extra: Sequence[SSAValue]) -> tuple[list[SSAValue], list[Operation]]:
    """Returns the values that the body takes from outside, and the operations to repeat inside it, in order."""
    inside: set[SSAValue] = set()
    captured: dict[SSAValue, None] = {}
    sunk: dict[Operation, None] = {}

    def need(value: SSAValue) -> None:
        owner = value.owner
        if isinstance(owner, Operation) and isinstance(owner, _SUNK):
            if owner in sunk:
                return
            for operand in owner.operands:
                need(operand)
            sunk[owner] = None
        else:
            captured[value] = None

    for value in extra:
        need(value)
    for op in loop.body.walk():
        inside.update(op.results)
        for region in op.regions:
            for block in region.blocks:
                inside.update(block.args)
    inside.update(loop.body.block.args)
    for op in loop.body.walk():
        for operand in op.operands:
            if operand not in inside:
                need(operand)
    return list(captured), list(sunk)


def _trip_counts(loop: scf.ParallelOp) -> tuple[list[Operation], list[SSAValue]]:
    """Iterations per dim, never negative, before the loop."""
    ops: list[Operation] = []

    def emit(op: Operation) -> SSAValue:
        ops.append(op)
        return op.results[0]

    counts: list[SSAValue] = []
    for lower, upper, step in zip(loop.lowerBound, loop.upperBound, loop.step, strict=True):
        low, high, stride = _constant(lower), _constant(upper), _constant(step)
        if low is not None and high is not None and stride:
            counts.append(emit(arith.ConstantOp(IntegerAttr(max(0, -((low - high) // stride)), _INDEX))))
            continue
        length = upper if low == 0 else emit(arith.SubiOp(upper, lower, _INDEX))
        count = length if stride == 1 else emit(arith.CeilDivSIOp(length, step, _INDEX))
        zero = emit(arith.ConstantOp(IntegerAttr(0, _INDEX)))
        counts.append(emit(arith.MaxSIOp(count, zero, _INDEX)))
    return ops, counts


def _outline(loop: scf.ParallelOp, name: str, threads: int) -> func.FuncOp:
    """Replaces a parallel loop by a marked call, and returns the function called."""
    _check(loop)
    body = loop.body.block
    _drop_terminator(body)
    ops, counts = _trip_counts(loop)
    zero = arith.ConstantOp(IntegerAttr(0, _INDEX))
    ops.append(zero)
    total = counts[0]
    for count in counts[1:]:
        product = arith.MuliOp(total, count, _INDEX)
        ops.append(product)
        total = product.result
    Rewriter.insert_op(ops, InsertPoint.before(loop))
    bounds = [*loop.lowerBound, *loop.step, *counts[1:]]
    captured, sunk = _captures(loop, bounds)

    entry = Block(arg_types=[_INDEX, _INDEX, *(v.type for v in captured)])
    mapping: dict[SSAValue, SSAValue] = dict(zip(captured, entry.args[2:], strict=True))
    for op in sunk:
        entry.add_op(op.clone(mapping))
    inner = Block(arg_types=(_INDEX,))
    step_size = arith.ConstantOp(IntegerAttr(1, _INDEX))
    entry.add_op(step_size)
    flat: SSAValue = inner.args[0]
    indices: list[SSAValue] = []
    for position in reversed(range(len(counts))):
        if position == 0:
            index = flat
        else:
            size = mapping.get(counts[position], counts[position])
            remainder = arith.RemUIOp(flat, size, _INDEX)
            quotient = arith.DivUIOp(flat, size, _INDEX)
            inner.add_ops((remainder, quotient))
            index, flat = remainder.result, quotient.result
        indices.append(index)
    induction: list[SSAValue] = []
    for index, lower, step in zip(reversed(indices), loop.lowerBound, loop.step, strict=True):
        scaled = arith.MuliOp(index, mapping.get(step, step), _INDEX)
        shifted = arith.AddiOp(scaled, mapping.get(lower, lower), _INDEX)
        inner.add_ops((scaled, shifted))
        induction.append(shifted.result)
    for source, target in mapping.items():
        source.replace_uses_with_if(target, lambda use: loop.body.block.is_ancestor(use.operation))
    end = scf.YieldOp()
    inner.add_op(end)
    Rewriter.inline_block(body, InsertPoint.before(end), induction)
    entry.add_op(scf.ForOp(entry.args[0], entry.args[1], step_size, [], Region(inner)))
    entry.add_op(func.ReturnOp())

    call = func.CallOp.create(
        operands=[zero.result, total, *captured],
        properties={"callee": SymbolRefAttr(name)},
        attributes=PARALLEL.entry(threads),
    )
    share = ITERATIONS_PER_THREAD.of(loop)
    if share is not None:
        ITERATIONS_PER_THREAD.set(call, share)
    Rewriter.replace_op(loop, call, [])
    function = func.FuncOp(name, ([a.type for a in entry.args], []), Region(entry), StringAttr("private"))
    attributes = [DictionaryAttr({}), DictionaryAttr({})]
    for value in captured:
        alias = isinstance(value.type, MemRefType) and _may_alias(value)
        attributes.append(DictionaryAttr(MAY_ALIAS.entry() if alias else {}))
    if any(a.data for a in attributes):
        function.arg_attrs = ArrayAttr(attributes)
    return function


def _may_alias(value: SSAValue) -> bool:
    """Returns whether a captured buffer is an argument that may overlap another one."""
    owner = value.owner
    if not isinstance(owner, Block):
        return not isinstance(owner, memref.AllocaOp)
    parent = owner.parent_op()
    if not isinstance(parent, func.FuncOp) or parent.arg_attrs is None:
        return False
    attrs = parent.arg_attrs.data[cast("int", getattr(value, "index"))]
    return MAY_ALIAS.is_on(attrs)
