"""Sizes over the shape inputs of a function, in the algebra of `dialects/symbolic` with leaves of their own; their emission as `arith`.

A leaf is the size of a dim of an argument, an `index` argument, or an op that the algebra does not know, on such sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from ...dialects.symbolic.nodes import EVALUATE, Apply, Known, Leaf, weight
from ...dialects.symbolic.order import at_most, is_nonnegative
from ...dialects.symbolic.simplify import canonical
from ..emit.constructors import constant
from .emit_range_checks import RangeCheckEmitter
from .emit_sizes import SizeEmitter

BINARY: dict[str, type[Operation]] = {
    op.name: op
    for op in (
        arith.AddiOp,
        arith.SubiOp,
        arith.MuliOp,
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
"""The ops on two sizes that an expression may hold."""

_ALWAYS = {"arith.addi": "+", "arith.subi": "-", "arith.muli": "*", "arith.minsi": "min", "arith.maxsi": "max"}
"""Ops that are one of the algebra for all operands."""
_OF_SIZES = {
    "arith.minui": "min",
    "arith.maxui": "max",
    "arith.divsi": "floordiv",
    "arith.divui": "floordiv",
    "arith.remsi": "mod",
    "arith.remui": "mod",
}
"""Ops that are one of the algebra where neither operand is negative."""


@dataclass(frozen=True, slots=True)
class Atom(Leaf):
    """A leaf: `dim` (argument, dim), `arg` (argument), or an op of `arith` on expressions."""

    kind: str
    args: tuple[int | Expr, ...]
    nonnegative: bool
    _weight: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_weight", 1 + sum(map(weight, self.parts)))

    @property
    def least(self) -> int | None:
        return 0 if self.nonnegative else None

    @property
    def parts(self) -> tuple[Known, ...]:
        return tuple(part.size for part in self.args if isinstance(part, Expr))

    @property
    def key(self) -> str:
        """The text, which is equal for equal atoms."""
        return self.text(str)

    @property
    def weight(self) -> int:
        return self._weight

    def text(self, part: Callable[[Known], str]) -> str:
        args = (part(arg.size) if isinstance(arg, Expr) else str(arg) for arg in self.args)
        return f"{self.kind}({','.join(args)})"

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


@dataclass(frozen=True, slots=True)
class Expr:
    """A size: an expression in canonical form."""

    size: Known

    def __str__(self) -> str:
        return str(self.size)

    def __add__(self, other: Expr) -> Expr:
        return Expr(canonical("+", self.size, other.size))

    def __sub__(self, other: Expr) -> Expr:
        return Expr(canonical("-", self.size, other.size))

    def __mul__(self, other: Expr) -> Expr:
        return Expr(canonical("*", self.size, other.size))

    def scaled(self, factor: int) -> Expr:
        """Returns the product with a constant."""
        return Expr(canonical("*", factor, self.size))

    @property
    def constant(self) -> int | None:
        """The value of an expression without leaves."""
        return self.size if isinstance(self.size, int) else None

    @property
    def nonnegative(self) -> bool:
        """Whether the value is provably not negative."""
        return is_nonnegative(self.size)

    def at_most(self, other: Expr) -> bool:
        """Returns whether the value is provably not above another's."""
        return _at_most(self.size, other.size)

    def estimate(self, value: int = 128) -> int:
        """Returns the value where every leaf has the given one: an order of size, nothing more."""
        return _estimate(self.size, value)

    def substitute(self, atoms: Callable[[Atom], Expr | None]) -> Expr | None:
        """Replaces the `dim` and `arg` leaves; None where one has no value."""
        return _Substitution(atoms).of(self.size)


@lru_cache(maxsize=65536)
def _at_most(lhs: Known, rhs: Known) -> bool:
    return at_most(lhs, rhs)


@lru_cache(maxsize=65536)
def _estimate(size: Known, value: int) -> int:
    if isinstance(size, int):
        return size
    if isinstance(size, Apply):
        lhs, rhs = _estimate(size.lhs, value), _estimate(size.rhs, value)
        return EVALUATE[size.op](lhs, max(rhs, 1) if size.op in ("floordiv", "mod") else rhs)
    first = size.args[0] if isinstance(size, Atom) else None
    return first.estimate(value) if isinstance(first, Expr) else value


class _Substitution:
    """Replaces the `dim` and `arg` leaves of a size; what occurs twice in it is replaced once."""

    def __init__(self, atoms: Callable[[Atom], Expr | None]):
        self._atoms = atoms
        self._results: dict[Known, Expr | None] = {}

    def of(self, size: Known) -> Expr | None:
        """Returns the size with leaves replaced, None where one has no value."""
        if size not in self._results:
            self._results[size] = self._replaced(size)
        return self._results[size]

    def _replaced(self, size: Known) -> Expr | None:
        if isinstance(size, int):
            return Expr(size)
        if isinstance(size, Apply):
            lhs, rhs = self.of(size.lhs), self.of(size.rhs)
            return None if lhs is None or rhs is None else Expr(canonical(size.op, lhs.size, rhs.size))
        assert isinstance(size, Atom)
        if size.kind in ("dim", "arg"):
            return self._atoms(size)
        parts = [self.of(part.size) if isinstance(part, Expr) else part for part in size.args]
        return None if any(part is None for part in parts) else _rebuild(size, parts)


