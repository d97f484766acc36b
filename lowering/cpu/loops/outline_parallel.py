"""The pass `outline-parallel`: the body of each parallel loop becomes a function over a range of iterations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.relax.function_signature import attribute_array
from ....dialects.relax.vocabulary.attributes import ITERATIONS_PER_THREAD, MAY_ALIAS, PARALLEL
from ....dialects.relax.vocabulary.symbols import PARALLEL_BODY, SymbolNames
from ....dialects.upstream.op_error import OpError
from ....kinds import kind_test
from ....passes.options import PassWithOptions, within
from ...emit.constructors import INDEX, constant
from ...emit.op_builder import OpBuilder, Values
from ...sizes.op_sizes import VIEWS, constant_index

# Views are rebuilt inside the body: what crosses is the buffer, so that buffers stay distinct pointers.
_SUNK = (
    *VIEWS,
    memref.GetGlobalOp,
    memref.AssumeAlignmentOp,
    arith.ConstantOp,
)


@dataclass(frozen=True)
class OutlineParallelPass(PassWithOptions):
    """Outlines parallel loops. `threads`: 0 lets the OpenMP runtime decide at run time, 1 makes plain loops.

    ```mlir
    func.func @f(%x: memref<?xf32>, %n: index) {
      scf.parallel (%i) = (%c0) to (%n) step (%c1) { body of %i and %x }
    ```
    becomes
    ```mlir
    func.func @f(%x: memref<?xf32>, %n: index) {
      func.call @f.parallel(%c0, %n, %x) {relax.parallel = 0 : i64}
    func.func private @f.parallel(%begin: index, %end: index, %x: memref<?xf32>) {
      scf.for %i = %begin to %end step %c1 { body of %i and %x }
    ```

    Before: `scf.parallel` without reductions. After: calls marked `relax.parallel = threads`, each of a private function that runs
    iterations of the flattened loop one after the other. Without the mark a call means the whole loop, so that the module is valid and
    serial as it stands; `convert-to-llvm` splits marked calls among threads. The attribute `relax.iterations_per_thread` of a loop goes
    to its call.

    A parallel loop inside another one, and one that has a single iteration, becomes plain loops as well.
    """

    name = "outline-parallel"

    threads: int = within(0, 0, 4096)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
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


_is_parallel = kind_test(scf.ParallelOp)


def _outermost(region: Region) -> Iterator[scf.ParallelOp]:
    for block in region.blocks:
        for op in block.ops:
            if _is_parallel(op):
                yield op
            else:
                for inner in op.regions:
                    yield from _outermost(inner)


def _outermost_all(region: Region) -> Iterator[scf.ParallelOp]:
    """Returns all parallel loops below a region, outer ones first."""
    for loop in _outermost(region):
        yield loop
        yield from _outermost_all(loop.body)


def _single(loop: scf.ParallelOp) -> bool:
    """Returns whether the loop is known to have at most one iteration."""
    total = 1
    for lower, upper, step in zip(loop.lowerBound, loop.upperBound, loop.step, strict=True):
        low, high, stride = constant_index(lower), constant_index(upper), constant_index(step)
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
        block = Block(arg_types=(INDEX,))
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


def _trip_counts(loop: scf.ParallelOp, b: OpBuilder) -> list[SSAValue]:
    """Returns the iterations of each dim, never negative."""
    counts: list[SSAValue] = []
    for lower, upper, step in zip(loop.lowerBound, loop.upperBound, loop.step, strict=True):
        low, high, stride = constant_index(lower), constant_index(upper), constant_index(step)
        if low is not None and high is not None and stride:
            counts.append(b.insert(constant(max(0, -((low - high) // stride)))))
            continue
        length = upper if low == 0 else b.insert(arith.SubiOp(upper, lower))
        count = length if stride == 1 else b.insert(arith.CeilDivSIOp(length, step))
        counts.append(b.insert(arith.MaxSIOp(count, b.insert(constant(0)))))
    return counts


def _outline(loop: scf.ParallelOp, name: str, threads: int) -> func.FuncOp:
    """Replaces a parallel loop by a marked call, and returns the function called."""
    _check(loop)
    _drop_terminator(loop.body.block)
    b = OpBuilder(InsertPoint.before(loop))
    counts = _trip_counts(loop, b)
    zero = b.insert(constant(0))
    total = reduce(lambda product, count: b.insert(arith.MuliOp(product, count)), counts)
    captured, sunk = _captures(loop, [*loop.lowerBound, *loop.step, *counts[1:]])
    entry = _range_body(loop, counts, captured, sunk)
    call = func.CallOp.create(
        operands=[zero, total, *captured],
        properties={"callee": SymbolRefAttr(name)},
        attributes=PARALLEL.entry(threads),
    )
    share = ITERATIONS_PER_THREAD.of(loop)
    if share is not None:
        ITERATIONS_PER_THREAD.set(call, share)
    call.location = loop.location
    Rewriter.replace_op(loop, call, [])
    function = func.FuncOp(name, ([a.type for a in entry.args], []), Region(entry), StringAttr("private"))
    marks = [MAY_ALIAS.entry() if isinstance(v.type, MemRefType) and _may_alias(v) else {} for v in captured]
    function.arg_attrs = attribute_array([{}, {}, *marks])
    return function


def _range_body(
    loop: scf.ParallelOp, counts: Sequence[SSAValue], captured: Sequence[SSAValue], sunk: Sequence[Operation]
) -> Block:
    """Returns the body of a function that runs the iterations from its first argument to its second, counted row by row."""
    entry = Block(arg_types=[INDEX, INDEX, *(v.type for v in captured)])
    mapping: dict[SSAValue, SSAValue] = dict(zip(captured, entry.args[2:], strict=True))
    b = OpBuilder(InsertPoint.at_end(entry))
    for op in sunk:
        b.insert_op(op.clone(mapping))

    def run(inner: OpBuilder, flat: SSAValue, _: Values) -> Values:
        block = flat.owner
        assert isinstance(block, Block)
        indices: list[SSAValue] = []
        for count in reversed(counts[1:]):
            size = mapping.get(count, count)
            indices.append(inner.insert(arith.RemUIOp(flat, size)))
            flat = inner.insert(arith.DivUIOp(flat, size))
        induction = [
            inner.insert(
                arith.AddiOp(inner.insert(arith.MuliOp(index, mapping.get(step, step))), mapping.get(lower, lower))
            )
            for index, lower, step in zip([flat, *reversed(indices)], loop.lowerBound, loop.step, strict=True)
        ]
        for source, target in mapping.items():
            source.replace_uses_with_if(target, lambda use: loop.body.block.is_ancestor(use.operation))
        Rewriter.inline_block(loop.body.block, InsertPoint.at_end(block), induction)
        return ()

    b.for_range(entry.args[0], entry.args[1], [], run)
    b.insert_op(func.ReturnOp())
    return entry


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
