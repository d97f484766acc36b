"""What an op is called with, read off its irdl definition: its signature, and Python values as operands and attributes.

A new op needs nothing here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TupleType,
    f32,
    f64,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import OperandDef, OptionalDef, OptOperandDef, VarOperandDef, VerificationContext
from xdsl.utils.exceptions import VerifyException

from ..dialects.nearest_name import suggestion
from ..dialects.relax.attribute_kinds import SAMPLES, accepts, kinds_of
from ..dialects.relax.attrs import ObjectType, ShapeType, tensor_type
from ..dialects.relax.base import RelaxOp, to_attr
from ..dialects.relax.dense import dense_from_numpy
from ..dialects.relax.dtypes import element_from_numpy
from ..records import record
from .errors import reason_of, shown
from .types import element_type, unmasked

_MOST_INTEGERS = 8
"""Lists of more integers than this are rarely met again."""

_MOST_KNOWN = 1024
"""So many attributes of an op are remembered."""

VALUES: Mapping[str, Attribute] = {
    "tensor": tensor_type((), f32),
    "shape": ShapeType(()),
    "tuple": TupleType(()),
    "object": ObjectType(),
}
"""A type of each kind of operand."""

Operand: TypeAlias = Any
"""What stands for an operand: a value, an op with one result, an array for a tensor, a list of sizes for a shape."""


class ArgumentsError(Exception):
    """Arguments that do not fit an op; the text has the op's name and its signature."""


@record
class Parameter:
    """One operand or attribute of an op."""

    name: str
    kinds: tuple[str, ...]
    """The kinds that it may have; empty for any."""
    is_required: bool
    is_variadic: bool = False

    @property
    def words(self) -> str:
        """The kinds, as a signature shows them."""
        return "|".join(self.kinds)

    @property
    def expected(self) -> str:
        """The kinds, as a sentence says them."""
        return " or ".join(_WITH_ARTICLE.get(kind, kind) for kind in self.kinds) or "a value"


_WITH_ARTICLE = {
    **{kind: f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}" for kind in (*VALUES, *SAMPLES)},
    "bool": "True or False",
    "int": "an integer",
    "str": "a string",
    "ints": "a list of integers",
    "floats": "a list of numbers",
    "dtype": "an element type",
    "dict": "a dictionary",
    "symbol": "the name of a function",
}


class _Default:
    """What an attribute is that a call leaves out: the rules of its op know."""

    def __repr__(self) -> str:
        return "..."


