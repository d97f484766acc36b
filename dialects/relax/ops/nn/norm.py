"""Normalizations: layer_norm, rms_norm, l2_normalize, group_norm, instance_norm, batch_norm.

The statistics of f16 and bf16 data are accumulated in f32, where all of the formula is computed; the result is rounded once. (Relax
rounds the normalized value of a f16 `layer_norm` before it multiplies by gamma.) `scale = false` leaves gamma out, `center = false` beta.
"""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from ....symbolic.conditions import SizeContext
from ....symbolic.expressions import Dim, apply
from ...attrs import tensor_type
from ...base import (
    BOOL,
    F64,
    I64,
    INTS,
    TENSOR,
    RelaxOp,
    TensorOp,
    dims,
    element,
    fail,
    normalized_axes,
    normalized_axis,
    require_same_element,
)
from ...dtypes import FLOATS
from ...element_rules import require_element
from ...fusion_pattern import FusionPattern
from ...rules.shape_rules import shape_text

EPSILON = 1e-5


def _require_epsilon(constraint: str, name: str, epsilon: float) -> None:
    if not 0 <= epsilon < math.inf:
        fail(constraint, f"{name} must be finite and at least 0, got {epsilon}")


def _require_shape(
    context: SizeContext, constraint: str, name: str, value: SSAValue, expected: Sequence[Dim] | None
) -> None:
    actual = dims(value)
    if actual is None or expected is None:
        return
    if len(actual) != len(expected) or any(context.differ(a, b) for a, b in zip(actual, expected, strict=True)):
        fail(constraint, f"{name} must have shape {shape_text(expected)}, got {shape_text(actual)}")


class RowNormOp(TensorOp, ABC):
    """Normalizes over `axes`; the parameters have the dims of the data's `axes`, in their order.

    <op>_c1: the element types are equal and floating-point.
    <op>_c2: `axes` are the operand's, at least one, without repetition.
    <op>_c3: the parameters have the dims of the data's `axes`.
    <op>_c4: `epsilon` is finite and not negative.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE

    def normalized(self, rank: int) -> tuple[int, ...]:
        """Returns the axes, counted from 0."""
        axes = normalized_axes(self.prop("axes"), rank, f"{self.stem}_c2")
        if not axes:
            fail(f"{self.stem}_c2", "axes must list at least one axis, got none")
        return axes

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        data, *parameters = self.operands
        element_type = require_element(
            require_same_element(f"{self.stem}_c1", *self.operands), FLOATS, f"{self.stem}_c1"
        )
        _require_epsilon(f"{self.stem}_c4", "epsilon", self.prop("epsilon", EPSILON))
        shape = dims(data)
        if shape is not None:
            expected = [shape[axis] for axis in self.normalized(len(shape))]
            for name, parameter in zip(("gamma", "beta"), parameters, strict=False):
                _require_shape(
                    context, f"{self.stem}_c3", "weight" if len(parameters) == 1 else name, parameter, expected
                )
        return [tensor_type(shape, element_type)]


@irdl_op_definition
class LayerNormOp(RowNormOp):
    """`(x - mean) / sqrt(variance + epsilon) * gamma + beta`, mean and (biased) variance over `axes`; `epsilon` is 1e-5 by default."""

    name = "relax.nn.layer_norm"
    x = operand_def(TENSOR)
    gamma = operand_def(TENSOR)
    beta = operand_def(TENSOR)
    axes = prop_def(INTS)
    epsilon = opt_prop_def(F64)
    center = opt_prop_def(BOOL)
    scale = opt_prop_def(BOOL)


@irdl_op_definition
class RMSNormOp(RowNormOp):
    """`x / sqrt(mean(x^2) + epsilon) * weight`, the mean over `axes`; `epsilon` is 1e-5 by default."""

    name = "relax.nn.rms_norm"
    x = operand_def(TENSOR)
    weight = operand_def(TENSOR)
    axes = prop_def(INTS)
    epsilon = opt_prop_def(F64)


@irdl_op_definition
class L2NormalizeOp(TensorOp):
    """`x / sqrt(max(sum(x^2), eps))`, the sum over `axis`, which is a list, all axes by default.

    Relay has this op, Relax has none. NaN in a row makes the row NaN.

    l2_normalize_c1: the element type is floating-point.
    l2_normalize_c2: `axis` lists axes of the operand, without repetition.
    l2_normalize_c3: `eps` is finite and not negative.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    name = "relax.nn.l2_normalize"
    x = operand_def(TENSOR)
    eps = prop_def(F64)
    axis = opt_prop_def(INTS)

    def normalized(self, rank: int) -> tuple[int, ...]:
        """Returns the axes, counted from 0."""
        return normalized_axes(self.prop("axis"), rank, "l2_normalize_c2")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(element(self.x), FLOATS, "l2_normalize_c1")
        _require_epsilon("l2_normalize_c3", "eps", self.prop("eps"))
        shape = dims(self.x)
        if shape is not None:
            self.normalized(len(shape))
        return [tensor_type(shape, element_type)]


