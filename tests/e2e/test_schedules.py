"""A schedule that is written by hand computes what the one of `schedule-linalg` does."""

from __future__ import annotations

import numpy as np
import pytest
from harness.loops_kernel import Kernel, generic, random

MATMUL = (["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"], "ppr")
BODY = "%0 = arith.mulf %a0, %a1 : f32\n%1 = arith.addf %a2, %0 : f32\nlinalg.yield %1 : f32"


def scheduled(text: str, schedule: str) -> str:
    """Returns the text of a generic with a schedule; without one if that is empty."""
    attribute = f"attrs = {{relax.schedule = #relax.schedule<{schedule}>}} {{\n^bb0" if schedule else "{\n^bb0"
    assert "{\n^bb0" in text
    return text.replace("{\n^bb0", attribute)


def function(types: list[str], body: str) -> str:
    arguments = ", ".join(f"%x{k}: {t}" for k, t in enumerate(types))
    return f"func.func @f({arguments}) {{\n{body}return\n}}"


CONTRACTIONS = [
    "",
    "scalars, loops = [1, 0, 2], parallel = 1, grain = 3",
    "vectors, loops = [0, 1, 2], along = 1, lanes = 8, unroll = 2, parallel = 1, grain = 1",
    "contraction, loops = [0, 1, 2], lanes = 4, row = 0, tiles = <shape = [5, 12], pack = rhs, steps = 17>",
    "contraction, loops = [0, 1, 2], lanes = 8, row = 0, tiles = <shape = [1, 8], pack = rhs, steps = 1, row_block = 4, grain = 2>",
    "contraction, loops = [1, 0, 2], lanes = 16, row = 1, tiles = <shape = [6, 64], pack = rhs, steps = 512>",
    "contraction, loops = [0, 1, 2], lanes = 8, row = 0, tiles = <shape = [2, 16], pack = rhs, steps = 40, grain = 1, fetched = 1>",
    "contraction, loops = [0, 1, 2], lanes = 8, row = 0, tiles = <shape = [3, 24], pack = rhs, steps = 40, ahead = 3>",
    "contraction, loops = [0, 1, 2], lanes = 8, row = 0, skinny = <rows = [7], unroll = [3], columns = 16, width = 16, grain = 1>",
    "vectors, loops = [0, 1, 2], along = 1, lanes = 8, unroll = 4, streams = 3, parallel = 1, grain = 1",
    "vectors, loops = [1, 0, 2], along = 0, lanes = 4, streams = 11",
]


@pytest.mark.sweep
@pytest.mark.parametrize("schedule", CONTRACTIONS)
@pytest.mark.parametrize("threads", [1, 2])
def test_contraction(schedule, threads):
    types = ["memref<7x33xf32>", "memref<33x45xf32>", "memref<7x45xf32>"]
    names = [(f"%x{k}", t) for k, t in enumerate(types)]
    kernel = Kernel(function(types, scheduled(generic(*MATMUL, names[:2], names[2:], BODY), schedule)), threads=threads)
    a, b, c = random("f32", (7, 33)), random("f32", (33, 45), 1), random("f32", (7, 45), 2)
    expected = c + a @ b
    kernel(a, b, c)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.sweep
