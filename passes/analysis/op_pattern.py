"""The fusion pattern of an op where it stands: that of its class, or what an attribute says, with broadcasts told apart."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from ...dialects.relax.attrs import dims_of
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.fusion_pattern import FusionPattern
from ...dialects.symbolic.expressions import shapes_equal

OP_PATTERN = "op_pattern"
"""On a call of a kernel that came with a program: how fusion may treat it."""


def op_pattern(op: Operation) -> FusionPattern:
    """Returns the pattern of an op; an attribute `op_pattern` overrides that of its class, what is no relax op is opaque.

    An element-wise op counts as broadcast when no operand has the shape of its result.
    """
    override = op.attributes.get(OP_PATTERN)
    if isinstance(override, IntegerAttr):
        return FusionPattern(override.value.data)
    if not isinstance(op, RelaxOp):
        return FusionPattern.OPAQUE
    if op.FUSION_PATTERN != FusionPattern.ELEM_WISE:
        return op.FUSION_PATTERN
    shapes = [dims_of(value.type) for value in op.operands if hasattr(value.type, "element_type")]
    result = dims_of(op.results[0].type)
    has_result_shape = result is not None and any(shape is not None and shapes_equal(shape, result) for shape in shapes)
    return FusionPattern.ELEM_WISE if not shapes or has_result_shape else FusionPattern.BROADCAST
