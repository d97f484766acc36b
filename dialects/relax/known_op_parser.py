"""What a parser can do that remembers how ops were spelled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

from xdsl.irdl import IRDLOperation

Op = TypeVar("Op", bound=IRDLOperation)


class KnownOpParser(ABC):
    """A parser that reads `%x, %y {a = 1 : i64} : (operand types) -> result types` at once where it knows all of it."""

    @abstractmethod
    def parse_known_op(self, op_type: type[Op]) -> Op | None:
        """Returns the op whose operands, attributes and types are spelled on one line, each as it was before, of values that are defined.

        Otherwise it returns `None` and stays where it is.
        """
