"""The pass `relax-pack-weights`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from ...dialects.relax.attrs import dims_of
from ...dialects.relax.base import dtype_attr, element
from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.linear_algebra import MatmulOp
from ...dialects.relax.ops.manipulate import PermuteDimsOp, ReshapeOp
from ...dialects.relax.ops.nn.conv import ConvOp
from ...dialects.relax.ops.packing import PackedMatmulOp, PackWeightOp
from ...dialects.relax.rules.window import spatial_letters
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from ..rewriting.emitter import Emitter
from .computable_at_compile_time import computable_at_compile_time


class Weights:
    """The values of a function that depend on parameters alone."""

    def __init__(self, function: func.FuncOp, inputs: int):
        self._known: set[Operation | BlockArgument] = {*function.body.block.args[inputs:]}
        self._known |= set(computable_at_compile_time(function, with_parameters=True))

    def has(self, value: SSAValue) -> bool:
        """Returns whether a value is one of them."""
        return (value if isinstance(value, BlockArgument) else value.owner) in self._known


class PackRightOperand(RewritePattern):
    """Replaces `matmul(x, w)` by `packed_matmul(x, pack_weight(w))`.

    Declines unless `w` is a matrix of known size that depends on parameters alone, and while `x` does so too: such a product is lifted
    as it is.
    """

    def __init__(self, weights: Weights):
        self.weights = weights

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        if not self.weights.has(op.rhs) or self.weights.has(op.lhs):
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


BLOCK = 16
"""Output channels of a convolution that lie together: a multiple of the lanes of every target, so that packed parameters that were saved
can be read on another machine."""


class PackKernel(RewritePattern):
    """Replaces the kernel of a convolution by one in blocks of 16 output channels.

    Declines unless it is a weight of known size whose channels make whole blocks in each group, and channels come first in data and result.
    A window of one item that moves by one is left alone: such a convolution is a product of matrices, whose vectors are pixels.
    """

    def __init__(self, weights: Weights):
        self.weights = weights

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConvOp, rewriter: PatternRewriter) -> None:
        # A weight first, then layouts, then sizes: each test relies on those before it.
        if op.kernel_block or not self.weights.has(op.weight) or self.weights.has(op.data):
            return
        shape, rank = dims_of(op.weight.type), op.SPATIAL_RANK + 2
        plain = tuple(range(rank))
        if shape is None or op.data_positions() != plain or op.out_positions() != plain:
            return
        if any(not isinstance(size, int) for size in shape) or not (element(op.weight) == element(op.result) == f32):
            return
        outputs, *others = op.kernel_positions()
        if all(window.size == window.stride == 1 for window in op.windows([shape[axis] for axis in others[1:]])):
            return
        count = cast(int, shape[outputs])
        if count % (BLOCK * op.group_count) or not count:
            return
        emit = Emitter(op, rewriter)
        split = [*shape[:outputs], count // BLOCK, BLOCK, *shape[outputs + 1 :]]
        blocks = emit.op(ReshapeOp, op.weight, emit.shape(*split))
        axes = [outputs, *(axis + (axis > outputs) for axis in others), outputs + 1]
        packed = emit.op(PermuteDimsOp, blocks, axes=axes)
        if op.weight.name_hint is not None:
            packed.name_hint = f"{op.weight.name_hint}_packed"
        layout = f"OI{spatial_letters(op.SPATIAL_RANK)}{BLOCK}o"
        emit.replace(op, emit.like(op, op.data, packed, kernel_layout=layout))


@dataclass(frozen=True)
class PackWeightsPass(ModulePass):
    """Packs the weights that matrix products read into panels of 64 columns, and those of convolutions into blocks of 16 channels.

    ```mlir
    %y = relax.matmul %x, %w_t : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x100xf32>) -> tensor<?x100xf32, #relax.sym<n>>
    ```
    becomes
    ```mlir
    %p = relax.pack_weight %w_t : (tensor<8x100xf32>) -> tensor<2x8x64xf32>
    %y = relax.packed_matmul %x, %p {columns = 100 : i64} : (tensor<?x8xf32, #relax.sym<n>>, tensor<2x8x64xf32>) -> ...
    ```

    Four rows of an 8-bit weight lie together. Of an f32 kernel `[O, I, H, W]` where 16 divides the output channels of each group,
    ```mlir
    %p = relax.permute_dims %blocks {axes = array<i64: 0, 2, 3, 4, 1>}
        : (tensor<4x16x3x3x3xf32>) -> tensor<4x3x3x3x16xf32>
    %y = relax.nn.conv2d %x, %p {kernel_layout = "OIHW16o"} : (tensor<1x3x34x34xf32>, tensor<4x3x3x3x16xf32>) -> tensor<1x64x32x32xf32>
    ```
    are what remains of a convolution, `%blocks` being the kernel as `[O / 16, 16, I, H, W]`.

    *Requires* `relax.num_input`. *Leaves* `pack_weight` on weights alone, for `relax-lift-transform-params` to move into the transform;
    without lifting the weights are packed at every call, which costs more than it saves.
    """

    name = "relax-pack-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            count = NUM_INPUT.of(function)
            if count is None:
                continue
            weights = Weights(function, count)
            patterns = GreedyRewritePatternApplier([PackRightOperand(weights), PackKernel(weights)])
            PatternRewriteWalker(patterns, apply_recursively=False).rewrite_region(function.body)
