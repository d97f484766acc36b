"""Tests of the class of ops, attributes and values that remember their answers.

xDSL's classes are abstract, of which `isinstance` asks a function of Python each time, for each class that is named: passes that look at
every op of a model would spend a tenth of their time there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from typing_extensions import TypeIs

Kind = TypeVar("Kind")


def kind_test(*kinds: type[Kind]) -> Callable[[object], TypeIs[Kind]]:
    """Returns what `isinstance` answers for classes, as a function of the object alone."""
    known: dict[type, bool] = {}

    def test(value: object) -> TypeIs[Kind]:
        kind = type(value)
        answer = known.get(kind)
        if answer is None:
            answer = known[kind] = issubclass(kind, kinds)
        return answer

    return test
