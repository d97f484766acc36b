"""Effects: state that every method of a model takes and returns, such as a cache, or the order of what is printed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from .tensor import Value


class Effect(ABC):
    """State that methods thread through: an argument of each, and a result of each, in place of a side effect."""

    @abstractmethod
    def emit_init(self, name_hint: str) -> list[Value]:
        """Inserts ops that make the first state, into the function `_initialize_effect`."""

    @abstractmethod
    def create(self, name_hint: str) -> list[Value]:
        """Returns placeholders of the state, which tell the names and types of the arguments."""

    @abstractmethod
    def set_state(self, state_vars: Sequence[Value]) -> None:
        """Sets the state when a method begins."""

    @abstractmethod
    def finalize(self) -> list[Value]:
        """Returns the state at the end of a method, and forgets it."""

    def to(self, dtype: str | None = None) -> None:
        """Changes the dtype of the state; most have none."""
