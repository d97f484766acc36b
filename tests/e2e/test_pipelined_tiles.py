"""Contractions in tile registers whose epilogue runs beside the products of the next rows and columns, against numpy in f64 and i64."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from harness.tile_programs import INSTRUCTIONS, Program
from xdsl_relax.targets.cpu import cpu_target, lacking

AMX = "sapphirerapids"
pytestmark = pytest.mark.skipif(lacking(cpu_target(AMX)) != "", reason=f"not run: {lacking(cpu_target(AMX))}")

CALL = "relax.contract."
"""What the symbols of kernels begin with: pipelined code has none, as its products are in the same loop as its epilogue."""

WHOLE = [(16, 64, 512), (28, 128, 512), (32, 256, 512), (64, 64, 512), (96, 256, 512)]
"""Rows, columns and steps that are whole tiles."""
OTHERS = [(33, 64, 512), (96, 80, 512), (17, 100, 520), (32, 128, 1000), (20, 48, 64), (50, 272, 515), (96, 320, 1088)]


def has_tiles(program: Program, kernel) -> bool:
    return f"llvm.x86.{INSTRUCTIONS[program.kind]}" in kernel.ir


@pytest.mark.sweep
@pytest.mark.parametrize("kind", INSTRUCTIONS)
@pytest.mark.parametrize("layout", ["n", "t", "p"])
@pytest.mark.parametrize("size", [*WHOLE, *OTHERS], ids=str)
def test_products(size, layout, kind):
    """Whole tiles are pipelined, others are not; rows of the left operand begin at lines of the cache, or 16 bytes behind them."""
    rows, columns, steps = size
    program = Program(kind, (rows,), columns, steps, layout=layout, unsigned=kind[0] == "u")
    kernel = program.kernel()
    assert has_tiles(program, kernel)
    if size in WHOLE:
        assert CALL not in kernel.loops
    for number, shift in enumerate((0, 16)):
        program.check(kernel, number, shift, extreme=number == 1)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["b", "us"])
@pytest.mark.parametrize("margin", [1, 16, 64])
@pytest.mark.parametrize("layout", ["n", "p"])
def test_rows_that_lie_apart(layout, margin, kind):
    """Rows of a part of a matrix are copied where they do not begin at lines; what lies behind them is not multiplied."""
    for rows in ((64,), (3, 28)):
        program = Program(kind, rows, 256, 512, layout=layout, margin=margin)
        kernel = program.kernel()
        assert CALL not in kernel.loops
        for shift in (0, 16):
            program.check(kernel, shift=shift)


@pytest.mark.parametrize("epilogue", ["kept", ""])
def test_sums_that_are_needed(epilogue):
    """Sums that others may read are in the output when the epilogue runs."""
    program = Program("us", (64,), 128, 512, epilogue=epilogue)
    kernel = program.kernel()
    assert has_tiles(program, kernel) and CALL in kernel.loops
    program.check(kernel)


@pytest.mark.parametrize("kind", ["b", "su"])
@pytest.mark.parametrize("tiles", ["", "outer_rows = 1", "outer_rows = 3", "outer_rows = 2147483647", "grain = 1"])
def test_number_of_images(kind, tiles):
    """Rows of images of which run time knows the number, none among them, which write nothing."""
    program = Program(kind, (1, 3, 28), 64, 256, (2, 2), dynamic=(0,), block=16)
    tiles = (
        tiles
        and f"shape = [28, 64], pack = none, steps = 512, panel = 2, {tiles}, instruction = {INSTRUCTIONS[kind]}, sums = pipelined"
    )
    kernel = program.kernel(tiles)
    assert CALL not in kernel.loops
    for images in (0, 1, 2, 7):
        replace(program, rows=(images, 3, 28)).check(kernel, images)


@pytest.mark.parametrize("dynamic", [(0, 1), (1,), (2,), (0, 1, 2)])
def test_numbers_of_rows(dynamic):
    """Each loop over rows may be of unknown size, or empty; pixels of unknown number are not pipelined."""
    program = Program("uu", (2, 3, 16), 48, 512, taps=(2,), dynamic=dynamic)
    kernel = program.kernel()
    assert has_tiles(program, kernel)
    for number, rows in enumerate(((2, 3, 16), (1, 5, 16), (0, 3, 16), (2, 0, 16), (2, 1, 0), (3, 2, 37))):
        if all(own == size for d, (own, size) in enumerate(zip(program.rows, rows, strict=True)) if d not in dynamic):
            replace(program, rows=rows).check(kernel, number)


@pytest.mark.sweep
@pytest.mark.parametrize("program", [
    Program("us", (5, 7, 28), 128, 512, dynamic=(0,)),
    Program("b", (192,), 512, 512, layout="n"),
    Program("ss", (14, 56), 64, 64, (3, 3), block=16),
])  # fmt: skip
def test_threads(program):
    """Threads share rows of images, rows and columns: what they compute does not depend on their number."""
    results = [program.check(program.kernel(threads=threads)) for threads in (1, 2, 3)]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].view(np.uint8), other.view(np.uint8))


# Kind, rows (pixels behind images), columns, channels, window, stride, dilation, layout, block.
WINDOWS = [
    ("us", (3,), 64, 256, (1,), 1, 1, "p", 16),
    ("us", (28,), 32, 64, (3,), 1, 1, "p", 16),
    ("ss", (2, 56), 48, 128, (7,), 2, 1, "t", 0),
    ("uu", (7, 7), 64, 64, (3, 3), 1, 1, "p", 16),
    ("us", (2, 7, 7), 128, 64, (3, 3), 2, 1, "p", 16),
    ("su", (28, 28), 64, 64, (3, 3), 1, 1, "p", 16),
    ("us", (28, 28), 64, 64, (3, 3), 2, 2, "t", 0),
    ("b", (3, 28, 28), 32, 32, (3, 3), 1, 2, "p", 64),
    ("us", (56, 56), 16, 4, (7, 7), 2, 1, "p", 16),
    ("us", (56, 56), 16, 3, (7, 7), 2, 1, "t", 0),
    ("ss", (56, 56), 64, 128, (1, 1), 2, 1, "p", 16),
    ("us", (2, 3, 5, 16), 32, 64, (2, 3, 3), 1, 1, "p", 16),
    ("b", (1, 1, 28), 64, 64, (3, 1, 3), 1, 1, "n", 0),
    ("us", (13, 1), 96, 132, (3, 3), 1, 1, "p", 32),
]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("kind", "rows", "columns", "channels", "taps", "stride", "dilation", "layout", "block"), WINDOWS, ids=str
)
def test_windows(kind, rows, columns, channels, taps, stride, dilation, layout, block):
    """Windows of one to three dims, with kernels that lie in blocks, or are copied."""
    program = Program(kind, rows, columns, channels, taps, stride, dilation, layout, block or 64)
    kernel = program.kernel()
    assert has_tiles(program, kernel)
    for shift in (0, 16):
        program.check(kernel, 1, shift, extreme=shift > 0)


# The program, its tiles but for instruction and sums, and whether their sums may be pipelined.
PACKED = Program("us", (3, 4, 28), 192, 256, block=16)
WINDOW = Program("us", (3, 8, 14), 64, 64, (3, 3), block=32)
COPIED = Program("b", (6, 32), 192, 96, (3,), layout="n")
LINES = Program("ss", (6, 32), 192, 192, (3,), layout="t")
BY_HAND = [
    (PACKED, "shape = [28, 16], pack = none, steps = 256, outer_rows = 5, grain = 2", True),
    (PACKED, "shape = [14, 48], pack = lhs, steps = 256, row_block = 14, outer_rows = 1, grain = 1", True),
    (PACKED, "shape = [7, 192], pack = none, steps = 300, row_block = 14, outer_rows = 7, grain = 1", True),
    (PACKED, "shape = [1, 64], pack = lhs, steps = 256, outer_rows = 12, grain = 1", True),
    (PACKED, "shape = [32, 64], pack = none, steps = 256, outer_rows = 2, grain = 1", False),
    (PACKED, "shape = [28, 128], pack = none, steps = 128, outer_rows = 2, grain = 1", False),
    (WINDOW, "shape = [14, 32], pack = none, steps = 3, panel = 2, outer_rows = 4, grain = 1", True),
    (WINDOW, "shape = [7, 64], pack = none, steps = 64, panel = 1, outer_rows = 24", True),
    (WINDOW, "shape = [14, 64], pack = none, steps = 2, panel = 2, outer_rows = 1", False),
    (COPIED, "shape = [32, 64], pack = rhs, steps = 3, panel = 2, panels = 1, outer_rows = 4, grain = 1", True),
    (COPIED, "shape = [16, 96], pack = rhs, steps = 96, panels = 3, row_block = 16, outer_rows = 1, grain = 1", True),
    (COPIED, "shape = [8, 192], pack = both, steps = 3, panel = 2, outer_rows = 2", True),
    (LINES, "shape = [32, 32], pack = rhs, steps = 192, panels = 3, outer_rows = 5, grain = 3", True),
    (LINES, "shape = [5, 80], pack = rhs, steps = 192, panels = 3, outer_rows = 2", False),
]


@pytest.mark.sweep
@pytest.mark.parametrize(("program", "tiles", "may_be_pipelined"), BY_HAND, ids=str)
def test_by_hand(program, tiles, may_be_pipelined):
    """Blocks of all sizes, with sums in the output, on the stack, and pipelined, on one thread and several."""
    instruction = INSTRUCTIONS[program.kind]
    for number, sums in enumerate(("output", "stack", "pipelined")):
        if sums == "stack" and "panels = 1" in tiles and "panel = 1" not in tiles:
            continue
        if sums != "pipelined" or may_be_pipelined:
            given = f"{tiles}, instruction = {instruction}, sums = {sums}"
            program.check(program.kernel(given, threads=1 + number, opt_level=number), number)


@pytest.mark.sweep
@pytest.mark.parametrize("rows", [4, 16, 17, 32])
@pytest.mark.parametrize("layout", ["n", "t", "p"])
def test_blocks_of_any_width(layout, rows):
    """Columns that are multiplied together lie in one block or several whole ones, whatever the widths of blocks and of tiles."""
    for kind, columns, block in (("us", 192, 48), ("b", 240, 80), ("ss", 288, 32), ("uu", 288, 96)):
        program = Program(kind, (rows,), columns, 512, layout=layout, block=block)
        program.check(program.kernel())
        for width in {block, 80, 96, columns}:
            if layout != "p" or width % block == 0:
                given = f"shape = [{rows}, {width}], steps = 512, pack = {'none' if layout == 'p' else 'rhs'}"
                program.check(program.kernel(f"{given}, instruction = {INSTRUCTIONS[kind]}"))
                if columns % width == 0:
                    given += f", instruction = {INSTRUCTIONS[kind]}, sums = pipelined"
                    program.check(program.kernel(given))
