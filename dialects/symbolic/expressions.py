"""Symbolic dimension expressions: integers, symbols, `+ - *`, `floordiv`, `mod`, `min`, `max`.

A *dim* is an `int`, an `Expr`, or `None` (unknown). The algebra (simplification, equality) is sympy's, loaded only when an
expression is more than a bare symbol. Symbols stand for sizes, thus for non-negative integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named size."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class OperandDim:
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

    def __str__(self) -> str:
        if self.op in ("min", "max"):
            return f"{self.op}({self.lhs}, {self.rhs})"
        return f"{_wrapped(self.lhs, self.op, False)} {self.op} {_wrapped(self.rhs, self.op, True)}"


Leaf: TypeAlias = Symbol | OperandDim
Expr: TypeAlias = Symbol | OperandDim | Apply
Known: TypeAlias = int | Symbol | OperandDim | Apply
Dim: TypeAlias = int | Symbol | OperandDim | Apply | None

_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "floordiv": 2, "mod": 2}

_EVALUATE: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
}

OPERATORS = frozenset(_EVALUATE)


def _wrapped(operand: Known, op: str, is_rhs: bool) -> str:
    if not isinstance(operand, Apply) or operand.op not in _PRECEDENCE:
        return f"({operand})" if isinstance(operand, int) and operand < 0 else str(operand)
    inner, outer = _PRECEDENCE[operand.op], _PRECEDENCE[op]
    if inner > outer or (inner == outer and not is_rhs):
        return str(operand)
    return f"({operand})"


def leaves(dim: Dim) -> Iterator[Leaf]:
    """Yields the symbols and operand dims of a dim, with repetitions, left to right."""
    if isinstance(dim, Apply):
        yield from leaves(dim.lhs)
        yield from leaves(dim.rhs)
    elif isinstance(dim, Symbol | OperandDim):
        yield dim


def symbols(dim: Dim) -> Iterator[str]:
    """Yields the symbol names of a dim, with repetitions, left to right."""
    return (leaf.name for leaf in leaves(dim) if isinstance(leaf, Symbol))


def evaluate(dim: Known, binding: Mapping[str, int], operands: Mapping[OperandDim, int] | None = None) -> int:
    """Returns the value of a dim; raises `KeyError` with the symbol's name if one is not bound."""
    if isinstance(dim, int):
        return dim
    if isinstance(dim, Symbol):
        return binding[dim.name]
    if isinstance(dim, OperandDim):
        return (operands or {})[dim]
    return _EVALUATE[dim.op](evaluate(dim.lhs, binding, operands), evaluate(dim.rhs, binding, operands))


def substitute(dim: Dim, replacement: Mapping[str, Dim]) -> Dim:
    """Replaces symbols by dims; symbols that are not in the mapping stay."""
    return replace_leaves(dim, lambda leaf: replacement.get(leaf.name, leaf) if isinstance(leaf, Symbol) else leaf)


def replace_leaves(dim: Dim, value: Callable[[Leaf], Dim]) -> Dim:
    """Replaces each symbol and operand dim by its value."""
    if isinstance(dim, Apply):
        return apply(dim.op, replace_leaves(dim.lhs, value), replace_leaves(dim.rhs, value))
    return value(dim) if isinstance(dim, Symbol | OperandDim) else dim


def apply(op: str, lhs: Dim, rhs: Dim) -> Dim:
    """Returns the simplified result of an operator; unknown if an operand is unknown."""
    if lhs is None or rhs is None:
        return None
    if isinstance(lhs, int) and isinstance(rhs, int):
        return _EVALUATE[op](lhs, rhs)
    if op in ("+", "-") and rhs == 0:
        return lhs
    if op == "+" and lhs == 0:
        return rhs
    if op in ("*", "floordiv") and rhs == 1:
        return lhs
    if op == "*" and lhs == 1:
        return rhs
    if (op == "*" and isinstance(rhs, int)) or (op == "+" and isinstance(lhs, int)):
        lhs, rhs = rhs, lhs
    return simplify(Apply(op, lhs, rhs))


def add(*dims: Dim) -> Dim:
    """Returns the sum of dims."""
    total: Dim = 0
    for dim in dims:
        total = apply("+", total, dim)
    return total


def sub(lhs: Dim, rhs: Dim) -> Dim:
    """Returns `lhs - rhs`."""
    return apply("-", lhs, rhs)


def product(dims: Iterable[Dim]) -> Dim:
    """Returns the product of dims, 1 for none."""
    total: Dim = 1
    for dim in dims:
        total = apply("*", total, dim)
    return total


def floordiv(lhs: Dim, rhs: Dim) -> Dim:
    """Returns `lhs floordiv rhs`."""
    return apply("floordiv", lhs, rhs)


def ceildiv(lhs: Dim, rhs: int) -> Dim:
    """Returns `lhs` divided by a positive integer, rounded up."""
    return apply("floordiv", apply("+", lhs, rhs - 1), rhs)


