"""Dataclasses whose methods are made when they are first called.

What `dataclasses` makes of a class is six functions, each compiled from text: a third of a millisecond, for hundreds of classes of which
a program needs some. Here the fields are known at once, and the constructor alone is compiled, for classes that are used. The type checker
alone keeps others from writing to the fields of a frozen class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

C = TypeVar("C", bound=type[Any])

_UNSET = object()
"""The default of a parameter whose value a function makes."""


@overload
def record(cls: C, /) -> C: ...


@overload
def record(*, frozen: bool = True, eq: bool = True) -> Callable[[C], C]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: C | None = None, /, *, frozen: bool = True, eq: bool = True) -> C | Callable[[C], C]:
    """Makes a class a dataclass, as `dataclass(frozen=frozen, eq=eq)` does; methods that the class has stay."""
    if cls is None:
        return lambda made: _made(made, frozen, eq)
    return _made(cls, frozen, eq)


def _made(cls: C, frozen: bool, eq: bool) -> C:
    own = {name for name, value in vars(cls).items() if value is not None}
    dataclass(init=False, repr=False, eq=False)(cls)
    if "__init__" not in own:
        _add_constructor(cls)
    if "__repr__" not in own:
        setattr(cls, "__repr__", _shown)
    if eq:
        _add_equality(cls, own, hashable=frozen)
    return cls


def _add_constructor(cls: type[Any]) -> None:
    def first(self: Any, *arguments: Any, **named: Any) -> None:
        constructor = _constructor(cls)
        setattr(cls, "__init__", constructor)
        constructor(self, *arguments, **named)

    setattr(cls, "__init__", first)


def _constructor(cls: type[Any]) -> Callable[..., None]:
    """Compiles the constructor of a class."""
    members = fields(cls)
    names = {"_unset": _UNSET} | {f"_default_{f.name}": f.default for f in members}
    names |= {f"_made_{f.name}": f.default_factory for f in members}
    parameters = [_parameter(f) for f in members if f.init and not f.kw_only]
    named = [_parameter(f) for f in members if f.init and f.kw_only]
    body = [_assignment(f) for f in members if f.init or f.default_factory is not MISSING]
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    head = ", ".join(["self", *parameters, *(["*", *named] if named else [])])
    # Fields are parameters of their own names, which the names around them must not be.
    outer = f"def make({', '.join(names)}):\n def __init__({head}):\n  " + "\n  ".join(body or ["pass"])
    made: dict[str, Any] = {}
    exec(f"{outer}\n return __init__", {}, made)
    constructor = made["make"](**names)
    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    return constructor


def _parameter(f: Field[Any]) -> str:
    if f.default_factory is not MISSING:
        return f"{f.name}=_unset"
    return f.name if f.default is MISSING else f"{f.name}=_default_{f.name}"


def _assignment(f: Field[Any]) -> str:
    if f.default_factory is MISSING:
        return f"self.{f.name} = {f.name}"
    made = f"_made_{f.name}()"
    return f"self.{f.name} = {made} if {f.name} is _unset else {f.name}" if f.init else f"self.{f.name} = {made}"


def _add_equality(cls: type[Any], own: set[str], *, hashable: bool) -> None:
    """Adds comparison by fields; what changes has no hash."""
    values = _values(tuple(f.name for f in fields(cls) if f.compare))

    def equal(self: Any, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    if "__eq__" not in own:
        setattr(cls, "__eq__", equal)
    if "__hash__" not in own:
        setattr(cls, "__hash__", (lambda self: hash(values(self))) if hashable else None)


def _values(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Returns what reads attributes as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if names:
        value_of = attrgetter(*names)
        return lambda value: (value_of(value),)
    return lambda value: ()


def _shown(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({shown})"
