"""Symbolic dims of models: variables are told apart by identity, names by where they are written.

While a model is exported, each symbol carries a mark behind its name, so that two variables `n` stay two. The marks go when a function is
complete: `name_apart` gives the symbols of a function their names back, `n` and `n_1` where two have the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects import func
from xdsl.ir import Attribute
from xdsl.utils.exceptions import ParseError

from ...builder.types import Size
from ...dialects.relax.attrs import type_dims
from ...dialects.relax.function_signature import fresh, update_signature
from ...dialects.relax.type_dims import map_dims
from ...dialects.symbolic.expressions import Dim, Symbol, replace_leaves, substitute, symbols
from ...dialects.symbolic.parser import dim_from_string
from ...passes.analysis.walks import walk_values
from ...passes.rewriting.value_types import retype

IntExpr: TypeAlias = int | Size
"""A size in a model: a number, or an expression of symbolic variables."""

ARGUMENT = "$argument"
"""The mark of a name in a specification: equal names are one symbol in the arguments of a method."""

PARAMETER = "$parameter"
"""The mark of a name in the shape of a parameter: equal names are one symbol in all parameters."""

_MARK = re.compile(r"\$\w+")
_ISSUED = count()


class Expression(Size):
    """A symbolic size of a model, shown without marks."""

    def _applied(self, op: str, other: Any) -> Any:
        size = super()._applied(op, other)
        return Expression(size.dim) if isinstance(size, Size) else size

    def __str__(self) -> str:
        return plain(super().__str__())

    __repr__ = __str__


class SymbolicVar(Expression):
    """A symbolic size that is equal to itself alone, whatever its name: `n = SymbolicVar("n")`, then `2 * n + 1`."""

    def __init__(self, name: str, dtype: str = "int64"):
        if not isinstance(name, str) or not name.isidentifier():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"expected the name of a symbol, got {name!r}")
        if dtype != "int64":
            raise ValueError(f"expected int64 as the type of symbol {name!r}, got {dtype!r}")
        super().__init__(Symbol(f"{name}${next(_ISSUED)}"))

    @property
    def name(self) -> str:
        """The name in the text, where no other symbol of the function has it."""
        return str(self)


def plain(text: str) -> str:
    """Returns a text without the marks behind symbols."""
    return _MARK.sub("", text)


def dims_from(shape: Iterable[int | str | Size], mark: str) -> list[Dim]:
    """Returns the dims of a shape; symbols in texts (`"n"`, `"2 * n"`) get a mark.

    Raises `TypeError` for what is no size, `ValueError` for a negative one or a text that is no expression.
    """
    return [_dim_from(size, mark) for size in shape]


def _dim_from(size: object, mark: str) -> Dim:
    match size:
        case Size():
            return size.dim
        case str():
            try:
                parsed = dim_from_string(size)
            except ParseError:
                raise ValueError(f"expected a size such as 'n' or '2 * n', got {size!r}") from None
            return replace_leaves(parsed, lambda leaf: Symbol(leaf.name + mark) if isinstance(leaf, Symbol) else leaf)
        case int() | np.integer() if not isinstance(size, bool):
            if not 0 <= size < 1 << 63:
                raise ValueError(f"expected a size from 0 to 2^63 - 1, got {size}")
            return int(size)
        case _:
            raise TypeError(f"expected a size (an int, a name, or a symbolic variable), got {size!r}")


def sizes_from(dims: Sequence[Dim]) -> list[IntExpr]:
    """Returns dims as sizes of a model: a number where one is known."""
    return [dim if isinstance(dim, int) else Expression(dim) for dim in dims]


def name_apart(function: func.FuncOp, named: Callable[[str], str] = plain) -> None:
    """Gives the symbols of a function names, by default theirs without marks, in order of use; a name that is taken gets a number."""
    names: dict[str, Dim] = {}
    taken: set[str] = set()
    renamed: dict[Attribute, Attribute] = {}
    for value in walk_values(function):
        if value.type not in renamed:
            used = [symbol for dim in type_dims(value.type) for symbol in symbols(dim)]
            for symbol in dict.fromkeys(symbol for symbol in used if symbol not in names):
                name = fresh(named(symbol), taken)
                taken.add(name)
                names[symbol] = Symbol(name)
            renamed[value.type] = map_dims(value.type, lambda dim: substitute(dim, names))
        retype(value, renamed[value.type])
    update_signature(function)
