"""Convolutions by Winograd's F(2x2, 3x3) and F(4x4, 3x3) against direct ones in float64: schedules by hand, strided buffers, networks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from cases.nn_winograd import transform
from harness.emulator import Emulated, requires_emulator
from harness.guard_pages import call_guarded, faults
from harness.loops_kernel import Kernel, generic, target_of
from harness.sampling import sampled
from harness.wasm import WasmLibrary, needs_wasm
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.builder import ModuleBuilder, tensor
from xdsl_relax.dialects.relax.rules.winograd import FOUR, TILES, TWO, Transform, WinogradTile

DIMS = "(n, o, y, x, c, u, v, i, j)"
PRODUCT = "\n".join(f"%m{k} = arith.mulf {'%a0' if k == 1 else f'%m{k - 1}'}, %a{k} : f32" for k in range(1, 6))
BODY = f"{PRODUCT}\n%s = arith.addf %a6, %m5 : f32\nlinalg.yield %s : f32"
RELU = "%zero = arith.constant 0.0 : f32\n%m = arith.maximumf %a0, %zero : f32\nlinalg.yield %m : f32"
CONTRACTS = "relax.contract"
"""What the names of kernels of products begin with."""
BOTH = pytest.mark.parametrize("tile", TILES.values(), ids=lambda tile: tile.name)

Dims = tuple[int, int, int, int, int]
"""Batch, input and output channels, rows and columns of the result."""


def memref(dims: Sequence[Any], layout: str = "") -> str:
    return f"memref<{'x'.join(map(str, dims))}xf32{layout}>"


def matrix(name: str, rows: Transform) -> str:
    """The text of a constant."""
    values = str([list(map(float, row)) for row in rows])
    shape = f"{len(rows)}x{len(rows[0])}xf32"
    return (
        f'"memref.global"() <{{sym_name = "{name}", sym_visibility = "private", constant, type = memref<{shape}>, '
        f"initial_value = dense<{values}> : tensor<{shape}>}}> : () -> ()\n"
    )


def contraction(types: Sequence[str], tile: WinogradTile, schedule: str = "") -> str:
    """The text of a convolution of %x by %k that is added to %y, with a schedule."""
    step, window = tile.size, tile.window
    exprs = [
        f"(n, c, (y floordiv {step}) * {step} + i, (x floordiv {step}) * {step} + j)",
        *("(u, v, c, o)", f"(y mod {step}, u)", f"(x mod {step}, v)", "(u, i)", "(v, j)", "(n, o, y, x)"),
    ]
    names = [("%x", types[0]), ("%k", types[1])]
    names += [("%a", memref((step, window)))] * 2 + [("%b", memref((window, window)))] * 2
    text = generic([f"{DIMS} -> {each}" for each in exprs], "pppprrrrr", names, [("%y", types[2])], BODY)
    return scheduled(text, schedule)


def scheduled(text: str, schedule: str) -> str:
    attribute = f"attrs = {{relax.schedule = #relax.schedule<{schedule}>}} " if schedule else ""
    return text.replace("{\n^bb0", f"{attribute}{{\n^bb0")


def padded(size: int, tile: WinogradTile) -> int:
    return -(-size // tile.size) * tile.size + 2


def program(
    arguments: str, body: str, tile: WinogradTile, results: Transform | None = None, windows: Transform | None = None
) -> str:
    """The text of a function, with the constants `%a` and `%b`: those of a tile, or others."""
    step, window = tile.size, tile.window
    constants = f"%a = memref.get_global @a : {memref((step, window))}\n"
    constants += f"%b = memref.get_global @b : {memref((window, window))}\n"
    matrices = matrix("a", results or tile.result) + matrix("b", windows or tile.data)
    return matrices + f"func.func @f({arguments}) {{\n{constants}{body}return\n}}"


def kernel(
    dims: Dims, tile: WinogradTile, schedule: str = "", *, adds: bool = False, relu: bool = False, **options: Any
) -> Kernel:
    """Compiles a convolution; it adds to its output, or starts at zero, and a relu runs on its result."""
    types = [memref(each) for each in shapes(dims, tile)]
    text = contraction(types, tile, schedule)
    if not adds:
        text = f"%z = arith.constant 0.0 : f32\nlinalg.fill ins(%z : f32) outs(%y : {types[2]})\n{text}"
    if relu:
        text += generic(["(n, o, y, x) -> (n, o, y, x)"] * 2, "pppp", [("%y", types[2])], [("%r", types[2])], RELU)
    names = ["%x", "%k", "%y", *(["%r"] if relu else [])]
    arguments = ", ".join(f"{name}: {t}" for name, t in zip(names, [*types, types[2]], strict=False))
    return Kernel(program(arguments, text, tile), **options)


def shapes(dims: Dims, tile: WinogradTile) -> list[tuple[int, ...]]:
    batch, inputs, outputs, rows, columns = dims
    image = (batch, inputs, padded(rows, tile), padded(columns, tile))
    return [image, (tile.window, tile.window, inputs, outputs), (batch, outputs, rows, columns)]


def arrays(dims: Dims, tile: WinogradTile) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns the padded image, the transformed kernel, what is in the output before, and the convolution in float64."""
    rng = np.random.default_rng(0)
    image, _, result = shapes(dims, tile)
    taps = rng.standard_normal((dims[2], dims[1], 3, 3)) / np.sqrt(9 * dims[1])
    x = rng.standard_normal(image, np.float32)
    k = transform(taps, tile).astype(np.float32)
    return x, k, rng.standard_normal(result, np.float32), direct(x, taps, result[2:])


