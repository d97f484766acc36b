"""Calling compiled functions: values in and out, what is copied, what is refused, re-entrancy, memory."""

from __future__ import annotations

import gc
import resource
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.executable.native_function import ExecutionError

LINEAR = """
func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %mask: tensor<?xf32, #relax.sym<n>>,
                %w: tensor<8x4xf32> {relax.name = "fc.weight"}) -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 2 : i64} {
  %y = relax.matmul %x, %w : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %y : tensor<?x4xf32, #relax.sym<n>>
}
"""

DOUBLE = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<2 * n>>) -> tensor<?xf32, #relax.sym<2 * n>> {
  %z = relax.add %y, %y : (tensor<?xf32, #relax.sym<2 * n>>, tensor<?xf32, #relax.sym<2 * n>>) -> tensor<?xf32, #relax.sym<2 * n>>
  return %z : tensor<?xf32, #relax.sym<2 * n>>
}
"""

NESTED = """
func.func @main(%s: !relax.shape<[n, 4]>, %p: tuple<tensor<?xf32, #relax.sym<n>>, tuple<tensor<4xi64>>>)
    -> (tuple<tensor<4xi64>, !relax.shape<[4, n]>>, tensor<?xf32, #relax.sym<n>>) {
  %x = relax.tuple_get_item %p {index = 0 : i64} : (tuple<tensor<?xf32, #relax.sym<n>>, tuple<tensor<4xi64>>>) -> tensor<?xf32, #relax.sym<n>>
  %q = relax.tuple_get_item %p {index = 1 : i64} : (tuple<tensor<?xf32, #relax.sym<n>>, tuple<tensor<4xi64>>>) -> tuple<tensor<4xi64>>
  %i = relax.tuple_get_item %q {index = 0 : i64} : (tuple<tensor<4xi64>>) -> tensor<4xi64>
  %j = relax.add %i, %i : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %y = relax.add %x, %x : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  %t = relax.shape : () -> !relax.shape<[4, n]>
  %r = relax.tuple %j, %t : (tensor<4xi64>, !relax.shape<[4, n]>) -> tuple<tensor<4xi64>, !relax.shape<[4, n]>>
  return %r, %y : tuple<tensor<4xi64>, !relax.shape<[4, n]>>, tensor<?xf32, #relax.sym<n>>
}
"""

CAST = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32> {
  %y = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
  %z = relax.add %y, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
"""

PACKED = """
func.func @main(%x: tensor<?x3xf32, #relax.sym<n>>) -> (tensor<?x3xf32, #relax.sym<n>>, tensor<?x3xf32, #relax.sym<n>>) {
  %y = relax.call_packed %x {callee = "test.negate"} : (tensor<?x3xf32, #relax.sym<n>>) -> tensor<?x3xf32, #relax.sym<n>>
  %z = relax.call_dps_packed %y {callee = "test.negate_into"} : (tensor<?x3xf32, #relax.sym<n>>) -> tensor<?x3xf32, #relax.sym<n>>
  return %y, %z : tensor<?x3xf32, #relax.sym<n>>, tensor<?x3xf32, #relax.sym<n>>
}
"""

BF16 = """
func.func @main(%x: tensor<5xbf16>) -> tensor<5xbf16> {
  %z = relax.add %x, %x : (tensor<5xbf16>, tensor<5xbf16>) -> tensor<5xbf16>
  return %z : tensor<5xbf16>
}
"""


@pytest.fixture(scope="module")
def linear():
    return xdsl_relax.compile(LINEAR)["main"]


def arrays(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return tuple(rng.standard_normal(shape).astype(np.float32) for shape in ((n, 8), (n,), (8, 4)))  # type: ignore


@pytest.mark.parametrize("n", [0, 1, 2, 7, 64, 129])
def test_one_executable_serves_every_size(linear, n):
    x, mask, w = arrays(n)
    np.testing.assert_allclose(linear(x, mask, w), x @ w, rtol=1e-5, atol=1e-5)


def misaligned(array: np.ndarray) -> np.ndarray:
    raw = np.empty(array.nbytes + 1, np.uint8)
    shifted = raw[1:].view(array.dtype).reshape(array.shape)
    shifted[...] = array
    return shifted


@pytest.mark.parametrize(
    "change", [np.asfortranarray, misaligned, lambda x: np.repeat(x, 2, 0)[::2], lambda x: x[::-1].copy()[::-1]]
)
def test_layouts_that_are_copied(linear, change):
    x, mask, w = arrays(6)
    np.testing.assert_array_equal(linear(change(x), mask, change(w)), linear(x, mask, w))


def test_arguments_are_not_written(linear):
    x, mask, w = arrays(6)
    for array in (x, mask, w):
        array.flags.writeable = False
    linear(x, mask, w)


X, MASK, W = arrays(6)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((X, MASK), "main: expected 3 arguments (x, mask, fc.weight), got 2"),
        (("x", MASK, W), "main: argument 'x': expected an array, got a str"),
        ((X.astype(np.float64), MASK, W), "main: argument 'x': expected element type float32, got float64"),
        ((X[0], MASK, W), "main: argument 'x': expected rank 2, got 1"),
        ((X, MASK[:3], W), "main: argument 'mask' dim 0: expected n = 6 (from 'x' dim 0), got 3"),
        ((X[:, :7], MASK, W), "main: argument 'x' dim 1: expected 8, got 7"),
        ((X, MASK, W.T), "main: argument 'fc.weight' dim 0: expected 8, got 4"),
    ],
)
def test_what_does_not_fit_is_named(linear, args, message):
    with pytest.raises(ArgumentError) as error:
        linear(*args)
    assert str(error.value) == message


def test_expression_of_a_symbol_is_checked():
    function = xdsl_relax.compile(DOUBLE)["main"]
    x = np.ones(3, np.float32)
    assert function(x, np.ones(6, np.float32)).tolist() == [2.0] * 6
    with pytest.raises(ArgumentError, match=r"'y' dim 0: expected 2 \* n = 6 \(from 'x' dim 0\), got 5"):
        function(x, np.ones(5, np.float32))


def test_tuples_and_shapes_in_and_out():
    function = xdsl_relax.compile(NESTED)["main"]
    x, i = np.arange(3, dtype=np.float32), np.arange(4)
    (j, shape), y = function((3, 4), (x, (i,)))
    assert j.tolist() == [0, 2, 4, 6]
    assert shape == (4, 3)
    assert y.tolist() == [0.0, 2.0, 4.0]
    with pytest.raises(ArgumentError, match=r"argument 's\[1\]': expected 4, got 5"):
        function((3, 5), (x, (i,)))
    with pytest.raises(ArgumentError, match=r"argument 'p.0' dim 0: expected n = 2 \(from 's\[0\]'\), got 3"):
        function((2, 4), (x, (i,)))


def test_a_name_of_a_file_is_one(tmp_path):
    path = tmp_path / "double.mlir"
    path.write_text(DOUBLE)
    x, y = np.ones(3, np.float32), np.ones(6, np.float32)
    for program in (path, str(path)):
        assert xdsl_relax.compile(program)["main"](x, y).tolist() == [2.0] * 6
    with pytest.raises(FileNotFoundError):
        xdsl_relax.compile(str(tmp_path / "missing.mlir"))


def test_failed_match_cast_is_an_execution_error():
    function = xdsl_relax.compile(CAST)["main"]
    assert function(np.ones(4, np.float32)).tolist() == [2.0] * 4
    with pytest.raises(ExecutionError, match="match_cast dim 0: expected 4"):
        function(np.ones(5, np.float32))


def test_packed_functions_are_called_and_their_errors_come_back():
    def negate_into(x: np.ndarray, out: np.ndarray) -> None:
        if np.isnan(x).any():
            raise ArithmeticError("no NaN please")
        np.negative(x, out=out)

    xdsl_relax.register_packed("test.negate", lambda x: -x)
    xdsl_relax.register_packed("test.negate_into", negate_into)
    function = xdsl_relax.compile(PACKED)["main"]
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y, z = function(x)
    np.testing.assert_array_equal(y, -x)
    np.testing.assert_array_equal(z, x)
    with pytest.raises(ArithmeticError, match="no NaN please"):
        function(np.full((1, 3), np.nan, np.float32))
    np.testing.assert_array_equal(function(x)[0], -x)


def test_bf16_arrays():
    x: Any = np.array([0.5, -1.0, 3.0, np.inf, np.nan], ml_dtypes.bfloat16)
    y = xdsl_relax.compile(BF16)["main"](x)
    assert y.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(y.astype(np.float32), (x + x).astype(np.float32))


UNSIGNED = """
func.func @same(%s: ui64) -> ui64 { return %s : ui64 }
func.func @called(%s: ui8, %t: ui16, %u: ui32) -> (ui32, ui8, ui16) {
  %a, %b, %c = func.call @turned(%s, %t, %u) : (ui8, ui16, ui32) -> (ui32, ui8, ui16)
  return %a, %b, %c : ui32, ui8, ui16
}
func.func private @turned(%s: ui8, %t: ui16, %u: ui32) -> (ui32, ui8, ui16) { return %u, %s, %t : ui32, ui8, ui16 }
func.func @chosen(%c: i1, %s: ui8, %t: ui8) -> ui8 {
  %r = scf.if %c -> (ui8) { scf.yield %s : ui8 } else { scf.yield %t : ui8 }
  return %r : ui8
}
"""


@pytest.mark.parametrize("opt_level", [0, 2])
def test_unsigned_scalars_alone(opt_level):
    exe = xdsl_relax.compile(UNSIGNED, opt_level=opt_level)
    s, t, u = np.uint8(255), np.uint16(65535), np.uint32(2**32 - 1)
    largest = exe["same"](np.uint64(2**64 - 1))
    assert (largest.dtype, int(largest)) == (np.uint64, 2**64 - 1)
    assert [(value.dtype.name, int(value)) for value in exe["called"](s, t, u)] == [
        ("uint32", 2**32 - 1),
        ("uint8", 255),
        ("uint16", 65535),
    ]
    assert [int(exe["chosen"](np.bool_(c), s, np.uint8(7))) for c in (True, False)] == [255, 7]


def test_unknown_function_is_named():
    with pytest.raises(KeyError, match="no function 'other'; the executable has main"):
        xdsl_relax.compile(BF16)["other"]


def test_an_executable_is_called_by_function():
    with pytest.raises(TypeError) as error:
        xdsl_relax.compile(BF16)(np.ones(3, np.float32))
    assert str(error.value) == (
        'an executable is a mapping of functions, expected a call of one of them, such as exe["main"](...)'
    )


def test_calls_from_many_threads_do_not_disturb_each_other(linear):
    inputs = [arrays(n) for n in range(1, 33)]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda args: [linear(*args) for _ in range(20)], inputs))
    for (x, _, w), outputs in zip(inputs, results, strict=True):
        for y in outputs:
            np.testing.assert_allclose(y, x @ w, rtol=1e-5, atol=1e-5)


