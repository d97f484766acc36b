"""What a parser can do that remembers how ops were spelled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import FunctionType
from xdsl.ir import Attribute, SSAValue


class KnownOpParser(ABC):
    """A parser that reads `%x, %y {a = 1 : i64} : (operand types) -> result types` at once where it knows all of it."""

    @abstractmethod
    def parse_known_op(self) -> tuple[Sequence[SSAValue], Mapping[str, Attribute], FunctionType] | None:
        """Returns operands, attributes and types where they are spelled on one line, each as it was before, of values that are defined.

        Otherwise it returns `None` and stays where it is.
        """
