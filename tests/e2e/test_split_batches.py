"""Batches that are computed for some images at a time, by `relax-split-batches`, give what whole batches give but for the order of sums."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.tools.relax_opt import main

NET = """
func.func @main(%x: tensor<NxCxHxWxT>, %w: tensor<8xCx3x3xT>, %b: tensor<8x1x1xT>, %v: tensor<8x1x3x3xT>, %u: tensor<4x8x1x1xT>) -> (tensor<Nx4xTYPE>, tensor<Nx8xHxWxT>) {
  %c = relax.nn.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : (tensor<NxCxHxWxT>, tensor<8xCx3x3xT>) -> tensor<Nx8xHxWxT>
  %a = relax.add %c, %b : (tensor<Nx8xHxWxT>, tensor<8x1x1xT>) -> tensor<Nx8xHxWxT>
  %r = relax.nn.relu %a : (tensor<Nx8xHxWxT>) -> tensor<Nx8xHxWxT>
  %d = relax.nn.conv2d %r, %v {groups = 8 : i64, padding = array<i64: 1, 1, 1, 1>} : (tensor<Nx8xHxWxT>, tensor<8x1x3x3xT>) -> tensor<Nx8xHxWxT>
  %s = relax.add %d, %r : (tensor<Nx8xHxWxT>, tensor<Nx8xHxWxT>) -> tensor<Nx8xHxWxT>
  %j = relax.concat %s, %r {axis = 1 : i64} : (tensor<Nx8xHxWxT>, tensor<Nx8xHxWxT>) -> tensor<Nx16xHxWxT>
  %k:2 = relax.split %j {axis = 1 : i64, sections = 2 : i64} : (tensor<Nx16xHxWxT>) -> (tensor<Nx8xHxWxT>, tensor<Nx8xHxWxT>)
  %p = relax.nn.conv2d %k#0, %u : (tensor<Nx8xHxWxT>, tensor<4x8x1x1xT>) -> tensor<Nx4xHxWxT>
  %m = relax.max %p {axis = array<i64: 2, 3>} : (tensor<Nx4xHxWxT>) -> tensor<Nx4xT>
  return %m, %k#1 : tensor<Nx4xT>, tensor<Nx8xHxWxT>
}
"""


def text(batch: int, channels: int, rows: int, columns: int, dtype: str) -> str:
    """A small network with these sizes."""
    sizes = {"TYPE": "T", "N": batch, "C": channels, "H": rows, "W": columns}
    program = NET
    for name, size in sizes.items():
        program = program.replace(f"<{name}x", f"<{size}x").replace(f"x{name}x", f"x{size}x").replace("xTYPE", "xT")
    return program.replace("xT>", f"x{dtype}>")


@pytest.mark.sweep(8)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["f32", "f64", "f16"])
@pytest.mark.parametrize(
    ("batch", "channels", "rows", "columns"), [(4, 3, 8, 8), (6, 1, 5, 7), (7, 2, 9, 3), (2, 5, 16, 16)]
)
def test_results_are_those_of_whole_batches(
    batch: int,
    channels: int,
    rows: int,
    columns: int,
    dtype: str,
    threads: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    program = text(batch, channels, rows, columns, dtype)
    kind = {"f32": np.float32, "f64": np.float64, "f16": np.float16}[dtype]
    generator = np.random.default_rng(batch)
    shapes = [(batch, channels, rows, columns), (8, channels, 3, 3), (8, 1, 1), (8, 1, 3, 3), (4, 8, 1, 1)]
    arrays = [generator.standard_normal(shape).astype(kind) for shape in shapes]
    arrays[0][0, 0, 0, 0] = np.nan
    image = 8 * rows * columns * np.dtype(kind).itemsize
    split = f"relax-split-batches{{cache={4 * image}}}"
    whole = xdsl_relax.compile(program, threads=threads)["main"](*arrays)
    by_image = xdsl_relax.compile(program, threads=threads, passes={"graph": split})["main"](*arrays)
    for expected, result in zip(whole, by_image, strict=True):
        np.testing.assert_allclose(result, expected, rtol=0, atol=64 * np.finfo(kind).eps)
    file = tmp_path / "net.mlir"
    file.write_text(program)
    assert main([str(file), "-p", split]) == 0
    assert capsys.readouterr().out.count("func.call @images(") == batch
