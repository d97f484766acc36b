"""Convolutions of bytes by Winograd's F(2x2, 3x3) against direct ones in int64: schedules by hand, strided buffers, networks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from cases.nn_winograd import packed
from harness.guard_pages import call_guarded, faults
from harness.loops_kernel import Kernel, generic, target_of
from harness.sampling import sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.builder import ModuleBuilder, tensor
from xdsl_relax.dialects.relax.rules.winograd import TWO
from xdsl_relax.dialects.upstream.op_error import OpError
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.executable.native_function import ExecutionError

DIMS = "(n, y, x, o, c, u, v, i, j)"
RELU = "%zero = arith.constant 0 : i32\n%m = arith.maxsi %a0, %zero : i32\nlinalg.yield %m : i32"
CONTRACTS = "relax.contract"
"""What the names of kernels of products begin with."""

Dims = tuple[int, int, int, int, int]
"""Batch, input and output channels, rows and columns of the result."""


def memref(dims: Sequence[Any], element: str, layout: str = "") -> str:
    return f"memref<{'x'.join(map(str, dims))}x{element}{layout}>"


def matrices() -> str:
    text = ""
    for name, rows in (("a", TWO.result), ("b", TWO.data)):
        values = str([list(map(int, row)) for row in rows])
        shape = f"{len(rows)}x{len(rows[0])}xi32"
        text += (
            f'"memref.global"() <{{sym_name = "{name}", sym_visibility = "private", constant, type = memref<{shape}>, '
            f"initial_value = dense<{values}> : tensor<{shape}>}}> : () -> ()\n"
        )
    return text


def contraction(types: Sequence[str], block: int, extension: str, schedule: str = "") -> str:
    """The text of a convolution of %x by %k that is added to %y, with a schedule."""
    factors = ["%e0", "%e1", *(f"%a{k}" for k in range(2, 6))]
    before = [factors[0], *(f"%m{k}" for k in range(1, 5))]
    products = "\n".join(f"%m{k} = arith.muli {before[k - 1]}, {factors[k]} : i32" for k in range(1, 6))
    body = f"%e0 = arith.{extension} %a0 : i8 to i32\n%e1 = arith.extsi %a1 : i16 to i32\n{products}\n"
    body += "%s = arith.addi %a6, %m5 : i32\nlinalg.yield %s : i32"
    exprs = [
        "(n, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j, c)",
        f"(u, v, o floordiv {block}, c floordiv 2, o mod {block}, c mod 2)",
        *("(y mod 2, u)", "(x mod 2, v)", "(u, i)", "(v, j)", "(n, y, x, o)"),
    ]
    names = [("%x", types[0]), ("%k", types[1])] + [("%a", "memref<2x4xi32>")] * 2 + [("%b", "memref<4x4xi32>")] * 2
    text = generic([f"{DIMS} -> {each}" for each in exprs], "pppprrrrr", names, [("%y", types[2])], body)
    attribute = f"attrs = {{relax.schedule = #relax.schedule<{schedule}>}} " if schedule else ""
    return text.replace("{\n^bb0", f"{attribute}{{\n^bb0")


def shapes(dims: Dims, block: int) -> list[tuple[int, ...]]:
    batch, inputs, outputs, rows, columns = dims
    image = (batch, rows + rows % 2 + 2, columns + columns % 2 + 2, inputs)
    return [image, (4, 4, outputs // block, inputs // 2, block, 2), (batch, rows, columns, outputs)]


def program(types: Sequence[str], body: str) -> str:
    arguments = ", ".join(f"%{name}: {t}" for name, t in zip("xkyr", types, strict=False))
    constants = "%a = memref.get_global @a : memref<2x4xi32>\n%b = memref.get_global @b : memref<4x4xi32>\n"
    return f"{matrices()}func.func @f({arguments}) {{\n{constants}{body}return\n}}"


def kernel(dims: Dims, block: int, schedule: str, *, adds: bool, unsigned: bool, **options: Any) -> Kernel:
    """Compiles a convolution; it adds to its output, or starts at zero, and a relu runs on its result."""
    types = [memref(each, element) for each, element in zip(shapes(dims, block), ("i8", "i16", "i32"), strict=True)]
    text = contraction(types, block, "extui" if unsigned else "extsi", schedule)
    if not adds:
        text = f"%z = arith.constant 0 : i32\nlinalg.fill ins(%z : i32) outs(%y : {types[2]})\n{text}"
    text += generic(["(n, o, y, x) -> (n, o, y, x)"] * 2, "pppp", [("%y", types[2])], [("%r", types[2])], RELU)
    return Kernel(program([*types, types[2]], text), **options)


def arrays(dims: Dims, block: int, unsigned: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns the padded image, the transformed kernel, what is in the output before, and four times the convolution, in int64."""
    rng = np.random.default_rng(0)
    image, _, result = shapes(dims, block)
    taps = rng.integers(-128, 128, (dims[2], dims[1], 3, 3))
    taps[:, ::3] = -128
    x = rng.integers(0, 256, image).astype(np.uint8)
    x[..., 1::3] = 255 if unsigned else 128
    y = rng.integers(-1000, 1000, result).astype(np.int32)
    values = x if unsigned else x.view(np.int8)
    return x.view(np.int8), packed(taps, block).astype(np.int16), y, 4 * direct(values, taps, result[1:3])


