"""Interpreter rules of ops with regions at the linalg stage: `scf`, structured linalg ops, `tensor.pad` and `tensor.generate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from xdsl.dialects import cf, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, UnrealizedConversionCastOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation

from ...dialects.upstream.tensor_ops import GenerateOp
from ..rule import InterpreterError, result_dtype
from .linalg import evaluate_generic
from .scalar import as_type
from .tensor import padding, shape_of


class Frame(Protocol):
    """What a rule asks the engine for: to run a block in the environment of the op."""

    def run(self, block: Block, args: Sequence[Any]) -> Sequence[Any]:
        """Runs a block with the values of its arguments; returns the operands of its terminator."""
        ...

    def run_over(self, grid: Sequence[Any], block: Block, args: Sequence[Any]) -> Sequence[Any]:
        """Runs a block for all points of a grid at once: `linalg.index` and the arguments are arrays."""
        ...

    def index(self, dim: int) -> Any:
        """Returns the indices of the innermost grid along a dim."""
        ...


RegionRule: TypeAlias = Callable[[Any, Sequence[Any], Frame], Sequence[Any]]


def _if(op: scf.IfOp, args: Sequence[Any], frame: Frame) -> Sequence[Any]:
    condition = args[0]
    if np.ndim(condition) == 0:
        region = op.true_region if condition else op.false_region
        return frame.run(region.block, ()) if region.blocks else ()
    # The lanes of an iteration space take different branches, which have no effects: both run.
    taken = [frame.run(region.block, ()) for region in op.regions if region.blocks]
    return [np.where(condition, *values) for values in zip(*taken, strict=True)] if len(taken) == 2 else ()


def _switch(op: scf.IndexSwitchOp, args: Sequence[Any], frame: Frame) -> Sequence[Any]:
    cases = [int(case) for case in op.cases.get_values()]
    region = op.case_regions[cases.index(args[0])] if args[0] in cases else op.default_region
    return frame.run(region.block, ())


def _for(op: scf.ForOp, args: Sequence[Any], frame: Frame) -> Sequence[Any]:
    lower, upper, step, *carried = args
    values: Sequence[Any] = carried
    if step <= 0:
        raise InterpreterError(f"scf.for: expected a step > 0, got {step}")
    for i in range(int(lower), int(upper), int(step)):
        values = frame.run(op.body.block, [i, *values])
        _require_same_sizes(carried, values)
    return values


def _require_same_sizes(carried: Sequence[Any], values: Sequence[Any]) -> None:
    """Refuses an iteration of a loop that leaves a tensor of another size than it got."""
    for before, after in zip(carried, values, strict=True):
        if isinstance(before, tuple) and isinstance(after, tuple):
            _require_same_sizes(before, after)
        elif np.shape(before) != np.shape(after):
            got, expected = (" x ".join(map(str, np.shape(value))) for value in (after, before))
            raise InterpreterError(
                f"a loop must not change the size of a tensor that it carries: expected {expected}, got {got}"
            )


def _while(op: scf.WhileOp, args: Sequence[Any], frame: Frame) -> Sequence[Any]:
    values = args
    while True:
        condition, *passed = frame.run(op.before_region.block, values)
        if np.ndim(condition):
            raise InterpreterError("scf.while with a condition per element of an iteration space is not supported")
        if not condition:
            return passed
        values = frame.run(op.after_region.block, passed)
        _require_same_sizes(args, values)


def _generic(op: linalg.GenericOp, args: Sequence[Any], frame: Frame) -> Sequence[Any]:
    return evaluate_generic(op, args, lambda values, grid: frame.run_over(grid, op.body.block, values))


def _generated(shape: Sequence[int], block: Block, frame: Frame, dtype: np.dtype[Any]) -> Any:
    grid = np.indices(shape, sparse=True)
    (value,) = frame.run_over(grid, block, grid)
    return np.broadcast_to(value, shape).astype(dtype)


def _generate(op: GenerateOp, args: Sequence[Any], frame: Frame) -> Sequence[Any]:
    return [_generated(shape_of(op, iter(args)), op.body.block, frame, result_dtype(op))]


def _pad(op: tensor.PadOp, args: Sequence[Any], frame: Frame) -> Sequence[Any]:
    source, *dynamic = args
    added = padding(op, dynamic)
    shape = [a + size + b for (a, b), size in zip(added, source.shape, strict=True)]
    for axis, (size, wanted) in enumerate(zip(shape, op.result.type.get_shape(), strict=True)):
        if wanted not in (DYNAMIC_INDEX, size):
            raise InterpreterError(f"{op.name}: expected size {wanted} of dim {axis}, got {size}")
    result = _generated(shape, op.region.block, frame, source.dtype)
    result[tuple(slice(a, a + size) for (a, _), size in zip(added, source.shape, strict=True))] = source
    return [result]


def _converted(op: UnrealizedConversionCastOp, args: Sequence[Any], frame: Frame) -> Sequence[Any]:
    """Returns values in the types that a cast between stages gives them: shapes as sizes, tensors with or without symbols and signs."""
    values = args[0] if isinstance(args[0], tuple) else args
    return [as_type(value, result.type) for value, result in zip(values, op.results, strict=True)]


def _assert(op: cf.AssertOp, args: Sequence[Any], frame: Frame) -> Sequence[Any]:
    if not np.all(args[0]):
        raise InterpreterError(op.msg.data)
    return ()


_RULES: Mapping[type[Operation], RegionRule] = {
    scf.IfOp: _if,
    scf.IndexSwitchOp: _switch,
    scf.ForOp: _for,
    scf.WhileOp: _while,
    linalg.GenericOp: _generic,
    linalg.FillOp: lambda op, args, frame: [np.full_like(args[1], args[0])],
    linalg.IndexOp: lambda op, args, frame: [frame.index(op.dim.value.data)],
    GenerateOp: _generate,
    tensor.PadOp: _pad,
    cf.AssertOp: _assert,
    UnrealizedConversionCastOp: _converted,
}

REGION_RULES: Mapping[str, RegionRule] = {op.name: rule for op, rule in _RULES.items()}
"""The rules by the names of the ops, which their subclasses share."""
