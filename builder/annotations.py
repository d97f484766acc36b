"""Values held against annotations: whether a value is what an annotation says, and what it says in the words of an error."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin

import numpy as np
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Operation, SSAValue

_NUMBERS: dict[Any, tuple[type[Any], ...]] = {
    bool: (bool, np.bool_, int),
    int: (int, np.integer),
    float: (int, float, np.integer, np.floating),
}
"""What stands for a number that is annotated as a class; but for `bool` itself, `True` and `False` do not."""

_WORDS: dict[Any, tuple[str, str]] = {
    bool: ("True or False", "booleans"),
    int: ("an integer", "integers"),
    float: ("a number", "numbers"),
    str: ("a string", "strings"),
    NoneType: ("None", "None"),
    np.ndarray: ("an array", "arrays"),
    np.generic: ("a number", "numbers"),
    Callable: ("a function", "functions"),
    Mapping: ("a dict", "dicts"),
    Iterable: ("a list", "lists"),
    SSAValue: ("a value", "values"),
    Operation: ("an op", "ops"),
    Attribute: ("a type or attribute", "types or attributes"),
    **dict.fromkeys(get_args(LocationAttr), ("a location", "locations")),
}
"""Annotations in the words of an error, of one value and of several."""


_NOUNS = ("Tensor", "Parameter", "Object", "Path", "Size", "Function")
"""Classes that are words of their own."""


def called_as(name: str, signature: inspect.Signature) -> str:
    """Returns how a function is called: `if_(condition, then, otherwise, *, name=None)`."""
    parameters = [item.replace(annotation=item.empty) for item in signature.parameters.values() if item.name != "self"]
    return f"{name}{inspect.Signature(parameters)}"


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Returns the annotations of parameters by name, that of several arguments as a list."""
    hints = typing.get_type_hints(function, include_extras=True)
    for name, item in inspect.signature(function).parameters.items():
        if item.kind == inspect.Parameter.VAR_POSITIONAL and name in hints:
            hints[name] = Sequence[hints[name]]
        elif item.kind == inspect.Parameter.VAR_KEYWORD:
            hints.pop(name, None)
    return hints


def _alternatives(hint: Any) -> tuple[Any, ...]:
    """Returns the types of a union, or the one type, each without its arguments where these do not count."""
    if get_origin(hint) in (UnionType, typing.Union):
        return tuple(item for part in get_args(hint) for item in _alternatives(part))
    return (hint,)


def fits(given: Any, hint: Any) -> bool:
    """Returns whether a value is what an annotation says: a class, a union, a sequence of a type, or a function.

    Any other holds for all values, a type with a note (`Annotated`) among them, which is checked where it is read.
    """
    return any(_fits_type(given, item) for item in _alternatives(hint))


def _fits_type(given: Any, hint: Any) -> bool:
    # What annotations hold of items is asked of each item; a class, and what is no class, come last.
    origin, items = get_origin(hint) or hint, get_args(hint)
    if origin in (Any, Annotated):
        return True
    if origin is type and items:
        return isinstance(given, type) and issubclass(given, items[0])
    if origin in _NUMBERS:
        return isinstance(given, _NUMBERS[origin]) and (origin is bool or not isinstance(given, bool | np.bool_))
    if origin is Sequence or origin in (list, tuple):
        if isinstance(given, str | bytes) or not isinstance(given, Sequence):
            return False
        element = items[0] if items else Any
        return all(fits(item, element) for item in cast(Sequence[Any], given))
    if origin is Mapping and items:
        return isinstance(given, Mapping) and all(
            fits(key, items[0]) and fits(value, items[1]) for key, value in cast(Mapping[Any, Any], given).items()
        )
    if origin is Callable:
        return callable(given)
    return not isinstance(origin, type) or isinstance(given, origin)


def words_of(hint: Any, several: bool = False) -> str:
    """Returns what an annotation takes, as a sentence says it; the note of a type is its words."""
    alternatives = _alternatives(hint)
    # A number is a size as well.
    has_size = any(getattr(item, "__name__", None) == "Size" for item in alternatives)
    words = [_word(item, several) for item in alternatives if not (item is int and has_size)]
    return " or ".join(dict.fromkeys(words))


def _word(hint: Any, several: bool) -> str:
    # What holds items says which, where that is known.
    origin, items = get_origin(hint) or hint, get_args(hint)
    if origin is Annotated:
        return items[1][several]
    if origin is type and items:
        return f"{'classes' if several else 'a class'} derived from {items[0].__name__}"
    if origin is Sequence or origin in (list, tuple):
        what = f" of {words_of(items[0], several=True)}" if items else ""
        return f"lists{what}" if several else f"a list{what}"
    if origin is Mapping and items and not isinstance(items[1], TypeVar) and items[1] is not Any:
        return f"{'dicts' if several else 'a dict'} of {words_of(items[1], several=True)}"
    known = _WORDS.get(origin)
    if known is None:
        noun = origin.__name__.lower() if origin.__name__ in _NOUNS else origin.__name__
        known = f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}", f"{noun}s"
    return known[several]
