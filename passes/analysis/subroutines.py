"""Finds the functions whose signature a pass may change together with all their calls."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from ...dialects.relax.function_signature import calls, is_private
from ...dialects.walks import ops_inside
from ...records import record
from .call_graph import call_graph, components, named_functions, own_references


@record
class Subroutine:
    """A function, and all that mentions it."""

    function: func.FuncOp
    calls: Sequence[func.CallOp]


def subroutines(module: ModuleOp) -> list[Subroutine]:
    """Returns the private functions that are called, callees first.

    Not those that call themselves, or that something else than a call mentions.
    """
    functions = named_functions(module, declarations=False)
    graph = call_graph(module)
    calls_by_name = calls(module)
    mentioned = {name for op in ops_inside(module) if not isinstance(op, func.CallOp) for name in own_references(op)}
    chosen: list[Subroutine] = []
    for component in components(graph):
        name = component[0]
        function = functions.get(name)
        if len(component) > 1 or name in graph[name] or name in mentioned or function is None:
            continue
        if name in calls_by_name and is_private(function):
            chosen.append(Subroutine(function, calls_by_name[name]))
    return chosen