class OpSignature:
    """How an op is called: `nn.conv2d(data, weight, *, strides: ints = ...)`."""

    def __init__(self, op_type: type[RelaxOp]):
        definition = op_type.get_irdl_definition()
        self.op_type = op_type
        self.name = op_type.name
        self._operands = dict(definition.operands)
        self._properties = definition.properties
        self._known: dict[Hashable, Attribute] = {}
        """Attributes that were made of numbers, words, and lists of integers, by name and value."""
        self.operands = [
            Parameter(
                name,
                kinds_of(VALUES, lambda sample, operand=operand: _accepts_type(operand, sample)),
                not isinstance(operand, OptOperandDef | VarOperandDef),
                isinstance(operand, VarOperandDef) and not isinstance(operand, OptOperandDef),
            )
            for name, operand in definition.operands
        ]
        self.attributes = {
            name: Parameter(
                name,
                kinds_of(SAMPLES, lambda sample, definition=definition: accepts(definition, sample)),
                not isinstance(definition, OptionalDef) and definition.default_value is None,
            )
            for name, definition in definition.properties.items()
        }

    def __str__(self) -> str:
        """Returns the signature as text, with the name that the op has as a method of a builder."""
        shown = [
            f"*{operand.name}" if operand.is_variadic else operand.name + ("" if operand.is_required else "=None")
            for operand in self.operands
        ]
        if self.attributes:
            shown += [] if any(operand.is_variadic for operand in self.operands) else ["*"]
            shown += [
                f"{attribute.name}: {attribute.words}{'' if attribute.is_required else ' = ...'}"
                for attribute in self.attributes.values()
            ]
        return f"{self.name.removeprefix('relax.')}({', '.join(shown)})"

    def python(self) -> inspect.Signature:
        """Returns the signature as Python's tools show it."""
        kinds = inspect.Parameter
        parameters: list[inspect.Parameter] = []
        for operand in self.operands:
            default = kinds.empty if operand.is_required or operand.is_variadic else None
            follows_list = any(parameter.kind == kinds.VAR_POSITIONAL for parameter in parameters)
            # Python has one list of arguments; what follows it in an op can be given by name.
            by_position = kinds.VAR_POSITIONAL if operand.is_variadic else kinds.POSITIONAL_OR_KEYWORD
            kind = kinds.KEYWORD_ONLY if follows_list else by_position
            parameters.append(kinds(operand.name, kind, default=default))
        for attribute in self.attributes.values():
            # The rules of an op know what a missing attribute stands for; `None` leaves it out as well.
            default = kinds.empty if attribute.is_required else _Default()
            parameters.append(kinds(attribute.name, kinds.KEYWORD_ONLY, default=default, annotation=attribute.words))
        return inspect.Signature(parameters)

    def fail(self, message: str) -> ArgumentsError:
        """Returns the error of arguments that do not fit."""
        return ArgumentsError(f"{self.name} {message}; it is called {self}")

    def bind(
        self, positional: Sequence[Operand], keywords: Mapping[str, Any], lift: Callable[[Parameter, Any], SSAValue]
    ) -> tuple[list[SSAValue], dict[str, Attribute]]:
        """Returns the operands in order and the attributes. `lift` makes a value of what stands for an operand.

        Raises `ArgumentsError` for what is missing, unknown, given twice, too much, or of another kind.
        """
        known = {*self.attributes, *(operand.name for operand in self.operands)}
        for name in keywords:
            if name not in known:
                raise self.fail(f"has no argument {name!r}{suggestion(name, known)}")
        by_name = {operand.name: keywords[operand.name] for operand in self.operands if operand.name in keywords}
        operands = [
            self._operand(parameter, value, lift)
            for parameter, values in self._distributed(positional, by_name)
            for value in values
        ]
        attributes = {
            name: self._attribute(self.attributes[name], value)
            for name, value in keywords.items()
            if name in self.attributes and value is not None
        }
        for attribute in self.attributes.values():
            if attribute.is_required and attribute.name not in attributes:
                raise self.fail(f"needs the argument {attribute.name!r}, {attribute.expected}")
        return operands, attributes

    def _distributed(
        self, positional: Sequence[Operand], by_name: Mapping[str, Any]
    ) -> Iterator[tuple[Parameter, Sequence[Operand]]]:
        """Yields each operand with the values it gets: required ones get one each, the first that may have more gets what is left."""
        waiting = [operand for operand in self.operands if operand.name not in by_name]
        surplus = len(positional) - sum(operand.is_required for operand in waiting)
        if surplus < 0:
            missing = [operand for operand in waiting if operand.is_required][surplus]
            raise self.fail(f"needs the operand {missing.name!r}, {missing.expected}")
        flexible = [operand for operand in waiting if not operand.is_required]
        remaining = iter(positional)
        taken: list[tuple[Parameter, Sequence[Operand]]] = []
        for operand in self.operands:
            if operand.name in by_name:
                value = by_name[operand.name]
                if operand.is_variadic and not isinstance(value, list | tuple):
                    raise self.fail(f"takes a list of values as {operand.name!r}, got {shown(value)}")
                taken.append((operand, value if operand.is_variadic else () if value is None else (value,)))
                continue
            # Operands of an op with several lists follow each other; which is whose, the op itself says.
            count = 1 if operand.is_required else surplus if operand.is_variadic else min(surplus, 1)
            if operand in flexible:
                surplus -= count
            taken.append((operand, [next(remaining) for _ in range(count)]))
        if surplus > 0:
            given = ", ".join(repr(name) for name in by_name)
            most = len(positional) - surplus
            raise self.fail(
                f"takes {most} operand{'' if most == 1 else 's'}{f' beside {given}' if given else ''}, got {len(positional)}"
            )
        for operand, values in taken:
            yield operand, [value for value in values if value is not None or operand.is_required]

    def _operand(self, parameter: Parameter, given: Operand, lift: Callable[[Parameter, Any], SSAValue]) -> SSAValue:
        try:
            value = lift(parameter, given)
        except (TypeError, ValueError) as error:
            raise self.fail(f"cannot take {shown(given)} as {parameter.name!r}: {reason_of(error)}") from None
        if not _accepts_type(self._operands[parameter.name], value.type):
            raise self.fail(f"takes {parameter.expected} as {parameter.name!r}, got {value.type}")
        return value

    def _attribute(self, parameter: Parameter, given: Any) -> Attribute:
        key = _value_key(given)
        if key is None:
            return self._made_attribute(parameter, given)
        key = parameter.name, key
        known = self._known.get(key)
        if known is None:
            known = self._made_attribute(parameter, given)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = known
        return known

    def _made_attribute(self, parameter: Parameter, given: Any) -> Attribute:
        definition = self._properties[parameter.name]
        try:
            for candidate in _candidates(given, parameter.kinds):
                if accepts(definition, candidate):
                    return candidate
        except (OverflowError, TypeError, ValueError) as error:
            if not isinstance(given, Mapping):
                raise self.fail(f"cannot take {shown(given)} as {parameter.name!r}: {reason_of(error)}") from None
        raise self.fail(f"takes {parameter.expected} as {parameter.name!r}, got {shown(given)}")


