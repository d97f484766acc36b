"""Dimension expressions of Relax: as they are written there, and as the dims that they are here."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from tvm import tirx
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute

from ...dialects.symbolic.expressions import Apply, Dim, Known, Symbol
from .diagnostics import Unsupported

Form: TypeAlias = int | str | tuple[Any, ...]
"""An expression as it is written: a number, the name of a symbol, or an operator and its operands."""

_CLASSES: dict[str, Any] = {
    "+": tirx.Add,
    "-": tirx.Sub,
    "*": tirx.Mul,
    "floordiv": tirx.FloorDiv,
    "mod": tirx.FloorMod,
    "min": tirx.Min,
    "max": tirx.Max,
    "==": tirx.EQ,
    "!=": tirx.NE,
    "<": tirx.LT,
    "<=": tirx.LE,
    ">": tirx.GT,
    ">=": tirx.GE,
    "and": tirx.And,
    "or": tirx.Or,
    "not": tirx.Not,
    "select": tirx.Select,
    "if": tirx.if_then_else,
}
_OPERATORS = {made.__name__: operator for operator, made in _CLASSES.items()}


def form_of(expression: Any, symbol: Callable[[Any], Dim]) -> Form:
    """Returns how an expression of TVM is written; `symbol` returns the dim of a variable."""
    kind = type(expression).__name__
    match kind:
        case "int":
            return expression
        case "IntImm":
            return int(expression.value)
        case "Var":
            return _form_of_dim(symbol(expression))
        case "Cast":
            return form_of(expression.value, symbol)
        case "Call":
            kind = str(getattr(expression.op, "name", "")).rpartition(".")[2]
            operands = list(expression.args)
        case "Select":
            operands = [expression.condition, expression.true_value, expression.false_value]
        case _:
            operands = [getattr(expression, part) for part in ("a", "b") if hasattr(expression, part)]
    if kind not in _OPERATORS:
        raise Unsupported(f"dimension expression {expression} ({kind})")
    return (_OPERATORS[kind], *(form_of(operand, symbol) for operand in operands))


def _form_of_dim(dim: Dim) -> Form:
    match dim:
        case Apply():
            return (dim.op, _form_of_dim(dim.lhs), _form_of_dim(dim.rhs))
        case Symbol():
            return dim.name
        case int():
            return dim
        case _:
            raise Unsupported("dimension expression of an unknown size")


def dim_of(form: Form) -> Known:
    """Returns an expression as a dim, not simplified; a condition is 1 where it holds, else 0."""
    match form:
        case int():
            return form
        case str():
            return Symbol(form)
        case ("if" | "select", ("==", ("mod", x, int() as by), 0), quotient, ("+", same, 1)) if (
            by > 0 and quotient == same == ("floordiv", x, by)
        ):
            # A division that rounds up.
            return Apply("floordiv", Apply("+", dim_of(x), by - 1), by)
        case _:
            operator, dims = form[0], [dim_of(operand) for operand in form[1:]]
            return _EXPANDED[operator](*dims) if operator in _EXPANDED else Apply(operator, *dims)


def _distance(a: Known, b: Known) -> Known:
    return Apply("max", Apply("-", a, b), Apply("-", b, a))


def _at_most_one(a: Known) -> Known:
    return Apply("min", a, 1)


def _not(a: Known) -> Known:
    return Apply("-", 1, a)


def _less(a: Known, b: Known) -> Known:
    return _at_most_one(Apply("max", Apply("-", b, a), 0))


def _choice(condition: Known, then: Known, otherwise: Known) -> Known:
    return Apply("+", otherwise, Apply("*", condition, Apply("-", then, otherwise)))


_EXPANDED: dict[str, Callable[..., Known]] = {
    "==": lambda a, b: _not(_at_most_one(_distance(a, b))),
    "!=": lambda a, b: _at_most_one(_distance(a, b)),
    "<": _less,
    "<=": lambda a, b: _not(_less(b, a)),
    ">": lambda a, b: _less(b, a),
    ">=": lambda a, b: _not(_less(a, b)),
    "and": lambda a, b: Apply("*", a, b),
    "or": lambda a, b: Apply("max", a, b),
    "not": _not,
    "if": _choice,
    "select": _choice,
}


def expression_of(form: Form, symbol: Callable[[str], Any]) -> Any:
    """Returns the expression of TVM that is written so; `symbol` returns the variable of a name."""
    match form:
        case int():
            return tirx.IntImm("int64", form)
        case str():
            return symbol(form)
        case _:
            return _CLASSES[form[0]](*(expression_of(operand, symbol) for operand in form[1:]))


def encoded(form: Form) -> Attribute:
    """Returns a form as an attribute."""
    match form:
        case int():
            return IntegerAttr(form, i64)
        case str():
            return StringAttr(form)
        case _:
            return ArrayAttr([StringAttr(form[0]), *map(encoded, form[1:])])


def decoded(attr: Attribute) -> Form:
    """Returns the form in an attribute."""
    match attr:
        case IntegerAttr():
            return attr.value.data
        case StringAttr():
            return attr.data
        case ArrayAttr(data=(StringAttr(data=operator), *operands)) if operator in _CLASSES:
            return (operator, *map(decoded, operands))
        case _:
            raise Unsupported(f"dimension expression {attr}")
