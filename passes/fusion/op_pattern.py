"""The fusion pattern of each op, in the order that the fusion rules compare them."""

from __future__ import annotations

from enum import IntEnum

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from ...dialects.relax.attrs import dims_of
from ...dialects.relax.base import RelaxOp
from ...dialects.symbolic.expressions import shapes_equal


class OpPattern(IntEnum):
    """How the points of an op's results depend on the points of its operands."""

    ELEM_WISE = 0
    BROADCAST = 1
    INJECTIVE = 2
    COMM_REDUCE = 3
    OUT_ELEM_WISE_FUSABLE = 4
    TUPLE = 7
    OPAQUE = 8


_ELEM_WISE = """
    abs acos acosh asin asinh atan atanh bitwise_not ceil clip cos cosh erf exp floor isfinite isinf isnan log logical_not negative
    round rsqrt sigmoid sign sin sinh sqrt square tan tanh astype
    add subtract multiply divide floor_divide power mod floor_mod maximum minimum log_add_exp
    equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor
    bitwise_and bitwise_or bitwise_xor left_shift right_shift where
    zeros ones full zeros_like ones_like full_like arange eye eye_like tril triu hamming_window symbol_value
    quantize dequantize qnn.quantize qnn.dequantize
    nn.relu nn.leakyrelu nn.prelu nn.gelu nn.gelu_tanh nn.silu nn.selu nn.softplus nn.dropout
"""
_INJECTIVE = """
    permute_dims reshape flatten expand_dims squeeze concat split stack broadcast_to repeat tile flip meshgrid nn.pad
    pack_weight take strided_slice gather_elements gather_nd one_hot index_tensor image.resize2d
"""
_COMM_REDUCE = "sum prod mean max min argmax argmin"
_OUT_ELEM_WISE_FUSABLE = """
    matmul packed_matmul linear einsum outer variance std
    nn.conv1d nn.conv2d nn.conv3d nn.conv1d_transpose nn.conv2d_transpose nn.conv3d_transpose
    nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d
    nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d
    nn.softmax nn.log_softmax nn.layer_norm nn.rms_norm nn.l2_normalize nn.group_norm nn.instance_norm
    nn.attention nn.attention_bias
"""

_PATTERNS: dict[str, OpPattern] = {
    f"relax.{name}": pattern
    for names, pattern in (
        (_ELEM_WISE, OpPattern.ELEM_WISE),
        (_INJECTIVE, OpPattern.INJECTIVE),
        (_COMM_REDUCE, OpPattern.COMM_REDUCE),
        (_OUT_ELEM_WISE_FUSABLE, OpPattern.OUT_ELEM_WISE_FUSABLE),
    )
    for name in names.split()
}


def op_pattern(op: Operation) -> OpPattern:
    """Returns the pattern of an op; an attribute `op_pattern` overrides it, what is not known is opaque.

    An element-wise op counts as broadcast when no operand has the shape of its result.
    """
    override = op.attributes.get("op_pattern")
    if isinstance(override, IntegerAttr):
        return OpPattern(override.value.data)
    pattern = _PATTERNS.get(op.name, OpPattern.OPAQUE)
    if pattern != OpPattern.ELEM_WISE or not isinstance(op, RelaxOp):
        return pattern
    shapes = [dims_of(value.type) for value in op.operands if hasattr(value.type, "element_type")]
    result = dims_of(op.results[0].type)
    if not shapes or (
        result is not None and any(shape is not None and shapes_equal(shape, result) for shape in shapes)
    ):
        return OpPattern.ELEM_WISE
    return OpPattern.BROADCAST


def op_pattern_name(name: str) -> str:
    """Returns the pattern that the ops of a name have in general, in words."""
    return _PATTERNS.get(name, OpPattern.OPAQUE).name.lower().replace("_", " ")
