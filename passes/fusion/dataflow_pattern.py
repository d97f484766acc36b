"""Describes groups of ops by dataflow patterns, and matches them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TypeAlias

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.relax.base import element, from_attr
from ...dialects.relax.ops.core import ConstantOp
from ...records import record


@record
class Wildcard:
    """Any value: what a group reads from outside. A name stands for one value, wherever it occurs."""

    name: str | None = None
    elements: tuple[Attribute, ...] = ()
    """The element types that are allowed, all if there is none."""
    is_constant: bool = False


@record
class CallPattern:
    """A result of an op of a name whose operands match."""

    op: str
    operands: tuple[Pattern, ...]
    any_more: bool = False
    """Whether further operands may follow."""
    attributes: tuple[tuple[str, tuple[object, ...]], ...] = ()
    """The values that an attribute may have, `None` where it may be left out."""
    result: int = 0


@record
class Choice:
    """One of several patterns; an earlier one is preferred."""

    alternatives: tuple[Pattern, ...]


Pattern: TypeAlias = Wildcard | CallPattern | Choice


@record
class NamedPattern:
    """A pattern under the name that the groups it finds get; what comes before the first dot names a code generator."""

    name: str
    pattern: Pattern

    @property
    def backend(self) -> str:
        """The code generator."""
        return backend_of(self.name)


def backend_of(name: str) -> str:
    """Returns the code generator that a pattern's name begins with."""
    return name.partition(".")[0]


@record(eq=False)
class Match:
    """A group of ops, and the values that the names of the pattern stand for."""

    ops: frozenset[Operation] = frozenset()
    values: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])

    def in_order(self) -> list[Operation]:
        """Returns the ops in program order."""
        block = next(iter(self.ops)).parent
        assert block is not None
        return sorted(self.ops, key=block.get_operation_index)


def match_root(pattern: Pattern, root: Operation) -> Match | None:
    """Returns the first match whose last op is the root; nothing but that op's results may be read from outside of the group."""
    return next((candidate for candidate in _match_op(pattern, root, Match()) if not _leaks(candidate, root)), None)


def _leaks(match: Match, root: Operation) -> bool:
    return any(
        use.operation not in match.ops
        for op in match.ops
        if op is not root
        for result in op.results
        for use in result.uses
    )


def _match_op(pattern: Pattern, op: Operation, so_far: Match) -> Iterator[Match]:
    """Yields the ways in which a pattern matches an op, those that earlier alternatives give first."""
    match pattern:
        case Choice():
            for alternative in pattern.alternatives:
                yield from _match_op(alternative, op, so_far)
        case CallPattern() if _fits(pattern, op):
            yield from _match_operands(pattern.operands, op, 0, Match(so_far.ops | {op}, so_far.values))
        case _:
            return


def _match_operands(patterns: tuple[Pattern, ...], op: Operation, index: int, so_far: Match) -> Iterator[Match]:
    if index == len(patterns):
        yield so_far
        return
    for extended in _match_value(patterns[index], op.operands[index], op, so_far):
        yield from _match_operands(patterns, op, index + 1, extended)


def _match_value(pattern: Pattern, value: SSAValue, reader: Operation, so_far: Match) -> Iterator[Match]:
    match pattern:
        case Wildcard():
            if not _is_allowed(pattern, value):
                return
            if pattern.name is None:
                yield so_far
            elif so_far.values.get(pattern.name, value) is value:
                yield Match(so_far.ops, {**so_far.values, pattern.name: value})
        case CallPattern():
            # A group is in one block, and a value is matched as the result that the pattern names.
            owner = value.owner
            if isinstance(owner, Operation) and owner.parent is reader.parent:
                if pattern.result < len(owner.results) and owner.results[pattern.result] is value:
                    yield from _match_op(pattern, owner, so_far)
        case Choice():
            for alternative in pattern.alternatives:
                yield from _match_value(alternative, value, reader, so_far)


def _is_allowed(pattern: Wildcard, value: SSAValue) -> bool:
    if pattern.is_constant and not isinstance(value.owner, ConstantOp):
        return False
    if not pattern.elements:
        return True
    return isinstance(value.type, TensorType | UnrankedTensorType) and element(value) in pattern.elements


def _fits(pattern: CallPattern, op: Operation) -> bool:
    """Returns whether an op has the name, the number of operands and the attributes of a pattern."""
    if op.name != pattern.op:
        return False
    expected, count = len(pattern.operands), len(op.operands)
    if count < expected or (count > expected and not pattern.any_more):
        return False
    for name, allowed in pattern.attributes:
        attr = op.properties.get(name)
        if (None if attr is None else from_attr(attr)) not in allowed:
            return False
    return True
