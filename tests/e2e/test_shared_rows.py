"""Threads share the rows of scans and sorts: every bit of a result is the same for any number of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import xdsl_relax
from numpy.typing import NDArray

THREADS = (1, 2, 3, 0)

Reference = Callable[[NDArray[np.float32], int], NDArray[np.number]]

REFERENCES: dict[str, Reference] = {
    "cumsum": lambda x, axis: np.cumsum(x, axis, np.float64),
    "cumprod": lambda x, axis: np.cumprod(x, axis, np.float64),
    "sort": lambda x, axis: np.sort(x, axis),
    "argsort": lambda x, axis: np.argsort(x, axis, kind="stable"),
    "topk": lambda x, axis: np.argsort(x, axis, kind="stable").take(range(3), axis),
}
ATTRIBUTES = {"argsort": ", dtype = i64", "topk": ', k = 3 : i64, largest = false, ret_type = "indices", dtype = i64'}

SHAPES = [
    ("cumsum", (523, 1031), 1),
    ("cumsum", (1, 300007), 1),
    ("cumsum", (3, 257, 1031), 2),
    ("cumsum", (11, 127, 499), 1),
    ("cumsum", (0, 7), 1),
    ("cumsum", (7, 0), 1),
    ("cumprod", (523, 1031), 1),
    ("sort", (67, 4099), 1),
    ("sort", (5, 17001), 1),
    ("sort", (1, 70001), 1),
    ("sort", (1009, 37), 0),
    ("argsort", (67, 1031), 1),
    ("argsort", (2003, 31), 1),
    ("argsort", (1, 1), 1),
    ("topk", (61, 8009), 1),
]
"""Most have work enough for several threads, and rows that these share unevenly."""


@cache
def executables(name: str, *dims: int | str, axis: int) -> list[xdsl_relax.Executable]:
    """Returns an op compiled for each number of threads."""
    sizes = "x".join("?" if isinstance(dim, str) else str(dim) for dim in dims)
    kind = "i64" if name in ATTRIBUTES else "f32"
    symbols = ", #relax.sym<n>" if "?" in sizes else ""
    result = sizes if name != "topk" else "x".join("3" if i == axis else d for i, d in enumerate(sizes.split("x")))
    given, made = f"tensor<{sizes}xf32{symbols}>", f"tensor<{result}x{kind}{symbols}>"
    text = f"""
    func.func @main(%x: {given}) -> {made} {{
      %y = relax.{name} %x {{axis = {axis} : i64{ATTRIBUTES.get(name, "")}}} : ({given}) -> {made}
      return %y : {made}
    }}"""
    return [xdsl_relax.compile(text, threads=threads) for threads in THREADS]


def numbers(name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Returns numbers, for sorts many equal ones, zeros of both signs and NaN."""
    rng = np.random.default_rng(0)
    if name == "cumprod":
        return (1 + 0.01 * rng.standard_normal(shape)).astype(np.float32)
    x = rng.standard_normal(shape).astype(np.float32)
    if name != "cumsum":
        special = np.array([0.0, -0.0, np.nan, np.inf, 1.0], np.float32)
        x = np.where(rng.random(shape) < 0.01, rng.choice(special, shape), x)
    return x


def check(name: str, x: NDArray[np.float32], axis: int, *dims: int | str) -> None:
    alone, *shared = (exe["main"](x) for exe in executables(name, *dims, axis=axis))
    expected = REFERENCES[name](x, axis)
    if name in ("cumsum", "cumprod"):
        np.testing.assert_allclose(alone, expected, rtol=1e-4, atol=1e-2)
    else:
        np.testing.assert_array_equal(alone, expected)
    for result in shared:
        assert result.tobytes() == alone.tobytes()


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "shape", "axis"), SHAPES)
def test_any_number_of_threads_has_the_same_bits(name: str, shape: tuple[int, ...], axis: int):
    check(name, numbers(name, shape), axis, *shape)


@pytest.mark.sweep
@pytest.mark.parametrize("rows", [0, 1, 16, 31, 523])
@pytest.mark.parametrize("name", ["cumsum", "sort", "argsort", "topk"])
def test_rows_are_shared_where_their_number_is_known_at_run_time_only(name: str, rows: int):
    check(name, numbers(name, (rows, 2053)), 1, "n", 2053)


def test_nan_stays_in_its_row():
    x = numbers("cumsum", (523, 1031))
    x[[3, 261, 522], [0, 500, 1030]] = np.nan
    alone, *shared = (exe["main"](x) for exe in executables("cumsum", 523, 1031, axis=1))
    np.testing.assert_array_equal(np.isnan(alone), np.isnan(np.cumsum(x, 1, np.float64)))
    for result in shared:
        assert result.tobytes() == alone.tobytes()
