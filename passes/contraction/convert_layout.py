"""The pass `relax-convert-layout`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i8
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from ...dialects.relax.base import RelaxOp, dims, element, normalized_axis
from ...dialects.relax.dtypes import ui8
from ...dialects.relax.layout_rule import LayoutRule
from ...dialects.relax.ops.manipulate import ExpandDimsOp, PermuteDimsOp
from ...dialects.relax.ops.nn.activation import PReluOp
from ...dialects.relax.ops.nn.pool import PoolLikeOp
from ...dialects.relax.ops.qnn.contraction import QnnConv2DOp
from ...dialects.relax.ops.qnn.elementwise import QuantizeLikeOp, RequantizeOp
from ...dialects.relax.ops.reduction import ReductionOp
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions
from ..rewriting.rooted_walker import RootedWalker, of_types

LAST = (0, 2, 3, 1)
"""The transpose from `NCHW` to `NHWC`."""

FIRST = (0, 3, 1, 2)
"""That from `NHWC` to `NCHW`."""


class ChannelsLast(RewritePattern):
    """Writes a convolution of 8-bit numbers with channels last, between transposes.

    Declines for other layouts than `NCHW` and `OIHW`, and for groups.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: QnnConv2DOp, rewriter: PatternRewriter) -> None:
        plain = (0, 1, 2, 3)
        if not op.data_positions() == op.kernel_positions() == op.out_positions() == plain or op.group_count != 1:
            return
        if any(element(value) not in (i8, ui8) for value in (op.data, op.weight)):
            return
        emit = Emitter(op, rewriter)
        data = emit.op(PermuteDimsOp, op.data, axes=LAST)
        kernel = emit.op(PermuteDimsOp, op.weight, axes=LAST)
        layouts = {"data_layout": "NHWC", "kernel_layout": "OHWI", "out_layout": "NHWC"}
        (result,) = emit.like(op, data, kernel, *op.operands[2:], **layouts)
        emit.replace(op, [emit.op(PermuteDimsOp, result, axes=FIRST)])


def _may_meet_permute(op: Operation) -> bool:
    return isinstance(op, PermuteDimsOp) or any(isinstance(operand.owner, PermuteDimsOp) for operand in op.operands)