def direct(x: np.ndarray, taps: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Returns the first rows and columns of a convolution without padding, in float64."""
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), (3, 3), (2, 3))
    windows = windows[:, :, : sizes[0], : sizes[1]]
    return np.moveaxis(np.tensordot(windows, taps.astype(np.float64), ([1, 4, 5], [1, 2, 3])), -1, 1)


def close(result: np.ndarray, expected: np.ndarray) -> None:
    assert result.shape == expected.shape
    assert np.abs(result - expected).max(initial=0) <= 4e-6 * np.abs(expected).max(initial=0)


SCHEDULES: dict[str, tuple[Dims, str]] = {
    "rows of tiles": ((2, 3, 5, 7, 9), "lanes = 4, shape = [2, 8], block = [2, 5], channels = 5"),
    "a tile": ((1, 2, 19, 5, 5), "lanes = 16, shape = [14, 16], block = [1, 1], channels = 16"),
    "parts of a row": ((1, 5, 7, 3, 41), "lanes = 2, shape = [3, 4], block = [1, 8], channels = 3, grain = 1"),
    "more than there is": ((1, 3, 32, 4, 6), "lanes = 32, shape = [2, 64], block = [99, 999], channels = 999"),
    "all channels": ((1, 1, 130, 3, 4), "lanes = 8, shape = [6, 16], block = [1, 2], channels = 130"),
    "images that none is of": ((0, 3, 9, 7, 9), "lanes = 8, shape = [2, 8], block = [2, 5], channels = 9, grain = 2"),
    "data for all threads": (
        (2, 5, 37, 7, 9),
        "lanes = 8, shape = [3, 8], block = [2, 5], channels = 16, staged = 2, grain = 1",
    ),
    "data of a part of a row for all threads": (
        (1, 7, 11, 3, 41),
        "lanes = 4, shape = [3, 4], block = [1, 8], channels = 4, staged = 1, grain = 1",
    ),
    "data for one thread": ((1, 3, 9, 5, 6), "lanes = 8, shape = [5, 8], block = [3, 3], channels = 9, staged = 9"),
    "a row of tiles that is left over by channels": (
        (1, 3, 20, 5, 6),
        "lanes = 8, shape = [3, 8], block = [1, 3], channels = 20, shares = 2, grain = 1",
    ),
    "images and parts of rows in shares": (
        (3, 2, 17, 3, 9),
        "lanes = 4, shape = [3, 8], block = [1, 2], channels = 17, shares = 5, grain = 1",
    ),
    "added in shares": (
        (2, 3, 9, 9, 6),
        "lanes = 8, shape = [5, 8], block = [2, 3], channels = 9, shares = 2, grain = 1",
    ),
    "fewer blocks than shares": (
        (1, 3, 33, 5, 6),
        "lanes = 8, shape = [5, 8], block = [2, 3], channels = 33, shares = 3",
    ),
    "two lanes": ((3, 2, 3, 1, 3), "lanes = 2, shape = [1, 2], block = [1, 2], channels = 2, grain = 1"),
    "added to vectors that overlap": (
        (1, 3, 21, 5, 6),
        "lanes = 8, shape = [5, 16], block = [3, 3], channels = 8, grain = 1",
    ),
}


@pytest.mark.sweep(8)
@BOTH
@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_by_hand(name: str, tile: WinogradTile):
    (batch, inputs, outputs, rows, columns), fields = SCHEDULES[name]
    # As many tiles of each size.
    rows, columns = ((size - 1) * tile.size // 2 + 1 for size in (rows, columns))
    dims = batch, inputs, outputs, rows, columns
    loops = [k for k, size in enumerate((batch, outputs, rows, columns, inputs, 4, 4, 4, 4)) if size != 1]
    x, k, y, expected = arrays(dims, tile)
    adds = name.startswith("a")
    schedule = f"winograd, loops = {loops}, {fields}"
    call = kernel(dims, tile, schedule, adds=adds, relu=True, threads=2, target="x86-64-v4")
    r = np.full_like(y, 7)
    expected = expected + y if adds else expected
    call(x, k, y, r, shift=4)
    close(y, expected)
    close(r, np.maximum(expected, 0))


@pytest.mark.sweep(4)
@BOTH
@pytest.mark.parametrize(
    ("dims", "threads"),
    [((1, 2048, 3, 3, 4), 1), ((1, 4000, 2, 3, 5), 1), ((1, 2047, 65, 1, 99), 2), ((1, 3, 5, 2, 2001), 3)],
)
def test_stacks_have_room(dims: Dims, threads: int, tile: WinogradTile):
    """Many channels have fewer lanes; blocks that are left over have the memory of the others."""
    x, k, y, expected = arrays(dims, tile)
    call = kernel(dims, tile, threads=threads, target="x86-64-v4")
    assert CONTRACTS in call.loops
    assert call.ir.count("alloca [") == 3
    call(x, k, y)
    close(y, expected)


@pytest.mark.parametrize(("tile", "inputs"), [(TWO, 8193), (FOUR, 4097)])
def test_more_channels_than_stacks_have_room_for(tile: WinogradTile, inputs: int):
    dims = (1, inputs, 1, 1, 3)
    x, k, y, expected = arrays(dims, tile)
    call = kernel(dims, tile, target="x86-64-v4")
    assert CONTRACTS not in call.loops
    call(x, k, y)
    np.testing.assert_allclose(y, expected, atol=1e-3)


def test_products_that_lie_unevenly():
    """A kernel whose last products are left out of a larger array: it is no schedule's, and computed all the same."""
    dims = (1, 3, 5, 3, 4)
    x, k, y, expected = arrays(dims, TWO)
    larger = np.full((4, 5, 3, 5), np.nan, np.float32)
    larger[:, :4] = k
    image, _, result = map(memref, shapes(dims, TWO))
    view = memref((4, 4, 3, 5), ", strided<[75, 15, 5, 1]>")
    cut = f"%k = memref.subview %all[0, 0, 0, 0] [4, 4, 3, 5] [1, 1, 1, 1] : memref<4x5x3x5xf32> to {view}\n"
    arguments = f"%x: {image}, %all: memref<4x5x3x5xf32>, %y: {result}"
    call = Kernel(program(arguments, cut + contraction([image, view, result], TWO), TWO))
    assert CONTRACTS not in call.loops
    expected = expected + y
    call(x, larger, y)
    close(y, expected)


@BOTH
@pytest.mark.parametrize("which", ["results", "windows"])
def test_other_constants(which: str, tile: WinogradTile):
    """Matrices of which a number differs are those of another function."""
    dims = (1, 2, 3, 4, 5)
    x, k, y, _ = arrays(dims, tile)
    matrices = {"results": tile.result, "windows": tile.data}
    matrices[which] = ((0.0, *matrices[which][0][1:]), *matrices[which][1:])
    types = [memref(each) for each in shapes(dims, tile)]
    arguments = ", ".join(f"%{name}: {t}" for name, t in zip("xky", types, strict=True))
    call = Kernel(program(arguments, contraction(types, tile), tile, **matrices))
    assert CONTRACTS not in call.loops
    a, b = (np.array(rows) for rows in matrices.values())
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), (tile.window, tile.window), (2, 3))
    windows = windows[:, :, :: tile.size, :: tile.size]
    tiles = np.einsum("ncyxij,ui,vj,uvco,pu,qv->noypxq", windows, b, b, k.astype(np.float64), a, a, optimize=True)
    batch, outputs, height, _, width, _ = tiles.shape
    expected = tiles.reshape(batch, outputs, height * tile.size, width * tile.size)[:, :, :4, :5] + y
    call(x, k, y)
    close(y, expected)


