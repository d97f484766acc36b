"""Convolutions of 8 bits that lifting makes products of their windows and a packed kernel, against the interpreter, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl.context import Context
from xdsl_relax.builder import ModuleBuilder, tensor
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.passes.lifting.infer_num_input import InferNumInputPass
from xdsl_relax.passes.lifting.pack_weights import PackWeightsPass

UNFOLDED: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "window": ((1, 7, 7, 20), (70, 3, 3, 20), {"padding": [1]}),
    "batch, strides": ((2, 9, 11, 5), (64, 3, 2, 5), {"strides": [2, 3], "padding": [0, 1, 2, 3]}),
    "dilation": ((1, 9, 8, 3), (65, 3, 3, 3), {"dilation": [2, 3], "padding": [1]}),
    "few outputs": ((1, 3, 5, 17), (5, 3, 3, 17), {"padding": [1]}),
    "single pixel": ((1, 1, 1, 65), (33, 1, 1, 65), {}),
    "pixels as they are": ((1, 13, 29, 33), (48, 1, 1, 33), {}),
    "every second pixel": ((3, 13, 29, 8), (16, 1, 1, 8), {"strides": [2]}),
    "padded pixels": ((1, 5, 5, 64), (64, 1, 1, 64), {"padding": [1, 0]}),
    "a window as large as the image": ((5, 4, 3, 6), (40, 4, 3, 6), {}),
    "one dim": ((2, 19, 7), (37, 5, 7), {"padding": [2]}),
    "three dims": ((1, 3, 4, 5, 6), (50, 2, 2, 3, 6), {"strides": [1, 2, 1], "padding": [1, 0, 1]}),
}
LEFT: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "many pixels": ((1, 9, 9, 4), (4, 3, 3, 4), {}),
    "groups": ((1, 5, 5, 8), (32, 3, 3, 4), {"groups": 2}),
    "many items": ((1, 7, 7, 4), (64, 5, 5, 4), {}),
    "no pixels": ((0, 5, 5, 8), (32, 3, 3, 8), {}),
    "no channels": ((1, 5, 5, 0), (32, 3, 3, 0), {}),
}
LETTERS = {1: "W", 2: "HW", 3: "DHW"}
TYPES = {"ui8": np.uint8, "i8": np.int8}


def program(x: tuple[int, ...], w: tuple[int, ...], options: dict[str, Any], types: tuple[str, str]):
    """A convolution with channels last, and a sum behind it."""
    m = ModuleBuilder()
    spatial = LETTERS[len(x) - 2]
    with m.function("main") as f:
        data = f.input("x", tensor(x, types[0]))
        weight = f.param("w", tensor(w, types[1]))
        bias = f.param("b", tensor(w[:1], "i32"))
        layouts = {"data_layout": f"N{spatial}C", "kernel_layout": f"O{spatial}I"}
        with f.dataflow() as g:
            convolve = getattr(g.nn, f"conv{len(spatial)}d")
            y = g.output(g.add(convolve(data, weight, out_dtype="i32", **layouts, **options), bias))
        f.returns(y)
    return m.build()


def packs(module) -> bool:
    InferNumInputPass().apply(Context(), module)
    PackWeightsPass().apply(Context(), module)
    module.verify()
    return any(op.name == "relax.packed_matmul" for op in module.walk())


def check(case: tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]], types: tuple[str, str], target: str):
    rng = np.random.default_rng(0)
    shapes, options = case[:2], case[2]
    x, w = (
        rng.integers(np.iinfo(TYPES[t]).min, np.iinfo(TYPES[t]).max, s, TYPES[t], endpoint=True)
        for t, s in zip(types, shapes, strict=True)
    )
    b = rng.integers(-1000, 1000, shapes[1][0], np.int32)
    expected = Interpreter(program(*case[:2], options, types)).call("main", x, w, b)
    executable = xdsl_relax.compile(program(*case[:2], options, types), lift=True, target=target)
    result = executable["main"](x, executable.transform_params({"w": w, "b": b}))
    np.testing.assert_array_equal(result, np.asarray(expected).reshape(result.shape))


@pytest.mark.sweep
@pytest.mark.parametrize("name", UNFOLDED)
def test_windows_are_unfolded(name):
    case = UNFOLDED[name]
    assert packs(program(*case, ("ui8", "i8")))
    for target in ("native", "x86-64-v3"):
        check(case, ("ui8", "i8"), target)


@pytest.mark.parametrize("types", [("i8", "i8"), ("ui8", "ui8"), ("i8", "ui8")])
def test_other_signs(types):
    for name in ("window", "batch, strides"):
        check(UNFOLDED[name], types, "native")


@pytest.mark.parametrize("name", LEFT)
def test_others_are_left(name):
    assert not packs(program(*LEFT[name], ("ui8", "i8")))
    check(LEFT[name], ("ui8", "i8"), "native")
