"""`relax-use-winograd` for convolutions of bytes: what it takes, what it declines, and the results, against convolutions in int64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.builder import ModuleBuilder, tensor
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.lowering.pipeline import Settings
from xdsl_relax.passes.analysis.remarks import Topic, recording
from xdsl_relax.passes.lifting.use_winograd import UseWinogradPass

NAME = "relax.nn.integer_winograd_conv2d"
LAST = {"data_layout": "NHWC", "out_layout": "NHWC", "kernel_layout": "OHWI", "out_dtype": "i32"}

Dims = Sequence[int | str]


def convolution(
    x: Dims, w: Dims, types: Sequence[str] = ("ui8", "i8"), weight: bool = True, **options: Any
) -> ModuleOp:
    """A convolution by a kernel that is a parameter, or an input."""
    m = ModuleBuilder()
    with m.function("main") as f:
        data = f.input("x", tensor(x, types[0]))
        kernel = (f.param if weight else f.input)("w", tensor(w, types[1]))
        with f.dataflow() as g:
            y = g.output(g.nn.conv2d(data, kernel, **{**LAST, **options}))
        f.returns(y)
    return m.build()


def is_used(module: ModuleOp, panel: int = 16) -> bool:
    """Whether the pass replaces the convolution; the module is valid then."""
    UseWinogradPass(panel=panel).apply(Context(), module)  # pyright: ignore[reportArgumentType]
    module.verify()
    names = [op.name for op in module.walk()]
    assert (NAME in names) != ("relax.nn.conv2d" in names)
    return NAME in names


TAKEN: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "padded": ((1, 7, 7, 32), (32, 3, 3, 32), {"padding": [1]}),
    "four-paddings": ((2, 5, 8, 64), (48, 3, 3, 64), {"padding": [0, 1, 2, 3]}),
    "signed": ((1, 6, 6, 32), (16, 3, 3, 32), {"types": ("i8", "i8")}),
    "other-kernel": ((2, 6, 7, 32), (3, 3, 32, 16), {"kernel_layout": "HWIO"}),
    "kernel-with-channels-first": ((1, 9, 4, 32), (16, 32, 3, 3), {"kernel_layout": "OIHW", "padding": [1]}),
}


def taps(w: np.ndarray, layout: str) -> np.ndarray:
    """Returns a kernel as [O, C, 3, 3]."""
    return w.transpose([layout.index(letter) for letter in "OIHW"])


@pytest.mark.parametrize("name", TAKEN)
def test_takes_and_is_exact(name: str):
    x_dims, w_dims, options = TAKEN[name]
    module = convolution(x_dims, w_dims, **options)
    rng = np.random.default_rng(0)
    signed = options.get("types", ("ui8",))[0] == "i8"
    x = rng.integers(-128, 128, x_dims).astype(np.int8) if signed else rng.integers(0, 256, x_dims).astype(np.uint8)
    w = rng.integers(-128, 128, w_dims).astype(np.int8)
    (expected,) = Interpreter(module).call("main", x, w)
    assert is_used(module)
    (result,) = Interpreter(module).call("main", x, w)
    np.testing.assert_array_equal(result, expected)
    pads = options.get("padding", [0])
    top, left, bottom, right = pads * 4 if len(pads) == 1 else pads
    padded = np.pad(x, [(0, 0), (top, bottom), (left, right), (0, 0)]).astype(np.int64)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    kernel = taps(w, options.get("kernel_layout", "OHWI")).astype(np.int64)
    np.testing.assert_array_equal(result, np.einsum("nyxcij,ocij->nyxo", windows, kernel, optimize=True))


DECLINED: dict[str, tuple[Dims, Dims, dict[str, Any], str]] = {
    "stride": ((1, 8, 8, 32), (16, 3, 3, 32), {"strides": [2]}, "its kernel moves by 2x2, want 1x1"),
    "dilation": ((1, 8, 8, 32), (16, 3, 3, 32), {"dilation": [2]}, "its kernel is dilated by 2x2, want 1x1"),
    "groups": ((1, 8, 8, 64), (32, 3, 3, 32), {"groups": 2}, "it has 2 groups, want 1"),
    "1x1": ((1, 8, 8, 32), (16, 1, 1, 32), {}, "its kernel has 1x1 taps, want 3x3"),
    "unsigned": ((1, 8, 8, 32), (16, 3, 3, 32), {"types": ("ui8", "ui8")}, "kernel and result are ui8 and i32, want i8 and i32"),
    "wide-result": ((1, 8, 8, 32), (16, 3, 3, 32), {"types": ("i8", "i8"), "out_dtype": "i64"}, "kernel and result are i8 and i64, want i8 and i32"),
    "outputs": ((1, 8, 8, 32), (24, 3, 3, 32), {}, "it has 24 output channels, want a multiple of 16"),
    "inputs": ((1, 8, 8, 48), (16, 3, 3, 48), {}, "it has 48 input channels, want a multiple of 32, 1827 at most"),
    "many-inputs": ((1, 8, 8, 1856), (16, 3, 3, 1856), {}, "it has 1856 input channels, want a multiple of 32, 1827 at most"),
    "no-inputs": ((1, 8, 8, 0), (16, 3, 3, 0), {}, "it has 0 input channels, want a multiple of 32, 1827 at most"),
    "no-outputs": ((1, 8, 8, 32), (0, 3, 3, 32), {}, "it has 0 output channels, want a multiple of 16"),
    "unknown-rows": ((1, "h", 8, 32), (16, 3, 3, 32), {}, "its result has h - 2x6 pixels, want numbers that are known before run time"),
    "small": ((1, 5, 5, 32), (16, 3, 3, 32), {}, "its result has 3x3 pixels, which tiles of 2x2 exceed by too many"),
    "channels-first": ((1, 32, 8, 8), (16, 32, 3, 3), {"data_layout": "NCHW", "kernel_layout": "OIHW"},
                       "channels do not come last in data and result"),
    "no-weight": ((1, 8, 8, 32), (16, 3, 3, 32), {"weight": False}, "its kernel is no weight, which would be packed at every call"),
}  # fmt: skip


@pytest.mark.parametrize("name", DECLINED)
def test_declines_and_says_why(name: str):
    x, w, options, reason = DECLINED[name]
    with recording() as remarks:
        assert not is_used(convolution(x, w, **options))
    texts = [remark.text for remark in remarks if remark.topic is Topic.REWRITE]
    assert texts == [f"relax.nn.conv2d is not computed by Winograd: {reason}"]


def test_says_no_more_without_panels():
    with recording() as remarks:
        assert not is_used(convolution((1, 8, 8, 32), (16, 3, 3, 32)), panel=0)
    (remark,) = remarks
    assert "ui8, i8, i32, want f32" in remark.text


def test_other_panels_are_none():
    with pytest.raises(ValueError, match="panel: expected one of 0, 16, 32, 64, got 8"):
        UseWinogradPass(panel=8)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("target", "panel"),
    [("x86-64", 0), ("x86-64-v3", 16), ("x86-64-v4", 64), ("znver4", 0), ("alderlake", 0), ("aarch64-generic", 0)],
)
def test_panels_of_targets(target: str, panel: int):
    """Those that multiply i16 and no bytes."""
    options = Settings(lift=True, target=target).options("relax-use-winograd")
    assert options == (f"{{panel={panel}}}" if panel else "")
