"""When two results agree."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from xdsl_relax.runtime.compare import TOLERANCE, compare

F32 = np.float32


def array(*values: float, dtype: type = np.float32) -> np.ndarray:
    return np.array(values, dtype)


@pytest.mark.parametrize(
    ("got", "expected", "agrees"),
    [
        (array(1, 2), array(1, 2), True),
        (array(1, 2), array(1, 2.01), False),
        (array(1, 2), array(1, 2, 3), False),
        (array(1, 2), array(1, 2, dtype=np.float64), False),
        (array(np.nan, 1), array(np.nan, 1), True),
        (array(np.nan, 1), array(1, 1), False),
        (array(1, 1), array(np.nan, 1), False),
        (array(np.inf), array(np.inf), True),
        (array(np.inf), array(-np.inf), False),
        (array(3e38), array(np.inf), False),
        (array(), array(), True),
        (array(0, 0), array(0, 0), True),
        (array(1e-6, 0), array(0, 0), False),
        # A small element of a large result is a difference of large terms.
        (array(1000, 0.01), array(1000, 0), True),
        (array(1, 0.01), array(1, 0), False),
        (array(1, 2, dtype=np.int32), array(1, 2, dtype=np.int32), True),
        (array(1, 2, dtype=np.int32), array(1, 3, dtype=np.int32), False),
        (array(1, 0, dtype=np.bool_), array(1, 1, dtype=np.bool_), False),
        ((array(1), array(2)), (array(1), array(2)), True),
        ((array(1), array(2)), (array(1), array(3)), False),
        ((array(1),), (array(1), array(2)), False),
        ((3, 4), (3, 4), True),
        ((3, 4), (3, 5), False),
        (None, None, True),
        (F32(1), F32(1), True),
        (array(1e300, dtype=np.float64), array(1e300, dtype=np.float64), True),
    ],
)
def test_compare(got: object, expected: object, agrees: bool):
    assert compare(got, expected).agrees is agrees


NAN = array(np.nan, np.nan)


@pytest.mark.parametrize(
    ("value", "compared"),
    [
        (NAN, False),
        (array(), False),
        (array(dtype=np.int32), False),
        (None, False),
        ((NAN, NAN), False),
        ((NAN, array(1)), True),
        (array(np.nan, 1), True),
        (array(np.inf), True),
        (array(0, dtype=np.int32), True),
        (3, True),
    ],
)
def test_whether_there_was_something_to_compare(value: object, compared: bool):
    verdict = compare(value, value)
    assert (verdict.agrees, verdict.compared) == (True, compared)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16])
def test_one_rounding_is_within_the_tolerance_and_a_wrong_digit_is_not(dtype: type):
    x = np.random.default_rng(0).standard_normal(1000)
    tolerance = TOLERANCE[np.dtype(dtype).name]
    assert compare(x.astype(dtype), x.astype(dtype)).error == 0
    nudged = (x * (1 + 2 * float(ml_dtypes.finfo(dtype).eps))).astype(dtype)
    assert compare(nudged, x.astype(dtype)).agrees
    wrong = x.copy()
    wrong[500] += 4 * tolerance * (abs(wrong[500]) + 1)
    assert not compare(wrong.astype(dtype), x.astype(dtype)).agrees
