"""Cases of the convolutions; the oracle is torch in float64 (integers: exact in float64)."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import f16, f32, i8, i32
from xdsl.ir import Attribute
from xdsl_relax.dialects.relax.dtypes import ui8
from xdsl_relax.dialects.relax.ops.nn import conv as nn


def _to(layout, canonical, x):
    """Brings an array of a layout into the canonical one."""
    layout = layout.translate({ord(digit): None for digit in "0123456789"})
    return np.transpose(x, [layout.index(letter) for letter in canonical])


def _pairs(padding, rank):
    values = padding * rank if len(padding) == 1 else padding
    return list(zip(values[:rank], values[-rank:], strict=True))


def _conv(rank, data_layout=None, kernel_layout=None, out_layout=None, padding=(0,), **options):
    letters = "DHW"[-rank:]
    data_layout, kernel_layout = data_layout or f"NC{letters}", kernel_layout or f"OI{letters}"

    def oracle(data, kernel):
        import torch

        data = _to(data_layout, f"NC{letters}", data).astype(np.float64)
        data = np.pad(data, [(0, 0), (0, 0), *_pairs(padding, rank)])
        # Packed channels go behind the others.
        packed = [letter if letter in kernel_layout else "" for letter in "oi"]
        kernel = _to(kernel_layout, f"O{packed[0]}I{packed[1]}{letters}", kernel)
        inputs = data.shape[1] // options.get("groups", 1)
        kernel = kernel.reshape(-1, inputs, *kernel.shape[-rank:])
        kernel = np.ascontiguousarray(kernel.astype(np.float64))
        function = getattr(torch.nn.functional, f"conv{rank}d")
        result = function(torch.from_numpy(data), torch.from_numpy(kernel), **options).numpy()
        return _to(f"NC{letters}", out_layout or data_layout, result)

    return oracle


def _conv_transpose(rank, data_layout=None, kernel_layout=None, padding=(0,), **options):
    letters = "DHW"[-rank:]
    data_layout, kernel_layout = data_layout or f"NC{letters}", kernel_layout or f"IO{letters}"

    def oracle(data, kernel):
        import torch

        data = np.ascontiguousarray(_to(data_layout, f"NC{letters}", data).astype(np.float64))
        kernel = np.ascontiguousarray(_to(kernel_layout, f"IO{letters}", kernel).astype(np.float64))
        function = getattr(torch.nn.functional, f"conv_transpose{rank}d")
        result = function(torch.from_numpy(data), torch.from_numpy(kernel), **options).numpy()
        cut = tuple(slice(low, size - high) for (low, high), size in
                    zip(_pairs(padding, rank), result.shape[2:], strict=True))  # fmt: skip
        return _to(f"NC{letters}", data_layout, result[(slice(None), slice(None), *cut)])

    return oracle


_OPS = {1: nn.Conv1DOp, 2: nn.Conv2DOp, 3: nn.Conv3DOp}
_TRANSPOSES = {1: nn.Conv1DTransposeOp, 2: nn.Conv2DTransposeOp, 3: nn.Conv3DTransposeOp}
_TORCH_NAMES = {"strides": "stride"}


def _with_infinities(rng, shape):
    """Numbers with an infinity of either sign and a NaN among them."""
    numbers = rng.standard_normal(shape)
    numbers.flat[rng.choice(numbers.size, 3, replace=False)] = np.inf, -np.inf, np.nan
    return numbers


def _case(name, rank, data, kernel, element: Attribute = f32, sizes=None, transpose=False, tolerance=None,
          values=(None, None), **attrs):  # fmt: skip
    given = {_TORCH_NAMES.get(key, key): tuple(value) if isinstance(value, list) else value
             for key, value in attrs.items() if key != "out_dtype"}  # fmt: skip
    op = (_TRANSPOSES if transpose else _OPS)[rank]
    oracle = (_conv_transpose if transpose else _conv)(rank, **given)
    args = [Arg(dims, element, made) for dims, made in zip((data, kernel), values, strict=True)]
    return Case(name, op, args, oracle, attrs, sizes or {}, tolerance)


CASES = (
    *(
        _case(f"conv2d-{element}", 2, ("n", 3, 8, 9), (4, 3, 3, 3), element, {"n": 2}, strides=[2], padding=[1])
        for element in FLOATS
    ),
    _case("conv2d-plain", 2, (1, 2, 5, 6), (3, 2, 2, 3)),
    _case("conv2d-1x1", 2, (2, 4, 3, 3), (5, 4, 1, 1)),
    _case("conv2d-symbolic", 2, ("n", 2, "h", "w"), (3, 2, 3, 3), f32, {"n": 2, "h": 7, "w": 6}, strides=[2, 1],
          padding=[1, 0], dilation=[1, 2]),
    _case("conv2d-four-paddings", 2, (1, 2, 5, 6), (3, 2, 3, 3), padding=[0, 1, 2, 3]),
    _case("conv2d-groups", 2, ("n", 6, 5, 5), (4, 3, 3, 3), f32, {"n": 2}, groups=2, padding=[1]),
    _case("conv2d-depthwise", 2, (2, 4, 6, 5), (8, 1, 3, 3), f16, groups=4, padding=[1]),
    _case("conv2d-symbolic-channels", 2, (1, "c", 5, 5), (4, "c", 3, 3), f32, {"c": 3}),
    _case("conv2d-symbolic-kernel", 2, (1, 2, 6, 6), (4, 2, "k", "k"), f32, {"k": 3}, padding=[1]),
    _case("conv2d-nhwc", 2, ("n", 6, 5, 3), (3, 2, 3, 4), f32, {"n": 2}, data_layout="NHWC", kernel_layout="HWIO",
          padding=[1]),
    _case("conv2d-nhwc-groups", 2, (2, 6, 5, 4), (3, 2, 2, 6), f32, data_layout="NHWC", kernel_layout="HWIO", groups=2,
          strides=[2, 1]),
    _case("conv2d-out-layout", 2, (2, 3, 6, 5), (4, 3, 3, 3), f32, out_layout="NHWC"),
    _case("conv2d-f16-f32", 2, (1, 3, 6, 5), (4, 3, 3, 3), f16, out_dtype=f32),
    _case("conv2d-i8-i32", 2, (1, 3, 6, 5), (4, 3, 3, 3), i8, out_dtype=i32, padding=[1]),
    _case("conv2d-ui8-i32", 2, (1, 3, 6, 5), (4, 3, 3, 3), ui8, out_dtype=i32),
    _case("conv2d-i32", 2, (1, 3, 6, 5), (4, 3, 3, 3), i32),
    _case("conv2d-blocks", 2, ("n", 3, 8, 9), (2, 3, 3, 3, 16), f32, {"n": 2}, kernel_layout="OIHW16o", strides=[2], padding=[1]),
    _case("conv2d-blocks-symbolic", 2, ("n", 2, "h", "w"), (3, 2, 3, 2, 8), f32, {"n": 2, "h": 7, "w": 23},
          kernel_layout="OIHW8o", padding=[1, 0], dilation=[1, 2]),
    _case("conv2d-blocks-groups-f16", 2, (2, 6, 5, 5), (2, 3, 3, 3, 4), f16, kernel_layout="OIHW4o", groups=2, padding=[1]),
    _case("conv2d-blocks-hwio", 2, (1, 3, 6, 5), (3, 3, 3, 2, 16), f32, kernel_layout="HWIO16o", out_layout="NHWC"),
    _case("conv2d-blocks-of-one-channel", 2, (1, 3, 6, 5), (5, 3, 2, 2, 1), f32, kernel_layout="OIHW1o"),
    _case("conv2d-blocks-i8", 2, (1, 3, 6, 5), (2, 3, 3, 3, 4), i8, kernel_layout="OIHW4o", out_dtype=i32),
    _case("conv2d-groups-of-channels", 2, (1, 6, 5, 8), (2, 3, 3, 2, 8, 4), i8, data_layout="NHWC", kernel_layout="OHWI8o4i", out_dtype=i32,
          padding=[1]),
    _case("conv2d-groups-of-channels-symbolic", 2, ("n", "h", "w", 4), (3, 2, 3, 2, 2, 2), f32, {"n": 2, "h": 7, "w": 23},
          data_layout="NHWC", kernel_layout="OHWI2o2i", padding=[1, 0], dilation=[1, 2]),
    _case("conv2d-groups-of-channels-hwio-f16", 2, (2, 12, 5, 5), (3, 3, 2, 2, 4, 3), f16, kernel_layout="HWIO4o3i", groups=2),
    _case("conv3d-groups-of-channels", 3, ("n", 4, 5, 4, 6), (1, 1, 2, 3, 3, 16, 4), f32, {"n": 2}, kernel_layout="OIDHW16o4i",
          strides=[1, 2, 1], padding=[1, 0, 1]),
    _case("conv1d-blocks", 1, (2, 4, "w"), (2, 2, 3, 16), f32, {"w": 37}, kernel_layout="OIW16o", groups=2),
    _case("conv3d-blocks", 3, ("n", 2, 5, 4, 6), (1, 2, 2, 3, 3, 16), f32, {"n": 2}, kernel_layout="OIDHW16o",
          strides=[1, 2, 1], padding=[1, 0, 1]),
    _case("conv1d", 1, ("n", 3, "w"), (4, 3, 3), f32, {"n": 2, "w": 11}, strides=[2], padding=[1, 2]),
    _case("conv1d-nwc", 1, (2, 11, 4), (3, 2, 6), f32, data_layout="NWC", kernel_layout="WIO", groups=2, dilation=[2]),
    _case("conv3d", 3, ("n", 2, 5, 4, 6), (3, 2, 2, 3, 3), f32, {"n": 2}, strides=[1, 2, 1], padding=[1, 0, 1]),
    _case("conv3d-ndhwc", 3, (1, 4, 5, 4, 2), (2, 2, 2, 2, 3), f32, data_layout="NDHWC", kernel_layout="DHWIO",
          padding=[0, 0, 0, 1, 1, 1]),
    *(
        _case(f"conv2d_transpose-{element}", 2, ("n", 3, 4, 5), (3, 4, 3, 3), element, {"n": 2}, transpose=True,
              strides=[2], padding=[1], output_padding=[1])
        for element in FLOATS
    ),
    _case("conv2d_transpose-plain", 2, (1, 2, 4, 3), (2, 3, 2, 3), transpose=True),
    _case("conv2d_transpose-symbolic", 2, ("n", 2, "h", "w"), (2, 3, 3, 3), f32, {"n": 2, "h": 4, "w": 3},
          transpose=True, strides=[2, 3], dilation=[2, 1]),
    _case("conv2d_transpose-wide-padding", 2, (1, 2, 6, 6), (2, 3, 2, 1), transpose=True, padding=[2, 1]),
    _case("conv2d_transpose-groups", 2, (2, 4, 4, 3), (4, 2, 3, 3), transpose=True, groups=2, strides=[2]),
    _case("conv2d_transpose-nhwc", 2, (1, 4, 3, 2), (3, 3, 4, 2), transpose=True, data_layout="NHWC",
          kernel_layout="HWOI", strides=[2], padding=[1]),
    _case("conv2d_transpose-i8", 2, (1, 2, 4, 3), (2, 3, 3, 3), i8, transpose=True, strides=[2], out_dtype=i32),
    _case("conv1d_transpose", 1, (2, 4, "w"), (4, 3, 4), f32, {"w": 5}, transpose=True, strides=[3], padding=[1],
          output_padding=[2]),
    *(
        _case(f"conv{rank}d_transpose-infinities-{index}", rank, (1, 2, *(5, 6, 4)[:rank]), (2, 3, *(3, 4, 2)[:rank]), f32,
              transpose=True, values=values, **window)
        for rank in (1, 2, 3)
        for index, (values, window) in enumerate((
            ((_with_infinities, None), {"strides": [2], "padding": [1]}),
            ((None, _with_infinities), {"strides": [3], "output_padding": [2]}),
            ((None, _with_infinities), {"padding": [1]}),
            ((_with_infinities, _with_infinities), {"strides": [2], "dilation": [2], "output_padding": [1]}),
        ))
    ),
    _case("conv1d_transpose-dilated-output-padding", 1, (1, 2, "w"), (2, 3, 3), f32, {"w": 4}, transpose=True,
          dilation=[3], output_padding=[2]),
    _case("conv2d_transpose-strided-and-dilated", 2, (1, 2, 5, 4), (2, 3, 3, 2), f32, transpose=True, strides=[4, 2],
          dilation=[6, 3], padding=[3, 1], output_padding=[5, 0]),
    _case("conv2d_transpose-groups-nhwc-f16", 2, (2, 4, 3, 4), (3, 3, 4, 2), f16, transpose=True, groups=2,
          data_layout="NHWC", kernel_layout="HWIO", strides=[2], padding=[1]),
    _case("conv3d_transpose", 3, (1, 2, 3, 3, 2), (2, 3, 2, 3, 2), transpose=True, strides=[1, 2, 2],
          padding=[0, 1, 0]),
)  # fmt: skip
