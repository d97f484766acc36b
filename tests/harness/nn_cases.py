"""Cases of `frontend.nn`: a function or module of its namespaces on given arguments, with torch as the oracle.

A case is written once for both namespaces, ours and TVM's `tvm.relax.frontend.nn`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl_relax.builder.types import element_type
from xdsl_relax.dialects.relax.dtypes import numpy_dtype
from xdsl_relax.dialects.relax.function_signature import functions
from xdsl_relax.frontend import nn as ours

SIZES = {"n": 3, "m": 5}
"""What the symbols of the arguments are when a case runs."""

FLOAT = "float"
"""The dtype of an argument that a case runs with in every floating-point dtype."""


@dataclass(frozen=True)
class Arg:
    """An argument: its dims, dtype and values, normal ones by default."""

    dims: Sequence[int | str]
    dtype: str = FLOAT
    values: Callable[[np.random.Generator, tuple[int, ...]], Any] = lambda rng, shape: rng.standard_normal(shape)

    def make(self, rng: np.random.Generator, dtype: str) -> np.ndarray:
        """Returns an array; `dtype` is that of a floating-point argument."""
        shape = tuple(SIZES[dim] if isinstance(dim, str) else dim for dim in self.dims)
        return np.asarray(self.values(rng, shape)).astype(_numpy(dtype if self.dtype == FLOAT else self.dtype))


@dataclass(frozen=True)
class Case:
    """A function of a namespace `nn` and tensors; or of a namespace, the module that `module` makes, and tensors.

    `torch` is the expected result of the arguments as tensors in float64, of the parameters as keywords, with `_` for each dot; `None`
    where the values are not defined.
    """

    name: str
    args: Sequence[Arg]
    forward: Callable[..., Any]
    torch: Callable[..., Any] | None
    module: Callable[[Any], Any] | None = None
    differs: str = ""
    """Why the exported function is not that of TVM."""
    dtypes: Sequence[str] = ("float32", "float16", "bfloat16")
    tolerance: Mapping[str, float] = field(
        default_factory=lambda: {"float32": 3e-6, "float16": 3e-3, "bfloat16": 2.5e-2}
    )
    """The error that each dtype allows, relative to the largest value of a result."""

    def export(self, nn: Any, dtype: str) -> tuple[Any, list[tuple[str, Any]]]:
        """Returns the program of the case in a namespace, with the function `run`, and its parameters."""
        forward, module = self.forward, self.module

        class Model(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                if module is not None:
                    self.layer = module(nn)

            def run(
                self, a: Any = None, b: Any = None, c: Any = None, d: Any = None, e: Any = None, f: Any = None
            ) -> Any:
                given = [arg for arg in (a, b, c, d, e, f) if arg is not None]
                return forward(nn, *given) if module is None else forward(nn, self.layer, *given)

        model = Model()
        model.to(dtype)
        spec = {
            name: nn.spec.Tensor(list(arg.dims), dtype if arg.dtype == FLOAT else arg.dtype)
            for name, arg in zip("abcdef", self.args, strict=False)
        }
        return model.export_tvm({"run": spec})


@dataclass(frozen=True)
class Run:
    """A case in a dtype: the exported function, named apart, and what it is called with."""

    case: Case
    dtype: str
    function: str
    arguments: list[np.ndarray]
    parameters: dict[str, np.ndarray]

    def expected(self) -> list[np.ndarray] | None:
        """Returns what torch computes in float64."""
        if self.case.torch is None:
            return None
        named = {name.replace(".", "_"): _tensor(array) for name, array in self.parameters.items()}
        result = self.case.torch(*map(_tensor, self.arguments), **named)
        return [part.numpy() for part in (result if isinstance(result, tuple) else (result,))]

    def difference(self, computed: Any) -> str | None:
        """Returns how results differ from torch's, `None` if they do not."""
        expected = self.expected()
        if expected is None:
            return None
        results = list(computed) if isinstance(computed, list | tuple) else [computed]
        while len(results) == 1 and isinstance(results[0], list | tuple):
            results = list(results[0])
        shapes = [np.shape(part) for part in results], [part.shape for part in expected]
        if shapes[0] != shapes[1]:
            return f"{self.function}: expected shapes {shapes[1]}, got {shapes[0]}"
        for part, wanted in zip(results, expected, strict=True):
            error = np.abs(np.asarray(part).astype(np.float64) - wanted.astype(np.float64)).max(initial=0.0)
            scale = np.abs(wanted.astype(np.float64)).max(initial=1.0)
            if not error <= self.case.tolerance[self.dtype] * scale:
                return f"{self.function}: error {error} for values up to {scale}"
        return None


def runs_of(cases: Sequence[Case], dtypes: Sequence[str]) -> tuple[ModuleOp, list[Run]]:
    """Returns one program with a function for each case in each of these dtypes that it has, and how they are called."""
    program = ModuleOp([])
    runs: list[Run] = []
    for case in cases:
        for dtype in [dtype for dtype in case.dtypes if dtype in dtypes]:
            module, parameters = case.export(ours, dtype)
            (function,) = functions(module)
            name = f"{case.name}_{dtype}".replace("-", "_")
            function.detach()
            function.properties["sym_name"] = StringAttr(name)
            program.body.block.add_op(function)
            rng = np.random.default_rng(zlib.crc32(case.name.encode()))
            arguments = [arg.make(rng, dtype) for arg in case.args]
            weights = {
                path.removeprefix("layer."): np.abs(rng.standard_normal(tuple(parameter.shape))).astype(
                    _numpy(parameter.dtype)
                )
                for path, parameter in parameters
            }
            runs.append(Run(case, dtype, name, arguments, weights))
    return program, runs


def _numpy(dtype: str) -> Any:
    return numpy_dtype(element_type(dtype))


def _tensor(array: np.ndarray) -> Any:
    import torch

    return torch.from_numpy(array.astype(np.float64) if array.dtype.kind not in "iub" else array)
