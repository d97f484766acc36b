"""Decides which buffers loops carry and branches yield, and what is copied where they end.

    %r = scf.for .. iter_args(%a = %x) {      // carries the buffer of %x where nobody reads %x later, a copy of it otherwise
      %b = linalg.generic outs(%a)            // in place
      scf.yield %b                            // already in the carried buffer: nothing to copy
    }                                         // %r: the carried buffer

A yielded value made in a new buffer is made in the carried one instead, where that is neither read nor written meanwhile.
"""

from __future__ import annotations

from bisect import insort

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import (
    TensorType,
)
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from .analysis_state import Analysis, Rule, nothing
from .buffers import Buffer, Decision, Placed, plain
from .order import BRANCHES
from .view_types import is_compact


def _carry(analysis: Analysis, op: Operation, operand: int, taken: set[Buffer]) -> Placed:
    """Returns the buffer that a loop carries for an initial value."""
    initial = op.operands[operand]
    old = analysis.placed[initial]
    buffer = analysis.buffer_of(initial)
    if not old.undefined and buffer not in taken and analysis.may_overwrite(op, operand):
        taken.add(buffer)
        analysis.decisions[op, operand] = Decision(initial, True, False)
        return Placed(buffer, old.type, False, old.whole, old.same_shape, old.prefix)
    analysis.decisions[op, operand] = Decision(initial, False, not old.undefined)
    return Placed(Buffer(True, op, True, value=initial), plain(initial.type))


def _join(analysis: Analysis, value: SSAValue, carried: Placed) -> None:
    analysis.place(value, carried.buffer, carried.type, carried)


def _for(analysis: Analysis, op: scf.ForOp) -> None:
    taken: set[Buffer] = set()
    carried: dict[int, Placed] = {}
    for i, initial in enumerate(op.iter_args):
        if isinstance(initial.type, TensorType):
            carried[i] = _carry(analysis, op, 3 + i, taken)
    body = op.body.block
    for i, placed in carried.items():
        _join(analysis, body.args[1 + i], placed)
    analysis.visit_block(body)
    _yield(analysis, body, {i: body.args[1 + i] for i in carried})
    for i, placed in carried.items():
        _join(
            analysis,
            op.results[i],
            Placed(placed.buffer.representative(), placed.type, False, placed.whole, placed.same_shape),
        )


def _while(analysis: Analysis, op: scf.WhileOp) -> None:
    # Invariant: a passed value keeps its carried buffer where it is the first to have it; every other one is copied to a buffer that
    # is made before the loop.
    before, after = op.before_region.block, op.after_region.block
    taken: set[Buffer] = set()
    carried: dict[int, Placed] = {}
    for i, initial in enumerate(op.arguments):
        if isinstance(initial.type, TensorType):
            carried[i] = _carry(analysis, op, i, taken)
            _join(analysis, before.args[i], carried[i])
    analysis.visit_block(before)
    condition = before.last_op
    assert isinstance(condition, scf.ConditionOp)
    passed: dict[int, Placed] = {}
    used: set[Buffer] = set()
    owned = {placed.buffer for placed in carried.values()}
    for j, value in enumerate(condition.operands[1:]):
        if not isinstance(value.type, TensorType):
            continue
        passed_on = analysis.placed[value]
        buffer = analysis.buffer_of(value)
        if buffer in owned and buffer not in used and (passed_on.same_shape or passed_on.type == plain(value.type)):
            used.add(buffer)
            passed[j] = Placed(buffer, passed_on.type, False, passed_on.whole, passed_on.same_shape, passed_on.prefix)
        else:
            passed[j] = Placed(Buffer(True, op, True, value=op.results[j]), plain(value.type))
            analysis.copied.add((condition, 1 + j))
    for j, placed in passed.items():
        _join(analysis, after.args[j], placed)
    analysis.visit_block(after)
    _yield(analysis, after, {i: before.args[i] for i in carried})
    for j, placed in passed.items():
        _join(analysis, op.results[j], placed)


def _yield(analysis: Analysis, body: Block, homes: dict[int, BlockArgument]) -> None:
    """Decides which yielded values are already in the carried buffers, could be made there, or are copied."""
    terminator = body.last_op
    assert terminator is not None
    for i, home in homes.items():
        value = terminator.operands[i]
        yielded, target = analysis.placed[value], analysis.placed[home]
        buffer, carried = analysis.buffer_of(value), analysis.buffer_of(home)
        if buffer is carried:
            if not (
                yielded.type == target.type and yielded.whole == target.whole and not _moved(analysis, value, home)
            ):
                analysis.copied.add((terminator, i))
            continue
        if is_compact(target.type) and can_adopt(buffer, yielded, body) and free_since(analysis, carried, buffer, body):
            adopt(analysis, buffer, carried, home)
        else:
            analysis.copied.add((terminator, i))


