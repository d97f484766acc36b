"""The pass `relax-reorder-permute-dims-after-concat`."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ...dialects.relax.base import dims, normalized_axis
from ...dialects.relax.ops.manipulate import ConcatOp, PermuteDimsOp
from ...dialects.upstream.positions import fused
from ..rewriting.emitter import Emitter
from ..rewriting.rooted_walker import RootedWalker, of_types


class ConcatBeforePermute(RewritePattern):
    """Replaces a concatenation of transposed tensors by the transpose of a concatenation; declines where the axes differ."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConcatOp, rewriter: PatternRewriter) -> None:
        permutes = [tensor.owner for tensor in op.tensors]
        shape = dims(op.tensors[0])
        if shape is None or len(permutes) < 2:
            return
        rank = len(shape)
        if not all(isinstance(permute, PermuteDimsOp) and len(dims(permute.x) or ()) == rank for permute in permutes):
            return
        matches = [permute for permute in permutes if isinstance(permute, PermuteDimsOp)]
        order = matches[0].permutation(rank)
        if any(permute.permutation(rank) != order for permute in matches):
            return
        # All operands are transposed alike, so `order` leads from an axis of the result to that of the operands.
        axis = order[normalized_axis(op.prop("axis", 0), rank, "concat_c2")]
        emit = Emitter(op, rewriter)
        joined = emit.op(ConcatOp, *(permute.x for permute in matches), axis=axis)
        with emit.at(fused((op.location, *(permute.location for permute in matches)))):
            emit.replace(op, [emit.op(PermuteDimsOp, joined, axes=order)])
        for permute in dict.fromkeys(matches):
            if permute.result.first_use is None:
                rewriter.erase(permute)


class ReorderPermuteDimsAfterConcatPass(ModulePass):
    """Concatenates before transposing rather than after.

    ```mlir
    %a = relax.permute_dims %w1 : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %b = relax.permute_dims %w2 : (tensor<2x8xf32>) -> tensor<8x2xf32>
    %w = relax.concat %a, %b {axis = 1 : i64} : ...
    ```
    becomes
    ```mlir
    %c = relax.concat %w1, %w2 {axis = 0 : i64} : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<6x8xf32>
    %w = relax.permute_dims %c {axes = array<i64: 1, 0>} : (tensor<6x8xf32>) -> tensor<8x6xf32>
    ```

    After `relax-combine-parallel-matmul` the transpose then stands next to the product, where `relax-fuse-transpose-matmul` finds it.
    *Requires* known ranks. *Leaves* concatenations whose operands are transposed differently.
    """

    name = "relax-reorder-permute-dims-after-concat"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        RootedWalker([ConcatBeforePermute()], of_types(ConcatOp), erases_dead=False).rewrite_module(op)
