"""Stacks of convolutions, products and what they are shuffled with, which kernels write in place, against the interpreter on f64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from harness.guard_pages import call_guarded
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl_relax.builder import ModuleBuilder, tensor
from xdsl_relax.interpreter.engine import Interpreter

DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
}
TOLERANCES = {"f32": 2e-5, "f64": 1e-12, "f16": 2e-2, "bf16": 2e-1}


@dataclass(frozen=True)
class Case:
    """What is stacked, each by a letter, for images of a shape, and where the stack of all channels is split."""

    shape: tuple[int, ...]
    branches: str
    """a: an argument; c, k, d, t: a convolution of 1x1, of 3x3, of each channel, or transposed; u and s: the first with a residual, or a
    slice, behind it; e: element-wise; f: a constant; m: a product of matrices."""
    cuts: tuple[int, ...] = ()


CASES = [
    Case((1, 6, 8, 8), "ac", (6,)),
    Case((1, 6, 8, 8), "ca", (6,)),
    Case((1, 58, 7, 7), "ac", (58,)),
    Case((1, 7, 7, 9), "cc"),
    Case((1, 13, 14, 14), "aca", (5, 20)),
    Case((2, 5, 6, 11), "ac", (3, 4)),
    Case((3, 4, 5, 7), "kc", (4,)),
    Case((1, 16, 12, 12), "ak", (16,)),
    Case((1, 16, 12, 12), "kk", (8,)),
    Case((1, 9, 13, 8), "ad", (9,)),
    Case((1, 20, 9, 9), "ta"),
    Case((1, 17, 6, 6), "au", (17,)),
    Case((1, 17, 6, 6), "us", (11,)),
    Case((1, 8, 6, 6), "ec", (8,)),
    Case((1, 8, 6, 6), "cef", (8,)),
    Case((1, 1, 6, 6), "ac", (1,)),
    Case((1, 6, 5, 6), "ac", (6,)),
    Case((1, 6, 1, 33), "ac", (6,)),
    Case((2, 70, 28, 28), "ac", (70,)),
    Case((3, 5, 40), "am"),
    Case((3, 5, 40), "ma", (3,)),
    Case((2, 33, 16), "mm", (30,)),
    Case((1, 64, 64), "mma", (64,)),
]


def program(case: Case, dtype: str) -> ModuleOp:
    m = ModuleBuilder()
    channels = case.shape[1]
    kernels = {"c": (channels, channels, 1, 1), "k": (channels, channels, 3, 3), "d": (channels, 1, 3, 3)}
    kernels |= {"t": (channels, channels, 3, 3), "u": kernels["c"], "s": kernels["c"], "m": (case.shape[-1],) * 2}
    with m.function("main") as f:
        x = f.input("x", tensor(case.shape, dtype))
        others = {n: f.input(f"x{n}", tensor(case.shape, dtype)) for n, b in enumerate(case.branches) if b in "aeu"}
        weights = {n: f.param(f"w{n}", tensor(kernels[b], dtype)) for n, b in enumerate(case.branches) if b in kernels}
        with f.dataflow() as g:
            same = {"padding": [1, 1, 1, 1]}
            values: list[Any] = []
            for n, branch in enumerate(case.branches):
                match branch:
                    case "a":
                        values.append(others[n])
                    case "e":
                        values.append(g.exp(others[n]))
                    case "f":
                        values.append(g.full(list(case.shape), g.constant(np.array(2.5, DTYPES[dtype]))))
                    case "c":
                        values.append(g.nn.relu(g.nn.conv2d(x, weights[n])))
                    case "k":
                        values.append(g.nn.conv2d(x, weights[n], **same))
                    case "d":
                        values.append(g.nn.relu(g.nn.conv2d(x, weights[n], groups=channels, **same)))
                    case "t":
                        values.append(g.nn.conv2d_transpose(x, weights[n], **same))
                    case "u":
                        values.append(g.nn.relu(g.add(g.nn.conv2d(x, weights[n]), others[n])))
                    case "s":
                        values.append(g.multiply(g.tanh(g.nn.conv2d(x, weights[n])), x))
                    case _:
                        values.append(g.nn.relu(g.matmul(x, weights[n])))
            stacked = g.stack(*values, axis=2)
            rows = case.shape[1] * len(values)
            whole = g.reshape(stacked, [case.shape[0], rows, *case.shape[2:]])
            results = g.output(*(g.split(whole, indices=list(case.cuts), axis=1) if case.cuts else [whole]))
        f.returns(*(results if case.cuts else [results]))
    return m.build()


def arrays(case: Case, dtype: str) -> list[np.ndarray]:
    random = np.random.default_rng(len(case.branches))
    (function,) = (op for op in program(case, dtype).body.block.ops if isinstance(op, func.FuncOp))
    shapes = [type_.get_shape() for type_ in function.function_type.inputs.data if isinstance(type_, TensorType)]
    return [(random.standard_normal(shape) / 2).astype(DTYPES[dtype]) for shape in shapes]


@pytest.mark.sweep(12)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.branches}-{'x'.join(map(str, case.shape))}")
def test_stacks(case: Case, dtype: str):
    values = arrays(case, dtype)
    values[0].reshape(-1)[:1] = np.nan
    exact = Interpreter(program(case, "f64")).call("main", *(each.astype(np.float64) for each in values))
    for threads in (1, 2):
        native = xdsl_relax.compile(program(case, dtype), threads=threads)["main"]
        results = native(*values)
        for result, wanted in zip(results if case.cuts else [results], exact, strict=True):
            np.testing.assert_allclose(
                result.astype(np.float64), wanted, rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype] * 4
            )
        if threads == 1:
            call_guarded(native, values)
