"""What calls keep for the next one: sizes, parameter sets that were looked at, and the memory of large results."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.host.errors import ArgumentError

ROWS = 259

SUM = """
func.func @main(%x: tensor<?x1024xf32, #relax.sym<n>>, %y: tensor<?x1024xf32, #relax.sym<n>>) -> tensor<?x1024xf32, #relax.sym<n>> {
  %z = relax.add %x, %y : (tensor<?x1024xf32, #relax.sym<n>>, tensor<?x1024xf32, #relax.sym<n>>) -> tensor<?x1024xf32, #relax.sym<n>>
  return %z : tensor<?x1024xf32, #relax.sym<n>>
}"""

DENSE = """
func.func @main(%x: tensor<?x3xf32, #relax.sym<n>>, %w: tensor<2x3xf32>, %b: tensor<2xf32>) -> tensor<?x2xf32, #relax.sym<n>>
    attributes {relax.num_input = 1 : i64} {
  %t = relax.permute_dims %w : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %y = relax.matmul %x, %t : (tensor<?x3xf32, #relax.sym<n>>, tensor<3x2xf32>) -> tensor<?x2xf32, #relax.sym<n>>
  %z = relax.add %y, %b : (tensor<?x2xf32, #relax.sym<n>>, tensor<2xf32>) -> tensor<?x2xf32, #relax.sym<n>>
  return %z : tensor<?x2xf32, #relax.sym<n>>
}"""


def rows(count, value):
    return np.full((count, 1024), value, np.float32)


@pytest.fixture(scope="module")
def executable():
    return xdsl_relax.compile(SUM)


@pytest.fixture(autouse=True)
def released(executable):
    executable.release()


@pytest.mark.parametrize(
    "hold",
    [lambda r: r[5:7, ::3], lambda r: r.T, lambda r: memoryview(r), lambda r: r.view(np.int32)[1:], np.from_dlpack],
    ids=["slice", "transposed", "memoryview", "view", "dlpack"],
)
def test_memory_that_something_refers_to_is_left_alone(executable, hold):
    main = executable["main"]
    result = main(rows(ROWS, 1), rows(ROWS, 2))
    held = hold(result)
    before = np.array(held)
    del result
    main(rows(ROWS, 5), rows(ROWS, 6))
    np.testing.assert_array_equal(np.asarray(held), before)


def test_memory_that_is_dropped_is_written_again(executable):
    main, y = executable["main"], rows(ROWS, 1)
    x, places = rows(ROWS, 0), set()
    for k in range(8):
        x = main(x, y)
        places.add(x.ctypes.data)
        assert (x == k + 1).all()
    assert len(places) == 2
    held = [main(rows(ROWS, k), y) for k in range(5)]
    assert executable.workspace_bytes == 0
    for _ in range(3):
        assert (main(x, y) == 9).all()
    assert [array[0, 0] for array in held] == [1, 2, 3, 4, 5]
    del held, x
    assert executable.workspace_bytes == 2 * ROWS * 4096


def test_threads_that_drop_results_at_once(executable):
    main, wrong = executable["main"], []

    def call(number):
        kept = []
        for k in range(60):
            result = main(rows(ROWS, k), rows(ROWS, number))
            kept = [*kept[-(k % 3) :], (result, k + number)]
            wrong.extend(value for array, value in kept if not (array[::97] == value).all())

    threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_sizes_that_alternate_and_sizes_that_are_wrong(executable):
    main = executable["main"]
    for count in (1, 5, 1, 0, 5, 5, 2):
        result = main(rows(count, 1), rows(count, count))
        assert result.shape == (count, 1024)
        assert (result == 1 + count).all()
        for _ in range(2):
            with pytest.raises(ArgumentError, match=r"argument 'y' dim 0: expected n = \d+ \(from 'x' dim 0\), got 9"):
                main(rows(count, 1), rows(9, 1))
    with pytest.raises(ArgumentError, match=r"expected 1024, got 1023"):
        main(np.ones((1, 1023), np.float32), rows(1, 1))


def test_threads_with_other_sizes(executable):
    main = executable["main"]
    wrong = []

    def call(count):
        for k in range(300):
            result = main(rows(count, k), rows(count, 1))
            if result.shape != (count, 1024) or not (result == k + 1).all():
                wrong.append((count, k))

    threads = [threading.Thread(target=call, args=(count,)) for count in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.fixture(scope="module")
def dense():
    return xdsl_relax.compile(DENSE, lift=True)


def weights(value):
    return {"w": np.full((2, 3), value, np.float32), "b": np.zeros(2, np.float32)}


def test_parameter_sets_in_turn(dense):
    main, x = dense["main"], np.ones((2, 3), np.float32)
    sets = [dense.transform_params(weights(value)) for value in (1, 2)]
    for value in (0, 1, 0, 0, 1):
        assert (main(x, sets[value]) == 3 * (value + 1)).all()
    with pytest.raises(ArgumentError, match="expected"):
        main(x)
    with pytest.raises(ArgumentError):
        main(x, x, sets[0])
    with pytest.raises(ArgumentError, match="rank"):
        main(np.ones(3, np.float32), sets[0])
    assert main(x, sets[1], out=(out := np.empty((2, 2), np.float32))) is out
    assert (out == 6).all()


def test_a_value_of_a_set_may_be_written(dense):
    params = dense.transform_params(weights(1))
    x = np.ones((1, 3), np.float32)
    before = dense["main"](x, params)
    index = next(i for i, value in enumerate(params.values) if value.shape == (2,))
    params.values[index].flags.writeable = True
    params.values[index][:] = 10
    assert (dense["main"](x, params) == before + 10).all()


def test_a_set_that_is_dropped_is_freed(dense):
    params = dense.transform_params(weights(1))
    dense["main"](np.ones((1, 3), np.float32), params)
    values = [weakref.ref(value) for value in params.values]
    del params
    gc.collect()
    assert [value() for value in values] == [None] * len(values)


def test_results_of_several_sizes_keep_theirs():
    """The memory of one result is not given back because the call has another one of a size of which there is none yet."""
    executable = xdsl_relax.compile(f"""
func.func @main(%x: tensor<{ROWS}x1024xf32>) -> (tensor<{ROWS}x1024xf32>, tensor<{2 * ROWS}x1024xf32>) {{
  %y = relax.negative %x : (tensor<{ROWS}x1024xf32>) -> tensor<{ROWS}x1024xf32>
  %z = relax.concat %y, %y {{axis = 0 : i64}} : (tensor<{ROWS}x1024xf32>, tensor<{ROWS}x1024xf32>) -> tensor<{2 * ROWS}x1024xf32>
  return %y, %z : tensor<{ROWS}x1024xf32>, tensor<{2 * ROWS}x1024xf32>
}}""")
    x, places = rows(ROWS, 1), set()
    for _ in range(6):
        places.add(tuple(result.ctypes.data for result in executable["main"](x)))
    assert len(places) == 1
    assert executable.workspace_bytes == 3 * ROWS * 4096