@BOTH
@pytest.mark.parametrize("adds", [False, True])
def test_buffers_that_are_a_part_of_others(adds: bool, tile: WinogradTile):
    dims = (2, 3, 5, 7, 9)
    x, k, y, expected = arrays(dims, tile)
    image, kernels, result = shapes(dims, tile)
    around = [(1, 1), (1, 2), (2, 1), (3, 2)]
    large, larger = np.pad(x, around, constant_values=np.nan), np.pad(y, around, constant_values=3)
    views, cuts = [], []
    for name, whole, part in (("x", large, image), ("y", larger, result)):
        strides = [step // 4 for step in whole.strides]
        offset = sum(step * low for step, (low, _) in zip(strides, around, strict=True))
        views.append(memref(part, f", strided<{strides}, offset: {offset}>"))
        lows = [low for low, _ in around]
        cuts.append(
            f"%{name} = memref.subview %{name}s{lows} {list(part)} [1, 1, 1, 1] : {memref(whole.shape)} to {views[-1]}\n"
        )
    fill = "" if adds else f"%z = arith.constant 0.0 : f32\nlinalg.fill ins(%z : f32) outs(%y : {views[1]})\n"
    arguments = f"%xs: {memref(large.shape)}, %k: {memref(kernels)}, %ys: {memref(larger.shape)}"
    text = program(arguments, "".join(cuts) + fill + contraction([views[0], memref(kernels), views[1]], tile), tile)
    call = Kernel(text, threads=2)
    assert CONTRACTS in call.loops
    inside = tuple(slice(low, low + size) for (low, _), size in zip(around, result, strict=True))
    wanted = larger.astype(np.float64)
    wanted[inside] = expected + y if adds else expected
    call(large, k, larger)
    close(larger, wanted)
    outside = np.ones(larger.shape, bool)
    outside[inside] = False
    assert (larger[outside] == 3).all()


# ---- programs ----


def single(dims: Sequence[int], outputs: int, padding: Sequence[int], tile: WinogradTile) -> ModuleOp:
    """A convolution with a residual and a relu."""
    m = ModuleBuilder()
    batch, inputs, *spatial = dims
    result = [batch, outputs, *(size + sum(padding[k::2]) - 2 for k, size in enumerate(spatial))]
    with m.function("main") as f:
        x, k = (
            f.input("x", tensor(dims, "f32")),
            f.input("k", tensor((tile.window, tile.window, inputs, outputs), "f32")),
        )
        z = f.input("z", tensor(result, "f32"))
        with f.dataflow() as g:
            y = g.output(g.nn.relu(g.add(g.nn.winograd_conv2d(x, k, padding=padding), z)))
        f.returns(y)
    return m.build()


IMAGES = [
    (*image, tile)
    for tile in TILES.values()
    for image in (
        ((1, 3, 8, 10), 5, (0, 0, 0, 0)),
        ((2, 3, 7, 9), 5, (0, 0, 0, 0)),
        ((1, 2, 3, 4), 65, (0, 0, 0, 0)),
        ((1, 3, 6, 70), 3, (0, 0, 0, 0)),
        ((1, 5, 9, 35), 2, (1, 0, 1, 2)),
        ((1, 130, 12, 17), 3, (1, 1, 1, 1)),
    )
]


def single_arrays(
    dims: Sequence[int], outputs: int, padding: Sequence[int], tile: WinogradTile
) -> tuple[list[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(1)
    top, left, bottom, right = padding
    x = rng.standard_normal(dims, np.float32)
    taps = rng.standard_normal((outputs, dims[1], 3, 3))
    image = np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)])
    y = direct(image, taps, [size - 2 for size in image.shape[2:]])
    z = rng.standard_normal(y.shape, np.float32)
    return [x, transform(taps, tile).astype(np.float32), z], np.maximum(y + z, 0)


