"""The pass `relax-adjust-matmul-order`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

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
from ...dialects.symbolic.expressions import Dim, Known, add, product, sub, symbols
from ...dialects.symbolic.order import Ranges, interval
from ..analysis.weight_values import Weights, weight_values
from ..options import PassWithOptions
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions


def matmul_cost(lhs: Sequence[Dim], rhs: Sequence[Dim]) -> Dim:
    """Returns the number of multiplications of a product of (batches of) matrices or vectors."""
    batch = _longer_batch(lhs[:-2], rhs[:-2])
    return product([*batch, *lhs[-2:-1], lhs[-1], *(rhs[-1:] if len(rhs) > 1 else ())])


def _longer_batch(lhs: Sequence[Dim], rhs: Sequence[Dim]) -> list[Dim]:
    rank = max(len(lhs), len(rhs))
    padded = [[1] * (rank - len(batch)) + list(batch) for batch in (lhs, rhs)]
    return [b if a == 1 else a for a, b in zip(*padded, strict=True)]


def is_cheaper(new: Dim, old: Dim) -> bool:
    """Returns whether a cost is provably less than another one for all sizes of at least 1."""
    if new is None or old is None:
        return False
    difference = sub(old, new)
    if difference is None or isinstance(difference, int):
        return difference is not None and difference > 0
    return _is_positive(difference)


def _is_positive(dim: Known) -> bool:
    """Returns whether an expression in sizes of at least 1 is provably positive."""
    least, _ = interval(dim, Ranges({name: (1, None) for name in symbols(dim)}))
    return least is not None and least > 0


@dataclass(frozen=True)
class _Reorder:
    """Declines for both patterns: operands that are not matrices of floats, and inner products that are weights or are read elsewhere."""

    weights: set[SSAValue]

    def inner(self, value: SSAValue, op: MatmulOp) -> MatmulOp | None:
        """Returns the product that an operand is, if the other order is open to it."""
        inner = value.owner
        if not isinstance(inner, MatmulOp) or value in self.weights or not value.has_one_use():
            return None
        same = element(inner.lhs) == element(inner.result) == element(op.result)
        return inner if same and is_float(element(op.result)) else None


@dataclass(frozen=True)
class MultiplyRightFirst(_Reorder, RewritePattern):
    """Replaces `(a * b) * c` by `a * (b * c)` where that has provably fewer multiplications."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        inner = self.inner(op.lhs, op)
        if inner is None:
            return
        a, b, c = dims(inner.lhs), dims(inner.rhs), dims(op.rhs)
        # Only the first matrix may come in batches, so that every order has the same ones.
        if a is None or b is None or c is None or len(a) < 2 or len(b) != 2 or len(c) not in (1, 2):
            return
        old = add(matmul_cost(a, b), matmul_cost((*a[:-1], b[-1]), c))
        new = add(matmul_cost(b, c), matmul_cost(a, (b[0], *c[1:])))
        both_weights = inner.rhs in self.weights and op.rhs in self.weights
        if not both_weights and not is_cheaper(new, old):
            return
        if both_weights and not is_cheaper(matmul_cost(a, (b[0], *c[1:])), old):
            return
        emit = Emitter(op, rewriter)
        right = emit.like(op, inner.rhs, op.rhs)[0]
        if both_weights:
            self.weights.add(right)
        emit.replace(op, emit.like(op, inner.lhs, right))
        rewriter.erase(inner)


@dataclass(frozen=True)
class MultiplyLeftFirst(_Reorder, RewritePattern):
    """Replaces `a * (b * c)`, the inner product being transposed or not, by `(a * b) * c` where that has provably fewer multiplications."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        # `a @ (b @ c)` becomes `(a @ b) @ c` where that is provably cheaper; behind a transpose, `b` and `c` are the transposed factors,
        # swapped.
        transpose = op.rhs.owner if isinstance(op.rhs.owner, PermuteDimsOp) else None
        if transpose is not None and (not op.rhs.has_one_use() or len(dims(transpose.x) or ()) != 2):
            return
        if transpose is not None and transpose.permutation(2) != (1, 0):
            return
        inner = self.inner(op.rhs if transpose is None else transpose.x, op)
        if inner is None:
            return
        b_value, c_value = (inner.lhs, inner.rhs) if transpose is None else (inner.rhs, inner.lhs)
        a, b, c = dims(op.lhs), dims(b_value), dims(c_value)
        if not a or b is None or c is None or len(b) != 2 or len(c) != 2:
            return
        if transpose is not None:
            b, c = b[::-1], c[::-1]
        old = add(matmul_cost(b, c), matmul_cost(a, (b[0], c[1])))
        new = add(matmul_cost(a, b), matmul_cost((*a[:-1], b[1]), c))
        if not is_cheaper(new, old):
            return
        emit = Emitter(op, rewriter)
        if transpose is not None:
            b_value, c_value = (emit.op(PermuteDimsOp, operand, axes=[1, 0]) for operand in (b_value, c_value))
        left = emit.like(op, op.lhs, b_value)[0]
        emit.replace(op, emit.like(op, left, c_value))
        if transpose is not None:
            rewriter.erase(transpose)
        rewriter.erase(inner)


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

    With symbolic sizes the other order must be cheaper for all sizes of at least 1. An inner product of parameters alone stays, as it is
    computed once; where the outer two matrices are parameters their product counts for nothing. *Requires* known shapes, floats.
    *Leaves* inner products that something else reads too. Results differ by rounding.
    """

    name = "relax-adjust-matmul-order"

    weights: Weights = field(default="parameters")
    """What counts as a weight, and is thus computed once: `arguments`, `parameters` or `constants`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in graph_functions(op):
            weights = weight_values(function, self.weights)
            patterns = GreedyRewritePatternApplier(
                [MultiplyRightFirst(weights), MultiplyLeftFirst(weights)], dce_enabled=False
            )
            PatternRewriteWalker(patterns).rewrite_region(function.body)
