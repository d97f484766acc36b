"""Deep programs: nothing recurs along a program, and the time of a stage does not grow faster than its length."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest
import xdsl_relax

DEPTH = 300
"""Steps of the programs; far more than the frames that are left to Python."""
FRAMES = 220


@pytest.fixture
def few_frames() -> Iterator[None]:
    """Leaves room for the frames of the compiler, but not for one a step."""
    limit = sys.getrecursionlimit()
    frames, frame = 0, sys._getframe()
    while frame is not None:
        frames, frame = frames + 1, frame.f_back
    sys.setrecursionlimit(frames + FRAMES)
    yield
    sys.setrecursionlimit(limit)


def _chain(steps: int) -> str:
    """Returns a product a step, each a kernel of its own on a size that only run time knows."""
    value = "tensor<?x4xf32, #relax.sym<n>>"
    body = "\n".join(
        f"%v{k + 1} = relax.matmul %v{k}, %w : ({value}, tensor<4x4xf32>) -> {value}" for k in range(steps)
    )
    return (
        f"func.func @main(%v0: {value}, %w: tensor<4x4xf32>) -> {value} {{\n"
        f"%r = relax.dataflow {{\n{body}\nrelax.output %v{steps} : {value}\n}} : {value}\nreturn %r : {value}\n}}"
    )


@pytest.mark.usefixtures("few_frames")
def test_a_deep_chain_of_kernels_compiles_and_runs() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    rotation = np.roll(np.eye(4, dtype=np.float32), 1, axis=1)
    result = xdsl_relax.compile(_chain(DEPTH))["main"](x, rotation)
    np.testing.assert_array_equal(result, np.roll(x, DEPTH, axis=1))
