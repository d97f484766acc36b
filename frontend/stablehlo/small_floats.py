"""Floats of 8 bits and less: kept as f32 with their values, and rounded after each op."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from ...builder import BlockBuilder


@dataclass(frozen=True)
class SmallFloat:
    """A float of 8 bits or less."""

    dtype: type[Any]
    """The type of ml_dtypes that has its values."""


SMALL_FLOATS: dict[str, SmallFloat] = {
    "f8E3M4": SmallFloat(ml_dtypes.float8_e3m4),
    "f8E4M3": SmallFloat(ml_dtypes.float8_e4m3),
    "f8E4M3B11FNUZ": SmallFloat(ml_dtypes.float8_e4m3b11fnuz),
    "f8E4M3FN": SmallFloat(ml_dtypes.float8_e4m3fn),
    "f8E4M3FNUZ": SmallFloat(ml_dtypes.float8_e4m3fnuz),
    "f8E5M2": SmallFloat(ml_dtypes.float8_e5m2),
    "f8E5M2FNUZ": SmallFloat(ml_dtypes.float8_e5m2fnuz),
    "f8E8M0FNU": SmallFloat(ml_dtypes.float8_e8m0fnu),
    "f6E2M3FN": SmallFloat(ml_dtypes.float6_e2m3fn),
    "f6E3M2FN": SmallFloat(ml_dtypes.float6_e3m2fn),
    "f4E2M1FN": SmallFloat(ml_dtypes.float4_e2m1fn),
}
"""The types by their names in MLIR."""


def nearest(value: Any, small: SmallFloat) -> np.ndarray[Any, Any]:
    """Returns numbers rounded to a type, as f32."""
    with np.errstate(all="ignore"):
        return np.asarray(value, np.float32).astype(small.dtype).astype(np.float32)


@cache
def _table(small: SmallFloat) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Returns the magnitudes of a type in order, and the least number that is rounded to each of them but the first."""
    codes = np.arange(256, dtype=np.uint8)
    with np.errstate(all="ignore"):
        numbers = codes.view(small.dtype).astype(np.float64)
    magnitudes = np.unique(numbers[np.isfinite(numbers) & (numbers >= 0)])
    values, bounds = [*magnitudes], list[np.float32]()
    step = magnitudes[-1] - magnitudes[-2]
    for low, high in zip(magnitudes, [*magnitudes[1:], magnitudes[-1] + step], strict=True):
        # Of two neighbors a number in the middle is rounded to the even one.
        middle = np.float32((low + high) / 2)
        goes_up = not np.array_equal(nearest(middle, small), np.float32(low))
        bounds.append(middle if goes_up else np.nextafter(middle, np.float32(np.inf)))
    values.append(float(nearest(np.finfo(np.float32).max, small)))
    values.append(float(nearest(np.inf, small)))
    return np.array(values, np.float32), np.array([*bounds, np.inf], np.float32)


def rounded(g: BlockBuilder, x: SSAValue, small: SmallFloat) -> SSAValue:
    """Returns f32 numbers rounded to a type, as f32."""
    values, bounds = _table(small)
    magnitude = g.abs(x)
    reached = g.greater_equal(g.expand_dims(magnitude, axis=[-1]), g.constant(bounds, f32))
    result = g.take(g.constant(values, f32), g.sum(g.astype(reached, dtype=i32), axis=[-1]), axis=0)
    is_signed = float(nearest(-1, small)) == -1
    negative = g.negative(result) if is_signed else g.constant(np.nan, f32)
    result = g.where(g.less(x, 0), negative, result)
    if np.signbit(nearest(-0.0, small)) and is_signed:
        result = g.where(g.equal(x, 0), x, result)
    else:
        # There is one zero.
        result = g.add(result, 0)
    result = g.where(g.isnan(x), g.constant(nearest(np.nan, small), f32), result)
    return result if np.isfinite(nearest(0, small)) else g.where(g.equal(x, 0), float("nan"), result)
