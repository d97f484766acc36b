"""Arguments, functions and modules of cases of `frontend.nn`, in short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from harness.nn_cases import Arg, Case


def floats(*dims: int | str) -> Arg:
    """Returns a floating-point argument of normal values."""
    return Arg(dims)


def positive(*dims: int | str) -> Arg:
    """Returns a floating-point argument of values from 0.5 to 2."""
    return Arg(dims, values=lambda rng, shape: rng.uniform(0.5, 2, shape))


def uniform(*dims: int | str) -> Arg:
    """Returns a floating-point argument of values from 0 to 1."""
    return Arg(dims, values=lambda rng, shape: rng.random(shape))


def probabilities(*dims: int | str, descending: bool = False) -> Arg:
    """Returns a floating-point argument whose rows have the sum 1."""

    def values(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        rows = rng.random(shape) ** 2
        rows = rows / rows.sum(-1, keepdims=True)
        return np.sort(rows)[..., ::-1] if descending else rows

    return Arg(dims, values=values)


def indices(below: int, *dims: int | str, dtype: str = "int64") -> Arg:
    """Returns an argument of indices below a number."""
    return Arg(dims, dtype, lambda rng, shape: rng.integers(0, below, shape))


def booleans(*dims: int | str) -> Arg:
    """Returns an argument of booleans."""
    return Arg(dims, "bool", lambda rng, shape: rng.random(shape) < 0.6)


def by_torch(name: str) -> Callable[..., Any]:
    """Returns a function of `torch.nn.functional` or of torch that is looked up when it is called."""

    def call(*args: Any, **named: Any) -> Any:
        import torch

        return (getattr(torch.nn.functional, name, None) or getattr(torch, name))(*args, **named)

    return call


def op_case(name: str, expected: str, *args: Arg, **named: Any) -> Case:
    """Returns a case of a function of the same name and arguments in both namespaces, whose counterpart in torch takes them too."""
    return Case(name, args, lambda nn, *tensors: getattr(nn.op, name)(*tensors, **named), by_torch(expected))


def module_case(
    name: str,
    module: Callable[[Any], Any],
    args: Sequence[Arg],
    torch: Callable[..., Any] | None = None,
    differs: str = "",
    **named: Any,
) -> Case:
    """Returns a case of a module called with its arguments alone; `torch` takes its parameters by name, with `_` for each dot, as keywords."""
    return Case(name, args, lambda nn, layer, *tensors: layer(*tensors), torch, module, differs, **named)


X, Y = floats("n", 4), floats("n", 4)
SIGNAL, IMAGE, VOLUME = floats(2, 4, 9), floats(2, 4, 6, 5), floats(1, 2, 4, 5, 3)
STEPS = indices(50, "n", dtype="int32")
