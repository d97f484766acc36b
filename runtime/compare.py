"""Whether two results agree: exactly for integers, within a tolerance of the element type for floats.

| dtype | f64 | f32 | f16 | bf16 |
|---|---|---|---|---|
| tolerance | 1e-9 | 1e-4 | 1e-2 | 6e-2 |

Elements `a` (got) and `b` (expected) agree if `|a - b| <= tolerance * (|b| + rms(expected))`. The root mean square
stands for the size of the terms that canceled in small elements. NaN agrees with NaN, an infinity with the same
infinity alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..interpreter.host.kv_cache import KVCache
from ..records import record

TOLERANCE = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2, "bfloat16": 6e-2}


@record
class Comparison:
    """The verdict on one result: the largest error relative to `|b| + rms(expected)`, and what was allowed."""

    agrees: bool
    error: float
    tolerance: float
    reason: str = ""
    compared: bool = True
    """Whether there was a value to compare: an element that is not NaN in both, or one of an integer."""


def compare(got: Any, expected: Any) -> Comparison:
    """Compares a result with the expected one; shapes and dtypes must be the same."""
    # Invariant: what comes after a check is of the kind that the check has let through: a tuple, None, a cache, then arrays alone.
    if isinstance(expected, tuple):
        return _compare_tuples(got, expected)
    if expected is None:
        reason = "" if got is None else "expected an opaque object"
        return Comparison(got is None, 0.0, 0.0, reason, compared=False)
    if isinstance(expected, KVCache) and isinstance(got, KVCache):
        return compare(got.rows, expected.rows)
    a, b = np.asarray(got), np.asarray(expected)
    if b.dtype == object:
        is_alike = type(got) is type(expected)
        reason = "is no array, and was not looked into" if is_alike else f"expected a {type(expected).__name__}"
        return Comparison(is_alike, 0.0, 0.0, reason, compared=False)
    if a.shape != b.shape:
        return Comparison(False, np.inf, 0.0, f"shape {list(a.shape)}, expected {list(b.shape)}")
    if a.dtype != b.dtype and a.ndim:
        return Comparison(False, np.inf, 0.0, f"dtype {a.dtype}, expected {b.dtype}")
    tolerance = TOLERANCE.get(b.dtype.name)
    if tolerance is None:
        differing = int(np.count_nonzero(a != b))
        return Comparison(
            not differing, float(differing), 0.0, f"{differing} elements differ" if differing else "", b.size > 0
        )
    return _compare_floats(a.astype(np.float64), b.astype(np.float64), tolerance)


def _compare_tuples(got: Any, expected: tuple[Any, ...]) -> Comparison:
    if not isinstance(got, tuple) or len(got) != len(expected):  # pyright: ignore[reportUnknownArgumentType]
        return Comparison(False, np.inf, 0.0, f"expected a tuple of {len(expected)}")
    parts = [compare(a, b) for a, b in zip(got, expected, strict=True)]  # pyright: ignore[reportUnknownArgumentType]
    worst = max(parts, key=lambda part: (not part.agrees, part.error), default=Comparison(True, 0.0, 0.0))
    return replace(worst, compared=any(part.compared for part in parts))


def _compare_floats(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], tolerance: float) -> Comparison:
    if a.size == 0:
        return Comparison(True, 0.0, tolerance, compared=False)
    if np.isnan(a).all() and np.isnan(b).all():
        return Comparison(True, 0.0, tolerance, "all elements of both are NaN", compared=False)
    finite = np.isfinite(a) & np.isfinite(b)
    odd = ~finite & ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if odd.any():
        place = tuple(int(i) for i in np.argwhere(odd)[0])
        return Comparison(False, np.inf, tolerance, f"{a[place]} at {list(place)}, expected {b[place]}")
    a, b = a[finite], b[finite]
    if a.size == 0:
        return Comparison(True, 0.0, tolerance)
    largest = float(np.abs(b).max())
    rms = largest * float(np.sqrt(np.mean(np.square(b / largest)))) if largest else 0.0
    difference = np.abs(a - b)
    differs = difference > 0
    if not differs.any():
        return Comparison(True, 0.0, tolerance)
    with np.errstate(divide="ignore", over="ignore"):
        error = float((difference[differs] / (np.abs(b[differs]) + rms)).max())
    return Comparison(error <= tolerance, error, tolerance)
