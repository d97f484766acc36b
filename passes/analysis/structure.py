"""Structural equality: keys that are equal for ops, blocks and functions that compute the same, whatever their values are called."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from xdsl.ir import Attribute, Block, Operation, SSAValue

from .attribute_table import AttributeTable
from .walks import inner_blocks


def op_key(op: Operation, operands: Hashable, result_types: Hashable = None) -> Hashable:
    """Returns a key that is equal for ops of one name, with equal attributes and result types, on operands with equal keys."""
    types = tuple(result.type for result in op.results) if result_types is None else result_types
    return op.name, operands, frozenset(op.properties.items()), frozenset(op.attributes.items()), types


def _itself(attribute: Attribute) -> Hashable:
    return attribute


class Structure:
    """Keys of ops and blocks in which a value counts by its position: that of its definition among those seen so far."""

    def __init__(self, values: Iterable[SSAValue] = (), numbers: AttributeTable[int] | None = None):
        """Keys with the same numbers of attributes, or with none, can be compared; numbers are quicker to compare."""
        self._positions: dict[SSAValue, int] = {}
        self._key_of: Callable[[Attribute], Hashable] = numbers or _itself
        self.define(values)

    def define(self, values: Iterable[SSAValue]) -> Hashable:
        """Numbers values; returns the key of their types."""
        types: list[Hashable] = []
        for value in values:
            self._positions[value] = len(self._positions)
            types.append(self._key_of(value.type))
        return tuple(types)

    def of_entries(self, entries: Mapping[str, Attribute]) -> Hashable:
        """Returns the key of attributes by name."""
        return frozenset((name, self._key_of(attribute)) for name, attribute in entries.items()) if entries else None

    def of_values(self, values: Sequence[SSAValue]) -> tuple[int, ...]:
        """Returns the positions of values."""
        return tuple(self._positions[value] for value in values)

    def of_op(self, op: Operation) -> Hashable:
        """Returns the key of an op with what is inside, and numbers its results."""
        operands = self.of_values(op.operands)
        blocks = tuple(map(self.of_block, inner_blocks(op)))
        types = self.define(op.results)
        return op.name, operands, blocks, self.of_entries(op.properties), self.of_entries(op.attributes), types

    def of_block(self, block: Block) -> Hashable:
        """Returns the key of a block, and numbers its arguments."""
        return self.define(block.args), tuple(map(self.of_op, block.ops))
