"""Fixed-point numbers that stand for the multipliers of requantization."""

from __future__ import annotations

import math

BITS = 31
GREATEST_SHIFT = 63


def fixed_point(multiplier: float) -> tuple[int, int]:
    """Returns `(m, e)` so that `m * 2^(e - 31)` is the nearest to a finite multiplier that is not negative, with `2^30 <= m < 2^31`.

    A multiplier below `2^-33`, which takes every i32 to 0, gives (0, 0); so does 0. Raises `ValueError` for another number.
    """
    if not 0 <= multiplier < math.inf:
        raise ValueError(f"a multiplier must be finite and not negative, got {multiplier}")
    fraction, exponent = math.frexp(multiplier)
    # Halves up: the fraction has 53 bits, so that the sum is exact.
    mantissa = math.floor(fraction * 2**BITS + 0.5)
    if mantissa == 2**BITS:
        mantissa, exponent = mantissa // 2, exponent + 1
    if BITS + max(-exponent, 0) > GREATEST_SHIFT or mantissa == 0:
        return 0, 0
    return mantissa, exponent


def shifts(exponent: int) -> tuple[int, int]:
    """Returns how far a number is shifted left before it is multiplied by `m`, and right afterwards, for the exponent `e`."""
    return max(exponent, 0), BITS + max(-exponent, 0)
