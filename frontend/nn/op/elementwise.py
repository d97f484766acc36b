"""Functions of one tensor and of two with broadcasting, element by element: arithmetic, comparisons, activations."""

from __future__ import annotations

from typing import Any, Protocol

from ..annotations import checked
from ..errors import ModelError
from ..tensor import Operand, Tensor, apply, of_one_dtype


class Unary(Protocol):
    """A function of one tensor; `name` is that of the result in the text."""

    def __call__(self, x: Tensor, name: str = ...) -> Tensor: ...


class Binary(Protocol):
    """A function of two tensors whose shapes broadcast, or of a tensor and a number; `name` is that of the result in the text."""

    def __call__(self, a: Operand, b: Operand, name: str = ...) -> Tensor: ...


def _unary(op: str, doc: str, hint: str) -> Unary:
    def function(x: Tensor, name: str = hint) -> Tensor:
        return apply(op, x, name=name)

    return checked(_described(function, op.rpartition(".")[2], doc))


def _binary(op: str, doc: str, hint: str) -> Binary:
    def function(a: Operand, b: Operand, name: str = hint) -> Tensor:
        return apply(op, *of_one_dtype(a, b), name=name)

    return checked(_described(function, op, doc))


def _described(function: Any, name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


exp = _unary("exp", "Returns `e^x`.", "exp")
log = _unary("log", "Returns the natural logarithm.", "log")
sqrt = _unary("sqrt", "Returns the square root.", "sqrt")
square = _unary("square", "Returns `x * x`.", "square")
negative = _unary("negative", "Returns `-x`.", "neg")
floor = _unary("floor", "Returns the largest integer that is not above `x`.", "floor")
tanh = _unary("tanh", "Returns the hyperbolic tangent.", "tanh")
sigmoid = _unary("sigmoid", "Returns `1 / (1 + e^-x)`.", "sigmoid")
relu = _unary("nn.relu", "Returns `max(x, 0)`.", "relu")
silu = _unary("nn.silu", "Returns `x * sigmoid(x)`.", "silu")

add = _binary("add", "Returns `a + b`.", "add")
subtract = _binary("subtract", "Returns `a - b`.", "subtract")
multiply = _binary("multiply", "Returns `a * b`.", "mul")
divide = _binary("divide", "Returns `a / b`.", "divide")
less = _binary("less", "Returns whether `a < b`.", "less")
less_equal = _binary("less_equal", "Returns whether `a <= b`.", "less_equal")
greater = _binary("greater", "Returns whether `a > b`.", "greater")
greater_equal = _binary("greater_equal", "Returns whether `a >= b`.", "greater_equal")
equal = _binary("equal", "Returns whether `a == b`.", "equal")
not_equal = _binary("not_equal", "Returns whether `a != b`.", "not_equal")


@checked
def maximum(x1: Operand, x2: Operand, name: str = "maximum") -> Tensor:
    """Returns the larger element of each pair."""
    return apply("maximum", *of_one_dtype(x1, x2), name=name)


@checked
def minimum(x1: Operand, x2: Operand, name: str = "minimum") -> Tensor:
    """Returns the smaller element of each pair."""
    return apply("minimum", *of_one_dtype(x1, x2), name=name)


@checked
def relu6(x: Tensor, name: str = "relu6") -> Tensor:
    """Returns `min(max(x, 0), 6)`."""
    return apply("clip", x, min=0, max=6, name=name)


@checked
def gelu(x: Tensor, approximate: str | bool | None = None, name: str = "gelu") -> Tensor:
    """Returns `x * phi(x)` for the normal distribution's `phi`, by the formula with tanh if `approximate` is `tanh`.

    None, False and `none` stand for no approximation. Raises `ModelError` for anything else.
    """
    if approximate not in (None, False, "none", "tanh"):
        raise ModelError(f"expected approximate to be 'tanh', 'none', False or None, got {approximate!r}")
    return apply("nn.gelu_tanh" if approximate == "tanh" else "nn.gelu", x, name=name)


@checked
def softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0, name: str = "softplus") -> Tensor:
    """Returns `log(1 + e^(beta * x)) / beta`, or `x` where `beta * x` is above the threshold."""
    return apply("nn.softplus", x, beta=beta, threshold=threshold, name=name)


@checked
def prelu(x: Tensor, alpha: Tensor, name: str = "prelu") -> Tensor:
    """Returns `x`, or `alpha * x` where it is negative; `alpha` has an element for each item of dim 1."""
    return apply("nn.prelu", x, alpha, name=name)


@checked
def astype(x: Tensor, dtype: str, name: str = "astype") -> Tensor:
    """Returns the elements converted to a dtype; `x` itself if it has that."""
    return x if x.dtype == dtype else apply("astype", x, dtype=dtype, name=name)


@checked
def where(condition: Tensor, x1: Operand, x2: Operand, name: str = "where") -> Tensor:
    """Returns `x1` where the condition is true, or not zero, and `x2` elsewhere."""
    return apply("where", astype(condition, "bool"), *of_one_dtype(x1, x2), name=name)
