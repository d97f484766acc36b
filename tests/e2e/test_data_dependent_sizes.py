"""Random programs whose results have sizes that depend on data: native code returns exactly the actual part."""

from __future__ import annotations

import numpy as np
import xdsl_relax
from generators import random_linalg
from xdsl.dialects import func
from xdsl_relax.dialects.relax.vocabulary.attributes import ACTUAL_DIMS
from xdsl_relax.lowering.buffers.bufferize import bufferize_module
from xdsl_relax.runtime.compiler import load

SEEDS = (222, 231, 237, 252, 273, 300, 303, 345, 360, 363)
"""Seeds of programs with such a result."""


def _data_dependent() -> list[random_linalg.Program]:
    """Returns the programs, of which bufferization finds that each has a result of a size that depends on data."""
    programs = [random_linalg.program(seed) for seed in SEEDS]
    module = load("\n".join([random_linalg.HELPERS, *(p.text for p in programs)]))
    bufferize_module(module)
    names = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp) and ACTUAL_DIMS.is_on(op)}
    assert [p.name for p in programs if p.name not in names] == []
    return programs


def test_results_have_their_actual_sizes() -> None:
    programs = _data_dependent()
    executable = xdsl_relax.compile("\n".join([random_linalg.HELPERS, *(p.text for p in programs)]))
    for program in programs:
        for seed in range(6):
            rng = np.random.default_rng(seed)
            given = [rng.integers(-3, 4, shape).astype(np.float32) for shape in program.arguments]
            expected = program.run([x.copy() for x in given])
            results = executable[program.name].call(*(x.copy() for x in given))
            for a, b in zip(results, expected, strict=True):
                assert a.shape == b.shape, program.text
                np.testing.assert_array_equal(a, b, err_msg=program.text)


FILTERS = """
func.func private @filter(%x: tensor<?xf32>, %t: f32) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tensor.dim %x, %zero : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %count, %all = scf.for %i = %zero to %n step %one iter_args(%c = %zero, %o = %e) -> (index, tensor<?xf32>) {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %p = arith.cmpf ogt, %v, %t : f32
    %c1, %o1 = scf.if %p -> (index, tensor<?xf32>) {
      %w = tensor.insert %v into %o[%c] : tensor<?xf32>
      %next = arith.addi %c, %one : index
      scf.yield %next, %w : index, tensor<?xf32>
    } else {
      scf.yield %c, %o : index, tensor<?xf32>
    }
    scf.yield %c1, %o1 : index, tensor<?xf32>
  }
  %size = arith.minsi %count, %n : index
  %r = tensor.extract_slice %all[0] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @twice(%x: tensor<?xf32>, %t: f32, %u: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = func.call @filter(%x, %t) : (tensor<?xf32>, f32) -> tensor<?xf32>
  %b = func.call @filter(%a, %u) : (tensor<?xf32>, f32) -> tensor<?xf32>
  return %b, %a : tensor<?xf32>, tensor<?xf32>
}
func.func @doubled(%x: tensor<?xf32>, %t: f32) -> tensor<?xf32> {
  %a = func.call @filter(%x, %t) : (tensor<?xf32>, f32) -> tensor<?xf32>
  %b = arith.addf %a, %a : tensor<?xf32>
  return %b : tensor<?xf32>
}
func.func @joined(%x: tensor<?xf32>, %y: tensor<?xf32>, %t: f32) -> tensor<?xf32> {
  %a = func.call @filter(%x, %t) : (tensor<?xf32>, f32) -> tensor<?xf32>
  %b = func.call @filter(%y, %t) : (tensor<?xf32>, f32) -> tensor<?xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %c : tensor<?xf32>
}
func.func @grid(%x: tensor<?xf32>, %y: tensor<?xf32>, %t: f32) -> tensor<?x?xf32> {
  %zero = arith.constant 0 : index
  %a = func.call @filter(%x, %t) : (tensor<?xf32>, f32) -> tensor<?xf32>
  %b = func.call @filter(%y, %t) : (tensor<?xf32>, f32) -> tensor<?xf32>
  %n = tensor.dim %a, %zero : tensor<?xf32>
  %m = tensor.dim %b, %zero : tensor<?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @either(%x: tensor<?xf32>, %t: f32, %c: i1) -> tensor<?xf32> {
  %a = func.call @filter(%x, %t) : (tensor<?xf32>, f32) -> tensor<?xf32>
  %r = scf.if %c -> (tensor<?xf32>) {
    scf.yield %a : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
"""


def test_filtered_arrays_of_every_size() -> None:
    executable = xdsl_relax.compile(FILTERS)
    rng = np.random.default_rng(11)
    for n in (0, 1, 2, 3, 7, 16, 33):
        for _ in range(4):
            x, y = (rng.integers(-4, 5, n).astype(np.float32) for _ in range(2))
            t, u = (np.float32(v) for v in rng.integers(-5, 5, 2))
            kept, other = x[x > t], y[y > t]
            expected = {
                "twice": ((x, t, u), (kept[kept > u], kept)),
                "doubled": ((x, t), (kept + kept,)),
                "joined": ((x, y, t), (np.concatenate([kept, other]),)),
                "grid": ((x, y, t), (np.outer(kept, other),)),
                "either": ((x, t, np.bool_(n % 2)), (kept if n % 2 else x,)),
            }
            for name, (arguments, wanted) in expected.items():
                results = executable[name].call(*arguments)
                for a, b in zip(results, wanted, strict=True):
                    np.testing.assert_array_equal(a, b, err_msg=f"{name} of {arguments}")
