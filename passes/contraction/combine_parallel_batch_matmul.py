"""The pass `relax-combine-parallel-batch-matmul`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from ...dialects.relax.base import dims, element
from ...dialects.relax.ops.linear_algebra import MatmulOp
from ...dialects.relax.ops.manipulate import ConcatOp
from ..analysis.weight_values import Weights
from ..options import PassWithOptions, within
from ..rewriting.emitter import Emitter
from .parallel_branches import Branch, ParallelRule, combine_branches


class BatchMatmulRule(ParallelRule):
    """Joins products of batches of matrices along their columns."""

    def branch_of(self, op: Operation) -> Branch | None:
        if not isinstance(op, MatmulOp):
            return None
        lhs, rhs, result = dims(op.lhs), dims(op.rhs), dims(op.result)
        if lhs is None or rhs is None or result is None or len(lhs) < 3 or len(rhs) < 3:
            return None
        columns = result[-1]
        return Branch(op, len(result) - 1, columns) if isinstance(columns, int) and rhs[-1] == columns else None

    def is_compatible(self, first: Branch, other: Branch) -> bool:
        shape, other_shape = dims(first.root.operands[1]), dims(other.root.operands[1])
        assert shape is not None and other_shape is not None
        return (
            shape[:-1] == other_shape[:-1]
            and None not in shape
            and element(first.root.results[0]) == element(other.root.results[0])
        )

    def join(self, emit: Emitter, branches: Sequence[Branch]) -> SSAValue:
        root = branches[0].root
        rank = len(dims(root.operands[1]) or ())
        columns = emit.op(ConcatOp, *(branch.root.operands[1] for branch in branches), axis=rank - 1)
        return emit.like(root, root.operands[0], columns)[0]


@dataclass(frozen=True)
class CombineParallelBatchMatmulPass(PassWithOptions):
    """Combines products of one batch of matrices into one product with the columns of all.

    ```mlir
    %y1 = relax.matmul %x, %w1 : (tensor<2x3x8xf32>, tensor<2x8x4xf32>) -> tensor<2x3x4xf32>
    %y2 = relax.matmul %x, %w2 : (tensor<2x3x8xf32>, tensor<2x8x2xf32>) -> tensor<2x3x2xf32>
    ```
    becomes
    ```mlir
    %w = relax.concat %w1, %w2 {axis = 2 : i64} : ...
    %y = relax.matmul %x, %w : (tensor<2x3x8xf32>, tensor<2x8x6xf32>) -> tensor<2x3x6xf32>
    %y1 = relax.strided_slice %y {axes = array<i64: 2>, begin = array<i64: 0>, end = array<i64: 4>, strides = array<i64: 1>} : ...
    %y2 = relax.strided_slice %y {axes = array<i64: 2>, begin = array<i64: 4>, end = array<i64: 6>, strides = array<i64: 1>} : ...
    ```

    Both operands have three dims or more. Element-wise ops that follow each product are combined as far as they are the same, their
    other operands concatenated along the columns, which each must have.

    *Requires* known numbers of columns. *Leaves* groups smaller than `min_branches`.
    """

    name = "relax-combine-parallel-batch-matmul"

    min_branches: int = within(3, 2)
    """The smallest number of products that is combined."""
    only_weights: bool = field(default=False)
    """Whether only products with weights are combined, whose concatenation costs nothing at run time."""
    weights: Weights = field(default="arguments")
    """What counts as a weight: `arguments`, `parameters` or `constants`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = self.weights if self.only_weights else None
        combine_branches(op, BatchMatmulRule(), self.min_branches, weights)
