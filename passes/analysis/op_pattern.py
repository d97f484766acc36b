"""The fusion pattern of an op where it stands: that of its class, or what an attribute says, with broadcasts told apart."""

from __future__ import annotations

from xdsl.ir import Operation

from ...dialects.relax.attrs import dims_of
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.fusion_pattern import FusionPattern
from ...dialects.relax.vocabulary.attributes import CALL_OP_PATTERN
from ...dialects.symbolic.expressions import shapes_equal


def op_pattern(op: Operation) -> FusionPattern:
    """Returns the pattern of an op; an attribute `op_pattern` overrides that of its class, what is no relax op is opaque.

    An element-wise op counts as broadcast when no operand has the shape of its result.
    """
    override = CALL_OP_PATTERN.of(op)
    if override is not None:
        return FusionPattern(override)
    if not isinstance(op, RelaxOp):
        return FusionPattern.OPAQUE
    if op.FUSION_PATTERN != FusionPattern.ELEM_WISE:
        return op.FUSION_PATTERN
    shapes = [dims_of(value.type) for value in op.operands if hasattr(value.type, "element_type")]
    result = dims_of(op.results[0].type)
    has_result_shape = result is not None and any(shape is not None and shapes_equal(shape, result) for shape in shapes)
    return FusionPattern.ELEM_WISE if not shapes or has_result_shape else FusionPattern.BROADCAST
