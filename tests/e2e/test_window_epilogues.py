"""Depthwise convolutions and pooling with what follows them, on the results of a block before they are stored, against the interpreter on f64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from harness.guard_pages import call_guarded
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.builder import ModuleBuilder, tensor
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.targets.cpu import cpu_target, lacking

DTYPES: dict[str, Any] = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
TOLERANCES = {"f32": 2e-5, "f64": 1e-12, "f16": 2e-2, "bf16": 2e-1}
TARGETS = ("native", "x86-64-v3", "x86-64")


@dataclass(frozen=True)
class Case:
    """Windows of an image, and what follows them."""

    shape: tuple[int, ...]
    window: int
    stride: int
    padding: int
    after: str
    """b: a bias of each channel; r: relu; 6: between 0 and 6; x: the image, if it is as large; s: sigmoid; p: a product with another tensor;
    m: the mean of rows behind it."""
    pools: bool = False


CASES = [
    Case((1, 5, 7, 7), 3, 1, 1, "r"),
    Case((1, 5, 7, 7), 5, 1, 2, "br"),
    Case((2, 3, 14, 14), 3, 1, 1, "b6"),
    Case((1, 4, 28, 28), 3, 1, 1, "bxr"),
    Case((1, 4, 28, 28), 5, 2, 2, "br"),
    Case((1, 3, 9, 41), 3, 1, 1, "xr"),
    Case((1, 3, 11, 56), 3, 1, 1, "p"),
    Case((1, 2, 17, 112), 3, 2, 1, "s"),
    Case((3, 2, 6, 5), 3, 1, 1, "rm"),
    Case((1, 3, 14, 20), 7, 1, 3, "br"),
    Case((1, 2, 7, 9), 7, 1, 3, "b"),
    Case((1, 1, 1, 40), 3, 1, 1, "br"),
    Case((1, 1, 40, 1), 3, 1, 1, "br"),
    Case((1, 2, 13, 35), 3, 1, 0, "br"),
    Case((1, 2, 13, 35), 3, 1, 0, "p"),
    Case((1, 6, 20, 20), 2, 2, 0, "r", pools=True),
    Case((1, 6, 21, 37), 3, 2, 1, "br", pools=True),
    Case((1, 6, 21, 37), 3, 1, 1, "x", pools=True),
]


def program(case: Case, dtype: str) -> ModuleOp:
    m = ModuleBuilder()
    channels = case.shape[1]
    rows = [(size + 2 * case.padding - case.window) // case.stride + 1 for size in case.shape[2:]]
    with m.function("main") as f:
        image = x = f.input("x", tensor(case.shape, dtype))
        w = f.param("w", tensor((channels, 1, case.window, case.window), dtype))
        b = f.param("b", tensor((channels, 1, 1), dtype))
        other = f.param("other", tensor((case.shape[0], channels, *rows), dtype))
        with f.dataflow() as g:
            how = {"strides": [case.stride], "padding": [case.padding] * 4}
            if case.pools:
                y = g.nn.max_pool2d(x, pool_size=[case.window], **how)
            else:
                y = g.nn.conv2d(x, w, groups=channels, **how)
            for step in case.after:
                match step:
                    case "b":
                        y = g.add(y, b)
                    case "r":
                        y = g.nn.relu(y)
                    case "6":
                        y = g.clip(y, min=0, max=6)
                    case "x":
                        y = g.add(y, image)
                    case "s":
                        y = g.sigmoid(y)
                    case "p":
                        y = g.multiply(y, other)
                    case _:
                        y = g.mean(y, axis=[3])
            result = g.output(y)
        f.returns(result)
    return m.build()


@pytest.mark.sweep(16)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{'x'.join(map(str, case.shape))}-{case.after}")
def test_windows_with_epilogues(case: Case, dtype: str, target: str):
    if reason := lacking(cpu_target(target)):
        pytest.skip(reason)
    random = np.random.default_rng(sum(case.shape))
    rows = [(size + 2 * case.padding - case.window) // case.stride + 1 for size in case.shape[2:]]
    shapes = [case.shape, (case.shape[1], 1, case.window, case.window), (case.shape[1], 1, 1), (*case.shape[:2], *rows)]
    values = [(random.standard_normal(shape) / 2).astype(DTYPES[dtype]) for shape in shapes]
    values[0].reshape(-1)[-1] = np.nan
    (wanted,) = Interpreter(program(case, "f64")).call("main", *(each.astype(np.float64) for each in values))
    for threads in (1, 2):
        native = xdsl_relax.compile(program(case, dtype), threads=threads, target=target)["main"]
        error = TOLERANCES[dtype]
        np.testing.assert_allclose(native(*values).astype(np.float64), wanted, rtol=error, atol=4 * error)
        if threads == 1:
            (result,) = call_guarded(native, values)
            guarded = np.asarray(result).astype(np.float64).reshape(wanted.shape)
            np.testing.assert_allclose(guarded, wanted, rtol=error, atol=4 * error)
