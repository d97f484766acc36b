"""Sizes of the lowering mean what the ops of `arith` mean, in the algebra and where they are emitted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.test_value import create_ssa_value
from xdsl_relax.dialects.symbolic.nodes import Leaf, evaluate, leaves
from xdsl_relax.lowering.sizes.index_expr import Atom, ExprEmitter, aligned, argument_dim, binary, const, maximum

N, M = argument_dim(0, 0), argument_dim(1, 0)
SIZES = (0, 1, 2, 3, 7, 64, 100)


def quotient(a, b):
    """Returns a quotient that is rounded to 0."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


MEANING = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
    arith.FloorDivSIOp: lambda a, b: a // b,
    arith.CeilDivSIOp: lambda a, b: -(-a // b),
    arith.DivSIOp: quotient,
    arith.RemSIOp: lambda a, b: a - b * quotient(a, b),
    arith.DivUIOp: lambda a, b: (a % 2**64) // b,
    arith.RemUIOp: lambda a, b: (a % 2**64) % b,
}


def emitted_value(expr, sizes):
    """Returns what the ops compute that are emitted for a size."""
    values: dict[SSAValue, int] = {}
    arguments = {position: create_ssa_value(IndexType()) for position in range(2)}
    for position, argument in arguments.items():
        values[argument] = sizes[position]

    def insert(op: Operation) -> None:
        if isinstance(op, arith.ConstantOp):
            values[op.result] = op.value.value.data  # pyright: ignore
        else:
            values[op.results[0]] = MEANING[type(op)](*(values[operand] for operand in op.operands))

    return values[ExprEmitter(insert, lambda atom: arguments[atom.argument]).value(expr)]


@pytest.mark.parametrize(
    "op",
    [op for op in MEANING if op not in (arith.AddiOp, arith.SubiOp, arith.MuliOp)],
)
@pytest.mark.parametrize("shift", [0, 5])
def test_an_op_keeps_its_meaning(op, shift):
    lhs = N - const(shift)
    for rhs, divisor in ((const(4), lambda m: 4), (M + const(1), lambda m: m + 1)):
        expr = binary(op.name, lhs, rhs)
        for n, m in itertools.product(SIZES, repeat=2):
            assert emitted_value(expr, (n, m)) == MEANING[op](n - shift, divisor(m)), (str(expr), n, m)


def test_sizes_are_those_of_the_algebra():
    assert binary("arith.ceildivsi", N.scaled(4), const(2)) == N.scaled(2)
    assert binary("arith.divui", N, const(4)) == binary("arith.floordivsi", N, const(4))
    assert maximum(N, N + const(1)) == N + const(1)
    assert binary("arith.divsi", N - const(5), const(4)) != binary("arith.floordivsi", N - const(5), const(4))
    assert aligned(N.scaled(4), 64) == binary("arith.ceildivsi", N, const(16)).scaled(64)
    assert N.scaled(4).at_most(aligned(N.scaled(4), 64))
    assert not aligned(N.scaled(4), 64).at_most(N.scaled(4))


def test_a_size_is_emitted_as_it_is_evaluated():
    rng = np.random.default_rng(0)
    for _ in range(200):
        expr = N
        for _ in range(4):
            other = [N, M, const(int(rng.integers(1, 9)))][rng.integers(3)]
            kind = rng.choice(["+", "-", "*", "arith.minsi", "arith.maxsi", "arith.floordivsi", "arith.remui"])
            if kind in ("arith.floordivsi", "arith.remui"):
                expr = binary(kind, maximum(expr, const(0)), const(int(rng.integers(1, 9))))
            elif kind.startswith("arith"):
                expr = binary(str(kind), expr, other)
            else:
                expr = {"+": expr + other, "-": expr - other, "*": expr * other}[kind]
        for n, m in ((0, 3), (5, 1), (17, 4)):
            atoms: dict[Leaf, int] = {
                leaf: (n, m)[leaf.argument] for leaf in leaves(expr.size) if isinstance(leaf, Atom)
            }
            assert emitted_value(expr, (n, m)) == evaluate(expr.size, {}, atoms)