def _value_key(given: Any) -> Hashable | None:
    """Returns what is equal for Python values that stand for the same attribute; `None` for others than those that layers repeat."""
    kind = type(given)
    if kind in (int, bool, str):
        return kind, given
    # Not of floats, as 0.0 equals -0.0, nor of lists of several kinds, as 1 equals True.
    is_short = kind in (list, tuple) and 0 < len(given) <= _MOST_INTEGERS
    return (kind, *given) if is_short and all(type(item) is int for item in given) else None


@cache
def signature_of(op_type: type[RelaxOp]) -> OpSignature:
    """Returns how an op is called."""
    return OpSignature(op_type)


def _accepts_type(definition: OperandDef, value_type: Attribute) -> bool:
    try:
        definition.constr.verify((value_type,), VerificationContext())
    except VerifyException:
        return False
    return True


def _candidates(given: Any, kinds: Sequence[str]) -> Iterator[Attribute]:
    """Yields the attributes that a Python value may stand for, the most literal one first."""
    # `bool` comes before `int`, of which it is a subclass.
    if "dtype" in kinds and not isinstance(given, Attribute | bool | int | float | np.ndarray):
        try:
            yield element_type(given)
        except ValueError:
            return
    match given:
        case Attribute():
            yield given
        case bool() | np.bool_():
            yield BoolAttr.from_bool(bool(given))
        case int() | np.integer() if _fits(given):
            yield IntegerAttr(int(given), i64)
            yield FloatAttr(float(given), f64)
            yield DenseArrayBase.from_list(i64, [int(given)])
        case float() | np.floating():
            yield FloatAttr(float(given), f64)
        case str():
            yield StringAttr(given)
            yield SymbolRefAttr(given)
        case np.ndarray():
            unmasked(given)
            yield dense_from_numpy(given, element_from_numpy(given.dtype))
        case list() | tuple():
            items = cast(Sequence[Any], given)
            if not all(_fits(item) for item in items if isinstance(item, int | np.integer)):
                return
            if all(isinstance(item, int | np.integer) and not isinstance(item, bool) for item in items):
                yield DenseArrayBase.from_list(i64, [int(item) for item in items])
            if all(isinstance(item, int | float | np.number) for item in items):
                yield DenseArrayBase.from_list(f64, [float(item) for item in items])
        case Mapping():
            attribute = to_attr(cast(Mapping[str, Any], given))
            assert attribute is not None
            yield attribute
        case _:
            pass


def _fits(number: int | np.integer[Any]) -> bool:
    """Returns whether an integer is an i64."""
    return -(1 << 63) <= int(number) < 1 << 63
