"""Bodies of reductions, scatters and sorts: those of one op are known by it, all others are applied to whole tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import SSAValue

from ...dialects.symbolic.nodes import Known
from ..model.value_types import sizes_of
from .node import Node
from .values import Tensor

COMMUTATIVE = ("add", "multiply", "maximum", "minimum", "and", "or", "xor")


def only_op(region: Any, index: int = 0, count: int = 1) -> str | None:
    """Returns the op that a body consists of, `None` for others; "first" and "second" return an argument as it is.

    The body has the arguments `index` and `index + count`, and result `index` is asked for.
    """
    block = region.blocks[0]
    pair = (block.arguments[index], block.arguments[index + count])
    ops = [op.operation for op in block.operations]
    yielded = ops[-1].operands[index]
    for argument, name in zip(pair, ("first", "second"), strict=True):
        if yielded == argument:
            return name
    maker = next((op for op in ops[:-1] if any(result == yielded for result in op.results)), None)
    if maker is None or len(maker.operands) != 2:
        return None
    operands = tuple(maker.operands)
    name = str(maker.name).removeprefix("stablehlo.")
    return name if name in COMMUTATIVE and operands in (pair, pair[::-1]) else None


def applied(node: Node, region: Any, arguments: Sequence[SSAValue], sizes: Sequence[Known]) -> list[SSAValue]:
    """Returns what a body makes of tensors of these sizes, element by element."""
    outputs = node.importer.run_region(region, [Tensor(value=value) for value in arguments], is_lifted=True)
    values: list[SSAValue] = []
    for output in outputs:
        assert isinstance(output, Tensor)
        value = node.importer.materialized(output)
        # What the body does not compute from its arguments is one number for all.
        values.append(value if len(sizes_of(value)) == len(sizes) else node.g.broadcast_to(value, list(sizes)))
    return values
