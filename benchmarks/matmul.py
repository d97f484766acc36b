"""Matrix products on one core against torch.mm: `python benchmarks/matmul.py`."""

from __future__ import annotations

import numpy as np
import torch
from linalg_kernels import compile_kernel
from take_turns import take_turns

SIZES = ((256, 256, 256), (1024, 1024, 1024), (128, 4096, 4096), (7, 4096, 4096), (4, 4096, 4096), (1, 4096, 4096))
MAPS = {
    "packed": "(d0, d1, d2) -> (d1 floordiv 64, d2, d1 mod 64)",
    "plain": "(d0, d1, d2) -> (d2, d1)",
    "transposed": "(d0, d1, d2) -> (d1, d2)",
}


def source(m: int, n: int, k: int, layout: str) -> str:
    """The product of `m x k` and `k x n` matrices, the right one in a layout."""
    a, c = f"memref<{m}x{k}xf32>", f"memref<{m}x{n}xf32>"
    b = {"packed": f"memref<{-(-n // 64)}x{k}x64xf32>", "plain": f"memref<{k}x{n}xf32>"}.get(
        layout, f"memref<{n}x{k}xf32>"
    )
    return f"""
func.func @f(%a: {a}, %b: {b}, %c: {c}) {{
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : {c})
  linalg.generic {{
    indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<{MAPS[layout]}>, affine_map<(d0, d1, d2) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  }} ins(%a, %b : {a}, {b}) outs(%c : {c}) {{
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }}
  func.return
}}"""


def arranged(b: np.ndarray, layout: str) -> np.ndarray:
    """The right matrix in a layout."""
    if layout == "plain":
        return b
    if layout == "transposed":
        return np.ascontiguousarray(b.T)
    padded = np.pad(b, ((0, 0), (0, -b.shape[1] % 64)))
    return np.ascontiguousarray(padded.reshape(b.shape[0], -1, 64).transpose(1, 0, 2))


def main() -> None:
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    for layout in MAPS:
        for m, n, k in SIZES:
            a, b = rng.standard_normal((m, k), np.float32), rng.standard_normal((k, n), np.float32)
            c = np.zeros((m, n), np.float32)
            ours = compile_kernel(source(m, n, k, layout), [a, arranged(b, layout), c])
            right = torch.from_numpy(arranged(b, "transposed")).t() if layout == "transposed" else torch.from_numpy(b)
            left, out = torch.from_numpy(a), torch.empty(m, n)
            x, y = take_turns(ours, lambda left=left, right=right, out=out: torch.mm(left, right, out=out))
            np.testing.assert_allclose(c, out.numpy(), rtol=1e-3, atol=1e-2)
            work = 2e-9 * m * n * k
            print(f"{layout:10} {m}x{n}x{k}: {work / x:6.1f} GFLOP/s, torch {work / y:6.1f}, ratio {y / x:.2f}")


if __name__ == "__main__":
    main()
