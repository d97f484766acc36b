"""The pass `relax-read-transposed-operands`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from ...dialects.relax.base import dims, element
from ...dialects.relax.ops.binary import MultiplyOp
from ...dialects.relax.ops.core import ConstantOp
from ...dialects.relax.ops.linear_algebra import EinsumOp, MatmulOp
from ...dialects.relax.ops.manipulate import PermuteDimsOp, ReshapeOp
from ...dialects.symbolic.expressions import Dim, shapes_equal
from ..analysis.weight_values import Weights, weight_values
from ..options import PassWithOptions
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions
from ..rewriting.rooted_walker import RootedWalker, of_types


class ReadTransposedOperand(RewritePattern):
    """Replaces `matmul(a, transposed(b) * c)` by `einsum("...ik,...jk->...ij", a * c, b)`.

    Declines unless all values between are read once, and `b` changes from call to call. A scale moves in f32 and f64, for a lhs that has
    no more rows than `b`.
    """

    def __init__(self, known: set[SSAValue]):
        self.known = known

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        # The scale is outside of the transpose, so that it is taken off first.
        value, scale = op.rhs, None
        scaled = value.owner
        if isinstance(scaled, MultiplyOp) and value.has_one_use() and element(value) in (f32, f64):
            factors = [(scaled.lhs, scaled.rhs), (scaled.rhs, scaled.lhs)]
            value, scale = next(((x, c) for x, c in factors if _is_single_number(c)), (value, None))
        source = _untransposed(value)
        if source is None or source in self.known or element(op.lhs) != element(op.result):
            return
        left, right = dims(op.lhs), dims(source)
        if left is None or right is None or len(left) < 2 or (scale is not None and _more(left[-2], right[-2])):
            return
        emit = Emitter(op, rewriter)
        lhs = op.lhs if scale is None else emit.op(MultiplyOp, op.lhs, scale)
        emit.replace(op, [emit.op(EinsumOp, lhs, source, subscripts="...ik,...jk->...ij")])


def _is_single_number(value: SSAValue) -> bool:
    """Returns whether a value is a constant of one element in at most one dim, which gives a product no further dims."""
    shape = dims(value)
    return isinstance(value.owner, ConstantOp) and shape in ((), (1,))


def _more(rows: Dim, other: Dim) -> bool:
    return isinstance(rows, int) and isinstance(other, int) and rows > other


def _untransposed(value: SSAValue) -> SSAValue | None:
    """Returns the value of which another one is the transpose in the last two dims, also with others merged and split around it."""
    # Invariant: every value from `value` to the result has one use, so that nothing else needs what is skipped.
    op, shape = value.owner, dims(value)
    if shape is None or len(shape) < 2 or not value.has_one_use():
        return None
    if isinstance(op, PermuteDimsOp):
        rank = len(shape)
        return op.x if op.permutation(rank) == (*range(rank - 2), rank - 1, rank - 2) else None
    if not isinstance(op, ReshapeOp):
        return None
    merged = _untransposed(op.x)
    if merged is None or not isinstance(merged.owner, ReshapeOp) or not merged.has_one_use():
        return None
    source = merged.owner.x
    sizes = [dims(each) for each in (source, merged, op.x)]
    if any(size is None or len(size) < 2 for size in sizes):
        return None
    before, inside, after = ([*(size or ())] for size in sizes)
    keeps = shapes_equal(before[-2:], inside[-2:]) and shapes_equal(after[-2:], shape[-2:])
    return source if keeps and shapes_equal(before[:-2], shape[:-2]) else None


@dataclass(frozen=True)
class ReadTransposedOperandsPass(PassWithOptions):
    """Lets products read right operands as they are rather than transposed and scaled, as exporters write attention.

    ```mlir
    %t = relax.permute_dims %k {axes = array<i64: 0, 2, 1>} : (tensor<8x1500x64xf32>) -> tensor<8x64x1500xf32>
    %s = relax.multiply %t, %scale : (tensor<8x64x1500xf32>, tensor<1xf32>) -> tensor<8x64x1500xf32>
    %y = relax.matmul %q, %s : (tensor<8x1x64xf32>, tensor<8x64x1500xf32>) -> tensor<8x1x1500xf32>
    ```
    becomes
    ```mlir
    %r = relax.multiply %q, %scale : (tensor<8x1x64xf32>, tensor<1xf32>) -> tensor<8x1x64xf32>
    %y = relax.einsum %r, %k {subscripts = "...ik,...jk->...ij"} : (tensor<8x1x64xf32>, tensor<8x1500x64xf32>) -> tensor<8x1x1500xf32>
    ```

    *Requires* known ranks, and weights that are packed already. *Leaves* weights, which are transposed once, and what something else
    reads too. Results differ by rounding where a scale moves.
    """

    name = "relax-read-transposed-operands"
    weights: Weights = "parameters"
    """What counts as a weight: `arguments`, `parameters` or `constants`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in graph_functions(op):
            pattern = ReadTransposedOperand(weight_values(function, self.weights))
            RootedWalker([pattern], of_types(MatmulOp)).rewrite_region(function.body)
