"""Libraries as C calls them: errors are those of Python, memory of the caller is checked, sizes that data decides come back."""

from __future__ import annotations

import ctypes
import re
import subprocess
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.c_library import (
    BAD_ARGUMENT,
    BAD_FILE,
    FAILED_CHECK,
    OK,
    CLibrary,
    Tensor,
    array,
    c_compiler,
    compile_c,
    needed,
    needs_binutils,
    needs_c,
    tensor,
    undefined,
)
from harness.library_programs import code_compiled_once
from harness.sampling import runs_all
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.lowering.llvm.names import c_name
from xdsl_relax.runtime.executable.native_function import ExecutionError
from xdsl_relax.runtime.library.linker import linkers, zig

pytestmark = needs_c

ROOT = Path(__file__).resolve().parents[2]
LINEAR = ROOT / "examples" / "linear.mlir"
I64 = ctypes.c_int64

SIZES = """
func.func @main(%x: tensor<?x?xf32, #relax.sym<n, m>>, %y: tensor<?x8xf32, #relax.sym<2 * n + min(m, 3)>>, %z: tensor<?xf32, #relax.sym<n floordiv m>>)
    -> tensor<?x?xf32, #relax.sym<n, m>>
    attributes {relax.sym_lower_bounds = {n = 2 : i64}, relax.sym_upper_bounds = {n = 512 : i64}} {
  %r = relax.nn.relu %x : (tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<?x?xf32, #relax.sym<n, m>>
  return %r : tensor<?x?xf32, #relax.sym<n, m>>
}"""

SHAPE = """
func.func @main(%s: !relax.shape<[n, m]>) -> (tensor<?xf32, #relax.sym<n * m>>, !relax.shape<[n * m, 2]>) {
  %d = relax.shape : () -> !relax.shape<[n * m]>
  %o = relax.ones %d {dtype = f32} : (!relax.shape<[n * m]>) -> tensor<?xf32, #relax.sym<n * m>>
  %t = relax.shape : () -> !relax.shape<[n * m, 2]>
  return %o, %t : tensor<?xf32, #relax.sym<n * m>>, !relax.shape<[n * m, 2]>
}"""

ASSERTED = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<n>> {
  %z = relax.add %x, %y : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<n>>
  return %z : tensor<?xf32, #relax.sym<n>>
}"""

DONATED = """
func.func @main(%x: tensor<4xf32>, %c: tensor<8x4xf32> {relax.donate = 1 : i64}, %scale: f32) -> (tensor<4xf32>, tensor<8x4xf32>) {
  %s = relax.sum %c {axis = array<i64: 0>} : (tensor<8x4xf32>) -> tensor<4xf32>
  %y = relax.add %x, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = relax.add %c, %y : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %y, %d : tensor<4xf32>, tensor<8x4xf32>
}"""

BOUNDED = """
func.func @main(%x: tensor<?x4xf32, #relax.sym<n>>) -> tensor<2x?xi64> {
  %i = relax.nonzero %x : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<2x?xi64>
  return %i : tensor<2x?xi64>
}"""

UNBOUNDED = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %l: tensor<1xi64>, %f: f32) -> (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<k>>, !relax.shape<[k]>, tensor<?xf32, #relax.sym<k>>) {
  %y = relax.exp %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  %s = relax.tensor_to_shape %l : (tensor<1xi64>) -> !relax.shape<[?]>
  %t = relax.match_cast %s : (!relax.shape<[?]>) -> !relax.shape<[k]>
  %o = relax.ones %t {dtype = f32} : (!relax.shape<[k]>) -> tensor<?xf32, #relax.sym<k>>
  %p = relax.add %o, %o : (tensor<?xf32, #relax.sym<k>>, tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
  return %y, %p, %t, %p : tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<k>>, !relax.shape<[k]>, tensor<?xf32, #relax.sym<k>>
}"""


@pytest.fixture(scope="module", autouse=True)
def compiled_once() -> Iterator[None]:
    with code_compiled_once():
        yield


@cache
def executable(program: str | Path) -> xdsl_relax.Executable:
    """Returns a program, compiled once for all tests."""
    return xdsl_relax.compile(program)


