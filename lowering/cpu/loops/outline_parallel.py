"""The pass `outline-parallel`: parallel loops become functions over ranges of iterations, those that may run side by side one function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

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
from ....dialects.upstream.positions import fused
from ....dialects.walks import ops_inside, walk_values
from ....kinds import kind_test
from ....passes.options import PassWithOptions, within
from ...buffers.apart import computes, is_may_alias
from ...emit.constructors import INDEX, constant
from ...emit.op_builder import OpBuilder, Values
from ...sizes.op_sizes import VIEWS, constant_index
from .independence import Effects, effects_of

# Views are rebuilt inside the body: what crosses is the buffer, so that buffers stay distinct pointers.
_SUNK = (
    *VIEWS,
    memref.GetGlobalOp,
    memref.AssumeAlignmentOp,
    arith.ConstantOp,
)


@dataclass(frozen=True)
class OutlineParallelPass(PassWithOptions):
    """Outlines parallel loops.

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

    Loops of one block of which none writes what another one reads or writes become one function with a range for each, so that
    threads start and meet once:
    ```mlir
    scf.parallel (%i) = (%c0) to (%n) step (%c1) { writes %x } {relax.iterations_per_thread = 40}
    scf.parallel (%i) = (%c0) to (%m) step (%c1) { writes %y } {relax.iterations_per_thread = 20}
    ```
    becomes
    ```mlir
    func.call @f.parallel(%c0, %n, %c0, %m, %x, %y) {relax.parallel = 0, relax.iterations_per_thread = array<i64: 40, 20>}
    ```

    Before: `scf.parallel` without reductions. After: calls marked `relax.parallel = threads`, each of a private function that runs
    iterations of flattened loops one after the other. Without the mark a call means the whole loops, so that the module is valid and
    serial as it stands; `convert-to-llvm` splits the ranges of marked calls among threads, each thread a part of every range. The
    attribute `relax.iterations_per_thread` of a loop goes to its call, where it has a number for each range.

    A loop moves up to the first of those that it joins, with what computes its bounds and views, past ops that it is independent of:
    what is known of buffers (`independence.py`) decides. A parallel loop inside another one, and one that has a single iteration,
    becomes plain loops as well.
    """

    name = "outline-parallel"

    threads: int = within(0, 0, 4096)
    """The threads of a call; 0: as many as OpenMP says when the program runs; 1: loops are plain ones."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        symbols = SymbolNames(op)
        for function in list(op.body.block.ops):
            if not isinstance(function, func.FuncOp) or not function.body.blocks:
                continue
            parallel: list[scf.ParallelOp] = []
            for loop in list(_outermost(function.body)):
                for inner in reversed(list(_outermost_all(loop.body))):
                    _serialize(inner)
                if self.threads == 1 or _single(loop):
                    _serialize(loop)
                else:
                    _check(loop)
                    parallel.append(loop)
            for loops in _Joiner().groups(parallel):
                name = symbols.fresh(PARALLEL_BODY.format(function.sym_name.data))
                op.body.block.insert_op_after(_outline(loops, name, self.threads), function)


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
    shares = ITERATIONS_PER_THREAD.of(loop)
    if shares is not None and len(shares) != 1:
        raise OpError(loop, f"outline-parallel: {ITERATIONS_PER_THREAD}: found {len(shares)} numbers, required 1")
    if shares is not None and shares[0] < 1:
        raise OpError(loop, f"outline-parallel: {ITERATIONS_PER_THREAD}: found {shares[0]}, required 1 or more")


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


class _Joiner:
    """Finds loops of a function that may run side by side, and moves them together."""

    def __init__(self):
        self._effects: dict[Operation, Effects | None] = {}

    def groups(self, parallel: Sequence[scf.ParallelOp]) -> list[list[scf.ParallelOp]]:
        """Returns loops in groups that one function runs, each loop moved behind the one before it in its group."""
        groups: list[list[scf.ParallelOp]] = []
        for loop in parallel:
            needed = self._needed_to_join(loop, groups[-1][0]) if groups else None
            if needed is None:
                groups.append([loop])
                continue
            group = groups[-1]
            for op in needed:
                op.detach()
            Rewriter.insert_op(needed, InsertPoint.before(group[0]))
            loop.detach()
            Rewriter.insert_op(loop, InsertPoint.after(group[-1]))
            group.append(loop)
        return groups

    def _needed_to_join(self, loop: scf.ParallelOp, first: scf.ParallelOp) -> list[Operation] | None:
        """Returns what has to stand before an earlier loop, in order, for a loop to run side by side with it; None where it may not."""
        if loop.parent is not first.parent:
            return None
        between: list[Operation] = []
        op = loop.prev_op
        # Backward, as what is near is what a loop most often depends on.
        while op is not None:
            if not computes(op) and not self._are_independent(op, loop):
                return None
            between.append(op)
            op = None if op is first else op.prev_op
        return _computed_by(loop, between[::-1])

    def _are_independent(self, op: Operation, loop: Operation) -> bool:
        effects = self._effects_of(op)
        # Those of the loop only where those of the op are known: in a function that calls kernels they mostly are not.
        others = None if effects is None else self._effects_of(loop)
        return effects is not None and others is not None and effects.are_independent_of(others)

    def _effects_of(self, op: Operation) -> Effects | None:
        if op not in self._effects:
            self._effects[op] = effects_of(op)
        return self._effects[op]


