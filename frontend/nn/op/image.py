"""Images scaled, and embeddings of diffusion steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ..annotations import checked
from ..errors import ModelError
from ..symbols import IntExpr
from ..tensor import Tensor, apply, get_default_dtype
from .conv import for_each_dim
from .create import arange
from .elementwise import exp
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
    """Returns images in another size, given as such or as factors; the mode is `nearest`, `bilinear` or `bicubic`, as in torch."""
    # `size` decides, without it `scale_factor`; what `relax.image.resize2d` does not do as torch does is refused.
    for argument, given in (("recompute_scale_factor", recompute_scale_factor), ("antialias", antialias)):
        if given:
            raise ModelError(f"interpolate has no {argument}")
    if x.ndim != len(data_layout):
        raise ModelError(f"interpolate expected a tensor in the layout {data_layout}, got one of rank {x.ndim}")
    image = [extent for extent, letter in zip(x.shape, data_layout, strict=True) if letter not in "NC"]
    if size is None:
        if scale_factor is None:
            raise ModelError("interpolate needs a size or a scale_factor")
        factors = for_each_dim(scale_factor, len(image))
        if len(factors) != len(image) or not all(
            isinstance(factor, int | float) and 0 < factor < math.inf for factor in factors
        ):
            raise ModelError(
                f"interpolate expected a positive scale_factor for each of {len(image)} dims, got {scale_factor!r}"
            )
        size = [_scaled(extent, factor) for extent, factor in zip(image, factors, strict=True)]
    sizes = for_each_dim(size, len(image))
    attributes = {"layout": data_layout, "method": mode.removeprefix("bi")}
    if mode.startswith("nearest"):
        attributes |= {"method": "nearest_neighbor", "coordinate_transformation_mode": "asymmetric"}
        attributes["rounding_method"] = "floor"
    else:
        attributes["coordinate_transformation_mode"] = "align_corners" if align_corners else "half_pixel"
    return apply("image.resize2d", x, sizes, **attributes, name=name)


def _scaled(size: IntExpr, factor: float) -> IntExpr:
    """Returns a size times a factor, rounded down."""
    if isinstance(size, int):
        return int(size * factor)
    exact = Fraction(factor).limit_denominator(1 << 20)
    return size * exact.numerator // exact.denominator


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
