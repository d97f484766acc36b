"""The nearest name of a list, for errors about a name that is unknown."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def suggestion(name: str, known: Iterable[str]) -> str:
    """Returns `, did you mean 'strides'?` for the nearest known name; nothing if none is near."""
    near = nearest(name, known)
    return "" if near is None else f", did you mean {near!r}?"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Returns the nearest known name; `None` if none is near."""
    matches = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def with_known_options(function: Callable[P, R]) -> Callable[P, R]:
    """Makes an unknown keyword of a function a `TypeError` that names the nearest one, and all of them."""
    parameters = inspect.signature(function).parameters
    options = [name for name, parameter in parameters.items() if parameter.kind is inspect.Parameter.KEYWORD_ONLY]

    @wraps(function)
    def checked(*args: P.args, **named: P.kwargs) -> R:
        for name in named:
            if name not in parameters:
                near = suggestion(name, options)
                raise TypeError(f"{function.__name__}: no option {name!r}{near}; its options are {', '.join(options)}")
        return function(*args, **named)

    return checked
