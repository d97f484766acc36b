"""Contractions whose sums in vector registers only an epilogue needs, against numpy in f64 and i64: they stay on the stack."""

from __future__ import annotations

import numpy as np
import pytest
from harness.tile_programs import Program
from xdsl_relax.targets.cpu import cpu_target, lacking


@pytest.fixture(params=["x86-64-v3", "x86-64-v4", "znver4"])
def target(request):
    missing = lacking(cpu_target(request.param))
    if missing:
        pytest.skip(missing)
    return request.param


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", ["us", "ss", "b"])
@pytest.mark.parametrize("layout", ["n", "p"])
@pytest.mark.parametrize("size", [(17, 64, 64), (12, 128, 61), (31, 100, 72), (50, 272, 499)], ids=str)
def test_products(size, layout, kind, target):
    """Tiles that are whole and others; the greatest products of 8 bits."""
    rows, columns, steps = size
    program = Program(kind, (rows,), columns, steps, layout=layout, unsigned=kind == "us")
    kernel = program.kernel(target=target)
    for seed, extreme in enumerate((False, True)):
        program.check(kernel, seed, extreme=extreme, on_stack=True)


@pytest.mark.parametrize("kind", ["us", "b"])
@pytest.mark.parametrize("threads", [1, 2])
def test_windows(kind, threads, target):
    """The panels of a window are taken one after the other by a tile; run time may know the number of images."""
    program = Program(kind, (2, 9, 13), 48, 32, (3, 3), layout="n", unsigned=True)
    program.check(program.kernel(target=target, threads=threads), on_stack=True)
    images = Program(kind, (3, 9, 13), 48, 32, (3, 3), layout="n", dynamic=(0,))
    images.check(images.kernel(target=target, threads=threads), on_stack=True)


@pytest.mark.parametrize("epilogue", ["kept", ""])
def test_sums_that_are_needed(epilogue, target):
    """Sums that others may read are in the output."""
    program = Program("us", (64,), 128, 128, epilogue=epilogue)
    program.check(program.kernel(target=target))


def test_several_chunks(target):
    """Sums that a chunk of the reduction adds to those of another are in the output."""
    program = Program("us", (30,), 128, 256)
    kernel = program.kernel("shape = [4, 16], pack = none, steps = 64, column_block = 64", target=target)
    chunks = program.check(kernel, on_stack=False)
    at_once = program.kernel("shape = [4, 16], pack = none, steps = 256, sums = stack", target=target)
    np.testing.assert_array_equal(program.check(at_once, on_stack=True), chunks)
