"""Arguments held against annotations: a function of models refuses, in one line, what its signature does not say that it takes."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, ParamSpec, TypeVar, cast, get_args, get_origin

import numpy as np

from ...builder.arguments import shown
from ...builder.types import Size
from .errors import ModelTypeError

P = ParamSpec("P")
R = TypeVar("R")

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
    Size: ("a size", "sizes"),
    NoneType: ("None", "None"),
    np.ndarray: ("an array", "arrays"),
    np.generic: ("a number", "numbers"),
    Callable: ("a function", "functions"),
    Mapping: ("a dict", "dicts"),
    Iterable: ("a list", "lists"),
}
"""Annotations in the words of an error, of one value and of several."""


_NOUNS = ("Tensor", "Parameter", "Object", "Path")
"""Classes that are words of their own."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Returns a function that raises `ModelError` for arguments that do not fit its signature: too few or many, or of another type.

    An annotation is a class, a union, a sequence of a type, or a function; any other holds for all values.
    """
    # Annotations name classes that may be defined below the function.
    signature = functools.cache(lambda: inspect.signature(function))
    hints = functools.cache(lambda: _hints_of(function))

    @functools.wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        who = label(function, arguments[0] if arguments else None)
        for name, given in bound(signature(), who, arguments, named).arguments.items():
            hint = hints().get(name, Any)
            if not _fits(given, hint):
                raise ModelTypeError(f"{who} takes {_words(hint)} as {name!r}, got {shown(given)}")
        return function(*arguments, **named)

    return call


def bound(
    signature: inspect.Signature, name: str, arguments: Iterable[Any], named: Mapping[str, Any]
) -> inspect.BoundArguments:
    """Returns arguments by the names of a function's parameters. Raises `ModelError` for too few, too many, or unknown ones."""
    try:
        return signature.bind(*arguments, **named)
    except TypeError as error:
        parameters = [item.replace(annotation=item.empty) for item in signature.parameters.values()]
        called = f"{name}{inspect.Signature([item for item in parameters if item.name != 'self'])}"
        raise ModelTypeError(f"{name}: {error}; it is called {called}") from None


def label(function: Callable[..., Any], owner: object) -> str:
    """Returns the name of a function, or of a method of an object, as users write it: `exp`, `Linear.forward`, `Linear` for `__init__`."""
    name, qualified = function.__name__, function.__qualname__.rpartition("<locals>.")[2]
    if name == qualified:
        return name
    kind = (
        type(owner).__name__ if hasattr(owner, name) and not isinstance(owner, type) else qualified.rpartition(".")[0]
    )
    return kind if name == "__init__" else f"{kind}.{name}"


def _hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(function)
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


def _fits(given: Any, hint: Any) -> bool:
    return any(_fits_type(given, item) for item in _alternatives(hint))


def _fits_type(given: Any, hint: Any) -> bool:
    # What annotations hold of items is asked of each item; a class, and what is no class, come last.
    origin, items = get_origin(hint) or hint, get_args(hint)
    if origin is Any:
        return True
    if origin in _NUMBERS:
        return isinstance(given, _NUMBERS[origin]) and (origin is bool or not isinstance(given, bool | np.bool_))
    if origin is Sequence or origin in (list, tuple):
        if isinstance(given, str | bytes) or not isinstance(given, Sequence):
            return False
        element = items[0] if items else Any
        return all(_fits(item, element) for item in cast(Sequence[Any], given))
    if origin is Mapping and items:
        return isinstance(given, Mapping) and all(
            _fits(key, items[0]) and _fits(value, items[1]) for key, value in cast(Mapping[Any, Any], given).items()
        )
    if origin is Callable:
        return callable(given)
    return not isinstance(origin, type) or isinstance(given, origin)


def _words(hint: Any, several: bool = False) -> str:
    """Returns what an annotation takes, as a sentence says it."""
    alternatives = _alternatives(hint)
    # A number is a size as well.
    words = [_word(item, several) for item in alternatives if not (item is int and Size in alternatives)]
    return " or ".join(dict.fromkeys(words))


def _word(hint: Any, several: bool) -> str:
    origin, items = get_origin(hint) or hint, get_args(hint)
    if origin is Sequence or origin in (list, tuple):
        what = f" of {_words(items[0], several=True)}" if items else ""
        return f"lists{what}" if several else f"a list{what}"
    if origin is Mapping and items and not isinstance(items[1], TypeVar) and items[1] is not Any:
        return f"{'dicts' if several else 'a dict'} of {_words(items[1], several=True)}"
    known = _WORDS.get(origin)
    if known is None:
        noun = origin.__name__.lower() if origin.__name__ in _NOUNS else origin.__name__
        known = f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}", f"{noun}s"
    return known[several]
