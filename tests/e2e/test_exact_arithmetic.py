"""What IEEE 754 defines to the last bit is equal to the interpreter's, to the last bit: remainders, and bf16 with subnormal numbers."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.runtime.compiler import load

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.1, 3.0, np.inf, -np.inf, np.nan)
UNARY = ("negative", "abs", "nn.relu", "floor", "ceil", "round", "sqrt", "sign")
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum")


def same(program: str, *args: np.ndarray) -> None:
    """Compares compiled code with the interpreter: the same numbers with the same sign, NaN in the same places."""
    with np.errstate(all="ignore"):
        (expected,) = Interpreter(load(program)).call("main", *args)
        result = xdsl_relax.compile(program)["main"](*args)
        wide, reference = (np.asarray(x).astype(np.float64) for x in (result, expected))
    np.testing.assert_array_equal(wide, reference)
    number = ~np.isnan(reference)
    np.testing.assert_array_equal(np.signbit(wide)[number], np.signbit(reference)[number])


def any_bits(element: str, count: int, seed: int) -> np.ndarray:
    """Returns numbers of any bits, or all of them; subnormal ones and special ones among them."""
    dtype = np.dtype(DTYPES[element])
    bits = np.random.default_rng(seed).integers(0, 2 ** (8 * dtype.itemsize), count, np.uint64)
    return bits.astype(f"u{dtype.itemsize}").view(dtype)


def elementwise(op: str, element: str, count: int, operands: int, result: str | None = None, attrs: str = "") -> str:
    """Returns a program with one op."""
    given, made = f"tensor<{count}x{element}>", f"tensor<{count}x{result or element}>"
    names = [f"%x{i}" for i in range(operands)]
    return f"""
func.func @main({", ".join(f"{name}: {given}" for name in names)}) -> {made} {{
  %y = relax.{op} {", ".join(names)} {attrs} : ({", ".join([given] * operands)}) -> {made}
  return %y : {made}
}}"""


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("op", ["mod", "floor_mod", "floor_divide"])
def test_remainders_and_floored_quotients(op: str, element: str) -> None:
    special = np.array(SPECIAL, np.float64).astype(DTYPES[element])
    x = np.concatenate([np.repeat(special, len(special)), any_bits(element, 5000, 1)])
    y = np.concatenate([np.tile(special, len(special)), any_bits(element, 5000, 2)])
    same(elementwise(op, element, len(x), 2), x, y)


def test_a_remainder_is_less_than_its_divisor() -> None:
    x, y = np.array([1e30, 3e38, -1e20, 2.0**24 + 2], np.float32), np.array([0.7, 1e-45, 0.3, 3.0], np.float32)
    result = xdsl_relax.compile(elementwise("mod", "f32", 4, 2))["main"](x, y)
    np.testing.assert_array_equal(result, np.fmod(x.astype(np.float64), y.astype(np.float64)).astype(np.float32))
    assert (abs(result) < y).all()


@pytest.mark.parametrize("op", UNARY)
def test_every_bf16(op: str) -> None:
    every = np.arange(2**16, dtype=np.uint16).view(ml_dtypes.bfloat16)
    same(elementwise(op, "bf16", 2**16, 1), every)


@pytest.mark.parametrize("op", BINARY)
def test_arithmetic_on_bf16(op: str) -> None:
    rng = np.random.default_rng(3)
    tiny = (rng.integers(-400, 400, (2, 4000)) * 2.0**-133).astype(ml_dtypes.bfloat16)
    x, y = (np.concatenate([tiny[i], any_bits("bf16", 4000, i)]) for i in range(2))
    same(elementwise(op, "bf16", len(x), 2), x, y)


@pytest.mark.parametrize("source", ["f32", "f64", "f16"])
def test_conversions_to_bf16_and_back(source: str) -> None:
    x = any_bits(source, 20000, 4)
    if source != "f16":
        tiny = np.random.default_rng(5).uniform(-1, 1, 4000) * 2.0 ** np.random.default_rng(6).integers(
            -136, -124, 4000
        )
        x = np.concatenate([x, tiny.astype(x.dtype)])
    same(elementwise("astype", source, len(x), 1, "bf16", "{dtype = bf16}"), x)
    every = np.arange(2**16, dtype=np.uint16).view(ml_dtypes.bfloat16)
    same(elementwise("astype", "bf16", len(every), 1, source, f"{{dtype = {source}}}"), every)


def test_subnormal_bf16_goes_through_a_product() -> None:
    tiny = (np.arange(-640, 640) * 2.0**-133).reshape(20, 64).astype(ml_dtypes.bfloat16)
    program = """
func.func @main(%x: tensor<20x64xbf16>, %w: tensor<64x80xbf16>) -> tensor<20x80xbf16> {
  %y = relax.matmul %x, %w : (tensor<20x64xbf16>, tensor<64x80xbf16>) -> tensor<20x80xbf16>
  return %y : tensor<20x80xbf16>
}"""
    # An instruction for products of bf16 takes them as 0 (docs/math.md).
    result = xdsl_relax.compile(program, target="x86-64-v3")["main"](tiny, np.eye(64, 80).astype(ml_dtypes.bfloat16))
    np.testing.assert_array_equal(result[:, :64].astype(np.float32), tiny.astype(np.float32))
