"""Sizes as polynomials over the shape inputs of a function: equality, provable order, emission as `arith` on `index`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from ..emit.constructors import constant

BINARY: dict[str, type[Operation]] = {
    op.name: op
    for op in (
        arith.DivSIOp,
        arith.DivUIOp,
        arith.FloorDivSIOp,
        arith.CeilDivSIOp,
        arith.CeilDivUIOp,
        arith.RemSIOp,
        arith.RemUIOp,
        arith.MinSIOp,
        arith.MinUIOp,
        arith.MaxSIOp,
        arith.MaxUIOp,
        arith.AndIOp,
        arith.OrIOp,
        arith.XOrIOp,
        arith.ShLIOp,
        arith.ShRSIOp,
        arith.ShRUIOp,
    )
}
"""Ops that stay opaque in a polynomial."""

_KEEPS_SIGN = {"arith.divsi", "arith.divui", "arith.floordivsi", "arith.ceildivsi", "arith.ceildivui"} | {
    "arith.remsi",
    "arith.remui",
    "arith.minsi",
    "arith.minui",
}
_FOLDS: dict[str, Callable[[int, int], int]] = {
    "arith.minsi": min,
    "arith.maxsi": max,
    "arith.floordivsi": lambda a, b: a // b,
    "arith.ceildivsi": lambda a, b: -(-a // b),
    "arith.ceildivui": lambda a, b: -(-a // b),
    "arith.divui": lambda a, b: a // b,
    "arith.divsi": lambda a, b: a // b,
    "arith.remui": lambda a, b: a % b,
    "arith.remsi": lambda a, b: a % b,
    "arith.minui": min,
    "arith.maxui": max,
}


class Atom:
    """What a polynomial takes as given: `dim` (argument, dim), `arg` (argument) or an op on polynomials.

    The key is a string that is equal for equal atoms.
    """

    __slots__ = ("args", "key", "kind", "nonnegative")

    def __init__(self, kind: str, args: tuple[int | Expr, ...], nonnegative: bool):
        self.kind = kind
        self.args = args
        self.nonnegative = nonnegative
        self.key = f"{kind}({','.join(str(a) for a in args)})"

    @property
    def argument(self) -> int:
        """The position of the argument that a `dim` or `arg` is about."""
        position = self.args[0]
        assert isinstance(position, int)
        return position

    @property
    def dim(self) -> int:
        """The dim that a `dim` is about."""
        dim = self.args[1]
        assert isinstance(dim, int)
        return dim

    def __str__(self) -> str:
        return self.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


Monomial: TypeAlias = "tuple[Atom, ...]"


class Expr:
    """A polynomial with integer coefficients; equal polynomials are equal objects in the sense of `==`."""

    __slots__ = ("key", "terms")

    def __init__(self, terms: Mapping[Monomial, int]):
        kept = [(m, c) for m, c in terms.items() if c]
        kept.sort(key=lambda t: [a.key for a in t[0]])
        self.terms: tuple[tuple[Monomial, int], ...] = tuple(kept)
        self.key = "+".join("*".join([str(c), *(a.key for a in m)]) for m, c in kept) or "0"

    def __str__(self) -> str:
        return self.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expr) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __add__(self, other: Expr) -> Expr:
        terms = dict(self.terms)
        for m, c in other.terms:
            terms[m] = terms.get(m, 0) + c
        return Expr(terms)

    def __sub__(self, other: Expr) -> Expr:
        return self + other.scaled(-1)

    def __mul__(self, other: Expr) -> Expr:
        terms: dict[Monomial, int] = {}
        for m, c in self.terms:
            for n, d in other.terms:
                product = tuple(sorted((*m, *n), key=lambda a: a.key))
                terms[product] = terms.get(product, 0) + c * d
        return Expr(terms)

    def scaled(self, factor: int) -> Expr:
        """The product with a constant."""
        return Expr({m: c * factor for m, c in self.terms})

    @property
    def constant(self) -> int | None:
        """The value of a constant polynomial."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and not self.terms[0][0]:
            return self.terms[0][1]
        return None

    @property
    def nonnegative(self) -> bool:
        """Whether the value is provably not negative."""
        return all(c > 0 and all(a.nonnegative for a in m) for m, c in self.terms)

    def at_most(self, other: Expr) -> bool:
        """Whether the value is provably not above another's."""
        if self.key == other.key or (other - self).nonnegative:
            return True
        if len(other.terms) == 1 and other.terms[0][1] == 1 and len(other.terms[0][0]) == 1:
            atom = other.terms[0][0][0]
            if atom.kind == "arith.maxsi":
                return any(isinstance(a, Expr) and self.at_most(a) for a in atom.args)
        return False

    def estimate(self, value: int = 128) -> int:
        """The value where every atom has the given one: an order of size, nothing more."""
        total = 0
        for m, c in self.terms:
            for atom in m:
                c *= atom.args[0].estimate(value) if isinstance(atom.args[0], Expr) else value
            total += c
        return total

    def substitute(self, atoms: Callable[[Atom], Expr | None]) -> Expr | None:
        """Replaces the `dim` and `arg` atoms; None where one has no value."""
        total = const(0)
        for m, c in self.terms:
            product = const(c)
            for atom in m:
                if atom.kind in ("dim", "arg"):
                    value = atoms(atom)
                else:
                    parts = [a.substitute(atoms) if isinstance(a, Expr) else a for a in atom.args]
                    value = None if any(p is None for p in parts) else _rebuild(atom, parts)
                if value is None:
                    return None
                product = product * value
            total = total + product
        return total


