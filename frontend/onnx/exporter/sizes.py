"""Sizes at run time: an expression of the algebra of sizes as a vector of one i64, a shape as a vector of as many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i64

from ....dialects.symbolic.expressions import Apply, Dim, Known, Leaf, Symbol, replace_leaves
from ....dialects.symbolic.order import is_nonnegative
from ...model.problems import Unsupported
from .nodes import Nodes


@dataclass(frozen=True, slots=True)
class ValueDim(Leaf):
    """The size of a dim of a value of the model."""

    value: str
    axis: int

    def __str__(self) -> str:
        return f"{self.value}.{self.axis}"


@dataclass(frozen=True, slots=True)
class Entry(Leaf):
    """An element of a vector of i64 of the model."""

    value: str
    index: int

    def __str__(self) -> str:
        return f"{self.value}[{self.index}]"


class Sizes:
    """The sizes that a function knows: where each symbol can be read."""

    def __init__(self, nodes: Nodes, symbols: dict[str, Known] | None = None):
        self.nodes = nodes
        self.symbols = dict(symbols or {})

    def inner(self) -> Sizes:
        """Returns the sizes that the body of a branch or loop knows."""
        return Sizes(self.nodes, self.symbols)

    def define(self, dim: Dim, size: Known) -> None:
        """Notes where a dim can be read, if it is a symbol that is not known yet."""
        if isinstance(dim, Symbol):
            self.symbols.setdefault(dim.name, size)

    def resolved(self, dim: Known) -> Known:
        """Returns a size without symbols: from where they are read."""

        def value(leaf: Leaf) -> Dim:
            if not isinstance(leaf, Symbol):
                return leaf
            if leaf.name not in self.symbols:
                raise Unsupported(f"the size {leaf} cannot be read from any value")
            return self.resolved(self.symbols[leaf.name])

        result = replace_leaves(dim, value)
        assert result is not None
        return result

    def vector(self, dim: Known) -> str:
        """Returns a size as a vector of one i64; raises `Unsupported` for a symbol that no value has."""
        add, nodes = self.nodes.add, self.nodes
        match dim:
            case int():
                return nodes.integers([dim])
            case Symbol():
                if dim.name not in self.symbols:
                    raise Unsupported(f"the size {dim} cannot be read from any value")
                return self.vector(self.symbols[dim.name])
            case ValueDim():
                return add("Shape", dim.value, element=i64, start=dim.axis, end=dim.axis + 1)
            case Entry():
                return nodes.gathered(dim.value, nodes.integers([dim.index]), 0)
            case Apply():
                return self._applied(dim)
            case _:
                raise Unsupported(f"the size {dim} cannot be read from any value")

    def _applied(self, dim: Apply) -> str:
        lhs, rhs, add = self.vector(dim.lhs), self.vector(dim.rhs), self.nodes.add
        match dim.op:
            case "floordiv":
                if not is_nonnegative(dim.lhs):
                    # Div truncates; a multiple of the divisor has nothing to truncate.
                    lhs = add("Sub", lhs, add("Mod", lhs, rhs))
                return add("Div", lhs, rhs)
            case _:
                names = {"+": "Add", "-": "Sub", "*": "Mul", "mod": "Mod", "min": "Min", "max": "Max"}
                return add(names[dim.op], lhs, rhs)

    def scalar(self, dim: Known) -> str:
        """Returns a size as a scalar of i64."""
        return self.nodes.to_scalar(self.vector(dim))

    def shape(self, dims: Sequence[Known]) -> str:
        """Returns a shape as a vector of i64."""
        parts: list[str] = []
        run: list[int] = []
        for dim in dims:
            if isinstance(dim, int):
                run.append(dim)
                continue
            if run:
                parts.append(self.nodes.integers(run))
                run = []
            parts.append(self.vector(dim))
        if run or not parts:
            parts.append(self.nodes.integers(run))
        return self.nodes.joined(parts, 0)
