"""The time of a call beside that of its kernels: one small kernel, and a hundred parameters in a set."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import xdsl_relax

CALLS, ROUNDS = 300, 1000
PARAMETERS = 100

TILE = "tensor<16x16xf32>"
SMALL = f"""
func.func @main(%x: {TILE}, %y: {TILE}) -> {TILE} {{
  %z = relax.add %x, %y : ({TILE}, {TILE}) -> {TILE}
  return %z : {TILE}
}}"""


def with_parameters() -> str:
    """Returns a chain of sums with parameters that a transform negates."""
    row = "tensor<16xf32>"
    arguments = "".join(f", %p{i}: {row}" for i in range(PARAMETERS))
    lines = [f"func.func @main(%z0: {TILE}{arguments}) -> {TILE} attributes {{relax.num_input = 1 : i64}} {{"]
    for i in range(PARAMETERS):
        lines.append(f"  %n{i} = relax.negative %p{i} : ({row}) -> {row}")
        lines.append(f"  %z{i + 1} = relax.add %z{i}, %n{i} : ({TILE}, {row}) -> {TILE}")
    return "\n".join([*lines, f"  return %z{PARAMETERS} : {TILE}", "}"])


def microseconds(function: Callable[..., Any], *args: Any) -> float:
    """Returns the mean time of a call in the fastest of many short series, which others on the machine leave alone."""
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            function(*args)
        times.append(time.perf_counter() - start)
    return min(times) / CALLS * 1e6


def main() -> None:
    """Prints both, and what an addition of numpy takes."""
    x = np.ones((16, 16), np.float32)
    print(f"one small kernel: {microseconds(xdsl_relax.compile(SMALL)['main'], x, x):.2f} us")
    exe = xdsl_relax.compile(with_parameters(), lift=True)
    params = exe.transform_params({f"p{i}": np.full(16, i, np.float32) for i in range(PARAMETERS)})
    print(f"{PARAMETERS} parameters in a set: {microseconds(exe['main'], x, params):.2f} us")
    print(f"numpy.add: {microseconds(np.add, x, x):.2f} us")


if __name__ == "__main__":
    main()
