"""Donated arguments: a decode step computes in the memory of its caches, and moves the new rows alone."""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from generators.donation_modules import donation_module
from harness.guard_pages import PAGE, faults
from xdsl_relax.dialects.upstream.op_error import OpError
from xdsl_relax.frontend import nn
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.executable.leaf import address
from xdsl_relax.runtime.executable.native_function import ExecutionError, NativeFunction
from xdsl_relax.runtime.interface.json_form import from_json, to_json
from xdsl_relax.runtime.signatures import signatures

PROT_NONE, PROT_READ = 0, 1


def decode(batch: int, heads: int, size: int, element: str = "f32", rows: int = 1) -> str:
    """Returns a decode step: new rows of keys and values go to position `p` of caches for `m` rows, and all rows up to them are read."""
    cache = f"tensor<{batch}x?x{heads}x{size}x{element}, #relax.sym<m>>"
    read = f"tensor<{batch}x?x{heads}x{size}x{element}, #relax.sym<min(m, p + {rows})>>"
    new = f"tensor<{batch}x{rows}x{heads}x{size}x{element}>"
    q = f"tensor<{batch}x{rows}x{2 * heads}x{size}x{element}>"
    bounds = f"!relax.shape<[p]>, !relax.shape<[p + {rows}]>"
    return f"""
    func.func @decode(%q: {q}, %k_new: {new}, %v_new: {new}, %position: !relax.shape<[p]>,
        %k_cache: {cache} {{relax.donate = 1 : i64}}, %v_cache: {cache} {{relax.donate = 2 : i64}}) -> ({q}, {cache}, {cache}) {{
      %zero = relax.shape : () -> !relax.shape<[0]>
      %begin = relax.shape : () -> !relax.shape<[p]>
      %end = relax.shape : () -> !relax.shape<[p + {rows}]>
      %k = relax.slice_scatter %k_cache, %k_new, %begin, %end {{axis = 1 : i64}} : ({cache}, {new}, {bounds}) -> {cache}
      %v = relax.slice_scatter %v_cache, %v_new, %begin, %end {{axis = 1 : i64}} : ({cache}, {new}, {bounds}) -> {cache}
      %keys = relax.strided_slice %k, %zero, %end {{axes = array<i64: 1>}}
        : ({cache}, !relax.shape<[0]>, !relax.shape<[p + {rows}]>) -> {read}
      %values = relax.strided_slice %v, %zero, %end {{axes = array<i64: 1>}}
        : ({cache}, !relax.shape<[0]>, !relax.shape<[p + {rows}]>) -> {read}
      %o = relax.nn.attention %q, %keys, %values {{causal_mask = "BottomRight"}} : ({q}, {read}, {read}) -> {q}
      return %o, %k, %v : {q}, {cache}, {cache}
    }}"""


