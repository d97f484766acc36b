"""Norms as models write them, recognized and compiled, against the formula in float64."""

from __future__ import annotations

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.builder import ModuleBuilder, sym, tensor
from xdsl_relax.passes.folding.recognize_norms import RecognizeNormsPass
from xdsl_relax.runtime.compiler import relax_context

N = sym("n")


def written(kind, root, first, square, width):
    """A module whose `main` is a norm of rows: the ways to write the factor, the order of operands, and the square."""
    m = ModuleBuilder()
    with m.function("main") as f:
        x, gamma, beta = (
            f.input(name, tensor(dims, "f32")) for name, dims in zip("xgb", ([N, width], [width], [width]), strict=True)
        )
        centered = f.subtract(x, f.mean(x, axis=[-1], keepdims=True)) if kind == "layer_norm" else x
        squares = f.power(centered, f.constant(2.0, "f32")) if square == "power" else f.multiply(centered, centered)
        mean = f.mean(squares, axis=[-1], keepdims=True)
        shifted = f.add(mean, f.constant(1e-3, "f32")) if first else f.add(f.constant(1e-3, "f32"), mean)
        if root == "divide":
            normal = f.divide(centered, f.sqrt(shifted))
        else:
            factor = {
                "rsqrt": lambda: f.rsqrt(shifted),
                "reciprocal": lambda: f.divide(f.constant(1.0, "f32"), f.sqrt(shifted)),
                "power": lambda: f.power(shifted, f.constant(-0.5, "f32")),
            }[root]()
            normal = f.multiply(centered, factor) if first else f.multiply(factor, centered)
        scaled = f.multiply(normal, gamma) if first else f.multiply(gamma, normal)
        if kind == "layer_norm":
            scaled = f.add(scaled, beta) if first else f.add(beta, scaled)
        f.returns(scaled)
    return m.build()


def formula(kind, x, gamma, beta):
    x, gamma, beta = (array.astype(np.float64) for array in (x, gamma, beta))
    centered = x - x.mean(-1, keepdims=True) if kind == "layer_norm" else x
    y = centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-3) * gamma
    return y + beta if kind == "layer_norm" else y


@pytest.mark.parametrize("kind", ["rms_norm", "layer_norm"])
@pytest.mark.parametrize("root", ["divide", "rsqrt", "reciprocal", "power"])
@pytest.mark.parametrize(("first", "square"), [(True, "power"), (False, "multiply")])
def test_forms(kind, root, first, square):
    width = 37
    module = written(kind, root, first, square, width)
    RecognizeNormsPass().apply(relax_context(), module)
    names = [op.name for op in module.walk() if op.name.startswith("relax.")]
    assert names == [f"relax.nn.{kind}"]
    main = xdsl_relax.compile(written(kind, root, first, square, width))["main"]
    rng = np.random.default_rng(0)
    for rows in (0, 1, 5):
        x = rng.standard_normal((rows, width)).astype(np.float32)
        gamma, beta = rng.standard_normal((2, width)).astype(np.float32)
        x[: rows // 2] *= 1e-6
        np.testing.assert_allclose(main(x, gamma, beta), formula(kind, x, gamma, beta), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("exponent", [2.0, 3.0, -1.0, 0.5, 2.5])
@pytest.mark.parametrize("element", ["f16", "f32", "f64"])
def test_powers(exponent, element):
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor([N], element))
        f.returns(f.power(x, f.constant(exponent, element)))
    dtype = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[element]
    x = np.array([0.0, -0.0, 1.0, -1.5, 3.0, -7.25, 1e-3, 240.0, -240.0, np.inf, -np.inf, np.nan], dtype)
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.longdouble), exponent).astype(dtype)
    result = xdsl_relax.compile(m.build())["main"](x)
    np.testing.assert_allclose(result, expected, rtol=4 * np.finfo(dtype).eps)
    assert (np.signbit(result) == np.signbit(expected))[~np.isnan(expected)].all()
