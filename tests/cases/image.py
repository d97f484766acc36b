"""Cases of resize2d; the oracle is torch in float64 where it has the mode, else a loop over places and items."""

from __future__ import annotations

import math

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import f16, f32, i8, i32
from xdsl.ir import Attribute
from xdsl_relax.dialects.relax.dtypes import ui8
from xdsl_relax.dialects.relax.ops.image import Resize2DOp

COORDINATE = {
    "half_pixel": lambda o, size, count: (o + 0.5) * size / count - 0.5,
    "pytorch_half_pixel": lambda o, size, count: (o + 0.5) * size / count - 0.5 if count > 1 else 0,
    "align_corners": lambda o, size, count: o * (size - 1) / (count - 1) if count > 1 else 0,
    "asymmetric": lambda o, size, count: o * size / count,
    "tf_half_pixel_for_nn": lambda o, size, count: (o + 0.5) * size / count,
}

NEAREST = {
    "round": lambda x: math.floor(x + 0.5) if x >= 0 else math.ceil(x - 0.5),
    "round_prefer_floor": lambda x: math.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: math.floor(x + 0.5),
    "floor": math.floor,
    "ceil": math.ceil,
}


def _kernel(x, alpha):
    """Keys' cubic convolution kernel at a distance."""
    x = abs(x)
    if x <= 1:
        return (alpha + 2) * x**3 - (alpha + 3) * x**2 + 1
    return alpha * x**3 - 5 * alpha * x**2 + 8 * alpha * x - 4 * alpha if x < 2 else 0.0


def _matrix(size, count, method, mode, rounding, alpha, exclude, region):
    """Returns the matrix from the items of a dim to its places; a row of NaN where there is nothing."""
    matrix = np.zeros((count, size))
    for o in range(count):
        if region is None:
            x = COORDINATE[mode](o, size, count)
        elif count > 1:
            x = region[0] * (size - 1) + o * (region[1] - region[0]) * (size - 1) / (count - 1)
        else:
            x = 0.5 * (region[0] + region[1]) * (size - 1)
        first = math.floor(x)
        match method:
            case "nearest_neighbor":
                taps = [(NEAREST[rounding](x), 1.0)]
            case "linear":
                taps = [(first + k, 1 - abs(x - first - k)) for k in range(2)]
            case _:
                taps = [(first + k, _kernel(x - first - k, alpha)) for k in range(-1, 3)]
        if exclude:
            taps = [(item, weight) for item, weight in taps if 0 <= item < size]
            total = sum(weight for _, weight in taps)
            taps = [(item, weight / total) for item, weight in taps]
        for item, weight in taps:
            matrix[o, min(max(item, 0), size - 1)] += weight
        if region is not None and not 0 <= x <= size - 1:
            matrix[o] = np.nan
    return matrix


def _oracle(
    method="linear",
    coordinate_transformation_mode="half_pixel",
    rounding_method="round",
    cubic_alpha=-0.75,
    cubic_exclude=0,
    roi=None,
    extrapolation_value=0.0,
    layout="NCHW",
    integer=False,
):
    def oracle(data, size):
        data = np.transpose(data, [layout.index(letter) for letter in "NCHW"])
        regions = (None, None) if roi is None else ((roi[0], roi[2]), (roi[1], roi[3]))
        rows, columns = (
            _matrix(
                data.shape[2 + axis],
                size[axis],
                method,
                coordinate_transformation_mode,
                rounding_method,
                cubic_alpha,
                cubic_exclude,
                regions[axis],
            )
            for axis in range(2)
        )
        result = np.einsum("nchw,yh,xw->ncyx", data, rows, columns)
        if roi is not None:
            result = np.where(np.isnan(result), extrapolation_value, result)
        result = np.transpose(result, ["NCHW".index(letter) for letter in layout])
        return np.trunc(result).astype(np.int64) if integer else result

    return oracle


def _torch(method, align_corners):
    def oracle(data, size):
        import torch

        return torch.nn.functional.interpolate(
            torch.from_numpy(data), size, mode=method, align_corners=align_corners
        ).numpy()

    return oracle


def _torch_scaled(method, scales):
    """Returns what torch makes of factors; the quotients of the sizes are others."""

    def oracle(data, size):
        import torch

        named = {} if method.startswith("nearest") else {"align_corners": False}
        result = torch.nn.functional.interpolate(torch.from_numpy(data), scale_factor=scales, mode=method, **named)
        assert result.shape[2:] == tuple(size)
        return result.numpy()

    return oracle