def resident_bytes() -> int:
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * resource.getpagesize()


def test_thousands_of_calls_leak_nothing(linear):
    x, mask, w = arrays(64)
    growth: list[int] = []
    for _ in range(3):
        gc.collect()
        before = resident_bytes()
        for _ in range(4_000):
            linear(x, mask, w)
        gc.collect()
        growth.append(resident_bytes() - before)
    # Other parts of the process may take memory once; a leak takes it every time.
    assert min(growth) < 1 << 17


def test_dropped_executables_are_freed():
    module = xdsl_relax.load(BF16)
    for _ in range(20):
        xdsl_relax.compile(module)
    gc.collect()
    before = resident_bytes()
    for _ in range(40):
        xdsl_relax.compile(module)
    gc.collect()
    # A quarter of what one executable's code and IR take: nothing is kept for each.
    assert (resident_bytes() - before) / 40 < 50_000


@pytest.mark.parametrize(("threads", "opt_level"), [(2, 0), (2, 1), (2, 2), (2, 3), (0, 2), (1, 2), (3, 2)])
def test_threads_and_levels_give_the_same_numbers(threads, opt_level):
    function = xdsl_relax.compile(LINEAR, threads=threads, opt_level=opt_level)["main"]
    x, mask, w = arrays(1000)
    np.testing.assert_allclose(function(x, mask, w), x @ w, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(function(x, mask, w), function(x, mask, w))