@pytest.mark.parametrize("columns", [45, 64, 129])
@pytest.mark.parametrize(
    "schedule",
    ["column_block = 16, ahead = 4", "column_block = 32, grain = 1", "row_block = 4, column_block = 48, grain = 1", ""],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_of_columns(columns, schedule, threads):
    blocks = -(-columns // 32)
    types = ["memref<7x33xf32>", f"memref<{blocks}x33x32xf32>", f"memref<7x{columns}xf32>"]
    names = [(f"%x{k}", t) for k, t in enumerate(types)]
    maps = ["(m, n, k) -> (m, k)", "(m, n, k) -> (n floordiv 32, k, n mod 32)", "(m, n, k) -> (m, n)"]
    tiles = (
        f"shape = [4, 16], pack = none, steps = 8, {schedule}, fetched = 1"
        if schedule
        else "shape = [4, 16], pack = none, steps = 8"
    )
    attribute = f"contraction, loops = [0, 1, 2], lanes = 8, row = 0, tiles = <{tiles}>"
    kernel = Kernel(
        function(types, scheduled(generic(maps, "ppr", names[:2], names[2:], BODY), attribute)), threads=threads
    )
    a, b, c = random("f32", (7, 33)), random("f32", (blocks, 33, 32), 1), random("f32", (7, columns), 2)
    expected = c + a @ b.transpose(1, 0, 2).reshape(33, -1)[:, :columns]
    kernel(a, b, c)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.sweep
@pytest.mark.parametrize("columns", [45, 64, 129])
@pytest.mark.parametrize("steps", [33, 16, 5])
@pytest.mark.parametrize("threads", [1, 2])
def test_rows_that_are_converted_once(columns, steps, threads):
    types = ["memref<7x33xf16>", f"memref<33x{columns}xf16>", f"memref<7x{columns}xf32>"]
    names = [(f"%x{k}", t) for k, t in enumerate(types)]
    body = "%w0 = arith.extf %a0 : f16 to f32\n%w1 = arith.extf %a1 : f16 to f32\n" + BODY.replace(
        "%a0, %a1", "%w0, %w1"
    )
    tiles = f"shape = [4, 16], pack = both, steps = {steps}, row_block = 4, column_block = 48, grain = 1"
    attribute = f"contraction, loops = [0, 1, 2], lanes = 8, row = 0, tiles = <{tiles}>"
    text = function(types, scheduled(generic(*MATMUL, names[:2], names[2:], body), attribute))
    a, b, c = random("f16", (7, 33)), random("f16", (33, columns), 1), random("f32", (7, columns), 2)
    expected = c + a.astype(np.float64) @ b.astype(np.float64)
    Kernel(text, threads=threads)(a, b, c)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("shape", "tiles"),
    [
        (shape, tiles)
        for shape in [(7, 33, 45), (8, 2, 16), (4, 3, 17), (23, 64, 130), (13, 40, 48)]
        for rows, tiles in [
            (shape[0], ""),
            (4, "row_block = 4, grain = 1"),
            (8, "row_block = 8, grain = 1, unroll = {even}, fetched = 1, ahead = 64"),
        ]
        # Every block begins with a whole tile.
        if shape[0] % rows not in (1, 2, 3)
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_panels_that_the_first_tile_fills(shape, tiles, threads):
    m, k, n = shape
    types = [f"memref<{m}x{k}xf32>", f"memref<{k}x{n}xf32>", f"memref<{m}x{n}xf32>"]
    names = [(f"%x{number}", t) for number, t in enumerate(types)]
    tiles = f"shape = [4, 16], pack = rhs, steps = 64, filled = beside, {tiles.format(even=2 - k % 2)}".rstrip(", ")
    attribute = f"contraction, loops = [0, 1, 2], lanes = 8, row = 0, tiles = <{tiles}>"
    text = function(types, scheduled(generic(*MATMUL, names[:2], names[2:], BODY), attribute))
    a, b, c = random("f32", (m, k)), random("f32", (k, n), 1), random("f32", (m, n), 2)
    expected = c.astype(np.float64) + a.astype(np.float64) @ b
    kernel = Kernel(text, threads=threads)
    assert ".copy" in kernel.ir
    kernel(a, b, c)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)


def test_panels_of_unknown_rows():
    """Fewer rows than a tile has leave memory around the output alone."""
    types = ["memref<?x64xf32>", "memref<64x96xf32>", "memref<?x96xf32>"]
    names = [(f"%x{number}", t) for number, t in enumerate(types)]
    kernel = Kernel(function(types, generic(*MATMUL, names[:2], names[2:], BODY)))
    for m in (0, 1, 5, 7, 97, 101):
        a, b, c = random("f32", (m, 64)), random("f32", (64, 96), 1), random("f32", (m, 96), 2)
        expected = c.astype(np.float64) + a.astype(np.float64) @ b
        kernel(a, b, c)
        np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("rows", [1, 2, 3, 9])
def test_few_rows_are_found_at_run_time(rows):
    types = ["memref<?x33xf32>", "memref<33x45xf32>", "memref<?x45xf32>"]
    names = [(f"%x{k}", t) for k, t in enumerate(types)]
    schedule = (
        "contraction, loops = [0, 1, 2], lanes = 8, row = 0, tiles = <shape = [4, 16], pack = rhs, steps = 16>, "
        "skinny = <rows = [1, 2], unroll = [4, 2], columns = 24, width = 8>"
    )
    kernel = Kernel(function(types, scheduled(generic(*MATMUL, names[:2], names[2:], BODY), schedule)))
    a, b, c = random("f32", (rows, 33)), random("f32", (33, 45), 1), random("f32", (rows, 45), 2)
    expected = c + a @ b
    kernel(a, b, c)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)


EPILOGUES = [
    ("", "", ""),
    ("init", CONTRACTIONS[3], "epilogue, loops = [0, 1]"),
    ("init", CONTRACTIONS[5], "epilogue, loops = [1, 0]"),
    ("init", CONTRACTIONS[7], "epilogue, loops = [0, 1]"),
    (
        "scalars, loops = [[0, 1]]",
        CONTRACTIONS[4],
        "vectors, loops = [[0, 1]], along = 0, lanes = 2, chunk = 32, grain = 1",
    ),
]


@pytest.mark.parametrize("schedules", EPILOGUES)
def test_group_of_a_contraction(schedules):
    types = ["memref<7x33xf32>", "memref<33x45xf32>", "memref<7x45xf32>"]
    names = [(f"%x{k}", t) for k, t in enumerate(types)]
    fill, product, relu = schedules
    attribute = f" {{relax.schedule = #relax.schedule<{fill}>}}" if fill else ""
    body = f"%zero = arith.constant 0.0 : f32\nlinalg.fill{attribute} ins(%zero : f32) outs(%x2 : {types[2]})\n"
    body += scheduled(generic(*MATMUL, names[:2], names[2:], BODY), product)
    maximum = "%0 = arith.maximumf %a0, %zero : f32\nlinalg.yield %0 : f32"
    body += scheduled(generic(["(m, n) -> (m, n)"] * 2, "pp", names[2:], names[2:], maximum), relu)
    a, b, c = random("f32", (7, 33)), random("f32", (33, 45), 1), np.full((7, 45), np.nan, np.float32)
    Kernel(function(types, body))(a, b, c)
    np.testing.assert_allclose(c, np.maximum(a @ b, 0), rtol=1e-5, atol=1e-5)


ROWS = [
    ("", ""),
    (
        "vectors, loops = [0, 1], along = 1, lanes = 4, unroll = 2, parallel = 1, grain = 2",
        "scalars, loops = [0, 1], joins = 1",
    ),
    ("scalars, loops = [0, 1]", "vectors, loops = [0, 1], along = 1, lanes = 16, joins = 1"),
    ("scalars, loops = [0, 1]", "vectors, loops = [1, 0], along = 0, lanes = 8"),
]


@pytest.mark.sweep
@pytest.mark.parametrize("schedules", ROWS)
def test_rows(schedules):
    types = ["memref<9x37xf32>", "memref<9xf32>", "memref<9x37xf32>"]
    x, s, y = ((f"%x{k}", t) for k, t in enumerate(types))
    add = "%0 = arith.addf %a1, %a0 : f32\nlinalg.yield %0 : f32"
    divide = "%0 = arith.divf %a0, %a1 : f32\nlinalg.yield %0 : f32"
    whole, row = "(i, j) -> (i, j)", "(i, j) -> (i)"
    body = scheduled(generic([whole, row], "pr", [x], [s], add), schedules[0])
    body += scheduled(generic([whole, row, whole], "pp", [x, s], [y], divide), schedules[1])
    values, sums, result = np.abs(random("f32", (9, 37))), np.zeros(9, np.float32), np.zeros((9, 37), np.float32)
    Kernel(function(types, body))(values, sums, result)
    np.testing.assert_allclose(result, values / values.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize(
    "schedule",
    [
        "",
        "transposed, loops = [0, 1], lanes = 4",
        "transposed, loops = [0, 1], lanes = 2, parallel = 1, grain = 3",
        "vectors, loops = [1, 0], along = 0, lanes = 16",
        "scalars, loops = [1, 0], parallel = 2, grain = 1",
    ],
)
def test_transposed(schedule):
    types = ["memref<21x19xf32>", "memref<19x21xf32>"]
    x, y = ((f"%x{k}", t) for k, t in enumerate(types))
    maps = ["(i, j) -> (j, i)", "(i, j) -> (i, j)"]
    text = scheduled(generic(maps, "pp", [x], [y], "linalg.yield %a0 : f32"), schedule)
    values, result = random("f32", (21, 19)), np.zeros((19, 21), np.float32)
    Kernel(function(types, text))(values, result)
    np.testing.assert_array_equal(result, values.T)


@pytest.mark.parametrize(
    "schedule",
    [
        "",
        "vectors, loops = [0, 1, 2, 3, 4], along = 2, lanes = 16, rows = 1",
        "vectors, loops = [0, 1, 2, 3, 4], along = 2, lanes = 4, rows = 5, parallel = 2, grain = 1",
        "vectors, loops = [1, 0, 2, 4, 3], along = 2, lanes = 8, rows = 2, parallel = 1, grain = 1",
    ],
)
@pytest.mark.parametrize("operation", ["maximumf", "addf"])
def test_windows(schedule, operation):
    types = ["memref<3x9x43xf32>", "memref<3x2xf32>", "memref<3x7x21xf32>"]
    x, shape, y = ((f"%x{k}", t) for k, t in enumerate(types))
    maps = ["(c, i, j, k, l) -> (c, i + k, 2 * j + l)", "(c, i, j, k, l) -> (k, l)", "(c, i, j, k, l) -> (c, i, j)"]
    body = f"%0 = arith.{operation} %a2, %a0 : f32\nlinalg.yield %0 : f32"
    values, result = random("f32", (3, 9, 43)), random("f32", (3, 7, 21), 1)
    windows = np.lib.stride_tricks.sliding_window_view(values, (3, 2), (1, 2))[:, :, ::2]
    expected = np.maximum(result, windows.max((3, 4))) if operation == "maximumf" else result + windows.sum((3, 4))
    kernel = Kernel(function(types, scheduled(generic(maps, "ppprr", [x, shape], [y], body), schedule)))
    kernel(values, np.zeros((3, 2), np.float32), result)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "schedule",
    [
        "",
        "convolution, loops = [0, 1, 2, 3, 4, 5], lanes = 16, shape = [14, 32], pixel = 2, joined = 2, grain = 1",
        "convolution, loops = [0, 1, 2, 3, 4, 5], lanes = 16, shape = [14, 32], pixel = 2, joined = 2, fetched = 1, grain = 1",
        "convolution, loops = [0, 1, 2, 3, 4, 5], lanes = 16, shape = [14, 32], pixel = 2, joined = 2, chunk = 2, grain = 1",
        "convolution, loops = [0, 1, 2, 3, 4, 5], lanes = 16, shape = [14, 16], pixel = 2, joined = 2, chunk = 3, fetched = 7",
        "convolution, loops = [0, 1, 2, 5, 4, 3], lanes = 8, shape = [21, 8], pixel = 2, joined = 3, chunk = 1, fetched = 300",
        "convolution, loops = [0, 1, 2, 3, 4, 5], lanes = 16, shape = [7, 16], pixel = 2, fetched = 1000000",
        "convolution, loops = [0, 1, 2, 5, 4, 3], lanes = 8, shape = [3, 8], pixel = 2, fetched = 2",
        "convolution, loops = [0, 1, 2, 5, 4, 3], lanes = 8, shape = [3, 8], pixel = 2",
        "convolution, loops = [1, 0, 2, 4, 5, 3], lanes = 4, shape = [5, 16], pixel = 2, grain = 2",
    ],
)
def test_convolution(schedule):
    types = ["memref<6x9x9xf32>", "memref<3x6x3x3x16xf32>", "memref<48x7x7xf32>"]
    names = [(f"%x{k}", t) for k, t in enumerate(types)]
    maps = [
        "(o, y, x, c, i, j) -> (c, y + i, x + j)",
        "(o, y, x, c, i, j) -> (o floordiv 16, c, i, j, o mod 16)",
        "(o, y, x, c, i, j) -> (o, y, x)",
    ]
    image, kernel, result = (random("f32", d, k) for k, d in enumerate(((6, 9, 9), (3, 6, 3, 3, 16), (48, 7, 7))))
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), (1, 2))
    plain = np.moveaxis(kernel, -1, 1).reshape(48, 6, 3, 3)
    expected = result + np.einsum("cyxij,ocij->oyx", windows, plain)
    Kernel(function(types, scheduled(generic(maps, "ppprrr", names[:2], names[2:], BODY), schedule)))(
        image, kernel, result
    )
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


