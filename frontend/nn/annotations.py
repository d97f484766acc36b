"""Arguments held against annotations: a function of models refuses, in one line, what its signature does not say that it takes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

from ...builder.annotations import called_as, fits, hints_of, words_of
from ...builder.errors import shown
from .errors import ModelTypeError

P = ParamSpec("P")
R = TypeVar("R")


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Returns a function that raises `ModelError` for arguments that do not fit its signature: too few or many, or of another type.

    An annotation is a class, a union, a sequence of a type, or a function; any other holds for all values.
    """
    # Annotations name classes that may be defined below the function.
    signature = functools.cache(lambda: inspect.signature(function))
    hints = functools.cache(lambda: hints_of(function))

    @functools.wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        who = label(function, arguments[0] if arguments else None)
        for name, given in bound(signature(), who, arguments, named).arguments.items():
            hint = hints().get(name, Any)
            if not fits(given, hint):
                raise ModelTypeError(f"{who} takes {words_of(hint)} as {name!r}, got {shown(given)}")
        return function(*arguments, **named)

    return call


def bound(
    signature: inspect.Signature, name: str, arguments: Iterable[Any], named: Mapping[str, Any]
) -> inspect.BoundArguments:
    """Returns arguments by the names of a function's parameters. Raises `ModelError` for too few, too many, or unknown ones."""
    try:
        return signature.bind(*arguments, **named)
    except TypeError as error:
        raise ModelTypeError(f"{name}: {error}; it is called {called_as(name, signature)}") from None


def label(function: Callable[..., Any], owner: object) -> str:
    """Returns the name of a function, or of a method of an object, as users write it: `exp`, `Linear.forward`, `Linear` for `__init__`."""
    name, qualified = function.__name__, function.__qualname__.rpartition("<locals>.")[2]
    if name == qualified:
        return name
    kind = (
        type(owner).__name__ if hasattr(owner, name) and not isinstance(owner, type) else qualified.rpartition(".")[0]
    )
    return kind if name == "__init__" else f"{kind}.{name}"