def _case(name, dims, size, element: Attribute = f32, sizes=None, oracle=None, integer=False, values=None, **attrs):
    oracle = oracle or _oracle(integer=integer, **attrs)
    return Case(name, Resize2DOp, [Arg(dims, element, values), Arg(size, shape_value=True)], oracle, attrs, sizes or {})


SIZES = {"n": 2, "h": 5, "w": 6}
DATA = ("n", 2, 5, 7)
UP, DOWN = (8, 11), (3, 4)

CASES = (
    *(
        _case(f"{method}-{element}", DATA, UP, element, SIZES, _torch(torch_mode, False), method=method)
        for method, torch_mode in (("linear", "bilinear"), ("cubic", "bicubic"))
        for element in FLOATS
    ),
    *(
        _case(f"{method}-align-{size[0]}", DATA, size, f32, SIZES, _torch(torch_mode, True), method=method,
              coordinate_transformation_mode="align_corners")
        for method, torch_mode in (("linear", "bilinear"), ("cubic", "bicubic"))
        for size in (UP, DOWN)
    ),
    _case("nearest-torch", DATA, (10, 14), f32, SIZES, _torch("nearest", None), method="nearest_neighbor",
          coordinate_transformation_mode="asymmetric", rounding_method="floor"),
    *(
        _case(f"{method}-{mode}-{size[0]}", DATA, size, f32, SIZES, method=method, coordinate_transformation_mode=mode)
        for method in ("nearest_neighbor", "linear", "cubic")
        for mode in COORDINATE
        for size in ((UP, (1, 1)) if method == "linear" else (UP,))
    ),
    *(
        _case(f"nearest-{rounding}-{size}", (1, 1, 4, 49), (size, 7), f32, method="nearest_neighbor",
              coordinate_transformation_mode="asymmetric", rounding_method=rounding)
        for rounding in NEAREST
        for size in (6, 20)
    ),
    _case("cubic-exclude", DATA, UP, f32, SIZES, method="cubic", cubic_exclude=1, cubic_alpha=-0.5),
    *(
        _case(f"{torch_mode}-scales", DATA, (6, 5), f32, SIZES, _torch_scaled(torch_mode, (1.35, 0.75)), method=method,
              scales=[1.35, 0.75], coordinate_transformation_mode=mode, rounding_method=rounding)
        for method, torch_mode, mode, rounding in (
            ("linear", "bilinear", "half_pixel", ""),
            ("cubic", "bicubic", "pytorch_half_pixel", ""),
            ("nearest_neighbor", "nearest", "asymmetric", "floor"),
            ("nearest_neighbor", "nearest-exact", "tf_half_pixel_for_nn", "floor"),
        )
    ),
    _case("linear-symbolic", ("n", 2, "h", "w"), ("p", "q"), f32, {**SIZES, "p": 7, "q": 4}),
    _case("linear-nhwc", ("n", "h", "w", 3), UP, f16, SIZES, layout="NHWC"),
    _case("nearest-nhwc", (1, 4, 5, 2), DOWN, f32, layout="NHWC", method="nearest_neighbor"),
    *(
        _case(f"crop-{method}", DATA, (4, 5), f32, SIZES, method=method, roi=[0.1, -0.2, 0.8, 1.3],
              coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=-7.5)
        for method in ("nearest_neighbor", "linear", "cubic")
    ),
    _case("nearest-i8", DATA, UP, i8, SIZES, method="nearest_neighbor", integer=True),
    _case("nearest-i32", DATA, UP, i32, SIZES, method="nearest_neighbor", integer=True),
    _case("linear-ui8", (1, 1, 3, 3), (6, 6), ui8, None, integer=True,
          values=lambda rng, shape: rng.integers(0, 256, shape)),
    Case("cubic-ui8-saturates", Resize2DOp,
         [Arg((1, 1, 2, 2), ui8, lambda rng, shape: np.array([0, 0, 255, 255]).reshape(shape)),
          Arg((4, 2), shape_value=True)],
         lambda data, size: np.clip(np.trunc(_oracle("cubic")(data, size)), 0, 255).astype(np.int64),
         {"method": "cubic"}),
    Case("linear-out-dtype", Resize2DOp, [Arg((1, 1, 3, 3), ui8), Arg((5, 4), shape_value=True)], _oracle(),
         {"out_dtype": f32}),
)  # fmt: skip