def softmax_of_rows(types: list[str], ahead: int) -> str:
    """The maximum, exponentials, sum and quotients of each row of %x0, in %x1, %x2, %x3 and %x2, in common loops over rows."""
    x, m, e, s = ((f"%x{k}", t) for k, t in enumerate(types))
    whole, row = "(i, j) -> (i, j)", "(i, j) -> (i)"
    fetched = ", written_out = 16" + (f", ahead = {ahead}, stored = past_caches" if ahead else "")
    rows = "scalars, loops = [0]"
    sums = "vectors, loops = [0, 1], along = 1, lanes = 16, unroll = 4, joins = 1" + fetched
    elements = "vectors, loops = [0, 1], along = 1, lanes = 16, joins = 1" + fetched

    def filled(value: str, name: str, joins: str) -> str:
        attribute = f"{{relax.schedule = #relax.schedule<{rows}{joins}>}}"
        return f"linalg.fill {attribute} ins({value} : f32) outs({name} : {types[1]})\n"

    body = "%least = arith.constant 0xff800000 : f32\n%zero = arith.constant 0.0 : f32\n"
    body += filled("%least", "%x1", "")
    greater = "%0 = arith.cmpf ogt, %a0, %a1 : f32\n%1 = arith.select %0, %a0, %a1 : f32\nlinalg.yield %1 : f32"
    body += scheduled(generic([whole, row], "pr", [x], [m], greater), sums)
    exponential = "%0 = arith.subf %a0, %a1 : f32\n%1 = math.exp %0 : f32\nlinalg.yield %1 : f32"
    body += scheduled(generic([whole, row, whole], "pp", [x, m], [e], exponential), elements)
    body += filled("%zero", "%x3", ", joins = 1")
    total = "%0 = arith.addf %a1, %a0 : f32\nlinalg.yield %0 : f32"
    body += scheduled(generic([whole, row], "pr", [e], [s], total), sums)
    quotient = "%0 = arith.divf %a0, %a1 : f32\nlinalg.yield %0 : f32"
    body += scheduled(generic([whole, row, whole], "pp", [e, s], [e], quotient), elements)
    return function(types, body)


