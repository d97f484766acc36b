"""The order in which the functions of a module get their buffers: callees first."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func

from ...dialects.upstream.op_error import OpError
from ...passes.analysis.call_graph import called_functions, components


def callees_first(functions: Mapping[str, func.FuncOp]) -> list[func.FuncOp]:
    """Orders functions so that each follows those that it calls; raises `OpError` if one calls itself, directly or not."""
    graph = {name: called_functions(function) & functions.keys() for name, function in functions.items()}
    order: list[func.FuncOp] = []
    for component in components(graph):
        name = component[0]
        if len(component) > 1 or name in graph[name]:
            raise OpError(functions[name], f"recursive call of @{name}: its scratch has no fixed size")
        order.append(functions[name])
    return order
