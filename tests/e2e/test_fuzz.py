"""A sample of random programs; `python -m tests.fuzz` runs as many as one likes."""

import random

import numpy as np
import pytest
import xdsl_relax
from fuzz.check import CONFIGURATIONS, PASSES, check
from fuzz.conditioning import Expectation
from fuzz.reduce import main_of, ops_of, reduce
from fuzz.structure import generate


@pytest.mark.parametrize("seed", range(60))
def test_program(seed):
    rng = random.Random(seed)
    program = generate(seed, rng.choice((1, 2, 4, 7)))
    configuration = CONFIGURATIONS[seed % len(CONFIGURATIONS)]
    assert check(program.module, program.arguments, [configuration], rng.sample(PASSES, 2)) is None


def test_same_seed_same_program():
    assert str(generate(11).module) == str(generate(11).module)


FLOOR = """
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
  %e = relax.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  %f = relax.floor %e : (tensor<2xf32>) -> tensor<2xf32>
  %i = relax.astype %f {dtype = i32} : (tensor<2xf32>) -> tensor<2xi32>
  return %e, %f, %i : tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
}
"""


def test_only_what_rounding_decides_may_differ():
    module = xdsl_relax.load(FLOOR)
    # exp(ln 3) is 3 up to rounding, exp(1) is far from an integer.
    expectation = Expectation(module, "main", [np.array([np.log(3), 1], np.float32)])
    e, f, i = (np.array(array) for array in expectation.results)
    near = np.array([2, 2], np.float32), np.array([3, 2], np.float32)
    assert all(expectation.mismatch([e, array, array.astype(np.int32)]) is None for array in near)
    assert expectation.mismatch([e, np.array([f[0], 3], np.float32), i]) is not None
    assert expectation.mismatch([e, f, np.array([i[0], 1], np.int32)]) is not None
    assert expectation.mismatch([e * np.float32(1.001), f, i]) is not None
    assert expectation.mismatch([e, f]) is not None


def test_reducer_keeps_what_fails():
    program = generate(14, 20)
    names = [op.name for op in ops_of(main_of(program.module))]
    last = next(name for name in reversed(names) if name.startswith("relax.") and name != "relax.dataflow")

    def fails(module, arguments):
        return any(op.name == last for op in main_of(module).walk())

    module, arguments = reduce(program.module, [list(args) for args in program.arguments], fails)
    assert len(ops_of(main_of(module))) <= 3 < len(names)
    assert fails(module, arguments) and check(module, arguments, [], []) is None
