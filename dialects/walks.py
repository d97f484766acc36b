"""Walks that xDSL does not have: the blocks directly inside of an op, all ops and all values inside, the function around it."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue


def inner_blocks(op: Operation) -> list[Block]:
    """Returns the blocks of an op's own regions; `walk_blocks` yields those further inside too."""
    return [block for region in op.regions for block in region.blocks]


def ops_inside(op: Operation) -> list[Operation]:
    """Returns an op and all that are inside, in the order of `walk`, whose generators in each other take five times as long."""
    # Invariant: what is pending, with all behind it in its block, comes later than all that is collected, the next one last.
    collected: list[Operation] = [op]
    pending: list[Operation] = _first_ops(op)
    while pending:
        current: Operation | None = pending.pop()
        while current is not None:
            collected.append(current)
            following = current._next_op  # pyright: ignore[reportPrivateUsage]
            if current.regions:
                if following is not None:
                    pending.append(following)
                pending += _first_ops(current)
                break
            current = following
    return collected


def _first_ops(op: Operation) -> list[Operation]:
    """Returns the first op of each block directly inside of an op, the last block first."""
    blocks = [block for region in op.regions for block in region.blocks]
    return [first for block in reversed(blocks) if (first := block.first_op) is not None]


def walk_values(op: Operation) -> Iterator[SSAValue]:
    """Yields the values that are defined inside of an op: arguments of blocks and results of ops."""
    for block in op.walk_blocks():
        yield from block.args
        for inner in block.ops:
            yield from inner.results


def enclosing_function(op: Operation) -> func.FuncOp:
    """Returns the function that an op is in."""
    parent = op.parent_op()
    while not isinstance(parent, func.FuncOp):
        assert parent is not None
        parent = parent.parent_op()
    return parent
