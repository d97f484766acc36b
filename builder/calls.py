"""Calls of the builder's public functions: what does not fit their annotations is one error at the caller's line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast, get_args

from xdsl.dialects.builtin import LocationAttr
from xdsl.utils.exceptions import VerifyException

from .annotations import called_as, fits, hints_of, words_of
from .errors import ArgumentError, BuilderError, InvalidProgramError, shown
from .locations import Location, Locations, caller_location

P = ParamSpec("P")
R = TypeVar("R")


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Returns a function that raises `BuilderError`, at the caller's line, for arguments that do not fit its signature.

    What the verifier refuses inside of it has the caller's line as well.
    """
    known: list[_Parameters] = []

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not known:
            # At the first call, when what annotations name is defined; a program calls few of the functions. Threads may do it at once.
            known.append(_Parameters(function))
        parameters = known[0]
        wrong = parameters.wrong_kind(args, kwargs)
        if wrong is not None:
            raise ArgumentError(_where(args), wrong)
        try:
            return function(*args, **kwargs)
        except BuilderError:
            raise
        except VerifyException as error:
            raise InvalidProgramError(_where(args, kwargs.get("location")), str(error)) from None
        except TypeError:
            wrong = parameters.wrong_number(args, kwargs)
            if wrong is None:
                raise
            raise ArgumentError(_where(args), wrong) from None

    return call


def _where(args: Sequence[object], location: object = None) -> LocationAttr:
    """Returns the location of a call: a builder knows that of `at`."""
    locations = getattr(args[0], "_locations", None) if args else None
    if isinstance(locations, Locations):
        return locations.resolve(cast("Location | None", location))
    return caller_location()


class _Parameters:
    """The parameters of a function, and what fits them."""

    def __init__(self, function: Callable[..., Any]):
        # The class that a user calls is one that is derived.
        self._name = "a builder" if function.__name__ == "__init__" else function.__name__
        self._signature = inspect.signature(function)
        self._hints = hints_of(function)
        kinds = inspect.Parameter
        parameters = self._signature.parameters.values()
        self._by_position = [
            item.name for item in parameters if item.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
        ]
        rest = next((item.name for item in parameters if item.kind == kinds.VAR_POSITIONAL), None)
        self._rest_hint = self._hints.pop(rest, None) if rest is not None else None
        """What several arguments are a list of; `None` where that is anything."""
        if self._rest_hint == Sequence[Any]:
            self._rest_hint = None
        self._fitting: set[tuple[str, type]] = set()
        """Classes whose values fit a parameter, whatever they hold."""
        self._classes: set[tuple[str, type]] = set()
        """Classes that fit a parameter themselves."""

    def wrong_kind(self, args: Sequence[object], kwargs: Mapping[str, object]) -> str | None:
        """Returns what is wrong with the first argument that is not what its annotation says."""
        for name, value in zip(self._by_position, args, strict=False):
            if (name, type(value)) not in self._fitting and not self._fits(name, value):
                return self._refusal(name, value)
        if self._rest_hint is not None and not fits(rest := args[len(self._by_position) :], self._rest_hint):
            (item,) = get_args(self._rest_hint)
            wrong = next(value for value in rest if not fits(value, item))
            return f"{self._name} takes {words_of(item, several=True)}, got {shown(wrong)}"
        for name, value in kwargs.items():
            if (name, type(value)) not in self._fitting and not self._fits(name, value):
                return self._refusal(name, value)
        return None

    def wrong_number(self, args: Sequence[object], kwargs: Mapping[str, object]) -> str | None:
        """Returns what is wrong with arguments that are too few, too many or unknown."""
        try:
            self._signature.bind(*args, **kwargs)
        except TypeError as error:
            return f"{self._name}: {error}; it is called {called_as(self._name, self._signature)}"
        return None

    def _fits(self, name: str, value: object) -> bool:
        if name not in self._hints or (isinstance(value, type) and (name, value) in self._classes):
            return True
        is_fitting = fits(value, self._hints[name])
        if is_fitting and (isinstance(value, str) or not isinstance(value, Sequence | Mapping | type)):
            self._fitting.add((name, type(value)))
        elif is_fitting and isinstance(value, type):
            self._classes.add((name, value))
        return is_fitting

    def _refusal(self, name: str, value: object) -> str:
        words, parameter = words_of(self._hints[name]), self._signature.parameters[name]
        if parameter.default is None:
            words = words.removesuffix(" or None").removesuffix(" or None")
        # Keywords stand for themselves: those of `op` are given to the method of an op.
        if parameter.kind == parameter.KEYWORD_ONLY:
            return f"{name} takes {words}, got {shown(value)}"
        return f"{self._name} takes {words} as {name!r}, got {shown(value)}"
