"""Symbolic dims of models: variables are told apart by identity, names by where they are written.

While a model is exported, each symbol carries a mark behind its name, so that two variables `n` stay two. The marks go when a function is
complete: `name_apart` gives the symbols of a function their names back, `n` and `n_1` where two have the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any, NoReturn, TypeAlias

import numpy as np
from xdsl.dialects import func
from xdsl.ir import Attribute
from xdsl.utils.exceptions import ParseError

from ...builder.types import Size
from ...dialects.relax.attrs import type_dims
from ...dialects.relax.function_signature import fresh, update_signature
from ...dialects.relax.type_dims import map_dims
from ...dialects.symbolic.expressions import (
    Dim,
    Known,
    Symbol,
    add,
    is_symbol_name,
    replace_leaves,
    substitute,
    symbols,
)
from ...dialects.symbolic.nodes import integers, weight
from ...dialects.symbolic.order import at_most
from ...dialects.symbolic.parser import dim_from_string
from ...dialects.walks import walk_values
from ...passes.rewriting.value_types import retype
from .errors import ModelError
from .marks import plain

IntExpr: TypeAlias = int | Size
"""A size in a model: a number, or an expression of symbolic variables."""

_ISSUED = count()

MAX_WEIGHT = 1 << 12
"""A size that is read twice by each of several steps doubles with each; what looks at it takes as long as its text is."""


class Expression(Size):
    """A symbolic size of a model, shown without marks.

    A comparison is decided where it has one result for all values of the symbols, and refused elsewhere.
    """

    def _of(self, dim: Dim) -> Any:
        if dim is None or isinstance(dim, int):
            return dim
        if weight(dim) > MAX_WEIGHT:
            raise ModelError(
                f"expected a size of at most {MAX_WEIGHT} numbers, symbols and operators, got one of {weight(dim)}"
            )
        wide = next((number for number in integers(dim) if not -(1 << 63) <= number < 1 << 63), None)
        if wide is not None:
            raise ModelError(f"expected sizes of numbers that 64 bits hold, got {wide}")
        return Expression(dim)

    def _applied(self, op: str, other: Any, is_reversed: bool = False) -> Any:
        if not is_reversed and op in ("floordiv", "mod") and isinstance(other, int | np.integer) and other < 1:
            raise ModelError(f"expected a positive divisor of {self}, got {other}")
        result = super()._applied(op, other, is_reversed)
        if result is NotImplemented and isinstance(other, _NO_SIZES):
            raise ModelError(f"expected a size or an integer to compute with {self}, got {other!r}")
        return result

    def __str__(self) -> str:
        return plain(super().__str__())

    __repr__ = __str__

    def __lt__(self, other: IntExpr) -> bool:
        return self._decided("<", other, 1, 0)

    def __le__(self, other: IntExpr) -> bool:
        return self._decided("<=", other, 0, 0)

    def __gt__(self, other: IntExpr) -> bool:
        return self._decided(">", other, 1, 1)

    def __ge__(self, other: IntExpr) -> bool:
        return self._decided(">=", other, 0, 1)

    def _decided(self, operator: str, other: Any, distance: int, above: int) -> Any:
        """Returns whether this size is so far below the other one, or above it; raises `ModelError` where that depends on the symbols."""
        if isinstance(other, bool) or not isinstance(other, int | np.integer | Size):
            if isinstance(other, _NO_SIZES):
                raise ModelError(f"expected a size or an integer to compare with {self}, got {other!r}")
            return NotImplemented
        pair: list[Any] = [self.dim, other.dim if isinstance(other, Size) else int(other)]
        low, high = pair[::-1] if above else pair
        if at_most(_sum(low, distance), high):
            return True
        if at_most(high, _sum(low, distance - 1)):
            return False
        raise ModelError(f"whether {self} {operator} {other} is not known before the program runs")

    def __bool__(self) -> bool:
        if at_most(1, self.dim) or at_most(self.dim, -1):  # pyright: ignore[reportArgumentType]
            return True
        raise ModelError(f"whether {self} is 0 is not known before the program runs")

    def _is_no_number(self, *_: object) -> NoReturn:
        raise ModelError(f"the size {self} is no number before the program runs")

    __index__ = __int__ = __float__ = __round__ = __ceil__ = __floor__ = __trunc__ = _is_no_number

    def _is_divided(self, *_: object) -> NoReturn:
        raise ModelError(f"the size {self} is divided by // or %, which give integers")

    __truediv__ = __rtruediv__ = _is_divided


_NO_SIZES = (bool, int, float, complex, str, bytes, list, tuple, dict, type(None))
"""What Python itself has instead of sizes; other classes may know what to do with one."""


class SymbolicVar(Expression):
    """A symbolic size that is equal to itself alone, whatever its name: `n = SymbolicVar("n")`, then `2 * n + 1`."""

    def __init__(self, name: str, dtype: str = "int64"):
        if not is_symbol_name(name):
            raise ModelError(f"expected the name of a symbol (ASCII letters, digits and '_'), got {name!r}")
        if dtype != "int64":
            raise ModelError(f"expected int64 as the type of symbol {name!r}, got {dtype!r}")
        super().__init__(Symbol(f"{name}${next(_ISSUED)}"))

    @property
    def name(self) -> str:
        """The name in the text, where no other symbol of the function has it."""
        return str(self)


def _sum(dim: Known, number: int) -> Known:
    total = add(dim, number)
    assert total is not None
    return total


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
