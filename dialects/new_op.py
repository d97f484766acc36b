"""Makes the ops that lowerings make by the ten thousand.

`Operation.create` assigns through the setters that also serve ops that exist already, and looks through the definition of the op
for values by default: three times the work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue, SSAValues, Use
from xdsl.irdl import IRDLOperation

Op = TypeVar("Op", bound=IRDLOperation)

_NONE: Mapping[str, Attribute] = {}


def new_op(
    op_type: type[Op],
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: Mapping[str, Attribute] = _NONE,
    regions: Sequence[Region] = (),
    successors: Sequence[Block] = (),
) -> Op:
    """Returns what `op_type.create` returns."""
    op = op_type.__new__(op_type)
    uses: list[Use] = []
    for index, operand in enumerate(operands):
        use = Use(op, index)
        operand.add_use(use)
        uses.append(use)
    op._operands = SSAValues(operands)  # pyright: ignore[reportPrivateUsage]
    op._operand_uses = tuple(uses)  # pyright: ignore[reportPrivateUsage]
    op.results = SSAValues([OpResult(type_, op, index) for index, type_ in enumerate(result_types)])
    by_default, attributes, is_completed = _defaults(op_type)
    op.properties = {**by_default, **properties}
    op.attributes = dict(attributes)
    op.location = UNKNOWN_LOC
    for region in regions:
        op.add_region(region)
    if successors:
        op.successors = successors
    if is_completed:
        op.__post_init__()
    return op


def append_op(block: Block, op: Operation) -> None:
    """Does what `Block.add_op` does, which looks first whether the op is in a block already, or around this one: a new one is not."""
    last = block.last_op
    op.parent = block
    if last is None:
        block._first_op = op  # pyright: ignore[reportPrivateUsage]
    else:
        last._next_op = op  # pyright: ignore[reportPrivateUsage]
        op._prev_op = last  # pyright: ignore[reportPrivateUsage]
    block._last_op = op  # pyright: ignore[reportPrivateUsage]


@cache
def _defaults(op_type: type[IRDLOperation]) -> tuple[Mapping[str, Attribute], Mapping[str, Attribute], bool]:
    """Returns the properties and attributes of an op of which nothing is said, and whether the op completes what is said itself."""
    op = op_type.create()
    return op.properties, op.attributes, op_type.__post_init__ is not IRDLOperation.__post_init__
