"""The order of functions: callees first."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func

from ..diagnostics import OpError


def callees_first(functions: Mapping[str, func.FuncOp]) -> list[func.FuncOp]:
    """Returns functions in an order in which each follows those that it calls; refuses recursion."""
    order: list[func.FuncOp] = []
    state: dict[str, bool] = {}
    stack: list[tuple[str, list[str]]] = []

    def called(name: str) -> list[str]:
        callees = {op.callee.string_value(): None for op in functions[name].walk() if isinstance(op, func.CallOp)}
        return [callee for callee in callees if callee in functions]

    for start in functions:
        if start in state:
            continue
        state[start] = False
        stack.append((start, called(start)))
        while stack:
            name, pending = stack[-1]
            if not pending:
                stack.pop()
                state[name] = True
                order.append(functions[name])
                continue
            callee = pending.pop()
            if callee not in state:
                state[callee] = False
                stack.append((callee, called(callee)))
            elif not state[callee]:
                raise OpError(functions[callee], f"recursive call of @{callee}: its scratch has no fixed size")
    return order
