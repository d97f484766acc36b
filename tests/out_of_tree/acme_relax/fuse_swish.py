"""The pass `acme-fuse-swish`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern
from xdsl_relax.dialects.relax.base import dims
from xdsl_relax.dialects.relax.ops.binary import AddOp
from xdsl_relax.dialects.relax.ops.nn.activation import SiluOp

from .dialect import SwishPlusOp


@dataclass(frozen=True)
class FuseSwish(RewritePattern):
    """Replaces `add(silu(x), y)`; declines where something else reads the silu, or the rank is too small."""

    min_rank: int

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddOp, rewriter: PatternRewriter) -> None:
        silu, shape = op.lhs.owner, dims(op.result)
        if not isinstance(silu, SiluOp) or not op.lhs.has_one_use() or shape is None or len(shape) < self.min_rank:
            return
        fused = SwishPlusOp.build_from(silu.operands[0], op.rhs, result_types=[op.result.type])
        fused.location = op.location
        rewriter.replace(op, fused)


@dataclass(frozen=True)
class FuseSwishPass(ModulePass):
    """Replaces a sum with a silu by one op, in tensors of at least `min_rank` dims.

    ```mlir
    %s = relax.nn.silu %x : (tensor<4xf32>) -> tensor<4xf32>
    %r = relax.add %s, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %r = acme.swish_plus %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    """

    name = "acme-fuse-swish"

    min_rank: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(FuseSwish(self.min_rank)).rewrite_module(op)
