"""Replaces normalizations by arithmetic; f16 and bf16 are computed in f32 and rounded once, as the ops are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from ...dialects.relax.base import RelaxOp, dims, element
from ...dialects.relax.dtypes import accumulator
from ...dialects.relax.ops.binary import AddOp, DivideOp, MaximumOp, MultiplyOp, SubtractOp
from ...dialects.relax.ops.manipulate import ExpandDimsOp, PermuteDimsOp, ReshapeOp
from ...dialects.relax.ops.nn.norm import EPSILON, BatchNormOp, GroupNormOp, InstanceNormOp, L2NormalizeOp, LayerNormOp
from ...dialects.relax.ops.reduction import MeanOp, SumOp
from ...dialects.relax.ops.unary import NegativeOp, SqrtOp
from ...dialects.symbolic.expressions import Dim, floordiv
from ...records import record
from ..rewriting.emitter import Emitter


class NormArithmetic:
    """Emits the parts of one normalization in front of it, in the type that sums are accumulated in."""

    def __init__(self, op: RelaxOp, rewriter: PatternRewriter, shape: Sequence[Dim]):
        self.norm = op
        self.emit = Emitter(op, rewriter)
        self.shape = shape
        self.narrow = element(op.operands[0])
        self.wide = accumulator(self.narrow)

    def widened(self, value: SSAValue) -> SSAValue:
        """Returns a value in the wide type."""
        return self.emit.cast(value, self.wide)

    def along(self, vector: SSAValue, axis: int) -> SSAValue:
        """Returns a vector, wide, that broadcasts along an axis of the data."""
        return self.emit.along(self.widened(vector), axis, len(self.shape))

    def deviation(self, variance: SSAValue) -> SSAValue:
        """Returns `sqrt(variance + epsilon)`."""
        epsilon = self.emit.constant(self.norm.prop("epsilon", EPSILON), self.wide)
        return self.emit.op(SqrtOp, self.emit.op(AddOp, variance, epsilon))

    def reciprocal_deviation(self, variance: SSAValue) -> SSAValue:
        """Returns `1 / sqrt(variance + epsilon)`."""
        deviation = self.deviation(variance)
        return self.emit.op(DivideOp, self.emit.constant(1.0, self.wide), deviation)

    def standardized(self, x: SSAValue, axes: Sequence[int]) -> SSAValue:
        """Returns `(x - mean(x)) / sqrt(variance(x) + epsilon)` over axes."""
        centered = self.emit.op(SubtractOp, x, self.emit.op(MeanOp, x, axis=axes, keepdims=True))
        variance = self.emit.op(MeanOp, self.emit.op(MultiplyOp, centered, centered), axis=axes, keepdims=True)
        return self.emit.op(DivideOp, centered, self.deviation(variance))

    def affine(self, x: SSAValue, gamma: SSAValue, beta: SSAValue) -> SSAValue:
        """Returns `x * gamma + beta`, without the parts that the op leaves out."""
        if self.norm.prop("scale", True):
            x = self.emit.op(MultiplyOp, x, gamma)
        return self.emit.op(AddOp, x, beta) if self.norm.prop("center", True) else x

    def replace(self, *values: SSAValue) -> None:
        """Replaces the op by values, in its own type."""
        self.emit.replace(self.norm, [self.emit.cast(value, self.narrow) for value in values])


def scale_and_shift(op: BatchNormOp, parts: NormArithmetic) -> tuple[SSAValue, SSAValue]:
    """Returns `s` and `t` of a batch_norm that is `x * s + t`, as vectors in the wide type."""
    emit = parts.emit
    scale = parts.reciprocal_deviation(parts.widened(op.moving_var))
    if op.prop("scale", True):
        scale = emit.op(MultiplyOp, scale, parts.widened(op.gamma))
    shift = emit.op(MultiplyOp, emit.op(NegativeOp, parts.widened(op.moving_mean)), scale)
    if op.prop("center", True):
        shift = emit.op(AddOp, shift, parts.widened(op.beta))
    return scale, shift


def _batch_norm(op: BatchNormOp, parts: NormArithmetic) -> Sequence[SSAValue]:
    """Returns `x * s + t`, where `s = gamma / sqrt(var + epsilon)` and `t = beta - mean * s`; the running statistics stay."""
    axis = op.channel(len(parts.shape))
    scale, shift = (parts.along(vector, axis) for vector in scale_and_shift(op, parts))
    result = parts.emit.op(AddOp, parts.emit.op(MultiplyOp, parts.widened(op.x), scale), shift)
    return result, op.moving_mean, op.moving_var


def _batch_norm_in_training(op: BatchNormOp, parts: NormArithmetic) -> Sequence[SSAValue]:
    """Returns the data normalized by their own statistics, and the running ones moved towards these."""
    emit = parts.emit
    axis = op.channel(len(parts.shape))
    other_axes = [index for index in range(len(parts.shape)) if index != axis]
    x = parts.widened(op.x)
    mean = emit.op(MeanOp, x, axis=other_axes)
    centered = emit.op(SubtractOp, x, parts.along(mean, axis))
    variance = emit.op(MeanOp, emit.op(MultiplyOp, centered, centered), axis=other_axes)
    factor = parts.along(parts.reciprocal_deviation(variance), axis)
    y = emit.op(MultiplyOp, centered, factor)
    y = parts.affine(y, parts.along(op.gamma, axis), parts.along(op.beta, axis))
    momentum = np.float64(op.prop("momentum", 0.1))
    moved = (
        emit.op(
            AddOp,
            emit.op(MultiplyOp, emit.constant(float(1 - momentum), parts.wide), parts.widened(moving)),
            emit.op(MultiplyOp, emit.constant(float(momentum), parts.wide), statistic),
        )
        for moving, statistic in ((op.moving_mean, mean), (op.moving_var, variance))
    )
    return y, *moved


def _layer_norm(op: LayerNormOp, parts: NormArithmetic) -> Sequence[SSAValue]:
    axes = op.normalized(len(parts.shape))
    y = parts.standardized(parts.widened(op.x), axes)
    return [parts.affine(y, _spread(parts, op.gamma, axes), _spread(parts, op.beta, axes))]


def _spread(parts: NormArithmetic, parameter: SSAValue, axes: Sequence[int]) -> SSAValue:
    """Gives a parameter, whose dims are those of some axes, dims of size 1 between and behind these."""
    value = parts.widened(parameter)
    if list(axes) != sorted(axes):
        value = parts.emit.op(PermuteDimsOp, value, axes=[int(position) for position in np.argsort(axes)])
    missing = [axis for axis in range(min(axes), len(parts.shape)) if axis not in axes]
    if not missing:
        return value
    return parts.emit.op(ExpandDimsOp, value, axis=[axis - min(axes) for axis in missing])


def _instance_norm(op: InstanceNormOp, parts: NormArithmetic) -> Sequence[SSAValue]:
    y = parts.standardized(parts.widened(op.x), op.normalized(len(parts.shape)))
    channel = op.channel(len(parts.shape))
    return [parts.affine(y, parts.along(op.gamma, channel), parts.along(op.beta, channel))]


def _group_norm(op: GroupNormOp, parts: NormArithmetic) -> Sequence[SSAValue]:
    """Returns the normalized data by a reshape that gives the groups a dim, arithmetic, and a reshape back."""
    emit, shape = parts.emit, parts.shape
    channel, groups = op.channel(len(shape)), op.prop("num_groups")
    axes = [axis + (axis > channel) for axis in op.normalized(len(shape))]
    split = emit.shape(*shape[:channel], groups, floordiv(shape[channel], groups), *shape[channel + 1 :])
    y = parts.standardized(emit.op(ReshapeOp, parts.widened(op.x), split), sorted([channel + 1, *axes]))
    y = emit.op(ReshapeOp, y, emit.shape(*shape))
    return [parts.affine(y, parts.along(op.gamma, channel), parts.along(op.beta, channel))]


def _l2_normalize(op: L2NormalizeOp, parts: NormArithmetic) -> Sequence[SSAValue]:
    emit = parts.emit
    x = parts.widened(op.x)
    total = emit.op(SumOp, emit.op(MultiplyOp, x, x), axis=op.normalized(len(parts.shape)), keepdims=True)
    bounded = emit.op(MaximumOp, total, emit.constant(op.prop("eps"), parts.wide))
    return [emit.op(DivideOp, x, emit.op(SqrtOp, bounded))]


Formula: TypeAlias = Callable[[Any, NormArithmetic], Sequence[SSAValue]]


@record
class NormRule:
    """What an op becomes."""

    op_type: type[RelaxOp]
    formula: Formula
    """Returns the values of the results. What it needs of the op holds when it is called."""
    option: str | None = None
    """The option of `relax-simplify-inference` that asks for it; `None` for what is always done."""
    training: bool = False
    """The value of the op's `training` that it is for; an op without the property is never in training."""
    sizes: bool = False
    """Whether every dim must be known, not the rank alone."""


NORM_RULES = (
    NormRule(BatchNormOp, _batch_norm),
    NormRule(BatchNormOp, _batch_norm_in_training, "training", training=True),
    NormRule(LayerNormOp, _layer_norm, "norms"),
    NormRule(GroupNormOp, _group_norm, "norms", sizes=True),
    NormRule(InstanceNormOp, _instance_norm, "norms"),
    NormRule(L2NormalizeOp, _l2_normalize, "norms"),
)


@record
class DecomposeNorm(RewritePattern):
    """Replaces a normalization by the arithmetic of a rule; declines where its shape is not known well enough."""

    rule: NormRule

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        rule = self.rule
        if not isinstance(op, rule.op_type) or rule.training != _in_training(op):
            return
        shape = dims(op.operands[0])
        if shape is None or (rule.sizes and None in shape):
            return
        parts = NormArithmetic(op, rewriter, shape)
        parts.replace(*rule.formula(op, parts))


def _in_training(op: RelaxOp) -> bool:
    return isinstance(op, BatchNormOp) and op.prop("training", True)