class ChannelNormOp(TensorOp, ABC):
    """Normalizes over `axes` for each (group of) channels; gamma and beta have one element for each channel.

    <op>_c1: the element types are equal and floating-point.
    <op>_c2: `channel_axis` and `axes` are the operand's, and `channel_axis` is not one of `axes`.
    <op>_c3: gamma and beta have rank 1 and one element for each channel.
    <op>_c4: `epsilon` is finite and not negative.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    x = operand_def(TENSOR)
    gamma = operand_def(TENSOR)
    beta = operand_def(TENSOR)
    channel_axis = prop_def(I64)
    axes = prop_def(INTS)
    epsilon = opt_prop_def(F64)
    center = opt_prop_def(BOOL)
    scale = opt_prop_def(BOOL)

    def channel(self, rank: int) -> int:
        """Returns the channel axis, counted from 0."""
        return normalized_axis(self.prop("channel_axis"), rank, f"{self.stem}_c2")

    def normalized(self, rank: int) -> tuple[int, ...]:
        """Returns the axes, counted from 0."""
        axes = normalized_axes(self.prop("axes"), rank, f"{self.stem}_c2")
        if self.channel(rank) in axes:
            fail(f"{self.stem}_c2", f"channel_axis {self.prop('channel_axis')} must not be in axes {list(axes)}")
        return axes

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        data, gamma, beta = self.operands
        element_type = require_element(
            require_same_element(f"{self.stem}_c1", *self.operands), FLOATS, f"{self.stem}_c1"
        )
        _require_epsilon(f"{self.stem}_c4", "epsilon", self.prop("epsilon", EPSILON))
        shape = dims(data)
        channels: Dim = None
        if shape is not None:
            self.normalized(len(shape))
            channels = shape[self.channel(len(shape))]
        _require_shape(context, f"{self.stem}_c3", "gamma", gamma, [channels])
        _require_shape(context, f"{self.stem}_c3", "beta", beta, [channels])
        return [tensor_type(shape, element_type)]


@irdl_op_definition
class GroupNormOp(ChannelNormOp):
    """Splits the channels into `num_groups` and normalizes over `axes` and the channels of a group.

    `(x - mean) / sqrt(variance + epsilon) * gamma + beta` with the biased variance; `epsilon` is 1e-5 by default.

    group_norm_c5: `num_groups` is positive and divides the number of channels.
    """

    name = "relax.nn.group_norm"
    num_groups = prop_def(I64)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        result = super().infer(context)
        groups = self.prop("num_groups")
        shape = dims(self.x)
        channels = None if shape is None else shape[self.channel(len(shape))]
        if groups < 1 or context.differ(apply("mod", channels, groups), 0):
            fail("group_norm_c5", f"num_groups must divide the {channels} channels, got {groups}")
        return result


@irdl_op_definition
class InstanceNormOp(ChannelNormOp):
    """`(x - mean) / sqrt(variance + epsilon) * gamma + beta`, mean and (biased) variance over `axes`; `epsilon` is 1e-5 by default."""

    name = "relax.nn.instance_norm"


@irdl_op_definition
class BatchNormOp(RelaxOp):
    """`(x - mean) / sqrt(variance + epsilon) * gamma + beta` for each index of `axis`, and the moving statistics.

    With `training` (as in Relax the default) mean and biased variance are those of the data over all other axes, and the two further
    results are `(1 - momentum) * moving + momentum * statistic`, `momentum` being 0.1 by default. Without, they are the moving ones,
    which are returned unchanged. (torch updates the moving variance with the unbiased one.) The arithmetic that `relax-simplify-inference`
    puts in the place of the op without `training` rounds each step in the element type.

    batch_norm_c1: the element types are equal and floating-point.
    batch_norm_c2: `axis` is one of the operand's.
    batch_norm_c3: gamma, beta, moving_mean and moving_var have rank 1 and one element for each index of `axis`.
    batch_norm_c4: `momentum` is in [0, 1].
    batch_norm_c5: `epsilon` is finite and not negative.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.nn.batch_norm"
    x = operand_def(TENSOR)
    gamma = operand_def(TENSOR)
    beta = operand_def(TENSOR)
    moving_mean = operand_def(TENSOR)
    moving_var = operand_def(TENSOR)
    axis = prop_def(I64)
    epsilon = opt_prop_def(F64)
    center = opt_prop_def(BOOL)
    scale = opt_prop_def(BOOL)
    momentum = opt_prop_def(F64)
    training = opt_prop_def(BOOL)
    result = result_def(TENSOR)
    new_mean = result_def(TENSOR)
    new_var = result_def(TENSOR)
    traits = traits_def(Pure())

    def channel(self, rank: int) -> int:
        """Returns the axis, counted from 0."""
        return normalized_axis(self.prop("axis"), rank, "batch_norm_c2")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(require_same_element("batch_norm_c1", *self.operands), FLOATS, "batch_norm_c1")
        shape = dims(self.x)
        channels = None if shape is None else shape[self.channel(len(shape))]
        for name in ("gamma", "beta", "moving_mean", "moving_var"):
            _require_shape(context, "batch_norm_c3", name, getattr(self, name), [channels])
        momentum = self.prop("momentum", 0.1)
        if not 0 <= momentum <= 1:
            fail("batch_norm_c4", f"momentum must be in [0, 1], got {momentum}")
        _require_epsilon("batch_norm_c5", "epsilon", self.prop("epsilon", EPSILON))
        vector = tensor_type(dims(self.moving_mean) if channels is None else [channels], element_type)
        return [tensor_type(shape, element_type), vector, vector]
