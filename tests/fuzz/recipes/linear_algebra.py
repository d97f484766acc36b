"""Recipes of products."""

from __future__ import annotations

from typing import Any

from xdsl_relax.dialects.relax.dtypes import NUMERIC
from xdsl_relax.dialects.relax.ops import linear_algebra

from ..scope import Scope
from .choose import maybe


def matmul(s: Scope) -> Any:
    x = s.want(NUMERIC, rank=1)
    if x is None or x.dims[-1] is None:
        return None
    k = x.dims[-1]
    same = [v for v in s.tensors(x.element) if v.rank and (v.dims[-2:-1] or v.dims[-1:]) == (k,)]
    if same and s.rng.random() < 0.4:
        other = s.rng.choice(same)
    else:
        batch = [dim for dim in x.dims[:-2]] if s.rng.random() < 0.3 and None not in x.dims[:-2] else []
        other = s.tensor([*batch, k, *([s.dim()] if batch or s.rng.random() < 0.85 else [])], x.element)
    out = maybe(s, s.rng.choice(NUMERIC), 0.2)
    return s.apply_single(linear_algebra.MatmulOp, x, other, out_dtype=out)


def linear(s: Scope) -> Any:
    x = s.want(NUMERIC, rank=1)
    if x is None or x.dims[-1] is None:
        return None
    n = s.dim()
    weight = s.tensor([n, x.dims[-1]], x.element)
    bias = [s.tensor([n], x.element)] if s.rng.random() < 0.6 else []
    return s.apply_single(linear_algebra.LinearOp, x, weight, *bias)


def einsum(s: Scope) -> Any:
    x = s.want(NUMERIC, rank=1)
    if x is None or None in x.dims or x.rank > 4:
        return None
    letters = "abcd"[: x.rank]
    operands, terms = [x], [letters]
    for _ in range(s.rng.choice((0, 1, 1, 2))):
        used = s.rng.sample(range(x.rank), s.rng.randint(1, x.rank))
        extra = s.rng.choice(("", "", "x"))
        size = [next((o.dims[t.index("x")] for o, t in zip(operands, terms, strict=True) if "x" in t), 3)] * len(extra)
        operand = s.tensor([*(x.dims[i] for i in used), *size], x.element)
        if operand is None:
            return None
        operands.append(operand)
        terms.append("".join(letters[i] for i in used) + extra)
    labels = sorted(set("".join(terms)))
    kept = s.rng.sample(labels, s.rng.randint(0, len(labels)))
    return s.apply_single(linear_algebra.EinsumOp, *operands, subscripts=f"{','.join(terms)}->{''.join(kept)}")


def outer(s: Scope) -> Any:
    vectors = [v for v in s.tensors(*NUMERIC) if v.rank == 1]
    if not vectors:
        return None
    x = s.rng.choice(vectors)
    return s.apply_single(linear_algebra.OuterOp, x, s.rng.choice([v for v in vectors if v.element == x.element]))
