"""Remembers what was found out of ops that look alike: the layers of a model are verified and typed once.

The rules of an op without effects and regions depend on the types of its operands and its properties alone, but for ranges of symbols
that the function around it declares. Types are told apart by where they are, as their hash takes longer than most rules: those that are
spelled alike, or inferred alike, are one object.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from xdsl.ir import Attribute, ErasedSSAValue, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ..symbolic.order import Ranges
from .symbol_ranges import ranges_at, ranges_of

_MOST_KNOWN = 16384

_verified: dict[Hashable, tuple[Attribute, ...]] = {}
_inferred: dict[Hashable, tuple[tuple[Attribute, ...], Sequence[Attribute]]] = {}
"""By keys, the types that the keys tell apart, which stay where they are as long as they are here, and what was inferred."""


@cache
def _follows_types(op_type: type[IRDLOperation]) -> bool:
    definition = op_type.get_irdl_definition()
    traits = definition.traits.traits
    is_pure = len(traits) == 1 and all(isinstance(trait, Pure) for trait in traits)
    return is_pure and not definition.regions and not definition.successors


def _key(op: IRDLOperation) -> Hashable | None:
    """Returns what is equal for ops that look alike; `None` where more than their types and properties counts."""
    if op.attributes or not _follows_types(type(op)) or _are_there(ranges_at, op):
        return None
    return _common(type(op), len(op.operands), _types(op), op.properties)


def _common(
    op_type: type[IRDLOperation], operands: int, types: Iterable[Attribute], properties: Mapping[str, Attribute]
) -> Hashable:
    return op_type, operands, *map(id, types), *properties.items()


def inferred_before(
    op_type: type[IRDLOperation], operands: Sequence[SSAValue], properties: Mapping[str, Attribute]
) -> Sequence[Attribute] | None:
    """Returns the result types that were inferred for an op like the one that is to be made of operands; `None` where none was."""
    if not operands or not _follows_types(op_type):
        return None
    known = _inferred.get(_common(op_type, len(operands), [operand.type for operand in operands], properties))
    return None if known is None or _are_there(ranges_of, operands) else known[1]


def _are_there(ranges: Callable[[Any], Ranges], place: Any) -> bool:
    try:
        return bool(ranges(place))
    except VerifyException:
        # Whoever needs them says so, with the place.
        return True


def _types(op: Operation) -> tuple[Attribute, ...]:
    return *(operand.type for operand in op.operands), *(result.type for result in op.results)


def verified_key(op: IRDLOperation) -> Hashable | None:
    """Returns what an op has in common with those that verify if it does; `None` where it has to be verified anyway."""
    # The last op of a block may have to be a terminator.
    if op.next_op is None or any(type(operand) is ErasedSSAValue for operand in op.operands):
        return None
    return _key(op)


def is_verified(key: Hashable | None) -> bool:
    """Returns whether an op with such a key was verified."""
    return key is not None and key in _verified


def remember_verified(op: IRDLOperation, key: Hashable | None) -> None:
    """Remembers an op that was verified."""
    if key is not None:
        if len(_verified) >= _MOST_KNOWN:
            _verified.clear()
        _verified[key] = _types(op)


def verify_draft(op: IRDLOperation) -> None:
    """Verifies an op that stands nowhere yet, unless one that looks alike was verified. Raises `VerifyException`."""
    key = _key(op)
    if not is_verified(key):
        op.verify_()
        remember_verified(op, key)


def inferred(op: IRDLOperation, infer: Callable[[], Sequence[Attribute]]) -> Sequence[Attribute]:
    """Returns the result types that were inferred for an op that looks alike, or infers them."""
    key = _key(op)
    if key is None:
        return infer()
    known = _inferred.get(key)
    if known is None:
        result = tuple(infer())
        if len(_inferred) >= _MOST_KNOWN:
            _inferred.clear()
        known = _inferred[key] = _types(op), result
    return known[1]