def library(program: str | Path, folder: Path, name: str = "net", **options: Any) -> CLibrary:
    """Returns the functions of a program in C, compiled without a warning."""
    written = xdsl_relax.compile_library(program, folder, name=name, **options)
    assert written.note == ""
    compile_c("-c", f"{name}.c", "-Wshadow", "-o", folder.parent / f"{name}.checked.o", cwd=folder)
    return CLibrary(folder, name)


def floats(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def message_of_python(exe: Any, *arguments: Any) -> str:
    with pytest.raises((ArgumentError, ExecutionError)) as error:
        exe["main"](*arguments)
    return str(error.value)


@pytest.mark.parametrize(
    "shapes",
    [
        ((5, 2), (12, 7), (2,)),
        ((5, 2), (13, 8), (2,)),
        ((5, 2), (12, 8), (3,)),
        ((1, 2), (4, 8), (0,)),
        ((513, 2), (1028, 8), (256,)),
        ((5, 0), (10, 8), (0,)),
    ],
)
def test_sizes_that_do_not_fit(
    shapes: Any, tmp_path_factory: pytest.TempPathFactory, sizes: CLibrary, exe_of_sizes: Any
):
    arrays = [floats(*shape) for shape in shapes]
    assert sizes.status("main", *map(tensor, arrays), Tensor()) == BAD_ARGUMENT
    assert sizes.message == message_of_python(exe_of_sizes, *arrays)


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> CLibrary:
    return library(SIZES, tmp_path_factory.mktemp("sizes") / "net")


@pytest.fixture(scope="module")
def exe_of_sizes() -> Any:
    return executable(SIZES)


def test_sizes_that_fit(sizes: CLibrary, exe_of_sizes: Any):
    given = floats(5, 2), floats(12, 8), floats(2)
    (result,) = sizes.call("main", *given)
    assert result.tobytes() == exe_of_sizes["main"](*given).tobytes()


def test_sizes_out_of_range(tmp_path: Path):
    net, exe = library(SHAPE, tmp_path / "net"), executable(SHAPE)
    first, second = I64(), I64()
    results = (Tensor(), ctypes.byref(first), ctypes.byref(second))
    for n, m in ((-3, 2), (1 << 40, 1 << 40), (1 << 24, 1 << 24), (1 << 62, 4)):
        assert net.status("main", I64(n), I64(m), *results) == BAD_ARGUMENT
        assert net.message == message_of_python(exe, (n, m))
    ones = Tensor()
    assert net.status("main", I64(3), I64(4), ones, *results[1:]) == OK
    assert (array(ones).tolist(), first.value, second.value) == ([1.0] * 12, 12, 2)


CUBE = """
func.func @main(%x: tensor<?xi8, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<n * n * n>>) -> tensor<?xf32, #relax.sym<n * n * n>> {
  %r = relax.nn.relu %y : (tensor<?xf32, #relax.sym<n * n * n>>) -> tensor<?xf32, #relax.sym<n * n * n>>
  return %r : tensor<?xf32, #relax.sym<n * n * n>>
}"""


@pytest.fixture(scope="module")
def cube(tmp_path_factory: pytest.TempPathFactory) -> CLibrary:
    return library(CUBE, tmp_path_factory.mktemp("cube") / "net")


@pytest.mark.parametrize(
    ("n", "message"),
    [
        (3, "argument 'y' dim 0: expected n * n * n = 27 (from 'x' dim 0), got 5"),
        (3_000_000, "argument 'y' dim 0: expected n * n * n, which does not fit 64 bits where n = 3000000, got 5"),
        # In 64 bits the product is 0.
        (1 << 22, "argument 'y' dim 0: expected n * n * n, which does not fit 64 bits where n = 4194304, got 5"),
    ],
)
def test_expected_sizes_that_do_not_fit_64_bits(n: int, message: str, cube: CLibrary):
    given = np.zeros(n, np.int8), floats(5)
    assert cube.status("main", *map(tensor, given), Tensor()) == BAD_ARGUMENT
    assert cube.message == message_of_python(executable(CUBE), *given) == f"main: {message}"


def test_assertions(tmp_path: Path):
    net, exe = library(ASSERTED, tmp_path / "net"), executable(ASSERTED)
    result = Tensor()
    assert net.status("main", tensor(floats(5)), tensor(floats(4)), result) == FAILED_CHECK
    assert net.message == message_of_python(exe, floats(5), floats(4))
    assert result.data is None, "memory of a failed call is given back"
    assert net.call("main", floats(5), floats(5))[0].tolist() == (floats(5) * 2).tolist()


@pytest.fixture(scope="module")
def linear(tmp_path_factory: pytest.TempPathFactory) -> CLibrary:
    return library(LINEAR, tmp_path_factory.mktemp("linear") / "net")


def test_wrong_arguments(linear: CLibrary):
    x, w, y = floats(3, 8), floats(4, 8), floats(3, 4)
    good = tensor(x), tensor(w), tensor(y)

    def says(message: str, *arguments: Any) -> None:
        assert linear.status("main", *arguments) == BAD_ARGUMENT
        assert re.fullmatch(message, linear.message), linear.message

    says(r"main: argument 'x': expected a tensor, got a null pointer", None, *good[1:])
    says(r"main: argument 'fc\.weight': expected a tensor, got a null pointer", good[0], None, good[2])
    says(r"main: result 0: expected a place for the result, got a null pointer", *good[:2], None)
    says(
        r"main: argument 'x': expected the address of 96 bytes, got a null pointer",
        Tensor(None, good[0].dtype, 2, good[0].shape),
        *good[1:],
    )
    says(r"main: argument 'x': expected element type float32, got float64", tensor(x.astype("f8")), *good[1:])
    says(r"main: argument 'x': expected element type float32, got an unknown type", Tensor(8, 77, 2), *good[1:])
    says(r"main: argument 'x': expected rank 2, got 1", tensor(x.reshape(-1)), *good[1:])
    says(r"main: argument 'x': expected rank 2, got 900", Tensor(8, good[0].dtype, 900), *good[1:])
    says(r"main: argument 'x' dim 0: expected a size, got -3", Tensor(8, good[0].dtype, 2, (-3, 8)), *good[1:])
    huge = Tensor(8, good[0].dtype, 2, (1 << 61, 8))
    says(r"main: argument 'x': its bytes do not fit the memory of a process", huge, *good[1:])
    says(r"main: argument 'x' dim 1: expected 8, got 7", tensor(floats(3, 7)), *good[1:])
    says(r"main: result 0 dim 0: expected 3, got 2", *good[:2], tensor(floats(2, 4)))
    says(r"main: result 0: expected element type float32, got int32", *good[:2], tensor(y.view("i4")))
    says(r"main: result 0: shares memory with argument 'x'", *good[:2], tensor(x.reshape(-1)[4:16].reshape(3, 4)))
    for misaligned in range(1, 4):
        raw = np.zeros(100, np.uint8)
        moved = Tensor(raw.ctypes.data + misaligned, good[0].dtype, 2, (3, 8))
        says(r"main: argument 'x': expected data aligned to 4 bytes, got the address 0x[0-9a-f]+", moved, *good[1:])
        moved.shape[1] = 4
        says(r"main: result 0: expected data aligned to 4 bytes, got the address 0x[0-9a-f]+", *good[:2], moved)
    # Where nobody asks what is wrong, the status says that something is.
    main = linear.functions.net_main
    assert main(None, None, None, None) == BAD_ARGUMENT
    assert linear.status("main", *good) == OK
    np.testing.assert_array_equal(y, linear.call("main", x, w)[0])


def test_addresses_need_no_more_than_the_alignment_of_elements(linear: CLibrary):
    expected = linear.call("main", floats(3, 8), floats(4, 8))[0]
    for offset in range(4, 64, 4):
        raw = [np.zeros(400, np.uint8) for _ in range(3)]
        start = [offset + (-part.ctypes.data % 64) for part in raw]
        x, w, y = (
            part[begin : begin + 4 * rows * columns].view(np.float32).reshape(rows, columns)
            for part, begin, (rows, columns) in zip(raw, start, ((3, 8), (4, 8), (3, 4)), strict=True)
        )
        x[...], w[...] = floats(3, 8), floats(4, 8)
        assert linear.status("main", tensor(x), tensor(w), tensor(y)) == OK
        assert y.tobytes() == expected.tobytes()


def test_no_rows(linear: CLibrary):
    assert linear.call("main", np.zeros((0, 8), np.float32), floats(4, 8))[0].shape == (0, 4)
    empty = Tensor(None, tensor(floats(1)).dtype, 2, (0, 8))
    result = Tensor()
    assert linear.status("main", empty, tensor(floats(4, 8)), result) == OK


def test_many_threads(linear: CLibrary):
    x, w = floats(64, 8), floats(4, 8)
    expected = linear.call("main", x, w)[0].tobytes()
    results: list[bool] = []

    def work() -> None:
        own = CLibrary.__new__(CLibrary)
        own.name, own.functions, own.params = linear.name, linear.functions, None
        own.error = type(linear.error)()
        for _ in range(200):
            results.append(own.call("main", x, w)[0].tobytes() == expected)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 800 and all(results)
    linear.functions.net_release()
    assert linear.call("main", x, w)[0].tobytes() == expected


def test_donated_arguments(tmp_path: Path):
    net, exe = library(DONATED, tmp_path / "net"), executable(DONATED)
    assert "relax_tensor *c,\n" in (tmp_path / "net" / "net.h").read_text()
    x, cache = floats(4), floats(8, 4)
    expected = exe["main"](x, cache.copy(), 2.0)
    scale = ctypes.c_float(2)
    result = Tensor()
    assert net.status("main", tensor(x), tensor(cache), scale, result) == OK, net.message
    assert array(result).tobytes() == expected[0].tobytes()
    assert cache.tobytes() == expected[1].tobytes()
    inside = tensor(cache[1])
    assert net.status("main", inside, tensor(cache), scale, Tensor()) == BAD_ARGUMENT
    assert net.message == "main: argument 'c' is donated, and shares memory with 'x'"


def test_sizes_that_data_decides(tmp_path: Path):
    net, exe = library(BOUNDED, tmp_path / "net"), executable(BOUNDED)
    x = np.where(floats(5, 4) > 0, floats(5, 4), 0).astype(np.float32)
    expected = exe["main"](x)
    (result,) = net.call("main", x)
    assert result.tobytes() == expected.tobytes() and result.shape == expected.shape
    # Memory of the caller has the largest size.
    own = np.zeros((2, 20), np.int64)
    place = tensor(own)
    assert net.status("main", tensor(x), place) == OK
    assert tuple(place.shape[:2]) == expected.shape
    assert own.reshape(-1)[: expected.size].tobytes() == expected.tobytes()
    assert net.status("main", tensor(x), tensor(own[:, :7].copy())) == BAD_ARGUMENT
    assert net.message == "main: result 0 dim 1: expected 20, got 7"


def test_functions_in_steps(tmp_path: Path):
    net, exe = library(UNBOUNDED, tmp_path / "net"), executable(UNBOUNDED)
    assert exe.interface.stepped, "the size has no bound"
    x, factor = floats(3), ctypes.c_float(0.5)
    for count in (5, 0, 1000):
        sizes = np.array([count], np.int64)
        expected = exe["main"](x, sizes, 0.5)
        made, size = [Tensor(), Tensor(), Tensor()], I64()
        given = tensor(x), tensor(sizes), factor
        assert net.status("main", *given, made[0], made[1], ctypes.byref(size), made[2]) == OK, net.message
        assert size.value == count
        for got, value in zip(made, (expected[0], expected[1], expected[3]), strict=True):
            assert array(got).tobytes() == value.tobytes()
        # Into memory of the caller, and both results of one value.
        own = [np.zeros(3, np.float32), np.zeros(count, np.float32), np.zeros(count, np.float32)]
        places = [tensor(item) for item in own]
        assert net.status("main", *given, places[0], places[1], ctypes.byref(size), places[2]) == OK, net.message
        assert [item.tobytes() for item in own] == [expected[i].tobytes() for i in (0, 1, 3)]
        wrong = np.zeros(count + 1, np.float32)
        assert net.status("main", *given, places[0], tensor(wrong), ctypes.byref(size), places[2]) == BAD_ARGUMENT
        assert net.message == f"main: result 1 dim 0: expected {count}, got {count + 1}"
    assert net.status("main", tensor(floats(3, 3)), *given[1:], *made[:2], None, made[2]) == BAD_ARGUMENT
    assert net.message == "main: argument 'x': expected rank 1, got 2"


def test_memory_for_results_of_steps_is_checked_before_anything_is_computed(tmp_path: Path):
    net = library(UNBOUNDED, tmp_path / "net")
    x, size = floats(3), I64(7)
    # A call that computes finds the negative size.
    sizes = np.array([-1], np.int64)
    given = tensor(x), tensor(sizes), ctypes.c_float(0)

    def call(first: Any, second: Any, third: Any) -> int:
        return net.status("main", *given, first, second, ctypes.byref(size), third)

    free = np.zeros((3, 4), np.float32)
    assert call(Tensor(), Tensor(), Tensor()) == FAILED_CHECK
    for places, message in (
        ((tensor(x), Tensor(), Tensor()), "result 0: shares memory with argument 'x'"),
        ((Tensor(), tensor(x[1:]), Tensor()), "result 1: shares memory with argument 'x'"),
        ((Tensor(), tensor(sizes.view("f4")), Tensor()), "result 1: shares memory with argument 'l'"),
        ((Tensor(), tensor(free[0]), tensor(free[0])), "result 3: shares memory with result 1"),
        ((tensor(free[0, :3]), Tensor(), tensor(free.reshape(-1)[2:5])), "result 3: shares memory with result 0"),
        ((tensor(free.view("i4")[0]), Tensor(), Tensor()), "result 0: expected element type float32, got int32"),
        ((Tensor(), Tensor(), tensor(free)), "result 3: expected rank 1, got 2"),
        ((Tensor(free.ctypes.data + 1, 1, 1, (3,)), Tensor(), Tensor()), "result 0: expected data aligned to 4 bytes"),
    ):
        assert call(*places) == BAD_ARGUMENT
        assert net.message.startswith(f"main: {message}")
        assert (size.value, free.any()) == (7, False)


BOUND_IN_A_STEP = """
func.func @main(%x: tensor<?x4xf32, #relax.sym<n>>, %l: tensor<1xi64>) -> (tensor<?x4xf32, #relax.sym<n>>, tensor<2x?xi64>, tensor<?xf32, #relax.sym<k>>) {
  %i = relax.nonzero %x : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<2x?xi64>
  %s = relax.tensor_to_shape %l : (tensor<1xi64>) -> !relax.shape<[?]>
  %t = relax.match_cast %s : (!relax.shape<[?]>) -> !relax.shape<[k]>
  %o = relax.ones %t {dtype = f32} : (!relax.shape<[k]>) -> tensor<?xf32, #relax.sym<k>>
  return %x, %i, %o : tensor<?x4xf32, #relax.sym<n>>, tensor<2x?xi64>, tensor<?xf32, #relax.sym<k>>
}"""


def test_a_size_with_a_bound_in_a_function_of_steps(tmp_path: Path):
    net, exe = library(BOUND_IN_A_STEP, tmp_path / "net"), executable(BOUND_IN_A_STEP)
    assert exe.interface.stepped
    x, sizes = np.where(floats(5, 4) > 0, floats(5, 4), 0).astype(np.float32), np.array([6], np.int64)
    expected = exe["main"](x, sizes)
    made = [Tensor(), Tensor(), Tensor()]
    assert net.status("main", tensor(x), tensor(sizes), *made) == OK, net.message
    assert [array(item).tobytes() for item in made] == [value.tobytes() for value in expected]
    own = [np.zeros((5, 4), np.float32), np.zeros((2, 20), np.int64), np.zeros(6, np.float32)]
    places = [tensor(item) for item in own]
    assert net.status("main", tensor(x), tensor(sizes), *places) == OK, net.message
    assert tuple(places[1].shape[:2]) == expected[1].shape
    assert own[1].reshape(-1)[: expected[1].size].tobytes() == expected[1].tobytes()
    assert [own[0].tobytes(), own[2].tobytes()] == [expected[0].tobytes(), expected[2].tobytes()]
    # What arguments tell is refused before the negative size is met, what the first step tells before the second.
    wrong = [tensor(np.zeros((4, 4), np.float32)), Tensor(), Tensor()]
    assert net.status("main", tensor(x), tensor(np.array([-1], np.int64)), *wrong) == BAD_ARGUMENT
    assert net.message == "main: result 0 dim 0: expected 5, got 4"
    wrong = [Tensor(), tensor(np.zeros((2, 19), np.int64)), Tensor()]
    assert net.status("main", tensor(x), tensor(np.array([-1], np.int64)), *wrong) == BAD_ARGUMENT
    assert net.message == "main: result 1 dim 1: expected 20, got 19"


def test_files_of_parameters(tmp_path: Path):
    weights = {"fc.weight": floats(4, 8)}
    net = library(LINEAR, tmp_path / "net", params=weights)
    path = tmp_path / "net" / "net.params"
    content = path.read_bytes()

    def refuses(data: bytes, message: str) -> None:
        (tmp_path / "file").write_bytes(data)
        assert net.load_params(tmp_path / "file") is None
        assert net.error.status == BAD_FILE
        assert net.message == f"{tmp_path / 'file'}: {message}"

    refuses(content[:-1], f"expected {len(content)} bytes, got {len(content) - 1}")
    refuses(
        content[:9] + b"x" + content[10:], "holds the parameters of another program, or of this one for another target"
    )
    refuses(b"", "cannot be read")
    assert net.load_params(tmp_path / "missing") is None and net.message.endswith("missing: cannot be read")
    assert net.load_params(tmp_path) is None and net.message.endswith("cannot be read")
    # At an address of the caller.
    take = net.functions.net_params_in
    take.restype = ctypes.c_void_p
    raw = np.zeros(len(content) + 128, np.uint8)
    start = -raw.ctypes.data % 64
    for shift, fits in ((0, True), (8, False)):
        raw[start + shift : start + shift + len(content)] = np.frombuffer(content, np.uint8)
        handle = take(
            ctypes.c_void_p(raw.ctypes.data + start + shift), ctypes.c_size_t(len(content)), ctypes.byref(net.error)
        )
        assert (handle is not None) == fits
    assert net.message.startswith("parameters: expected data aligned to 64 bytes")
    # Other weights for the same program fit.
    xdsl_relax.compile_library(
        LINEAR, tmp_path / "other", name="net", params={"fc.weight": 2 * floats(4, 8)}, linker="none"
    )
    x = floats(3, 8)
    before = net.call("main", x)[0]
    net.params = net.load_params(tmp_path / "other" / "net.params")
    assert net.params is not None
    np.testing.assert_array_equal(net.call("main", x)[0], 2 * before)
    assert net.functions.net_main(None, None, None, ctypes.byref(net.error)) == BAD_ARGUMENT
    assert net.message == "main: expected parameters, got a null pointer"
    net.functions.net_free_params(ctypes.c_void_p(net.params))
    net.functions.net_free_params(None)


@needs_binutils
def test_threads_need_openmp(tmp_path: Path):
    written = xdsl_relax.compile_library(ROOT / "examples" / "llama_mlp.mlir", tmp_path, threads=2)
    if written.note:
        assert "made no library" in written.note and "gomp" in written.note
        return
    path = tmp_path / "libllama_mlp.so"
    assert needed(path) <= {"libc.so.6", "libm.so.6", "libgomp.so.1"}
    assert {symbol.partition("@")[0] for symbol in undefined(path) if "@GLIBC_" not in symbol} <= {
        "GOMP_parallel",
        "omp_get_max_threads",
        "omp_get_num_threads",
        "omp_get_thread_num",
    }


def chosen_linkers() -> list[str]:
    """Returns the linkers to try: zig, which compiles its C library first, for another machine alone where not all cases of sweeps run."""
    names = [linker.name for linker in linkers()]
    return [name for name in names if runs_all() or name != "zig cc" or len(names) == 1]


@pytest.mark.parametrize("linker", chosen_linkers())
def test_every_linker(linker: str, tmp_path: Path):
    written = xdsl_relax.compile_library(LINEAR, tmp_path, name="net", linker=linker)
    compiles = linker in ("cc", "gcc", "clang", "zig cc")
    assert written.note == "" or not compiles
    text = (tmp_path / "net.h").read_text()
    assert ("which is machine code alone:   cc main.c net.c -L. -lnet -lm" in text) == (not compiles)
    if not compiles:
        assert written.note == (
            f"{linker} compiles no C: the shared library has machine code alone; compile net.c with what uses it"
        )
        (tmp_path / "libnet.so").rename(tmp_path / "libcode.so")
        compile_c("-shared", "-fPIC", "net.c", "-L.", "-lcode", "-Wl,-rpath,$ORIGIN", "-o", "libnet.so", cwd=tmp_path)
    x, w = floats(3, 8), floats(4, 8)
    expected = executable(LINEAR)["main"](x, w)
    assert CLibrary(tmp_path, "net").call("main", x, w)[0].tobytes() == expected.tobytes()


@pytest.mark.skipif(not zig(), reason="needs the package ziglang")
def test_code_for_another_machine_is_linked_by_zig(tmp_path: Path):
    written = xdsl_relax.compile_library(LINEAR, tmp_path, target="aarch64-generic", params={"fc.weight": floats(4, 8)})
    assert written.note == ""
    assert (tmp_path / "liblinear.so").read_bytes()[18:20] == b"\xb7\x00"


TWO = """
#include <stdio.h>
#include "one.h"
#include "two.h"

int main(void) {
  float data[1][8] = {{1, 2, 3, 4, 5, 6, 7, 8}};
  relax_tensor x = {data, RELAX_F32, 2, {1, 8}}, y = {0}, z = {0};
  relax_error error;
  one_params *first = one_load_params("one.params", &error);
  two_params *second = two_load_params("two.params", &error);
  if (first == NULL || second == NULL || one_main(first, &x, &y, &error) || two_main(second, &x, &z, &error)) {
    printf("%s\\n", error.message);
    return 1;
  }
  printf("%g %g\\n", *(float *)y.data, *(float *)z.data);
  return 0;
}
"""


def test_two_libraries_in_one_program(tmp_path: Path):
    for name, value in (("one", 1), ("two", 2)):
        weight = np.full((4, 8), value, np.float32)
        xdsl_relax.compile_library(LINEAR, tmp_path, name=name, params={"fc.weight": weight}, linker="none")
    (tmp_path / "main.c").write_text(TWO)
    compile_c("main.c", "one.c", "one.o", "two.c", "two.o", "-lm", "-o", "main", cwd=tmp_path)
    done = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "36 72\n")