def direct(x: np.ndarray, taps: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Returns the first rows and columns of a convolution without padding, in int64."""
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), (3, 3), (1, 2))
    windows = windows[:, : sizes[0], : sizes[1]]
    # Sums of so many bytes are exact in float64.
    return np.tensordot(windows, taps.astype(np.float64), ([3, 4, 5], [1, 2, 3])).astype(np.int64)


SCHEDULES: dict[str, tuple[Dims, int, str]] = {
    "rows of tiles": ((2, 32, 48, 7, 9), 16, "lanes = 8, shape = [2, 8], block = [2, 5], channels = 16"),
    "a tile": ((1, 32, 16, 5, 5), 16, "lanes = 8, shape = [5, 16], block = [1, 1], channels = 16"),
    "parts of a row": ((1, 64, 32, 3, 41), 16, "lanes = 8, shape = [3, 16], block = [1, 8], channels = 32, grain = 1"),
    "more than there is": ((1, 32, 32, 4, 6), 32, "lanes = 8, shape = [2, 32], block = [99, 999], channels = 992"),
    "a column": ((1, 32, 16, 7, 1), 16, "lanes = 8, shape = [4, 16], block = [3, 1], channels = 16"),
    "a row": ((1, 32, 16, 1, 7), 16, "lanes = 8, shape = [4, 16], block = [1, 4], channels = 16"),
    "short vectors": ((1, 8, 12, 5, 6), 12, "lanes = 4, shape = [2, 12], block = [2, 3], channels = 12"),
    "images that none is of": (
        (0, 32, 16, 7, 9),
        16,
        "lanes = 8, shape = [2, 8], block = [2, 5], channels = 16, grain = 2",
    ),
    "fetched": ((1, 96, 64, 4, 5), 16, "lanes = 8, shape = [4, 16], block = [2, 3], channels = 32, fetched = 3"),
    "added to a last block of channels": (
        (1, 32, 80, 4, 5),
        16,
        "lanes = 8, shape = [6, 16], block = [1, 3], channels = 32",
    ),
    "added by long vectors": (
        (1, 64, 64, 5, 6),
        64,
        "lanes = 16, shape = [5, 64], block = [2, 3], channels = 64, grain = 1",
    ),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_by_hand(name: str, unsigned: bool):
    dims, block, fields = SCHEDULES[name]
    batch, inputs, outputs, rows, columns = dims
    loops = [k for k, size in enumerate((batch, rows, columns, outputs, inputs, 4, 4, 4, 4)) if size != 1]
    x, k, y, expected = arrays(dims, block, unsigned)
    adds = name.startswith("a")
    fields += ", instruction = vpmaddwd"
    target = "x86-64-v4" if "lanes = 16" in fields else "x86-64-v3"
    schedule = f"winograd, loops = {loops}, {fields}"
    call = kernel(dims, block, schedule, adds=adds, unsigned=unsigned, threads=2, target=target)
    assert (CONTRACTS in call.loops) == (batch > 0)
    r = np.full_like(y, 7)
    expected = expected + y if adds else expected
    call(x, k, y, r, shift=4)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(r, np.maximum(expected, 0))


REFUSED = {
    "lanes = 8, shape = [2, 8], block = [2, 5], channels = 16": "no instruction, which the products of a convolution of bytes need",
    "lanes = 8, shape = [2, 8], block = [2, 5], channels = 16, instruction = vpdpbusd": "instruction = vpdpbusd with lanes = 8, want one "
    "for i16 that has as many lanes",
    "lanes = 2, shape = [2, 8], block = [2, 5], channels = 16, instruction = vpmaddwd": "instruction = vpmaddwd with lanes = 2, want one "
    "for i16 that has as many lanes",
    "lanes = 16, shape = [2, 16], block = [2, 5], channels = 16, instruction = vpmaddwd": "lanes = 16, but the target x86-64-v3 has 8",
    "lanes = 8, shape = [2, 24], block = [2, 5], channels = 48, instruction = vpmaddwd": "shape = [2, 24], want channels that divide the "
    "16 of a panel of the kernel",
    "lanes = 8, shape = [2, 8], block = [2, 5], channels = 8, instruction = vpmaddwd": "channels = 8, want whole panels of 16 channels",
    "lanes = 8, shape = [2, 8], block = [2, 5], channels = 16, instruction = vpmaddwd, staged = 8": "staged = 8, want 0: ",
    "lanes = 8, shape = [2, 8], block = [2, 4], channels = 16, instruction = vpmaddwd": "block = [2, 4] of several rows, want all 5 columns "
    "of tiles",
}


@pytest.mark.parametrize("fields", REFUSED)
def test_schedules_that_are_refused(fields: str):
    schedule = f"winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], {fields}"
    with pytest.raises(OpError, match=re.escape(REFUSED[fields])):
        kernel((2, 32, 48, 7, 9), 16, schedule, adds=False, unsigned=True, target="x86-64-v3")


@pytest.mark.parametrize(
    ("inputs", "block", "lanes", "message"),
    [
        (48, 16, 16, "lanes = 16 with 48 input channels, want a multiple of 32"),
        (32, 8, 16, "lanes = 16 with panels of 8 channels, want a divisor"),
        (1600, 16, 8, "block = [3, 5] of 1600 inputs, want at most 10 tiles on the stack"),
    ],
)
def test_channels_that_no_vectors_are_of(inputs: int, block: int, lanes: int, message: str):
    fields = f"lanes = {lanes}, shape = [2, {lanes}], block = [3, 5], channels = 16, instruction = vpmaddwd"
    schedule = f"winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], {fields}"
    with pytest.raises(OpError, match=re.escape(message)):
        kernel((2, inputs, 16, 7, 9), block, schedule, adds=False, unsigned=True, target="x86-64-v4")


@pytest.mark.parametrize(
    ("dims", "block"),
    [
        pytest.param((1, 34, 16, 4, 4), 16, id="input channels that are no vectors"),
        pytest.param((1, 32, 12, 4, 4), 12, id="panels that are no vectors"),
        pytest.param((1, 2, 1, 1, 1), 1, id="one pixel"),
    ],
)
def test_what_no_schedule_is_for(dims: Dims, block: int):
    x, k, y, expected = arrays(dims, block, True)
    call = kernel(dims, block, "", adds=False, unsigned=True, target="x86-64-v3")
    assert CONTRACTS not in call.loops
    r = np.zeros_like(y)
    call(x, k, y, r)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("block", [8, 16, 24, 40, 48, 80])
@pytest.mark.parametrize(("target", "lanes"), [("x86-64-v3", 8), ("x86-64-v4", 16)])
def test_panels_of_any_number_of_vectors(block: int, target: str, lanes: int):
    """Tiles of registers have the most vectors that divide a panel."""
    dims = (2, 32, 2 * block, 5, 6)
    x, k, y, expected = arrays(dims, block, True)
    call = kernel(dims, block, "", adds=False, unsigned=True, target=target)
    assert (CONTRACTS in call.loops) == (block % lanes == 0)
    r = np.zeros_like(y)
    call(x, k, y, r)
    np.testing.assert_array_equal(y, expected)


def test_targets_without_the_instruction_have_loops_of_scalars():
    dims = (1, 32, 16, 4, 4)
    x, k, y, expected = arrays(dims, 16, True)
    for target in ("x86-64", "znver4"):
        call = kernel(dims, 16, "", adds=False, unsigned=True, target=target)
        assert CONTRACTS not in call.loops
        call(x, k, y, np.zeros_like(y))
        np.testing.assert_array_equal(y, expected)


def test_other_constants():
    """Matrices of which a number differs are those of another function."""
    dims, types = (1, 32, 16, 4, 4), ("i8", "i16", "i32")
    names = [memref(each, element) for each, element in zip(shapes(dims, 16), types, strict=True)]
    text = program(names, contraction(names, 16, "extsi"))
    assert CONTRACTS in Kernel(text, target="x86-64-v3").loops
    assert CONTRACTS not in Kernel(text.replace("[0, -1, 1, 0]", "[0, -1, 1, 1]"), target="x86-64-v3").loops


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("arith.extsi %a1 : i16", "arith.extui %a1 : i16", id="an unsigned kernel"),
        pytest.param("%e1 =", "%unread = arith.extui %a0 : i8 to i32\n%e1 =", id="data extended twice"),
    ],
)
def test_other_extensions(old: str, new: str):
    """Data are multiplied as they are extended, once, and the kernel is signed."""
    dims = (1, 32, 16, 4, 6)
    types = [memref(each, element) for each, element in zip(shapes(dims, 16), ("i8", "i16", "i32"), strict=True)]
    x, k, _, signed = arrays(dims, 16, False)
    text = program(types, contraction(types, 16, "extsi")).replace(old, new)
    results = []
    for target in ("x86-64-v3", "x86-64"):
        y = np.zeros(shapes(dims, 16)[2], np.int32)
        call = Kernel(text, target=target)
        assert CONTRACTS not in call.loops
        call(x, k, y)
        results.append(y)
    np.testing.assert_array_equal(*results)
    assert np.array_equal(results[0], signed) == ("unread" in new)


def test_buffers_that_are_a_part_of_others():
    dims = (2, 32, 16, 7, 9)
    x, k, y, expected = arrays(dims, 16, True)
    image, kernels, result = shapes(dims, 16)
    around = [(1, 1), (1, 2), (2, 1), (3, 2)]
    large, larger = np.pad(x, around, constant_values=77), np.pad(y, around, constant_values=3)
    views, cuts = [], ""
    for name, whole, part, element in (("x", large, image, "i8"), ("y", larger, result, "i32")):
        strides = [step // whole.itemsize for step in whole.strides]
        lows = [low for low, _ in around]
        offset = sum(step * low for step, low in zip(strides, lows, strict=True))
        views.append(memref(part, element, f", strided<{strides}, offset: {offset}>"))
        cuts += f"%{name} = memref.subview %{name}s{lows} {list(part)} [1, 1, 1, 1] : {memref(whole.shape, element)} to {views[-1]}\n"
    text = cuts + contraction([views[0], memref(kernels, "i16"), views[1]], 16, "extui")
    types = [memref(large.shape, "i8"), memref(kernels, "i16"), memref(larger.shape, "i32")]
    whole = program(types, text).replace("%x:", "%xs:").replace("%y:", "%ys:")
    call = Kernel(whole, threads=2, target="x86-64-v3")
    assert CONTRACTS in call.loops
    wanted = larger.astype(np.int64)
    wanted[tuple(slice(low, low + size) for (low, _), size in zip(around, result, strict=True))] += expected
    call(large, k, larger)
    np.testing.assert_array_equal(larger, wanted)


# ---- programs ----


def quantized(dims: Sequence[int | str], outputs: int, padding: Sequence[int], element: str) -> ModuleOp:
    """A convolution of bytes by a weight, with a bias, scaled to bytes again."""
    m = ModuleBuilder()
    options = {"data_layout": "NHWC", "kernel_layout": "OHWI", "out_layout": "NHWC", "out_dtype": "i32"}
    with m.function("main") as f:
        x = f.input("x", tensor(dims, element))
        w = f.param("w", tensor((outputs, 3, 3, dims[-1]), "i8"))
        b = f.param("b", tensor((outputs,), "i32"))
        with f.dataflow() as g:
            y = g.output(g.add(g.nn.conv2d(x, w, padding=padding, **options), b))
        f.returns(y)
    return m.build()


IMAGES: list[tuple[tuple[int | str, ...], int, tuple[int, ...], str]] = [
    ((1, 8, 10, 32), 64, (0, 0, 0, 0), "ui8"),
    (("n", 7, 9, 64), 64, (1, 1, 1, 1), "i8"),
    ((2, 6, 70, 32), 64, (1, 0, 1, 2), "ui8"),
    ((1, 6, 6, 1824), 64, (0, 0, 0, 0), "ui8"),
]


def quantized_arrays(image: Any) -> tuple[list[np.ndarray], dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(1)
    dims, outputs, (top, left, bottom, right), element = image
    shape = [3 if size == "n" else size for size in dims]
    x = rng.integers(0, 256, shape).astype(np.uint8)
    x = x if element == "ui8" else x.view(np.int8)
    w, b = rng.integers(-128, 128, (outputs, 3, 3, dims[-1])), rng.integers(-1000, 1000, outputs)
    padded = np.pad(x, [(0, 0), (top, bottom), (left, right), (0, 0)])
    y = direct(padded, w.transpose(0, 3, 1, 2), [size - 2 for size in padded.shape[1:3]])
    return [x], {"w": w.astype(np.int8), "b": b.astype(np.int32)}, y + b


CHANNELS_AT_RUN_TIME = """
func.func @main(%x: tensor<1x3x4x?xui8>, %k: tensor<4x4x1x?x16x2xi16>) -> tensor<1x1x2x16xi32> {
  %y = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 0, 0, 0, 0>}
      : (tensor<1x3x4x?xui8>, tensor<4x4x1x?x16x2xi16>) -> tensor<1x1x2x16xi32>
  return %y : tensor<1x1x2x16xi32>
}
"""


def test_channels_that_are_known_at_run_time():
    """Sums of so many fit i32, and of more are refused."""
    exe = xdsl_relax.compile(CHANNELS_AT_RUN_TIME)
    for call in (exe["main"], partial(Interpreter(load(CHANNELS_AT_RUN_TIME)).call, "main")):
        for channels in (0, 2, 1826, 1828):
            x, taps = np.full((1, 3, 4, channels), 255, np.uint8), np.full((16, channels, 3, 3), -128)
            k = packed(taps, 16).astype(np.int16)
            if channels > 1827:
                with pytest.raises((ExecutionError, InterpreterError), match="expected 1827 >= 2"):
                    call(x, k)
                continue
            result = np.asarray(call(x, k)).reshape(1, 1, 2, 16)
            np.testing.assert_array_equal(result, direct(x, taps, [1, 2]))


@pytest.mark.parametrize("target", ["x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize("threads", [1, 2])
def test_memory_outside_of_buffers_is_not_touched(target: str, threads: int):
    target = target_of(target).name
    calls = []
    for image in sampled(IMAGES, lambda image: f"{target} {threads} {image}", 3):
        exe = xdsl_relax.compile(quantized(*image), lift=True, target=target, threads=threads)
        args, weights, expected = quantized_arrays(image)
        params = exe.transform_params(weights)
        assert any(part.ndim == 6 and part.dtype == np.int16 for part in params)

        def call(function: Any = exe["main"], args: Any = (*args, params), expected: Any = expected) -> str | None:
            np.testing.assert_array_equal(np.asarray(call_guarded(function, args)).reshape(expected.shape), expected)
            return None

        calls.append((str(image), call))
    assert faults(calls) == []
