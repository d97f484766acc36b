"""Accuracy of the expanded math functions in native code, against mpmath and numpy in higher precision."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

mpmath = pytest.importorskip("mpmath")
sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from math_kernels import (  # noqa: E402
    DTYPES,
    INT_DTYPES,
    compile_binary,
    compile_function,
    compile_unary,
    ulps,
)
from xdsl_relax.targets.cpu import cpu_target, default_target  # noqa: E402

# Bounds in ulp (f32, f64), those of docs/math.md.
UNARY = {
    "exp": (1.0, 1.0),
    "exp2": (1.0, 1.0),
    "expm1": (1.5, 2.0),
    "log": (1.0, 1.0),
    "log2": (0.51, 2.0),
    "log10": (0.51, 2.0),
    "log1p": (0.51, 1.0),
    "sin": (1.0, 1.0),
    "cos": (1.0, 1.0),
    "tan": (0.51, 3.0),
    "asin": (0.51, 1.5),
    "acos": (0.51, 1.5),
    "atan": (0.51, 2.0),
    "sinh": (0.51, 2.0),
    "cosh": (0.51, 2.0),
    "tanh": (1.5, 1.5),
    "asinh": (0.51, 2.0),
    "acosh": (0.51, 2.0),
    "atanh": (0.51, 2.0),
    "erf": (1.0, 1.0),
    "cbrt": (0.51, 1.0),
    "rsqrt": (1.5, 1.5),
}
WITHOUT_FMA = {"exp": 1.25, "exp2": 1.25, "erf": 1.25}
"""Bounds of f32 where they are wider, as polynomials round each product, at a target without fused multiply-adds."""

FUSES = cpu_target(default_target()).fuses_multiply_add
NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh"}
NUMPY["atanh"] = "arctanh"
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 1e30, -1e30]
LANDMARKS = [
    *(0.0, 1.0, -1.0, 0.5, 0.625, 0.41421356, 0.70710678, 1.41421356, 2.4142135, 1e10, 2.0**16, 2.0**27, 2.0**28),
    *(np.pi / 4, np.pi / 2, np.pi, 88.72, -87.33, -103.97, 11.0, 4.0, 6.0, 1e-4, 1e-30),
]


@pytest.mark.parametrize("lanes", [1, 2, 8, 32])
def test_erf_of_any_number_of_lanes(lanes: int):
    """Up to 16 lanes take the entries of the same tables; more of them have the other formula."""
    x = np.concatenate([np.linspace(-4.2, 4.2, 1 << 12), SPECIAL * 16]).astype(np.float32)
    result, wide = unary("erf", "f32", lanes)(x), unary("erf", "f32", 16)(x)
    if lanes < 16:
        np.testing.assert_array_equal(result.view(np.int32), wide.view(np.int32))
    np.testing.assert_allclose(result, wide, rtol=2**-22)


@functools.cache
def unary(name: str, element: str, lanes: int = 16):
    return compile_unary(name, element, lanes=lanes)


def neighborhoods(element: str, radius: int) -> np.ndarray:
    dtype, integer = DTYPES[element], np.int32 if element == "f32" else np.int64
    steps = np.arange(-radius, radius, dtype=integer)
    return np.concatenate([(dtype.type(v).view(integer) + steps).view(dtype) for v in LANDMARKS])


def exact(name: str, x: float) -> np.longdouble | float:
    """The value as a sum of two doubles (mpmath), or by IEEE 754 where there is none."""
    with mpmath.workprec(1200 if abs(x) > 1e30 else 240):
        functions: dict[str, Callable[[Any], Any]] = {
            "exp2": lambda v: mpmath.mpf(2) ** v,
            "log2": lambda v: mpmath.log(v, 2),
            "rsqrt": lambda v: 1 / mpmath.sqrt(v),
            "cbrt": lambda v: mpmath.sign(v) * mpmath.cbrt(abs(v)),
        }
        value = (functions[name] if name in functions else getattr(mpmath, name))(mpmath.mpf(float(x)))
        high = float(value)
        return np.longdouble(high) + (np.longdouble(float(value - high)) if np.isfinite(high) else 0)


def in_double(name: str, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        if name == "erf":
            return np.vectorize(math.erf)(wide)
        if name == "rsqrt":
            return 1 / np.sqrt(wide)
        return getattr(np, NUMPY.get(name, name))(wide)


def assert_accurate(result: np.ndarray, reference: np.ndarray, x: np.ndarray, element: str, bound: float) -> None:
    error = ulps(result, reference, DTYPES[element])
    worst = int(np.argmax(error))
    assert error[worst] <= bound, f"{error[worst]} ulp at {x[worst]!r}: {result[worst]!r}, not {reference[worst]!r}"


@pytest.mark.parametrize("name", UNARY)
def test_single_precision_over_all_exponents(name: str) -> None:
    stride = np.arange(0, 2**32, 100_003, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = np.concatenate([stride, neighborhoods("f32", 200), np.linspace(-20, 20, 20_000, dtype=np.float32)])
    bound = UNARY[name][0] if FUSES else WITHOUT_FMA.get(name, UNARY[name][0])
    assert_accurate(unary(name, "f32")(x), in_double(name, x), x, "f32", bound)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="no type wider than f64 for the reference")
@pytest.mark.parametrize("name", UNARY)
def test_double_precision(name: str) -> None:
    rng = np.random.default_rng(7)
    x = np.concatenate(
        [
            rng.uniform(-12, 12, 200),
            rng.uniform(-1, 1, 200) * 2.0 ** rng.integers(-40, 2, 200),
            1 + rng.uniform(-1e-3, 1e-3, 40),
            rng.uniform(-708, 709, 60),
            rng.uniform(-1, 1, 40) * 2.0 ** rng.integers(20, 1000, 40),
            neighborhoods("f64", 4),
        ]
    )
    inside = {"acosh": x > 1, "asin": abs(x) < 1, "acos": abs(x) < 1, "atanh": abs(x) < 1, "log1p": x > -1}
    if name in ("log", "log2", "log10", "rsqrt"):
        inside[name] = x > 0
    if name in ("exp", "exp2", "expm1", "sinh", "cosh"):
        inside[name] = abs(x) < 708
    x = x[inside.get(name, np.isfinite(x))]
    reference = np.array([exact(name, v) for v in x], dtype=np.longdouble)
    assert_accurate(unary(name, "f64")(x), reference, x, "f64", UNARY[name][1])


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("name", UNARY)
def test_special_values(name: str, element: str) -> None:
    dtype = DTYPES[element]
    x = np.array(SPECIAL, dtype)
    result, reference = unary(name, element)(x), in_double(name, x)
    with np.errstate(all="ignore"):
        rounded = reference.astype(dtype)
    kinds = [np.isnan, np.isinf, lambda v: v == 0]
    for kind in kinds:
        np.testing.assert_array_equal(kind(result), kind(rounded))
    number = ~np.isnan(rounded)
    np.testing.assert_array_equal(np.signbit(result)[number], np.signbit(rounded)[number])
    np.testing.assert_allclose(result[number], rounded[number], rtol=1e-6 if element == "f32" else 1e-14)


@pytest.mark.parametrize(("name", "element", "value", "want"), [
    # The multiples of pi/2 nearest to a number of the format (Kahan; Muller).
    ("cos", "f64", 6381956970095103.0 * 2.0**797, -4.68716592425462761112e-19),
    ("sin", "f64", 6381956970095103.0 * 2.0**797, 1.0),
    ("sin", "f64", 1e22, -0.8522008497671888),
    ("sin", "f32", 1.5 * 2.0**127, None),
    ("cos", "f32", 16367173.0 * 2.0**72, None),
    ("tan", "f32", 3.4028235e38, None),
])  # fmt: skip
def test_huge_angles(name: str, element: str, value: float, want: float | None) -> None:
    x = np.array([value, 0.5], DTYPES[element])
    with mpmath.workprec(1500):
        reference = float(getattr(mpmath, name)(mpmath.mpf(float(x[0]))))
    if want is not None:
        assert abs(reference - want) <= 1e-15 * abs(want)
    result = unary(name, element)(x)
    np.testing.assert_allclose(result[0], reference, rtol=1.2e-7 if element == "f32" else 4e-16)
    # The neighboring lane takes the short reduction.
    np.testing.assert_allclose(result[1], getattr(np, name)(0.5), rtol=1.2e-7)


@pytest.mark.parametrize("lanes", [1, 4, 16])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_exp_of_what_is_not_positive(element: str, lanes: int) -> None:
    """It is as accurate as exp, with subnormal results rounded once, an exact 0 of -inf, and room for what rounding leaves above 0."""
    apply = compile_function("math.exp %x0 {relax.not_positive} : T0", [element], element, lanes=lanes)
    dtype, least = DTYPES[element], -104.0 if element == "f32" else -745.2
    near_zero = neighborhoods(element, 4)
    x = np.concatenate([np.linspace(least, 1.0, 50_001), near_zero[near_zero <= 1.0], [-np.inf, np.nan]]).astype(dtype)
    with np.errstate(under="ignore"):
        reference = np.exp(x.astype(np.float64 if element == "f32" else np.longdouble))
    bound = UNARY["exp"][0] if FUSES else WITHOUT_FMA["exp"]
    assert_accurate(apply(x), reference, x, element, bound)
    assert apply(np.array([-np.inf], dtype))[0] == 0.0


@pytest.mark.parametrize("name", ["exp", "log", "sin", "erf", "tanh", "cbrt", "acosh"])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_scalars_and_vectors_agree(name: str, element: str) -> None:
    x = np.random.default_rng(3).uniform(-3e5, 3e5, 256).astype(DTYPES[element]) ** 3
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(unary(name, element)(x), unary(name, element, 1)(x))


@pytest.mark.parametrize("name", ["exp", "log2", "sin", "rsqrt"])
def test_half_precision_is_rounded_from_single(name: str) -> None:
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        result = compile_unary(name, "f16")(x)
        assert_accurate(result, in_double(name, x), x, "f16", 0.51)


def pairs() -> tuple[np.ndarray, np.ndarray]:
    values = [*SPECIAL, 3.0, -3.0, 2.5, -7.0, 1e300, -1e300, 5e-324, 1e-310]
    a, b = np.meshgrid(np.array(values), np.array(values))
    return a.ravel(), b.ravel()


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize(("name", "function"), [("powf", np.power), ("atan2", np.arctan2)])
def test_special_pairs(name: str, function, element: str) -> None:
    dtype = DTYPES[element]
    with np.errstate(all="ignore"):
        a, b = (v.astype(dtype) for v in pairs())
        reference = function(a.astype(np.longdouble), b.astype(np.longdouble))
    result = compile_binary(name, element)(a, b)
    assert_accurate(result, reference, np.stack([a, b], 1), element, 2.0)
    number = ~np.isnan(reference)
    np.testing.assert_array_equal(np.signbit(result)[number], np.signbit(reference)[number])


@pytest.mark.parametrize(("name", "element", "bound"), [
    *(("powf", "f32", 0.52), ("powf", "f64", 1.5), ("atan2", "f32", 0.51), ("atan2", "f64", 2.5))
])  # fmt: skip
def test_pairs(name: str, element: str, bound: float) -> None:
    if np.finfo(np.longdouble).nmant < 60:
        pytest.skip("no type wider than f64 for the reference")
    rng = np.random.default_rng(5)
    n = 20_000
    a = np.concatenate([rng.uniform(0, 10, n), 1 + rng.uniform(-1e-4, 1e-4, n), np.exp(rng.uniform(-60, 60, n))])
    b = np.concatenate([rng.uniform(-30, 30, n), rng.uniform(-1e4, 1e4, n), rng.uniform(-1.2, 1.2, n)])
    a, b = a.astype(DTYPES[element]), b.astype(DTYPES[element])
    function = np.power if name == "powf" else np.arctan2
    reference = function(a.astype(np.longdouble), b.astype(np.longdouble))
    assert_accurate(compile_binary(name, element)(a, b), reference, a, element, bound)


def dividends(element: str) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of special numbers, numbers of any bits, and numbers whose quotients are small."""
    rng, dtype = np.random.default_rng(8), DTYPES[element]
    bits = rng.integers(0, 2 ** (8 * dtype.itemsize), (2, 6000), np.uint64).astype(f"u{dtype.itemsize}").view(dtype)
    small = rng.uniform(-100, 100, (2, 3000)).astype(dtype)
    with np.errstate(over="ignore"):
        x, y = (v.astype(dtype) for v in pairs())
    return np.concatenate([x, bits[0], small[0]]), np.concatenate([y, bits[1], small[1] / 16])


