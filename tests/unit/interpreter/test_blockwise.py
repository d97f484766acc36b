"""Functions that numpy has not are computed block by block: the same in each block, and in no more memory than a few results take."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.blockwise import BLOCK, erf, in_blocks
from xdsl_relax.interpreter.engine import Interpreter

VECTOR = "tensor<?xf32, #relax.sym<n>>"


def _program(name: str) -> str:
    if name == "arange":
        given, argument = "!relax.shape<[2, n, 3]>", "tensor<?xf32, #relax.sym<n floordiv 3>>"
        op = f"relax.arange %x {{dtype = f32}} : ({given}) -> {argument}"
        return f"func.func @main(%x: {given}) -> {argument} {{\n  %y = {op}\n  return %y : {argument}\n}}"
    return f"func.func @main(%x: {VECTOR}) -> {VECTOR} {{\n  %y = relax.{name} %x : ({VECTOR}) -> {VECTOR}\n  return %y : {VECTOR}\n}}"


@pytest.mark.parametrize("count", [0, 1, BLOCK, 2 * BLOCK + 3])
def test_blocks_meet(count: int):
    x = np.linspace(-3, 3, count, dtype=np.float32)
    np.testing.assert_array_equal(in_blocks(lambda block: block * 2, x, np.float64), np.float64(x) * 2)
    places = [*range(0, count, 1009), count - 1] if count else []
    np.testing.assert_array_equal(erf(x)[places], np.array([math.erf(float(x[i])) for i in places], np.float32))
    stop = 2 + 3 * count
    (made,) = Interpreter(xdsl_relax.load(_program("arange"))).call("main", (2, stop, 3))
    np.testing.assert_array_equal(made, np.arange(2, stop, 3, dtype=np.int64).astype(np.float32))


def test_scalars_and_matrices_keep_their_shape():
    assert erf(np.array(0.5, np.float32)).shape == () and erf(np.zeros((2, 0, 3), np.float32)).shape == (2, 0, 3)
    x = np.arange(6, dtype=np.float32).reshape(2, 3).T
    np.testing.assert_array_equal(in_blocks(np.negative, x, x.dtype), -x)


@pytest.mark.parametrize("name", ["erf", "nn.gelu", "arange"])
def test_what_is_computed_on_the_way_takes_little_memory(name: str):
    count = 8 * BLOCK
    interpreter = Interpreter(xdsl_relax.load(_program(name)))
    argument = (2, 2 + 3 * count, 3) if name == "arange" else np.ones(count, np.float32)
    interpreter.call("main", argument)
    tracemalloc.start()
    interpreter.call("main", argument)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * 4 * count
