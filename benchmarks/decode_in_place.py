"""The time and the memory of a decode step after 256 rows, for caches of several capacities in alternation, donated and not."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import numpy as np
import xdsl_relax
from xdsl_relax.runtime.executable.native_function import NativeFunction

ROWS, HEADS, SIZE = 256, 8, 64
CAPACITIES = (512, 4096, 32768)
ROUNDS = 200


def decode(donated: bool) -> str:
    """Returns one step of attention with caches of keys and values."""
    cache = f"tensor<1x?x{HEADS}x{SIZE}xf32, #relax.sym<m>>"
    rows = f"tensor<1x?x{HEADS}x{SIZE}xf32, #relax.sym<min(m, p + 1)>>"
    new = f"tensor<1x1x{HEADS}x{SIZE}xf32>"
    marks = [f" {{relax.donate = {result} : i64}}" if donated else "" for result in (1, 2)]
    bounds = "!relax.shape<[p]>, !relax.shape<[p + 1]>"
    update = f"{{axis = 1 : i64}} : ({cache}, {new}, {bounds}) -> {cache}"
    read = f"{{axes = array<i64: 1>}} : ({cache}, !relax.shape<[0]>, !relax.shape<[p + 1]>) -> {rows}"
    return f"""
    func.func @decode(%q: {new}, %k_new: {new}, %v_new: {new}, %position: !relax.shape<[p]>,
        %k_cache: {cache}{marks[0]}, %v_cache: {cache}{marks[1]}) -> ({new}, {cache}, {cache}) {{
      %zero = relax.shape : () -> !relax.shape<[0]>
      %begin = relax.shape : () -> !relax.shape<[p]>
      %end = relax.shape : () -> !relax.shape<[p + 1]>
      %k = relax.slice_scatter %k_cache, %k_new, %begin, %end {update}
      %v = relax.slice_scatter %v_cache, %v_new, %begin, %end {update}
      %keys = relax.strided_slice %k, %zero, %end {read}
      %values = relax.strided_slice %v, %zero, %end {read}
      %o = relax.nn.attention %q, %keys, %values : ({new}, {rows}, {rows}) -> {new}
      return %o, %k, %v : {new}, {cache}, {cache}
    }}"""


def arguments(capacity: int) -> list[Any]:
    """Returns the arguments of a step."""
    rng = np.random.default_rng(0)
    shapes = ((1, 1), (1, 1), (1, 1), (1, capacity), (1, capacity))
    arrays = [rng.standard_normal((*shape, HEADS, SIZE), dtype=np.float32) for shape in shapes]
    return [*arrays[:3], (ROWS,), *arrays[3:]]


def seconds(step: NativeFunction, args: list[Any]) -> float:
    """Returns the seconds of a call."""
    start = time.perf_counter()
    step(*args)
    return time.perf_counter() - start


def main() -> None:
    """Prints for each capacity the medians of both times, and the bytes of scratch and of new results of a call."""
    steps = {donated: xdsl_relax.compile(decode(donated))["decode"] for donated in (True, False)}
    calls = {(m, donated): (steps[donated], arguments(m)) for m in CAPACITIES for donated in steps}
    times: dict[tuple[int, bool], list[float]] = {key: [] for key in calls}
    for step, args in calls.values():
        seconds(step, args)
    # Apart: a copy of a whole cache leaves nothing of the others in the caches of the CPU.
    for donated in steps:
        for _ in range(ROUNDS):
            for m in CAPACITIES:
                times[m, donated].append(seconds(*calls[m, donated]))
    print(f"{'capacity':>8}  {'donated':>9}  {'scratch':>9}  {'results':>9}  {'copied':>9}  {'results':>9}")
    for m in CAPACITIES:
        row = [f"{m:8}"]
        for donated in steps:
            step, args = calls[m, donated]
            made = sum(result.nbytes for result in step(*args) if not any(result is arg for arg in args))
            row.append(f"{median(times[m, donated]) * 1e6:6.0f} us")
            if donated:
                row.append(f"{step.workspace_bytes(*args):7} B")
            row.append(f"{made:7} B" if made < 1 << 20 else f"{made / 2**20:5.0f} MiB")
        print("  ".join(row))


if __name__ == "__main__":
    main()
