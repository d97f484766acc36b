"""Recipes of element-wise ops, and of casts and selections."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import i1
from xdsl_relax.dialects.relax.dialect import ops_of
from xdsl_relax.dialects.relax.dtypes import ALL, FLOATS, NUMERIC
from xdsl_relax.dialects.relax.ops import binary, core, unary
from xdsl_relax.dialects.relax.ops.nn import activation as nn_activation

from ..scope import Scope
from .choose import partner, relax_ops_of

UNARY = [op for op in relax_ops_of(unary) if op not in (unary.ClipOp, unary.AsTypeOp, unary.BitcastOp)]


BINARY = [op for op in ops_of(binary) if issubclass(op, binary.BinaryOp)]


ACTIVATIONS = [op for op in relax_ops_of(nn_activation) if op is not nn_activation.PReluOp]


def unary_op(s: Scope) -> Any:
    op = s.rng.choice(UNARY + ACTIVATIONS)
    x = s.want(getattr(op, "ACCEPTED", FLOATS))
    return x and s.apply_single(op, x)


def clip(s: Scope) -> Any:
    x = s.want(NUMERIC)
    if x is None:
        return None
    low = s.rng.randint(-3, 2)
    return s.apply_single(unary.ClipOp, x, min=low, max=low + s.rng.randint(-1, 5))


def astype(s: Scope) -> Any:
    x = s.want(ALL)
    return x and s.apply_single(unary.AsTypeOp, x, dtype=s.rng.choice(ALL))


def binary_op(s: Scope) -> Any:
    op = s.rng.choice(BINARY)
    x = s.want(op.ACCEPTED)
    if x is None:
        return None
    pair = [x, partner(s, x)]
    s.rng.shuffle(pair)
    return s.apply_single(op, *pair)


ARITHMETIC = (binary.AddOp, binary.SubtractOp, binary.MultiplyOp, binary.MaximumOp, binary.DivideOp)


def arithmetic(s: Scope) -> Any:
    x = s.want(NUMERIC)
    if x is None:
        return None
    pair = [x, partner(s, x)]
    s.rng.shuffle(pair)
    return s.apply_single(s.rng.choice(ARITHMETIC), *pair)


def of_domain(s: Scope) -> Any:
    """An op that takes positive numbers, or those between -1 and 1."""
    x = s.want(FLOATS)
    if x is None:
        return None
    if s.rng.random() < 0.5:
        x = s.apply_single(s.rng.choice((unary.ExpOp, unary.SigmoidOp, nn_activation.SoftplusOp)), x)
        ops = (unary.LogOp, unary.SqrtOp, unary.RsqrtOp)
    else:
        x = s.apply_single(s.rng.choice((unary.TanhOp, unary.SinOp, unary.ErfOp)), x)
        ops = (unary.AcosOp, unary.AsinOp, unary.AtanhOp)
    return s.apply_single(s.rng.choice(ops), x)


def where(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None:
        return None
    condition = partner(s, x, i1)
    return s.apply_single(binary.WhereOp, condition, x, partner(s, x))


def stop_lift(s: Scope) -> Any:
    x = s.want(ALL)
    return x and s.apply_single(core.StopLiftParamsOp, x)
