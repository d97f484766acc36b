"""Refuses attributes that mean nothing where they stand: a misspelled name would be ignored without a word.

An op of ours has its declared attributes. Beside them, and on everything else, stand attributes of this vocabulary where they belong, and
those of other dialects, which have a dot in their name (`acme.cost`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, OperandDef, OptionalDef, OptOperandDef, VarOperandDef
from xdsl.utils.exceptions import VerifyException

from ...nearest_name import suggestion
from ..attribute_kinds import accepts, expected
from . import attributes
from .attribute_name import AttributeName
from .place import Place, place_of

PREFIX = "relax."
_VOCABULARY: Mapping[str, AttributeName[Any]] = {
    value.name: value for value in vars(attributes).values() if isinstance(value, AttributeName)
}
_ANNOTATIONS = frozenset(name for name in _VOCABULARY if not name.startswith(PREFIX))
"""What keeps the name that TVM gives it, without a prefix."""
_ENTRIES = (("arg_attrs", "argument", Place.ARGUMENT), ("res_attrs", "result", Place.RESULT))


def verify_op_attributes(op: IRDLOperation) -> None:
    """Checks the attributes of an op of ours, or of one built on ours, beside its declared ones. Raises `VerifyException`."""
    if not op.attributes:
        return
    for name in op.attributes:
        if "." not in name and name not in _ANNOTATIONS:
            raise _undeclared(op, name)
    _verify(op.attributes, place_of(op), f"on {op.name}")


def verify_declared_attributes(op: IRDLOperation) -> None:
    """Checks that an op has its declared attributes, each of the kind that is declared, and no other. Raises `VerifyException`."""
    declared = op.get_irdl_definition().properties
    for name, attr in op.properties.items():
        if name not in declared:
            raise _undeclared(op, name)
        if not accepts(declared[name], attr):
            raise VerifyException(f"{op.name}: {name} must be {expected(declared[name])}, got {attr}")
    for name, definition in declared.items():
        if name not in op.properties and not isinstance(definition, OptionalDef):
            raise VerifyException(f"{op.name} needs the attribute {name!r}, {expected(definition)}")


def verify_number_of_operands(op: IRDLOperation) -> None:
    """Checks that an op has as many operands as it declares. Raises `VerifyException`, with their names."""
    declared = op.get_irdl_definition().operands
    required = sum(not isinstance(operand, OptOperandDef | VarOperandDef) for _, operand in declared)
    most = None if any(_is_variadic(operand) for _, operand in declared) else len(declared)
    count = len(op.operands)
    if required <= count and (most is None or count <= most):
        return
    wanted = str(required) if required == most else f"at least {required}" if count < required else f"at most {most}"
    names = ", ".join(f"{name}..." if _is_variadic(operand) else name for name, operand in declared)
    plural = "" if wanted.endswith(" 1") or wanted == "1" else "s"
    raise VerifyException(f"{op.name}: expected {wanted} operand{plural}{f' ({names})' if names else ''}, got {count}")


def _is_variadic(operand: OperandDef) -> bool:
    return isinstance(operand, VarOperandDef) and not isinstance(operand, OptOperandDef)


def _undeclared(op: IRDLOperation, name: str) -> VerifyException:
    known = tuple(op.get_irdl_definition().properties)
    near = suggestion(name, known)
    return VerifyException(
        f"{op.name} has no attribute {name!r}{near or ','} its attributes: {', '.join(known) or 'none'}"
    )


def verify_vocabulary(op: Operation) -> None:
    """Checks our attributes on any op, and on the arguments and results of a function. Raises `VerifyException`."""
    place = place_of(op)
    if op.attributes:
        _verify(op.attributes, place, f"on {op.name}")
    if place is Place.FUNCTION:
        for prop, what, inner in _ENTRIES:
            for index, entry in enumerate(_dictionaries(op.properties.get(prop))):
                _verify(entry, inner, f"on {what} {index} of a function")


def _dictionaries(attr: Attribute | None) -> list[Mapping[str, Attribute]]:
    entries = list[Attribute](attr.data) if isinstance(attr, ArrayAttr) else []  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    return [entry.data for entry in entries if isinstance(entry, DictionaryAttr)]


def _verify(holder: Mapping[str, Attribute], place: Place, where: str) -> None:
    for name, attr in holder.items():
        known = _VOCABULARY.get(name)
        if known is None:
            if name.startswith(PREFIX):
                near = [other for other, attribute in _VOCABULARY.items() if place in attribute.places]
                raise VerifyException(
                    f"there is no attribute {name!r}{suggestion(name, near) or suggestion(name, _VOCABULARY)}"
                )
        elif place in known.places:
            known.value_of(attr)
        elif name.startswith(PREFIX):
            raise VerifyException(f"{name} stands on {known.places.words}, found {where}")
