"""Sizes outside of the ranges that a function declares for its symbols are refused by name, natively and in the interpreter."""

from __future__ import annotations

import numpy as np
import pytest
import xdsl_relax
from xdsl.utils.exceptions import PassFailedException
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.passes.analysis.call_graph import named_functions
from xdsl_relax.passes.cleanup.bind_symbolic_vars import bind_symbolic_vars
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.executable.arguments import ArgumentError
from xdsl_relax.runtime.executable.native_function import ExecutionError

MASK = """
func.func @main(%scores: tensor<?x?xf32, #relax.sym<n, n>>, %mask: tensor<512x512xf32>) -> tensor<?x?xf32, #relax.sym<n, n>>
    attributes {relax.sym_lower_bounds = {n = 2 : i64}, relax.sym_upper_bounds = {n = 512 : i64}} {
  %zero = relax.shape : () -> !relax.shape<[0, 0]>
  %end = relax.shape : () -> !relax.shape<[n, n]>
  %part = relax.strided_slice %mask, %zero, %end {axes = array<i64: 0, 1>} : (tensor<512x512xf32>, !relax.shape<[0, 0]>, !relax.shape<[n, n]>) -> tensor<?x?xf32, #relax.sym<min(512, n), min(512, n)>>
  %sum = relax.add %scores, %part : (tensor<?x?xf32, #relax.sym<n, n>>, tensor<?x?xf32, #relax.sym<min(512, n), min(512, n)>>) -> tensor<?x?xf32, #relax.sym<n, n>>
  return %sum : tensor<?x?xf32, #relax.sym<n, n>>
}
"""