@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "x86-64-v4"])
def test_memory_outside_of_buffers_is_not_touched(target: str):
    target = target_of(target).name
    calls = []
    for image in sampled(IMAGES, lambda image: f"{target} {image}", 3):
        function = xdsl_relax.compile(single(*image), target=target, threads=2)["main"]

        def call(image: Any = image, function: Any = function) -> str | None:
            args, expected = single_arrays(*image)
            close(np.asarray(call_guarded(function, args)).reshape(expected.shape), expected)
            return None

        calls.append((str(image), call))
    assert faults(calls) == []


@pytest.mark.sweep(5)
@BOTH
@pytest.mark.parametrize(
    ("dims", "outputs", "padding"),
    [
        ((1, 131, 15, 13), 137, (1, 1, 1, 1)),
        ((1, 128, 13, 14), 128, (0, 0, 0, 0)),
        ((1, 67, 29, 31), 64, (1, 1, 1, 1)),
        ((2, 256, 7, 5), 72, (1, 0, 1, 2)),
        (("n", 96, 17, 14), 97, (1, 1, 1, 1)),
    ],
)
def test_any_number_of_threads_computes_the_same(
    dims: Sequence[Any], outputs: int, padding: Sequence[int], tile: WinogradTile
):
    """Blocks have other sizes and channels for each number, and data are transformed by other threads."""
    functions = [
        xdsl_relax.compile(single(dims, outputs, padding, tile), threads=threads)["main"] for threads in (1, 2, 3)
    ]
    for batch in (0, 1, 3) if dims[0] == "n" else dims[:1]:
        args, expected = single_arrays((batch, *dims[1:]), outputs, padding, tile)
        first, *others = (np.asarray(function(*args)) for function in functions)
        close(first, expected)
        assert [each.tobytes() for each in others] == [first.tobytes()] * 2


