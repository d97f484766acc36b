"""Holds what backward and forward folding of scales share: messages, the rule that a scale must match, the weights that absorb it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.relax.attrs import dims_of
from ...dialects.relax.base import RelaxOp, dims, element
from ...dialects.relax.dense import dense_to_numpy
from ...dialects.relax.dtypes import is_float
from ...dialects.relax.ops.binary import AddOp, MultiplyOp, SubtractOp
from ...dialects.relax.ops.core import ConstantOp
from ...dialects.relax.ops.linear_algebra import LinearOp, MatmulOp
from ...dialects.relax.ops.manipulate import ExpandDimsOp, FlattenOp, PermuteDimsOp, RepeatOp, ReshapeOp, SqueezeOp
from ...dialects.relax.ops.nn.activation import LeakyReluOp, ReluOp
from ...dialects.relax.ops.nn.conv import ConvOp
from ...dialects.symbolic.expressions import Dim, equal
from ...records import record
from ..analysis.remarks import Topic, function_of, named_op, remark
from ..rewriting.emitter import Emitter

ACTIVATIONS = (ReluOp, LeakyReluOp)
"""Ops f with f(s * x) = s * f(x) for s >= 0."""
SUMS = (AddOp, SubtractOp)
"""Ops that distribute a product over their operands."""
_SAME_ELEMENTS = (ExpandDimsOp, ReshapeOp, PermuteDimsOp, SqueezeOp, RepeatOp, FlattenOp)


@record
class Message:
    """Says that a value may be multiplied by a scale along an axis at no cost (one axis, as layouts have no packed dims)."""

    axis: int
    positive: bool = False
    """Only by a scale that is not negative, as there is an activation in between."""
    nonzero: bool = False
    """Only by a scale that something can be divided by."""

    def accepts(self, scale: SSAValue) -> bool:
        """Returns whether a scale is known to be what the message asks for."""
        if not self.positive and not self.nonzero:
            return True
        values = constant_elements(scale)
        if values is None or not np.all(np.isfinite(values)):
            return False
        return not (self.positive and np.any(values < 0)) and not (self.nonzero and np.any(values == 0))


def constant_elements(value: SSAValue) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None:
    """Returns the elements, in no particular order, of a constant, seen through ops that only move or repeat elements."""
    owner = value.owner
    while isinstance(owner, _SAME_ELEMENTS):
        owner = owner.operands[0].owner
    return dense_to_numpy(owner.value).astype(np.float64) if isinstance(owner, ConstantOp) else None


def splat(value: SSAValue) -> float | None:
    """Returns the number that all elements of a constant are; `None` for anything else."""
    data = constant_elements(value)
    return float(data.flat[0]) if data is not None and data.size and (data == data.flat[0]).all() else None


def matches(target: Attribute, scale: Attribute, axis: int) -> bool:
    """Returns whether a scale, aligned right, varies along at most one axis of a tensor.

    It is a scalar, or it has that axis with the same size, and each other dim is 1.
    """
    # Dims are compared from the right, as they broadcast; a dim that the scale lacks is 1.
    if not isinstance(target, TensorType) or not isinstance(scale, TensorType):
        return False
    if target.element_type != scale.element_type:
        return False
    wide, narrow = dims_of(target) or (), dims_of(scale) or ()
    if not narrow:
        return True
    scale_axis = axis - (len(wide) - len(narrow))
    return (
        len(narrow) <= len(wide)
        and scale_axis >= 0
        and equal(narrow[scale_axis], wide[axis]) is True
        and all(dim == 1 for index, dim in enumerate(narrow) if index != scale_axis)
    )


def squeezed(emit: Emitter, scale: SSAValue, axis_from_end: int) -> SSAValue:
    """Returns a matching scale as a vector; a scalar stays a scalar. `axis_from_end` is 1 for the last axis."""
    shape = dims(scale)
    assert shape is not None
    if len(shape) <= 1:
        return scale
    unit = [axis for axis in range(len(shape)) if axis != len(shape) - axis_from_end]
    return emit.op(SqueezeOp, scale, axis=unit)


def spread(emit: Emitter, scale: SSAValue, axis: int, rank: int) -> SSAValue:
    """Returns a vector (or scalar) with trailing dims of size 1, so that it scales an axis of a tensor of some rank."""
    return emit.along(scale, axis, rank) if dims(scale) else scale


def is_contraction(op: object) -> bool:
    """Returns whether an op is a product with a weight that is not packed, whose type the scale would keep: floating-point, not widened."""
    if not isinstance(op, ConvOp | MatmulOp | LinearOp) or (isinstance(op, ConvOp) and op.kernel_block):
        return False
    weight = op.operands[1]
    return is_float(element(weight)) and element(weight) == element(op.result) and dims(op.operands[0]) is not None


def output_axis(op: RelaxOp) -> int | None:
    """Returns the axis of a contraction's result that its weight has too."""
    result = dims(op.results[0])
    weight = dims(op.operands[1])
    if result is None or weight is None:
        return None
    if isinstance(op, ConvOp):
        return op.out_positions()[1]
    # A weight that is a vector has no such axis.
    return len(result) - 1 if len(weight) >= 2 else None


