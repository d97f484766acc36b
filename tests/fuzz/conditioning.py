"""How far results may differ: programs run again with all rounding errors replaced by larger, random ones.

A value that no such run changes must be met exactly (integers), or within the tolerance of its type (floats). What they change, such as the
`argmax` or the `floor` of a computed float near a tie, may differ by a multiple of the spread; integers may then be anything.

Sums and products are made in any order. Where that of all magnitudes overflows or is no number, the order decides whether a number, an infinity
or NaN comes out (`1e30 * 1e30 - 1e30 * 1e30 + inf`): such an element is any of these in each run.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.dialect import ops_of
from xdsl_relax.dialects.relax.ops import (
    binary,
    core,
    create,
    data_dependent,
    indexing,
    linear_algebra,
    manipulate,
    packing,
    reduction,
    scan,
    shape,
    sorting,
    unary,
)
from xdsl_relax.dialects.relax.ops.nn import activation as nn_activation
from xdsl_relax.dialects.relax.ops.nn import conv as nn_conv
from xdsl_relax.dialects.relax.ops.nn import pool as nn_pool
from xdsl_relax.dialects.relax.ops.nn import winograd as nn_winograd
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.bisection.case import copied
from xdsl_relax.runtime.compare import TOLERANCE

RUNS = 16
FACTOR = 8.0
EPSILON = {"float64": 2.0**-49, "float32": 2.0**-20, "float16": 2.0**-9, "bfloat16": 2.0**-6}

EXACT: frozenset[type[Any]] = frozenset(
    {
        *ops_of(core), *ops_of(data_dependent), *ops_of(shape), *ops_of(sorting),
        *(op for op in ops_of(manipulate) if op is not manipulate.CollapseSumToOp),
        *(op for op in ops_of(create) if op not in (create.ArangeOp, create.HammingWindowOp)),
        *(op for op in ops_of(indexing) if op not in (indexing.ScatterElementsOp, indexing.ScatterNDOp)),
        reduction.MaxOp, reduction.MinOp, reduction.ArgMaxOp, reduction.ArgMinOp, nn_activation.ReluOp,
        unary.AbsOp, unary.CeilOp, unary.FloorOp, unary.RoundOp, unary.NegativeOp, unary.SignOp, unary.ClipOp, unary.AsTypeOp,
        binary.MaximumOp, binary.MinimumOp, binary.WhereOp,
    }
)  # fmt: skip
"""Ops whose result is rounded nowhere, or in one way only."""

ONE_ROUNDING: frozenset[type[Any]] = frozenset(
    {binary.AddOp, binary.SubtractOp, binary.MultiplyOp, binary.DivideOp, unary.SqrtOp, unary.SquareOp}
)
"""Ops that do not depend on how the operands are read."""


ANY_ORDER: frozenset[type[Any]] = frozenset(
    {
        *ops_of(linear_algebra), *ops_of(packing), *ops_of(nn_conv), *ops_of(nn_winograd), *ops_of(scan), manipulate.CollapseSumToOp, indexing.ScatterElementsOp, indexing.ScatterNDOp,
        reduction.SumOp, reduction.MeanOp, reduction.ProdOp, *(op for op in ops_of(nn_pool) if "avg" in op.name),
    }
)  # fmt: skip
"""Ops that add or multiply many elements."""

PRODUCTS: frozenset[type[Any]] = frozenset({reduction.ProdOp, scan.CumprodOp})


class PerturbedInterpreter(Interpreter):
    """An interpreter with larger, random rounding errors."""

    def __init__(self, module: ModuleOp, seed: int):
        super().__init__(module)
        self.rng = np.random.default_rng(seed)

    def _run_op(self, op: Operation, operands: Sequence[Any], env: Any, bindings: Any) -> Sequence[Any]:
        if not isinstance(op, RelaxOp) or type(op) in EXACT:
            return super()._run_op(op, operands, env, bindings)
        if type(op) not in ONE_ROUNDING:
            operands = [self._perturbed(value) for value in operands]
        results = [self._perturbed(value) for value in super()._run_op(op, operands, env, bindings)]
        if type(op) in ANY_ORDER:
            magnitudes = [_magnitude(value, type(op) in PRODUCTS) for value in operands]
            sums = super()._run_op(op, magnitudes, env, bindings)
            results = [self._reordered(*pair) for pair in zip(results, sums, strict=True)]
        return results

    def _reordered(self, value: Any, of_magnitudes: Any) -> Any:
        """Returns a result with an infinity, NaN, or itself where the sum of magnitudes is no number."""
        if value.dtype.name not in EPSILON:
            return value
        wide, sums = np.asarray(value, np.float64), np.asarray(of_magnitudes, np.float64)
        others = np.stack([wide, np.full_like(wide, np.nan), np.full_like(wide, np.inf), np.full_like(wide, -np.inf)])
        drawn = np.take_along_axis(others, self.rng.integers(0, len(others), wide.shape)[None], 0)[0]
        return np.where(np.isfinite(sums), wide, drawn).astype(value.dtype)

    def _perturbed(self, value: Any) -> Any:
        if not isinstance(value, np.ndarray | np.generic) or value.dtype.name not in EPSILON:
            return value
        wide = np.asarray(value, np.float64)
        with np.errstate(all="ignore"):
            noise = 1 + EPSILON[value.dtype.name] * self.rng.uniform(-1, 1, wide.shape)
            return np.asarray(wide * noise).astype(value.dtype)


def _magnitude(value: Any, at_least_one: bool) -> Any:
    if not isinstance(value, np.ndarray | np.generic) or value.dtype.name not in EPSILON:
        return value
    magnitude = np.abs(value)
    return np.maximum(magnitude, magnitude.dtype.type(1)) if at_least_one else magnitude


class Expectation:
    """The results of a call, and how far others may be from them."""

    def __init__(self, module: ModuleOp, name: str, args: Sequence[Any]):
        self.results = Interpreter(module).call(name, *copied(args))
        self._call = module, name, args

    @cached_property
    def others(self) -> Sequence[Sequence[Any]]:
        """The results of runs with other rounding errors; only where results differ from the expected ones is it asked what rounding does."""
        module, name, args = self._call
        others: list[Sequence[Any]] = []
        for seed in range(RUNS):
            try:
                others.append(PerturbedInterpreter(module, seed).call(name, *copied(args)))
            except InterpreterError:
                # Sizes depend on rounding errors.
                others.append([None] * len(self.results))
        return others

    def mismatch(self, results: Sequence[Any]) -> str | None:
        """Returns what is wrong with results, if anything is."""
        if len(results) != len(self.results):
            return f"{len(results)} results, expected {len(self.results)}"
        for index, (result, wanted) in enumerate(zip(results, self.results, strict=True)):
            if _mismatch(result, wanted, [wanted]) is None:
                continue
            problem = _mismatch(result, wanted, [run[index] for run in self.others])
            if problem is not None:
                return f"result {index}: {problem}"
        return None


def _mismatch(result: Any, wanted: Any, runs: Sequence[Any]) -> str | None:
    if any(run is None for run in runs):
        return None
    if isinstance(wanted, tuple):
        if not isinstance(result, tuple) or len(result) != len(wanted):
            return f"expected a tuple of {len(wanted)}, got {result!r:.80}"
        parts = (_mismatch(a, b, [o[i] for o in runs]) for i, (a, b) in enumerate(zip(result, wanted, strict=True)))
        return next((part for part in parts if part is not None), None)
    a, b = np.asarray(result), np.asarray(wanted)
    if any(np.shape(run) != b.shape for run in runs):
        return None
    if a.shape != b.shape:
        return f"shape {a.shape}, expected {b.shape}"
    if a.dtype != b.dtype:
        return f"dtype {a.dtype}, expected {b.dtype}"
    if not b.size:
        return None
    if b.dtype.name not in TOLERANCE:
        free = np.any([np.asarray(run) != b for run in runs], axis=0)
        return _first(a, b, (a != b) & ~free)
    with np.errstate(all="ignore"):
        return _mismatch_of_floats(a, b, runs)


def _mismatch_of_floats(a: Any, b: Any, others: Sequence[Any]) -> str | None:
    wide, got = np.asarray(b, np.float64), np.asarray(a, np.float64)
    runs = np.stack([np.asarray(run, np.float64) for run in others])
    finite = np.isfinite(wide)
    same = lambda x: (x == wide) | (np.isnan(x) & np.isnan(wide))  # noqa: E731
    # Where rounding decides between a number and none, anything goes.
    free = np.any((np.isfinite(runs) != finite) | (~finite & ~same(runs)), axis=0)
    spread = np.max(np.where(np.isfinite(runs) & finite, np.abs(runs - wide), 0), axis=0)
    exact = wide[finite & ~free]
    rms = float(np.sqrt(np.mean(np.square(exact)))) if exact.size else 0.0
    tolerance = (
        TOLERANCE[b.dtype.name] * (np.abs(wide) + 0.01 * min(rms, 1e30)) + FACTOR * spread + float(_tiny(b.dtype))
    )
    largest = float(_largest(b.dtype))
    # A number close to the largest one may as well overflow.
    free |= finite & (np.abs(wide) + tolerance > largest)
    wrong = np.where(finite, ~(np.abs(got - wide) <= tolerance), ~same(got))
    return _first(a, b, wrong & ~free)


def _tiny(dtype: Any) -> Any:
    import ml_dtypes

    info = ml_dtypes.finfo(dtype)
    return 4 * np.float64(info.smallest_subnormal) if dtype != np.float64 else 1e-300


def _largest(dtype: Any) -> Any:
    import ml_dtypes

    return np.float64(ml_dtypes.finfo(dtype).max)


def _first(a: Any, b: Any, wrong: Any) -> str | None:
    if not np.any(wrong):
        return None
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(np.count_nonzero(wrong))} of {b.size} {b.dtype.name} differ, at {list(place)} {a[place]}, expected {b[place]}"


__all__ = ["Expectation", "PerturbedInterpreter"]
