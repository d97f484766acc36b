"""`out=`: results in the caller's arrays, what they must be, and what may share memory with them."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.host.device import device, to_device
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.runtime.executable.native_function import NativeFunction

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs the extra torch")

TWO = """
func.func @main(%x: tensor<?x2xf32, #relax.sym<n>>) -> (tensor<?x2xf32, #relax.sym<n>>, tensor<2x?xf32, #relax.sym<n>>) {
  %y = relax.add %x, %x : (tensor<?x2xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>) -> tensor<?x2xf32, #relax.sym<n>>
  %z = relax.permute_dims %x : (tensor<?x2xf32, #relax.sym<n>>) -> tensor<2x?xf32, #relax.sym<n>>
  return %y, %z : tensor<?x2xf32, #relax.sym<n>>, tensor<2x?xf32, #relax.sym<n>>
}
func.func @flip(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = relax.permute_dims %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
func.func @nested(%x: tensor<2xf32>, %s: !relax.shape<[n]>)
    -> (tuple<tensor<2xf32>, !relax.shape<[n]>>, f32) {
  %c = arith.constant 2.0 : f32
  %y = relax.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %p = relax.tuple %y, %s : (tensor<2xf32>, !relax.shape<[n]>) -> tuple<tensor<2xf32>, !relax.shape<[n]>>
  return %p, %c : tuple<tensor<2xf32>, !relax.shape<[n]>>, f32
}
func.func @donating(%x: tensor<4xf32>, %state: tensor<4xf32> {relax.donate = array<i64: 1>}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = relax.multiply %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z = relax.add %state, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}
func.func @nothing(%x: tensor<4xf32>) {
  return
}
func.func @there(%x: tensor<4xf32>) -> tensor<4xf32, #relax.vdevice<"cpu", 1, "global">> {
  %y = relax.to_vdevice %x {dst_vdevice = #relax.vdevice<"cpu", 1, "global">} : (tensor<4xf32>) -> tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>
  return %y : tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>
}
"""
X = np.arange(6, dtype=np.float32).reshape(3, 2)


@pytest.fixture(scope="module")
def exe() -> Executable:
    return xdsl_relax.compile(TWO)


@pytest.fixture
def function(exe: Executable) -> NativeFunction:
    return exe["main"]


def test_results_are_written_where_the_caller_says(function: NativeFunction):
    y, z = np.full((3, 2), 9, np.float32), np.full((2, 3), 9, np.float32)
    results = function(X, out=(y, z))
    assert results[0] is y and results[1] is z
    np.testing.assert_array_equal(y, 2 * X)
    np.testing.assert_array_equal(z, X.T)
    y[...] = 9
    first, second = function(X, out=[y, None])
    assert first is y and second is not z
    np.testing.assert_array_equal(y, 2 * X)
    np.testing.assert_array_equal(second, X.T)


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def misaligned(array: np.ndarray) -> np.ndarray:
    return np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)


Y, Z = np.zeros((3, 2), np.float32), np.zeros((2, 3), np.float32)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (Y, "out: expected a tuple of 2, got ndarray"),
        ((Y,), "out: expected a tuple of 2, got one of 1"),
        ((Y, Z.astype("d")), "out[1]: expected element type float32, got float64"),
        ((Y, Y), "out[1]: expected shape [2, 3], got [3, 2]"),
        ((Y[:2], Z), "out[0]: expected shape [3, 2], got [2, 2]"),
        ((Y, Y.T), "out[1]: expected a contiguous array, got strides of [4, 8] bytes"),
        ((read_only(Y.copy()), Z), "out[0]: expected an array that can be written to, got a read-only ndarray"),
        ((misaligned(Y), Z), "out[0]: expected an array aligned to 4 bytes"),
        ((Y, Y.reshape(2, 3)), "out[1]: shares memory with out[0]"),
        ((Y.tolist(), Z), "out[0]: expected an array on cpu:0, got list"),
        ((to_device(Y, device("cpu", 1)), Z), "out[0]: expected an array on cpu:0, got one on cpu:1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_take_a_result_is_refused_and_left(out: Any, message: str, function: NativeFunction):
    Y[...] = Z[...] = 7
    with pytest.raises(ArgumentError) as error:
        function(X, out=out)
    assert str(error.value) == f"main: {message}"
    assert (Y == 7).all() and (Z == 7).all()


def test_an_argument_may_be_overwritten_by_its_result(exe: Executable):
    x = np.arange(16, dtype=np.float32).reshape(4, 4)
    expected = x.T.copy()
    assert exe["flip"](x, out=x) is x
    np.testing.assert_array_equal(x, expected)
    whole = np.arange(24, dtype=np.float32)
    expected = whole[:16].reshape(4, 4).T.copy()
    exe["flip"](whole[:16].reshape(4, 4), out=whole[8:].reshape(4, 4))
    np.testing.assert_array_equal(whole[8:].reshape(4, 4), expected)
    np.testing.assert_array_equal(whole[:8], np.arange(8))


def test_results_that_are_no_tensors_are_new(exe: Executable):
    y = np.zeros(2, np.float32)
    (first, shape), number = exe["nested"]([1, 2], (5,), out=((y, None), None))
    assert first is y and y.tolist() == [2, 4] and shape == (5,) and number == 2
    for out, message in (
        (((y, 5), None), r"nested: out\[0\]\[1\]: expected None, as the result is a shape, got int"),
        (((y, None), y), r"nested: out\[1\]: expected None, as the result is no tensor, got ndarray"),
        ((y, None), r"nested: out\[0\]: expected a tuple of 2, got ndarray"),
    ):
        with pytest.raises(ArgumentError, match=message):
            exe["nested"]([1, 2], (5,), out=out)
    with pytest.raises(ArgumentError, match="nothing: out: expected a tuple of 0, got ndarray"):
        exe["nothing"](np.ones(4, np.float32), out=y)


def test_donated_arguments_hold_their_results(exe: Executable):
    function = exe["donating"]
    x, state, y = (np.full(4, value, np.float32) for value in (3, 5, 0))
    assert function(x, state, out=(y, state))[1] is state
    assert y.tolist() == [9] * 4 and state.tolist() == [8] * 4
    function(x, state, out=(y, None))
    assert state.tolist() == [11] * 4
    for out, message in (
        (
            (y, np.zeros(4, "f")),
            r"out\[1\]: expected None, or the array of argument 'state', in whose memory the result is returned",
        ),
        ((state, None), r"out\[0\]: shares memory with argument 'state', which is donated"),
    ):
        with pytest.raises(ArgumentError, match=message):
            function(x, state, out=out)
    assert state.tolist() == [11] * 4


def test_results_on_devices(exe: Executable):
    there = to_device(np.zeros(4, np.float32), device("cpu", 1))
    assert exe["there"](np.ones(4, np.float32), out=there) is there
    assert to_device(there, device("cpu", 0)).tolist() == [1] * 4
    with pytest.raises(ArgumentError, match="there: out: expected an array on cpu:1, got one on cpu:0"):
        exe["there"](np.ones(4, np.float32), out=np.zeros(4, np.float32))


@needs_torch
def test_tensors_of_torch_are_written(function: NativeFunction):
    import torch

    y = torch.zeros(3, 2)
    first, second = function(torch.from_numpy(X), out=(y, None))
    assert first is y and isinstance(second, torch.Tensor)
    np.testing.assert_array_equal(y.numpy(), 2 * X)
    array = np.zeros((3, 2), np.float32)
    assert function(torch.from_numpy(X), out=(array, None))[0] is array
    with pytest.raises(ArgumentError, match=r"out\[0\]: expected an array, got a tensor that requires a gradient"):
        function(X, out=(y.requires_grad_(), None))
    with pytest.raises(ArgumentError, match=r"out\[0\]: expected an array in this machine's memory, got one on meta"):
        function(X, out=(torch.zeros(3, 2, device="meta"), None))


def test_results_of_sizes_that_data_decides():
    program = """
    func.func @main(%x: tensor<?xi64, #relax.sym<n>>) -> tensor<?xi64> {
      %y = relax.unique %x {sorted = true, return_index = false, return_inverse = false, return_counts = false} : (tensor<?xi64, #relax.sym<n>>) -> tensor<?xi64>
      return %y : tensor<?xi64>
    }
    """
    function = xdsl_relax.compile(program)["main"]
    out = np.zeros(5, np.int64)
    result = function([3, 1, 3, 1, 2], out=out)
    assert result.tolist() == [1, 2, 3] and np.shares_memory(result, out)
    with pytest.raises(ArgumentError, match=r"main: out: expected shape \[5\], got \[3\]"):
        function([3, 1, 3, 1, 2], out=np.zeros(3, np.int64))


@needs_torch
def test_results_of_models_from_files(tmp_path):
    import torch

    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(2))

        def forward(self, x):
            self.count += 1
            return x * 2 + self.count, x - 1

    x = np.arange(2, dtype=np.float32)
    program = torch.export.export(Counter(), (torch.from_numpy(x),))
    torch.export.save(program, tmp_path / "model.pt2")
    model: Any = xdsl_relax.compile(tmp_path / "model.pt2")
    out = np.empty(2, np.float32)
    first, second = model(x, out=(out, None))
    assert first is out
    assert first.tolist() == [1, 3]
    assert second.tolist() == [-1, 0]
    assert model(x)[0].tolist() == [2, 4]
    assert isinstance(model(x, results="torch")[1], torch.Tensor)
    with pytest.raises(ArgumentError, match="expected a tuple of"):
        model(x, out=out)