@lru_cache(maxsize=4096)
def const(value: int) -> Expr:
    """A constant."""
    return Expr({(): value})


def of_atom(atom: Atom) -> Expr:
    """A polynomial that is one atom."""
    return Expr({(atom,): 1})


def argument_dim(argument: int, dim: int) -> Expr:
    """The size of a dim of an argument."""
    return of_atom(Atom("dim", (argument, dim), True))


def argument_value(argument: int, nonnegative: bool) -> Expr:
    """The value of an `index` argument."""
    return of_atom(Atom("arg", (argument,), nonnegative))


def _rebuild(atom: Atom, parts: list[Expr | int | None]) -> Expr:
    exprs = [p for p in parts if isinstance(p, Expr)]
    if atom.kind == "arith.cmpi":
        predicate = atom.args[0]
        assert isinstance(predicate, int)
        return compare(predicate, exprs[0], exprs[1])
    if atom.kind == "arith.select":
        return select(exprs[0], exprs[1], exprs[2])
    return binary(atom.kind, exprs[0], exprs[1])


def binary(kind: str, lhs: Expr, rhs: Expr) -> Expr:
    """Applies an op of `BINARY`; constants are folded where the result does not depend on the sign."""
    a, b = lhs.constant, rhs.constant
    fold = _FOLDS.get(kind)
    if a is not None and b is not None and fold is not None and a >= 0 and (b > 0 or (b == 0 and "m" in kind[6:8])):
        return const(fold(a, b))
    if b == 1 and "div" in kind:
        return lhs
    if kind in ("arith.minsi", "arith.maxsi"):
        if lhs.at_most(rhs):
            return lhs if kind == "arith.minsi" else rhs
        if rhs.at_most(lhs):
            return rhs if kind == "arith.minsi" else lhs
    if b is not None and b > 0 and lhs.nonnegative and "div" in kind and all(c % b == 0 for _, c in lhs.terms):
        return Expr({m: c // b for m, c in lhs.terms})
    nonnegative = lhs.nonnegative and rhs.nonnegative and kind in _KEEPS_SIGN
    if kind == "arith.maxsi":
        nonnegative = lhs.nonnegative or rhs.nonnegative
    return of_atom(Atom(kind, (lhs, rhs), nonnegative))


def compare(predicate: int, lhs: Expr, rhs: Expr) -> Expr:
    """An `arith.cmpi` on sizes, 0 or 1."""
    return of_atom(Atom("arith.cmpi", (predicate, lhs, rhs), True))


def select(condition: Expr, on_true: Expr, on_false: Expr) -> Expr:
    """An `arith.select` of sizes."""
    if on_true == on_false:
        return on_true
    nonnegative = on_true.nonnegative and on_false.nonnegative
    return of_atom(Atom("arith.select", (condition, on_true, on_false), nonnegative))


def maximum(lhs: Expr, rhs: Expr) -> Expr:
    """The larger of two sizes."""
    return binary("arith.maxsi", lhs, rhs)


def aligned(size: Expr, alignment: int) -> Expr:
    """A size rounded up to a multiple of the alignment."""
    if all(c % alignment == 0 for _, c in size.terms):
        return size
    return binary("arith.ceildivsi", size, const(alignment)).scaled(alignment)


class ExprEmitter:
    """Emits polynomials at one place; `insert` puts an op there, `atom` gives the SSA value of a `dim` or `arg`."""

    def __init__(self, insert: Callable[[Operation], object], atom: Callable[[Atom], SSAValue]):
        self._insert = insert
        self._atom = atom
        self._values: dict[str, SSAValue] = {}

    def value(self, expr: Expr) -> SSAValue:
        """The SSA value of a polynomial."""
        found = self._values.get(expr.key)
        if found is None:
            found = self._values[expr.key] = self._emit(expr)
        return found

    def _op(self, op: Operation) -> SSAValue:
        self._insert(op)
        return op.results[0]

    def _emit(self, expr: Expr) -> SSAValue:
        known = expr.constant
        if known is not None:
            return self._op(constant(known))
        total: SSAValue | None = None
        for m, c in expr.terms:
            product: SSAValue | None = None
            for atom in m:
                value = self._atom_value(atom)
                product = value if product is None else self._op(arith.MuliOp(product, value))
            if product is None:
                product = self.value(const(c))
            elif c != 1:
                product = self._op(arith.MuliOp(product, self.value(const(c))))
            total = product if total is None else self._op(arith.AddiOp(total, product))
        assert total is not None
        return total

    def _atom_value(self, atom: Atom) -> SSAValue:
        found = self._values.get(atom.key)
        if found is not None:
            return found
        if atom.kind in ("dim", "arg"):
            found = self._atom(atom)
        else:
            parts = [self.value(a) for a in atom.args if isinstance(a, Expr)]
            if atom.kind == "arith.cmpi":
                predicate = atom.args[0]
                assert isinstance(predicate, int)
                found = self._op(arith.CmpiOp(parts[0], parts[1], predicate))
            elif atom.kind == "arith.select":
                found = self._op(arith.SelectOp(*parts))
            else:
                found = self._op(BINARY[atom.kind].create(operands=parts, result_types=[IndexType()]))
        self._values[atom.key] = found
        return found
