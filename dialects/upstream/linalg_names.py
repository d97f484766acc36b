"""The named ops of MLIR's `linalg` dialect, by kind, with the index of each operand; `linalg_ops` defines those that xDSL lacks."""

from __future__ import annotations

from collections.abc import Sequence

CONVOLUTIONS: dict[str, str] = {
    "conv_1d": "x+p, p, x",
    "conv_1d_nwc_wcf": "n x+p c, p c f, n x f",
    "conv_1d_ncw_fcw": "n c x+p, f c p, n f x",
    "conv_2d": "y+p x+q, p q, y x",
    "conv_2d_nhwc_hwcf": "n y+p x+q c, p q c f, n y x f",
    "conv_2d_nhwc_fhwc": "n y+p x+q c, f p q c, n y x f",
    "conv_2d_nchw_fchw": "n c y+p x+q, f c p q, n f y x",
    "conv_2d_ngchw_fgchw": "n g c y+p x+q, f g c p q, n g f y x",
    "conv_2d_ngchw_gfchw": "n g c y+p x+q, g f c p q, n g f y x",
    "conv_2d_nhwgc_gfhwc": "n y+p x+q g c, g f p q c, n y x g f",
    "conv_3d": "z+o y+p x+q, o p q, z y x",
    "conv_3d_ndhwc_dhwcf": "n z+o y+p x+q c, o p q c f, n z y x f",
    "conv_3d_ncdhw_fcdhw": "n c z+o y+p x+q, f c o p q, n f z y x",
    "depthwise_conv_1d_nwc_wc": "n x+p c, p c, n x c",
    "depthwise_conv_1d_ncw_cw": "n c x+p, c p, n c x",
    "depthwise_conv_1d_nwc_wcm": "n x+p c, p c m, n x c m",
    "depthwise_conv_2d_nhwc_hwc": "n y+p x+q c, p q c, n y x c",
    "depthwise_conv_2d_nchw_chw": "n c y+p x+q, c p q, n c y x",
    "depthwise_conv_2d_nhwc_hwcm": "n y+p x+q c, p q c m, n y x c m",
    "depthwise_conv_3d_ndhwc_dhwc": "n z+o y+p x+q c, o p q c, n z y x c",
    "depthwise_conv_3d_ncdhw_cdhw": "n c z+o y+p x+q, c o p q, n c z y x",
    "depthwise_conv_3d_ndhwc_dhwcm": "n z+o y+p x+q c, o p q c m, n z y x c m",
}
"""Index of input, filter and output; `x+p` is the position of window element p at output position x."""

QUANTIZED = {
    f"{name}_q": CONVOLUTIONS[name]
    for name in (
        "conv_2d_nhwc_hwcf",
        "conv_2d_nhwc_fhwc",
        "conv_2d_nchw_fchw",
        "conv_2d_nhwgc_gfhwc",
        "conv_2d_ngchw_gfchw",
        "conv_3d_ndhwc_dhwcf",
        "depthwise_conv_2d_nhwc_hwc",
        "depthwise_conv_2d_nhwc_hwcm",
    )
}
"""Forms with zero points as two further scalar inputs."""

_WINDOWS = {
    "nwc": "n x+p c, p, n x c",
    "ncw": "n c x+p, p, n c x",
    "nhwc": "n y+p x+q c, p q, n y x c",
    "nchw": "n c y+p x+q, p q, n c y x",
    "ndhwc": "n z+o y+p x+q c, o p q, n z y x c",
}
POOLINGS = {
    f"pooling_{layout}_{kind}": spec
    for layout, spec in _WINDOWS.items()
    for kind in ("sum", "max", "max_unsigned", "min", "min_unsigned")
}
CONTRACTIONS: dict[str, str] = {
    "matmul": "m k, k n, m n",
    "quantized_matmul": "m k, k n, m n",
    "matmul_transpose_a": "k m, k n, m n",
    "matmul_transpose_b": "m k, n k, m n",
    "batch_matmul": "b m k, b k n, b m n",
    "quantized_batch_matmul": "b m k, b k n, b m n",
    "batch_matmul_transpose_a": "b k m, b k n, b m n",
    "batch_matmul_transpose_b": "b m k, b n k, b m n",
    "batch_reduce_matmul": "b m k, b k n, m n",
    "mmt4d": "m k i l, n k j l, m n i j",
    "batch_mmt4d": "b m k i l, b n k j l, b m n i j",
    "matvec": "m k, k, m",
    "vecmat": "k, k n, n",
    "dot": "k, k, ",
    "batch_matvec": "b m k, b k, b m",
    "batch_vecmat": "b k, b k n, b n",
}
ELEMENTWISE: Sequence[str] = (
    *("add", "sub", "mul", "div", "div_unsigned", "max", "min", "powf", "select", "copy"),
    *("exp", "log", "abs", "ceil", "floor", "negf", "reciprocal", "round", "sqrt", "rsqrt", "square", "tanh", "erf"),
    *("elemwise_unary", "elemwise_binary"),
)
"""Ops whose operands all have the shape of the result."""

STRUCTURAL: Sequence[str] = ("elementwise", "contract", "map", "reduce", "broadcast", "transpose", "softmax")
NAMED: Sequence[str] = (*CONVOLUTIONS, *QUANTIZED, *POOLINGS, *CONTRACTIONS, *ELEMENTWISE, *STRUCTURAL)