def _computed_by(loop: scf.ParallelOp, ops: Sequence[Operation]) -> list[Operation] | None:
    """Returns those of ops that compute what a loop takes; None where such an op may not move."""
    candidates = set(ops)
    needed: set[Operation] = set()
    pending: list[Operation] = [loop]
    while pending:
        for op in ops_inside(pending.pop()):
            for operand in op.operands:
                owner = operand.owner
                if isinstance(owner, Operation) and owner in candidates and owner not in needed:
                    if not computes(owner):
                        return None
                    needed.add(owner)
                    pending.append(owner)
    return [op for op in ops if op in needed]


def _captures(loops: Sequence[scf.ParallelOp], extra: Sequence[SSAValue]) -> tuple[list[SSAValue], list[Operation]]:
    """Returns the values that bodies take from outside, and the operations to repeat inside the function, in order."""
    inside = {value for loop in loops for value in walk_values(loop)}
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
    for loop in loops:
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


def _outline(loops: Sequence[scf.ParallelOp], name: str, threads: int) -> func.FuncOp:
    """Replaces parallel loops, one behind the other, by a marked call, and returns the function called."""
    b = OpBuilder(InsertPoint.before(loops[0]))
    counts = [_trip_counts(loop, b) for loop in loops]
    zero = b.insert(constant(0))
    bounds: list[SSAValue] = []
    sizes: list[SSAValue] = []
    for loop, lengths in zip(loops, counts, strict=True):
        _drop_terminator(loop.body.block)
        bounds += [zero, reduce(lambda product, count: b.insert(arith.MuliOp(product, count)), lengths)]
        sizes += [*loop.lowerBound, *loop.step, *lengths[1:]]
    captured, sunk = _captures(loops, sizes)
    entry = _body(loops, counts, captured, sunk)
    call = func.CallOp.create(
        operands=[*bounds, *captured],
        properties={"callee": SymbolRefAttr(name)},
        attributes=PARALLEL.entry(threads),
    )
    shares = [ITERATIONS_PER_THREAD.of(loop) or (1,) for loop in loops]
    if len(loops) > 1 or ITERATIONS_PER_THREAD.is_on(loops[0]):
        ITERATIONS_PER_THREAD.set(call, tuple(share for (share,) in shares))
    call.location = fused(loop.location for loop in loops)
    b.insert_op(call)
    for loop in loops:
        Rewriter.erase_op(loop)
    function = func.FuncOp(name, ([a.type for a in entry.args], []), Region(entry), StringAttr("private"))
    marks = [MAY_ALIAS.entry() if isinstance(v.type, MemRefType) and _may_alias(v) else {} for v in captured]
    function.arg_attrs = attribute_array([*({} for _ in bounds), *marks])
    return function


def _body(
    loops: Sequence[scf.ParallelOp],
    counts: Sequence[Sequence[SSAValue]],
    captured: Sequence[SSAValue],
    sunk: Sequence[Operation],
) -> Block:
    """Returns the body of a function that runs a range of the iterations of each loop, one loop after the other."""
    entry = Block(arg_types=[*([INDEX, INDEX] * len(loops)), *(v.type for v in captured)])
    mapping: dict[SSAValue, SSAValue] = dict(zip(captured, entry.args[2 * len(loops) :], strict=True))
    b = OpBuilder(InsertPoint.at_end(entry))
    for op in sunk:
        b.insert_op(op.clone(mapping))
    for number, (loop, lengths) in enumerate(zip(loops, counts, strict=True)):
        _emit_range(b, loop, lengths, entry.args[2 * number], entry.args[2 * number + 1], mapping)
    b.insert_op(func.ReturnOp())
    return entry


def _emit_range(
    b: OpBuilder,
    loop: scf.ParallelOp,
    counts: Sequence[SSAValue],
    begin: SSAValue,
    end: SSAValue,
    mapping: Mapping[SSAValue, SSAValue],
) -> None:
    """Emits the iterations of a loop from one to another, counted row by row; it takes the body of the loop."""

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

    b.for_range(begin, end, [], run)


def _may_alias(value: SSAValue) -> bool:
    """Returns whether a captured buffer may overlap another one."""
    if isinstance(value.owner, Block):
        return is_may_alias(value)
    return not isinstance(value.owner, memref.AllocaOp)
