"""Calls with the sizes of many before them, which native code compares: they do and refuse what the first call does and refuses."""

from __future__ import annotations

import gc
import pickle
import sys
import threading
import weakref

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.executable import native_function
from xdsl_relax.runtime.executable.native_function import ExecutionError
from xdsl_relax.runtime.executable.repeated_call import AFTER
from xdsl_relax.runtime.executable.results import LARGE
from xdsl_relax.runtime.executable.workspaces import PAGED
from xdsl_relax.runtime.machine import repeated_calls
from xdsl_relax.runtime.machine.forks import in_process

ROW = "tensor<?x16xf32, #relax.sym<n>>"
PROGRAM = f"""
func.func @sum(%x: {ROW}, %y: {ROW}) -> {ROW} {{
  %z = relax.add %x, %y : ({ROW}, {ROW}) -> {ROW}
  return %z : {ROW}
}}
func.func @both(%x: {ROW}, %y: tensor<bf16>) -> (tensor<16x?xf32, #relax.sym<n>>, {ROW}, tensor<bf16>) {{
  %t = relax.permute_dims %x : ({ROW}) -> tensor<16x?xf32, #relax.sym<n>>
  %e = relax.nn.softmax %x {{axis = 0 : i64}} : ({ROW}) -> {ROW}
  %n = relax.negative %y : (tensor<bf16>) -> tensor<bf16>
  return %t, %e, %n : tensor<16x?xf32, #relax.sym<n>>, {ROW}, tensor<bf16>
}}
func.func @chain(%x: tensor<48x96xf32>, %y: tensor<96x96xf32>) -> tensor<48x96xf32> {{
  %a = relax.matmul %x, %y : (tensor<48x96xf32>, tensor<96x96xf32>) -> tensor<48x96xf32>
  %b = relax.matmul %a, %y : (tensor<48x96xf32>, tensor<96x96xf32>) -> tensor<48x96xf32>
  return %b : tensor<48x96xf32>
}}
func.func @checked(%x: tensor<2xf32>, %least: tensor<1xi64>) -> tensor<2xf32> {{
  %zero = arith.constant 0 : index
  %got = tensor.extract %least[%zero] : tensor<1xi64>
  %five = arith.constant 5 : i64
  %fits = arith.cmpi sgt, %got, %five : i64
  cf.assert %fits, "expected more than five"
  %y = relax.negative %x : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}}
func.func @nothing() -> tensor<2xf32> {{
  %shape = relax.shape : () -> !relax.shape<[2]>
  %y = relax.zeros %shape {{dtype = f32}} : (!relax.shape<[2]>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}}"""
LIFTED = f"""
func.func @main(%x: {ROW}, %w: tensor<16x16xf32>) -> {ROW} attributes {{relax.num_input = 1 : i64}} {{
  %t = relax.permute_dims %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %y = relax.matmul %x, %t : ({ROW}, tensor<16x16xf32>) -> {ROW}
  return %y : {ROW}
}}"""
ONES = np.ones((3, 16), np.float32)

needs_native_code = pytest.mark.skipif(
    repeated_calls._native() is None, reason="this Python, or its numpy, is laid out in another way"
)


@pytest.fixture(scope="module")
def executable():
    return xdsl_relax.compile(PROGRAM)


@pytest.fixture(scope="module")
def lifted():
    return xdsl_relax.compile(LIFTED, lift=True)


def settled(function, *args):
    """Returns the function after as many calls as it takes until native code compares its arguments."""
    for _ in range(AFTER + 2):
        function(*args)
    assert (function._repeated is not None) == (repeated_calls._native() is not None)
    return function


