"""Quantization by constants, which divides nothing where a target multiplies and adds at once, is that by a division to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
import xdsl_relax
from harness.sampling import sampled
from xdsl_relax.builder import ModuleBuilder, tensor
from xdsl_relax.lowering.cpu.math.rounded_quotient import parts_of_reciprocal

TYPES = {"ui8": np.uint8, "i8": np.int8, "ui16": np.uint16, "i16": np.int16, "i32": np.int32}
SCALES = [
    *np.exp(np.random.default_rng(0).uniform(-12, 4, 12)).astype(np.float32),
    *np.array([1.0, 0.5, 2.0**-20, 0.1, 3.0, 1e-40, 1e-38, 1e30, 3e38, 0.99999994, 1.9999999], np.float32),
]


def near_halves(scale, zero_point, low, high):
    """Numbers around those where the result changes, beyond both ends, and special ones."""
    count = min(high - low + 8, 600)
    steps = np.unique(np.linspace(low - 4, high + 4, count).round()) - zero_point + 0.5
    with np.errstate(all="ignore"):
        middle = (steps * np.float64(scale)).astype(np.float32)
    x = [middle]
    for side in (np.float32(-np.inf), np.float32(np.inf)):
        near = middle
        for _ in range(3):
            near = np.nextafter(near, side)
            x.append(near)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 3.4e38, -3.4e38, 1e-45, -1e-45]
    return np.concatenate([*x, np.array(special, np.float32)])


def reference(x, scale, zero_point, dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    with np.errstate(all="ignore"):
        rounded = np.rint(x / np.float32(scale)) + np.float32(zero_point)
        clipped = np.clip(rounded, np.float32(low), np.float32(high))
        wide = np.nan_to_num(clipped.astype(np.float64), nan=0.0)
    return np.clip(wide, low, high).astype(dtype)


@pytest.mark.parametrize("target", ["native", "x86-64", "x86-64-v3"])
@pytest.mark.parametrize("kind", TYPES)
def test_results_are_those_of_a_division(kind, target):
    dtype = TYPES[kind]
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    m = ModuleBuilder()
    cases = []
    for number, scale in sampled(enumerate(SCALES), lambda case: f"{kind} {target} {case[1]}"):
        zero_point = [0, low, high, (low + high) // 2 + 3][number % 4] if kind != "i32" else 0
        x = near_halves(scale, zero_point, low, high)
        with m.function(f"f{number}") as f:
            data = f.input("x", tensor([len(x)], "f32"))
            f.returns(f.quantize(data, f.constant(scale, "f32"), f.constant(zero_point, kind), out_dtype=kind))
        cases.append((f"f{number}", x, scale, zero_point))
    exe = xdsl_relax.compile(m.build(), target=target)
    for name, x, scale, zero_point in cases:
        np.testing.assert_array_equal(exe[name](x), reference(x, scale, zero_point, dtype), err_msg=f"{scale} {x}")


@pytest.mark.parametrize("target", ["native", "x86-64", "x86-64-v3"])
@pytest.mark.parametrize("kind", ["ui8", "i8"])
def test_what_is_dequantized_at_once(kind, target):
    """It has the bits of what goes by way of integers, zeros without a sign; so it does with another zero point, or where integers stay."""
    dtype = TYPES[kind]
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    m = ModuleBuilder()
    cases = []
    for number, scale in sampled(enumerate(SCALES), lambda case: f"{kind} {target} {case[1]}"):
        zero_point = [0, low, high, (low + high) // 2 + 3][number % 4]
        other = low + 5 if number % 5 == 4 else zero_point
        x = near_halves(scale, zero_point, low, high)
        with m.function(f"f{number}") as f:
            data = f.input("x", tensor([len(x)], "f32"))
            factor = f.constant(scale, "f32")
            q = f.quantize(data, factor, f.constant(zero_point, kind), out_dtype=kind)
            y = f.dequantize(q, factor, f.constant(other, kind), out_dtype="f32")
            f.returns(*([y, q] if number % 3 == 2 else [y]))
        cases.append((f"f{number}", x, scale, zero_point, other))
    exe = xdsl_relax.compile(m.build(), target=target)
    for name, x, scale, zero_point, other in cases:
        results = exe[name](x)
        integers = reference(x, scale, zero_point, dtype)
        with np.errstate(all="ignore"):
            want = (integers.astype(np.int32) - other).astype(np.float32) * np.float32(scale)
        y = results[0] if isinstance(results, (tuple, list)) else results
        np.testing.assert_array_equal(
            np.asarray(y).view(np.int32), want.view(np.int32), err_msg=f"{scale} {zero_point}"
        )
        if isinstance(results, (tuple, list)):
            np.testing.assert_array_equal(results[1], integers)


def test_reciprocals():
    """Usual scales have one; what is beyond the numbers that are tried, or is no scale, has none."""
    for scale in SCALES[:12]:
        assert parts_of_reciprocal(float(scale), -128 * float(scale), 127 * float(scale)) is not None
    assert parts_of_reciprocal(0.5, -16.0, 16.0) == (2.0, 0.0)
    for divisor, least, greatest in ((1e-3, -1e3, 1e3), (0.0, -1.0, 1.0), (-1.0, -1.0, 1.0), (1.0, float("-inf"), 0.0)):
        assert parts_of_reciprocal(divisor, least, greatest) is None
