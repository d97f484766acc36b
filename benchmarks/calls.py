"""The time of a call beside that of its kernels: one small kernel, called in several ways, and a hundred parameters in a set."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
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


def microseconds_behind_others(function: Callable[..., Any], *args: Any) -> float:
    """Returns the median time of a call behind a copy of twice 4 MB, which leaves no code of Python in the caches of a processor."""
    source, target = np.ones(1 << 20, np.float32), np.zeros(1 << 20, np.float32)
    times: list[float] = []
    for _ in range(ROUNDS):
        np.copyto(target, source)
        start = time.perf_counter()
        function(*args)
        times.append(time.perf_counter() - start)
    return median(times) * 1e6


def main() -> None:
    """Prints all, and what an addition of numpy takes."""
    x = np.ones((16, 16), np.float32)
    add = xdsl_relax.compile(SMALL)["main"]
    print(f"one small kernel: {microseconds(add, x, x):.2f} us")
    print(f"the same, behind a copy of 4 MB: {microseconds_behind_others(add, x, x):.2f} us")
    print(f"the same, arguments by name: {microseconds(lambda: add(x=x, y=x)):.2f} us")
    try:
        import torch
    except ModuleNotFoundError:
        print("the same, tensors of torch: not measured, torch is not installed")
    else:
        tensor = torch.ones(16, 16)
        print(f"the same, tensors of torch: {microseconds(add, tensor, tensor):.2f} us")
    exe = xdsl_relax.compile(with_parameters(), lift=True)
    params = exe.transform_params({f"p{i}": np.full(16, i, np.float32) for i in range(PARAMETERS)})
    print(f"{PARAMETERS} parameters in a set: {microseconds(exe['main'], x, params):.2f} us")
    print(f"numpy.add: {microseconds(np.add, x, x):.2f} us")


if __name__ == "__main__":
    main()
