"""The converters of all ops, by the domain and the name of the op."""

from __future__ import annotations

from collections.abc import Callable

from .node import Converter

ONNX = ""
CONTRIB = "com.microsoft"

Table = dict[tuple[str, str], Converter]


def converters(table: Table, domain: str = ONNX) -> Callable[..., Callable[[Converter], Converter]]:
    """Returns a decorator that enters a function into a table as the converter of some ops."""

    def converts(*names: str) -> Callable[[Converter], Converter]:
        def enter(function: Converter) -> Converter:
            for name in names:
                table[domain, name] = function
            return function

        return enter

    return converts
