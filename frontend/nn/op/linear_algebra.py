"""Products of matrices, and attention."""

from __future__ import annotations

from ..annotations import checked
from ..tensor import Tensor, apply
from .elementwise import where


@checked
def matmul(a: Tensor, b: Tensor, out_dtype: str | None = None, name: str = "matmul") -> Tensor:
    """Returns the matrix product by numpy's rules, in `out_dtype` if that is given."""
    return apply("matmul", a, b, out_dtype=out_dtype, name=name)


@checked
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    is_causal: bool | None = False,
    scale: float | None = None,
    name: str = "scaled_dot_product_attention",
) -> Tensor:
    """Returns `softmax(query @ key^T * scale + attn_mask) @ value` for each head, of tensors `[batch, length, heads, size]`.

    A mask has the shape `[batch, heads, query length, key length]`; one of booleans is true where a key is seen. `is_causal` shows
    query i the keys up to i. The scale is `1 / sqrt(size)` by default.
    """
    causal_mask = "TopLeft" if is_causal else None
    if attn_mask is None:
        return apply("nn.attention", query, key, value, scale=scale, causal_mask=causal_mask, name=name)
    if attn_mask.dtype == "bool":
        seen, hidden = (Tensor.from_scalar(number, query.dtype) for number in (0.0, float("-inf")))
        attn_mask = where(attn_mask, seen, hidden, name="attn_mask")
    return apply("nn.attention_bias", query, key, value, attn_mask, scale=scale, causal_mask=causal_mask, name=name)
