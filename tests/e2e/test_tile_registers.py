"""Contractions in tile registers (AMX), of bf16 and of 8 bits, against numpy in f64 and i64; they run where a process may use AMX."""

import itertools
import multiprocessing
import subprocess
import sys
import threading

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from harness.c_library import NO_TILES, compile_c, needs_c
from harness.loops_kernel import Kernel, generic
from xdsl_relax.targets.cpu import cpu_target, lacking

AMX = "sapphirerapids"
pytestmark = pytest.mark.skipif(lacking(cpu_target(AMX)) != "", reason=f"not run: {lacking(cpu_target(AMX))}")

LEFT = "(d0, d1, d2) -> (d0, d2)"
RIGHT = {"n": "(d0, d1, d2) -> (d2, d1)", "t": "(d0, d1, d2) -> (d1, d2)"}
PACKED = "(d0, d1, d2) -> (d1 floordiv 64, d2 floordiv {g}, d1 mod 64, d2 mod {g})"
OUT = "(d0, d1, d2) -> (d0, d1)"
BF16 = """%p = arith.extf %a0 : bf16 to f32
%q = arith.extf %a1 : bf16 to f32
%r = arith.mulf %p, %q : f32
%s = arith.addf %a2, %r : f32
linalg.yield %s : f32"""
INSTRUCTIONS = {"b": "tdpbf16ps", "ss": "tdpbssd", "su": "tdpbsud", "us": "tdpbusd", "uu": "tdpbuud"}
EXTREMES = {"s": (-128, 127), "u": (0, 255)}


def bytes_body(signs: str) -> str:
    return f"""%p = arith.ext{signs[0]}i %a0 : i8 to i32
%q = arith.ext{signs[1]}i %a1 : i8 to i32
%r = arith.muli %p, %q : i32
%s = arith.addi %a2, %r : i32
linalg.yield %s : i32"""


def memref(shape, element, dynamic=False) -> str:
    return f"memref<{''.join('?x' if dynamic else f'{s}x' for s in shape)}{element}>"


def function(maps, types, kind, fill=True, iterators="ppr") -> str:
    names = [f"%x{k}" for k in range(3)]
    operands = list(zip(names, types, strict=True))
    out = "f32" if kind == "b" else "i32"
    zero = f"%z = arith.constant {'0.0' if kind == 'b' else '0'} : {out}\nlinalg.fill ins(%z : {out}) outs(%x2 : {types[2]})\n"
    text = generic(maps, iterators, operands[:2], operands[2:], BF16 if kind == "b" else bytes_body(kind))
    return (
        f"func.func @f({', '.join(f'{n}: {t}' for n, t in operands)}) {{\n{zero if fill else ''}{text}func.return\n}}"
    )


