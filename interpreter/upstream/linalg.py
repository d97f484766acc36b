"""Evaluates `linalg.generic` with numpy, over whole blocks of the iteration space at a time.

The body runs once per block on arrays that hold one element per point of the block. A reduction whose body is
`acc = combine(acc, f(inputs))` is folded by numpy; any other one runs point by point along its reduction dims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from ..rule import InterpreterError
from .scalar import Array

BLOCK_POINTS = 1 << 20
"""The points that are evaluated at a time."""

LONG = 16
"""The points from which an axis is long enough for an inner loop: what numpy does for each of these takes as long as some ten points."""

Body = Callable[[Sequence[Any], Sequence[Array]], Sequence[Any]]
"""Evaluates the scalar region: the values of its arguments and the indices of the points to what it yields."""

_FOLDS: Mapping[type[Operation], Any] = {
    arith.AddfOp: np.add,
    arith.AddiOp: np.add,
    arith.MulfOp: np.multiply,
    arith.MuliOp: np.multiply,
    arith.MaximumfOp: np.maximum,
    arith.MinimumfOp: np.minimum,
    arith.MaxSIOp: np.maximum,
    arith.MinSIOp: np.minimum,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
}


def evaluate_generic(op: linalg.GenericOp, args: Sequence[Any], body: Body) -> list[Any]:
    """Returns the results of a `linalg.generic`; `args` are the inputs, then the initial outputs."""
    maps = [m.data for m in op.indexing_maps.data]
    arrays = [np.asarray(a) for a in args]
    sizes = iteration_sizes(op, maps, arrays)
    inputs = len(op.inputs)
    outputs = [np.array(a) for a in arrays[inputs:]]
    if 0 in sizes:
        return outputs
    reduced = [d for d, t in enumerate(op.iterator_types.data) if t != IteratorTypeAttr.parallel()]
    arguments = op.body.block.args
    used = [argument.first_use is not None for argument in arguments]
    fold = fold_of(op) if reduced and all(_is_projection(m) for m in maps[inputs:]) else None
    for block in _blocks(sizes, reduced, stepwise=bool(reduced) and fold is None):
        extent = [len(r) for _, r in block]
        order = _axes(extent)
        grid = [np.arange(r.start, r.stop).reshape([-1 if d == axis else 1 for axis in order]) for d, r in block]
        locations = [_index(op, i, m, grid, array.shape) for i, (m, array) in enumerate(zip(maps, arrays, strict=True))]
        read = [arrays[i][locations[i]] if used[i] else arrays[i].dtype.type(0) for i in range(inputs)]
        locations = locations[inputs:]
        old = [out[location] for out, location in zip(outputs, locations, strict=True)]
        if fold is None:
            values = body([*read, *old], grid)
            for out, location, value in zip(outputs, locations, values, strict=True):
                out[location] = value if out.ndim else np.reshape(value, ())
            continue
        values = body([*read, *(_neutral(f, out.dtype) for f, out in zip(fold, outputs, strict=True))], grid)
        shape, axes = [extent[d] for d in order], tuple(order.index(d) for d in reduced)
        for out, location, value, fold_op, before in zip(outputs, locations, values, fold, old, strict=True):
            folded = _combined(fold_op, before, np.broadcast_to(value, shape), axes)
            out[location] = folded.reshape(np.shape(before))
    return outputs


def _axes(extent: Sequence[int]) -> list[int]:
    """Returns the dims in the order of the axes of a block: the long ones last, as numpy's inner loops run along the last axis."""
    return sorted(range(len(extent)), key=lambda d: extent[d] >= LONG)


def _combined(fold: Any, before: Array, value: Array, axes: tuple[int, ...]) -> Array:
    """Folds a block along its reduction dims, then into what is there; narrow floats in f32."""
    narrow = value.dtype.itemsize < 4 and value.dtype.kind not in "iub"
    wide = value.astype(np.float32) if narrow else value
    part = fold.reduce(wide, axis=axes, keepdims=True, **({"dtype": wide.dtype} if fold is np.add else {}))
    return fold(before.astype(part.dtype), part).astype(before.dtype)


