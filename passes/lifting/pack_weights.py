"""The pass `relax-pack-weights`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from ...dialects.relax.attrs import dims_of
from ...dialects.relax.base import dtype_attr
from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.linear_algebra import MatmulOp
from ...dialects.relax.ops.packing import PackedMatmulOp, PackWeightOp
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from .computable_at_compile_time import computable_at_compile_time


class PackRightOperand(RewritePattern):
    """Replaces `matmul(x, w)` by `packed_matmul(x, pack_weight(w))`.

    Declines unless `w` is a matrix of known size that depends on parameters alone, and while `x` does so too: such a product is lifted
    as it is.
    """

    def __init__(self, weights: set[Operation | BlockArgument]):
        self.weights = weights

    def _is_weight(self, value: SSAValue) -> bool:
        return (value if isinstance(value, BlockArgument) else value.owner) in self.weights

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        if not self._is_weight(op.rhs) or self._is_weight(op.lhs):
            return
        shape = dims_of(op.rhs.type)
        if shape is None or len(shape) != 2 or not isinstance(shape[1], int):
            return
        packed = rewriter.insert(PackWeightOp.build_from(op.rhs))
        packed.location = op.location
        if op.rhs.name_hint is not None:
            packed.result.name_hint = f"{op.rhs.name_hint}_packed"
        out_dtype: Attribute | None = None if op.out_dtype is None else dtype_attr(op.out_dtype)
        product = PackedMatmulOp.build_from(op.lhs, packed.result, columns=shape[1], out_dtype=out_dtype)
        product.location = op.location
        rewriter.replace(op, product)


@dataclass(frozen=True)
class PackWeightsPass(ModulePass):
    """Packs the weights that matrix products read into panels of 64 columns.

    ```mlir
    %y = relax.matmul %x, %w_t : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x100xf32>) -> tensor<?x100xf32, #relax.sym<n>>
    ```
    becomes
    ```mlir
    %p = relax.pack_weight %w_t : (tensor<8x100xf32>) -> tensor<2x8x64xf32>
    %y = relax.packed_matmul %x, %p {columns = 100 : i64} : (tensor<?x8xf32, #relax.sym<n>>, tensor<2x8x64xf32>) -> ...
    ```

    Four rows of an 8-bit weight lie together.

    *Requires* `relax.num_input`. *Leaves* `pack_weight` on weights alone, for `relax-lift-transform-params` to move into the transform;
    without lifting the weights are packed at every call, which costs more than it saves.
    """

    name = "relax-pack-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            count = NUM_INPUT.of(function)
            if count is None:
                continue
            weights: set[Operation | BlockArgument] = {*function.body.block.args[count:]}
            weights |= set(computable_at_compile_time(function, with_parameters=True))
            PatternRewriteWalker(PackRightOperand(weights), apply_recursively=False).rewrite_region(function.body)
