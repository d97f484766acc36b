"""Turns loops and branches that carry tensors into ones that write memrefs from outside.

    %r = scf.for .. iter_args(%a = %x) -> tensor<4xf32> {      scf.for .. {
      %b = linalg.generic outs(%a) -> tensor<4xf32>              linalg.generic outs(%home)
      scf.yield %b                                               scf.yield
    }                                                          }

Before the loop `%home` is the memref of `%x`, or a copy of it; a yielded value that is not in its home is copied there.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from ...dialects.upstream.op_error import OpError
from ..emit.constructors import shown
from ..sizes.op_sizes import constant_index, dim_source
from .buffers import Buffer, plain
from .emitter import Emitter, Rule, Size


def _carried(emitter: Emitter, op: Operation, operand: int, home: SSAValue) -> None:
    """Makes the buffer that a loop carries."""
    initial = op.operands[operand]
    decision = emitter.plan.decisions[op, operand]
    if decision.in_place:
        emitter.memrefs[home] = emitter.memref(initial)
        return
    target = emitter.root(emitter.plan.placed[home].buffer)
    if decision.copy:
        emitter.copy(emitter.memref(initial), target)
    emitter.memrefs[home] = target


def _copy_out(emitter: Emitter, terminator: Operation, pairs: Sequence[tuple[int, SSAValue]]) -> None:
    """Copies operands of a terminator into their homes, all at once: the emitter stands before the terminator."""
    wanted = [
        (terminator.operands[i], home)
        for i, home in pairs
        if (terminator, i) in emitter.plan.copied and not emitter.plan.placed[terminator.operands[i]].undefined
    ]
    buffers = [emitter.plan.buffer_of(value) for value, _ in wanted]
    held: list[SSAValue] = []
    homes = {_home_buffer(emitter, home): position for position, (_, home) in enumerate(wanted)}
    for buffer, (value, _) in zip(buffers, wanted, strict=True):
        source = emitter.memref(value)
        if buffer in homes:
            kept = emitter.alloc(emitter.sizes(value), plain(value.type))
            emitter.copy(source, kept)
            source = kept
        held.append(source)
    for source, (value, home) in zip(held, wanted, strict=True):
        target = emitter.memref(home)
        _check_size(emitter, value, home)
        emitter.copy(source, target)


def _home_buffer(emitter: Emitter, home: SSAValue) -> Buffer:
    return emitter.plan.buffer_of(home)


def _check_size(emitter: Emitter, value: SSAValue, home: SSAValue) -> None:
    """Asserts that a value fits its carried buffer, where that is not evident."""
    for size, home_size in zip(emitter.sizes(value), emitter.sizes(home), strict=True):
        if isinstance(size, int) or isinstance(home_size, int) or size is home_size:
            continue
        a, b = emitter.size_analysis.value(size), emitter.size_analysis.value(home_size)
        if a is not None and a == b:
            continue
        same = shown(emitter.compare("eq", size, home_size), "its size", "its size before")
        message = f"{emitter.function.sym_name.data}: a loop must not change the size of a tensor that it carries"
        emitter.insert_op(cf.AssertOp(same, StringAttr(message)))


def _rebuild(
    emitter: Emitter,
    op: Operation,
    operands: Sequence[SSAValue],
    regions: Sequence[Region],
    extra: Sequence[Attribute] = (),
) -> Operation:
    """Rebuilds an op without its tensor results."""
    kept = [r for r in op.results if not isinstance(r.type, TensorType)]
    new = type(op).create(
        operands=operands,
        result_types=[*(r.type for r in kept), *extra],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=regions,
    )
    new.location = op.location
    emitter.insert_op(new)
    for old, replacement in zip(kept, new.results, strict=False):
        old.replace_all_uses_with(replacement)
    emitter.kill(op)
    return new


def _drop_tensors(emitter: Emitter, block: Block) -> None:
    emitter.dead_arguments.extend(a for a in block.args if isinstance(a.type, TensorType))
    terminator = block.last_op
    assert terminator is not None
    emitter.drop_tensor_operands(terminator)


def _for(emitter: Emitter, op: scf.ForOp) -> None:
    body = op.body.block
    carried = [i for i, v in enumerate(op.iter_args) if isinstance(v.type, TensorType)]
    for i in carried:
        _carried(emitter, op, 3 + i, body.args[1 + i])
    emitter.rewrite_block(body)
    if not carried:
        return
    terminator = body.last_op
    assert terminator is not None
    with emitter.at(terminator):
        _copy_out(emitter, terminator, [(i, body.args[1 + i]) for i in carried])
    for i in carried:
        emitter.memrefs[op.results[i]] = emitter.memrefs[body.args[1 + i]]
        for d in range(len(plain(op.results[i].type).get_shape())):
            emitter.known_sizes[op.results[i], d] = emitter.size(op.iter_args[i], d)
    _drop_tensors(emitter, body)
    kept = [v for v in op.operands if not isinstance(v.type, TensorType)]
    _moved_rebuild(emitter, op, kept)


def _moved_rebuild(emitter: Emitter, op: Operation, operands: Sequence[SSAValue]) -> Operation:
    regions = [op.detach_region(region) for region in list(op.regions)]
    return _rebuild(emitter, op, operands, regions)


def _while(emitter: Emitter, op: scf.WhileOp) -> None:
    before, after = op.before_region.block, op.after_region.block
    carried = [i for i, v in enumerate(op.arguments) if isinstance(v.type, TensorType)]
    for i in carried:
        _carried(emitter, op, i, before.args[i])
    condition = before.last_op
    assert isinstance(condition, scf.ConditionOp)
    passed = [j for j, v in enumerate(condition.operands[1:]) if isinstance(v.type, TensorType)]
    for j in passed:
        for d in range(len(plain(op.results[j].type).get_shape())):
            emitter.known_sizes[op.results[j], d] = _passed_size(emitter, op, condition.operands[1:][j], d)
        if (condition, 1 + j) in emitter.plan.copied:
            made = emitter.root(emitter.plan.placed[after.args[j]].buffer)
            emitter.memrefs[after.args[j]] = emitter.memrefs[op.results[j]] = made
    emitter.rewrite_block(before)
    with emitter.at(condition):
        _copy_out(emitter, condition, [(1 + j, after.args[j]) for j in passed])
    for j in passed:
        if (condition, 1 + j) not in emitter.plan.copied:
            emitter.memrefs[after.args[j]] = emitter.memrefs[op.results[j]] = _carried_memref(emitter, op, j)
    emitter.rewrite_block(after)
    terminator = after.last_op
    assert terminator is not None
    with emitter.at(terminator):
        _copy_out(emitter, terminator, [(i, before.args[i]) for i in carried])
    if not carried and not passed:
        return
    _drop_tensors(emitter, before)
    _drop_tensors(emitter, after)
    _moved_rebuild(emitter, op, [v for v in op.operands if not isinstance(v.type, TensorType)])


def _carried_memref(emitter: Emitter, op: scf.WhileOp, index: int) -> SSAValue:
    """Returns the memref made before the loop that a passed value took over."""
    condition = op.before_region.block.last_op
    assert isinstance(condition, scf.ConditionOp)
    buffer = emitter.plan.buffer_of(condition.operands[1:][index])
    for argument in op.before_region.block.args:
        if isinstance(argument.type, TensorType) and emitter.plan.buffer_of(argument) is buffer:
            return emitter.cast(emitter.memrefs[argument], emitter.plan.placed[op.results[index]].type)
    raise OpError(op, "bufferize: the carried buffer of scf.while is lost")


def _passed_size(emitter: Emitter, op: scf.WhileOp, value: SSAValue, dim: int) -> Size:
    """Returns the size of what a condition passes on, as a value from outside of the loop."""
    assert isinstance(value.type, TensorType)
    if value.type.get_shape()[dim] != DYNAMIC_INDEX:
        return value.type.get_shape()[dim]
    exact = emitter.size_analysis.dim(value, dim)
    if exact is not None:
        return emitter.entry.value(exact)
    size = _outside_size(emitter, op, value, dim)
    if size is None:
        raise OpError(op, f"bufferize: the size of dim {dim} of a tensor in scf.while changes while it runs")
    return size


def _outside_size(emitter: Emitter, op: Operation, value: SSAValue, dim: int) -> Size | None:
    """Returns the size of a value inside an op as a value that is defined outside."""
    step: SSAValue | int | tuple[SSAValue, int] | None = (value, dim)
    start, end = emitter.plan.order.span(op)
    # Invariant: the size wanted is dim `dim` of `value`; each step goes to a value that is defined earlier.
    while isinstance(step, tuple):
        value, dim = step
        assert isinstance(value.type, TensorType)
        if not start < emitter.plan.order.defined_at(value) <= end:
            return emitter.size(value, dim)
        static = value.type.get_shape()[dim]
        if static != DYNAMIC_INDEX:
            return static
        owner = value.owner
        if isinstance(owner, Operation):
            step = dim_source(owner, value, dim)
        else:
            assert isinstance(value, BlockArgument)
            parent = owner.parent_op()
            if isinstance(parent, scf.ForOp):
                step = (parent.iter_args[value.index - 1], dim)
            elif isinstance(parent, scf.WhileOp) and owner is parent.before_region.block:
                step = (parent.arguments[value.index], dim)
            else:
                step = None
    if isinstance(step, SSAValue):
        owner = step.owner
        if isinstance(owner, tensor.DimOp) and (known := constant_index(owner.index)) is not None:
            return _outside_size(emitter, op, owner.source, known)
        top = owner if isinstance(owner, Operation) else owner.parent_op()
        while top is not None and top is not op:
            top = top.parent_op()
        if top is op:
            return None
    return step


def _branches(emitter: Emitter, op: Operation) -> None:
    tensors = [i for i, r in enumerate(op.results) if isinstance(r.type, TensorType)]
    # Invariant: `actual` has the dims of each result that are only bounded before the branch; the branch yields each of them as
    # an `index` result, in this order, and the result is a compact view of a buffer of the bounds.
    actual: dict[int, list[int]] = {}
    for i in tensors:
        decision = emitter.plan.decisions[op, i]
        result = op.results[i]
        if decision.in_place:
            assert decision.source is not None
            emitter.memrefs[result] = emitter.memref(decision.source)
            for d in range(len(plain(result.type).get_shape())):
                emitter.known_sizes[result, d] = emitter.size(decision.source, d)
        else:
            bounded = _branch_sizes(emitter, op, i)
            if bounded:
                actual[i] = bounded
            emitter.memrefs[result] = emitter.root(emitter.plan.placed[result].buffer)
    terminators: list[Operation] = []
    for region in op.regions:
        if not region.blocks:
            continue
        emitter.rewrite_block(region.block)
        terminator = region.block.last_op
        assert terminator is not None
        terminators.append(terminator)
        extra: list[SSAValue] = []
        for i in tensors:
            if (terminator, i) in emitter.plan.copied:
                with emitter.at(terminator):
                    _copy_branch(emitter, terminator, i, op.results[i], i in actual)
            extra.extend(emitter.as_index(emitter.size(terminator.operands[i], d)) for d in actual.get(i, ()))
        if tensors:
            emitter.drop_tensor_operands(terminator)
            terminator.operands = [*terminator.operands, *extra]
    if not tensors:
        return
    count = sum(len(dims) for dims in actual.values())
    regions = [op.detach_region(region) for region in list(op.regions)]
    new = _rebuild(emitter, op, list(op.operands), regions, [IndexType()] * count)
    sizes = iter(new.results[len(new.results) - count :])
    for i, dims in actual.items():
        result = op.results[i]
        for d in dims:
            emitter.known_sizes[result, d] = emitter.count_of(next(sizes), _bounds_of(emitter, result)[d])
        emitter.memrefs[result] = emitter.compact(emitter.memrefs[result], emitter.sizes(result), plain(result.type))


def _bounds_of(emitter: Emitter, value: SSAValue) -> list[Size]:
    return emitter.bounds[emitter.plan.placed[value].buffer]


def _copy_branch(emitter: Emitter, terminator: Operation, index: int, result: SSAValue, compact: bool) -> None:
    value = terminator.operands[index]
    if emitter.plan.placed[value].undefined:
        return
    target = emitter.memrefs[result]
    if compact:
        target = emitter.compact(target, emitter.sizes(value), plain(value.type))
    emitter.copy(emitter.memref(value), target)


def _branch_sizes(emitter: Emitter, op: Operation, index: int) -> list[int]:
    """Finds the sizes of a branch's result; returns the dims that are only bounded before the branch is taken."""
    result = op.results[index]
    bounded: list[int] = []
    bounds: list[Size] = []
    values = [r.block.last_op.operands[index] for r in op.regions if r.blocks and r.block.last_op is not None]
    for d, static in enumerate(plain(result.type).get_shape()):
        if static != DYNAMIC_INDEX:
            bounds.append(static)
            continue
        sizes = [_outside_size(emitter, op, value, d) for value in values]
        first = sizes[0]
        if first is not None and all(f is first for f in sizes):
            emitter.known_sizes[result, d] = first
            bounds.append(first)
            continue
        exact = emitter.size_analysis.dim(result, d)
        if exact is not None:
            emitter.known_sizes[result, d] = emitter.entry.value(exact)
            bounds.append(emitter.known_sizes[result, d])
            continue
        upper = emitter.size_analysis.dim(result, d, exact=False)
        if upper is None:
            raise OpError(op, f"bufferize: {op.name} yields tensors whose dim {d} has no bound before it runs")
        bounds.append(emitter.entry.value(upper))
        bounded.append(d)
    if bounded:
        emitter.bounds[emitter.plan.placed[result].buffer] = bounds
    return bounded


RULES: dict[type[Operation], Rule] = {
    scf.ForOp: _for,
    scf.WhileOp: _while,
    scf.IfOp: _branches,
    scf.IndexSwitchOp: _branches,
}
