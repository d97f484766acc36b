"""Sizes of torch, which are expressions of sympy, as expressions of the algebra of sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

import torch

from ...dialects.symbolic.expressions import Dim, add, apply, ceildiv, floordiv, product
from ...dialects.symbolic.nodes import Known
from ..model.problems import Unsupported

MAX_DENOMINATOR = 1 << 20


class Sizes:
    """The symbols of an exported program, and what they are called here."""

    def __init__(self) -> None:
        self.known: dict[str, Known] = {}
        """What each symbol of torch stands for."""

    def dim(self, size: int | torch.SymInt) -> Known:
        """Returns a size; raises `Unsupported` for one that the algebra does not have."""
        if isinstance(size, torch.SymInt):
            return self.of(size.node.expr)
        return int(size)

    def dims(self, sizes: Any) -> tuple[Known, ...]:
        """Returns the sizes of a shape."""
        return tuple(self.dim(size) for size in sizes)

    def of(self, expression: Any) -> Known:
        """Returns what an expression of sympy stands for."""
        result = self._converted(expression)
        if result is None:
            raise Unsupported(f"the size {expression} is outside of the algebra of sizes")
        return result

    def _converted(self, expression: Any) -> Dim:
        # Invariant: a result is equal to the expression for all sizes that are not negative.
        name = type(expression).__name__
        if expression.is_Integer:
            return int(expression)
        if expression.is_Symbol:
            if expression.name not in self.known:
                raise Unsupported(f"the size {expression} depends on data")
            return self.known[expression.name]
        if name in ROUNDED:
            numerator, denominator = self._fraction(expression.args[0])
            return ROUNDED[name](numerator, denominator)
        if name == "Pow" or name == "PowByNatural":
            base, exponent = expression.args
            return product([self._converted(base)] * int(exponent)) if exponent.is_Integer and exponent >= 0 else None
        if name == "ModularIndexing":
            base, divisor, modulus = map(self._converted, expression.args)
            return apply("mod", apply("floordiv", base, divisor), modulus)
        if name == "Identity":
            return self._converted(expression.args[0])
        if name not in OPERATORS:
            return None
        return reduce(lambda lhs, rhs: apply(OPERATORS[name], lhs, rhs), map(self._converted, expression.args))

    def _fraction(self, expression: Any) -> tuple[Dim, int]:
        """Returns an expression of floats as a size divided by a number."""
        name = type(expression).__name__
        if name == "ToFloat":
            return self._converted(expression.args[0]), 1
        if expression.is_Number:
            exact = Fraction(float(expression))
            return (exact.numerator, exact.denominator) if exact.denominator <= MAX_DENOMINATOR else (None, 1)
        if name in ("IntTrueDiv", "FloatTrueDiv"):
            (top, over), (below, under) = map(self._fraction, expression.args)
            return (apply("*", top, under), over * below) if isinstance(below, int) and below > 0 else (None, 1)
        if name in ("Mul", "Add"):
            parts = [self._fraction(item) for item in expression.args]
            common = reduce(lambda total, part: total * part[1], parts, 1)
            if name == "Mul":
                return product(part for part, _ in parts), common
            return add(*(apply("*", part, common // denominator) for part, denominator in parts)), common
        return self._converted(expression), 1


OPERATORS: Mapping[str, str] = {
    "Add": "+",
    "Mul": "*",
    "FloorDiv": "floordiv",
    "CleanDiv": "floordiv",
    "Mod": "mod",
    "PythonMod": "mod",
    "Max": "max",
    "Min": "min",
}
"""Operators of torch's expressions that the algebra has."""

ROUNDED: Mapping[str, Callable[[Dim, int], Dim]] = {
    "FloorToInt": floordiv,
    "TruncToInt": floordiv,
    "CeilToInt": ceildiv,
}
"""Conversions of quotients to integers; sizes are not negative, so that truncating one floors it."""
