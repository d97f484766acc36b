"""Cases of normalizations, images and embeddings of steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from harness.nn_arguments import IMAGE, STEPS, X, by_torch, floats
from harness.nn_cases import Case

_NORM = [
    Case(
        "layer_norm",
        [X, floats(4), floats(4)],
        lambda nn, x, w, b: nn.op.layer_norm(x, 4, w, b, 1e-3),
        lambda x, w, b: by_torch("layer_norm")(x, (4,), w, b, 1e-3),
    ),
    Case(
        "layer_norm-plain",
        [floats("n", 2, 4)],
        lambda nn, x: nn.op.layer_norm(x, [2, 4]),
        lambda x: by_torch("layer_norm")(x, (2, 4)),
    ),
    Case(
        "rms_norm",
        [X, floats(4)],
        lambda nn, x, w: nn.op.rms_norm(x, w, -1, 1e-3),
        lambda x, w: by_torch("rms_norm")(x, (4,), w, 1e-3),
    ),
    Case(
        "group_norm",
        [IMAGE, floats(4), floats(4)],
        lambda nn, x, w, b: nn.op.group_norm(x, 2, w, b),
        lambda x, w, b: by_torch("group_norm")(x, 2, w, b),
    ),
    Case(
        "group_norm-plain",
        [IMAGE],
        lambda nn, x: nn.op.group_norm(x, 2, None, None),
        lambda x: by_torch("group_norm")(x, 2),
        differs="TVM needs weight and bias",
    ),
]


def _resized(**named: Any) -> Callable[..., Any]:
    return lambda image: by_torch("interpolate")(image, **named)


def _interpolated(nn: Any, x: Any, **named: Any) -> Any:
    return nn.op.interpolate(x, **named)


_IMAGE = [
    Case(
        "interpolate",
        [IMAGE],
        lambda nn, x: nn.op.interpolate(x, scale_factor=2.0),
        _resized(scale_factor=2.0),
        differs="TVM rounds the place of the nearest pixel, torch takes the one below",
    ),
    Case(
        "interpolate-size",
        [IMAGE],
        lambda nn, x: nn.op.interpolate(x, (4, 9), mode="bilinear"),
        _resized(size=(4, 9), mode="bilinear"),
    ),
    Case(
        "interpolate-corners",
        [IMAGE],
        lambda nn, x: nn.op.interpolate(x, scale_factor=(1.5, 2), mode="bilinear", align_corners=True),
        _resized(scale_factor=(1.5, 2), mode="bilinear", align_corners=True),
    ),
    Case(
        "interpolate-cubic",
        [IMAGE],
        lambda nn, x: nn.op.interpolate(x, (8, 9), mode="bicubic"),
        _resized(size=(8, 9), mode="bicubic"),
    ),
    Case(
        "interpolate-symbols",
        [floats(1, 2, "n", "m")],
        lambda nn, x: nn.op.interpolate(x, scale_factor=1.5, mode="bilinear"),
        _resized(scale_factor=1.5, mode="bilinear"),
        differs="TVM scales known sizes alone",
    ),
    *(
        Case(
            f"interpolate-factor-{mode}",
            [IMAGE],
            partial(_interpolated, scale_factor=(1.3, 0.6), mode=mode),
            _resized(scale_factor=(1.3, 0.6), mode=mode),
            differs="TVM's coordinates follow the sizes, torch's the factors",
        )
        for mode in ("nearest", "nearest-exact", "bilinear", "bicubic")
    ),
    Case(
        "interpolate-recomputed",
        [IMAGE],
        partial(_interpolated, scale_factor=1.3, mode="bilinear", recompute_scale_factor=True),
        _resized(scale_factor=1.3, mode="bilinear", recompute_scale_factor=True),
        differs="TVM refuses it",
    ),
]


def timesteps(steps: Any, dim: int, flip: bool = False, shift: float = 1, scale: float = 1) -> Any:
    import torch

    half = dim // 2
    angles = scale * steps[:, None] * torch.exp(-math.log(10000) * torch.arange(half).double() / (half - shift))
    waves = [angles.sin(), angles.cos()]
    return torch.nn.functional.pad(torch.cat(waves[::-1] if flip else waves, -1), (0, dim % 2))


_EMBEDDING = [
    Case(
        "timesteps",
        [STEPS],
        lambda nn, x: nn.op.get_timestep_embedding(x, 8),
        lambda x: timesteps(x, 8),
        dtypes=["float32"],
        tolerance={"float32": 2e-5},
    ),
    Case(
        "timesteps-odd",
        [STEPS],
        lambda nn, x: nn.op.get_timestep_embedding(x, 7, flip_sin_to_cos=True, downscale_freq_shift=0, scale=0.5),
        lambda x: timesteps(x, 7, True, 0, 0.5),
        differs="TVM pads the front of dim 0 by a row, for it takes the numbers of a pad from the last dim on",
        dtypes=["float32"],
        tolerance={"float32": 2e-5},
    ),
]

CASES = [*_NORM, *_IMAGE, *_EMBEDDING]
