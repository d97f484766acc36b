"""The algebra of sizes in sympy: what our own is held against."""

from __future__ import annotations

from typing import Any

import sympy
from xdsl_relax.dialects.symbolic.nodes import Apply, Known, Symbol


def to_sympy(dim: Known) -> Any:
    """Returns an expression over non-negative integer symbols."""
    if isinstance(dim, int):
        return sympy.Integer(dim)
    if isinstance(dim, Symbol):
        return sympy.Symbol(dim.name, integer=True, nonnegative=True)
    assert isinstance(dim, Apply)
    lhs, rhs = to_sympy(dim.lhs), to_sympy(dim.rhs)
    match dim.op:
        case "+":
            return sympy.expand(lhs + rhs)
        case "-":
            return sympy.expand(lhs - rhs)
        case "*":
            return sympy.expand(lhs * rhs)
        case "floordiv":
            return sympy.floor(lhs / rhs)
        case "mod":
            return sympy.Mod(lhs, rhs)
        case "min":
            return sympy.Min(lhs, rhs)
        case _:
            return sympy.Max(lhs, rhs)


def sympy_equal(lhs: Known, rhs: Known) -> bool | None:
    """Returns whether sympy proves two sizes equal (True), different (False), or neither (None)."""
    difference = sympy.simplify(to_sympy(lhs) - to_sympy(rhs))
    return {True: True, False: False}.get(difference.is_zero)
