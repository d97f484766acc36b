"""The pass `relax-adjust-matmul-order`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from ...dialects.relax.base import dims, element
from ...dialects.relax.dtypes import is_float
from ...dialects.relax.ops.linear_algebra import MatmulOp
from ...dialects.relax.ops.manipulate import PermuteDimsOp
from ...dialects.relax.symbol_ranges import declared_ranges
from ...dialects.symbolic.expressions import Dim, Known, Symbol, add, equal, product, sub, substitute, symbols
from ...dialects.symbolic.order import Ranges, interval
from ...records import record
from ..analysis.weight_values import Weights, weight_values
from ..options import PassWithOptions
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions


def matmul_cost(lhs: Sequence[Dim], rhs: Sequence[Dim]) -> Dim:
    """Returns the number of multiplications of a product of (batches of) matrices or vectors."""
    batch = _longer_batch(lhs[:-2], rhs[:-2])
    return product([*batch, *lhs[-2:-1], lhs[-1], *(rhs[-1:] if len(rhs) > 1 else ())])


def _product_shape(lhs: Sequence[Dim], rhs: Sequence[Dim]) -> list[Dim]:
    return [*_longer_batch(lhs[:-2], rhs[:-2]), *lhs[-2:-1], *(rhs[-1:] if len(rhs) > 1 else ())]


def _longer_batch(lhs: Sequence[Dim], rhs: Sequence[Dim]) -> list[Dim]:
    rank = max(len(lhs), len(rhs))
    padded = [[1] * (rank - len(batch)) + list(batch) for batch in (lhs, rhs)]
    return [b if a == 1 else a for a, b in zip(*padded, strict=True)]


def _same_batches(*shapes: Sequence[Dim]) -> bool:
    """Returns whether the batch dims of matrices are provably equal where they are not 1, so that every order has the same ones."""
    rank = max(len(shape) for shape in shapes) - 2
    for axis in range(rank):
        sizes = [shape[axis - rank - 2] for shape in shapes if len(shape) - 2 >= rank - axis]
        others = [size for size in sizes if size != 1]
        if any(size is None or equal(size, others[0]) is not True for size in others):
            return False
    return True


def is_cheaper(new: Dim, old: Dim, ranges: Ranges) -> bool:
    """Returns whether a cost is provably less than another one for all sizes of at least 1 in their ranges."""
    if new is None or old is None:
        return False
    difference = sub(old, new)
    if difference is None or isinstance(difference, int):
        return difference is not None and difference > 0
    return _is_positive(difference, ranges)


def _is_positive(dim: Dim, ranges: Ranges) -> bool:
    """Returns whether an expression in sizes of at least 1 is provably positive."""
    if dim is None:
        return False
    names = sorted(symbols(dim))
    within = {name: ranges.intervals.get(name, (1, None)) for name in names}
    within = {name: (max(1, low or 1), high) for name, (low, high) in within.items()}
    if len(names) <= _MOST_CORNERS:
        # What is linear in a size is least at one of the ends of its range.
        for name, (low, high) in within.items():
            if high is not None and _is_linear(dim, name):
                return all(_is_positive(substitute(dim, {name: end}), ranges) for end in {low, max(low, high)})
    least, _ = interval(dim, Ranges(within))
    return least is not None and least > 0


_MOST_CORNERS = 6
"""How many symbols an expression may have to be looked at for each end of each range."""


def _is_linear(dim: Known, name: str) -> bool:
    """Returns whether an expression provably grows by equal steps with a symbol."""
    ahead = [substitute(dim, {name: add(Symbol(name), step)}) for step in (1, 2)]
    return equal(add(dim, ahead[1]), add(ahead[0], ahead[0])) is True


def _transposed(value: SSAValue) -> PermuteDimsOp | None:
    """Returns the op, read here alone, that swaps the last two dims of matrices and nothing else."""
    op = value.owner
    rank = len(dims(value) or ())
    if not isinstance(op, PermuteDimsOp) or rank < 2 or not value.has_one_use():
        return None
    return op if op.permutation(rank) == (*range(rank - 2), rank - 1, rank - 2) else None


@record
class Reassociate(RewritePattern):
    """Replaces `(a * b) * c` by `a * (b * c)`, or the other way round, where that has provably fewer multiplications.

    The inner product may be transposed: `(b * a)^T` is `a^T * b^T`. Declines for operands that are not floats of known shape, and for inner
    products that are weights or are read elsewhere.
    """

    inner_first: Literal["left", "right"]
    """The operand of the outer product that is a product."""
    weights: set[SSAValue]
    ranges: Ranges

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        # Invariant: (a, b, c) are the factors as the result reads them; `transpose` swaps the last two dims of the two in `inner`.
        left = self.inner_first == "left"
        operand = op.lhs if left else op.rhs
        transpose = _transposed(operand)
        inner = self._inner(operand if transpose is None else transpose.x, op)
        if inner is None:
            return
        factors = [inner.lhs, inner.rhs] if transpose is None else [inner.rhs, inner.lhs]
        shapes = [dims(factor) for factor in factors]
        if transpose is not None:
            # Products of matrices alone are transposed, so each factor of the last two dims has them.
            shapes = [shape and (*shape[:-2], shape[-1], shape[-2]) for shape in shapes if shape and len(shape) > 1]
        outer = dims(op.rhs if left else op.lhs)
        if not outer or len(shapes) != 2 or not all(shapes):
            return
        known = [shape for shape in ((*shapes, outer) if left else (outer, *shapes)) if shape]
        if not self._is_better(known, [*factors, op.rhs] if left else [op.lhs, *factors]):
            return
        emit = Emitter(op, rewriter)
        if transpose is not None:
            factors = [self._transpose(emit, factor) for factor in factors]
        if left:
            product = emit.like(op, factors[1], op.rhs)[0]
            pair, values = (product, (factors[0], product)), (factors[1], op.rhs)
        else:
            product = emit.like(op, op.lhs, factors[0])[0]
            pair, values = (product, (product, factors[1])), (op.lhs, factors[0])
        if all(value in self.weights for value in values):
            self.weights.add(pair[0])
        emit.replace(op, emit.like(op, *pair[1]))
        if transpose is not None:
            rewriter.erase(transpose)
        rewriter.erase(inner)

    def _inner(self, value: SSAValue, op: MatmulOp) -> MatmulOp | None:
        """Returns the product that an operand is, if the other order is open to it."""
        inner = value.owner
        if not isinstance(inner, MatmulOp) or value in self.weights or not value.has_one_use():
            return None
        same = element(inner.lhs) == element(inner.result) == element(op.result)
        return inner if same and is_float(element(op.result)) else None

    def _is_better(self, shapes: Sequence[Sequence[Dim]], factors: Sequence[SSAValue]) -> bool:
        """Returns whether the other order of three factors is open, and cheaper."""
        a, b, c = shapes
        # Behind a product with a vector a batch dim would count as one of the matrix.
        if len(b) < 2 or (len(b) > 2 and (len(a) == 1 or len(c) == 1)) or not _same_batches(a, b, c):
            return False
        left = [matmul_cost(a, b), matmul_cost(_product_shape(a, b), c)]
        right = [matmul_cost(b, c), matmul_cost(a, _product_shape(b, c))]
        old, new = (left, right) if self.inner_first == "left" else (right, left)
        made_once = factors[1:] if self.inner_first == "left" else factors[:2]
        if all(factor in self.weights for factor in made_once):
            return is_cheaper(new[1], add(*old), self.ranges)
        return is_cheaper(add(*new), add(*old), self.ranges)

    def _transpose(self, emit: Emitter, value: SSAValue) -> SSAValue:
        rank = len(dims(value) or ())
        result = emit.op(PermuteDimsOp, value, axes=[*range(rank - 2), rank - 1, rank - 2])
        if value in self.weights:
            self.weights.add(result)
        return result


@dataclass(frozen=True)
class AdjustMatmulOrderPass(PassWithOptions):
    """Chooses the order of two products that has fewer multiplications.

    ```mlir
    %u = relax.matmul %a, %b : (tensor<4096x16xf32>, tensor<16x4096xf32>) -> tensor<4096x4096xf32>
    %y = relax.matmul %x, %u : (tensor<?x4096xf32, #relax.sym<n>>, tensor<4096x4096xf32>) -> tensor<?x4096xf32, #relax.sym<n>>
    ```
    becomes
    ```mlir
    %v = relax.matmul %x, %a : (tensor<?x4096xf32, #relax.sym<n>>, tensor<4096x16xf32>) -> tensor<?x16xf32, #relax.sym<n>>
    %y = relax.matmul %v, %b : (tensor<?x16xf32, #relax.sym<n>>, tensor<16x4096xf32>) -> tensor<?x4096xf32, #relax.sym<n>>
    ```

    With symbolic sizes the other order must be cheaper for all sizes of at least 1 in their declared ranges. An inner product of
    parameters alone stays, as it is computed once; where the two matrices that would be multiplied first are parameters their product
    counts for nothing. Matrices in batches are reordered where their batch dims are provably equal, or 1. *Requires* known shapes,
    floats. *Leaves* inner products that something else reads too. Results differ by rounding.
    """

    name = "relax-adjust-matmul-order"

    weights: Weights = field(default="parameters")
    """What counts as a weight, and is thus computed once: `arguments`, `parameters` or `constants`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in graph_functions(op):
            weights, ranges = weight_values(function, self.weights), declared_ranges(function)
            patterns = GreedyRewritePatternApplier(
                [Reassociate("left", weights, ranges), Reassociate("right", weights, ranges)], dce_enabled=False
            )
            PatternRewriteWalker(patterns).rewrite_region(function.body)
