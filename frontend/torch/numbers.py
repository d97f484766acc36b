"""Numbers that torch computes from sizes, such as `x.shape[0] ** 0.5`: expressions of sympy as scalars of the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from xdsl.dialects.builtin import f64
from xdsl.ir import SSAValue

from ...builder import BlockBuilder
from ..model.problems import Unsupported
from .sizes import Sizes

OPERATORS: Mapping[str, Callable[[BlockBuilder, SSAValue, SSAValue], SSAValue]] = {
    "Add": lambda g, a, b: g.add(a, b),
    "Mul": lambda g, a, b: g.multiply(a, b),
    "FloatTrueDiv": lambda g, a, b: g.divide(a, b),
    "IntTrueDiv": lambda g, a, b: g.divide(a, b),
    "FloatPow": lambda g, a, b: g.power(a, b),
    "Pow": lambda g, a, b: g.power(a, b),
    "Max": lambda g, a, b: g.maximum(a, b),
    "Min": lambda g, a, b: g.minimum(a, b),
}

FUNCTIONS: Mapping[str, str] = {
    "OpaqueUnaryFn_sqrt": "sqrt",
    "OpaqueUnaryFn_exp": "exp",
    "OpaqueUnaryFn_log": "log",
    "OpaqueUnaryFn_sin": "sin",
    "OpaqueUnaryFn_cos": "cos",
}


def number(g: BlockBuilder, sizes: Sizes, expression: Any) -> SSAValue:
    """Returns a float as a scalar of f64; raises `Unsupported` for one that the dialect has no ops for."""
    name = type(expression).__name__
    if name == "ToFloat" or expression.is_Integer or (expression.is_Symbol and expression.is_integer):
        size = sizes.of(expression.args[0] if name == "ToFloat" else expression)
        return g.symbol_value(g.shape(size), dtype=f64)
    if expression.is_Number:
        return g.constant(float(expression), f64)
    if name in OPERATORS:
        parts = [number(g, sizes, item) for item in expression.args]
        return reduce(lambda lhs, rhs: OPERATORS[name](g, lhs, rhs), parts)
    if name in FUNCTIONS:
        return g.op(FUNCTIONS[name], number(g, sizes, expression.args[0]))
    if name == "Identity":
        return number(g, sizes, expression.args[0])
    raise Unsupported(f"the number {expression} has no counterpart")
