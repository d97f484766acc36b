"""Structural equality: keys that are equal for ops, blocks and functions that compute the same, whatever their values are called."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from xdsl.ir import Attribute, Block, Operation, SSAValue

from .walks import inner_blocks


def op_key(op: Operation, operands: Hashable, result_types: Hashable = None) -> Hashable:
    """Returns a key that is equal for ops of one name, with equal attributes and result types, on operands with equal keys."""
    types = tuple(result.type for result in op.results) if result_types is None else result_types
    return op.name, operands, frozenset(op.properties.items()), frozenset(op.attributes.items()), types


class Structure:
    """Keys of ops and blocks in which a value counts by its position: that of its definition among those seen so far."""

    def __init__(self, values: Iterable[SSAValue] = ()):
        self._positions: dict[SSAValue, int] = {}
        self.define(values)

    def define(self, values: Iterable[SSAValue]) -> tuple[Attribute, ...]:
        """Numbers values; returns their types."""
        types: list[Attribute] = []
        for value in values:
            self._positions[value] = len(self._positions)
            types.append(value.type)
        return tuple(types)

    def of_values(self, values: Sequence[SSAValue]) -> tuple[int, ...]:
        """Returns the positions of values."""
        return tuple(self._positions[value] for value in values)

    def of_op(self, op: Operation) -> Hashable:
        """Returns the key of an op with what is inside, and numbers its results."""
        operands = self.of_values(op.operands)
        blocks = tuple(map(self.of_block, inner_blocks(op)))
        self.define(op.results)
        return op_key(op, (operands, blocks))

    def of_block(self, block: Block) -> Hashable:
        """Returns the key of a block, and numbers its arguments."""
        return self.define(block.args), tuple(map(self.of_op, block.ops))
