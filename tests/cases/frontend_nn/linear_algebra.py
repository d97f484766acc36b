"""Cases of products, attention and convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np
from harness.nn_arguments import IMAGE, SIGNAL, VOLUME, X, by_torch, floats
from harness.nn_cases import Arg, Case


def attention(query: Any, key: Any, value: Any, mask: Any = None, **named: Any) -> Any:
    """Returns the attention of `[batch, length, heads, size]`; fewer key heads than query heads are each for several."""
    heads = query.shape[2] // key.shape[2]
    key, value = (part.repeat_interleave(heads, 2) for part in (key, value))
    operands = (part.transpose(1, 2) for part in (query, key, value))
    return by_torch("scaled_dot_product_attention")(*operands, attn_mask=mask, **named).transpose(1, 2)


QUERY, KEY, VALUE = floats(2, "n", 4, 8), floats(2, "m", 4, 8), floats(2, "m", 4, 8)
NO_MASKS = "TVM takes no mask"
_LINEAR_ALGEBRA = [
    Case("matmul", [floats("n", 4), floats(2, 4, 5)], lambda nn, x, y: nn.op.matmul(x, y), lambda x, y: x @ y),
    Case("matmul-f32", [X, floats(4, 5)], lambda nn, x, y: nn.op.matmul(x, y, out_dtype="float32"), lambda x, y: x @ y),
    Case("attention", [QUERY, KEY, VALUE], lambda nn, *qkv: nn.op.scaled_dot_product_attention(*qkv), attention),
    Case(
        "attention-causal",
        [QUERY, QUERY, QUERY],
        lambda nn, *qkv: nn.op.scaled_dot_product_attention(*qkv, is_causal=True, scale=0.3),
        lambda *qkv: attention(*qkv, is_causal=True, scale=0.3),
    ),
    Case(
        "attention-grouped",
        [QUERY, floats(2, "m", 2, 8), floats(2, "m", 2, 8)],
        lambda nn, *qkv: nn.op.scaled_dot_product_attention(*qkv),
        attention,
    ),
    Case(
        "attention-mask",
        [QUERY, KEY, VALUE, floats(2, 4, "n", "m")],
        lambda nn, *args: nn.op.scaled_dot_product_attention(*args),
        attention,
        differs=NO_MASKS,
    ),
    Case(
        "attention-bool-mask",
        [
            QUERY,
            KEY,
            VALUE,
            Arg([2, 4, "n", "m"], "bool", lambda rng, shape: rng.random(shape) + np.eye(shape[2], shape[3]) > 0.5),
        ],
        lambda nn, *args: nn.op.scaled_dot_product_attention(*args),
        attention,
        differs=NO_MASKS,
    ),
]


_CONV = [
    Case(
        "conv1d",
        [SIGNAL, floats(6, 2, 3), floats(6)],
        lambda nn, *args: nn.op.conv1d(*args, stride=2, padding=1, dilation=2, groups=2),
        lambda *args: by_torch("conv1d")(*args, stride=2, padding=1, dilation=2, groups=2),
    ),
    Case(
        "conv2d",
        [IMAGE, floats(3, 4, 3, 2), floats(3)],
        lambda nn, *args: nn.op.conv2d(*args, stride=(2, 1), padding=[1, 0], dilation=(1, 2)),
        lambda *args: by_torch("conv2d")(*args, stride=(2, 1), padding=(1, 0), dilation=(1, 2)),
    ),
    Case(
        "conv2d-NHWC",
        [floats(2, 6, 5, 4), floats(3, 4, 3, 2), floats(3)],
        lambda nn, *args: nn.op.conv2d(*args, data_layout="NHWC"),
        lambda x, w, b: by_torch("conv2d")(x.permute(0, 3, 1, 2), w, b).permute(0, 2, 3, 1),
    ),
    *[
        Case(
            f"conv{rank}d-{padding}",
            [floats(2, 4, *(7, 6, 5)[:rank]), floats(3, 4, *(4, 3, 2)[:rank])],
            lambda nn, *args, rank=rank, padding=padding: getattr(nn.op, f"conv{rank}d")(
                *args, padding=padding, dilation=2
            ),
            lambda *args, rank=rank, padding=padding: by_torch(f"conv{rank}d")(*args, padding=padding, dilation=2),
            differs="TVM takes no names of paddings",
        )
        for rank, padding in ((1, "same"), (2, "same"), (2, "valid"), (3, "same"))
    ],
    Case(
        "conv3d",
        [VOLUME, floats(3, 2, 2, 3, 2)],
        lambda nn, *args: nn.op.conv3d(*args, padding=1),
        lambda *args: by_torch("conv3d")(*args, padding=1),
    ),
    Case(
        "conv1d_transpose",
        [SIGNAL, floats(4, 3, 3), floats(6)],
        lambda nn, *args: nn.op.conv1d_transpose(*args, stride=2, padding=1, output_padding=1, groups=2),
        lambda *args: by_torch("conv_transpose1d")(*args, stride=2, padding=1, output_padding=1, groups=2),
    ),
]

CASES = [*_LINEAR_ALGEBRA, *_CONV]
