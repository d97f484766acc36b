"""The nodes of dimension expressions: integers, leaves, and applications of `+ - *`, `floordiv`, `mod`, `min`, `max`.

A *dim* is an `int`, an `Expr`, or `None` (unknown). Leaves stand for sizes, thus for non-negative integers. A node is data: what is
known of expressions stands in the other modules of this room, and `expressions` makes only canonical ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


class Leaf:
    """What an expression takes as given. A stage that knows other sizes than symbols has subclasses of its own."""

    __slots__ = ()

    @property
    def least(self) -> int | None:
        """The least value, `None` where there is none."""
        return 0

    @property
    def parts(self) -> tuple[Known, ...]:
        """The expressions that it is computed from, by an op that is none of the algebra."""
        return ()

    @property
    def weight(self) -> int:
        """The nodes of the expressions that it is computed from, each counted as often as it occurs, and itself."""
        return 1

    def text(self, part: Callable[[Known], str]) -> str:
        """Returns the text, which is equal for equal leaves, from those of its parts."""
        return str(self)


@dataclass(frozen=True, slots=True)
class Symbol(Leaf):
    """A named size."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class OperandDim(Leaf):
    """The size of a dim of an operand of some op, where the operand's type leaves it open."""

    operand: int
    axis: int

    def __str__(self) -> str:
        return f"dim {self.axis} of operand {self.operand}"


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator applied to two expressions; `op` is one of `+ - * floordiv mod min max`."""

    op: str
    lhs: Expr | int
    rhs: Expr | int
    depth: int = field(init=False, repr=False, compare=False)
    """The levels of operators, this one counted."""
    weight: int = field(init=False, repr=False, compare=False)
    """The nodes, each counted as often as it occurs: what walks the expression as a tree takes as long."""
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Kept, or each look-up in a table would walk the whole expression.
        depths = (side.depth for side in (self.lhs, self.rhs) if isinstance(side, Apply))
        object.__setattr__(self, "depth", 1 + max(depths, default=0))
        object.__setattr__(self, "weight", 1 + weight(self.lhs) + weight(self.rhs))
        object.__setattr__(self, "_hash", hash((self.op, self.lhs, self.rhs)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Apply], tuple[str, Known, Known]]:
        # The hash of a string is another one in each process.
        return Apply, (self.op, self.lhs, self.rhs)

    def __str__(self) -> str:
        if self.op in ("min", "max"):
            return f"{self.op}({self.lhs}, {self.rhs})"
        return f"{_wrapped(self.lhs, self.op, False)} {self.op} {_wrapped(self.rhs, self.op, True)}"


Expr: TypeAlias = Leaf | Apply
Known: TypeAlias = int | Leaf | Apply
Dim: TypeAlias = int | Leaf | Apply | None


def weight(dim: Known) -> int:
    """Returns the nodes of an expression, each counted as often as it occurs."""
    return 1 if isinstance(dim, int) else dim.weight


_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "floordiv": 2, "mod": 2}

EVALUATE: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
}

OPERATORS = frozenset(EVALUATE)

KEYWORDS = frozenset(op for op in OPERATORS if op.isalpha())
"""The operators that are words, and thus no symbols."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*\Z")


def is_symbol_name(text: object) -> bool:
    """Returns whether a value is a text that stands for a symbol where a dim is parsed."""
    return isinstance(text, str) and text not in KEYWORDS and _IDENTIFIER.match(text) is not None


def _wrapped(operand: Known, op: str, is_rhs: bool) -> str:
    if not isinstance(operand, Apply) or operand.op not in _PRECEDENCE:
        return f"({operand})" if isinstance(operand, int) and operand < 0 else str(operand)
    inner, outer = _PRECEDENCE[operand.op], _PRECEDENCE[op]
    if inner > outer or (inner == outer and not is_rhs):
        return str(operand)
    return f"({operand})"


def leaves(dim: Dim) -> Iterator[Leaf]:
    """Yields the leaves of a dim, with repetitions, left to right."""
    if isinstance(dim, Apply):
        yield from leaves(dim.lhs)
        yield from leaves(dim.rhs)
    elif isinstance(dim, Leaf):
        yield dim


def integers(dim: Dim) -> Iterator[int]:
    """Yields the integers of a dim, with repetitions, left to right."""
    if isinstance(dim, Apply):
        yield from integers(dim.lhs)
        yield from integers(dim.rhs)
    elif isinstance(dim, int):
        yield dim


def symbols(dim: Dim) -> Iterator[str]:
    """Yields the symbol names of a dim, with repetitions, left to right."""
    return (leaf.name for leaf in leaves(dim) if isinstance(leaf, Symbol))


class DivisorError(ValueError):
    """The divisor of a size is not positive."""


def evaluate(dim: Known, binding: Mapping[str, int], others: Mapping[Leaf, int] | None = None) -> int:
    """Returns the value of a dim; raises `KeyError` with the symbol's name if one is not bound, and `DivisorError`.

    `others` are the values of the leaves that are no symbols.
    """
    if isinstance(dim, int):
        return dim
    if isinstance(dim, Apply):
        lhs, rhs = evaluate(dim.lhs, binding, others), evaluate(dim.rhs, binding, others)
        if dim.op in ("floordiv", "mod") and rhs < 1:
            raise DivisorError(f"a divisor in the size {dim} is not positive")
        return EVALUATE[dim.op](lhs, rhs)
    return binding[dim.name] if isinstance(dim, Symbol) else (others or {})[dim]
