"""Structural equality: keys that are equal for ops, blocks and functions that compute the same, whatever their values are called."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects.walks import inner_blocks
from .attribute_table import AttributeTable


def _itself(attribute: Attribute) -> Hashable:
    return attribute


def op_key(
    op: Operation,
    operands: Hashable,
    result_types: Hashable = None,
    key_of: Callable[[Attribute], Hashable] = _itself,
) -> Hashable:
    """Returns a key that is equal for ops of one name, with equal attributes and result types, on operands with equal keys.

    With `key_of` attributes count by keys of theirs, such as the numbers of a table.
    """
    types = tuple(key_of(result.type) for result in op.results) if result_types is None else result_types
    return op.name, operands, entries_key(op.properties, key_of), entries_key(op.attributes, key_of), types


def entries_key(entries: Mapping[str, Attribute], key_of: Callable[[Attribute], Hashable]) -> Hashable:
    """Returns what is equal for equal attributes by name."""
    return frozenset((name, key_of(attribute)) for name, attribute in entries.items()) if entries else None


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
        return entries_key(entries, self._key_of)

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
