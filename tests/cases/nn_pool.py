"""Cases of pooling; the oracle is torch in float64, or loops over windows where torch has no such option."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import f16, f32, i8, i32
from xdsl_relax.dialects.relax.dtypes import ui8
from xdsl_relax.dialects.relax.ops.nn import pool as nn


def _torch(name, *args, **options):
    def oracle(x):
        import torch

        return getattr(torch.nn.functional, name)(torch.from_numpy(x), *args, **options).numpy()

    return oracle


def _loops(pool, size, stride, pads, dilation, counts, include=False):
    """Pools by visiting each window of `[n, c, h, w]` data: `pads` are (top, left, bottom, right)."""

    def oracle(x):
        height, width = x.shape[2:]
        result = np.empty((*x.shape[:2], *counts))
        for i, j in np.ndindex(*counts):
            rows = [i * stride[0] - pads[0] + k * dilation[0] for k in range(size[0])]
            columns = [j * stride[1] - pads[1] + k * dilation[1] for k in range(size[1])]
            inside = [(r, c) for r in rows for c in columns if 0 <= r < height and 0 <= c < width]
            items = np.stack([x[:, :, r, c] for r, c in inside])
            padded = sum(r < height + pads[2] and c < width + pads[3] for r in rows for c in columns)
            divisor = padded if include else len(inside)
            result[:, :, i, j] = items.max(0) if pool == "max" else items.sum(0) / divisor
        return result

    return oracle


def _channels_last(oracle):
    return lambda x: np.moveaxis(oracle(np.ascontiguousarray(np.moveaxis(x, -1, 1))), 1, -1)


def _truncated(oracle):
    return lambda x: np.trunc(oracle(x.astype(np.float64))).astype(np.int64)


def _mean_by_loops(size, stride, padding, dilation, include, ceil_mode):
    """Returns average pooling, the same along each spatial dim, item by item."""

    def oracle(x):
        spatial = x.shape[2:]
        room = [extent + 2 * padding - dilation * (size - 1) - 1 for extent in spatial]
        counts = [-(-more // stride) + 1 if ceil_mode else more // stride + 1 for more in room]
        for axis, extent in enumerate(spatial):
            while ceil_mode and (counts[axis] - 1) * stride >= extent + padding:
                counts[axis] -= 1
        result = np.zeros((*x.shape[:2], *counts))
        for place in np.ndindex(*counts):
            total, items = np.zeros(x.shape[:2]), 0
            for offset in np.ndindex(*(size,) * len(spatial)):
                at = [p * stride - padding + o * dilation for p, o in zip(place, offset, strict=True)]
                if all(0 <= i < extent for i, extent in zip(at, spatial, strict=True)):
                    total, items = total + x[(slice(None), slice(None), *at)], items + 1
                elif include and all(i < extent + padding for i, extent in zip(at, spatial, strict=True)):
                    items += 1
            result[(slice(None), slice(None), *place)] = total / max(items, 1)
        return result

    return oracle


def _with_nan(rng, shape):
    x = rng.standard_normal(shape)
    x[0, 0, 2, 3], x[0, 1, 1, 1] = np.nan, -np.inf
    return x


POOL = {"pool_size": [3], "strides": [2], "padding": [1]}
UNEVEN = {"pool_size": [2, 3], "strides": [2, 1], "padding": [0, 1, 1, 2], "dilation": [1, 2]}
DATA = ("n", 2, 7, 8)
SIZES = {"n": 2, "h": 7, "w": 10}

CASES = (
    *(
        Case(f"max_pool2d-{element}", nn.MaxPool2DOp, [Arg(DATA, element)], _torch("max_pool2d", 3, 2, 1), POOL, SIZES)
        for element in (*FLOATS, i8, i32)
    ),
    Case("max_pool2d-ui8", nn.MaxPool2DOp, [Arg(DATA, ui8, lambda rng, shape: rng.integers(0, 256, shape))],
         _torch("max_pool2d", 3, 2, 1), POOL, SIZES),
    Case("max_pool2d-default", nn.MaxPool2DOp, [Arg((1, 2, 3, 3))], lambda x: x),
    Case("max_pool2d-nan", nn.MaxPool2DOp, [Arg((1, 2, 5, 5), f32, _with_nan)], _torch("max_pool2d", 2),
         {"pool_size": [2], "strides": [2]}),
    Case("max_pool2d-symbolic", nn.MaxPool2DOp, [Arg(("n", 2, "h", "w"))], _torch("max_pool2d", 3, 2, 1), POOL, SIZES),
    Case("max_pool2d-dilation", nn.MaxPool2DOp, [Arg(DATA)], _torch("max_pool2d", 2, 1, 0, 3),
         {"pool_size": [2], "dilation": [3]}, SIZES),
    Case("max_pool2d-uneven", nn.MaxPool2DOp, [Arg(DATA)],
         _loops("max", (2, 3), (2, 1), (0, 1, 1, 2), (1, 2), (4, 7)), UNEVEN, SIZES),
    Case("max_pool2d-ceil", nn.MaxPool2DOp, [Arg(("n", 2, "h", "w"))], _torch("max_pool2d", 2, 2, 1, ceil_mode=True),
         {"pool_size": [2], "strides": [2], "padding": [1], "ceil_mode": True}, SIZES),
    Case("max_pool2d-ceil-static", nn.MaxPool2DOp, [Arg((1, 2, 8, 7))], _torch("max_pool2d", 3, 2, ceil_mode=True),
         {"pool_size": [3], "strides": [2], "ceil_mode": True}),
    Case("max_pool2d-ceil-one-window", nn.MaxPool2DOp, [Arg((1, 17, 3, 2))], _torch("max_pool2d", 3, 2, ceil_mode=True),
         {"pool_size": [3], "strides": [2], "ceil_mode": True}),
    Case("max_pool2d-nhwc", nn.MaxPool2DOp, [Arg((2, 7, 8, 3))], _channels_last(_torch("max_pool2d", 3, 2, 1)),
         {**POOL, "layout": "NHWC"}),
    Case("max_pool2d-out-layout", nn.MaxPool2DOp, [Arg((2, 3, 7, 8))],
         lambda x: np.moveaxis(_torch("max_pool2d", 3, 2, 1)(x), 1, -1), {**POOL, "out_layout": "NHWC"}),
    Case("max_pool1d", nn.MaxPool1DOp, [Arg((2, 3, "w"))], _torch("max_pool1d", 3, 2, 1), POOL, SIZES),
    Case("max_pool3d", nn.MaxPool3DOp, [Arg((1, 2, 5, 6, 7))], _torch("max_pool3d", 3, 2, 1), POOL),
    *(
        Case(f"avg_pool2d-{element}-{include}", nn.AvgPool2DOp, [Arg(DATA, element)],
             _torch("avg_pool2d", 3, 2, 1, count_include_pad=include), {**POOL, "count_include_pad": include}, SIZES)
        for element in FLOATS
        for include in (False, True)
    ),
    Case("avg_pool2d-no-padding", nn.AvgPool2DOp, [Arg(DATA)], _torch("avg_pool2d", (2, 3), (2, 1)),
         {"pool_size": [2, 3], "strides": [2, 1]}, SIZES),
    Case("avg_pool2d-default-excludes", nn.AvgPool2DOp, [Arg(DATA)],
         _torch("avg_pool2d", 3, 2, 1, count_include_pad=False), POOL, SIZES),
    Case("avg_pool2d-i8", nn.AvgPool2DOp, [Arg(DATA, i8, lambda rng, shape: rng.integers(-128, 128, shape))],
         _truncated(_torch("avg_pool2d", 3, 2, 1, count_include_pad=False)), POOL, SIZES),
    Case("avg_pool2d-ui8", nn.AvgPool2DOp, [Arg(DATA, ui8, lambda rng, shape: rng.integers(0, 256, shape))],
         _truncated(_torch("avg_pool2d", 2)), {"pool_size": [2], "strides": [2]}, SIZES),
    *(
        Case(f"avg_pool2d-uneven-{include}", nn.AvgPool2DOp, [Arg(DATA)],
             _loops("avg", (2, 3), (2, 1), (0, 1, 1, 2), (1, 2), (4, 7), include),
             {**UNEVEN, "count_include_pad": include}, SIZES)
        for include in (False, True)
    ),
    *(
        Case(f"avg_pool2d-ceil-{include}", nn.AvgPool2DOp, [Arg(("n", 2, "h", "w"))],
             _torch("avg_pool2d", 3, 2, 1, ceil_mode=True, count_include_pad=include),
             {**POOL, "ceil_mode": True, "count_include_pad": include}, SIZES)
        for include in (False, True)
    ),
    Case("avg_pool2d-ceil-one-window", nn.AvgPool2DOp, [Arg((1, 17, 1, 2))],
         _torch("avg_pool2d", 3, 3, ceil_mode=True), {"pool_size": [3], "strides": [3], "ceil_mode": True}),
    Case("avg_pool2d-nhwc", nn.AvgPool2DOp, [Arg((2, 7, 8, 3), f16)],
         _channels_last(_torch("avg_pool2d", 3, 2, 1, count_include_pad=False)), {**POOL, "layout": "NHWC"}),
    *(
        Case(f"avg_pool{rank}d-windows-in-padding-{include}-{name}", op, [Arg((1, 2, *(("h", 4, 3)[:rank])))],
             _mean_by_loops(2, 2, 5, dilation, include, ceil_mode),
             {"pool_size": [2], "strides": [2], "padding": [5], "dilation": [dilation], "ceil_mode": ceil_mode,
              "count_include_pad": include}, SIZES)
        for rank, op in ((1, nn.AvgPool1DOp), (2, nn.AvgPool2DOp), (3, nn.AvgPool3DOp))
        for include in (True, False)
        for name, dilation, ceil_mode in (("plain", 1, False), ("dilated", 3, False), ("ceil", 1, True))
    ),
    Case("avg_pool1d-i8-windows-in-padding", nn.AvgPool1DOp, [Arg((1, 2, 4), i8)],
         _truncated(_mean_by_loops(2, 2, 5, 1, False, False)),
         {"pool_size": [2], "strides": [2], "padding": [5], "count_include_pad": False}),
    Case("avg_pool1d", nn.AvgPool1DOp, [Arg((2, 3, "w"))], _torch("avg_pool1d", 3, 2, 1), POOL, SIZES),
    Case("avg_pool3d", nn.AvgPool3DOp, [Arg((1, 2, 5, 6, 7))], _torch("avg_pool3d", 3, 2, 1), POOL),
    *(
        Case(f"adaptive_avg_pool2d-{element}", nn.AdaptiveAvgPool2DOp, [Arg(DATA, element)],
             _torch("adaptive_avg_pool2d", (3, 4)), {"output_size": [3, 4]}, SIZES)
        for element in FLOATS
    ),
    Case("adaptive_avg_pool2d-global", nn.AdaptiveAvgPool2DOp, [Arg(("n", 2, "h", "w"))],
         _torch("adaptive_avg_pool2d", 1), {"output_size": [1]}, SIZES),
    Case("adaptive_avg_pool2d-symbolic", nn.AdaptiveAvgPool2DOp, [Arg((1, 2, "h", "w"))],
         _torch("adaptive_avg_pool2d", (4, 3)), {"output_size": [4, 3]}, SIZES),
    Case("adaptive_avg_pool2d-even", nn.AdaptiveAvgPool2DOp, [Arg((1, 2, 6, 8))],
         _torch("adaptive_avg_pool2d", (3, 2)), {"output_size": [3, 2]}),
    Case("adaptive_avg_pool2d-same", nn.AdaptiveAvgPool2DOp, [Arg((1, 2, "h", 8))], lambda x: x, {}, SIZES),
    Case("adaptive_avg_pool2d-larger", nn.AdaptiveAvgPool2DOp, [Arg((1, 2, 3, 4))],
         _torch("adaptive_avg_pool2d", (5, 7)), {"output_size": [5, 7]}),
    Case("adaptive_avg_pool2d-nhwc", nn.AdaptiveAvgPool2DOp, [Arg((2, 7, 8, 3))],
         _channels_last(_torch("adaptive_avg_pool2d", (3, 3))), {"output_size": [3], "layout": "NHWC"}),
    Case("adaptive_avg_pool2d-i8", nn.AdaptiveAvgPool2DOp, [Arg((1, 2, 7, 7), i8)],
         _truncated(_torch("adaptive_avg_pool2d", (3, 3))), {"output_size": [3]}),
    Case("adaptive_avg_pool1d", nn.AdaptiveAvgPool1DOp, [Arg((2, 3, 11))], _torch("adaptive_avg_pool1d", 4),
         {"output_size": [4]}),
    Case("adaptive_avg_pool3d", nn.AdaptiveAvgPool3DOp, [Arg((1, 2, 5, 6, 7))],
         _torch("adaptive_avg_pool3d", (2, 3, 3)), {"output_size": [2, 3, 3]}),
)  # fmt: skip
