"""Options of passes that are checked when a pass is made, from text and from Python alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from xdsl.passes import ModulePass

_RANGE = "range"


def within(default: int, least: int, most: int | None = None) -> Any:
    """Returns the field of an integer option with a default and a range; without `most` there is no upper limit."""
    return dataclasses.field(default=default, metadata={_RANGE: (least, most)})


class PassWithOptions(ModulePass):
    """A pass that raises `ValueError` for an option of another type than declared, or out of the range of `within`."""

    def __post_init__(self) -> None:
        for name, hint, limits in _options(type(self)):
            value = getattr(self, name)
            wanted = _wanted(value, hint, limits)
            if wanted is not None:
                raise ValueError(f"{name}: expected {wanted}, got {value!r}")


@cache
def _options(pass_type: type[Any]) -> Sequence[tuple[str, Any, tuple[int, int | None] | None]]:
    hints = get_type_hints(pass_type)
    fields = [option for option in dataclasses.fields(pass_type) if option.init]
    return [(option.name, hints[option.name], option.metadata.get(_RANGE)) for option in fields]


def _wanted(value: object, hint: Any, limits: tuple[int, int | None] | None) -> str | None:
    """Returns what an option must be, if a value is not that."""
    if limits is not None:
        least, most = limits
        fits = type(value) is int and least <= value and (most is None or value <= most)
        return None if fits else f"at least {least}" if most is None else f"{least} to {most}"
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        fits = any(type(value) is type(choice) and value == choice for choice in choices)
        return None if fits else f"one of {', '.join(map(str, choices))}"
    if hint is bool:
        return None if type(value) is bool else "true or false"
    if hint is str:
        return None if type(value) is str else "a string"
    return None
