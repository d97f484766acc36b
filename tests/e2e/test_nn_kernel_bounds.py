"""Indices of kernels of `nn.te`: what leaves the tensor that is read is refused, when the model is exported or when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness.nn_kernels import computed
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn import te
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.executable.native_function import ExecutionError

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def ahead(a: te.Tensor) -> te.Tensor:
    return te.compute(a.shape, lambda i, j: a[i, j + 1])


def behind(a: te.Tensor) -> te.Tensor:
    return te.compute(a.shape, lambda i, j: a[i - 1, j])


def reversed_too_far(a: te.Tensor) -> te.Tensor:
    return te.compute(a.shape, lambda i, j: a[i, a.shape[1] - j])


def reduced_too_long(a: te.Tensor) -> te.Tensor:
    k = te.reduce_axis((0, a.shape[1] + 1))
    return te.compute((a.shape[0],), lambda i: te.sum(a[i, k], axis=k))


def in_the_condition(a: te.Tensor) -> te.Tensor:
    return te.compute(a.shape, lambda i, j: te.if_then_else(a[i + 1, j] > 0, a[i, j], 0.0))


def doubled_behind(a: te.Tensor) -> te.Tensor:
    return te.compute(a.shape, lambda i, j: a[i, -2 * j])


# `-2 * j` is 0 in a dim of one.
ALWAYS: dict[Callable[[te.Tensor], te.Tensor], str] = {
    ahead: "index 1 runs from 1 to {m}, outside of a dim of size {m}",
    behind: "index 0 runs from -1 to {n - 2}, outside of a dim of size {n}",
    reversed_too_far: "index 1 runs from 1 to {m}, outside of a dim of size {m}",
    reduced_too_long: "index 1 runs from 0 to {m}, outside of a dim of size {m}",
    in_the_condition: "index 0 runs from 1 to {n}, outside of a dim of size {n}",
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("kernel", ALWAYS, ids=lambda kernel: kernel.__name__)
def test_what_is_outside_for_all_sizes_is_refused_by_the_export(kernel: Any, dynamic: bool) -> None:
    names = {"n": "d2", "m": "d3", "n - 2": "d2 - 2"} if dynamic else {"n": "2", "m": "3", "n - 2": "0"}
    text = ALWAYS[kernel]
    for name, shown in names.items():
        text = text.replace(f"{{{name}}}", shown)
    with pytest.raises(nn.ModelError) as error:
        computed(kernel, [X], dynamic, "native")
    assert text in str(error.value)
    assert "\n" not in str(error.value)


def transposed(a: te.Tensor) -> te.Tensor:
    return te.compute((a.shape[1], a.shape[0]), lambda i, j: a[i, j])


def diagonal(a: te.Tensor) -> te.Tensor:
    return te.compute((a.shape[1],), lambda i: a[i, i])


def far(a: te.Tensor) -> te.Tensor:
    return te.compute((1,), lambda i: a[2**40, i])


def remainder(a: te.Tensor) -> te.Tensor:
    return te.compute(a.shape, lambda i, j: a[i, (j + i) % 4])


DEPENDS = [transposed, diagonal, far, remainder, doubled_behind]


@pytest.mark.parametrize("kind", ["native", "interpreter"])
@pytest.mark.parametrize("kernel", DEPENDS, ids=lambda kernel: kernel.__name__)
def test_what_depends_on_sizes_is_refused_when_it_runs(kernel: Any, kind: str) -> None:
    with pytest.raises((ExecutionError, InterpreterError), match="out of bounds"):
        computed(kernel, [X], True, kind)


def test_an_index_from_data_is_checked_when_it_runs() -> None:
    def taken(a: te.Tensor) -> te.Tensor:
        return te.compute(a.shape, lambda i: a[a[i]])

    assert computed(taken, [np.array([2, 0, 1], np.int32)], True, "native").tolist() == [1, 2, 0]
    for wrong in (3, -1):
        with pytest.raises(ExecutionError, match="out of bounds"):
            computed(taken, [np.array([2, 0, wrong], np.int32)], True, "native")


@pytest.mark.parametrize("dynamic", [False, True])
def test_what_is_guarded_or_never_read_is_no_error(dynamic: bool) -> None:
    def shifted(a: te.Tensor) -> te.Tensor:
        return te.compute(a.shape, lambda i, j: te.if_then_else(j + 1 < a.shape[1], a[i, j + 1], 0.0))

    def nothing(a: te.Tensor) -> te.Tensor:
        return te.compute((0,), lambda i: a[i, 2**40])

    def backwards(a: te.Tensor) -> te.Tensor:
        n, m = a.shape
        return te.compute((n, m), lambda i, j: a[n - 1 - i, m - 1 - j])

    np.testing.assert_array_equal(computed(shifted, [X], dynamic, "native"), [[1, 2, 0], [4, 5, 0]])
    np.testing.assert_array_equal(computed(backwards, [X], dynamic, "native"), X[::-1, ::-1])
    assert computed(nothing, [X], dynamic, "native").shape == (0,)
