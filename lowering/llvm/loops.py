"""`scf` as blocks with arguments; loops are rotated: one test at the end of the body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from ...dialects.relax.vocabulary.attributes import NO_UNROLL as NO_UNROLL_LOOP
from ...dialects.upstream.llvm_ops import NO_UNROLL, SwitchOp
from .builder import Linear
from .function import FunctionLowering, Handler
from .types import LoweringError, convert_type

_SLT, _ULT = 2, 6


def build_loop(
    low: FunctionLowering, lower: Linear, upper: Linear, step: Linear, body: Callable[[Linear], None]
) -> None:
    """Emits a counted loop without carried values around what `body` emits."""

    def carried(induction: Linear, _: Sequence[SSAValue]) -> list[SSAValue]:
        body(induction)
        return []

    _loop(low, lower, upper, step, [], carried, False, False)


def _loop(
    low: FunctionLowering,
    lower: Linear,
    upper: Linear,
    step: Linear,
    initial: list[SSAValue],
    body: Callable[[Linear, Sequence[SSAValue]], list[SSAValue]],
    no_unroll: bool,
    unsigned: bool,
) -> Sequence[SSAValue]:
    # Invariant: `entered` holds where the loop is known to have an iteration; it then needs no guard. Its test is at the end.
    builder = low.builder
    static = not (lower.terms or upper.terms or step.terms)
    if not step.terms and step.constant <= 0:
        raise LoweringError(f"convert-to-llvm: loop step {step.constant} is not positive")
    entered = static or lower == upper
    if entered:
        trips = max(0, -((lower.constant - upper.constant) // step.constant)) if static else 0
        if trips == 0:
            return initial
        if trips == 1:
            return body(lower, initial)
    if lower.terms == upper.terms and not step.terms:
        entered = upper.constant > lower.constant
    types = [v.type for v in initial]
    header = builder.new_block((i64, *types))
    start = builder.materialize(lower)
    limit = builder.materialize(upper)
    stride = builder.materialize(step)
    predicate = _ULT if unsigned else _SLT
    exit_block = builder.new_block(types)
    if entered:
        anchor = builder.branch(header, (start, *initial))
    else:
        guard = builder.compare(predicate, start, limit)
        anchor = builder.cond_branch(guard, header, (start, *initial), exit_block, initial)
    builder.enter(anchor, header)
    induction, *carried = header.args
    results = body(builder.opaque(induction), carried)
    following = builder.add_nsw(induction, stride)
    again = builder.compare(predicate, following, limit)
    builder.cond_branch(again, header, (following, *results), exit_block, results, NO_UNROLL if no_unroll else None)
    builder.leave()
    _move_to_end(low, exit_block)
    builder.resume(exit_block)
    return exit_block.args


def _move_to_end(low: FunctionLowering, block: Block) -> None:
    """Keeps blocks in the order of the program: an exit follows what it leaves."""
    region = low.builder.region
    region.detach_block(block)
    region.add_block(block)


def _yielded(low: FunctionLowering, op: Operation) -> list[SSAValue]:
    return [low.value(o) for o in op.operands]


def _for(low: FunctionLowering, op: Operation) -> None:
    loop = cast(scf.ForOp, op)
    block = loop.body.block
    narrow = block.args[0].type if not isinstance(block.args[0].type, IndexType) else None
    initial = [low.value(v) for v in loop.iter_args]

    def body(induction: Linear, carried: Sequence[SSAValue]) -> list[SSAValue]:
        if narrow is None:
            low.indices[block.args[0]] = induction
        else:
            wide = low.builder.materialize(induction)
            low.values[block.args[0]] = wide if narrow == i64 else low.builder.emit(llvm.TruncOp, (wide,), narrow)
        for arg, value in zip(block.args[1:], carried, strict=True):
            low.set(arg, value)
        low.lower_block(block)
        terminator = block.last_op
        assert terminator is not None
        return _yielded(low, terminator)

    lower, upper, step = (_bound(low, v) for v in (loop.lb, loop.ub, loop.step))
    results = _loop(
        low,
        lower,
        upper,
        step,
        initial,
        body,
        NO_UNROLL_LOOP.is_on(op),
        "unsignedCmp" in op.properties,
    )
    for result, value in zip(loop.results, results, strict=True):
        low.set(result, value)


def _bound(low: FunctionLowering, value: SSAValue) -> Linear:
    """Returns a loop bound as 64 bits."""
    if isinstance(value.type, IndexType):
        return low.index(value)
    known = low.constant_int(value)
    if known is not None:
        return Linear(known)
    register = low.value(value)
    if register.type != i64:
        register = low.builder.emit(llvm.SExtOp, (register,), i64)
    return low.builder.opaque(register)


def _if(low: FunctionLowering, op: Operation) -> None:
    branch = cast(scf.IfOp, op)
    builder = low.builder
    cond = low.value(branch.cond)
    known = low.constant_int(branch.cond)
    regions = [branch.true_region, branch.false_region]
    if known is not None:
        region = regions[0] if known else regions[1]
        if region.blocks:
            block = region.block
            low.lower_block(block)
            for result, yielded in zip(op.results, cast(Operation, block.last_op).operands, strict=True):
                _alias(low, result, yielded)
        return
    then = builder.new_block()
    has_else = bool(branch.false_region.blocks) and (bool(op.results) or len(list(branch.false_region.block.ops)) > 1)
    merge = builder.new_block([convert_type(r.type) for r in op.results])
    otherwise = builder.new_block() if has_else else merge
    anchor = builder.cond_branch(cond, then, (), otherwise, ())
    branches = [(then, regions[0]), *([(otherwise, regions[1])] if has_else else [])]
    _lower_branches(low, op, anchor, branches, merge)


def _lower_branches(
    low: FunctionLowering, op: Operation, anchor: Operation, branches: Sequence[tuple[Block, Region]], merge: Block
) -> None:
    """Fills the blocks that an op branches to, each with a region, and goes on in the block where they meet."""
    builder = low.builder
    for block, region in branches:
        _move_to_end(low, block)
        builder.enter(anchor, block)
        low.lower_block(region.block)
        builder.branch(merge, _yielded(low, cast(Operation, region.block.last_op)))
        builder.leave()
    _move_to_end(low, merge)
    builder.resume(merge)
    for result, value in zip(op.results, merge.args, strict=True):
        low.set(result, value)


def _alias(low: FunctionLowering, result: SSAValue, source: SSAValue) -> None:
    if isinstance(source.type, IndexType):
        low.indices[result] = low.index(source)
    else:
        low.values[result] = low.value(source)


def _while(low: FunctionLowering, op: Operation) -> None:
    loop = cast(scf.WhileOp, op)
    builder = low.builder
    before_source, after_source = loop.before_region.block, loop.after_region.block
    before = builder.new_block([convert_type(v.type) for v in loop.arguments])
    anchor = builder.branch(before, [low.value(v) for v in loop.arguments])
    builder.enter(anchor, before)
    for arg, value in zip(before_source.args, before.args, strict=True):
        low.set(arg, value)
    low.lower_block(before_source)
    condition = cast(scf.ConditionOp, before_source.last_op)
    passed = [low.value(v) for v in condition.args]
    types = [v.type for v in passed]
    after = builder.new_block(types)
    exit_block = builder.new_block(types)
    inner = builder.cond_branch(low.value(condition.condition), after, passed, exit_block, passed)
    builder.enter(inner, after)
    for arg, value in zip(after_source.args, after.args, strict=True):
        low.set(arg, value)
    low.lower_block(after_source)
    builder.branch(before, _yielded(low, cast(Operation, after_source.last_op)))
    builder.leave()
    builder.leave()
    _move_to_end(low, exit_block)
    builder.resume(exit_block)
    for result, value in zip(op.results, exit_block.args, strict=True):
        low.set(result, value)


def _index_switch(low: FunctionLowering, op: Operation) -> None:
    switch = cast(scf.IndexSwitchOp, op)
    builder = low.builder
    cases = list(switch.cases.get_values())
    regions = [switch.default_region, *switch.case_regions]
    blocks = [builder.new_block() for _ in regions]
    merge = builder.new_block([convert_type(r.type) for r in op.results])
    anchor = SwitchOp.build_switch(low.value(switch.arg), blocks[0], cases, blocks[1:])
    builder.append(anchor)
    _lower_branches(low, op, anchor, list(zip(blocks, regions, strict=True)), merge)


def _nothing(low: FunctionLowering, op: Operation) -> None:
    """Emits nothing: the owner of the region reads the terminator."""


def _parallel(low: FunctionLowering, op: Operation) -> None:
    raise LoweringError("convert-to-llvm: scf.parallel must be outlined first (outline-parallel)")


HANDLERS: dict[str, Handler] = {
    "scf.for": _for,
    "scf.if": _if,
    "scf.while": _while,
    "scf.index_switch": _index_switch,
    "scf.yield": _nothing,
    "scf.condition": _nothing,
    "scf.parallel": _parallel,
}
