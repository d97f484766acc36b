"""Scalars of kernels: element types of indices, booleans, constants, and expressions as large as models write them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness.nn_kernels import computed
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn import te

KINDS = ["interpreted", "native"]
TABLE = np.arange(256, dtype=np.float32)


def model(kernel: Callable[..., Any]) -> nn.Module:
    """Returns a model that computes a kernel of one tensor."""

    class Model(nn.Module):
        def forward(self, a: Any) -> Any:
            return nn.op.tensor_expr_op(kernel, "kernel", [a])

    return Model()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int8", "int64"])
def test_indices_are_read_with_their_sign(dtype: str, kind: str):
    places = np.array([5, 127] if dtype == "int8" else [5, 127, 128, 200, 255], dtype)

    def gather(t: te.Tensor, i: te.Tensor) -> te.Tensor:
        return te.compute(i.shape, lambda k: t[i[k]])

    np.testing.assert_array_equal(computed(gather, [TABLE, places], True, kind), TABLE[places])


@pytest.mark.parametrize("kind", KINDS)
def test_the_absolute_value_of_an_unsigned_integer(kind: str):
    data = np.array([3, 127, 128, 200], np.uint8)

    def kernel(a: te.Tensor) -> te.Tensor:
        return te.compute(a.shape, lambda i: te.abs(a[i]))

    np.testing.assert_array_equal(computed(kernel, [data], True, kind), data)


@pytest.mark.parametrize("kind", KINDS)
def test_any_and_all_of_booleans(kind: str):
    data = np.array([[True, True], [True, False], [False, False]])

    def kernel(a: te.Tensor) -> list[te.Tensor]:
        k, j = te.reduce_axis((0, a.shape[1])), te.reduce_axis((0, a.shape[1]))
        reduced = [(te.max, k), (te.min, j)]
        count = te.reduce_axis((0, a.shape[1]))
        return [
            *(te.compute((a.shape[0],), lambda i: f(a[i, axis], axis=axis)) for f, axis in reduced),
            te.compute((a.shape[0],), lambda i: te.sum(a[i, count].astype("int32"), axis=count)),
        ]

    results = computed(kernel, [data], True, kind)
    for result, expected in zip(results, [data.any(1), data.all(1), data.sum(1)], strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        pytest.param(
            lambda a: te.compute(a.shape, lambda i: functools.reduce(lambda x, _: x + 1, range(1200), a[i])),
            lambda a: a + 1200,
            id="deep",
        ),
        pytest.param(
            lambda a: te.compute(a.shape, lambda i: functools.reduce(lambda x, _: x + x, range(30), a[i])),
            lambda a: a * 2**30,
            id="shared",
        ),
        pytest.param(
            lambda a: te.compute(
                a.shape,
                lambda i: functools.reduce(lambda x, n: te.if_then_else(a[i] > n, x, float(n)), range(60), a[i]),
            ),
            lambda a: functools.reduce(lambda x, n: np.where(a > n, x, float(n)), range(60), a),
            id="choices",
        ),
    ],
)
def test_large_expressions(kernel: Callable[..., Any], expected: Callable[[Any], Any], kind: str):
    data = np.arange(1, 5, dtype=np.float32)
    np.testing.assert_array_equal(computed(kernel, [data], True, kind), expected(data))


def test_a_long_row_of_tensors():
    def kernel(a: te.Tensor) -> te.Tensor:
        return functools.reduce(lambda x, _: x + 1.0, range(1100), a)

    module, _ = model(kernel).export({"forward": {"a": nn.spec.Tensor(["n"], "float32")}})
    assert str(module).count("arith.addf") == 1100


def _leaked(a: te.Tensor) -> te.Tensor:
    kept: list[Any] = []
    te.compute(a.shape, lambda i: (kept.append(i), a[i])[1])
    return te.compute(a.shape, lambda j: a[kept[0]])


def _reduced(a: te.Tensor, low: Any, high: Any) -> te.Tensor:
    k = te.reduce_axis((low, high), name="k")
    return te.compute((1,), lambda i: te.sum(a[k], axis=k))


def _axes(a: te.Tensor, function: Callable[..., Any]) -> te.Tensor:
    k, other = te.reduce_axis((0, a.shape[0]), name="k"), te.reduce_axis((0, 2), name="other")
    return te.compute((3,), lambda i: function(a[k], k, other))


def _branches(a: te.Tensor) -> te.Tensor:
    return te.compute(
        a.shape, lambda i: functools.reduce(lambda x, n: te.if_then_else(i > n, a[i - n] + x, 0.0), range(99), a[i])
    )


WRONG: dict[str, tuple[Callable[..., Any], str, str]] = {
    "an index of another computation": (_leaked, "float32", "index 0 is read, which is of another computation"),
    "a reduction index outside": (lambda a: _axes(a, lambda x, k, j: x), "float32", "the reduction index k is read"),
    "another reduction's index": (
        lambda a: _axes(a, lambda x, k, j: te.sum(x, axis=j)),
        "float32",
        "the reduction index k is read",
    ),
    "an axis twice": (
        lambda a: _axes(a, lambda x, k, j: te.sum(x, axis=[k, k])),
        "float32",
        "different axes of a reduction, got the reduction index k twice",
    ),
    "a negative extent": (lambda a: _reduced(a, 5, 2), "float32", r"range of a reduction .* got \(5, 2\)"),
    "a large bound": (lambda a: _reduced(a, 2**70, 2**71), "float32", "range of a reduction|does not hold"),
    "a bound that is no size": (lambda a: _reduced(a, 0, 2.5), "float32", "as the upper bound of a reduction, got 2.5"),
    "no range": (lambda a: te.reduce_axis(5), "float32", r"expected \(low, high\) as the range of a reduction, got 5"),
    "a large index": (lambda a: te.compute(a.shape, lambda i: a[2**70]), "float32", "int64 does not hold the constant"),
    "a large byte": (
        lambda a: te.compute(a.shape, lambda i: a[i] + 300),
        "uint8",
        "uint8 does not hold the constant 300",
    ),
    "a large int": (lambda a: te.compute(a.shape, lambda i: te.const(2**80, "int32")), "int32", "int32 does not hold"),
    "a sum of booleans": (lambda a: _reduced(a, 0, 2), "bool", "a sum or product of booleans: use te.max for any"),
    "booleans added": (lambda a: te.compute(a.shape, lambda i: a[i] + a[i]), "bool", "add of two booleans"),
    "a number as a condition": (
        lambda a: te.compute(a.shape, lambda i: te.if_then_else(a[i], 1.0, 2.0)),
        "float32",
        "expected a condition, such as x > 0, got a value of dtype float32",
    ),
    "branches in branches": (_branches, "float32", "te.if_then_else to be nested at most 32 deep"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_scalars(name: str):
    kernel, dtype, message = WRONG[name]
    with pytest.raises(nn.ModelError, match=message) as error:
        model(kernel).export({"forward": {"a": nn.spec.Tensor(["n"], dtype)}})
    assert "\n" not in str(error.value)
