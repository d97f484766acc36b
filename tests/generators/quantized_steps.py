"""Random quantized ops on integers, for modules whose other values are floats: their results are compared bit by bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import f32, i8, i32
from xdsl.ir import SSAValue
from xdsl_relax.dialects.relax.attrs import dims_of, tensor_type
from xdsl_relax.dialects.relax.dense import dense_from_numpy
from xdsl_relax.dialects.relax.dtypes import numpy_dtype, ui8
from xdsl_relax.dialects.relax.ops.core import ConstantOp
from xdsl_relax.dialects.relax.ops.qnn import elementwise as qnn
from xdsl_relax.dialects.relax.ops.qnn import unary as qnn_unary
from xdsl_relax.dialects.relax.ops.qnn.contraction import QnnConv2DOp, QnnDenseOp
from xdsl_relax.dialects.symbolic.expressions import Symbol

if TYPE_CHECKING:
    from generators.graph_modules import Generator

SIZE = 3
"""The size of the symbol `q`, which counts rows."""

UNARY = (qnn_unary.QnnTanhOp, qnn_unary.QnnSigmoidOp, qnn_unary.QnnAbsOp, qnn_unary.QnnHardSwishOp)
BINARY = (qnn.QnnAddOp, qnn.QnnSubtractOp, qnn.QnnMulOp)


class QuantizedSteps:
    """Adds a chain of quantized ops on arguments of its own to a module."""

    def __init__(self, generator: Generator, count: int):
        self.g = generator
        self.rng = generator.rng
        self.element = self.rng.choice([i8, ui8])
        self.count = count

    def results(self) -> list[SSAValue]:
        """Builds the chain; returns what it computes, integers and the numbers that they stand for."""
        x = self.start()
        values: list[SSAValue] = []
        for _ in range(self.count):
            step = self.rng.choice(
                [self.unary, self.binary, self.requantize, self.leaky_relu, self.joined, self.product]
            )
            x = step(x)
            values.append(x)
        return [*values[-2:], self.g.op(qnn.QnnDequantizeOp, x, self.scale(), self.zero()), self.convolution()]

    def start(self) -> SSAValue:
        """Returns an argument: integers, or floats that are quantized."""
        if self.rng.random() < 0.5:
            return self.argument((SIZE, 4), self.element, ("q", 4))
        data = self.argument((SIZE, 4), f32, ("q", 4))
        return self.g.op(qnn.QnnQuantizeOp, data, self.scale(), self.zero(), out_dtype=self.element)

    def argument(self, shape: tuple[int, ...], element: Any, dims: tuple[Any, ...] | None = None) -> SSAValue:
        """Adds an argument with numbers of the whole range of its type."""
        self.g.arguments.append(self.numbers(shape, element))
        named = [Symbol(dim) if isinstance(dim, str) else dim for dim in dims or shape]
        return self.g.block.insert_arg(tensor_type(named, element), len(self.g.block.args))

    def numbers(self, shape: tuple[int, ...], element: Any) -> np.ndarray:
        dtype = numpy_dtype(element)
        if element == f32:
            return self.g.data.uniform(-40, 40, shape).astype(dtype)
        limits = np.iinfo(dtype)
        return self.g.data.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)

    def weight(self, shape: tuple[int, ...]) -> SSAValue:
        """Returns a parameter or a constant."""
        element = self.rng.choice([i8, self.element])
        if self.rng.random() < 0.5:
            return self.argument(shape, element)
        return self.constant(self.numbers(shape, element), element)

    def constant(self, array: Any, element: Any) -> SSAValue:
        return self.g.op(ConstantOp, value=dense_from_numpy(np.asarray(array, numpy_dtype(element)), element))

    def scale(self, channels: int = 1) -> SSAValue:
        values = [self.rng.choice([0.25, 0.37, 1.0, 0.011, 2.5]) for _ in range(channels)]
        return self.constant(values if channels > 1 else values[0], f32)

    def zero(self) -> SSAValue:
        return self.constant(self.rng.choice([0, 0, 3, -7, 11]), i32)

    def pair(self) -> list[SSAValue]:
        """Returns a scale and a zero point."""
        return [self.scale(), self.zero()]

    def how(self) -> dict[str, Any]:
        """Returns how numbers are rounded."""
        return {
            "rounding": self.rng.choice(["UPWARD", "TONEAREST"]),
            **({"compute_dtype": f32} if self.rng.random() < 0.3 else {}),
        }

    def unary(self, x: SSAValue) -> SSAValue:
        return self.g.op(self.rng.choice(UNARY), x, *self.pair(), *self.pair())

    def leaky_relu(self, x: SSAValue) -> SSAValue:
        return self.g.op(qnn_unary.QnnLeakyReluOp, x, *self.pair(), *self.pair(), alpha=0.3)

    def binary(self, x: SSAValue) -> SSAValue:
        other = x if self.rng.random() < 0.4 else self.constant(self.numbers((4,), self.element), self.element)
        return self.g.op(self.rng.choice(BINARY), x, other, *self.pair(), *self.pair(), *self.pair(), **self.how())

    def requantize(self, x: SSAValue) -> SSAValue:
        return self.g.op(qnn.RequantizeOp, x, *self.pair(), *self.pair(), out_dtype=self.element, **self.how())

    def joined(self, x: SSAValue) -> SSAValue:
        """Concatenates a value with itself along the rows, whose number is no longer a symbol alone."""
        scales, zeros = [self.scale(), self.scale()], [self.zero(), self.zero()]
        return self.g.op(qnn.QnnConcatenateOp, x, x, *scales, *zeros, *self.pair(), axis=0, **self.how())

    def product(self, x: SSAValue) -> SSAValue:
        """A product with a weight, brought back to the range of the elements."""
        channels = self.rng.choice([1, 4])
        shape = dims_of(x.type)
        assert shape is not None
        zeros = [self.zero(), self.zero()]
        y = self.g.op(QnnDenseOp, x, self.weight((4, 4)), *zeros, self.scale(), self.scale(channels))
        return self.g.op(
            qnn.RequantizeOp,
            y,
            self.scale(channels),
            self.zero(),
            *self.pair(),
            out_dtype=self.element,
            axis=1,
            **self.how(),
        )

    def convolution(self) -> SSAValue:
        """A convolution, with or without groups."""
        groups = self.rng.choice([1, 1, 2, 4])
        data = self.argument((1, 4, 5, 5), self.element)
        weight = self.weight((4, 4 // groups, 3, 3))
        zeros = [self.zero(), self.zero()]
        attrs = {"padding": [self.rng.choice([0, 1])], "groups": groups, "kernel_layout": "OIHW"}
        return self.g.op(QnnConv2DOp, data, weight, *zeros, self.scale(), self.scale(), **attrs)