def test_the_example(tmp_path: Path):
    weights = ROOT / "examples" / "aot" / "linear.safetensors"
    xdsl_relax.compile_library(LINEAR, tmp_path, params=weights)
    source = ROOT / "examples" / "aot" / "linear.c"
    assert len([line for line in source.read_text().splitlines() if line.strip()]) <= 32
    # Of the object file, and of the shared library.
    compile_c("-I.", source, "linear.c", "linear.o", "-lm", "-o", "static", cwd=tmp_path)
    compile_c("-I.", source, "-L.", "-llinear", "-Wl,-rpath,$ORIGIN", "-o", "shared", cwd=tmp_path)
    x = np.arange(24, dtype=np.float32).reshape(3, 8)
    expected = executable(LINEAR)["main"](x, xdsl_relax.load_params(weights)["fc.weight"])
    printed = "".join(" ".join(f"{value:g}" for value in row) + "\n" for row in expected)
    for program in ("./static", "./shared"):
        done = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout == printed
    done = subprocess.run(["./static", "missing"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "missing: cannot be read\n")


AWKWARD = (
    "RELAX_OK buffers is_new values made taken NULL EOF INT64_MAX int64_t relax_tensor relax_run linux typeof wchar_t "
    "BUFSIZ RAND_MAX SEEK_SET FOPEN_MAX ATOMIC_INT_LOCK_FREE INT_FAST8_MAX L_tmpnam M_PI PRId64 NET_H I st_mtime "
    "net_main_function net_main_inputs net_main_params net_main net_params net_release net_main_call x x_value"
).split()
"""Names that C, its headers or the code of a library has for something else."""

TAKEN = "main release main_call main_shape main_inputs main_results main_function main_violation main_sizes load_params".split()
"""Names of functions beside which those of a library have others."""


def test_names_that_are_taken(tmp_path: Path):
    arguments = ", ".join(f"%{name}: {'f32' if name == 'x' else 'tensor<2xf32>'}" for name in AWKWARD)
    body = "return %RELAX_OK, %x_value : tensor<2xf32>, tensor<2xf32>"
    functions = [f"func.func @{name}({arguments}) -> (tensor<2xf32>, tensor<2xf32>) {{ {body} }}" for name in TAKEN]
    lib = library("\n".join(functions), tmp_path / "net")
    compile_c("-std=gnu11", "-c", "net.c", "-o", tmp_path / "gnu.o", cwd=tmp_path / "net")
    values = [ctypes.c_float(3) if name == "x" else floats(2) + index for index, name in enumerate(AWKWARD)]
    first, second = lib.call("main", *values, results=2)
    np.testing.assert_array_equal(first, values[0])
    np.testing.assert_array_equal(second, values[-1])


def test_steps_whose_arguments_have_names_of_the_code(tmp_path: Path):
    renamed = UNBOUNDED.replace("%x", "%values").replace("%l", "%taken").replace("%f", "%made")
    lib, x = library(renamed, tmp_path / "net"), floats(3)
    made, size = [Tensor(), Tensor(), Tensor()], I64()
    given = tensor(x), tensor(np.array([2], np.int64)), ctypes.c_float(0)
    assert lib.status("main", *given, made[0], made[1], ctypes.byref(size), made[2]) == OK, lib.message
    np.testing.assert_allclose(array(made[0]), np.exp(x), rtol=1e-6)


HEADERS = """
assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool stddef stdint
stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype fcntl sys/mman sys/stat unistd
""".split()


def test_names_of_macros_are_left_to_them(tmp_path: Path):
    command = c_compiler()
    assert command is not None
    lines = [f"#if __has_include(<{name}.h>)\n#include <{name}.h>\n#endif\n" for name in HEADERS]
    (tmp_path / "headers.c").write_text("".join(lines))
    done = subprocess.run(
        [*command, "-D_GNU_SOURCE", "-dM", "-E", "headers.c"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    macros = re.findall(r"^#define ([A-Za-z]\w*)(?!\()\b", done.stdout, re.MULTILINE)
    assert len(macros) > 300
    assert [name for name in macros if c_name(name, set()) == name] == []
    free = "x X W end stdx Mx M_x st L_x PRICE".split()
    assert [c_name(name, set()) for name in free] == [*free[:-1], "PRICE_"]


def test_arguments_hide_no_table_of_a_step(tmp_path: Path):
    hidden = (
        UNBOUNDED.replace("%x", "%net_main_function")
        .replace("%l", "%net_main_step_0_inputs")
        .replace("%f", "%net_main_steps")
    )
    lib, x = library(hidden, tmp_path / "net"), floats(3)
    made, size = [Tensor(), Tensor(), Tensor()], I64()
    given = tensor(x), tensor(np.array([2], np.int64)), ctypes.c_float(0)
    assert lib.status("main", *given, made[0], made[1], ctypes.byref(size), made[2]) == OK, lib.message
    np.testing.assert_allclose(array(made[0]), np.exp(x), rtol=1e-6)


@pytest.mark.parametrize("name", ["MLP", "EOF", "BUFSIZ", "INT"])
def test_names_of_libraries_in_capitals(name: str, tmp_path: Path):
    """No macro is what begins with them and goes on in small letters; a function whose name makes one of it is renamed."""
    library(SHAPE.replace("@main", "@MAX"), tmp_path / name, name=name)
    assert f" {name}_MAX" in (tmp_path / name / f"{name}.h").read_text()


@pytest.mark.parametrize("name", ["relax", "stdint", "string", "c", "_", "é"])
def test_names_of_libraries_that_are_taken(name: str, tmp_path: Path):
    (tmp_path / f"{name}.mlir").write_text(SHAPE)
    with pytest.raises(
        ArgumentError, match=f"name: expected an identifier that C and its headers leave free, got '{name}'"
    ):
        xdsl_relax.compile_library(SHAPE, tmp_path / "out", name=name)
    xdsl_relax.compile_library(tmp_path / f"{name}.mlir", tmp_path / "out", linker="none")
    (source,) = (tmp_path / "out").glob("*.c")
    assert source.stem != name and source.stem.isidentifier()


def test_c_and_cpp_read_the_header(tmp_path: Path):
    xdsl_relax.compile_library(SHAPE, tmp_path, name="net", linker="none")
    (tmp_path / "main.cpp").write_text(
        '#include "net.h"\nint main() { relax_tensor y = {}; int64_t a, b; return net_main(3, 4, &y, &a, &b, nullptr); }\n'
    )
    command = c_compiler()
    assert command is not None
    done = subprocess.run(
        [*command, "-x", "c++", "-std=c++14", "-Wall", "-Werror", "-fsyntax-only", "main.cpp"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    if "cc1plus" in done.stderr:
        pytest.skip("the C compiler compiles no C++")
    assert done.returncode == 0, done.stderr