def _moved(analysis: Analysis, value: SSAValue, home: SSAValue) -> bool:
    """Returns whether a value of the carried buffer is not the carried value itself but a part of it, or another
    shape.
    """
    while value is not home:
        source = value.owner.source if isinstance(value.owner, tensor.CastOp) else _source_of(analysis, value)
        if source is None:
            return True
        value = source
    return False


def _source_of(analysis: Analysis, value: SSAValue) -> SSAValue | None:
    """Returns the value whose memref an op result took over, or None."""
    owner = value.owner
    if isinstance(owner, Block):
        return None
    if isinstance(owner, BRANCHES):
        return analysis.branch_source.get(value)
    index: int | None = owner.results.index(value)
    if isinstance(owner, scf.ForOp):
        index += 3  # The bounds and the step come first.
    elif isinstance(owner, scf.WhileOp):
        index = _carried_as(analysis, owner, index)
    decision = None if index is None else analysis.decisions.get((owner, index))
    return decision.source if decision is not None and decision.in_place else None


def _carried_as(analysis: Analysis, op: scf.WhileOp, result: int) -> int | None:
    """Returns the operand whose buffer a result of a loop took over, or None."""
    condition = op.before_region.block.last_op
    assert isinstance(condition, scf.ConditionOp)
    if (condition, 1 + result) in analysis.copied:
        return None
    step: SSAValue | None = condition.operands[1:][result]
    while step is not None and step.owner is not op.before_region.block:
        step = _source_of(analysis, step)
    return step.index if isinstance(step, BlockArgument) else None


def can_adopt(buffer: Buffer, placed: Placed, body: Block) -> bool:
    """Returns whether a value is all of a new buffer, made in a body, that may be made in the place of another one."""
    return (
        buffer.fresh
        and not buffer.bounded
        and buffer.result is None
        and placed.same_shape
        and not placed.undefined
        and buffer.root is not None
        and buffer.root.parent is body
    )


def free_since(analysis: Analysis, carried: Buffer, buffer: Buffer, body: Block) -> bool:
    """Returns whether a carried buffer is neither read nor written from where another one is made to the end of
    the body.
    """
    assert buffer.root is not None
    start = analysis.order.start[buffer.root]
    terminator = body.last_op
    assert terminator is not None
    end = analysis.order.start[terminator]
    for member in carried.members:
        if start <= analysis.order.defined_at(member) <= end:
            return False
        if any(start <= at <= end for at, _, _ in analysis.reads(member)):
            return False
    return True


def adopt(analysis: Analysis, buffer: Buffer, target: Buffer, home: SSAValue) -> None:
    """Makes a new buffer in the place of another one, whose memref is that of `home`."""
    buffer.alias_of = target
    buffer.home = home
    for member in buffer.members:
        insort(target.members, member, key=analysis.last_read)


def _branches(analysis: Analysis, op: Operation) -> None:
    for region in op.regions:
        for block in region.blocks:
            analysis.visit_block(block)
    for index, result in enumerate(op.results):
        if not isinstance(result.type, TensorType):
            continue
        yields = [region.block.last_op for region in op.regions]
        values = [y.operands[index] for y in yields if y is not None]
        _branch_result(analysis, op, index, result, [y for y in yields if y is not None], values)


def _branch_result(
    analysis: Analysis, op: Operation, index: int, result: SSAValue, yields: list[Operation], values: list[SSAValue]
) -> None:
    homes = [_outside(analysis, op, value) for value in values]
    first = homes[0]
    if first is not None and all(home is first for home in homes) and first.type == result.type:
        _join(analysis, result, analysis.placed[first])
        analysis.branch_source[result] = first
        analysis.decisions[op, index] = Decision(first, True, False)
        return
    target = analysis.fresh(result, op).buffer
    analysis.decisions[op, index] = Decision(None, False, False)
    for terminator, value in zip(yields, values, strict=True):
        buffer = analysis.buffer_of(value)
        body = terminator.parent
        assert body is not None
        if _same_sizes(analysis, value, result) and can_adopt(buffer, analysis.placed[value], body):
            adopt(analysis, buffer, target, result)
        else:
            analysis.copied.add((terminator, index))


def _same_sizes(analysis: Analysis, value: SSAValue, other: SSAValue) -> bool:
    """Returns whether the sizes of two tensors are provably equal."""
    assert isinstance(value.type, TensorType)
    for d in range(value.type.get_num_dims()):
        size = analysis.sizes.dim(value, d)
        if size is None or size != analysis.sizes.dim(other, d):
            return False
    return True


def _outside(analysis: Analysis, op: Operation, value: SSAValue) -> SSAValue | None:
    """Returns the value from outside of an op whose memref a yielded value has taken over."""
    start, end = analysis.order.span(op)
    step: SSAValue | None = value
    while step is not None and start < analysis.order.defined_at(step) <= end:
        step = _source_of(analysis, step)
    return step


RULES: dict[type[Operation], Rule] = {
    scf.ForOp: _for,
    scf.WhileOp: _while,
    scf.IfOp: _branches,
    scf.IndexSwitchOp: _branches,
    scf.YieldOp: nothing,
    scf.ConditionOp: nothing,
}