@pytest.mark.parametrize("lanes", [1, 16])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_remainders_are_exact(element: str, lanes: int) -> None:
    x, y = dividends(element)
    with np.errstate(all="ignore"):
        reference = np.vectorize(lambda a, b: math.nan if math.isinf(a) or b == 0 else math.fmod(a, b))(x, y)
    result = compile_binary("arith.remf", element, lanes=lanes)(x, y)
    np.testing.assert_array_equal(result, reference)
    number = ~np.isnan(reference)
    np.testing.assert_array_equal(np.signbit(result)[number], np.signbit(reference)[number])


@pytest.mark.parametrize("lanes", [1, 16])
@pytest.mark.parametrize("element", ["i32", "i64"])
def test_integer_powers_wrap(element: str, lanes: int) -> None:
    rng = np.random.default_rng(1)
    base, exponent = rng.integers(-9, 10, 2000), rng.integers(-3, 70, 2000)
    bits = int(element[1:])

    def power(a: int, n: int) -> int:
        if n < 0:
            return 0 if abs(a) != 1 else a if n % 2 else 1
        wrapped = a**n % 2**bits
        return wrapped - 2**bits if wrapped >> (bits - 1) else wrapped

    want = [power(int(a), int(n)) for a, n in zip(base, exponent, strict=True)]
    apply = compile_function("math.ipowi %x0, %x1 : T0", [element, element], element, lanes=lanes)
    dtype = INT_DTYPES[element]
    np.testing.assert_array_equal(apply(base.astype(dtype), exponent.astype(dtype)), want)


@pytest.mark.parametrize("lanes", [1, 16])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_float_to_integer_power(element: str, lanes: int) -> None:
    rng = np.random.default_rng(2)
    base = rng.uniform(-3, 3, 500).astype(DTYPES[element])
    exponent = rng.integers(-12, 13, 500).astype(np.int32)
    apply = compile_function("math.fpowi %x0, %x1 : T0, T1", [element, "i32"], element, lanes=lanes)
    want = base.astype(np.longdouble) ** exponent.astype(np.longdouble)
    np.testing.assert_allclose(apply(base, exponent), want, rtol=6e-8 if element == "f32" else 12 * 2.3e-16)
