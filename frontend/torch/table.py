"""The converters of all ops, by the op's name with its overload."""

from __future__ import annotations

from collections.abc import Callable

from .node import Converter

Table = dict[str, Converter]


def converters(table: Table) -> Callable[..., Callable[[Converter], Converter]]:
    """Returns a decorator that enters a function into a table as the converter of ops, by their names.

    `add.Tensor` is one of ATen; `relu` is short for `relu.default`.
    """

    def converts(*names: str) -> Callable[[Converter], Converter]:
        def enter(function: Converter) -> Converter:
            for name in names:
                table[full_name(name)] = function
            return function

        return enter

    return converts


def full_name(name: str) -> str:
    """Returns the name of an op with its namespace and overload: `aten.relu.default`."""
    name = name if "." in name else f"{name}.default"
    return name if name.count(".") > 1 else f"aten.{name}"
