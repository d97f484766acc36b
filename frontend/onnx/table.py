"""The converters of all ops, by the domain and the name of the op."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps

from ..model.problems import Unsupported
from .node import Converter, Node, Outputs

ONNX = ""
CONTRIB = "com.microsoft"

MAX_RANK = 1 << 31

Table = dict[tuple[str, str], Converter]


def converters(table: Table, domain: str = ONNX) -> Callable[..., Callable[[Converter], Converter]]:
    """Returns a decorator that enters a function into a table as the converter of some ops.

    `ranks` are the numbers of dims that operands have, by their places.
    """

    def converts(*names: str, ranks: Mapping[int, range] | None = None) -> Callable[[Converter], Converter]:
        def enter(function: Converter) -> Converter:
            for name in names:
                table[domain, name] = _with_ranks(function, ranks) if ranks else function
            return function

        return enter

    return converts


def exactly(rank: int) -> range:
    """Returns one number of dims."""
    return range(rank, rank + 1)


def at_least(rank: int) -> range:
    """Returns the numbers of dims from one on."""
    return range(rank, MAX_RANK + 1)


def _with_ranks(function: Converter, ranks: Mapping[int, range]) -> Converter:
    """Returns a converter that refuses operands of other numbers of dims."""

    @wraps(function)
    def checked(node: Node) -> Outputs:
        for index, expected in ranks.items():
            if node.has(index) and node.rank(index) not in expected:
                more = "" if len(expected) == 1 else " or more"
                raise Unsupported(f"takes {expected.start}{more} dims as operand {index}, got {node.rank(index)}")
        return function(node)

    return checked