@pytest.mark.sweep
@pytest.mark.parametrize("columns", [2, 7, 16, 64, 100, 128, 256, 263, 800])
@pytest.mark.parametrize(("ahead", "shift", "threads"), [(0, 0, 1), (3, 0, 1), (3, 4, 1), (2, 0, 2)])
def test_rows_in_registers(columns, ahead, shift, threads):
    """Rows are fetched ahead and written past the caches only where they fit, and begin at vectors."""
    types = [f"memref<5x{columns}xf32>", "memref<5xf32>", f"memref<5x{columns}xf32>", "memref<5xf32>"]
    kernel = Kernel(softmax_of_rows(types, ahead), threads=threads)
    assert ("llvm.prefetch" in kernel.ir) == (ahead > 0)
    assert ("!nontemporal" in kernel.ir) == (ahead > 0 and columns in (16, 64, 128, 256))
    x = random("f32", (5, columns))
    x[1, 0], x[3, -1] = np.inf, np.nan
    x[2, 1:] = -np.inf
    maximum, result, total = np.zeros(5, np.float32), np.zeros_like(x), np.zeros(5, np.float32)
    kernel(x, maximum, result, total, shift=shift)
    with np.errstate(invalid="ignore"):
        expected = np.exp(x.astype(np.float64) - np.fmax(np.fmax.reduce(x, 1), -np.inf)[:, None])
    np.testing.assert_array_equal(maximum, np.fmax(np.fmax.reduce(x, 1), -np.inf))
    np.testing.assert_allclose(total, expected.sum(1), rtol=1e-5)
    np.testing.assert_allclose(result, expected / expected.sum(1)[:, None], rtol=1e-5)


