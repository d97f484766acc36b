"""Recipes of reductions, scans, sorting and normalization."""

from __future__ import annotations

from typing import Any

from xdsl_relax.dialects.relax.dialect import ops_of
from xdsl_relax.dialects.relax.dtypes import ALL, FLOATS, NUMERIC, SIGNED
from xdsl_relax.dialects.relax.ops import reduction, scan, sorting
from xdsl_relax.dialects.relax.ops.nn import norm as nn_norm
from xdsl_relax.dialects.relax.ops.nn import softmax as nn_softmax

from ..scope import Scope
from .choose import axes_of, axis_of, maybe, relax_ops_of

REDUCTIONS = [op for op in relax_ops_of(reduction) if not issubclass(op, reduction.ArgReductionOp)]


ARG_REDUCTIONS = [op for op in ops_of(reduction) if issubclass(op, reduction.ArgReductionOp)]


def reduce(s: Scope) -> Any:
    op = s.rng.choice(REDUCTIONS)
    x = s.want(FLOATS if issubclass(op, reduction.FloatReductionOp) else NUMERIC)
    return x and s.apply_single(op, x, axis=axes_of(s, x), keepdims=maybe(s, s.rng.random() < 0.5))


def arg_reduce(s: Scope) -> Any:
    x = s.want(NUMERIC, rank=1)
    return x and s.apply_single(
        s.rng.choice(ARG_REDUCTIONS), x, axis=maybe(s, axis_of(s, x), 0.8), keepdims=maybe(s, s.rng.random() < 0.5)
    )


def scan_op(s: Scope) -> Any:
    x = s.want(NUMERIC)
    if x is None:
        return None
    axis = axis_of(s, x) if x.rank and s.rng.random() < 0.8 else None
    dtype = maybe(s, s.rng.choice(NUMERIC), 0.3)
    return s.apply_single(
        s.rng.choice(relax_ops_of(scan)), x, axis=axis, dtype=dtype, exclusive=maybe(s, s.rng.random() < 0.5)
    )


def sort(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    axis = maybe(s, axis_of(s, x), 0.7)
    kind = s.rng.random()
    if kind < 0.35:
        return s.apply_single(sorting.SortOp, x, axis=axis, descending=maybe(s, s.rng.random() < 0.5))
    dtype = maybe(s, s.rng.choice(SIGNED), 0.5)
    if kind < 0.65:
        return s.apply_single(sorting.ArgsortOp, x, axis=axis, descending=maybe(s, s.rng.random() < 0.5), dtype=dtype)
    ret = s.rng.choice((None, "both", "values", "indices"))
    return s.apply(
        sorting.TopKOp,
        x,
        k=maybe(s, s.rng.randint(0, 5)),
        axis=axis,
        ret_type=ret,
        largest=maybe(s, s.rng.random() < 0.5),
        dtype=dtype,
    )


def softmax(s: Scope) -> Any:
    x = s.want(FLOATS, rank=1)
    return x and s.apply_single(
        s.rng.choice((nn_softmax.SoftmaxOp, nn_softmax.LogSoftmaxOp)), x, axis=maybe(s, axis_of(s, x), 0.7)
    )


def norm(s: Scope) -> Any:
    x = s.want(FLOATS, rank=1)
    if x is None:
        return None
    count = s.rng.randint(1, x.rank)
    dims = list(x.dims[-count:])
    if None in dims:
        return None
    weight = s.tensor(dims, x.element)
    epsilon = maybe(s, 1e-3)
    axes = list(range(-count, 0))
    if s.rng.random() < 0.5:
        return s.apply_single(nn_norm.RMSNormOp, x, weight, axes=axes, epsilon=epsilon)
    return s.apply_single(nn_norm.LayerNormOp, x, weight, s.tensor(dims, x.element), axes=axes, epsilon=epsilon,
                 center=maybe(s, s.rng.random() < 0.5), scale=maybe(s, s.rng.random() < 0.5))  # fmt: skip


def batch_norm(s: Scope) -> Any:
    x = s.want(FLOATS, rank=2)
    if x is None or None in x.dims:
        return None
    axis = s.rng.randrange(x.rank)
    created = [s.tensor([x.dims[axis]], x.element, lambda rng, shape: rng.uniform(0.3, 2, shape)) for _ in range(4)]
    vectors = [vector for vector in created if vector is not None]
    if len(vectors) < len(created):
        return None
    training = maybe(s, s.rng.random() < 0.5)
    return s.apply(nn_norm.BatchNormOp, x, *vectors, axis=axis, epsilon=1e-3, training=training)


def dropout(s: Scope) -> Any:
    x = s.want(FLOATS)
    return x and s.apply(nn_softmax.DropoutOp, x, rate=maybe(s, 0.25))
