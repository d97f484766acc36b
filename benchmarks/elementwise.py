"""A fused element-wise chain on one core against eager torch: `python benchmarks/elementwise.py`."""

from __future__ import annotations

import numpy as np
import torch
from linalg_kernels import compile_kernel
from take_turns import take_turns

ADDS = 5


def source(size: int) -> str:
    """`exp(x + y + y + y + y + y)` on square matrices."""
    t = f"memref<{size}x{size}xf32>"
    sums = "\n".join(f"    %s{k + 1} = arith.addf %s{k}, %b : f32" for k in range(ADDS)).replace("%s0", "%a")
    maps = ", ".join(["affine_map<(d0, d1) -> (d0, d1)>"] * 3)
    return f"""
func.func @f(%x: {t}, %y: {t}, %z: {t}) {{
  linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}} ins(%x, %y : {t}, {t}) outs(%z : {t}) {{
  ^bb0(%a: f32, %b: f32, %c: f32):
{sums}
    %r = math.exp %s{ADDS} : f32
    linalg.yield %r : f32
  }}
  func.return
}}"""


def main() -> None:
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    for size in (256, 1024, 4096):
        x, y = rng.standard_normal((size, size), np.float32), rng.standard_normal((size, size), np.float32)
        z = np.zeros_like(x)
        kernel = compile_kernel(source(size), [x, y, z])
        a, b = torch.from_numpy(x), torch.from_numpy(y)

        def eager_chain(a: torch.Tensor = a, b: torch.Tensor = b) -> torch.Tensor:
            total = a
            for _ in range(ADDS):
                total = total + b
            return total.exp()

        native, eager = take_turns(kernel, eager_chain)
        np.testing.assert_allclose(z, eager_chain().numpy(), rtol=1e-4)
        print(f"{size}x{size}: {native * 1e6:.0f} us, torch {eager * 1e6:.0f} us, ratio {eager / native:.1f}")


if __name__ == "__main__":
    main()
