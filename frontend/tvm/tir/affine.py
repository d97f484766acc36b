"""Index expressions of TIR as affine expressions of iteration variables."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from ..types import key
from .nodes import kind


def affine(expression: Any, variables: Mapping[int, AffineExpr]) -> AffineExpr | None:
    """Returns an expression of `variables` (by key), `None` if it is not affine."""
    match kind(expression):
        case "IntImm":
            return AffineConstantExpr(int(expression.value))
        case "Var":
            return variables.get(key(expression))
        case "Cast":
            return affine(expression.value, variables)
        case "Add" | "Sub" | "Mul" | "FloorDiv" | "FloorMod":
            lhs, rhs = affine(expression.a, variables), affine(expression.b, variables)
            return None if lhs is None or rhs is None else _apply(kind(expression), lhs, rhs)
        case _:
            return None


def _apply(operator: str, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr | None:
    # Only what stays affine has a result; a divisor is a positive number.
    if operator == "Mul" and isinstance(lhs, AffineConstantExpr):
        lhs, rhs = rhs, lhs
    match operator:
        case "Add":
            return lhs + rhs
        case "Sub":
            return lhs + rhs * AffineConstantExpr(-1)
        case "Mul" if isinstance(rhs, AffineConstantExpr):
            return lhs * rhs
        case "FloorDiv" if isinstance(rhs, AffineConstantExpr) and rhs.value > 0:
            return lhs // rhs
        case "FloorMod" if isinstance(rhs, AffineConstantExpr) and rhs.value > 0:
            return lhs % rhs
        case _:
            return None


def all_affine(expressions: Sequence[Any], variables: Mapping[int, AffineExpr]) -> tuple[AffineExpr, ...] | None:
    """Returns all expressions as affine ones, `None` if one is not."""
    converted = [affine(expression, variables) for expression in expressions]
    exprs = tuple(expr for expr in converted if expr is not None)
    return exprs if len(exprs) == len(converted) else None
