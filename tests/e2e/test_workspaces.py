"""Scratch memory between calls: shared by the functions of an executable, bounded, given back."""

from __future__ import annotations

import gc
import resource
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import xdsl_relax

MIB = 1 << 20
SOFTMAX = """
func.func @NAME(%x: tensor<?x1024xf32, #relax.sym<n>>) -> tensor<1024xf32> {
  %a = relax.permute_dims %x {axes = array<i64: 1, 0>} : (tensor<?x1024xf32, #relax.sym<n>>) -> tensor<1024x?xf32, #relax.sym<n>>
  %b = relax.nn.softmax %a {axis = 0 : i64} : (tensor<1024x?xf32, #relax.sym<n>>) -> tensor<1024x?xf32, #relax.sym<n>>
  %c = relax.cumsum %b {axis = 1 : i64} : (tensor<1024x?xf32, #relax.sym<n>>) -> tensor<1024x?xf32, #relax.sym<n>>
  %d = relax.sum %c {axis = array<i64: 1>} : (tensor<1024x?xf32, #relax.sym<n>>) -> tensor<1024xf32>
  return %d : tensor<1024xf32>
}
"""
PROGRAM = SOFTMAX.replace("NAME", "prefill") + SOFTMAX.replace("NAME", "decode")


def resident_bytes() -> int:
    gc.collect()
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * resource.getpagesize()


def test_memory_goes_back_to_the_system():
    exe = xdsl_relax.compile(PROGRAM, opt_level=0)
    x = np.ones((16384, 1024), np.float32)
    exe["prefill"](x[:1])
    before = resident_bytes()
    exe["prefill"](x)
    kept = exe.workspace_bytes
    assert kept >= 64 * MIB and resident_bytes() - before > kept // 2
    exe.release()
    assert exe.workspace_bytes == 0 and resident_bytes() - before < 16 * MIB
    exe["prefill"](x[:1])


def test_functions_share_one_workspace():
    exe = xdsl_relax.compile(PROGRAM, opt_level=0)
    x = np.ones((256, 1024), np.float32)
    exe["prefill"](x)
    kept = exe.workspace_bytes
    assert kept == exe["prefill"].workspace_bytes(x) > MIB
    for rows in (1, 256, 7):
        exe["decode"](x[:rows])
    assert exe.workspace_bytes == kept


def test_calls_at_once_have_one_each():
    exe = xdsl_relax.compile(PROGRAM, opt_level=0)
    x = np.ones((256, 1024), np.float32)
    expected = exe["decode"](x)
    barrier = Barrier(3)

    def call(_: int) -> np.ndarray:
        barrier.wait()
        results = [exe["decode"](x) for _ in range(20)]
        return results[-1]

    with ThreadPoolExecutor(3) as pool:
        for result in pool.map(call, range(3)):
            np.testing.assert_array_equal(result, expected)
    assert exe.workspace_bytes <= 3 * exe["decode"].workspace_bytes(x)


NEGATIVE = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %y = relax.negative %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %y : tensor<?xf32, #relax.sym<n>>
}
"""


def test_memory_of_a_large_result_is_used_again_once_nothing_holds_it():
    exe = xdsl_relax.compile(NEGATIVE)
    x = np.ones(9 * MIB, np.float32)
    first = exe["main"](x)
    place, row = first.ctypes.data, first[5:]
    assert place % 64 == 0 and exe.workspace_bytes == 0
    del first
    second = exe["main"](x * 2)
    # A view of the first result is still there.
    assert second.ctypes.data != place and (row == -1).all() and (second == -2).all()
    del row
    assert exe.workspace_bytes == x.nbytes
    third = exe["main"](x * 3)
    assert third.ctypes.data == place and (third == -3).all() and (second == -2).all()


def test_memory_of_results_is_bounded_and_given_back():
    exe = xdsl_relax.compile(NEGATIVE)
    x = np.ones(9 * MIB, np.float32)
    results = [exe["main"](x) for _ in range(5)]
    results.clear()
    assert exe.workspace_bytes == 2 * x.nbytes
    longer = np.ones(x.size + 1, np.float32)
    assert (exe["main"](longer) == -1).all()
    assert exe.workspace_bytes == longer.nbytes
    exe.release()
    assert exe.workspace_bytes == 0
    kept = exe["main"](x)
    del exe
    gc.collect()
    assert (kept == -1).all()


def test_a_transform_keeps_nothing():
    program = """
    func.func @main(%x: tensor<1x1024xf32>, %w: tensor<512x1024xf32> {relax.name = "w"}) -> tensor<1x512xf32> attributes {relax.num_input = 1 : i64} {
      %e = relax.cumsum %w {axis = 1 : i64} : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
      %s = relax.nn.softmax %e {axis = 0 : i64} : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
      %t = relax.permute_dims %s : (tensor<512x1024xf32>) -> tensor<1024x512xf32>
      %y = relax.matmul %x, %t : (tensor<1x1024xf32>, tensor<1024x512xf32>) -> tensor<1x512xf32>
      return %y : tensor<1x512xf32>
    }
    """
    exe = xdsl_relax.compile(program, lift=True)
    w = np.ones((512, 1024), np.float32)
    assert exe["main_transform_params"].workspace_bytes(w) > MIB
    exe.transform_params({"w": w})
    assert exe.workspace_bytes == 0
