"""Recipes of ops that move elements: shapes, parts, copies."""

from __future__ import annotations

from typing import Any

from xdsl_relax.dialects.relax.dtypes import ALL, NUMERIC
from xdsl_relax.dialects.relax.ops import manipulate, shape
from xdsl_relax.dialects.symbolic.expressions import Symbol, product

from ..scope import Scope, Value
from .choose import axis_of, in_scope, maybe, shape_value


def permute(s: Scope) -> Any:
    x = s.want(ALL, rank=2)
    if x is None:
        return None
    axes = s.rng.sample(range(x.rank), x.rank)
    return s.apply_single(manipulate.PermuteDimsOp, x, axes=maybe(s, axes, 0.8))


def reshape(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None:
        return None
    dims = list(x.dims)
    if s.rng.random() < 0.15:
        return s.apply_single(manipulate.FlattenOp, x)
    if len(dims) > 1 and s.rng.random() < 0.5:
        place = s.rng.randrange(len(dims) - 1)
        if None not in dims[place : place + 2]:
            dims[place : place + 2] = [product(dims[place : place + 2])]
    elif dims:
        place = s.rng.randrange(len(dims))
        size = dims[place]
        if isinstance(size, int):
            factors = [f for f in range(1, size + 1) if size % f == 0]
            if factors:
                factor = s.rng.choice(factors)
                dims[place : place + 1] = [factor, size // factor]
        elif size is not None:
            dims[place : place + 1] = [size, 1]
    if dims and s.rng.random() < 0.3 and 0 not in dims:
        dims[s.rng.randrange(len(dims))] = -1
    return s.apply_single(manipulate.ReshapeOp, x, shape_value(s, *dims))


def reshape_like(s: Scope) -> Any:
    x, other = s.want(ALL), s.want(ALL)
    if x is None or other is None:
        return None
    kind = s.rng.choice((manipulate.ReshapeOp, manipulate.BroadcastToOp, manipulate.CollapseSumToOp))
    if kind is manipulate.ReshapeOp and None in (*x.dims, *other.dims):
        # It would be taken with other numbers of elements, which passes that know more sizes refuse even where nothing reads the result.
        return None
    return s.apply_single(kind, x, s.apply_single(shape.ShapeOfOp, other))


def expand_dims(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None or x.rank > 4:
        return None
    count = s.rng.choice((1, 1, 2))
    return s.apply_single(manipulate.ExpandDimsOp, x, axis=s.rng.sample(range(x.rank + count), count))


def squeeze(s: Scope) -> Any:
    candidates = [value for value in s.tensors() if 1 in value.dims]
    return s.apply_single(manipulate.SqueezeOp, s.rng.choice(candidates)) if candidates else None


def concat(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    axis = axis_of(s, x)
    parts = [x]
    for _ in range(s.rng.choice((1, 1, 2))):
        same = [v for v in s.tensors(x.element) if v.rank == x.rank and _agree_but(x, v, axis % x.rank)]
        parts.append(s.rng.choice(same) if same else x)
    return s.apply_single(manipulate.ConcatOp, *parts, axis=axis)


def _agree_but(a: Value, b: Value, axis: int) -> bool:
    return all(x == y and x is not None for i, (x, y) in enumerate(zip(a.dims, b.dims, strict=True)) if i != axis)


def stack(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None or x.rank > 4:
        return None
    same = [v for v in s.tensors() if v.ssa.type == x.ssa.type]
    parts = [x, *(s.rng.choice(same or [x]) for _ in range(s.rng.choice((0, 1, 2))))]
    return s.apply_single(manipulate.StackOp, *parts, axis=s.rng.randint(-x.rank - 1, x.rank))


def split(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    if s.rng.random() < 0.5:
        return s.apply(manipulate.SplitOp, x, sections=s.rng.randint(1, 4), axis=axis_of(s, x))
    indices = sorted(s.rng.randint(0, 8) for _ in range(s.rng.randint(1, 3)))
    return s.apply(manipulate.SplitOp, x, indices=indices, axis=axis_of(s, x))


def broadcast_to(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None or x.rank > 4:
        return None
    dims = [s.dim() if dim == 1 and s.rng.random() < 0.5 else dim for dim in x.dims]
    known = [Symbol(name) for name in s.defined()]
    dims = [*(s.rng.choice([2, 3, *known]) for _ in range(s.rng.choice((0, 1)))), *dims]
    return s.apply_single(manipulate.BroadcastToOp, x, shape_value(s, *in_scope(s, dims)))


def repeat(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    kind = s.rng.random()
    if kind < 0.35:
        return s.apply_single(
            manipulate.RepeatOp, x, repeats=s.rng.choice((0, 1, 2, 3)), axis=maybe(s, axis_of(s, x), 0.8)
        )
    if kind < 0.65:
        return s.apply_single(
            manipulate.TileOp, x, repeats=[s.rng.choice((1, 1, 2, 3)) for _ in range(s.rng.randint(1, x.rank + 1))]
        )
    return s.apply_single(manipulate.FlipOp, x, axis=axis_of(s, x))


def pad(s: Scope) -> Any:
    x = s.want(NUMERIC)
    if x is None:
        return None
    widths = [s.rng.choice((0, 0, 1, 2)) for _ in range(2 * x.rank)]
    mode = s.rng.choice((None, "constant", "reflect", "replicate", "circular"))
    return s.apply_single(manipulate.PadOp, x, pad_width=widths, pad_mode=mode, pad_value=maybe(s, 2.0))


def meshgrid(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None or x.rank > 1:
        return None
    same = [v for v in s.tensors(x.element) if v.rank <= 1]
    parts = [x, *(s.rng.choice(same) for _ in range(s.rng.choice((1, 2))))]
    return s.apply(manipulate.MeshgridOp, *parts, indexing=s.rng.choice((None, "ij", "xy")))