def arguments(
    batch: int, heads: int, size: int, capacity: int, position: int, dtype: Any = np.float32, rows: int = 1
) -> list[Any]:
    """Returns random arguments of a decode step; what the caches hold from the position on is NaN."""
    rng = np.random.default_rng([batch, heads, capacity, position])

    def random(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(dtype)

    caches = [random(batch, capacity, heads, size) for _ in range(2)]
    for cache in caches:
        cache[:, position:] = np.nan
    new = [random(batch, rows, heads, size) for _ in range(2)]
    return [random(batch, rows, 2 * heads, size), *new, (position,), *caches]


def copied(args: Sequence[Any]) -> list[Any]:
    return [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize(
    ("batch", "element", "dtype", "rows"),
    [
        (1, "f32", np.float32, 1),
        (3, "f32", np.float32, 2),
        (2, "f16", np.float16, 1),
        (1, "bf16", ml_dtypes.bfloat16, 5),
    ],
)
def test_a_decode_step_computes_in_its_caches(batch: int, element: str, dtype: Any, rows: int, level: int) -> None:
    module = xdsl_relax.load(decode(batch, 2, 16, element, rows))
    step, interpreter = xdsl_relax.compile(module, opt_level=level)["decode"], Interpreter(module)
    for capacity, position in ((9, 0), (9, 3), (9, 9 - rows), (64, 40)):
        args = arguments(batch, 2, 16, capacity, position, dtype, rows)
        before = copied(args)
        expected = interpreter.call("decode", *args)
        # The interpreter has value semantics.
        assert [np.asarray(arg).tobytes() for arg in args] == [np.asarray(arg).tobytes() for arg in before]
        attended, *caches = step(*args)
        np.testing.assert_allclose(attended.astype(np.float32), expected[0].astype(np.float32), rtol=0.03, atol=0.01)
        for cache, given, old, new, wanted in zip(caches, args[4:], before[4:], before[1:3], expected[1:], strict=True):
            assert cache is given
            assert cache.tobytes() == wanted.tobytes()
            old[:, position : position + rows] = new
            assert cache.tobytes() == old.tobytes()


def test_the_memory_of_a_step_does_not_grow_with_the_capacity() -> None:
    step = xdsl_relax.compile(decode(1, 2, 64))["decode"]
    capacities = (64, 1024, 1 << 16)
    assert len({step.workspace_bytes(*arguments(1, 2, 64, m, 10)) for m in capacities}) == 1
    assert step.workspace_bytes(*arguments(1, 2, 64, 1024, 1000)) < 1000 * 2 * 64 * 4


def _in_pages(array: np.ndarray, position: int) -> tuple[np.ndarray, mmap.mmap]:
    """Returns a copy of a cache with a page a row: rows before the position may be read, that at the position written, others neither."""
    block = mmap.mmap(-1, array.nbytes)
    placed = np.ndarray(array.shape, array.dtype, block)
    placed[...] = array
    libc = ctypes.CDLL(None, use_errno=True)
    start = address(placed)
    assert array[0, 0].nbytes == PAGE
    for first, last, access in ((0, position, PROT_READ), (position + 1, array.shape[1], PROT_NONE)):
        if last > first:
            assert not libc.mprotect(
                ctypes.c_void_p(start + first * PAGE), ctypes.c_size_t((last - first) * PAGE), access
            )
    return placed, block


@pytest.mark.parametrize("threads", [1, 2])
def test_new_rows_alone_are_written_and_no_others_than_the_first_are_read(threads: int) -> None:
    step = xdsl_relax.compile(decode(1, 2, PAGE // 8), threads=threads)["decode"]
    capacity = 12

    def call(position: int, protected_at: int) -> str | None:
        args = arguments(1, 2, PAGE // 8, capacity, position)
        expected = step(*copied(args))[0]
        placed = [_in_pages(cache, protected_at) for cache in args[4:]]
        attended, *caches = step(*args[:4], *(cache for cache, _ in placed))
        if any(cache is not given for cache, (given, _) in zip(caches, placed, strict=True)):
            return "a cache was copied"
        return None if np.array_equal(attended, expected) else "another result"

    positions = (0, 5, capacity - 1)
    assert faults([(f"at {p}", lambda p=p: call(p, p)) for p in positions]) == []

    def fault(position: int, protected_at: int) -> str | None:
        faulthandler.disable()
        return call(position, protected_at)

    # The pages do tell: a write behind the rows that may be read, one to a row that may only be read.
    assert len(faults([("behind", lambda: fault(6, 5)), ("before", lambda: fault(5, 6))])) == 2


def _step() -> NativeFunction:
    return xdsl_relax.compile(decode(1, 2, 16))["decode"]


def _read_only(args: list[Any]) -> None:
    args[4].flags.writeable = False


def _strided(args: list[Any]) -> None:
    args[4] = np.asfortranarray(args[4])


def _same(args: list[Any]) -> None:
    args[5] = args[4]


def _overlapping(args: list[Any]) -> None:
    base = args[4].reshape(-1)
    args[1] = base[: args[1].size].reshape(args[1].shape)


@pytest.mark.parametrize(("change", "kept"), [(_read_only, [4]), (_strided, [4]), (_same, [4, 5]), (_overlapping, [4])])
def test_an_array_that_may_not_be_overwritten_is_copied(change: Callable[[list[Any]], None], kept: list[int]) -> None:
    step = _step()
    args = copied(arguments(1, 2, 16, 8, 3))
    change(args)
    before = copied(args)
    results = step(*args)
    for position in (4, 5):
        if position in kept:
            assert results[position - 3] is not args[position]
            assert args[position].tobytes() == before[position].tobytes()
        else:
            assert results[position - 3] is args[position]
    for result, expected in zip(results, step(*before), strict=True):
        np.testing.assert_array_equal(result, expected)


def test_a_position_beyond_the_capacity_is_refused() -> None:
    step = _step()
    for position in (8, 9, 1 << 40):
        args = arguments(1, 2, 16, 8, 0)
        args[3] = (position,)
        before = copied(args)
        with pytest.raises(ExecutionError, match=r"relax\.slice_scatter: expected max\(0, min\(m, p \+ 1\) - p\) == 1"):
            step(*args)
        for cache, old in zip(args[4:], before[4:], strict=True):
            np.testing.assert_array_equal(cache, old)


def test_the_record_says_what_is_donated() -> None:
    executable = xdsl_relax.compile(decode(1, 2, 16))
    interface = from_json(to_json(executable.interface))
    (function,) = interface.functions
    assert [argument.donate for argument in function.signature.arguments] == [None] * 4 + [(1,), (2,)]
    args = arguments(1, 2, 16, 8, 3)
    assert xdsl_relax.link(interface, executable.code)["decode"](*args)[2] is args[5]


LAYERS = """
func.func private @layer(%c: tensor<8x4xf32> {relax.donate = 0 : i64}, %x: tensor<1x4xf32>, %p: !relax.shape<[p]>) -> tensor<8x4xf32> {
  %b = relax.shape : () -> !relax.shape<[p]>
  %e = relax.shape : () -> !relax.shape<[p + 1]>
  %k = relax.slice_scatter %c, %x, %b, %e
    : (tensor<8x4xf32>, tensor<1x4xf32>, !relax.shape<[p]>, !relax.shape<[p + 1]>) -> tensor<8x4xf32>
  return %k : tensor<8x4xf32>
}
func.func @main(%x: tensor<1x4xf32>, %p: !relax.shape<[p]>, %cache: tensor<8x4xf32> {relax.donate = 1 : i64},
    %count: tensor<i64> {relax.donate = 2 : i64}, %w: tensor<4x4xf32> {relax.name = "w"})
    -> (tensor<4xf32>, tensor<8x4xf32>, tensor<i64>) attributes {relax.num_input = 4 : i64} {
  %w_t = relax.permute_dims %w : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = relax.matmul %x, %w_t : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %0 = call @layer(%cache, %y, %p) : (tensor<8x4xf32>, tensor<1x4xf32>, !relax.shape<[p]>) -> tensor<8x4xf32>
  %q = relax.shape : () -> !relax.shape<[p + 1]>
  %1 = call @layer(%0, %x, %q) : (tensor<8x4xf32>, tensor<1x4xf32>, !relax.shape<[p + 1]>) -> tensor<8x4xf32>
  %s = relax.sum %1 {axis = array<i64: 0>} : (tensor<8x4xf32>) -> tensor<4xf32>
  %one = relax.constant {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %n = relax.add %count, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %s, %1, %n : tensor<4xf32>, tensor<8x4xf32>, tensor<i64>
}
"""


@pytest.mark.parametrize("lift", [False, True, "shared"])
@pytest.mark.parametrize("passes", [(), ("relax-inline{private_functions=true}",)])
def test_functions_that_are_called_update_what_they_are_lent(lift: Any, passes: Sequence[str]) -> None:
    module = xdsl_relax.load(LAYERS)
    executable = xdsl_relax.compile(module, lift=lift, passes=list(passes))
    rng = np.random.default_rng(0)
    x, cache, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((1, 4), (8, 4), (4, 4)))
    expected = Interpreter(module).call("main", x, (2,), cache, np.asarray(7), w)
    params = [executable.transform_params({"w": w})] if lift else [w]
    count = np.asarray(7)
    results = executable["main"](x, (2,), cache, count, *params)
    assert results[1] is cache
    assert results[2] is count
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, value, rtol=1e-5, atol=1e-6)


class Counter(nn.Module):
    """Counts, and keeps the last value."""

    def step(self, x: nn.Tensor, last: nn.Tensor, count: nn.Tensor) -> tuple[nn.Tensor, nn.Tensor, nn.Tensor]:
        return nn.op.multiply(x, last), nn.op.negative(x), count + 1


SPEC = {
    "x": nn.spec.Tensor(["n"], "float32"),
    "last": nn.spec.Tensor(["n"], "float32"),
    "count": nn.spec.Tensor([], "int64"),
}


def test_a_method_donates_its_arguments() -> None:
    step = Counter().jit({"step": {**SPEC, "$": {"donate": {"last": 1, "count": 2}}}})["step"]
    x, last, count = np.arange(5, dtype=np.float32), np.ones(5, np.float32), np.asarray(3)
    product, negative, counted = step(x, last, count)
    assert negative is last
    assert counted is count
    np.testing.assert_array_equal(product, x)
    np.testing.assert_array_equal(last, -x)
    assert count == 4


FIELDS = """
func.func @main(%x: tensor<1x4xf32>, %p: !relax.shape<[p]>,
    %state: tuple<tensor<8x4xf32>, !relax.shape<[k]>, tuple<tensor<8x4xf32>, tensor<i64>>> {relax.donate = array<i64: 2, -1, -1, 0>})
    -> (tensor<i64>, tuple<!relax.shape<[k, p]>, tensor<8x4xf32>>) {
  %cache = relax.tuple_get_item %state {index = 0 : i64} : (tuple<tensor<8x4xf32>, !relax.shape<[k]>, tuple<tensor<8x4xf32>, tensor<i64>>>) -> tensor<8x4xf32>
  %rest = relax.tuple_get_item %state {index = 2 : i64} : (tuple<tensor<8x4xf32>, !relax.shape<[k]>, tuple<tensor<8x4xf32>, tensor<i64>>>) -> tuple<tensor<8x4xf32>, tensor<i64>>
  %other = relax.tuple_get_item %rest {index = 0 : i64} : (tuple<tensor<8x4xf32>, tensor<i64>>) -> tensor<8x4xf32>
  %count = relax.tuple_get_item %rest {index = 1 : i64} : (tuple<tensor<8x4xf32>, tensor<i64>>) -> tensor<i64>
  %b = relax.shape : () -> !relax.shape<[p]>
  %e = relax.shape : () -> !relax.shape<[p + 1]>
  %row = relax.max %other {axis = array<i64: 0>, keepdims = true} : (tensor<8x4xf32>) -> tensor<1x4xf32>
  %sum = relax.add %row, %x : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %k = relax.slice_scatter %cache, %sum, %b, %e
    : (tensor<8x4xf32>, tensor<1x4xf32>, !relax.shape<[p]>, !relax.shape<[p + 1]>) -> tensor<8x4xf32>
  %n = relax.add %count, %count : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %sizes = relax.shape : () -> !relax.shape<[k, p]>
  %r = relax.tuple %sizes, %k : (!relax.shape<[k, p]>, tensor<8x4xf32>) -> tuple<!relax.shape<[k, p]>, tensor<8x4xf32>>
  return %n, %r : tensor<i64>, tuple<!relax.shape<[k, p]>, tensor<8x4xf32>>
}
"""


@pytest.mark.parametrize("level", range(4))
def test_fields_of_a_tuple_are_donated(level: int) -> None:
    rng = np.random.default_rng(0)
    x, cache, other = (rng.standard_normal(shape).astype(np.float32) for shape in ((1, 4), (8, 4), (8, 4)))
    count, kept = np.asarray(7), other.copy()
    expected = cache.copy()
    expected[2] = other.max(0) + x[0]
    plain = Interpreter(xdsl_relax.load(FIELDS)).call("main", x, (2,), (cache, (5,), (other, count)))
    np.testing.assert_array_equal(plain[1][1], expected)
    n, (sizes, k) = xdsl_relax.compile(FIELDS, opt_level=level)["main"](x, (2,), (cache, (5,), (other, count)))
    assert k is cache and n is count and tuple(sizes) == (5, 2)
    np.testing.assert_array_equal(cache, expected)
    np.testing.assert_array_equal(other, kept)
    assert count == 14


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("array<i64: 2, -1, -1>", "expected 4 numbers, one for each field and -1 for one that stays, got 3"),
        ("2 : i64", "expected 4 numbers, one for each field and -1 for one that stays, got 1"),
        ("array<i64: -1, 1, -1, 0>", "of field 1 of argument 'state': expected a tensor, got !relax.shape<[k]>"),
        (
            "array<i64: 2, -1, 2, 0>",
            "of field 2 of argument 'state': result 2 takes the memory of field 0 of argument 'state' already",
        ),
        (
            "array<i64: 0, -1, -1, -1>",
            "of field 0 of argument 'state': expected result 0 of type tensor<8x4xf32>, got tensor<i64>",
        ),
        ("array<i64: 9, -1, -1, -1>", "of field 0 of argument 'state' must be in [0, 3), the number of results, got 9"),
    ],
)
def test_wrong_donations_of_fields(given: str, message: str) -> None:
    with pytest.raises(Exception, match=re.escape(message)):
        xdsl_relax.load(FIELDS.replace("array<i64: 2, -1, -1, 0>", given))


class Pair(nn.Module):
    """Counts, with the state as a tuple."""

    def step(self, x: nn.Tensor, state: tuple[nn.Tensor, nn.Tensor]) -> tuple[nn.Tensor, tuple[nn.Tensor, nn.Tensor]]:
        last, count = state
        return nn.op.multiply(x, last), (nn.op.negative(x), count + 1)


@pytest.mark.parametrize("donate", [[1, 2], (1, None)])
def test_a_method_donates_fields_of_an_argument(donate: Any) -> None:
    spec = {"x": SPEC["x"], "state": (SPEC["last"], SPEC["count"]), "$": {"donate": {"state": donate}}}
    step = Pair().jit({"step": spec})["step"]
    x, last, count = np.arange(5, dtype=np.float32), np.ones(5, np.float32), np.asarray(3)
    product, (negative, counted) = step(x, (last, count))
    assert negative is last and (counted is count) == (donate[1] is not None)
    np.testing.assert_array_equal(product, x)
    np.testing.assert_array_equal(last, -x)
    assert counted == 4


def test_donations_are_numbers() -> None:
    with pytest.raises(nn.ModelError, match="expected donate to say which result takes 'last', got 'x'"):
        nn.spec.MethodSpec.from_raw({**SPEC, "$": {"donate": {"last": "x"}}}, Counter().step)


def test_a_method_has_the_arguments_that_it_donates() -> None:
    with pytest.raises(nn.ModelError, match="expected donate to name arguments, x, last, count, got 'lost'"):
        nn.spec.MethodSpec.from_raw({**SPEC, "$": {"donate": {"lost": 1}}}, Counter().step)


def test_a_tensor_of_torch_is_donated() -> None:
    torch = pytest.importorskip("torch")
    step = Counter().jit({"step": {**SPEC, "$": {"donate": {"last": 1, "count": 2}}}})["step"]
    last, count = torch.ones(5), torch.tensor(3)
    results = step(torch.arange(5.0), last, count)
    assert [result.data_ptr() for result in results[1:]] == [last.data_ptr(), count.data_ptr()]
    assert last.tolist() == [-0.0, -1.0, -2.0, -3.0, -4.0]
    assert count == 4


def test_random_programs_compute_in_place_or_are_refused() -> None:
    computed = refused = 0
    for seed in range(40):
        module = xdsl_relax.load(donation_module(seed))
        rng = np.random.default_rng(seed)
        args: list[Any] = [
            (rng.standard_normal(shape) * 0.5).astype(np.float32) for shape in ((8, 4), (8, 4), (1, 4), (4, 4))
        ]
        args.append((seed % 8,))
        expected = Interpreter(module).call("main", *args)
        try:
            main = xdsl_relax.compile(module, opt_level=seed % 3)["main"]
        except OpError as error:
            assert "relax.donate: result" in str(error)
            refused += 1
            continue
        computed += 1
        results = main.call(*args)
        for result, value in zip(results, expected, strict=True):
            np.testing.assert_allclose(result, value, rtol=1e-4, atol=1e-5, err_msg=donation_module(seed))
        for position, argument in enumerate(signatures(module)["main"].arguments):
            assert all(results[index] is args[position] for index in argument.donate or () if index is not None)
    assert min(computed, refused) >= 8


def test_an_array_on_a_device_is_donated() -> None:
    state, row = (f'tensor<{rows}x4xf32, #relax.vdevice<"cpu", 1>>' for rows in (8, 1))
    step = xdsl_relax.compile(f"""
    func.func @main(%c: {state} {{relax.donate = 0 : i64}}, %x: {row}) -> {state} {{
      %k = relax.slice_scatter %c, %x {{start = 2 : i64, end = 3 : i64}} : ({state}, {row}) -> {state}
      return %k : {state}
    }}""")["main"]
    device, host = xdsl_relax.device("cpu", 1), xdsl_relax.device("cpu", 0)
    given = xdsl_relax.to_device(np.zeros((8, 4), np.float32), device)
    result = step(given, xdsl_relax.to_device(np.ones((1, 4), np.float32), device))
    assert address(result.data) == address(given.data)
    assert xdsl_relax.to_device(given, host).sum(axis=1).tolist() == [0, 0, 4, 0, 0, 0, 0, 0]


STATE = "tensor<8x16xf32>"
ROW = "tensor<1x16xf32>"
WITH_PARAMETERS = f"""
func.func @main(%x: {ROW}, %position: !relax.shape<[p]>, %state: {STATE} {{relax.donate = 1 : i64}}, %w: {ROW}) -> ({ROW}, {STATE})
    attributes {{relax.num_input = 3 : i64}} {{
  %n = relax.negative %w : ({ROW}) -> {ROW}
  %y = relax.add %x, %n : ({ROW}, {ROW}) -> {ROW}
  %s = relax.add %state, %y : ({STATE}, {ROW}) -> {STATE}
  return %y, %s : {ROW}, {STATE}
}}"""


def test_a_set_of_parameters_stands_behind_donated_arguments() -> None:
    exe = xdsl_relax.compile(WITH_PARAMETERS, lift=True)
    sets = [exe.transform_params({"w": np.full((1, 16), value, np.float32)}) for value in (1, 2)]
    main, x = exe["main"], np.ones((1, 16), np.float32)
    for position, value in ((0, 0), (1, 0), (2, 1), (3, 0)):
        state = np.full((8, 16), 5, np.float32)
        y, result = main(x, (position,), state, sets[value])
        assert result is state
        assert (y == -value).all() and (state == 5 - value).all()
    for wrong in ((x, (0,), sets[0]), (x, (0, 1), state, sets[0]), (x, 0.5, state, sets[0])):
        with pytest.raises(ArgumentError):
            main(*wrong)
    kept = np.full((8, 16), 5, np.float32)
    kept.flags.writeable = False
    assert (main(x, (0,), kept, sets[1])[1] == 4).all() and (kept == 5).all()


def test_a_donated_array_in_the_memory_of_a_parameter_is_copied() -> None:
    exe = xdsl_relax.compile(WITH_PARAMETERS, lift=True)
    params = exe.transform_params({"w": np.full((1, 16), 1, np.float32)})
    value = params.values[0]
    memory = np.zeros((8, 16), np.float32)
    memory[3] = value.reshape(16)
    params = replace(params, values=(memory[3:4],))
    x = np.ones((1, 16), np.float32)
    y, result = exe["main"](x, (0,), memory, params)
    assert result is not memory and (memory[3] == value).all() and (memory[4] == 0).all()
    np.testing.assert_array_equal(result, [row + y[0] for row in memory])
    other = np.zeros((8, 16), np.float32)
    assert exe["main"](x, (0,), other, params)[1] is other


SHIFT = """
func.func @main(%x: tensor<4x6x8xf32> {relax.donate = 0 : i64}) -> tensor<4x6x8xf32> {
  %s = relax.strided_slice %x {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 4>} : (tensor<4x6x8xf32>) -> tensor<3x6x8xf32>
  %u = relax.slice_scatter %x, %s {axis = 0 : i64, start = 0 : i64, end = 3 : i64, step = 1 : i64}
      : (tensor<4x6x8xf32>, tensor<3x6x8xf32>) -> tensor<4x6x8xf32>
  func.return %u : tensor<4x6x8xf32>
}
"""


@pytest.mark.parametrize("level", range(3))
def test_rows_move_within_a_donated_cache(level: int) -> None:
    main = xdsl_relax.compile(xdsl_relax.load(SHIFT), opt_level=level)["main"]
    cache = np.random.default_rng(0).standard_normal((4, 6, 8), np.float32)
    wanted = np.concatenate([cache[1:], cache[3:]])
    assert main(cache) is cache
    np.testing.assert_array_equal(cache, wanted)