def iteration_sizes(op: Operation, maps: Sequence[AffineMap], arrays: Sequence[Array]) -> list[int]:
    """Returns the size of each loop; raises `InterpreterError` where operands contradict each other."""
    sizes: dict[int, int] = {}
    for map_, array in zip(maps, arrays, strict=True):
        for result, size in zip(map_.results, array.shape, strict=True):
            if isinstance(result, AffineDimExpr) and sizes.setdefault(result.position, size) != size:
                raise InterpreterError(
                    f"{op.name}: operands have sizes {sizes[result.position]} and {size} along d{result.position}"
                )
    missing = [d for d in range(maps[0].num_dims) if d not in sizes]
    if missing:
        raise InterpreterError(f"{op.name}: no operand tells the size of d{missing[0]}")
    return [sizes[d] for d in range(maps[0].num_dims)]


def _is_projection(map_: AffineMap) -> bool:
    dims = [r.position for r in map_.results if isinstance(r, AffineDimExpr)]
    return len(dims) == len(map_.results) == len(set(dims))


def _blocks(sizes: Sequence[int], reduced: Sequence[int], stepwise: bool) -> Iterator[Sequence[tuple[int, range]]]:
    """Cuts an iteration space into blocks, in order; `stepwise` blocks have one point along each reduction dim."""
    steps = [1 if stepwise and d in reduced else size for d, size in enumerate(sizes)]
    # Outer dims are cut first, so that what remains is contiguous.
    for d in [*(d for d in range(len(sizes)) if d not in reduced), *reduced]:
        points = int(np.prod(steps, dtype=np.int64))
        if points > BLOCK_POINTS:
            steps[d] = max(1, steps[d] * BLOCK_POINTS // points)
    ranges = [
        [range(i, min(i + step, size)) for i in range(0, size, step)] for size, step in zip(sizes, steps, strict=True)
    ]
    for chosen in product(*ranges):
        yield list(enumerate(chosen))


def _index(
    op: Operation, operand: int, map_: AffineMap, grid: Sequence[Array], shape: Sequence[int]
) -> tuple[Any, ...]:
    """Returns the index arrays of an operand, which broadcast to the block; raises `InterpreterError` where they leave it."""
    indices = tuple(_at(expr, grid) for expr in map_.results)
    for axis, (expr, index, size) in enumerate(zip(map_.results, indices, shape, strict=True)):
        # The loops are as long as the dims that they count alone.
        if not isinstance(expr, AffineDimExpr) and np.size(index) and not 0 <= np.min(index) <= np.max(index) < size:
            raise InterpreterError(
                f"{op.name}: dim {axis} of operand {operand} is {size}, its indices are {np.min(index)} to {np.max(index)}"
            )
    return indices


def _at(expr: AffineExpr, grid: Sequence[Array]) -> Any:
    value: Any = expr.eval(grid, ())  # pyright: ignore[reportArgumentType]
    return np.full([1] * len(grid), value) if np.ndim(value) == 0 and grid else value


def fold_of(op: linalg.GenericOp) -> list[Any] | None:
    """Returns how each output is folded, if each is `combine(acc, f(inputs))` with the accumulator in no other place."""
    terminator = op.body.block.last_op
    assert terminator is not None
    inputs = len(op.inputs)
    folds: list[Any] = []
    for value, accumulator in zip(terminator.operands, op.body.block.args[inputs:], strict=True):
        owner = value.owner
        fold = _FOLDS.get(type(owner)) if isinstance(owner, Operation) else None
        if fold is None or not isinstance(owner, Operation) or not _once(accumulator) or not _once(value):
            return None
        if accumulator not in owner.operands or owner.parent is not op.body.block:
            return None
        folds.append(fold)
    return folds


def _once(value: SSAValue) -> bool:
    return len(list(value.uses)) == 1


def _neutral(fold: Any, dtype: np.dtype[Any]) -> Any:
    """Returns the value that a fold leaves as it is."""
    if fold in (np.maximum, np.minimum):
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            return dtype.type(limits.min if fold is np.maximum else limits.max)
        if dtype == np.bool_:
            return np.bool_(fold is np.minimum)
        return dtype.type(-np.inf if fold is np.maximum else np.inf)
    if fold is np.bitwise_and:
        return np.bool_(True) if dtype == np.bool_ else dtype.type(-1)
    return dtype.type(1 if fold is np.multiply else 0)
