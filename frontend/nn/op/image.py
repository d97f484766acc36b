"""Images scaled, and embeddings of diffusion steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from ....dialects.nearest_name import suggestion
from ..annotations import checked
from ..errors import ModelError, listed
from ..symbols import IntExpr
from ..tensor import Tensor, apply, get_default_dtype
from .conv import for_each_dim
from .create import arange
from .elementwise import astype, exp, floor
from .manipulate import concat, pad, unsqueeze


@checked
def interpolate(
    x: Tensor,
    size: IntExpr | Sequence[IntExpr] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool | None = None,
    data_layout: str = "NCHW",
    name: str = "interpolate",
) -> Tensor:
    """Returns images in another size, given as such or as factors, as torch does.

    The mode is `nearest`, `nearest-exact`, `bilinear` or `bicubic`. Coordinates follow the factors as they are given, unless
    `recompute_scale_factor` is true: then they follow the sizes. Integers are rounded, halves
    up, along the width and then along the height.
    """
    # `size` decides, without it `scale_factor`; what `relax.image.resize2d` does not do as torch does is refused.
    if mode not in _METHODS:
        raise ModelError(
            f"interpolate expected the mode to be {listed(_METHODS)}, got {mode!r}{suggestion(mode, _METHODS)}"
        )
    if antialias:
        raise ModelError("interpolate has no antialias")
    if mode.startswith("nearest") and align_corners is not None:
        raise ModelError(f"interpolate has no align_corners in mode {mode!r}")
    if x.ndim != len(data_layout):
        raise ModelError(f"interpolate expected a tensor in the layout {data_layout}, got one of rank {x.ndim}")
    image = [extent for extent, letter in zip(x.shape, data_layout, strict=True) if letter not in "NC"]
    attributes: dict[str, Any] = {"layout": data_layout} | _METHODS[mode]
    if align_corners:
        attributes["coordinate_transformation_mode"] = "align_corners"
    factors: list[float] = []
    if size is None:
        factors = _factors(scale_factor, len(image))
        sizes = [_scaled(extent, factor) for extent, factor in zip(image, factors, strict=True)]
        # By whole numbers, the quotients of the sizes are the factors.
        if not recompute_scale_factor and not align_corners and any(factor % 1 for factor in factors):
            attributes["scales"] = factors
    else:
        if recompute_scale_factor:
            raise ModelError("interpolate expected a scale_factor to recompute, got a size")
        sizes = for_each_dim(size, len(image))
    if mode.startswith("nearest") or "int" not in x.dtype:
        return apply("image.resize2d", x, sizes, **attributes, name=name)
    # torch rounds between the passes, along the width and then along the height.
    result = x
    for axis, passed in enumerate(([image[0], sizes[1]], sizes)):
        if "scales" in attributes:
            attributes["scales"] = [1.0, factors[1]] if axis == 0 else [factors[0], 1.0]
        wide = astype(result, "float64" if np.dtype(x.dtype).itemsize > 2 else "float32")
        resized = apply("image.resize2d", wide, passed, **attributes, name=name)
        result = astype(floor(resized + 0.5), x.dtype)
    return result


_NEAREST = {"method": "nearest_neighbor", "coordinate_transformation_mode": "asymmetric", "rounding_method": "floor"}
_METHODS: dict[str, dict[str, str]] = {
    "nearest": _NEAREST,
    "nearest-exact": _NEAREST | {"coordinate_transformation_mode": "tf_half_pixel_for_nn"},
    "bilinear": {"method": "linear", "coordinate_transformation_mode": "half_pixel"},
    "bicubic": {"method": "cubic", "coordinate_transformation_mode": "half_pixel"},
}
"""What `relax.image.resize2d` calls the modes of torch."""

_GREATEST = 1 << 20
"""Symbolic sizes up to this one are scaled as numbers are."""


def _factors(scale_factor: Any, count: int) -> list[float]:
    """Returns a factor for each dim."""
    if scale_factor is None:
        raise ModelError("interpolate needs a size or a scale_factor")
    factors = for_each_dim(scale_factor, count)
    if len(factors) != count or not all(
        isinstance(factor, int | float) and 0 < factor < math.inf for factor in factors
    ):
        raise ModelError(f"interpolate expected a positive scale_factor for each of {count} dims, got {scale_factor!r}")
    return [float(factor) for factor in factors]


def _scaled(size: IntExpr, factor: float) -> IntExpr:
    """Returns a size times a factor, rounded down; the product is that of floats, as in torch."""
    if isinstance(size, int):
        return int(size * factor)
    exact, first = _as_fraction(factor)
    if first is not None:
        raise ModelError(
            f"interpolate cannot scale the size {size} by {factor!r}: no quotient is what rounding gives for all sizes "
            f"({first} becomes {int(first * factor)}); give the size"
        )
    return size * exact.numerator // exact.denominator


@cache
def _as_fraction(factor: float) -> tuple[Fraction, int | None]:
    """Returns a factor as a fraction, and the first size for which the product of floats is another one, rounded down."""
    exact = Fraction(factor).limit_denominator(_GREATEST)
    sizes = np.arange(_GREATEST + 1)
    wrong = np.flatnonzero(sizes * exact.numerator // exact.denominator != np.floor(sizes * factor))
    return exact, int(wrong[0]) if wrong.size else None


@checked
def get_timestep_embedding(
    x: Tensor,
    embedding_dim: int,
    flip_sin_to_cos: bool = False,
    downscale_freq_shift: float = 1,
    scale: float = 1,
    max_period: int = 10000,
    name: str = "get_timestep_embedding",
) -> Tensor:
    """Returns sines and cosines of steps times frequencies: `[n, embedding_dim]` for steps `[n]`, in the default dtype.

    The frequencies fall from 1 to `1 / max_period`; `flip_sin_to_cos` puts the cosines first. An odd last element is 0.
    """
    if x.ndim != 1:
        raise ModelError(f"get_timestep_embedding expected steps of rank 1, got {x!r}")
    if embedding_dim < 1 or max_period <= 0:
        raise ModelError(
            f"get_timestep_embedding expected positive sizes, got embedding_dim {embedding_dim}, max_period {max_period}"
        )
    half = embedding_dim // 2
    steps = unsqueeze(apply("astype", x, dtype="float32", name="steps"), 1)
    exponent = Tensor.from_scalar(-math.log(max_period), "float32") * arange(0, half, dtype="float32")
    frequencies = exp(exponent / (half - downscale_freq_shift), name="frequencies")
    angles = steps * unsqueeze(frequencies, 0)
    if scale != 1:
        angles = Tensor.from_scalar(scale, "float32") * angles
    waves = ("cos", "sin") if flip_sin_to_cos else ("sin", "cos")
    embedding = concat([apply(wave, angles, name=wave) for wave in waves], -1)
    if embedding_dim % 2 == 1:
        embedding = pad(embedding, [0, 0, 0, 1])
    return apply("astype", embedding, dtype=get_default_dtype(), name=name)
