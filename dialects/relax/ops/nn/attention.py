"""Scaled dot-product attention."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def

from ....symbolic.conditions import SizeContext
from ....symbolic.expressions import Dim, apply
from ...attrs import tensor_type
from ...base import F64, I64, STRING, TENSOR, TensorOp, dims, fail, require_same_element
from ...dtypes import FLOATS
from ...element_rules import require_element
from ...fusion_pattern import FusionPattern
from ...rules.shape_rules import shape_text

CAUSAL_MASKS = ("TopLeft", "BottomRight")


class AttentionLikeOp(TensorOp, ABC):
    """`softmax(q k^T * scale + bias) v` for each head; q is `[b, sq, h, d]`, k `[b, skv, hkv, d]`, v `[b, skv, hkv, dv]`.

    The scores, their softmax and both products are computed in f32 for f16 and bf16, and the result is rounded once.
    `scale` is `1 / sqrt(d)` by default. With `causal_mask`, query i sees the keys up to i (`TopLeft`) or up to i + skv - sq
    (`BottomRight`); `window_size = w` leaves only the last w of those. A query that sees no key gives zeros.

    Where `h = g * hkv`, query head i uses key head `i floordiv g` (grouped-query attention). Relax checks this relation of the heads, but
    computes only equal ones. For `sq > skv` Relax's legalization takes the absolute value of the offset of `BottomRight`; here the
    first queries see nothing.

    <op>_c1: the element types are equal and floating-point.
    <op>_c2: all operands have rank 4.
    <op>_c3: the batch sizes are equal.
    <op>_c4: keys and values have equal lengths and heads, queries and keys equal head dims.
    <op>_c5: the number of query heads is a multiple of the number of key heads.
    <op>_c6: `causal_mask` is `TopLeft` or `BottomRight`.
    <op>_c7: `window_size` is positive and comes with a `causal_mask`.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    scale = opt_prop_def(F64)
    causal_mask = opt_prop_def(STRING)
    window_size = opt_prop_def(I64)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(
            require_same_element(f"{self.stem}_c1", *self.operands), FLOATS, f"{self.stem}_c1"
        )
        self._check_mask()
        for name, operand in zip(("query", "key", "value", "bias"), self.operands, strict=False):
            _require_rank_4(f"{self.stem}_c2", name, operand)
        query, key, value = (dims(operand) for operand in self.operands[:3])
        if query is None or key is None or value is None:
            return [tensor_type(None, element_type)]
        _require_equal(context, f"{self.stem}_c3", "batch size", query[0], "query", key[0], "key")
        _require_equal(context, f"{self.stem}_c3", "batch size", query[0], "query", value[0], "value")
        _require_equal(context, f"{self.stem}_c4", "sequence length", key[1], "key", value[1], "value")
        _require_equal(context, f"{self.stem}_c4", "number of heads", key[2], "key", value[2], "value")
        _require_equal(context, f"{self.stem}_c4", "head dim", query[3], "query", key[3], "key")
        heads, key_heads = query[2], key[2]
        if heads != key_heads and (key_heads == 0 or context.differ(apply("mod", heads, key_heads), 0)):
            fail(f"{self.stem}_c5", f"the {heads} query heads must be a multiple of the {key_heads} key heads")
        return [tensor_type([*query[:3], value[3]], element_type)]

    def _check_mask(self) -> None:
        causal_mask, window = self.prop("causal_mask"), self.prop("window_size")
        if causal_mask is not None and causal_mask not in CAUSAL_MASKS:
            fail(f"{self.stem}_c6", f"causal_mask must be TopLeft or BottomRight, got {causal_mask!r}")
        if window is not None and (window < 1 or causal_mask is None):
            fail(f"{self.stem}_c7", f"window_size must be positive and come with a causal_mask, got {window}")


@irdl_op_definition
class AttentionOp(AttentionLikeOp):
    """Attention without bias."""

    name = "relax.nn.attention"
    query = operand_def(TENSOR)
    key = operand_def(TENSOR)
    value = operand_def(TENSOR)


@irdl_op_definition
class AttentionBiasOp(AttentionLikeOp):
    """Attention with a bias (or an additive mask of zeros and `-inf`) that is added to the scaled scores.

    A last dim 1 of the bias that is broadcast is our extension.

    attention_bias_c8: the bias broadcasts to `[b, h, sq, skv]`, each dim being equal or 1.
    """

    name = "relax.nn.attention_bias"
    query = operand_def(TENSOR)
    key = operand_def(TENSOR)
    value = operand_def(TENSOR)
    bias = operand_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        result = super().infer(context)
        bias, query, key = dims(self.bias), dims(self.query), dims(self.key)
        if bias is None or query is None or key is None:
            return result
        expected = (query[0], query[2], query[1], key[1])
        if any(size != 1 and context.differ(size, full) for size, full in zip(bias, expected, strict=True)):
            fail("attention_bias_c8", f"bias must broadcast to {shape_text(expected)}, got {shape_text(bias)}")
        return result


def _require_rank_4(constraint: str, name: str, operand: SSAValue) -> None:
    shape = dims(operand)
    if shape is not None and len(shape) != 4:
        fail(constraint, f"{name} must have rank 4, got {shape_text(shape)}")


def _require_equal(
    context: SizeContext, constraint: str, what: str, lhs: Dim, lhs_name: str, rhs: Dim, rhs_name: str
) -> None:
    if context.differ(lhs, rhs):
        fail(constraint, f"{what} of {lhs_name} and {rhs_name} must be equal, got {lhs} and {rhs}")
