"""Replaces normalizations by arithmetic; f16 and bf16 are computed in f32 and rounded once, as the ops are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ...dialects.relax.base import RelaxOp, dims, element
from ...dialects.relax.dtypes import accumulator
from ...dialects.relax.ops.binary import AddOp, DivideOp, MaximumOp, MultiplyOp, SubtractOp
from ...dialects.relax.ops.manipulate import ExpandDimsOp, PermuteDimsOp, ReshapeOp
from ...dialects.relax.ops.nn_norm import EPSILON, BatchNormOp, GroupNormOp, InstanceNormOp, L2NormalizeOp, LayerNormOp
from ...dialects.relax.ops.reduction import MeanOp, SumOp
from ...dialects.relax.ops.unary import NegativeOp, SqrtOp
from ...dialects.symbolic.expressions import Dim, floordiv
from ..rewriting.emitter import Emitter


class NormArithmetic:
    """Emits the parts of one normalization in front of it, in the type that sums are accumulated in."""

    def __init__(self, op: RelaxOp, rewriter: PatternRewriter):
        self.norm = op
        self.emit = Emitter(op, rewriter)
        self.narrow = element(op.operands[0])
        self.wide = accumulator(self.narrow)

    def widened(self, value: SSAValue) -> SSAValue:
        """Returns a value in the wide type."""
        return self.emit.cast(value, self.wide)

    def deviation(self, variance: SSAValue) -> SSAValue:
        """Returns `sqrt(variance + epsilon)`."""
        epsilon = self.emit.scalar(self.norm.prop("epsilon", EPSILON), self.wide)
        return self.emit.op(SqrtOp, self.emit.op(AddOp, variance, epsilon))

    def moments(self, x: SSAValue, axes: Sequence[int], keepdims: bool) -> tuple[SSAValue, SSAValue]:
        """Returns `x - mean(x)` and its mean square."""
        mean = self.emit.op(MeanOp, x, axis=axes, keepdims=True)
        centered = self.emit.op(SubtractOp, x, mean)
        square = self.emit.op(MultiplyOp, centered, centered)
        return centered, self.emit.op(MeanOp, square, axis=axes, keepdims=keepdims)

    def standardized(self, x: SSAValue, axes: Sequence[int]) -> SSAValue:
        """Returns `(x - mean(x)) / sqrt(variance(x) + epsilon)` over axes."""
        centered, variance = self.moments(x, axes, True)
        return self.emit.op(DivideOp, centered, self.deviation(variance))

    def affine(self, x: SSAValue, gamma: SSAValue, beta: SSAValue) -> SSAValue:
        """Returns `x * gamma + beta`, without the parts that the op leaves out."""
        if self.norm.prop("scale", True):
            x = self.emit.op(MultiplyOp, x, gamma)
        return self.emit.op(AddOp, x, beta) if self.norm.prop("center", True) else x

    def replace(self, *values: SSAValue) -> None:
        """Replaces the op by values, in its own type."""
        self.emit.replace(self.norm, [self.emit.cast(value, self.narrow) for value in values])


class DecomposeBatchNorm(RewritePattern):
    """Replaces batch_norm by `x * s + t`, where `s = gamma / sqrt(var + epsilon)` and `t = beta - mean * s`.

    Declines where `training` holds (Relax's default), and where the rank is unknown. The running statistics pass through unchanged.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BatchNormOp, rewriter: PatternRewriter) -> None:
        shape = dims(op.x)
        if op.prop("training", True) or shape is None:
            return
        axis, rank = op.channel(len(shape)), len(shape)
        parts = NormArithmetic(op, rewriter)
        emit = parts.emit
        scale, shift = scale_and_shift(op, parts)
        scale, shift = (emit.along(vector, axis, rank) for vector in (scale, shift))
        result = emit.op(AddOp, emit.op(MultiplyOp, parts.widened(op.x), scale), shift)
        parts.replace(result, op.moving_mean, op.moving_var)


def scale_and_shift(op: BatchNormOp, parts: NormArithmetic) -> tuple[SSAValue, SSAValue]:
    """Returns `s` and `t` of a batch_norm that is `x * s + t`, as vectors in the wide type."""
    emit = parts.emit
    deviation = parts.deviation(parts.widened(op.moving_var))
    scale = emit.op(DivideOp, emit.scalar(1.0, parts.wide), deviation)
    if op.prop("scale", True):
        scale = emit.op(MultiplyOp, scale, parts.widened(op.gamma))
    shift = emit.op(MultiplyOp, emit.op(NegativeOp, parts.widened(op.moving_mean)), scale)
    if op.prop("center", True):
        shift = emit.op(AddOp, shift, parts.widened(op.beta))
    return scale, shift


class DecomposeTrainingBatchNorm(RewritePattern):
    """Replaces batch_norm in training by arithmetic: statistics of the data, and the update of the running ones."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BatchNormOp, rewriter: PatternRewriter) -> None:
        shape = dims(op.x)
        if not op.prop("training", True) or shape is None:
            return
        axis, rank = op.channel(len(shape)), len(shape)
        other_axes = [index for index in range(rank) if index != axis]
        parts = NormArithmetic(op, rewriter)
        emit = parts.emit
        x = parts.widened(op.x)
        mean = emit.op(MeanOp, x, axis=other_axes)
        centered = emit.op(SubtractOp, x, emit.along(mean, axis, rank))
        variance = emit.op(MeanOp, emit.op(MultiplyOp, centered, centered), axis=other_axes)
        factor = emit.op(DivideOp, emit.scalar(1.0, parts.wide), parts.deviation(variance))
        y = emit.op(MultiplyOp, centered, emit.along(factor, axis, rank))
        gamma, beta = (emit.along(parts.widened(vector), axis, rank) for vector in (op.gamma, op.beta))
        y = parts.affine(y, gamma, beta)
        momentum = np.float64(op.prop("momentum", 0.1))
        moved = [
            emit.op(
                AddOp,
                emit.op(MultiplyOp, emit.scalar(float(1 - momentum), parts.wide), parts.widened(moving)),
                emit.op(MultiplyOp, emit.scalar(float(momentum), parts.wide), statistic),
            )
            for moving, statistic in ((op.moving_mean, mean), (op.moving_var, variance))
        ]
        parts.replace(y, *moved)


class DecomposeLayerNorm(RewritePattern):
    """Replaces layer_norm by arithmetic; declines where the rank is unknown."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LayerNormOp, rewriter: PatternRewriter) -> None:
        shape = dims(op.x)
        if shape is None:
            return
        axes = op.normalized(len(shape))
        parts = NormArithmetic(op, rewriter)
        y = parts.standardized(parts.widened(op.x), axes)
        gamma, beta = (_spread(parts, vector, axes, len(shape)) for vector in (op.gamma, op.beta))
        parts.replace(parts.affine(y, gamma, beta))


def _spread(parts: NormArithmetic, vector: SSAValue, axes: Sequence[int], rank: int) -> SSAValue:
    """Gives a parameter, whose dims are those of some axes, dims of size 1 between and behind these."""
    value = parts.widened(vector)
    if list(axes) != sorted(axes):
        value = parts.emit.op(PermuteDimsOp, value, axes=[int(position) for position in np.argsort(axes)])
    missing = [axis for axis in range(min(axes), rank) if axis not in axes]
    if not missing:
        return value
    return parts.emit.op(ExpandDimsOp, value, axis=[axis - min(axes) for axis in missing])


class DecomposeInstanceNorm(RewritePattern):
    """Replaces instance_norm by arithmetic; declines where the rank is unknown."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: InstanceNormOp, rewriter: PatternRewriter) -> None:
        shape = dims(op.x)
        if shape is None:
            return
        parts = NormArithmetic(op, rewriter)
        y = parts.standardized(parts.widened(op.x), op.normalized(len(shape)))
        channel = op.channel(len(shape))
        gamma, beta = (parts.emit.along(parts.widened(vector), channel, len(shape)) for vector in (op.gamma, op.beta))
        parts.replace(parts.affine(y, gamma, beta))


class DecomposeGroupNorm(RewritePattern):
    """Replaces group_norm by a reshape that gives the groups a dim, arithmetic, and a reshape back; declines where a dim is unknown."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GroupNormOp, rewriter: PatternRewriter) -> None:
        shape = dims(op.x)
        if shape is None or None in shape:
            return
        channel, groups = op.channel(len(shape)), op.prop("num_groups")
        size: Dim = floordiv(shape[channel], groups)
        axes = [axis + (axis > channel) for axis in op.normalized(len(shape))]
        parts = NormArithmetic(op, rewriter)
        emit = parts.emit
        split = emit.shape((*shape[:channel], groups, size, *shape[channel + 1 :]))
        y = parts.standardized(emit.op(ReshapeOp, parts.widened(op.x), split), sorted([channel + 1, *axes]))
        y = emit.op(ReshapeOp, y, emit.shape(shape))
        gamma, beta = (emit.along(parts.widened(vector), channel, len(shape)) for vector in (op.gamma, op.beta))
        parts.replace(parts.affine(y, gamma, beta))


class DecomposeL2Normalize(RewritePattern):
    """Replaces l2_normalize by arithmetic; declines where the rank is unknown."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: L2NormalizeOp, rewriter: PatternRewriter) -> None:
        shape = dims(op.x)
        if shape is None:
            return
        parts = NormArithmetic(op, rewriter)
        emit = parts.emit
        x = parts.widened(op.x)
        total = emit.op(SumOp, emit.op(MultiplyOp, x, x), axis=op.normalized(len(shape)), keepdims=True)
        bounded = emit.op(MaximumOp, total, emit.scalar(op.prop("eps"), parts.wide))
        parts.replace(emit.op(DivideOp, x, emit.op(SqrtOp, bounded)))
