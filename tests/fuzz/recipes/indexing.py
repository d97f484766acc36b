"""Recipes of reading and writing by index."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, f16, f32, f64, i1, i8, i32, i64
from xdsl_relax.dialects.relax.dtypes import ALL, INTEGERS, is_float
from xdsl_relax.dialects.relax.ops import indexing

from ..scope import Scope
from .choose import axis_of, indices, maybe


def take(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    axis = axis_of(s, x)
    dims = [s.dim() for _ in range(s.rng.choice((0, 1, 1, 2)))]
    places = s.pick(*INTEGERS) if s.rng.random() < 0.3 else indices(s, min(d.shape[axis] for d in x.data), dims)
    if places is None or places.rank + x.rank > 6:
        return None
    modes = (None, None, "fast", "clip", "wrap") + (("nan",) if is_float(x.element) else ())
    return s.apply_single(indexing.TakeOp, x, places, axis=axis, mode=s.rng.choice(modes))


def strided_slice(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    axes = s.rng.sample(range(x.rank), s.rng.randint(1, x.rank))
    strides = [s.rng.choice((1, 1, 1, 2, 3, -1, -2)) for _ in axes]
    begin, end = [], []
    for stride in strides:
        low, high = s.rng.randint(-3, 5), s.rng.choice((3, 7, 20, 2**62, -1, -2))
        begin.append(low if stride > 0 else high)
        end.append(high if stride > 0 else s.rng.choice((low, -(2**62))))
    return s.apply_single(indexing.StridedSliceOp, x, axes=axes, begin=begin, end=end, strides=maybe(s, strides, 0.7))


def dynamic_slice(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    entries = [
        s.tensor([x.rank], i64, lambda rng, shape, choices=choices: rng.choice(choices, shape))
        for choices in ([0, 0, 1, -2], [3, 9, -1, 100], [1, 1, 2])
    ]
    return s.apply_single(indexing.DynamicStridedSliceOp, x, *entries)


def gather(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    axis = axis_of(s, x)
    size = min(d.shape[axis] for d in x.data)
    kind = s.rng.random()
    if kind < 0.4:
        dims = [s.dim() if i == axis % x.rank else dim for i, dim in enumerate(x.dims)]
        return None if None in dims else s.apply_single(indexing.GatherElementsOp, x, indices(s, size, dims), axis=axis)
    if kind < 0.7:
        return s.apply_single(indexing.GatherNDOp, x, indices(s, size, [s.dim(), s.rng.randint(1, x.rank)]))
    places = [indices(s, size, [s.dim()][: s.rng.choice((0, 1))]) for _ in range(s.rng.randint(1, x.rank))]
    return s.apply_single(indexing.IndexTensorOp, x, *places)


def scatter(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None or None in x.dims:
        return None
    axis = axis_of(s, x)
    size = min(d.shape[axis] for d in x.data)
    how = "update" if x.element == i1 else s.rng.choice((None, "update", "add", "mul", "min", "max"))
    kind = s.rng.random()
    if kind < 0.4:
        dims = [s.rng.randint(0, 4) if i == axis % x.rank else dim for i, dim in enumerate(x.dims)]
        places = indices(s, size, dims)
        return s.apply_single(
            indexing.ScatterElementsOp, x, places, s.tensor(dims, x.element), axis=axis, reduction=how
        )
    if kind < 0.7:
        count, depth = s.rng.randint(0, 4), s.rng.randint(1, x.rank)
        updates = s.tensor([count, *x.dims[depth:]], x.element)
        return s.apply_single(indexing.ScatterNDOp, x, indices(s, size, [count, depth]), updates, reduction=how)
    start, count, step = s.rng.randint(0, 2), s.rng.randint(0, 3), s.rng.choice((1, 1, 2))
    dims = [count if i == axis % x.rank else dim for i, dim in enumerate(x.dims)]
    end = start + step * count
    return s.apply_single(
        indexing.SliceScatterOp, x, s.tensor(dims, x.element), axis=axis, start=start, end=end, step=step
    )


def one_hot(s: Scope) -> Any:
    x = s.want(INTEGERS)
    if x is None or x.rank > 4:
        return None
    element = s.rng.choice((f32, f64, f16, i8, i32, i64))
    on, off = (
        (IntegerAttr(3, element), IntegerAttr(0, element))
        if isinstance(element, IntegerType)
        else (FloatAttr(1.0, element), FloatAttr(-0.5, element))
    )
    return s.apply_single(
        indexing.OneHotOp,
        x,
        on_value=on,
        off_value=off,
        depth=s.rng.randint(1, 6),
        axis=maybe(s, s.rng.randint(-1, x.rank)),
    )
