"""Recipes of ops that make tensors of sizes, of nothing or of what data says."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import f32, f64, i32, i64
from xdsl_relax.dialects.relax.dtypes import ALL, FLOATS, NUMERIC
from xdsl_relax.dialects.relax.ops import create, data_dependent, shape
from xdsl_relax.dialects.symbolic.expressions import apply

from ..scope import Scope
from .choose import axis_of, in_scope, maybe, shape_value


def fill_like(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None:
        return None
    dtype = maybe(s, s.rng.choice(ALL))
    kind = s.rng.random()
    if kind < 0.5:
        return s.apply_single(s.rng.choice((create.ZerosLikeOp, create.OnesLikeOp)), x, dtype=dtype)
    scalar = s.tensor([], s.rng.choice(ALL))
    return s.apply_single(create.FullLikeOp, x, scalar, dtype=dtype)


def creation(s: Scope) -> Any:
    dims = in_scope(s, [s.dim() for _ in range(s.rng.randint(0, 2))])
    kind = s.rng.random()
    if kind < 0.2:
        return s.apply_single(
            s.rng.choice((create.ZerosOp, create.OnesOp)), shape_value(s, *dims), dtype=s.rng.choice(ALL)
        )
    if kind < 0.4:
        return s.apply_single(
            create.FullOp, shape_value(s, *dims), s.tensor([], s.rng.choice(ALL)), dtype=maybe(s, s.rng.choice(ALL))
        )
    if kind < 0.55:
        return s.apply_single(
            create.EyeOp,
            shape_value(s, *[*dims, 3, 4][:2]),
            k=maybe(s, s.rng.randint(-2, 2)),
            dtype=maybe(s, s.rng.choice(ALL)),
        )
    if kind < 0.75:
        bounds = shape_value(s, s.rng.randint(0, 3), [*dims, 9][0], s.rng.choice((1, 1, 2)))
        return s.apply_single(create.ArangeOp, bounds, dtype=maybe(s, s.rng.choice(NUMERIC)))
    start = s.rng.choice((0, 1, -3, 0.5))
    return s.apply_single(
        create.ArangeOp,
        start=start,
        end=start + s.rng.randint(0, 20),
        step=type(start)(s.rng.choice((1, 2))),
        dtype=maybe(s, s.rng.choice(FLOATS)),
    )


def triangle(s: Scope) -> Any:
    x = s.want(ALL, rank=2)
    return x and s.apply_single(s.rng.choice((create.TrilOp, create.TriuOp)), x, k=maybe(s, s.rng.randint(-2, 2)))


def shape_ops(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None or None in x.dims:
        return None
    if s.rng.random() < 0.5:
        sizes = s.apply_single(shape.ShapeOfOp, x)
    else:
        sizes = shape_value(s, *(apply(s.rng.choice("+*"), dim, s.rng.randint(1, 3)) for dim in x.dims))
    if x.rank and s.rng.random() < 0.5:
        return s.apply_single(
            shape.SymbolValueOp,
            sizes,
            index=s.rng.randrange(x.rank),
            dtype=maybe(s, s.rng.choice((f32, f64, i32, i64))),
        )
    return s.apply_single(shape.ShapeToTensorOp, sizes)


def nonzero(s: Scope) -> Any:
    x = s.want(ALL)
    return x and s.apply_single(data_dependent.NonzeroOp, x)


def unique(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None:
        return None
    flags = {name: maybe(s, True) for name in ("return_index", "return_inverse", "return_counts")}
    axis = axis_of(s, x) if x.rank and s.rng.random() < 0.4 else None
    return s.apply(data_dependent.UniqueOp, x, axis=axis, sorted=maybe(s, s.rng.random() < 0.5), **flags)
