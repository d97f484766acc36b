"""Calls of registered Python functions from a model: what may be an argument, and which operand or string it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f32, f64, i64
from xdsl.ir import Attribute, SSAValue

from ...builder.inserter import Names
from ...builder.types import Size, shape
from .errors import ModelError
from .scope import current_scope, emit, expression, op_location
from .tensor import Value

FLOATS = {"float32": f32, "float64": f64}


def call_python(
    callee: str,
    args: Sequence[Any],
    results: Sequence[Attribute],
    *,
    op: str = "call_packed",
    float_dtype: str = "float64",
    name: Names = None,
    **properties: Any,
) -> Any:
    """Calls a Python function by the name under which it is registered, and returns its value, or a tuple of several.

    An argument is a tensor or an object, an `int`, a `float` (passed in a dtype), a string, a size, or a tuple or list: of sizes it is a
    shape, which Python gets as a tuple, else a tuple of such. Raises `ModelError` for anything else.
    """
    operands: list[SSAValue] = []
    literals: dict[str, str] = {}
    sizes = [position for position, arg in enumerate(args) if isinstance(arg, Size)]
    for position, arg in enumerate(args):
        if isinstance(arg, str):
            if "\0" in arg:
                raise ModelError(f"expected a string without NUL as an argument of {callee}, got {arg!r:.80}")
            literals[str(position)] = arg
        else:
            operands.append(_operand(arg, float_dtype))
    properties = {
        **({"pure": True} if op == "call_packed" else {}),
        "literals": literals or None,
        "sizes": sizes or None,
        **properties,
    }
    return emit(op, *operands, callee=callee, result_types=results, name=name, **properties)


def _operand(arg: Any, float_dtype: str) -> SSAValue:
    match arg:
        case Value():
            return arg.value
        case Size():
            return _shape([arg])
        case int() if not isinstance(arg, bool):
            return _constant(arith.ConstantOp(IntegerAttr(_fitting(arg), i64)))
        case float():
            return _constant(arith.ConstantOp(FloatAttr(arg, FLOATS[float_dtype])))
        case tuple() | list():
            items = cast(Sequence[Any], arg)
            if all(isinstance(item, int | Size) for item in items):
                return _shape([_fitting(item) for item in items])
            return emit("tuple", *(_operand(item, float_dtype) for item in items))
        case _:
            expected = "a tensor, an object, a number, a string, a size, or a tuple or list of them"
            raise ModelError(f"expected {expected} as an argument of a Python function, got {type(arg).__name__}")


def _fitting(number: Any) -> Any:
    """Returns a size, or a number that 64 bits hold; raises `ModelError` for another one."""
    if isinstance(number, int) and not -(1 << 63) <= number < 1 << 63:
        raise ModelError(f"expected an integer of 64 bits as an argument of a Python function, got {number!r:.40}")
    return number


def _shape(sizes: Sequence[Any]) -> SSAValue:
    return emit("shape", result_types=[shape(sizes)])


def _constant(op: arith.ConstantOp) -> SSAValue:
    scope = current_scope()
    return expression(op) if scope is None else scope.builder.insert(op, location=op_location())