def equal(lhs: Dim, rhs: Dim) -> bool | None:
    """Returns whether two dims are provably equal (True), provably different (False), or neither (None)."""
    if lhs is None or rhs is None:
        return None
    if lhs == rhs:
        return True
    if isinstance(lhs, int) and isinstance(rhs, int):
        return False
    if isinstance(lhs, Symbol | int) and isinstance(rhs, Symbol | int):
        size = lhs if isinstance(lhs, int) else rhs
        return False if isinstance(size, int) and size < 0 else None
    return _difference_is_zero(lhs, rhs)


def shapes_equal(lhs: Sequence[Dim], rhs: Sequence[Dim]) -> bool:
    """Returns whether two shapes are provably equal."""
    return len(lhs) == len(rhs) and all(equal(a, b) is True for a, b in zip(lhs, rhs, strict=True))


@lru_cache(maxsize=65536)
def _difference_is_zero(lhs: Known, rhs: Known) -> bool | None:
    import sympy

    difference = sympy.simplify(to_sympy(lhs) - to_sympy(rhs))
    if difference.is_zero:
        return True
    return False if difference.is_zero is False else None


@lru_cache(maxsize=65536)
def simplify(dim: Known) -> Known:
    """Returns the canonical form of a dim."""
    if isinstance(dim, int | Symbol | OperandDim) or _is_canonical(dim):
        return dim
    return from_sympy(to_sympy(dim))


def _is_canonical(dim: Apply) -> bool:
    """Returns whether sympy would leave an expression as it is; it need not be loaded for `n + 1`, `n - 1` and `2 * n`."""
    if dim.op in ("+", "-"):
        return isinstance(dim.lhs, Symbol) and isinstance(dim.rhs, int) and dim.rhs > 0
    return dim.op == "*" and isinstance(dim.lhs, int) and dim.lhs > 1 and isinstance(dim.rhs, Symbol)


def to_sympy(dim: Known) -> Any:
    """Returns a dim as a sympy expression over non-negative integer symbols."""
    import sympy

    if isinstance(dim, int):
        return sympy.Integer(dim)
    if isinstance(dim, Symbol):
        return sympy.Symbol(dim.name, integer=True, nonnegative=True)
    if isinstance(dim, OperandDim):
        return sympy.Symbol(f"{dim.axis} {dim.operand}", integer=True, nonnegative=True)
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


def from_sympy(expr: Any) -> Known:
    """Returns a sympy expression as a dim, with terms in a fixed order."""
    import sympy

    if expr.is_Integer:
        return int(expr)
    if expr.is_Symbol:
        axis, _, operand = expr.name.partition(" ")
        return OperandDim(int(operand), int(axis)) if operand else Symbol(expr.name)
    if isinstance(expr, sympy.floor):
        numerator, denominator = sympy.fraction(sympy.together(expr.args[0]))
        return Apply("floordiv", from_sympy(numerator), from_sympy(denominator))
    if isinstance(expr, sympy.Add | sympy.Mul):
        # sympy drops the floor of a quotient that it knows to be an integer.
        numerator, denominator = sympy.fraction(sympy.together(expr))
        if denominator != 1:
            return Apply("floordiv", from_sympy(numerator), from_sympy(denominator))
    if isinstance(expr, sympy.Mod):
        return Apply("mod", from_sympy(expr.args[0]), from_sympy(expr.args[1]))
    if isinstance(expr, sympy.Min | sympy.Max):
        return _fold(type(expr).__name__.lower(), sorted(map(from_sympy, expr.args), key=str))
    if isinstance(expr, sympy.Add):
        return _sum([from_sympy(term) for term in expr.as_ordered_terms()])
    if isinstance(expr, sympy.Mul):
        return _fold("*", [from_sympy(factor) for factor in expr.as_ordered_factors()])
    if isinstance(expr, sympy.Pow) and expr.exp.is_Integer and expr.exp > 0:
        return _fold("*", [from_sympy(expr.base)] * int(expr.exp))
    raise ValueError(f"not a dimension expression: {expr}")


def _fold(op: str, operands: Sequence[Known]) -> Known:
    result = operands[0]
    for operand in operands[1:]:
        result = Apply(op, result, operand)
    return result


def _sum(terms: Sequence[Known]) -> Known:
    """Joins terms by `+`, or by `-` where a term has a negative factor."""
    ordered = sorted(terms, key=lambda term: isinstance(term, int))
    result = ordered[0]
    for term in ordered[1:]:
        negated = _negated(term)
        result = Apply("+", result, term) if negated is None else Apply("-", result, negated)
    return result


def _negated(term: Known) -> Known | None:
    """Returns `-term` if the term is a negative integer or a product that starts with one, else None."""
    if isinstance(term, int):
        return -term if term < 0 else None
    if isinstance(term, Apply) and term.op == "*":
        lhs = _negated(term.lhs)
        if lhs is None:
            return None
        return term.rhs if lhs == 1 else Apply("*", lhs, term.rhs)
    return None
