"""Bytes that stay after ten thousand calls, and after a thousand executables were compiled and dropped."""

from __future__ import annotations

import gc
import resource
from collections.abc import Callable

import numpy as np
import xdsl_relax

PROGRAM = """
func.func @main(%x: tensor<?x64xf32, #relax.sym<n>>, %w: tensor<64x32xf32>) -> tensor<?x32xf32, #relax.sym<n>> {
  %0 = relax.matmul %x, %w : (tensor<?x64xf32, #relax.sym<n>>, tensor<64x32xf32>) -> tensor<?x32xf32, #relax.sym<n>>
  %1 = relax.nn.silu %0 : (tensor<?x32xf32, #relax.sym<n>>) -> tensor<?x32xf32, #relax.sym<n>>
  return %1 : tensor<?x32xf32, #relax.sym<n>>
}
"""


def resident_bytes() -> int:
    """The memory of this process."""
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * resource.getpagesize()


def growth(action: Callable[[], object], warm_up: int, count: int) -> int:
    """The growth of the process over `count` runs of an action."""
    for _ in range(warm_up):
        action()
    gc.collect()
    before = resident_bytes()
    for _ in range(count):
        action()
    gc.collect()
    return resident_bytes() - before


def main() -> None:
    """Prints two lines."""
    module = xdsl_relax.load(PROGRAM)
    function = xdsl_relax.compile(module)["main"]
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((37, 64)).astype("f"), rng.standard_normal((64, 32)).astype("f")
    print(f"10,000 calls:              {growth(lambda: function(x, w), 1000, 10_000):8} bytes")
    print(f"1,000 compile and drop:    {growth(lambda: xdsl_relax.compile(module), 50, 1000):8} bytes")


if __name__ == "__main__":
    main()
