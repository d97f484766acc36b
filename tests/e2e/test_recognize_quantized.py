"""Products of dequantized tensors, as quantizers of models write them, against the formula in float64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl.context import Context
from xdsl_relax.builder import ModuleBuilder, sym, tensor
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.passes.quantization.recognize_quantized import RecognizeQuantizedPass

RECOGNIZE = RecognizeQuantizedPass()
LIMITS = {"i8": (-128, 127), "ui8": (0, 255)}


@dataclass(frozen=True)
class Product:
    """A product of two quantized tensors: its op, the shapes, and the axis of the weight's scales (`None`: one scale)."""

    op: str
    data: tuple[int | str, ...]
    weight: tuple[int | str, ...]
    axis: int | None
    attributes: tuple[tuple[str, Any], ...] = ()

    def build(self, kinds: tuple[str, str], zero_points: tuple[int, int]):
        m = ModuleBuilder()
        data, weight = kinds
        with m.function("main") as f:
            x = f.input("x", tensor([sym(d) if isinstance(d, str) else d for d in self.data], data))
            sx = f.input("sx", tensor([], "f32"))
            if self.axis is None:
                w = f.input("w", tensor([sym(d) if isinstance(d, str) else d for d in self.weight], weight))
                sw = f.input("sw", tensor([], "f32"))
            else:
                w = f.param("w", tensor(self.weight, weight))
                sw = f.param("sw", tensor([self.weight[self.axis]], "f32"))
            a = f.dequantize(x, sx, f.constant(zero_points[0], data))
            b = f.dequantize(w, sw, f.constant(zero_points[1], weight), axis=-1 if self.axis is None else self.axis)
            y = f.op(f"relax.{self.op}", a, b, **dict(self.attributes))
            f.returns(f.nn.relu(y))
        return m.build()

    def exact(self, x, sx, w, sw, zero_points):
        """The product in float64, by the interpreter's rule for the op."""
        scale = sw if self.axis is None else sw.reshape([-1] + [1] * (w.ndim - 1 - self.axis))
        data = (x.astype(np.float64) - zero_points[0]) * sx.astype(np.float64)
        weight = (w.astype(np.float64) - zero_points[1]) * scale.astype(np.float64)
        m = ModuleBuilder()
        with m.function("main") as f:
            a, b = (f.input(name, tensor(array.shape, "f64")) for name, array in (("a", data), ("b", weight)))
            f.returns(f.nn.relu(f.op(f"relax.{self.op}", a, b, **dict(self.attributes))))
        return Interpreter(m.build()).call("main", data, weight)[0]


CONV = (("strides", [2, 1]), ("padding", [1, 0, 2, 1]))
PRODUCTS = {
    "matmul": Product("matmul", (5, 13), (13, 7), None),
    "matmul of columns": Product("matmul", ("n", 64), (64, 130), 1),
    "rows of batches": Product("matmul", (2, 3, 5, 16), (16, 9), 1),
    "vector": Product("matmul", (16,), (16, 9), 1),
    "batches": Product("matmul", (3, 5, 12), (3, 12, 7), None),
    "batches of batches": Product("matmul", ("b", 2, 5, 12), ("b", 2, 12, 7), None),
    "nothing": Product("matmul", (0, 16), (16, 9), 1),
    "linear": Product("linear", (4, 5, 33), (17, 33), 0),
    "convolution": Product("nn.conv2d", (2, 5, 9, 8), (7, 5, 3, 2), 0, CONV),
    "convolution of 16": Product("nn.conv2d", ("n", 16, 9, "w"), (32, 16, 3, 3), 0, (("padding", [1]),)),
    "one scale": Product("nn.conv2d", (1, 8, 6, 6), (16, 8, 1, 1), None),
    "groups": Product("nn.conv2d", (1, 8, 6, 6), (8, 4, 3, 3), 0, (("groups", 2),)),
    "depthwise": Product("nn.conv2d", (1, 8, 6, 6), (8, 1, 3, 3), 0, (("groups", 8), ("padding", [1]))),
    "channels last": Product(
        "nn.conv2d",
        (1, 6, 6, 8),
        (3, 3, 8, 4),
        3,
        (("data_layout", "NHWC"), ("kernel_layout", "HWIO"), ("dilation", [2])),
    ),
}


