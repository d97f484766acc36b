"""Sizes that come from data, natively and in the interpreter."""

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.executable.native_function import ExecutionError

PROGRAM = """
func.func @sized_by_data(%t: tensor<2xi64>, %x: tensor<?xf32, #relax.sym<n>>) -> tensor<?x?xf32> {
  %n = relax.shape_of %x : (tensor<?xf32, #relax.sym<n>>) -> !relax.shape<[n]>
  %bounds = relax.shape : () -> !relax.shape<[n, 2 * n]>
  %s = relax.tensor_to_shape %t, %bounds : (tensor<2xi64>, !relax.shape<[n, 2 * n]>) -> !relax.shape<[?, ?]>
  %c = relax.match_cast %s : (!relax.shape<[?, ?]>) -> !relax.shape<[rows, columns]>
  %y = relax.ones %c {dtype = f32} : (!relax.shape<[rows, columns]>) -> tensor<?x?xf32, #relax.sym<rows, columns>>
  %z = relax.tril %y : (tensor<?x?xf32, #relax.sym<rows, columns>>) -> tensor<?x?xf32, #relax.sym<rows, columns>>
  %r = relax.match_cast %z : (tensor<?x?xf32, #relax.sym<rows, columns>>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @scaled_by_size(%x: tensor<?x3xf32, #relax.sym<n>>) -> (tensor<?x3xf32, #relax.sym<n>>, tensor<2xi64>) {
  %s = relax.shape : () -> !relax.shape<[n + 1, 7]>
  %v = relax.symbol_value %s {dtype = f32} : (!relax.shape<[n + 1, 7]>) -> tensor<f32>
  %y = relax.divide %x, %v : (tensor<?x3xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x3xf32, #relax.sym<n>>
  %o = relax.shape_of %y : (tensor<?x3xf32, #relax.sym<n>>) -> !relax.shape<[n, 3]>
  %t = relax.shape_to_tensor %o : (!relax.shape<[n, 3]>) -> tensor<2xi64>
  return %y, %t : tensor<?x3xf32, #relax.sym<n>>, tensor<2xi64>
}
"""


@pytest.fixture(scope="module")
def executable():
    return xdsl_relax.compile(PROGRAM)


@pytest.fixture(scope="module")
def interpreter():
    return Interpreter(xdsl_relax.load(PROGRAM))


@pytest.mark.parametrize("sizes", [(2, 3), (4, 8), (0, 5), (3, 0), (1, 1)])
def test_sizes_from_data(executable, interpreter, sizes):
    args = np.array(sizes, np.int64), np.zeros(4, np.float32)
    expected = np.tril(np.ones(sizes, np.float32))
    np.testing.assert_array_equal(interpreter.call("sized_by_data", *args)[0], expected)
    np.testing.assert_array_equal(executable["sized_by_data"](*args), expected)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [((5, 1), "size 0 exceeds its bound"), ((1, 9), "size 1 exceeds its bound"), ((-1, 1), "size 0 is negative")],
)
def test_refused_sizes(executable, interpreter, sizes, message):
    args = np.array(sizes, np.int64), np.zeros(4, np.float32)
    with pytest.raises(InterpreterError, match=message):
        interpreter.call("sized_by_data", *args)
    with pytest.raises(ExecutionError, match=message):
        executable["sized_by_data"](*args)


@pytest.mark.parametrize("size", [0, 1, 6])
def test_size_in_a_computation(executable, interpreter, size):
    x = np.arange(3 * size, dtype=np.float32).reshape(size, 3)
    for scaled, shape in (interpreter.call("scaled_by_size", x), executable["scaled_by_size"](x)):
        np.testing.assert_allclose(scaled, x / np.float32(size + 1), rtol=1e-6)
        np.testing.assert_array_equal(shape, [size, 3])