@requires_emulator
def test_aarch64():
    for image in (*IMAGES[1:4], *IMAGES[-5:-1]):
        args, expected = single_arrays(*image)
        close(Emulated(single(*image))("main", *args)[0], expected)


@needs_wasm
@pytest.mark.parametrize("image", [IMAGES[1], IMAGES[-5]])
def test_wasm(tmp_path: Path, image: Any):
    args, expected = single_arrays(*image)
    xdsl_relax.compile_library(single(*image), tmp_path, name="winograd", target="wasm32")
    (result,) = WasmLibrary(tmp_path, "winograd").call("main", *args)
    close(result, expected)


def network(inputs: int, spatial: tuple[int, int]) -> ModuleOp:
    """Two convolutions: one with a bias and a relu, one with a bias, the residual and a relu."""
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor(("n", inputs, *spatial), "f32"))
        w = [f.param("w0", tensor((35, inputs, 3, 3), "f32")), f.param("w1", tensor((inputs, 35, 3, 3), "f32"))]
        b = [f.param("b0", tensor((35, 1, 1), "f32")), f.param("b1", tensor((inputs, 1, 1), "f32"))]
        with f.dataflow() as g:
            y = g.nn.relu(g.add(g.nn.conv2d(x, w[0], padding=[1]), b[0]))
            y = g.add(g.add(g.nn.conv2d(y, w[1], padding=[1]), b[1]), x)
            y = g.output(g.nn.relu(y))
        f.returns(y)
    return m.build()


@pytest.mark.sweep(8)
@pytest.mark.parametrize(
    ("tile", "inputs", "spatial"), [(TWO, 32, (13, 14)), (FOUR, 32, (29, 31)), (FOUR, 128, (16, 15))]
)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "native"])
def test_a_network(target: str, threads: int, tile: WinogradTile, inputs: int, spatial: tuple[int, int]):
    rng = np.random.default_rng(2)
    sizes = {"w0": (35, inputs, 3, 3), "w1": (inputs, 35, 3, 3), "b0": (35, 1, 1), "b1": (inputs, 1, 1)}
    weights = {name: rng.standard_normal(size, np.float32) / 16 for name, size in sizes.items()}
    exe = xdsl_relax.compile(network(inputs, spatial), lift=True, target=target, threads=threads)
    params = exe.transform_params(weights)
    assert sum(part.shape[:2] == (tile.window, tile.window) for part in params) == 2
    around = [(0, 0), (0, 0), (1, 1), (1, 1)]
    for batch in (0, 1, 3):
        x = rng.standard_normal((batch, inputs, *spatial), np.float32)
        y = np.maximum(direct(np.pad(x, around), weights["w0"], spatial) + weights["b0"], 0)
        y = np.maximum(direct(np.pad(y, around), weights["w1"], spatial) + weights["b1"] + x, 0)
        close(np.asarray(exe["main"](x, params)), y)
