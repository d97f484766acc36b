"""The pass `relax-fold-batch-norm-to-conv2d`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from ...dialects.relax.base import dims, element
from ...dialects.relax.ops.binary import AddOp, MultiplyOp
from ...dialects.relax.ops.core import ConstantOp
from ...dialects.relax.ops.nn.conv import Conv2DOp
from ...dialects.relax.ops.nn.norm import BatchNormOp
from ...records import record
from ..analysis.weight_values import weight_values
from ..options import PassWithOptions
from ..rewriting.kernel_functions import graph_functions
from .decompose_norms import NormArithmetic, scale_and_shift


@record
class FoldBatchNormToConv2D(RewritePattern):
    """Replaces a conv2d and the batch_norm that alone reads it by a conv2d with scaled weights and a sum.

    Declines in training, over other axes than the channels, where the new running statistics are read, and for what is no weight.
    """

    weights: set[SSAValue] | None
    """The values that count as weights; only constants for `None`."""

    def _is_weight(self, value: SSAValue) -> bool:
        return isinstance(value.owner, ConstantOp) if self.weights is None else value in self.weights

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BatchNormOp, rewriter: PatternRewriter) -> None:
        # The kernel must be plain and a weight, and its outputs the channels that are normalized; nothing else may read the products.
        conv = op.x.owner
        if not isinstance(conv, Conv2DOp) or not op.x.has_one_use() or op.prop("training", True):
            return
        shape, kernel = dims(op.x), dims(conv.weight)
        if shape is None or kernel is None or element(conv.weight) != element(op.x):
            return
        axis = op.channel(len(shape))
        if (
            conv.kernel_block
            or axis != conv.out_positions()[1]
            or not all(map(self._is_weight, (conv.weight, *op.operands[1:])))
        ):
            return
        parts = NormArithmetic(op, rewriter, shape)
        emit = parts.emit
        scale, shift = scale_and_shift(op, parts)
        scale = emit.along(scale, conv.kernel_positions()[0], len(kernel))
        weight = emit.cast(emit.op(MultiplyOp, parts.widened(conv.weight), scale), parts.narrow)
        product = emit.like(conv, conv.data, weight)[0]
        result = emit.op(AddOp, product, emit.cast(parts.along(shift, axis), parts.narrow))
        parts.replace(result, op.moving_mean, op.moving_var)
        rewriter.erase(conv)


@dataclass(frozen=True)
class FoldBatchNormToConv2DPass(PassWithOptions):
    """Folds a batch_norm into the weights of the conv2d before it.

    ```mlir
    %y = relax.nn.conv2d %x, %w : ...
    %z, %m1, %v1 = relax.nn.batch_norm %y, %gamma, %beta, %mean, %var {axis = 1 : i64, training = false} : ...
    ```
    becomes
    ```mlir
    %s = ... gamma / sqrt(var + epsilon), for each output channel
    %t = ... beta - mean * s
    %u = relax.multiply %w, %s : ...
    %y = relax.nn.conv2d %x, %u : ...
    %z = relax.add %y, %t : ...
    ```

    Weights and statistics are constants, as in Relax, or with `params` parameters too. It does in one step what
    `relax-simplify-inference,relax-fold-scale-axis` does for more ops. *Requires* known ranks. *Leaves* arithmetic on constants for
    `relax-fold-constant`. Results differ by rounding: f16 and bf16 weights are rounded again.
    """

    name = "relax-fold-batch-norm-to-conv2d"

    params: bool = field(default=False)
    """Whether parameters count as weights (all arguments, in a function without `relax.num_input`)."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in graph_functions(op):
            pattern = FoldBatchNormToConv2D(weight_values(function, "arguments") if self.params else None)
            PatternRewriteWalker(pattern, apply_recursively=False).rewrite_region(function.body)
