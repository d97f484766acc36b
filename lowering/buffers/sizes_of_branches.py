"""Sizes that a branch finds: they are found in a branch of their own before it, so that the memory for the branch is planned with them.

    %r = scf.if %c -> (tensor<?xf32>) {              %n = scf.if %c -> (index) {
      %v = tensor.extract %t[%zero]                    %v = tensor.extract %t[%zero]
      %n = arith.index_cast %v : i64 to index          %m = arith.index_cast %v : i64 to index
      %e = tensor.empty(%n) : tensor<?xf32>            scf.yield %m
      ...                                            } else { scf.yield %zero }
                                                     %r = scf.if %c -> (tensor<?xf32>) {
                                                       %e = tensor.empty(%n) : tensor<?xf32>
                                                       ...

What a size is found from is computed in both, unless the size alone reads it. What guards it is asserted in the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from xdsl.dialects import arith, cf, scf, tensor
from xdsl.dialects.builtin import IndexType, UnknownLoc
from xdsl.ir import Block, Operation, Region, SSAValue

from ...dialects.walks import inner_blocks, ops_inside
from .unbounded_sizes import UnboundedSizes, operands_from_outside

Branches: TypeAlias = scf.IfOp | scf.IndexSwitchOp


def find_before_branches(unbounded: UnboundedSizes) -> bool:
    """Finds the sizes that one branch needs, and finds itself, before it; returns whether there is such a branch.

    The sizes of the function must be analyzed again. Branches inside of loops, where a size may be another in each iteration, stay.
    """
    # Those inside come first: what is found before them is in the branch around them.
    for op in reversed(ops_inside(unbounded.function)):
        if isinstance(op, Branches) and not _in_loop(op, unbounded.function):
            for block in inner_blocks(op):
                sizes = _sizes_found(block, unbounded)
                ops = _sources(block, sizes)
                if sizes and not any(map(unbounded.calls_python, ops)):
                    _find_before(op, block, sizes, ops)
                    return True
    return False


def _in_loop(op: Operation, function: Operation) -> bool:
    while (parent := op.parent_op()) is not None and parent is not function:
        if not isinstance(parent, Branches):
            return True
        op = parent
    return False


def _sizes_found(block: Block, unbounded: UnboundedSizes) -> list[SSAValue]:
    """Returns the values, of ops at the top of a block, that sizes inside of the block are computed from, each once."""
    sizes: dict[SSAValue, None] = {}
    pending = [value for op in unbounded.ops_of_unknown_sizes(block) for value in op.operands]
    while pending:
        value = pending.pop()
        owner = value.owner
        if not unbounded.is_unknown(value) or not isinstance(owner, Operation) or owner.parent is not block:
            continue
        if owner.dialect_name() == "arith" and all(isinstance(v.type, IndexType) for v in owner.operands):
            pending += owner.operands
        elif not isinstance(owner, tensor.DimOp):
            # The size of a tensor is found where the tensor is made.
            sizes[value] = None
    return list(sizes)


def _sources(block: Block, sizes: Iterable[SSAValue]) -> list[Operation]:
    """Returns the ops of a block that values are computed from, and the assertions that guard them or ask of nothing else, in order."""
    sources = _closed(block, (size.owner for size in sizes if isinstance(size.owner, Operation)))
    guarded = max((index for index, op in enumerate(block.ops) if op in sources), default=-1)
    for index, op in enumerate(block.ops):
        if isinstance(op, cf.AssertOp):
            more = _closed(block, [op]) - sources - {op}
            if index < guarded or all(other.dialect_name() == "arith" for other in more):
                sources |= {op, *more}
    return [op for op in block.ops if op in sources]


def _closed(block: Block, ops: Iterable[Operation]) -> set[Operation]:
    """Returns ops and all ops of the block that they read from."""
    closed: set[Operation] = set()
    pending = list(ops)
    while pending:
        op = pending.pop()
        if op not in closed:
            closed.add(op)
            owners = (value.owner for value in operands_from_outside([op]))
            pending += [owner for owner in owners if isinstance(owner, Operation) and owner.parent is block]
    return closed


def _find_before(op: Branches, block: Block, sizes: list[SSAValue], ops: list[Operation]) -> None:
    """Inserts a branch that yields sizes before the branch that has found them in a block so far."""
    regions: list[Region] = []
    for region in op.regions:
        made = Block()
        if region is block.parent:
            copies: dict[SSAValue, SSAValue] = {}
            made.add_ops([source.clone(copies) for source in ops])
            yielded = [copies[size] for size in sizes]
        else:
            zero = arith.ConstantOp.from_int_and_width(0, IndexType())
            made.add_op(zero)
            yielded = [zero.result] * len(sizes)
        made.add_op(scf.YieldOp(*yielded))
        regions.append(Region(made))
    types = [IndexType()] * len(sizes)
    if isinstance(op, scf.IfOp):
        finding = scf.IfOp(op.cond, types, regions[0], regions[1])
    else:
        finding = scf.IndexSwitchOp(op.arg, op.cases, regions[0], regions[1:], types)
    for inner in ops_inside(finding):
        if isinstance(inner.location, UnknownLoc):
            inner.location = op.location
    parent = op.parent
    assert parent is not None
    parent.insert_op_before(finding, op)
    for size, result in zip(sizes, finding.results, strict=True):
        result.name_hint = size.name_hint
        size.replace_all_uses_with(result)
    for source in reversed(ops):
        # What is asserted before the branch need not be asserted inside of it.
        if all(result.first_use is None for result in source.results):
            source.detach()
            source.erase()