def unaligned(array):
    memory = np.zeros(array.nbytes + 1, np.uint8)
    moved = memory[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    assert not moved.flags.aligned
    return moved


class Subclass(np.ndarray):
    pass


GIVEN = {
    "an array": ONES,
    "a read-only array": np.broadcast_to(ONES, (3, 16)).copy(),
    "columns": np.asfortranarray(ONES),
    "steps": np.ones((6, 16), np.float32)[::2],
    "a broadcast row": np.broadcast_to(np.ones(16, np.float32), (3, 16)),
    "no alignment": unaligned(ONES),
    "a subclass": ONES.view(Subclass),
    "a list": ONES.tolist(),
    "an equal element type": ONES.view(np.dtype(np.float32, metadata={"unit": "m"})),
    "an element type of this byte order": ONES.astype(ONES.dtype.newbyteorder("=")),
    "an array of another process": pickle.loads(pickle.dumps(ONES)),
}
GIVEN["a read-only array"].flags.writeable = False


@pytest.mark.parametrize("kind", GIVEN)
def test_arrays_of_all_kinds_are_taken(executable, kind):
    function = settled(executable["sum"], ONES, ONES)
    for args in ((GIVEN[kind], 2 * ONES), (2 * ONES, GIVEN[kind])):
        result = function(*args)
        assert type(result) is np.ndarray and (result == 3).all()


REFUSED = {
    "element type": (ONES.astype(np.float64), "expected element type float32, got float64"),
    "byte order": (ONES.astype(">f4"), r"expected element type float32, got >f4"),
    "rank": (np.ones(16, np.float32), "expected rank 2, got 1"),
    "more dims": (np.ones((3, 16, 1), np.float32), "expected rank 2, got 3"),
    "size": (np.ones((3, 17), np.float32), "expected 16, got 17"),
    "symbol": (np.ones((4, 16), np.float32), "expected n = 3"),
    "object": (object(), "expected an array"),
    "none": (None, "expected an array"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_does_not_fit_is_refused_as_in_the_first_call(executable, kind):
    wrong, message = REFUSED[kind]
    with pytest.raises(ArgumentError, match=message) as first:
        xdsl_relax.compile(PROGRAM)["sum"](ONES, wrong)
    function = settled(executable["sum"], ONES, ONES)
    with pytest.raises(ArgumentError, match=message) as later:
        function(ONES, wrong)
    assert str(later.value) == str(first.value)
    assert (function(ONES, ONES) == 2).all()


def test_a_wrong_count_is_refused(executable):
    function = settled(executable["sum"], ONES, ONES)
    for args in ((), (ONES,), (ONES, ONES, ONES)):
        with pytest.raises(ArgumentError, match="expected 2 arguments"):
            function(*args)


def test_options_and_names_are_taken(executable):
    function = settled(executable["sum"], ONES, ONES)
    out = np.empty_like(ONES)
    assert function(ONES, ONES, out=out) is out and (out == 2).all()
    assert function(ONES, y=ONES).tolist() == out.tolist()
    assert function(ONES, ONES, results="numpy").tolist() == out.tolist()
    assert len(function.call(ONES, ONES)) == 1


WRONG_DESTINATIONS = {
    "element type": (np.empty((3, 16), np.int32), "expected element type float32, got int32"),
    "shape": (np.empty((4, 16), np.float32), r"expected shape \[3, 16\], got \[4, 16\]"),
    "rank": (np.empty((3, 16, 1), np.float32), "expected shape"),
    "steps": (np.empty((6, 16), np.float32)[::2], "expected a contiguous array"),
    "read-only": (GIVEN["a read-only array"], "that can be written to"),
    "no alignment": (unaligned(ONES), "aligned"),
    "a list": (ONES.tolist(), "expected an array"),
    "a tuple": ((np.empty_like(ONES),), "expected an array"),
}


@pytest.mark.parametrize("kind", WRONG_DESTINATIONS)
def test_destinations_that_do_not_fit_are_refused_as_in_the_first_call(executable, kind):
    out, message = WRONG_DESTINATIONS[kind]
    with pytest.raises(ArgumentError, match=message) as first:
        xdsl_relax.compile(PROGRAM)["sum"](ONES, ONES, out=out)
    function = settled(executable["sum"], ONES, ONES)
    with pytest.raises(ArgumentError, match=message) as later:
        function(ONES, ONES, out=out)
    assert str(later.value) == str(first.value)


def test_destinations_that_share_memory(executable):
    function = settled(executable["sum"], ONES, ONES)
    memory = np.ones(4 * 48, np.float32)
    for start in (0, 16, 47, 48, 49, 95, 96):
        memory[:] = 1
        x, out = memory[48:96].reshape(3, 16), memory[start : start + 48].reshape(3, 16)
        assert function(x, 2 * ONES, out=out) is out
        assert (out == 3).all() and (memory == 3).sum() == 48
        memory[:] = 1
        assert function(ONES, x, out=out) is out and (out == 2).all()
    subclass = np.empty_like(ONES).view(Subclass)
    assert function(ONES, ONES, out=subclass) is subclass and (subclass == 2).all()


def test_several_destinations(executable):
    scalar = np.array(2, ml_dtypes.bfloat16)
    expected = executable["both"](ONES, scalar)
    function = settled(executable["both"], ONES, scalar)
    outs = tuple(np.empty_like(value) for value in expected)
    for out in (outs, [*outs], (None, *outs[1:]), (None, None, None)):
        for wanted, given, result in zip(expected, out, function(ONES, scalar, out=out), strict=True):
            assert given is None or result is given
            np.testing.assert_array_equal(result, wanted)
    memory = np.empty(90, np.float32)
    shared = memory[:48].reshape(16, 3), memory[40:88].reshape(3, 16), outs[2]
    with pytest.raises(ArgumentError, match="shares memory"):
        function(ONES, scalar, out=shared)
    for wrong in (outs[:2], outs[0]):
        with pytest.raises(ArgumentError, match="expected a tuple of 3"):
            function(ONES, scalar, out=wrong)


def test_destinations_beside_a_set(lifted):
    params = lifted.transform_params({"w": np.ones((16, 16), np.float32)})
    function, x = lifted["main"], np.ones((16, 16), np.float32)
    settled(function, x, params)
    out = np.empty((16, 16), np.float32)
    assert function(x, params, out=out) is out and (out == 16).all()
    weights = params.values[0]
    inside = weights.reshape(-1)[: 16 * 16].reshape(16, 16)
    inside.flags.writeable = True
    assert function(x, params, out=inside) is inside and (inside == 16).all()


def test_results_have_memory_of_their_own(executable):
    function = settled(executable["sum"], ONES, ONES)
    results = [function(k * ONES, ONES) for k in range(100)]
    assert [result[2, 15] for result in results] == [*range(1, 101)]
    assert all(result.flags.owndata and result.flags.writeable for result in results)


def test_several_results_and_element_types(executable):
    scalar = np.array(2, ml_dtypes.bfloat16)
    first = executable["both"](ONES, scalar)
    function = settled(executable["both"], ONES, scalar)
    for expected, result in zip(first, function(ONES, scalar), strict=True):
        assert result.dtype == expected.dtype and result.shape == expected.shape
        np.testing.assert_array_equal(result, expected)
    with pytest.raises(ArgumentError, match="expected element type bfloat16"):
        function(ONES, np.array(2, np.float16))


def test_no_arguments(executable):
    assert settled(executable["nothing"])().tolist() == [0, 0]
    with pytest.raises(ArgumentError, match="expected 0 arguments"):
        executable["nothing"](ONES)


def test_no_elements(executable):
    none = np.empty((0, 16), np.float32)
    assert settled(executable["sum"], none, none)(none, none).shape == (0, 16)


def test_workspaces_come_and_go(executable):
    x, y = np.ones((48, 96), np.float32), np.ones((96, 96), np.float32)
    function = settled(executable["chain"], x, y)
    assert function.workspace_bytes(x, y) > 0
    for _ in range(3):
        assert (function(x, y) == 96 * 96).all()
        executable.release()
        assert executable.workspace_bytes == 0


@pytest.mark.parametrize("nbytes", [LARGE // 2, LARGE, PAGED, 2 * PAGED])
def test_results_of_all_sizes(executable, nbytes):
    rows = np.ones((nbytes // 64 + 1, 16), np.float32)
    function = settled(executable["sum"], rows, rows)
    results = [function(k * rows, rows) for k in range(4)]
    assert all((result == k + 1).all() for k, result in enumerate(results))
    assert nbytes < LARGE or results[0].ctypes.data % (4096 if nbytes >= PAGED else 64) == 0
    del results
    assert (executable.workspace_bytes > 0) == (nbytes >= LARGE)


def test_results_of_one_size_and_several_types_share_memory():
    exe = xdsl_relax.compile("""
func.func @rows(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %y = relax.negative %x : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}
func.func @columns(%x: tensor<64x128xf32>) -> tensor<128x64xi32> {
  %t = relax.permute_dims %x : (tensor<64x128xf32>) -> tensor<128x64xf32>
  %y = relax.astype %t {dtype = i32} : (tensor<128x64xf32>) -> tensor<128x64xi32>
  return %y : tensor<128x64xi32>
}""")
    x = np.arange(64 * 128, dtype=np.float32).reshape(64, 128)
    rows, columns = settled(exe["rows"], x), settled(exe["columns"], x)
    held = columns(x)
    addresses = set()
    for _ in range(3):
        for function, expected in ((rows, -x), (columns, x.T.astype(np.int32))):
            result = function(x)
            assert result.dtype == expected.dtype and np.array_equal(result, expected)
            result.flags.writeable = False
            addresses.add(result.ctypes.data)
            del result
    assert len(addresses) == 1 and np.array_equal(held, x.T)
    assert exe.workspace_bytes == 64 * 128 * 4


@pytest.mark.parametrize("threads", [0, 2])
def test_threads_are_prepared_once(threads, monkeypatch):
    function = xdsl_relax.compile(PROGRAM, threads=threads)["sum"]
    settled(function, ONES, ONES)
    asked = []
    monkeypatch.setattr(native_function, "require_threads", lambda: asked.append(threads))
    for _ in range(5):
        function(ONES, ONES)
    assert len(asked) == (5 if threads == 0 or not in_process[0] or repeated_calls._native() is None else 0)


def test_assertions_name_values(executable):
    x = np.ones(2, np.float32)
    with pytest.raises(ExecutionError) as first:
        executable["checked"](x, np.array([3]))
    function = settled(executable["checked"], x, np.array([7]))
    with pytest.raises(ExecutionError, match="expected more than five") as later:
        function(x, np.array([3]))
    assert str(later.value) == str(first.value)
    assert function(x, np.array([8])).tolist() == [-1, -1]


def test_sizes_that_change(executable):
    function = executable["sum"]
    for rows in (3, 5, 3, 1):
        array = np.ones((rows, 16), np.float32)
        assert settled(function, array, array)(array, array).shape == (rows, 16)
        for others in (2, rows, 4, rows):
            array = np.full((others, 16), others, np.float32)
            assert (function(array, array) == 2 * others).all()


@needs_native_code
def test_arrays_with_an_element_type_of_their_own_are_taken_by_native_code():
    function = xdsl_relax.compile(PROGRAM)["sum"]

    def sent():
        array = pickle.loads(pickle.dumps(ONES))
        assert array.dtype is not ONES.dtype
        return array

    for _ in range(AFTER + 2):
        function(sent(), sent())
    assert function._repeated is not None
    out = np.zeros_like(ONES)
    for args in ((sent(), ONES), (ONES, sent())):
        (result,) = function._repeated(args, None)
        assert (result == 2).all()
    assert function._repeated((ONES, ONES.byteswap().view(">f4")), None) is None
    assert function._repeated((ONES, ONES.view(np.int32)), None) is None
    assert function._repeated((ONES, sent()), out) and (out == 2).all()


@needs_native_code
def test_arguments_are_let_go(executable):
    function = settled(executable["sum"], ONES, ONES)
    x, y = ONES.copy(), ONES.copy()
    shared = x.dtype, ONES.shape, np.ndarray
    before = [sys.getrefcount(value) for value in (x, y)], [sys.getrefcount(value) for value in shared]
    for _ in range(100):
        function(x, y)
        function(y, x)
        assert (function(x, y.tolist()) == 2).all()
    assert [sys.getrefcount(value) for value in (x, y)] == before[0]
    # The collector may let go of what others left; a reference that calls keep or lose is there a hundred times.
    assert all(abs(sys.getrefcount(value) - count) < 100 for value, count in zip(shared, before[1], strict=True))
    reference = weakref.ref(x)
    del x
    assert reference() is None


@needs_native_code
def test_without_native_code_calls_go_on(monkeypatch):
    monkeypatch.setattr(repeated_calls, "_native", lambda: None)
    function = xdsl_relax.compile(PROGRAM)["sum"]
    for k in range(AFTER + 3):
        assert (function(k * ONES, ONES) == k + 1).all()
    assert function._repeated is None


def test_parameter_sets(lifted):
    sets = [lifted.transform_params({"w": np.full((16, 16), value, np.float32)}) for value in (1, 2)]
    function = settled(lifted["main"], ONES, sets[0])
    for index in (0, 1, 0, 0, 1, 1):
        assert (function(ONES, sets[index]) == 16 * (index + 1)).all()
    for args in ((ONES,), (ONES, ONES, sets[0]), (sets[0],), ()):
        with pytest.raises(ArgumentError, match="expected"):
            function(*args)
    with pytest.raises(ArgumentError, match="expected rank 2"):
        function(np.ones(16, np.float32), sets[0])
    settled(function, ONES, sets[1])
    assert (function(ONES, sets[0]) == 16).all()


def test_a_set_that_is_dropped_is_freed_and_another_in_its_place_is_read(lifted):
    params = lifted.transform_params({"w": np.ones((16, 16), np.float32)})
    function = settled(lifted["main"], ONES, params)
    for value in range(20):
        references = [weakref.ref(array) for array in params.values]
        del params
        gc.collect()
        assert [reference() for reference in references] == [None] * len(references)
        # Most of them are where the one before was.
        params = lifted.transform_params({"w": np.full((16, 16), value, np.float32)})
        assert (function(ONES, params) == 16 * value).all()
    settled(function, ONES, params)
    del params
    gc.collect()
    with pytest.raises(ArgumentError, match="expected an array, got None"):
        function(ONES, None)


def test_threads_at_once(executable):
    x, y = np.ones((48, 96), np.float32), np.ones((96, 96), np.float32)
    function = settled(executable["chain"], x, y)
    wrong = []

    def call(number):
        for k in range(200):
            if not (function(np.full_like(x, number + k), y) == (number + k) * 96 * 96).all():
                wrong.append((number, k))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
