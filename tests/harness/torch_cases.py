"""Cases of torch's own table of ops (OpInfo): how one is exported, imported, run and compared.

A case has the outcome `pass`, `refused`, `theirs` (torch cannot run or export it), `wrong` or `crash`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree
from xdsl_relax.frontend.model.problems import UnsupportedModelError
from xdsl_relax.frontend.torch import import_exported_program
from xdsl_relax.frontend.torch.types import to_numpy

from harness.main_runs import Array, Run
from harness.outcomes import Outcome, crash_of, one_line

TOLERANCE = {torch.float32: 1e-4, torch.float64: 1e-6, torch.float16: 2e-2, torch.bfloat16: 5e-2}
"""By how much results may differ, of the element or of the largest one."""


@dataclass(frozen=True)
class Case:
    """One sample of one op."""

    op: Any
    sample: Any
    name: str


class Call(torch.nn.Module):
    """A call of a function, whose tensors are the inputs."""

    def __init__(self, function: Callable[..., Any], leaves: Sequence[Any], spec: pytree.TreeSpec):
        super().__init__()
        self.function = function
        self.fixed = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        self.places = [index for index, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.spec = spec

    def forward(self, *tensors: torch.Tensor) -> Any:
        """Returns the tensors that the function returns."""
        leaves = list(self.fixed)
        for place, tensor in zip(self.places, tensors, strict=True):
            leaves[place] = tensor
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        return tensors_of(self.function(*args, **kwargs))


def tensors_of(result: Any) -> tuple[torch.Tensor, ...]:
    """Returns the tensors in a result."""
    return tuple(leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor))


def ops(dtype: torch.dtype) -> list[Any]:
    """Returns the entries of torch's table that have samples of a dtype."""
    # By its name: the type checker would read the 20 thousand lines of the table.
    table = import_module("torch.testing._internal.common_methods_invocations")
    return [op for op in table.op_db if dtype in op.dtypes]


def name_of(op: Any) -> str:
    """Returns the name of an entry, with its variant."""
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else str(op.name)


def cases(op: Any, dtype: torch.dtype, most: int | None = None) -> Iterator[Case]:
    """Yields the samples of an entry, or so many of them, spread evenly."""
    torch.manual_seed(0)
    np.random.seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = list(op.sample_inputs("cpu", dtype))
    chosen = range(len(samples)) if most is None else sorted({i * len(samples) // most for i in range(most)})
    for index in chosen:
        if index < len(samples):
            yield Case(op, samples[index], f"{name_of(op)}[{index}]")


def outcome(case: Case, runs: Sequence[Run]) -> Outcome:
    """Exports a case, imports it, runs it by each engine and compares with torch."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), torch.no_grad():
        warnings.simplefilter("ignore")
        leaves, spec = pytree.tree_flatten(((case.sample.input, *case.sample.args), case.sample.kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        call = Call(case.op.op, leaves, spec).eval()
        try:
            expected = call(*(tensor.clone() for tensor in tensors))
            program = torch.export.export(call, tuple(tensors), strict=False)
        except Exception as error:
            return Outcome("theirs", one_line(error))
        return compared(program, tensors, expected, runs, "empty" in case.op.name)


def compared(
    program: Any,
    tensors: Sequence[torch.Tensor],
    expected: Sequence[torch.Tensor],
    runs: Sequence[Run],
    any_value: bool,
) -> Outcome:
    """Imports a program, runs it and compares with what torch has computed."""
    try:
        try:
            model = import_exported_program(program)
        except UnsupportedModelError as error:
            return Outcome("refused", str(error))
        arguments = [to_numpy(tensor) for tensor in tensors]
        arguments += [*model.state.values(), *(model.params[name] for name in model.params)]
        for run in runs:
            results = run(model.module, [argument.copy() for argument in arguments])
            # Behind the results of the module are the inputs that it writes.
            results = results[: len(expected)]
            reason = difference(results, expected, any_value)
            if reason:
                return Outcome("wrong", f"{run.__name__}: {reason}")
    except Exception as error:
        return crash_of(error)
    return Outcome("pass")


def difference(results: Sequence[Array], expected: Sequence[torch.Tensor], any_value: bool = False) -> str:
    """Returns what differs from the expected results, an empty text for nothing."""
    if len(results) != len(expected):
        return f"{len(results)} results, expected {len(expected)}"
    for index, (got, tensor) in enumerate(zip(results, expected, strict=True)):
        want = to_numpy(tensor)
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"result {index}: {got.dtype} {list(got.shape)}, expected {want.dtype} {list(want.shape)}"
        if any_value:
            continue
        if tensor.dtype in TOLERANCE:
            share = TOLERANCE[tensor.dtype]
            a, b = got.astype(np.float64), want.astype(np.float64)
            largest = max(float(np.max(np.abs(b), initial=0, where=np.isfinite(b))), 1.0)
            if not np.allclose(a, b, rtol=share, atol=0.1 * share * largest, equal_nan=True):
                return f"result {index}: differs by {np.nanmax(np.abs(a - b), initial=0):.3g} of {largest:.3g}"
        elif not np.array_equal(got, want):
            return f"result {index}: {int((got != want).sum())} of {want.size} elements differ"
    return ""