CALL = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<2 * n>> {
  %y = relax.concat %x, %x {axis = 0 : i64} : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<2 * n>>
  %r = call @half(%y) : (tensor<?xf32, #relax.sym<2 * n>>) -> tensor<?xf32, #relax.sym<2 * n>>
  return %r : tensor<?xf32, #relax.sym<2 * n>>
}
func.func private @half(%x: tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>> attributes {relax.sym_upper_bounds = {k = 8 : i64}} {
  %r = relax.nn.relu %x : (tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
  return %r : tensor<?xf32, #relax.sym<k>>
}
"""

CAST = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32, #relax.sym<k>> attributes {relax.sym_lower_bounds = {k = 2 : i64}, relax.sym_upper_bounds = {k = 4 : i64}} {
  %y = relax.match_cast %x : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<k>>
  return %y : tensor<?xf32, #relax.sym<k>>
}
"""

PACKED_SEQUENCES = """
func.func @main(%position: tensor<?x?xi64, #relax.sym<b, s>>, %rows: tensor<?x1x1xi64, #relax.sym<b>>, %queries: tensor<1x?x1xi64, #relax.sym<s>>, %keys: tensor<1x1x?xi64, #relax.sym<s>>) -> tensor<?x?x?xi1, #relax.sym<b, s, s>>
    attributes {relax.sym_lower_bounds = {b = 1 : i64, s = 2 : i64}, relax.sym_upper_bounds = {b = 16 : i64, s = 64 : i64}} {
  %one = relax.constant {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %zero = relax.shape : () -> !relax.shape<[0]>
  %first = relax.shape : () -> !relax.shape<[1]>
  %size = relax.shape : () -> !relax.shape<[s]>
  %end = relax.shape : () -> !relax.shape<[s + 1]>
  %head = relax.strided_slice %position, %zero, %first {axes = array<i64: 1>} : (tensor<?x?xi64, #relax.sym<b, s>>, !relax.shape<[0]>, !relax.shape<[1]>) -> tensor<?x?xi64, #relax.sym<b, min(1, s)>>
  %before = relax.subtract %head, %one : (tensor<?x?xi64, #relax.sym<b, min(1, s)>>, tensor<i64>) -> tensor<?x?xi64, #relax.sym<b, min(1, s)>>
  %all = relax.concat %before, %position {axis = 1 : i64} : (tensor<?x?xi64, #relax.sym<b, min(1, s)>>, tensor<?x?xi64, #relax.sym<b, s>>) -> tensor<?x?xi64, #relax.sym<b, min(1, s) + s>>
  %last = relax.strided_slice %all, %zero, %size {axes = array<i64: 1>} : (tensor<?x?xi64, #relax.sym<b, min(1, s) + s>>, !relax.shape<[0]>, !relax.shape<[s]>) -> tensor<?x?xi64, #relax.sym<b, min(s, min(1, s) + s)>>
  %next = relax.strided_slice %all, %first, %end {axes = array<i64: 1>} : (tensor<?x?xi64, #relax.sym<b, min(1, s) + s>>, !relax.shape<[1]>, !relax.shape<[s + 1]>) -> tensor<?x?xi64, #relax.sym<b, max(min(1, s) + s - 1, 0)>>
  %step = relax.subtract %next, %last : (tensor<?x?xi64, #relax.sym<b, max(min(1, s) + s - 1, 0)>>, tensor<?x?xi64, #relax.sym<b, min(s, min(1, s) + s)>>) -> tensor<?x?xi64>
  %starts = relax.not_equal %step, %one : (tensor<?x?xi64>, tensor<i64>) -> tensor<?x?xi1>
  %sequence = relax.cumsum %starts {axis = -1 : i64} : (tensor<?x?xi1>) -> tensor<?x?xi1>
  %of_query = relax.index_tensor %sequence, %rows, %queries : (tensor<?x?xi1>, tensor<?x1x1xi64, #relax.sym<b>>, tensor<1x?x1xi64, #relax.sym<s>>) -> tensor<?x?x?xi1>
  %of_key = relax.index_tensor %sequence, %rows, %keys : (tensor<?x?xi1>, tensor<?x1x1xi64, #relax.sym<b>>, tensor<1x1x?xi64, #relax.sym<s>>) -> tensor<?x?x?xi1>
  %same = relax.equal %of_query, %of_key : (tensor<?x?x?xi1>, tensor<?x?x?xi1>) -> tensor<?x?x?xi1>
  %shape = relax.shape : () -> !relax.shape<[b, s, s]>
  %mask = relax.broadcast_to %same, %shape : (tensor<?x?x?xi1>, !relax.shape<[b, s, s]>) -> tensor<?x?x?xi1, #relax.sym<b, s, s>>
  return %mask : tensor<?x?x?xi1, #relax.sym<b, s, s>>
}
"""


def refused(run, expected):
    """Checks that a call is refused with a message."""
    with pytest.raises((ArgumentError, ExecutionError, InterpreterError)) as error:
        run()
    assert expected in str(error.value)


@pytest.mark.parametrize("size", [1, 513])
def test_an_argument_out_of_range(size):
    arguments = np.zeros((size, size), np.float32), np.zeros((512, 512), np.float32)
    expected = f"dim 0: expected 2 <= n <= 512, got {size}"
    refused(lambda: xdsl_relax.compile(MASK)["main"](*arguments), f"main: argument 'scores' {expected}")
    refused(lambda: Interpreter(load(MASK)).call("main", *arguments), f"main: argument 'scores' {expected}")


@pytest.mark.parametrize("size", [2, 3, 512])
def test_an_argument_in_range(size):
    mask = np.triu(np.full((512, 512), -np.inf, np.float32), 1)
    scores = np.ones((size, size), np.float32)
    native = xdsl_relax.compile(MASK)["main"](scores, mask)
    np.testing.assert_array_equal(native, scores + mask[:size, :size])
    np.testing.assert_array_equal(native, Interpreter(load(MASK)).call("main", scores, mask)[0])


def test_a_call_inside_of_the_program():
    run = xdsl_relax.compile(CALL, opt_level=0)["main"]
    np.testing.assert_array_equal(run(np.ones(4, np.float32)), np.ones(8, np.float32))
    refused(lambda: run(np.ones(5, np.float32)), "expected 8 >= 2 * n")
    refused(lambda: Interpreter(load(CALL)).call("main", np.ones(5, np.float32)), "expected k <= 8, got 10")


def test_a_symbol_that_a_cast_defines():
    run = xdsl_relax.compile(CAST)["main"]
    assert run(np.ones(4, np.float32)).shape == (4,)
    refused(lambda: run(np.ones(5, np.float32)), "expected 2 <= k <= 4")
    refused(lambda: Interpreter(load(CAST)).call("main", np.ones(5, np.float32)), "expected 2 <= k <= 4, got 5")


def test_a_size_that_is_bound_out_of_range():
    with pytest.raises(PassFailedException, match="expected 2 <= n <= 512, got 513"):
        bind_symbolic_vars(named_functions(load(MASK))["main"], {"n": 513})


@pytest.mark.parametrize(("batch", "size"), [(1, 2), (2, 7), (16, 64)])
def test_the_mask_of_packed_sequences_as_llama_is_exported(batch, size):
    """Types that say nothing of dims, as the importer of torch leaves them, are derived where a range decides minima."""
    rng = np.random.default_rng(size)
    position = np.tile(np.arange(size), (batch, 1))
    position[:, size // 2 :] -= rng.integers(0, 2, (batch, 1)) * (size // 2)
    rows, columns = np.arange(batch).reshape(-1, 1, 1), np.arange(size)
    arguments = position, rows, columns.reshape(1, -1, 1), columns.reshape(1, 1, -1)
    starts = np.diff(position, prepend=position[:, :1] - 1) != 1
    sequence = np.cumsum(starts, axis=1) > 0
    expected = sequence[:, :, None] == sequence[:, None, :]
    np.testing.assert_array_equal(Interpreter(load(PACKED_SEQUENCES)).call("main", *arguments)[0], expected)
    for level in (0, 2):
        np.testing.assert_array_equal(
            xdsl_relax.compile(PACKED_SEQUENCES, opt_level=level)["main"](*arguments), expected
        )
