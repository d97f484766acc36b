"""Answers about attributes, found by where an attribute is: those of the layers of a model are few objects, and their hash takes long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from xdsl.ir import Attribute

Answer = TypeVar("Answer")


class AttributeTable(Generic[Answer]):
    """What a function answers for attributes, which is asked once of those that are equal."""

    def __init__(self, answer: Callable[[Attribute], Answer]):
        self._answer = answer
        self._by_value: dict[Attribute, Answer] = {}
        self._by_address: dict[int, tuple[Attribute, Answer]] = {}
        """With the attributes, which stay where they are as long as they are here."""

    def __call__(self, attribute: Attribute) -> Answer:
        known = self._by_address.get(id(attribute))
        if known is None:
            if attribute not in self._by_value:
                self._by_value[attribute] = self._answer(attribute)
            known = self._by_address[id(attribute)] = attribute, self._by_value[attribute]
        return known[1]


def attribute_numbers() -> AttributeTable[int]:
    """Returns what numbers attributes: equal ones have one number."""
    seen = 0

    def number(attribute: Attribute) -> int:
        nonlocal seen
        seen += 1
        return seen

    return AttributeTable(number)