def input_axis(op: RelaxOp) -> int | None:
    """Returns the axis of a contraction's data that is summed over, where the weight has an axis for the factor of each index."""
    data, weight = dims(op.operands[0]), dims(op.operands[1])
    if data is None or weight is None:
        return None
    if not isinstance(op, ConvOp):
        return len(data) - 1
    axis = op.data_positions()[1]
    if op.group_count == 1:
        return axis
    channels = [weight[axis] for axis in op.kernel_positions()[:2]]
    # The factors of grouped channels get another layout, for which sizes must be numbers.
    return axis if all(isinstance(size, int) for size in channels) else None


def scale_output(emit: Emitter, op: RelaxOp, weight: SSAValue, scale: SSAValue) -> SSAValue:
    """Returns a contraction's weight with the indices of the result multiplied by a scale."""
    shape = dims(weight)
    assert shape is not None
    match op:
        case ConvOp():
            weight_axis = op.kernel_positions()[0]
        case LinearOp():
            weight_axis = len(shape) - 2
        case _:
            weight_axis = len(shape) - 1
    return emit.op(MultiplyOp, weight, spread(emit, scale, weight_axis, len(shape)))


def scale_input(emit: Emitter, op: RelaxOp, weight: SSAValue, scale: SSAValue) -> SSAValue:
    """Returns a contraction's weight with the indices that are summed over multiplied by a scale."""
    shape = dims(weight)
    assert shape is not None
    rank = len(shape)
    if isinstance(op, ConvOp):
        if op.group_count > 1 and dims(scale):
            return emit.op(MultiplyOp, weight, _grouped(emit, op, shape, scale))
        weight_axis = op.kernel_positions()[1]
    elif isinstance(op, LinearOp) or rank == 1:
        weight_axis = rank - 1
    else:
        weight_axis = rank - 2
    return emit.op(MultiplyOp, weight, spread(emit, scale, weight_axis, rank))


def _grouped(emit: Emitter, op: ConvOp, shape: Sequence[Dim], scale: SSAValue) -> SSAValue:
    """Lays a factor for each channel of the data out over the kernel: output channel o reads the channels of its group."""
    outputs, inputs = op.kernel_positions()[:2]
    count, channels = shape[outputs], shape[inputs]
    assert isinstance(count, int) and isinstance(channels, int)
    rows = emit.op(ReshapeOp, scale, emit.shape(op.group_count, channels))
    if count != op.group_count:
        rows = emit.op(RepeatOp, rows, repeats=count // op.group_count, axis=0)
    if inputs < outputs:
        rows = emit.op(PermuteDimsOp, rows, axes=[1, 0])
    return emit.op(ExpandDimsOp, rows, axis=[axis for axis in range(len(shape)) if axis not in (outputs, inputs)])


def remark_on_scale(product: Operation, contractions: Sequence[Operation]) -> None:
    """Records into the weights of which ops a product goes."""
    names = ", ".join(map(named_op, contractions))
    text = f"{named_op(product)} is folded into the weights of {names}"
    remark(Topic.REWRITE, function_of(product), product.location, text)
