"""The state that a program makes by itself: the function that returns it, and the arguments that take it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..interpreter.host.errors import ArgumentError
from ..interpreter.host.value_types import ObjectValue, TupleValue, ValueType
from .executable.arguments import Signature

INITIALIZE_EFFECT = "_initialize_effect"
"""A function without arguments that returns the first state of a model's effects, as a tuple."""


class InitialState:
    """Which inputs of a function take what `_initialize_effect` returns: its last ones, if they have these types."""

    def __init__(self, functions: Mapping[str, Signature], entry: str):
        types = [argument.type for argument in functions[entry].inputs]
        self._indices: range | None = None
        """The inputs that take a field of the state each; None where the last one takes all of them, or none does."""
        self.inputs = range(0)
        """The inputs that take state."""
        maker = functions.get(INITIALIZE_EFFECT)
        if maker is None or entry == INITIALIZE_EFFECT or len(maker.results) != 1:
            return
        state = maker.results[0]
        fields = list(state.fields) if isinstance(state, TupleValue) else []
        if types and types[-1] == state:
            self.inputs = range(len(types) - 1, len(types))
        elif fields and types[-len(fields) :] == fields:
            self.inputs = self._indices = range(len(types) - len(fields), len(types))

    def given(self, inputs: Sequence[Any], call: Callable[..., tuple[Any, ...]]) -> list[Any]:
        """Returns inputs with a new state in its places."""
        if not self.inputs:
            return list(inputs)
        (state,) = call(INITIALIZE_EFFECT)
        return [*inputs[: self.inputs.start], *([state] if self._indices is None else state)]

    def require_no_objects(self, function: Signature) -> None:
        """Raises `ArgumentError` that lists the inputs that are objects, and no state that the program makes."""
        names = [
            f"'{argument.name}'"
            for index, argument in enumerate(function.inputs)
            if index not in self.inputs and _has_object(argument.type)
        ]
        if names:
            raise ArgumentError(
                f"{function.name} takes objects of Python, which no option gives: {', '.join(names)}; call it from Python"
            )


def _has_object(value_type: ValueType) -> bool:
    if isinstance(value_type, TupleValue):
        return any(map(_has_object, value_type.fields))
    return isinstance(value_type, ObjectValue)