def packed(matrix: np.ndarray, group: int) -> np.ndarray:
    """Blocks of 64 columns, in which groups of rows lie together."""
    rows, columns = matrix.shape
    whole = np.pad(matrix, ((0, -rows % group), (0, -columns % 64)))
    return np.ascontiguousarray(
        whole.reshape(whole.shape[0] // group, group, whole.shape[1] // 64, 64).transpose(2, 0, 3, 1)
    )


def matrix(rng, shape, sign: str, extreme: bool = False) -> np.ndarray:
    if sign == "b":
        return rng.standard_normal(shape).astype(ml_dtypes.bfloat16)
    low, high = EXTREMES[sign]
    dtype = np.int8 if sign == "s" else np.uint8
    return (
        rng.choice(np.array([low, high], dtype), shape)
        if extreme
        else rng.integers(low, high, shape, dtype, endpoint=True)
    )


def check_product(result, left, right, start=0):
    if result.dtype == np.int32:
        np.testing.assert_array_equal(result, left.astype(np.int64) @ right.astype(np.int64) + start)
        return
    wide, other = left.astype(np.float64), right.astype(np.float64)
    # Sums in f32, in whatever order.
    bound = (left.shape[1] + 2) * 2.0**-24 * (abs(wide) @ abs(other) + abs(start))
    assert (abs(result - (wide @ other + start)) <= bound).all()


def compiled(size, layout, kind, fill=True, dynamic=False) -> Kernel:
    m, n, k = size
    group, element, out = (2, "bf16", "f32") if kind == "b" else (4, "i8", "i32")
    right = {"n": (k, n), "t": (n, k), "p": (-(-n // 64), -(-k // group), 64, group)}[layout]
    rmap = PACKED.format(g=group) if layout == "p" else RIGHT[layout]
    types = [memref((m, k), element, dynamic), memref(right, element, dynamic), memref((m, n), out, dynamic)]
    if layout == "p" and dynamic:
        types[1] = f"memref<?x?x64x{group}x{element}>"
    kernel = Kernel(function([LEFT, rmap, OUT], types, kind, fill), target=AMX)
    return kernel


def run(kernel, size, layout, kind, fill=True, extreme=False) -> None:
    m, n, k = size
    rng = np.random.default_rng(m + 3 * n + 5 * k)
    left, right = matrix(rng, (m, k), kind[0], extreme), matrix(rng, (k, n), kind[-1], extreme)
    b = right if layout == "n" else right.T if layout == "t" else packed(right, 2 if kind == "b" else 4)
    out = np.full((m, n), 7, np.float32 if kind == "b" else np.int32)
    kernel(left, np.ascontiguousarray(b), out)
    check_product(out, left, right, 0 if fill else 7)


ROWS, STEPS, COLUMNS = (1, 15, 16, 17, 31, 33), (1, 31, 32, 33, 63, 65), (1, 15, 16, 17, 63, 65)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", INSTRUCTIONS)
@pytest.mark.parametrize("layout", ["n", "t", "p"])
def test_each_number_of_rows_columns_and_steps(layout, kind):
    """One kernel takes all sizes, with what the output holds added or not."""
    for fill in (True, False):
        kernel = compiled((1, 1, 1), layout, kind, fill, dynamic=True)
        assert f"llvm.x86.{INSTRUCTIONS[kind]}" in kernel.ir
        for number, (m, n, k) in enumerate(itertools.product(ROWS, COLUMNS, STEPS)):
            if fill or number % 7 == 0:
                run(kernel, (m, n, k), layout, kind, fill, extreme=number % 2 == 1)
        for size in ((0, 5, 5), (5, 0, 5), (9, 9, 0), (200, 130, 2051), (97, 257, 1024)):
            run(kernel, size, layout, kind, fill)


SIZES = [
    (16, 64, 64),
    (17, 65, 63),
    (33, 130, 33),
    (64, 48, 96),
    (129, 16, 4100),
    (31, 1000, 100),
    (40, 100, 513),
    (9, 300, 65),
]


@pytest.mark.sweep
@pytest.mark.parametrize("kind", INSTRUCTIONS)
@pytest.mark.parametrize("layout", ["n", "t", "p"])
def test_known_sizes(layout, kind):
    for number, size in enumerate(SIZES):
        kernel = compiled(size, layout, kind, fill=number % 3 != 0)
        assert f"llvm.x86.{INSTRUCTIONS[kind]}" in kernel.ir
        run(kernel, size, layout, kind, fill=number % 3 != 0)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["b", "us"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_rows_that_begin_at_lines_or_not(kind, dynamic):
    """Rows of the left operand are read in place or copied, as its address and the distance of its rows have it; so is the last block."""
    for m, n, k in ((70, 200, 128), (33, 300, 192), (40, 130, 100), (32, 128, 2048)):
        kernel = compiled((m, n, k), "n", kind, dynamic=dynamic)
        rng = np.random.default_rng(k)
        left, right = matrix(rng, (m, k), kind[0]), matrix(rng, (k, n), kind[-1])
        memory = np.zeros(left.nbytes + 128, np.uint8)
        line = -memory.ctypes.data % 64
        for offset in (0, 16, 32, 62):
            start = line + offset
            moved = memory[start : start + left.nbytes].view(left.dtype).reshape(m, k)
            moved[:] = left
            out = np.full((m, n), 7, np.float32 if kind == "b" else np.int32)
            kernel(moved, right, out)
            check_product(out, left, right)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["b", "us"])
@pytest.mark.parametrize("layout", ["n", "t"])
def test_two_reductions(layout, kind):
    """Panels of an outer reduction are filled together where all of them fit, else one after the other; few steps of each are gathered."""
    element, out = ("bf16", "f32") if kind == "b" else ("i8", "i32")
    sizes = ((40, 130, 3, 40), (33, 300, 2, 65), (70, 600, 4, 300), (112, 64, 7, 21), (17, 33, 9, 9), (31, 16, 20, 33))
    for m, n, r, k in sizes:
        rng = np.random.default_rng(n)
        left, right = matrix(rng, (r, m, k), kind[0]), matrix(rng, (r, k, n), kind[-1])
        b = right if layout == "n" else right.transpose(0, 2, 1)
        types = [memref((r, m, k), element), memref(b.shape, element), memref((m, n), out)]
        maps = ["(d0, d1, d2, d3) -> (d2, d0, d3)", "(d0, d1, d2, d3) -> (d2, d3, d1)", "(d0, d1, d2, d3) -> (d0, d1)"]
        if layout == "t":
            maps[1] = "(d0, d1, d2, d3) -> (d2, d1, d3)"
        kernel = Kernel(function(maps, types, kind, iterators="pprr"), target=AMX)
        assert f"llvm.x86.{INSTRUCTIONS[kind]}" in kernel.ir
        result = np.zeros((m, n), np.float32 if kind == "b" else np.int32)
        kernel(left, np.ascontiguousarray(b), result)
        check_product(result, np.concatenate(list(left), 1), np.concatenate(list(right), 0))


def test_few_rows_of_many_weights():
    """Weights that exceed the second-level cache are read block by block, with all steps in one call."""
    for size in ((49, 600, 4608), (64, 650, 4001), (33, 1000, 2500)):
        kernel = compiled(size, "p", "us")
        run(kernel, size, "p", "us", extreme=True)


WINDOWS = """
func.func @main(%x: tensor<XxE>, %w: tensor<WxF>) -> tensor<YxO> attributes {relax.num_input = 1 : i64} {
  %y = relax.nn.conv2d %x, %w {data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = O, ATTRIBUTES}
      : (tensor<XxE>, tensor<WxF>) -> tensor<YxO>
  return %y : tensor<YxO>
}
"""


def windows_of(x: np.ndarray, w: np.ndarray, stride: int, dilation: int, padding, groups: int) -> np.ndarray:
    """A convolution by one product for each tap and group."""
    wide, (_, height, width, _) = x.astype(np.int64), w.shape
    top, left, bottom, right = padding
    wide = np.pad(wide, ((0, 0), (top, bottom), (left, right), (0, 0)))
    sizes = [
        (size - dilation * (taps - 1) - 1) // stride + 1
        for size, taps in zip(wide.shape[1:3], (height, width), strict=True)
    ]
    out = np.zeros((x.shape[0], *sizes, w.shape[0]), np.int64)
    inputs, outputs = w.shape[3], w.shape[0] // groups
    for g, i, j in itertools.product(range(groups), range(height), range(width)):
        rows, columns = (
            slice(tap * dilation, tap * dilation + (size - 1) * stride + 1, stride)
            for tap, size in zip((i, j), sizes, strict=True)
        )
        taps = wide[:, rows, columns, g * inputs : (g + 1) * inputs]
        here = slice(g * outputs, (g + 1) * outputs)
        out[..., here] += taps @ w[here, i, j].astype(np.int64).T
    return out


# Side, input and output channels, window, stride, dilation, padding, groups.
CONVOLUTIONS = [
    (1, 3, 16, 1, 1, 1, (0, 0, 0, 0), 1),
    (7, 1, 17, 3, 1, 1, (1, 1, 1, 1), 1),
    (13, 17, 65, 3, 1, 1, (1, 0, 0, 1), 1),
    (13, 65, 64, 3, 2, 1, (0, 1, 1, 0), 1),
    (56, 64, 64, 3, 1, 1, (1, 1, 1, 1), 1),
    (56, 64, 33, 3, 2, 1, (0, 0, 1, 1), 1),
    (29, 128, 128, 3, 1, 1, (1, 1, 1, 1), 1),
    (23, 64, 48, 3, 1, 2, (2, 2, 2, 2), 1),
    (23, 100, 30, 3, 2, 3, (3, 1, 2, 0), 1),
    (23, 128, 96, 3, 1, 1, (1, 1, 1, 1), 2),
    (20, 34, 6, 5, 1, 2, (1, 2, 3, 4), 2),
    (40, 3, 64, 7, 2, 1, (3, 3, 3, 3), 1),
]


@pytest.mark.sweep
@pytest.mark.parametrize("lift", [False, True])
@pytest.mark.parametrize(
    ("side", "inputs", "outputs", "taps", "stride", "dilation", "padding", "groups"), CONVOLUTIONS, ids=str
)
def test_convolutions(side, inputs, outputs, taps, stride, dilation, padding, groups, lift):
    """Sums stay in registers for all taps of a window, in one group or several; extreme factors overflow nothing."""
    rng = np.random.default_rng(side + inputs)
    w = matrix(rng, (outputs, taps, taps, inputs // groups), "s", extreme=True)
    w[:, 0, 0] = -3
    x = matrix(rng, (2, side, side, inputs), "u")
    want = windows_of(x, w, stride, dilation, padding, groups)
    attributes = f"strides = array<i64: {stride}>, dilation = array<i64: {dilation}>, groups = {groups} : i64, "
    attributes += f"padding = array<i64: {', '.join(map(str, padding))}>"
    text = WINDOWS
    for name, array in (("X", x), ("W", w), ("Y", want)):
        text = text.replace(f"<{name}x", f"<{'x'.join(map(str, array.shape))}x")
    text = text.replace("xE>", "xui8>").replace("xF>", "xi8>").replace("xO>", "xi32>").replace("= O,", "= i32,")
    exe = xdsl_relax.compile(text.replace("ATTRIBUTES", attributes), target=AMX, lift=lift, cache=False)
    weights = exe.transform_params({"w": w}) if lift else w
    np.testing.assert_array_equal(np.asarray(exe["main"](x, weights)), want)


def test_infinities_and_nan():
    """What lies beyond the last step, or the last column, is multiplied with nothing."""
    for size in ((17, 33, 65), (33, 70, 31), (16, 64, 64)):
        m, n, k = size
        for layout in "np":
            kernel = compiled(size, layout, "b")
            left = np.ones((m, k), ml_dtypes.bfloat16)
            right = np.ones((k, n), ml_dtypes.bfloat16)
            left[3, -1], left[4, 0], right[0, 5] = np.inf, np.nan, -np.inf
            out = np.zeros((m, n), np.float32)
            kernel(left, packed(right, 2) if layout == "p" else right, out)
            with np.errstate(invalid="ignore"):
                np.testing.assert_array_equal(out, left.astype(np.float32) @ right.astype(np.float32))


def test_subnormals_are_zero():
    """The instruction takes subnormal factors as 0, and makes subnormal sums 0, as `vdpbf16ps` does."""
    kernel = compiled((16, 64, 64), "n", "b")
    for x, y in ((2.0**-130, 1), (2.0**-70, 2.0**-70)):
        left, right = (np.full(shape, v).astype(ml_dtypes.bfloat16) for shape, v in (((16, 64), x), ((64, 64), y)))
        out = np.full((16, 64), 7, np.float32)
        kernel(left, right, out)
        assert (out == 0).all()


LAYER = """
func.func @main(%x: tensor<?xKxE, #relax.sym<n>>, %w: tensor<KxNxE>, %b: tensor<NxO>)
    -> tensor<?xNxO, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.matmul %x, %w {out_dtype = O} : (tensor<?xKxE, #relax.sym<n>>, tensor<KxNxE>) -> tensor<?xNxO, #relax.sym<n>>
    %z = relax.add %y, %b : (tensor<?xNxO, #relax.sym<n>>, tensor<NxO>) -> tensor<?xNxO, #relax.sym<n>>
    %s = relax.nn.relu %z : (tensor<?xNxO, #relax.sym<n>>) -> tensor<?xNxO, #relax.sym<n>>
    relax.output %s : tensor<?xNxO, #relax.sym<n>>
  } : tensor<?xNxO, #relax.sym<n>>
  return %r : tensor<?xNxO, #relax.sym<n>>
}
"""


def layer(element: str, out: str, steps: int, columns: int, **options):
    text = LAYER.replace("KxN", f"{steps}x{columns}").replace("?xK", f"?x{steps}").replace("xN", f"x{columns}")
    text = (
        text.replace("<NxO", f"<{columns}xO")
        .replace("xE", f"x{element}")
        .replace("xO", f"x{out}")
        .replace("= O", f"= {out}")
    )
    return xdsl_relax.compile(text, target=AMX, lift=True, cache=False, **options)


@pytest.mark.sweep
@pytest.mark.parametrize(("kind", "element", "out"), [("b", "bf16", "f32"), ("s", "i8", "i32"), ("u", "ui8", "i32")])
def test_layers(kind, element, out):
    """Packed weights, an epilogue that reads sums on the stack, and any number of threads."""
    rng = np.random.default_rng(0)
    for steps, columns in ((768, 300), (67, 130), (1025, 64)):
        alone, shared = (layer(element, out, steps, columns, threads=threads) for threads in (1, 2))
        right, bias = matrix(rng, (steps, columns), kind), matrix(rng, (columns,), "b" if kind == "b" else "s")
        bias = bias.astype(np.float32 if kind == "b" else np.int32)
        weights = {"w": right, "b": bias}
        params = [exe.transform_params(weights) for exe in (alone, shared)]
        for rows in (1, 3, 16, 33, 100, 301):
            left = matrix(rng, (rows, steps), kind)
            result, other = (exe["main"](left, p) for exe, p in zip((alone, shared), params, strict=True))
            np.testing.assert_array_equal(np.asarray(result), np.asarray(other))
            if kind == "b":
                wide = left.astype(np.float64) @ right.astype(np.float64) + bias
                bound = (
                    (steps + 3) * 2.0**-24 * (abs(left.astype(np.float64)) @ abs(right.astype(np.float64)) + abs(bias))
                )
                assert (abs(np.asarray(result) - np.maximum(wide, 0)) <= bound).all()
            else:
                wide = left.astype(np.int64) @ right.astype(np.int64) + bias
                np.testing.assert_array_equal(np.asarray(result), np.maximum(wide, 0))


def test_llvm_optimizes_around_them():
    """Levels at which LLVM moves code leave the order of loads, products and stores of tiles."""
    rng = np.random.default_rng(0)
    left, right = matrix(rng, (49, 200), "s"), matrix(rng, (200, 150), "s")
    for level in (0, 1, 3):
        exe = layer("i8", "i32", 200, 150, opt_level=level)
        params = exe.transform_params({"w": right, "b": np.zeros(150, np.int32)})
        want = np.maximum(left.astype(np.int64) @ right.astype(np.int64), 0)
        np.testing.assert_array_equal(np.asarray(exe["main"](left, params)), want)


def test_beside_another_library():
    """torch finds the registers of a thread as it expects them between calls of ours."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    left, right = matrix(rng, (100, 256), "b"), matrix(rng, (256, 192), "b")
    exe = layer("bf16", "f32", 256, 192)
    params = exe.transform_params({"w": right, "b": np.zeros(192, np.float32)})
    want = np.asarray(exe["main"](left, params)).copy()
    tensors = [torch.randn(shape).bfloat16() for shape in ((64, 512), (512, 96))]
    product = tensors[0] @ tensors[1]
    for _ in range(20):
        np.testing.assert_array_equal(np.asarray(exe["main"](left, params)), want)
        assert torch.equal(tensors[0] @ tensors[1], product)


def call_again(exe, params, left, want, queue):
    queue.put(bool((np.asarray(exe["main"](left, params)) == want).all()))


def test_forks_and_threads():
    """Children of a fork and threads, those that were there before too, may use the registers, and leave them as they were."""
    ready, go, seen = threading.Event(), threading.Event(), []
    rng = np.random.default_rng(0)
    left, right = matrix(rng, (100, 256), "b"), matrix(rng, (256, 192), "b")
    made = {}

    def early() -> None:
        ready.set()
        go.wait()
        for _ in range(20):
            seen.append((np.asarray(made["exe"]["main"](left, made["params"])) == made["want"]).all())

    old = threading.Thread(target=early)
    old.start()
    ready.wait()
    exe = made["exe"] = layer("bf16", "f32", 256, 192, threads=2)
    params = made["params"] = exe.transform_params({"w": right, "b": np.zeros(192, np.float32)})
    want = made["want"] = np.asarray(exe["main"](left, params)).copy()
    go.set()
    new = [
        threading.Thread(target=lambda: seen.append((np.asarray(exe["main"](left, params)) == want).all()))
        for _ in range(4)
    ]
    for thread in new:
        thread.start()
    for thread in (old, *new):
        thread.join()
    assert len(seen) == 24 and all(seen)
    fork = multiprocessing.get_context("fork")
    queue = fork.Queue()
    children = [fork.Process(target=call_again, args=(exe, params, left, want, queue)) for _ in range(2)]
    for child in children:
        child.start()
    assert all(queue.get(timeout=60) for _ in children)
    for child in children:
        child.join()
        assert child.exitcode == 0
    assert (np.asarray(exe["main"](left, params)) == want).all()


C_PROGRAM = """
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include "net.h"

int main(int count, char **arguments) {
  (void)arguments;
  static uint16_t x[33 * 65], w[65 * 64];
  static char small[4096];
  for (int i = 0; i < 33 * 65; ++i) x[i] = 0x3f80;
  for (int i = 0; i < 65 * 64; ++i) w[i] = 0x4000;
  stack_t stack = {.ss_sp = small, .ss_size = sizeof small};
  if (count > 1 && sigaltstack(&stack, NULL) != 0) return 100;
  relax_tensor left = {x, RELAX_BF16, 2, {33, 65}}, right = {w, RELAX_BF16, 2, {65, 64}}, y = {0};
  relax_error error;
  for (int i = 0; i < 2; ++i) {
    relax_status status = net_main(&left, &right, &y, &error);
    if (status != RELAX_OK) {
      puts(error.message);
      return status;
    }
  }
  printf("%g %g\\n", ((float *)y.data)[0], ((float *)y.data)[33 * 64 - 1]);
  return 0;
}
"""
PRODUCT = """
func.func @main(%x: tensor<33x65xbf16>, %w: tensor<65x64xbf16>) -> tensor<33x64xf32> {
  %y = relax.matmul %x, %w {out_dtype = f32} : (tensor<33x65xbf16>, tensor<65x64xbf16>) -> tensor<33x64xf32>
  return %y : tensor<33x64xf32>
}
"""


@needs_c
def test_library_asks_for_the_registers(tmp_path):
    """A process of C has them after the first call; where Linux declines, as for a small signal stack, the call says so."""
    xdsl_relax.compile_library(PRODUCT, tmp_path, name="net", linker="none", target=AMX)
    (tmp_path / "main.c").write_text(C_PROGRAM)
    compile_c("-I.", "main.c", "net.c", "net.o", "-lm", "-o", "main", cwd=tmp_path)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "130 130\n")
    declined = subprocess.run([tmp_path / "main", "small"], capture_output=True, text=True, check=False)
    assert declined.returncode == NO_TILES
    assert declined.stdout == (
        "main: Linux does not give this process the tile registers that the code is compiled for\n"
    )


DECLINED = """
import ctypes, sys
class Stack(ctypes.Structure):
    _fields_ = [("sp", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]
memory = ctypes.create_string_buffer(4096)
assert ctypes.CDLL(None).sigaltstack(ctypes.byref(Stack(ctypes.addressof(memory), 0, 4096)), None) == 0
from xdsl_relax.targets.cpu import cpu_target, host_target, lacking
print(sorted(f for f in host_target().features if "amx" in f), "amx-tile" in host_target().absent, lacking(cpu_target("sapphirerapids")))
"""


def test_process_without_the_registers():
    """Where Linux declines, this machine has none, and code that needs them is not run."""
    done = subprocess.run([sys.executable, "-c", DECLINED], capture_output=True, text=True, check=True)
    assert done.stdout == "[] True this machine lacks amx-bf16, amx-int8, amx-tile\n"
