"""Rows are sorted at once, by networks: every bit of the elements, and the order of equal ones, is that of a stable sort."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.runtime.executable.native_function import NativeFunction

ROWS = 300
"""More than one block of rows of any length, and no multiple of one."""

DTYPES = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i32": np.int32,
    "i16": np.int16,
    "ui8": np.uint8,
    "ui32": np.uint32,
    "i1": np.bool_,
}
CASES = [
    *(("f32", size, size) for size in (1, 2, 3, 17, 64)),
    *(("f32", 33, 2), ("f32", 40, 7)),
    *((name, 5, 5) for name in DTYPES),
]


def sort(name: str, size: int, count: int, largest: bool, rows: str) -> str:
    sizes = ", #relax.sym<m>" if rows == "?" else ""
    given = f"tensor<{rows}x{size}x{name}{sizes}>"
    values, indices = (f"tensor<{rows}x{count}x{kind}{sizes}>" for kind in (name, "i64"))
    label = "down" if largest else "up"
    return f"""
    func.func @{label}_{name}_{size}_{count}_{"m" if rows == "?" else rows}(%x: {given}) -> ({values}, {indices}) {{
      %y:2 = relax.topk %x {{k = {count} : i64, axis = 1 : i64, largest = {str(largest).lower()}, dtype = i64}} : ({given}) -> ({values}, {indices})
      return %y#0, %y#1 : {values}, {indices}
    }}"""


@pytest.fixture(scope="module")
def topk() -> Callable[[str, int, int], xdsl_relax.Executable]:
    """Compiles the functions of a case when the first of its tests runs."""

    @cache
    def compiled(name: str, size: int, count: int) -> xdsl_relax.Executable:
        texts = [sort(name, size, count, largest, str(ROWS)) for largest in (False, True)]
        if (name, size, count) == ("f32", 5, 5):
            texts.append(sort(name, size, count, False, "?"))
        return xdsl_relax.compile("\n".join(texts))

    return compiled


def elements(name: str, shape: tuple[int, int]) -> np.ndarray:
    """Few different values, so that many are equal; of floats zeros of both signs, infinities, and NaN of both signs with payloads."""
    rng, dtype = np.random.default_rng(0), np.dtype(DTYPES[name])
    if name not in ("f32", "f16", "bf16"):
        return rng.integers(-9, 10, shape).astype(dtype)
    few = np.array([-1.5, -0.0, 0.0, 2.0, np.inf, -np.inf, np.nan], dtype)
    payloads = np.array([few[-1], few[-1]]).view(f"u{dtype.itemsize}") + np.array([1, 2], f"u{dtype.itemsize}")
    payloads[1] |= 1 << (8 * dtype.itemsize - 1)
    return rng.choice(np.concatenate([few.view(payloads.dtype), payloads]), shape).view(dtype)


def stable_order(x: np.ndarray, largest: bool) -> np.ndarray:
    """The indices of a stable sort; NaN is the largest, and equal elements keep their order in both directions."""
    ranks = np.unique(x.astype(np.float64) + 0.0, return_inverse=True)[1].reshape(x.shape)
    return np.argsort(-ranks if largest else ranks, 1, kind="stable")


@pytest.mark.sweep
@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize(("name", "size", "count"), CASES)
def test_every_bit(
    name: str, size: int, count: int, largest: bool, topk: Callable[[str, int, int], xdsl_relax.Executable]
):
    x = elements(name, (ROWS, size))
    order = stable_order(x, largest)[:, :count]
    values, indices = topk(name, size, count)[f"{'down' if largest else 'up'}_{name}_{size}_{count}_{ROWS}"](x)
    np.testing.assert_array_equal(indices, order)
    assert values.tobytes() == np.take_along_axis(x, order, 1).tobytes()


@pytest.mark.parametrize("rows", [0, 1, 7, 255, 256, 257, 600])
def test_any_number_of_rows(rows: int, topk: Callable[[str, int, int], xdsl_relax.Executable]):
    x = elements("f32", (rows, 5))
    values, indices = topk("f32", 5, 5)["up_f32_5_5_m"](x)
    order = stable_order(x, False)
    np.testing.assert_array_equal(indices, order)
    assert values.tobytes() == np.take_along_axis(x, order, 1).tobytes()


LENGTHS = {"f32": (2, 15, 16, 33, 64, 100, 256, 300, 1100, 5000), **{name: (3, 70) for name in DTYPES if name != "f32"}}
"""Lines that are filled up and that are not, in one block and in several; the last ones take two passes to be merged."""


def sort_alone(name: str, size: int, descending: bool, rows: str) -> str:
    sizes = ", #relax.sym<m>" if rows == "?" else ""
    given = f"tensor<{rows}x{size}x{name}{sizes}>"
    return f"""
    func.func @{"down" if descending else "up"}_{name}_{size}_{"m" if rows == "?" else rows}(%x: {given}) -> {given} {{
      %y = relax.sort %x {{axis = 1 : i64, descending = {str(descending).lower()}}} : ({given}) -> {given}
      return %y : {given}
    }}"""


@pytest.fixture(scope="module")
def sorts() -> Callable[[str, int], xdsl_relax.Executable]:
    """Compiles the functions of a type and a length when the first of their tests runs."""

    @cache
    def compiled(name: str, size: int) -> xdsl_relax.Executable:
        texts = [sort_alone(name, size, down, "21") for down in (False, True) if size < 5000 or down]
        if (name, size) == ("f32", 70):
            texts = [sort_alone(name, size, False, rows) for rows in ("?", "3", "4")]
        return xdsl_relax.compile("\n".join(texts))

    return compiled


def check_sorted(x: np.ndarray, descending: bool, function: NativeFunction):
    expected = np.take_along_axis(x, stable_order(x, descending), 1)
    assert function(x).tobytes() == expected.tobytes()


@pytest.mark.sweep
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(("name", "size"), [(name, size) for name, sizes in LENGTHS.items() for size in sizes])
def test_every_bit_of_elements_alone(
    name: str, size: int, descending: bool, sorts: Callable[[str, int], xdsl_relax.Executable]
):
    if size == 5000 and not descending:
        return
    function = sorts(name, size)[f"{'down' if descending else 'up'}_{name}_{size}_21"]
    check_sorted(elements(name, (21, size)), descending, function)
    rng = np.random.default_rng(1)
    numbers = rng.standard_normal((21, size)) * 100
    check_sorted(numbers.astype(np.float32).astype(DTYPES[name]), descending, function)
    if name == "f32":
        # Rows of which some have zeros of both signs or NaN, at their ends too.
        x = numbers.astype(np.float32)
        x[3, -1], x[3, 0], x[7, 0], x[20, -1] = 0.0, -0.0, np.nan, -np.inf
        check_sorted(x, descending, function)


@pytest.mark.parametrize("rows", [0, 1, 4, 15, 16, 17, 32, 100])
def test_any_number_of_rows_alone(rows: int, sorts: Callable[[str, int], xdsl_relax.Executable]):
    x = elements("f32", (rows, 70))
    check_sorted(x, False, sorts("f32", 70)["up_f32_70_m"])


@pytest.mark.parametrize("rows", [3, 4])
def test_few_rows(rows: int, sorts: Callable[[str, int], xdsl_relax.Executable]):
    check_sorted(elements("f32", (rows, 70)), False, sorts("f32", 70)[f"up_f32_70_{rows}"])