@lru_cache(maxsize=4096)
def const(value: int) -> Expr:
    """Returns a constant."""
    return Expr(value)


def argument_dim(argument: int, dim: int) -> Expr:
    """Returns the size of a dim of an argument."""
    return Expr(Atom("dim", (argument, dim), True))


def argument_value(argument: int, nonnegative: bool) -> Expr:
    """Returns the value of an `index` argument."""
    return Expr(Atom("arg", (argument,), nonnegative))


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
    """Applies an op of `BINARY`: in the algebra where it means the same there for every value, else as a leaf."""
    # Invariant: a quotient or a remainder is one of the algebra only where the divisor is positive, and rounds the same way only where
    # the dividend is not negative, or rounds down (up) by itself.
    a, b = lhs.size, rhs.size
    if kind in _ALWAYS:
        return Expr(canonical(_ALWAYS[kind], a, b))
    is_quotient = "div" in kind or "rem" in kind
    sizes = lhs.nonnegative and (is_nonnegative(canonical("-", b, 1)) if is_quotient else rhs.nonnegative)
    if sizes and kind in _OF_SIZES:
        return Expr(canonical(_OF_SIZES[kind], a, b))
    if (is_quotient and isinstance(b, int) and b > 0) or (sizes and is_quotient):
        if kind == "arith.floordivsi":
            return Expr(canonical("floordiv", a, b))
        if kind == "arith.ceildivsi" or (kind == "arith.ceildivui" and sizes):
            return Expr(canonical("floordiv", canonical("+", a, canonical("-", b, 1)), b))
    keeps_sign = is_quotient and lhs.nonnegative and rhs.nonnegative
    return Expr(Atom(kind, (lhs, rhs), keeps_sign))


def compare(predicate: int, lhs: Expr, rhs: Expr) -> Expr:
    """Returns an `arith.cmpi` on sizes, 0 or 1."""
    return Expr(Atom("arith.cmpi", (predicate, lhs, rhs), True))


def select(condition: Expr, on_true: Expr, on_false: Expr) -> Expr:
    """Returns an `arith.select` of sizes."""
    if on_true == on_false:
        return on_true
    nonnegative = on_true.nonnegative and on_false.nonnegative
    return Expr(Atom("arith.select", (condition, on_true, on_false), nonnegative))


def maximum(lhs: Expr, rhs: Expr) -> Expr:
    """Returns the larger of two sizes."""
    return Expr(canonical("max", lhs.size, rhs.size))


def aligned(size: Expr, alignment: int) -> Expr:
    """Returns a size rounded up to a multiple of the alignment."""
    return binary("arith.ceildivsi", size, const(alignment)).scaled(alignment)


class ExprEmitter:
    """Emits sizes at one place; `insert` puts an op there, `atom` gives the SSA value of a `dim` or `arg`."""

    def __init__(self, insert: Callable[[Operation], object], atom: Callable[[Atom], SSAValue]):
        self._insert = insert
        self._atom = atom
        self._sizes = SizeEmitter(self._op, lambda value: self._op(constant(value)), self._leaf)

    def value(self, expr: Expr) -> SSAValue:
        """Returns the SSA value of a size."""
        return self._sizes.value(expr.size)

    def value_or(self, expr: Expr, otherwise: int) -> SSAValue:
        """Returns the SSA value of a size, or another where 64 bits do not hold it."""
        value = self.value(expr)
        conditions = self.range_checks.in_range(expr.size)
        if not conditions:
            return value
        return self._op(arith.SelectOp(self.range_checks.all(conditions), value, self._op(constant(otherwise))))

    @cached_property
    def range_checks(self) -> RangeCheckEmitter:
        """Emits whether sizes are in range, at the same place."""
        return RangeCheckEmitter(self._op, self._leaf)

    def _op(self, op: Operation) -> SSAValue:
        self._insert(op)
        return op.results[0]

    def _leaf(self, leaf: Leaf) -> SSAValue:
        assert isinstance(leaf, Atom)
        if leaf.kind in ("dim", "arg"):
            return self._atom(leaf)
        parts = [self.value(part) for part in leaf.args if isinstance(part, Expr)]
        if leaf.kind == "arith.cmpi":
            predicate = leaf.args[0]
            assert isinstance(predicate, int)
            return self._op(arith.CmpiOp(parts[0], parts[1], predicate))
        if leaf.kind == "arith.select":
            return self._op(arith.SelectOp(*parts))
        return self._op(BINARY[leaf.kind].create(operands=parts, result_types=[IndexType()]))