class JoinPermutes(RewritePattern):
    """Replaces a transpose of a transpose by one, or by nothing."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PermuteDimsOp, rewriter: PatternRewriter) -> None:
        before, shape = op.x.owner, dims(op.x)
        if not isinstance(before, PermuteDimsOp) or shape is None:
            return
        rank = len(shape)
        inner = before.permutation(rank)
        axes = tuple(inner[axis] for axis in op.permutation(rank))
        if axes == tuple(range(rank)):
            rewriter.replace(op, [], [before.x])
        else:
            emit = Emitter(op, rewriter)
            emit.replace(op, [emit.op(PermuteDimsOp, before.x, axes=axes)])


class PermuteLater(RewritePattern):
    """Moves transposes behind the op that reads them, as the op's rule of layouts says.

    Declines where an operand of several dims is not transposed as the others are, and for other transposes than those that a change to
    channels last leaves.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, RelaxOp) or op.LAYOUT_RULE is LayoutRule.FIXED:
            return
        if not any(self._source(operand) is not None for operand in op.operands):
            return
        emit = Emitter(op, rewriter)
        # Invariant: a branch builds nothing unless the op can be written, and returns the result with the order of dims behind it.
        match op.LAYOUT_RULE:
            case LayoutRule.ELEMENTS if isinstance(op, QuantizeLikeOp | RequantizeOp | PReluOp):
                after = self._along_axis(op, emit)
            case LayoutRule.ELEMENTS:
                after = self._elements(op, emit)
            case LayoutRule.WINDOWS:
                after = self._windows(cast(PoolLikeOp, op), emit)
            case LayoutRule.REDUCTION:
                after = self._reduction(cast(ReductionOp, op), emit)
            case _:
                after = self._join(op, emit)
        if after is not None:
            value, axes = after
            is_ordered = tuple(axes) == tuple(range(len(axes)))
            emit.replace(op, [value if is_ordered else emit.op(PermuteDimsOp, value, axes=axes)])

    def _source(self, value: SSAValue) -> SSAValue | None:
        owner = value.owner
        if not isinstance(owner, PermuteDimsOp) or len(dims(owner.x) or ()) != len(FIRST):
            return None
        return owner.x if owner.permutation(len(FIRST)) == FIRST else None

    def _like(self, op: RelaxOp, emit: Emitter, *operands: SSAValue, **changed: Any) -> tuple[SSAValue, Sequence[int]]:
        return emit.like(op, *operands, **changed)[0], FIRST

    def _elements(self, op: RelaxOp, emit: Emitter) -> tuple[SSAValue, Sequence[int]] | None:
        sources = [self._source(operand) for operand in op.operands]
        shapes = [dims(operand) for operand in op.operands]
        if any(source is None and not self._is_small(shape) for source, shape in zip(sources, shapes, strict=True)):
            return None
        moved = [
            self._small(emit, operand) if source is None else source
            for operand, source in zip(op.operands, sources, strict=True)
        ]
        return self._like(op, emit, *moved)

    def _is_small(self, shape: Sequence[Any] | None) -> bool:
        """Returns whether a tensor broadcasts along all dims but one."""
        return shape is not None and len(shape) <= len(FIRST) and sum(size != 1 for size in shape) <= 1

    def _small(self, emit: Emitter, value: SSAValue) -> SSAValue:
        """Returns a tensor with at most one dim that is not 1, as it broadcasts with what is not transposed."""
        shape = dims(value) or ()
        if all(size == 1 for size in shape):
            return value
        missing = len(FIRST) - len(shape)
        whole = emit.op(ExpandDimsOp, value, axis=list(range(missing))) if missing else value
        return emit.op(PermuteDimsOp, whole, axes=LAST)

    def _along_axis(
        self, op: QuantizeLikeOp | RequantizeOp | PReluOp, emit: Emitter
    ) -> tuple[SSAValue, Sequence[int]] | None:
        source = self._source(op.operands[0])
        if source is None:
            return None
        axis = op.channel_axis(len(FIRST)) if isinstance(op, PReluOp) else op.normalized_axis()
        return self._like(op, emit, source, *op.operands[1:], axis=FIRST[axis])

    def _windows(self, op: PoolLikeOp, emit: Emitter) -> tuple[SSAValue, Sequence[int]] | None:
        source, plain = self._source(op.x), (0, 1, 2, 3)
        if source is None or not op.positions() == op.out_positions() == plain:
            return None
        return self._like(op, emit, source, layout="NHWC", out_layout="NHWC")

    def _reduction(self, op: ReductionOp, emit: Emitter) -> tuple[SSAValue, Sequence[int]] | None:
        source = self._source(op.x)
        if source is None:
            return None
        axes = op.axes(len(FIRST))
        (result,) = emit.like(op, source, axis=sorted(FIRST[axis] for axis in axes))
        if op.prop("keepdims", False):
            return result, FIRST
        left = [FIRST[axis] for axis in range(len(FIRST)) if axis not in axes]
        return result, [sorted(left).index(axis) for axis in left]

    def _join(self, op: RelaxOp, emit: Emitter) -> tuple[SSAValue, Sequence[int]] | None:
        sources = [source for operand in op.operands if (source := self._source(operand)) is not None]
        if len(sources) < len(op.operands):
            return None
        axis = normalized_axis(op.prop("axis", 0), len(FIRST), "concat_c2")
        return self._like(op, emit, *sources, axis=FIRST[axis])


class ConvertLayoutPass(ModulePass):
    """Computes convolutions of 8-bit numbers with channels last, and all that is between them.

    ```mlir
    %y = relax.qnn.conv2d %x, %w, %zx, %zw, %sx, %sw : (tensor<1x64x8x8xui8>, tensor<32x64x3x3xi8>, ...) -> tensor<1x32x6x6xi32>
    %z = relax.nn.relu %y : (tensor<1x32x6x6xi32>) -> tensor<1x32x6x6xi32>
    ```
    becomes
    ```mlir
    %xt = relax.permute_dims %x {axes = array<i64: 0, 2, 3, 1>} : (tensor<1x64x8x8xui8>) -> tensor<1x8x8x64xui8>
    %wt = relax.permute_dims %w {axes = array<i64: 0, 2, 3, 1>} : (tensor<32x64x3x3xi8>) -> tensor<32x3x3x64xi8>
    %yt = relax.qnn.conv2d %xt, %wt, %zx, %zw, %sx, %sw {data_layout = "NHWC", kernel_layout = "OHWI", out_layout = "NHWC"}
    %zt = relax.nn.relu %yt : (tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32>
    %z = relax.permute_dims %zt {axes = array<i64: 0, 3, 1, 2>} : (tensor<1x6x6x32xi32>) -> tensor<1x32x6x6xi32>
    ```

    Instructions that multiply 8-bit numbers take four neighbors at once, which channels are where they come last, in kernels as well. The
    transpose behind a convolution moves on, behind ops whose class says how (`LAYOUT_RULE`), until it meets the one in front of the
    next, where both are gone: a network of them is transposed once at each end.

    *Requires* known ranks. *Leaves* convolutions in groups, other layouts than `NCHW` with `OIHW`, and convolutions of other elements.
    Results are the same, but for the order of sums.
    """

    name = "relax-convert-layout"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        last = RootedWalker([ChannelsLast()], of_types(QnnConv2DOp), erases_dead=False, apply_recursively=False)
        moves = RootedWalker([PermuteLater(), JoinPermutes()], _may_meet_permute)
        for function in graph_functions(op):
            last.rewrite_region(function.body)
            moves.rewrite_region(function.body)
