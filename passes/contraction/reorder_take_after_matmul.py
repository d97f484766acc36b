"""The pass `relax-reorder-take-after-matmul`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from ...dialects.relax.base import dims
from ...dialects.relax.ops.indexing import TakeOp
from ...dialects.relax.ops.linear_algebra import MatmulOp
from ...dialects.relax.ops.manipulate import PermuteDimsOp, ReshapeOp
from ...dialects.symbolic.expressions import Dim, product
from ...records import record
from ..analysis.weight_values import Weights, weight_values
from ..options import PassWithOptions
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions


@record
class TakeAfterMatmul(RewritePattern):
    """Replaces `x * take(w, i)` by `take(x * w, i)`.

    The indices choose columns of a matrix, or one matrix of a table. Declines where they are weights, as the choice is then made once.
    """

    weights: set[SSAValue]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        # The indices are no weight: the whole table is multiplied, and the product is indexed.
        take = op.rhs.owner
        if not isinstance(take, TakeOp) or take.indices in self.weights or not op.rhs.has_one_use():
            return
        data, table, indices = dims(op.lhs), dims(take.x), dims(take.indices)
        if data is None or table is None or indices is None or len(data) < 1:
            return
        axis = take.normalized_axis(len(table))
        if len(table) == 2 and axis == 1 and len(indices) == 1:
            self._columns(op, take, rewriter)
        elif len(table) == 3 and axis == 0 and len(indices) == 0:
            self._matrix(op, take, data, table, rewriter)

    def _columns(self, op: MatmulOp, take: TakeOp, rewriter: PatternRewriter) -> None:
        emit = Emitter(op, rewriter)
        all_columns = emit.like(op, op.lhs, take.x)[0]
        rank = len(dims(all_columns) or ())
        emit.replace(op, emit.like(take, all_columns, take.indices, axis=rank - 1))
        rewriter.erase(take)

    def _matrix(
        self, op: MatmulOp, take: TakeOp, data: tuple[Dim, ...], table: tuple[Dim, ...], rewriter: PatternRewriter
    ) -> None:
        """Multiplies by all matrices of the table, side by side, then takes the chosen part of each row."""
        count, inner, width = table
        if None in data or None in table:
            return
        emit = Emitter(op, rewriter)
        rows = emit.op(PermuteDimsOp, take.x, axes=[1, 0, 2])
        wide = emit.op(ReshapeOp, rows, emit.shape(inner, product([count, width])))
        all_matrices = emit.like(op, op.lhs, wide)[0]
        parts = emit.op(ReshapeOp, all_matrices, emit.shape(*data[:-1], count, width))
        emit.replace(op, emit.like(take, parts, take.indices, axis=len(data) - 1))
        rewriter.erase(take)


@dataclass(frozen=True)
class ReorderTakeAfterMatmulPass(PassWithOptions):
    """Chooses from a product rather than from the weights that go into it.

    ```mlir
    %c = relax.take %w, %i {axis = 1 : i64} : (tensor<8x64xf32>, tensor<2xi64>) -> tensor<8x2xf32>
    %y = relax.matmul %x, %c : (tensor<3x8xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
    ```
    becomes
    ```mlir
    %p = relax.matmul %x, %w : (tensor<3x8xf32>, tensor<8x64xf32>) -> tensor<3x64xf32>
    %y = relax.take %p, %i {axis = 1 : i64} : (tensor<3x64xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    ```

    More is multiplied, but by weights that are known before the indices are, which can be packed and combined with others. A scalar
    index into a table of matrices chooses a part of each row of the product with all of them. *Requires* known ranks; sizes for tables.
    *Leaves* indices that are parameters; batches that choose a matrix each, whose product would hold all choices for every one.
    """

    name = "relax-reorder-take-after-matmul"

    weights: Weights = field(default="parameters")
    """What counts as a weight, and is thus computed once: `arguments`, `parameters` or `constants`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in graph_functions(op):
            pattern = TakeAfterMatmul(weight_values(function, self.weights))
            PatternRewriteWalker(pattern, apply_recursively=False).rewrite_region(function.body)
