"""Calls of LAPACK, which jax writes for the CPU in place of ops: factors of positive matrices, triangular and tridiagonal systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.ir import SSAValue

from ....builder import BlockBuilder
from ...model.problems import Unsupported
from ...model.value_types import element_of, sizes_of
from ..bindings import ir
from ..node import Node, Outputs, known_sizes
from .linear_algebra import cholesky, triangular_solve


def _letter(node: Node, name: str) -> str:
    """Returns a parameter of the call, which is a letter: `L` for lower."""
    for attribute in ("mhlo.backend_config", "backend_config"):
        entries = node.attribute(attribute) if node.has(attribute) else None
        if isinstance(entries, ir.DictAttr) and name in entries:
            return chr(int(ir.IntegerAttr(entries[name])))
    raise Unsupported(f"the call has no parameter {name}")


def _first(g: BlockBuilder, is_bad: SSAValue, axis: int) -> SSAValue:
    """Returns the number, from 1, of the first place that is bad, and 0 where none is."""
    bad = g.astype(is_bad, dtype="i32")
    place = g.astype(g.add(g.argmax(bad, axis=axis, keepdims=False), 1), dtype="i32")
    return g.multiply(place, g.max(bad, axis=[axis]))


def _potrf(node: Node) -> Outputs:
    """Converts a call: the other triangle keeps what it has, and a pivot that is not positive is told."""
    g, a, lower = node.g, node.x(0), _letter(node, "uplo") == "L"
    n = known_sizes(sizes_of(a)[-1:], "the sizes of the matrix")[0]
    rank, zero = len(sizes_of(a)), g.constant(0, element_of(a))
    columns = g.arange(start=0, end=n, dtype="i32")
    rows = g.reshape(columns, [n, 1])
    factor = cholesky(g, a, lower)
    pivots = g.sum(g.where(g.equal(rows, columns), factor, zero), axis=[rank - 1])
    is_factor = g.greater_equal(rows, columns) if lower else g.less_equal(rows, columns)
    return [g.where(is_factor, factor, a), _first(g, g.logical_not(g.greater(pivots, zero)), rank - 2)]


def _trsm(node: Node) -> SSAValue:
    return triangular_solve(
        node.g,
        node.x(0),
        node.x(1),
        is_left=_letter(node, "side") == "L",
        is_lower=_letter(node, "uplo") == "L",
        is_transposed=_letter(node, "trans_x") != "N",
        is_unit=_letter(node, "diag") == "U",
    )


def _gtsv(node: Node) -> Outputs:
    """Converts a call: elimination with exchanges of neighboring rows, then substitution from the last row on.

    A row of the factor has its pivot, two entries beside it, and the right sides. The first of the lower and the last of the upper
    diagonal are not read. The factor itself, which the call returns too, has no counterpart.
    """
    g, b = node.g, node.x(3)
    if any(len(list(result.uses)) > 0 for result in list(node.op.results)[:3]):
        raise Unsupported("the factor of a tridiagonal matrix has no counterpart, the solution has")
    *batch, size, width = sizes_of(b)
    n, columns = known_sizes([size, width], "the sizes of the matrix")
    rank, zero = len(sizes_of(b)), g.constant(0, element_of(b))
    counter = g.arange(start=0, end=n, dtype="i32")
    column = g.reshape(counter, [n, 1])
    lower, diagonal, upper = (g.reshape(node.x(index), [*batch, n, 1]) for index in range(3))
    upper = g.where(g.equal(column, n - 1), zero, upper)
    rows = g.concat(lower, diagonal, upper, b, axis=rank - 1)
    # Below the last row is one of zeros: nothing is eliminated there.
    end = g.zeros_like(g.strided_slice(rows, axes=[rank - 2], begin=[0], end=[1]))
    given = g.concat(rows, end, axis=rank - 2)
    first = g.concat(diagonal, upper, g.zeros_like(upper), b, axis=rank - 1)

    def row(inner: BlockBuilder, x: SSAValue, place: SSAValue) -> SSAValue:
        return inner.take(x, inner.reshape(place, [1]), axis=rank - 2, mode="clip")

    def part(inner: BlockBuilder, x: SSAValue, begin: int, end: int) -> SSAValue:
        return inner.strided_slice(x, axes=[rank - 1], begin=[begin], end=[end])

    def eliminate(inner: BlockBuilder, number: SSAValue, here: SSAValue, factor: SSAValue) -> list[SSAValue]:
        following = inner.add(number, 1)
        below = row(inner, given, following)
        pivot, entry = part(inner, here, 0, 1), part(inner, below, 0, 1)
        swaps = inner.greater(inner.abs(entry), inner.abs(pivot))
        upper_row, lower_row = inner.where(swaps, below, here), inner.where(swaps, here, below)
        quotient = inner.divide(part(inner, lower_row, 0, 1), part(inner, upper_row, 0, 1))
        multiplier = inner.where(inner.equal(entry, 0), zero, quotient)
        rest = inner.subtract(lower_row, inner.multiply(multiplier, upper_row))
        next_row = inner.concat(
            part(inner, rest, 1, 3), inner.zeros_like(entry), part(inner, rest, 3, 3 + columns), axis=rank - 1
        )
        return [following, next_row, inner.where(inner.equal(column, number), upper_row, factor)]

    start = g.constant(0, "i32")
    _, _, factor = g.while_(
        [start, row(g, first, start), g.zeros_like(first)],
        lambda inner, number, here, factor: inner.less(number, n),
        eliminate,
    )
    return [*node.xs()[:3], *_substituted(g, factor, n, rank, column)]


def _substituted(g: BlockBuilder, factor: SSAValue, n: int, rank: int, column: SSAValue) -> list[SSAValue]:
    """Returns the solution for the rows of a factor, and the number of the first pivot that is 0."""
    width = known_sizes(sizes_of(factor)[-1:], "the sizes of the matrix")[0]
    zeros = g.strided_slice(factor, axes=[rank - 1], begin=[3], end=[width])

    def substitute(inner: BlockBuilder, number: SSAValue, x1: SSAValue, x2: SSAValue, x: SSAValue) -> list[SSAValue]:
        here = inner.take(factor, inner.reshape(number, [1]), axis=rank - 2, mode="clip")
        pivot, beside, second, right = (
            inner.strided_slice(here, axes=[rank - 1], begin=[begin], end=[end])
            for begin, end in ((0, 1), (1, 2), (2, 3), (3, width))
        )
        known = inner.add(inner.multiply(beside, x1), inner.multiply(second, x2))
        solved = inner.divide(inner.subtract(right, known), pivot)
        return [inner.subtract(number, 1), solved, x1, inner.where(inner.equal(column, number), solved, x)]

    nothing = g.zeros_like(g.strided_slice(zeros, axes=[rank - 2], begin=[0], end=[1]))
    *_, x = g.while_(
        [g.constant(n - 1, "i32"), nothing, nothing, g.zeros_like(zeros)],
        lambda inner, number, x1, x2, x: inner.greater_equal(number, 0),
        substitute,
    )
    pivots = g.squeeze(g.strided_slice(factor, axes=[rank - 1], begin=[0], end=[1]), axis=[rank - 1])
    return [x, _first(g, g.equal(pivots, 0), rank - 2)]


CALLS: Mapping[str, Callable[[Node], Outputs]] = {
    f"lapack_{letter}{name}_ffi": convert
    for letter in "sd"
    for name, convert in (("potrf", _potrf), ("trsm", _trsm), ("gtsv", _gtsv))
}
"""What the calls become, by their targets."""