def arguments(product, kinds, rng):
    sizes = {"n": 3, "b": 2, "w": 11}
    shapes = [[sizes.get(d, d) for d in shape] for shape in (product.data, product.weight)]
    x, w = (
        rng.integers(*LIMITS[kind], shape, endpoint=True).astype({"i8": np.int8, "ui8": np.uint8}[kind])
        for kind, shape in zip(kinds, shapes, strict=True)
    )
    sw = rng.uniform(0.01, 0.05, () if product.axis is None else shapes[1][product.axis]).astype(np.float32)
    return x, np.array(0.037, np.float32), w, np.asarray(sw)


TYPES = [(("ui8", "i8"), (128, 0)), (("i8", "i8"), (0, 0)), (("i8", "ui8"), (-7, 131)), (("ui8", "ui8"), (0, 3))]


@pytest.mark.sweep
@pytest.mark.parametrize("kinds, zero_points", TYPES, ids=str)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name, kinds, zero_points):
    product = PRODUCTS[name]
    x, sx, w, sw = arguments(product, kinds, np.random.default_rng(0))
    exact = product.exact(x, sx, w, sw, zero_points)
    module = product.build(kinds, zero_points)
    RECOGNIZE.apply(Context(), module)
    module.verify()
    names = {op.name for op in module.walk()}
    assert not names & {"relax.dequantize", f"relax.{product.op}"}
    # One rounding of each product of scales, of the sum, and of what they give.
    largest = np.abs(exact).max(initial=0)
    (interpreted,) = Interpreter(module).call("main", x, sx, w, sw)
    np.testing.assert_allclose(interpreted, exact, rtol=4e-7, atol=4e-7 * largest)
    executable = xdsl_relax.compile(product.build(kinds, zero_points), lift=product.axis is not None)
    rest = (w, sw) if product.axis is None else (executable.transform_params({"w": w, "sw": sw}),)
    np.testing.assert_allclose(executable["main"](x, sx, *rest), exact, rtol=4e-7, atol=4e-7 * largest)


def again(kind, scale, zero_point):
    """A program that quantizes what it has dequantized with the same scale and zero point."""
    m = ModuleBuilder()
    with m.function("main") as f:
        q = f.input("q", tensor(["n"], kind))
        s, z = f.constant(scale, "f32"), f.constant(zero_point, kind)
        f.returns(f.quantize(f.dequantize(q, s, z), s, z, out_dtype=kind))
    return m.build()


@pytest.mark.parametrize("kind", ["i8", "ui8", "i16", "ui16"])
@pytest.mark.parametrize("scale", [1.0, 0.1, 3.0, 1e-3, 0.037, 1.1754944e-38, 1e30])
def test_quantized_again(kind, scale):
    dtype = np.dtype({"i": "int", "u": "uint"}[kind[0]] + kind.strip("ui"))
    limits = np.iinfo(dtype)
    q = np.arange(limits.min, limits.max + 1).astype(dtype)
    for zero_point in (limits.min, 0, limits.max):
        module = again(kind, scale, zero_point)
        np.testing.assert_array_equal(Interpreter(module).call("main", q)[0], q)
        RECOGNIZE.apply(Context(), module)
        assert [op.name for op in module.walk()] == ["builtin.module", "func.func", "func.return"]


@pytest.mark.parametrize("second", [(0.25, 3), (0.5, 4)])
def test_quantized_otherwise(second):
    m = ModuleBuilder()
    with m.function("main") as f:
        q = f.input("q", tensor([3], "ui8"))
        x = f.dequantize(q, f.constant(0.5, "f32"), f.constant(3, "ui8"))
        f.returns(f.quantize(x, f.constant(second[0], "f32"), f.constant(second[1], "ui8"), out_dtype="ui8"))
    module = m.build()
    RECOGNIZE.apply(Context(), module)
    assert "relax.quantize" in {op.name for op in module.walk()}
