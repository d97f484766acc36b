"""Products of tensors, and solutions of triangular systems."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i1, i32
from xdsl.ir import Attribute, SSAValue

from ....builder import BlockBuilder
from ....dialects.relax.dtypes import accumulator, is_float
from ....dialects.symbolic.expressions import equal, product
from ....dialects.symbolic.nodes import Known
from ...model.value_types import element_of, sizes_of
from ..bindings import stablehlo
from ..bits import width
from ..node import Node, known_sizes
from ..table import Table, converters
from .manipulate import transposed

TABLE: Table = {}
op = converters(TABLE)


@op("dot_general")
def _dot_general(node: Node) -> SSAValue:
    """Converts an op: the dims of each operand as batch, free and contracted ones, then a product of matrices."""
    numbers = stablehlo.DotDimensionNumbers(node.attribute("dot_dimension_numbers"))
    lhs_batch, rhs_batch = list(numbers.lhs_batching_dimensions), list(numbers.rhs_batching_dimensions)
    lhs_axes, rhs_axes = list(numbers.lhs_contracting_dimensions), list(numbers.rhs_contracting_dimensions)
    element = factor_type(node)
    lhs, lhs_free = _grouped(node, 0, element, lhs_batch, lhs_axes, contracts_last=True)
    rhs, rhs_free = _grouped(node, 1, element, rhs_batch, rhs_axes, contracts_last=False)
    batch = [node.shape(0)[axis] for axis in lhs_batch]
    result = node.result.element
    # Of truth values, whether a pair holds: the sum of products is taken in integers.
    out = None if element == result or result == i1 else result
    total = node.g.matmul(lhs, rhs, out_dtype=out)
    return _as_declared(node, node.cast(total, result), [*batch, *lhs_free, *rhs_free])


def _as_declared(node: Node, value: SSAValue, sizes: Sequence[Known]) -> SSAValue:
    same = len(sizes_of(value)) == len(sizes) and all(equal(a, b) for a, b in zip(sizes_of(value), sizes, strict=True))
    return value if same else node.g.reshape(value, list(sizes))


def factor_type(node: Node) -> Attribute:
    """Returns the type that both factors are converted to: their own, unless they differ or the sum would be taken in less."""
    # Invariant: no factor loses what its own type holds, and a sum is taken in the type of the result or a wider one.
    lhs, rhs, result = node.element(0), node.element(1), node.result.element
    if lhs == rhs and lhs == result and lhs != i1:
        return lhs
    if lhs == i1 or rhs == i1:
        return result if result != i1 else i32
    if lhs == rhs and (accumulator(lhs) == result or not is_float(lhs)):
        return lhs
    if lhs == rhs and width(result) <= width(lhs):
        return lhs
    return result


def _grouped(
    node: Node, index: int, element: Attribute, batch: Sequence[int], axes: Sequence[int], contracts_last: bool
) -> tuple[SSAValue, list[Known]]:
    """Returns an operand as matrices: the batch, then rows and columns, each of several dims; and the free sizes."""
    shape = node.shape(index)
    free = [axis for axis in range(len(shape)) if axis not in batch and axis not in axes]
    order = [*batch, *free, *axes] if contracts_last else [*batch, *axes, *free]
    x = transposed(node, node.cast(node.x(index), element), order)
    free_sizes = [shape[axis] for axis in free]
    rows, columns = product(free_sizes), product([shape[axis] for axis in axes])
    sizes = [*(shape[axis] for axis in batch), *((rows, columns) if contracts_last else (columns, rows))]
    known = [size for size in sizes if size is not None]
    assert len(known) == len(sizes)
    return _as_declared(node, x, known), free_sizes


# Triangular systems, row by row: a loop whose steps are all alike.


@op("triangular_solve")
def _triangular_solve(node: Node) -> SSAValue:
    return triangular_solve(
        node.g,
        node.x(0),
        node.x(1),
        is_left=bool(node.attr("left_side")),
        is_lower=bool(node.attr("lower")),
        is_transposed=node.word("transpose_a") not in ("", "NO_TRANSPOSE"),
        is_unit=bool(node.attr("unit_diagonal")),
    )


def triangular_solve(
    g: BlockBuilder, a: SSAValue, b: SSAValue, *, is_left: bool, is_lower: bool, is_transposed: bool, is_unit: bool
) -> SSAValue:
    """Returns the solution: its rows are found one after the other, those that are not yet found being 0."""
    rank = len(sizes_of(a))
    swap = [*range(rank - 2), rank - 1, rank - 2]
    if not is_left:
        b, is_transposed = g.permute_dims(b, axes=swap), not is_transposed
    if is_transposed:
        a, is_lower = g.permute_dims(a, axes=swap), not is_lower
    (n, *_) = sizes_of(a)[-1:]
    element = element_of(a)
    counter = (
        g.arange(g.shape(0, n, 1), dtype="i32") if not isinstance(n, int) else g.arange(start=0, end=n, dtype="i32")
    )
    column = g.reshape(counter, [n, 1])

    def step(inner: BlockBuilder, number: SSAValue, x: SSAValue) -> list[SSAValue]:
        place = number if is_lower else inner.subtract(inner.constant(_last(n), "i32"), number)
        row = inner.take(a, inner.reshape(place, [1]), axis=rank - 2, mode="clip")
        here = inner.equal(counter, place)
        others = inner.less(counter, place) if is_lower else inner.greater(counter, place)
        if is_unit:
            pivot = inner.constant(1, element)
        else:
            pivot = inner.sum(inner.where(here, row, inner.constant(0, element)), axis=[rank - 1], keepdims=True)
        known = inner.matmul(inner.where(others, row, inner.constant(0, element)), x)
        wanted = inner.take(b, inner.reshape(place, [1]), axis=rank - 2, mode="clip")
        solved = inner.divide(inner.subtract(wanted, known), pivot)
        is_row = inner.equal(column, place)
        return [inner.add(number, inner.constant(1, "i32")), inner.where(is_row, solved, x)]

    _, x = g.while_(
        [g.constant(0, "i32"), g.zeros_like(b)],
        lambda inner, number, x: inner.less(number, inner.constant(_last(n) + 1, "i32")),
        step,
    )
    return x if is_left else g.permute_dims(x, axes=swap)


def _last(n: Known) -> int:
    return known_sizes([n], "the sizes of the matrix")[0] - 1


@op("cholesky")
def _cholesky(node: Node) -> SSAValue:
    return cholesky(node.g, node.x(0), bool(node.attr("lower")))


def cholesky(g: BlockBuilder, a: SSAValue, is_lower: bool) -> SSAValue:
    """Returns the factor: its columns are found one after the other, those that are not yet found being 0."""
    sizes = sizes_of(a)
    rank, n, element = len(sizes), sizes[-1], element_of(a)
    swap = [*range(rank - 2), rank - 1, rank - 2]
    if not is_lower:
        a = g.permute_dims(a, axes=swap)
    counter = g.arange(start=0, end=_last(n) + 1, dtype="i32")
    rows = g.reshape(counter, [n, 1])

    def step(inner: BlockBuilder, number: SSAValue, factor: SSAValue) -> list[SSAValue]:
        place = inner.reshape(number, [1])
        row = inner.take(factor, place, axis=rank - 2, mode="clip")
        column = inner.take(a, place, axis=rank - 1, mode="clip")
        rest = inner.subtract(column, inner.matmul(factor, inner.permute_dims(row, axes=swap)))
        is_here, is_below = inner.equal(rows, number), inner.greater_equal(rows, number)
        zero = inner.constant(0, element)
        pivot = inner.sqrt(inner.sum(inner.where(is_here, rest, zero), axis=[rank - 2], keepdims=True))
        entries = inner.where(is_here, pivot, inner.divide(rest, pivot))
        chosen = inner.logical_and(inner.equal(counter, number), is_below)
        return [inner.add(number, inner.constant(1, "i32")), inner.where(chosen, entries, factor)]

    _, factor = g.while_(
        [g.constant(0, "i32"), g.zeros_like(a)],
        lambda inner, number, factor: inner.less(number, inner.constant(_last(n) + 1, "i32")),
        step,
    )
    return factor if is_lower else g.permute_dims(factor, axes=swap)
