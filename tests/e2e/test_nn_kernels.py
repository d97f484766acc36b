"""Kernels as expressions of indices and as builder callbacks: natively and in the interpreter, against numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness import nn_kernels
from harness.nn_kernels import computed
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn import te
from xdsl_relax.interpreter.engine import Interpreter

RNG = np.random.default_rng(0)
A = RNG.standard_normal((5, 7)).astype(np.float32)
B = RNG.standard_normal((7, 3)).astype(np.float32)
INTEGERS = RNG.integers(-9, 9, (5, 7), dtype=np.int32)
BYTES = RNG.integers(0, 255, (5, 7), dtype=np.uint8)


def softmax(a: te.Tensor) -> te.Tensor:
    n, m = a.shape
    k, k2 = te.reduce_axis((0, m)), te.reduce_axis((0, m))
    top = te.compute((n,), lambda i: te.max(a[i, k], axis=k))
    shifted = te.compute((n, m), lambda i, j: te.exp(a[i, j] - top[i]))
    total = te.compute((n,), lambda i: te.sum(shifted[i, k2], axis=k2))
    return te.compute((n, m), lambda i, j: shifted[i, j] / total[i])


def numpy_softmax(a: np.ndarray) -> np.ndarray:
    e = np.exp(a - a.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def matmul(a: te.Tensor, b: te.Tensor) -> te.Tensor:
    k = te.reduce_axis((0, a.shape[1]), name="k")
    return te.compute((a.shape[0], b.shape[1]), lambda i, j: te.sum(a[i, k] * b[k, j], axis=[k]))


def padded(a: te.Tensor) -> te.Tensor:
    n, m = a.shape
    return te.compute(
        (n + 2, m + 2),
        lambda i, j: te.if_then_else(te.all(i >= 1, i < n + 1, j >= 1, j < m + 1), a[i - 1, j - 1], -1.0),
    )


CASES: dict[str, tuple[Callable[..., Any], list[np.ndarray], Callable[..., Any]]] = {
    "doubled": (lambda a: te.compute(a.shape, lambda i, j: a[i, j] * 2), [A], lambda a: a * 2),
    "any indices": (lambda a: te.compute(a.shape, lambda *i: 1 - a(*i)), [A], lambda a: 1 - a),
    "transposed": (lambda a: te.compute(a.shape[::-1], lambda i, j: a[j, i]), [A], lambda a: a.T),
    "broadcast": (
        lambda a, b: te.compute((*a.shape, b.shape[1]), lambda i, j, k: a[i, j] + b[j, k]),
        [A, B],
        lambda a, b: a[:, :, None] + b,
    ),
    "diagonal": (lambda a: te.compute((a.shape[0],), lambda i: a[i, i]), [A], lambda a: np.diagonal(a)),
    "part": (lambda a: te.compute((3, 2), lambda i, j: a[i + 1, 2 * j]), [A], lambda a: a[1:4, 0:4:2]),
    "first rows": (lambda a: te.compute((2, a.shape[1]), lambda i, j: a[i, j]), [A], lambda a: a[:2]),
    "reversed": (
        lambda a: te.compute(a.shape, lambda i, j: a[a.shape[0] - 1 - i, j]),
        [A],
        lambda a: a[::-1],
    ),
    "padded": (padded, [A], lambda a: np.pad(a, 1, constant_values=-1)),
    "gathered": (
        lambda a, i: te.compute(i.shape, lambda r, c: a[te.minimum(i[r, c] % 5, 4), c]),
        [A, INTEGERS],
        lambda a, i: a[i % 5, np.arange(7)],
    ),
    "indices": (
        lambda a: te.compute(a.shape, lambda i, j: (i * 10 + j).astype("float32") + a[i, j]),
        [A],
        lambda a: (np.arange(5)[:, None] * 10 + np.arange(7)).astype(np.float32) + a,
    ),
    "matmul": (matmul, [A, B], lambda a, b: a @ b),
    "softmax": (softmax, [A], numpy_softmax),
    "count": (
        lambda a: te.compute((3,), lambda i: te.sum(te.const(1, "int32"), axis=[te.reduce_axis((0, a.shape[1]))])),
        [A],
        lambda a: np.full(3, 7, np.int32),
    ),
    "tail sum": (
        lambda a: te.compute((a.shape[0],), lambda i: te.sum(a[i, (k := te.reduce_axis((2, a.shape[1])))], axis=k)),
        [A],
        lambda a: a[:, 2:].sum(1),
    ),
    "products": (
        lambda a: te.compute(
            (),
            lambda: te.prod(a[(r := te.reduce_axis((0, a.shape[0]))), (c := te.reduce_axis((0, a.shape[1])))], [r, c]),
        ),
        [A],
        lambda a: np.prod(a),
    ),
    "least": (
        lambda i: te.compute((i.shape[0],), lambda r: te.min(i[r, (k := te.reduce_axis((0, i.shape[1])))], axis=k)),
        [INTEGERS],
        lambda i: i.min(1),
    ),
    "largest of bytes": (
        lambda u: te.compute((u.shape[0],), lambda r: te.max(u[r, (k := te.reduce_axis((0, u.shape[1])))], axis=k)),
        [BYTES],
        lambda u: u.max(1),
    ),
    "divided": (
        lambda i: te.compute(i.shape, lambda r, c: (i[r, c] // 3) * 100 + i[r, c] % 3),
        [INTEGERS],
        lambda i: i // 3 * 100 + i % 3,
    ),
    "functions": (
        lambda a: te.compute(
            a.shape,
            lambda i, j: (
                te.tanh(a[i, j])
                + te.sqrt(te.abs(a[i, j]))
                + te.sigmoid(a[i, j])
                + te.floor(a[i, j])
                + te.power(te.abs(a[i, j]), 0.5)
            ),
        ),
        [A],
        lambda a: np.tanh(a) + 2 * np.sqrt(abs(a)) + 1 / (1 + np.exp(-a)) + np.floor(a),
    ),
    "compared": (
        lambda a: te.compute(a.shape, lambda i, j: te.any(a[i, j] > 1, a[i, j] == 0.0, a[i, j] <= -1)),
        [A],
        lambda a: (a > 1) | (a <= -1),
    ),
    "elementwise": (
        lambda a, b: (1 + a) * b - 2 / (3 + a * a) + -a,
        [A, A[0].copy()],
        lambda a, b: (1 + a) * b - 2 / (3 + a * a) - a,
    ),
    "two results": (
        lambda a: [te.compute(a.shape, lambda i, j: -a[i, j]), te.compute(a.shape, lambda i, j: a[i, j] * a[i, j])],
        [A],
        lambda a: (-a, a * a),
    ),
}


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["native", "interpreter"])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_kernel(name: str, dynamic: bool, kind: str):
    kernel, arrays, oracle = CASES[name]
    result, expected = computed(kernel, arrays, dynamic, kind), oracle(*arrays)
    for got, wanted in zip(result, expected, strict=True) if name == "two results" else [(result, expected)]:
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["native", "interpreter"])
def test_sums_of_narrow_floats_are_wide(kind: str):
    ones = np.ones((1, 4096), np.float16)

    def total(a: te.Tensor) -> te.Tensor:
        k = te.reduce_axis((0, a.shape[1]))
        return te.compute((1,), lambda i: te.sum(a[i, k], axis=k))

    assert computed(total, [ones], False, kind).tolist() == [4096]


@pytest.mark.parametrize("kind", ["native", "interpreter"])
def test_sizes_are_arguments(kind: str):
    def shifted(a: te.Tensor, n: Any) -> te.Tensor:
        return te.compute((2 * n, a.shape[1]), lambda i, j: a[i % a.shape[0], j] + n)

    result = computed(shifted, [A], True, kind, sizes=[4])
    np.testing.assert_allclose(result, A[np.arange(8) % 5] + 4, rtol=1e-6)


def test_equal_kernels_are_one_function():
    class Model(nn.Module):
        def forward(self, x: nn.Tensor, y: nn.Tensor) -> Any:
            def double(a: te.Tensor) -> te.Tensor:
                return te.compute(a.shape, lambda i: a[i] * 2)

            def halve(a: te.Tensor) -> te.Tensor:
                return te.compute(a.shape, lambda i: a[i] / 2)

            return [nn.op.tensor_expr_op(f, "scaled", [v]) for f in (double, halve, double) for v in (x, y)]

    spec = {"x": nn.spec.Tensor(["n"], "float32"), "y": nn.spec.Tensor(["m"], "float32")}
    text = str(Model().export({"forward": spec})[0])
    assert text.count("func.func private") == 2 and text.count("relax.primitive") == 2
    assert text.count("func.call @scaled(") == 4 and text.count("func.call @scaled_1(") == 2


def build_outer(b: Any, x: Any, y: Any, count: Any) -> Any:
    from xdsl_relax.lowering.emit import scalar

    sizes = [count, *b.shape(x)]
    return b.elementwise([x, y], sizes, x.type.element_type, lambda s, v: scalar.mul(s, v[0], v[1]))


@pytest.mark.parametrize("kind", ["native", "interpreter"])
def test_a_callback_builds_linalg(kind: str):
    class Model(nn.Module):
        def forward(self, x: nn.Tensor, y: nn.Tensor, n: Any) -> nn.Tensor:
            out = nn.Tensor.placeholder([n, *x.shape], "float32")
            return nn.op.tensor_ir_op(build_outer, "outer", [x, y, n], out)

    spec = {name: nn.spec.Tensor(["m", 4], "float32") for name in "xy"}
    module, _ = Model().export({"forward": {**spec, "n": int}})
    x, y = RNG.standard_normal((2, 3, 4)).astype(np.float32)
    program = xdsl_relax.compile(module)["forward"] if kind == "native" else Interpreter(module)
    arguments = (x, y, (2,))
    result = program(*arguments) if kind == "native" else program.call("forward", *arguments)[0]  # pyright: ignore
    np.testing.assert_array_equal(result, np.broadcast_to(x * y, (2, 3, 4)))


WRONG: dict[str, tuple[Callable[[te.Tensor], Any], str]] = {
    "count of indices": (
        lambda a: te.compute(a.shape, lambda i: a[i, i]),
        "expected a function of 2 indices, got one of 1",
    ),
    "rank": (lambda a: te.compute((3,), lambda i: a[i]), "expected 2 indices of a tensor of shape [5, 7], got 1"),
    "float index": (lambda a: te.compute((3,), lambda i: a[i, a[i, i]]), "expected integers as indices, got float32"),
    "truth": (lambda a: te.compute((3,), lambda i: 1.0 if i > 2 else 0.0), "an expression has no value yet"),
    "truth of an equality": (
        lambda a: te.compute((3,), lambda i: 1.0 if i == 2 else 0.0),
        "an expression has no value yet",
    ),
    "truth of an equality of expressions": (
        lambda a: te.compute((3,), lambda i: 1.0 if i == a[i, 0] else 0.0),
        "an expression has no value yet: use te.if_then_else",
    ),
    "unlike integers": (
        lambda a: te.compute((3,), lambda i: a[i, 0].astype("uint64") + i),
        "no integer dtype holds the values of uint64 and int64: use astype",
    ),
    "integer division": (lambda a: te.compute((3,), lambda i: i / 2), "a division of int64: use //"),
    "no tensor": (lambda a: 3, "expected tensors of te.compute, got 3"),
    "inner reduction": (
        lambda a: te.compute((3,), lambda i: 1 + te.sum(a[i, (k := te.reduce_axis((0, 7)))], axis=k)),
        "a reduction is the whole of a computation",
    ),
    "broadcast": (
        lambda a: a + te.compute((3, 7), lambda i, j: a[i, j]),
        "expected tensors that broadcast, got the shapes [5, 7] and [3, 7]",
    ),
    "plain axis": (lambda a: te.compute((3,), lambda i: te.sum(a[i, i], axis=i)), "expected te.reduce_axis"),
    "integer function": (lambda a: te.compute((3,), lambda i: te.exp(i)), "te.exp takes a float, got int64"),
    "stray": (
        lambda a: te.compute((3,), lambda i: te.Tensor([3], "float32")[i]),
        "a tensor of shape [3] is read, but is no argument",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_kernels(name: str):
    kernel, message = WRONG[name]
    with pytest.raises(nn.ModelError) as error:
        computed(kernel, [A], False, "interpreter")
    assert "kernel: " in str(error.value) and message in str(error.value)
    # What the function calls wrongly is at its own line, what it returns at that of the model.
    assert str(error.value).startswith(str(nn_kernels.__file__ if name in ("no tensor", "stray") else __file__))


def test_a_kernel_outside_of_an_export():
    weight = nn.Parameter([3, 3])
    with pytest.raises(nn.ModelError, match="double is called outside of an export"):
        nn.op.tensor_expr_op(lambda a: te.compute(a.shape, lambda i, j: a[i, j] * 2), "double", [weight])


DTYPES: list[tuple[str, str, str]] = [
    ("uint8", "int8", "int16"),
    ("int8", "uint8", "int16"),
    ("uint8", "int16", "int16"),
    ("uint16", "int8", "int32"),
    ("uint32", "int32", "int64"),
    ("uint8", "uint32", "uint32"),
    ("bool", "int8", "int8"),
    ("float16", "int32", "float16"),
    ("float16", "bfloat16", "float32"),
]


@pytest.mark.parametrize(("first", "second", "expected"), DTYPES)
def test_dtypes_of_two_values(first: str, second: str, expected: str):
    a, b = te.Tensor([2], first), te.Tensor([2], second)
    assert te.compute((2,), lambda i: te.maximum(a[i], b[i])).dtype == expected


def test_signs_of_sums():
    class Sum(nn.Module):
        def forward(self, x: nn.Tensor, y: nn.Tensor) -> nn.Tensor:
            return nn.op.tensor_expr_op(lambda a, b: a + b, "sum", [x, y])

    spec = {"x": nn.spec.Tensor([2], "uint8"), "y": nn.spec.Tensor([2], "int8")}
    result = Sum().jit({"forward": spec})(np.array([200, 255], np.uint8), np.array([-3, 127], np.int8))
    assert result.dtype == np.int16 and result.tolist() == [197, 382]


def test_lines_of_errors_at_run_time():
    class Outer(nn.Module):
        def __init__(self):
            self.inner = Taken()

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return self.inner(x)

    class Taken(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return nn.op.tensor_expr_op(lambda a: te.compute(a.shape, lambda i: a[a[i]]), "taken", [x])

    model = Outer().jit({"forward": {"x": nn.spec.Tensor(["n"], "int32")}})
    with pytest.raises(Exception, match=r"test_nn_kernels\.py:\d+:\d+: error: inner: .*is out of bounds where n = 2"):
        model(np.array([0, 7], np.int32))
