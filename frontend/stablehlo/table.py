"""The converters of all ops, by their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .node import Converter


@dataclass(frozen=True)
class Entry:
    """How an op is converted."""

    convert: Converter
    is_elementwise: bool = False
    """Whether the op may stand in a body that is applied to whole tensors in place of scalars."""


Table = dict[str, Entry]


def converters(table: Table, is_elementwise: bool = False) -> Callable[..., Callable[[Converter], Converter]]:
    """Returns a decorator that enters a function into a table as the converter of some ops, without `stablehlo.` in their names."""

    def converts(*names: str) -> Callable[[Converter], Converter]:
        def enter(function: Converter) -> Converter:
            for name in names:
                table[f"stablehlo.{name}"] = Entry(function, is_elementwise)
            return function

        return enter

    return converts
