"""What Python allows a `forward` to be, and the arguments that it takes: each is exported, or refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from xdsl_relax.frontend import nn

T = nn.spec.Tensor([2], "float32")
UNTYPED: Any = nn.Module


class Keywords(UNTYPED):
    def forward(self, first: nn.Tensor, **further: nn.Tensor) -> nn.Tensor:
        return first + further["second"] * further["further"]


class Positional(UNTYPED):
    def forward(self, x: nn.Tensor, scale: float = 2.0, y: nn.Tensor | None = None, /, *, z: nn.Tensor) -> nn.Tensor:
        assert y is not None
        return x * scale + y + z


class Property(UNTYPED):
    @property
    def forward(self) -> Callable[[nn.Tensor], nn.Tensor]:
        return lambda x: x + x


class Static(UNTYPED):
    @staticmethod
    def forward(x: nn.Tensor) -> nn.Tensor:
        return x + x


class OfClass(UNTYPED):
    @classmethod
    def forward(cls, x: nn.Tensor) -> nn.Tensor:
        assert cls is OfClass
        return x + x


class Bound(UNTYPED):
    def __init__(self):
        self.forward = partial(nn.op.add, b=1.0)


class Outer(nn.Module):
    def __init__(self, inner: Any):
        self.inner = inner

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return self.inner(x)


X = np.ones(2, np.float32)


def test_arguments():
    keywords = Keywords().jit({"forward": {"first": T, "second": T, "further": T}})
    assert keywords(X, second=X * 2, further=X * 3).tolist() == [7, 7]
    positional = Positional().jit({"forward": {"x": T, "y": T, "z": T}})
    assert positional(X, X * 3, z=X * 4).tolist() == [9, 9]


@pytest.mark.parametrize("kind", [Property, Static, OfClass])
def test_functions_that_are_no_methods(kind: Any):
    for model in (kind(), Outer(kind())):
        assert model.jit({"forward": {"x": T}})(X).tolist() == [2, 2]


def test_a_function_in_an_attribute():
    assert Bound().jit({"forward": {"a": T}})(X).tolist() == [2, 2]
    assert Outer(Bound()).jit({"forward": {"x": T}})(X).tolist() == [2, 2]


def test_what_is_refused():
    class Several(nn.Module):
        def forward(self, *tensors: nn.Tensor) -> nn.Tensor:
            return tensors[0]

    with pytest.raises(nn.ModelError, match=r"expected arguments of forward that have names, got \*tensors"):
        Several().export({"forward": {"tensors": T}})

    class Subroutine(UNTYPED):
        define_subroutine = True

        @staticmethod
        def forward(x: nn.Tensor) -> nn.Tensor:
            return x

    with pytest.raises(nn.ModelError, match="inner: Subroutine with define_subroutine needs a method 'forward'"):
        Outer(Subroutine()).export({"forward": {"x": T}})


def test_paths_of_functions_that_are_no_methods():
    class Failing(UNTYPED):
        @staticmethod
        def forward(x: nn.Tensor) -> nn.Tensor:
            return nn.op.matmul(x, nn.op.zeros([3]))

    with pytest.raises(nn.ModelError, match=r"error: inner: relax\.matmul"):
        Outer(Failing()).export({"forward": {"x": T}})


def test_rows_of_an_embedding_for_no_index():
    model = nn.Embedding(5, 3)
    model.load_state_dict({"weight": np.ones((5, 3), np.float32)})
    for shape in ([2, 0], [0, 2], [2, 3, 0]):
        compiled = model.jit({"forward": {"x": nn.spec.Tensor(shape, "int32")}})
        assert compiled(np.zeros(shape, np.int32)).shape == (*shape, 3)
    model = nn.Embedding(0, 3)
    model.export({"forward": {"x": nn.spec.Tensor([2, 0], "int32")}})


class Sized(nn.Module):
    def __init__(self, size: Callable[[Any], Any]):
        self.size = size

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return nn.op.zeros([self.size(x.shape[0])])


def _halved_and_added(size: Any, times: int) -> Any:
    for _ in range(times):
        size = size // 2 + size
    return size


def test_sizes():
    spec = {"forward": {"x": nn.spec.Tensor(["n"], "float32")}}
    assert Sized(lambda n: _halved_and_added(n, 6)).jit(spec)(np.zeros(9, np.float32)).shape == (
        _halved_and_added(9, 6),
    )
    with pytest.raises(
        nn.ModelError, match="expected a size of at most 4096 numbers, symbols and operators, got one of"
    ):
        Sized(lambda n: _halved_and_added(n, 60)).export(spec)
    for size in (lambda n: n * (1 << 64), lambda n: n * (1 << 40) * (1 << 40), lambda n: n + (1 << 63)):
        with pytest.raises(nn.ModelError, match="expected sizes of numbers that 64 bits hold, got"):
            Sized(size).export(spec)