def place_of_extreme(element: str, size: int, predicate: str, schedule: str) -> Kernel:
    """The extreme value of each row of %x0 in %x1, and its place in %x2."""
    types = [f"memref<9x{size}x{element}>", f"memref<9x{element}>", "memref<9xi32>"]
    names = [(f"%x{k}", t) for k, t in enumerate(types)]
    maps = ["(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> (i)"]
    body = (
        f"%0 = arith.cmpf {predicate}, %a0, %a1 : {element}\n%1 = arith.cmpf ord, %a1, %a1 : {element}\n"
        "%2 = arith.andi %0, %1 : i1\n%3 = linalg.index 1 : index\n%4 = arith.index_cast %3 : index to i32\n"
        f"%5 = arith.select %2, %a0, %a1 : {element}\n%6 = arith.select %2, %4, %a2 : i32\n"
        f"linalg.yield %5, %6 : {element}, i32"
    )
    return Kernel(function(types, scheduled(generic(maps, "pr", names[:1], names[1:], body), schedule)))


@pytest.mark.sweep
@pytest.mark.parametrize("size", [64, 65, 128, 300, 333])
@pytest.mark.parametrize("predicate", ["ugt", "ult"])
@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize(("searched", "lanes"), [(2, 8), (4, 8), (8, 8), (16, 4)])
def test_places_by_blocks(size, predicate, element, searched, lanes):
    """The first of equals, of zeros of either sign and of NaN, also behind the last block; the value has the bits of the one at its place."""
    schedule = f"vectors, loops = [0, 1], along = 1, lanes = {lanes}, unroll = 2, searched = {searched}"
    kernel = place_of_extreme(element, size, predicate, schedule)
    x = random(element, (9, size))
    sign = 1 if predicate == "ugt" else -1
    x[1] = -np.inf * sign
    x[2], x[2, size // 3 :] = -0.0, 0.0
    x[3, size // 2], x[3, -1] = np.nan, np.nan
    x[4, -1] = sign * 100
    x[5], x[6] = np.sort(x[5]), np.sort(x[6])[::-1]
    x[7] = np.round(x[7])
    x[8], x[8, -1] = -np.inf * sign, np.nan
    expected = (x.argmax(1) if sign == 1 else x.argmin(1)).astype(np.int32)
    value, place = np.full(9, -np.inf * sign, x.dtype), np.zeros(9, np.int32)
    kernel(x, value, place)
    np.testing.assert_array_equal(place, expected)
    at_place = x[np.arange(9), expected]
    np.testing.assert_array_equal(value, at_place)
    np.testing.assert_array_equal(np.signbit(value[:3]), np.signbit(at_place[:3]))


@pytest.mark.sweep
@pytest.mark.parametrize("size", [2, 7, 8, 31, 32, 33, 64, 101])
@pytest.mark.parametrize("unroll", [2, 4])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_vectors_together(size, unroll, element):
    """Blocks of several vectors, single vectors, and a part of one; a bias of the row is in all lanes."""
    types = [
        f"memref<3x{size}x{element}>",
        f"memref<3x{element}>",
        f"memref<{size}x{element}>",
        f"memref<3x{size}x{element}>",
    ]
    names = [(f"%x{k}", t) for k, t in enumerate(types)]
    maps = ["(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> (j)", "(i, j) -> (i, j)"]
    body = f"%0 = arith.subf %a0, %a1 : {element}\n%1 = math.exp %0 : {element}\n"
    body += f"%2 = arith.mulf %1, %a2 : {element}\nlinalg.yield %2 : {element}"
    schedule = f"vectors, loops = [0, 1], along = 1, lanes = 8, unroll = {unroll}"
    kernel = Kernel(function(types, scheduled(generic(maps, "pp", names[:3], names[3:], body), schedule)))
    assert (f"<{8 * unroll} x " in kernel.ir) == (size >= 8 * unroll)
    x, bias, factor = random(element, (3, size)), random(element, (3,), 1), random(element, (size,), 2)
    result = np.zeros_like(x)
    kernel(x, bias, factor, result)
    np.testing.assert_allclose(result, np.exp(x - bias[:, None]) * factor, rtol=1e-6)


@pytest.mark.parametrize("size", [1, 7, 16, 31, 32, 48, 64, 128, 512])
@pytest.mark.parametrize("element", ["f32", "f64", "f16", "i8", "i1"])
def test_moved_rows(size, element):
    """Rows that are only moved, of two or four vectors without a rest, and others."""
    types = [f"memref<5x3x{size}x{element}>", f"memref<3x5x{size}x{element}>"]
    names = [("%x", types[0]), ("%y", types[1])]
    maps = ["(i, j, k) -> (j, i, k)", "(i, j, k) -> (i, j, k)"]
    kernel = Kernel(
        f"func.func @f(%x: {types[0]}, %y: {types[1]} {{relax.result}}) {{\n"
        + generic(maps, "ppp", names[:1], names[1:], "linalg.yield %a0 : " + element)
        + "func.return\n}"
    )
    x = random(element, (5, 3, size))
    result = np.zeros((3, 5, size), x.dtype)
    kernel(x, result)
    np.testing.assert_array_equal(result, x.transpose(1, 0, 2))
