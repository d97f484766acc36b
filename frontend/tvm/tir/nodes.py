"""Questions about nodes of TVM's tensor IR: their kind, their parts, what they read and write."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tvm
from tvm import tirx

from ..types import key

_FIELDS = {
    "Select": ("condition", "true_value", "false_value"),
    "Cast": ("value",),
    "Let": ("value", "body"),
    "Not": ("a",),
    "BitwiseNot": ("a",),
}
_LEAVES = frozenset({"Var", "IntImm", "FloatImm", "StringImm"})


def kind(node: Any) -> str:
    """Returns the name of a node's class."""
    return type(node).__name__


def operator_name(call: Any) -> str:
    """Returns the name of what a call calls, without the dialect."""
    return str(getattr(call.op, "name", call.op)).split(".", 1)[-1]


def operands(expression: Any) -> list[Any]:
    """Returns the expressions that an expression is made of."""
    name = kind(expression)
    if name in _LEAVES:
        return []
    if name == "TensorLoad":
        return list(expression.indices)
    if name == "Call":
        return [arg for arg in expression.args if isinstance(arg, tvm.ir.Expr)]
    if name in _FIELDS:
        return [getattr(expression, field) for field in _FIELDS[name]]
    return [expression.a, expression.b] if hasattr(expression, "a") else []


def expressions_in(expression: Any) -> Iterator[Any]:
    """Yields an expression and all its parts, each once."""
    seen: set[int] = set()
    pending = [expression]
    while pending:
        current = pending.pop()
        if key(current) not in seen:
            seen.add(key(current))
            yield current
            pending.extend(operands(current))


def loads_in(expression: Any) -> Iterator[Any]:
    """Yields the elements of buffers that an expression reads."""
    return (part for part in expressions_in(expression) if kind(part) == "TensorLoad")


def parts(statement: Any) -> list[Any]:
    """Returns the statements directly inside of a statement."""
    match kind(statement):
        case "SeqStmt":
            return list(statement.seq)
        case "For" | "While" | "AttrStmt":
            return [statement.body]
        case "IfThenElse":
            return [part for part in (statement.then_case, statement.else_case) if part is not None]
        case "SBlockRealize":
            return [part for part in (statement.block.init, statement.block.body) if part is not None]
        case _:
            return []


def written_buffers(statement: Any) -> dict[int, Any]:
    """Returns the buffers that a statement writes, by key, without those that it allocates itself."""
    written: dict[int, Any] = {}
    local: set[int] = set()
    pending = [statement]
    while pending:
        current = pending.pop(0)
        if kind(current) == "BufferStore":
            written.setdefault(key(current.buffer), current.buffer)
        elif kind(current) == "AllocBuffer":
            local.add(key(current.buffer))
        elif kind(current) == "SBlockRealize":
            local |= {key(buffer) for buffer in current.block.alloc_buffers}
        pending.extend(parts(current))
    return {name: buffer for name, buffer in written.items() if name not in local}


def is_true(condition: Any) -> bool:
    """Returns whether a condition is the constant that holds."""
    return isinstance(condition, tirx.IntImm) and bool(condition.value)


def is_zero(expression: Any) -> bool:
    """Returns whether an expression is the integer 0."""
    return isinstance(expression, tirx.IntImm) and int(expression.value) == 0
