"""Which functions of a module mention which: the graph that inlining and the removal of functions work on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Operation

Graph = Mapping[str, frozenset[str]]
"""The functions that each function mentions, by name."""


def named_functions(module: ModuleOp) -> dict[str, func.FuncOp]:
    """Returns the functions of a module by name, in order, declarations too."""
    return {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, func.FuncOp)}


def references(op: Operation) -> frozenset[str]:
    """Returns the names that an op, and what is inside of it, mention: callees, and symbols in attributes."""
    return frozenset(
        name
        for inner in op.walk()
        for attr in (*inner.properties.values(), *inner.attributes.values())
        for name in _names(attr)
    )


def _names(attr: Attribute) -> Iterator[str]:
    match attr:
        case SymbolRefAttr():
            yield attr.root_reference.data
        case ArrayAttr():
            for item in attr.data:
                yield from _names(item)
        case DictionaryAttr():
            for item in attr.data.values():
                yield from _names(item)
        case _:
            pass


def call_graph(module: ModuleOp) -> dict[str, frozenset[str]]:
    """Returns which functions of the module each of them mentions."""
    known = named_functions(module)
    return {name: references(function) & known.keys() for name, function in known.items()}


def reachable(graph: Graph, roots: Iterable[str]) -> set[str]:
    """Returns the roots and all that they lead to."""
    found: set[str] = set()
    pending = list(roots)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(graph[name])
    return found


def components(graph: Graph) -> list[list[str]]:
    """Returns the strongly connected components, those that are mentioned before those that mention them (Tarjan)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    for root in graph:
        if root in order:
            continue
        work = [(root, iter(sorted(graph[root])))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            name, successors = work[-1]
            for other in successors:
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in on_stack:
                    low[name] = min(low[name], order[other])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[name])
                if low[name] == order[name]:
                    found.append(_pop_component(name, stack, on_stack))
    return found


def _pop_component(root: str, stack: list[str], on_stack: set[str]) -> list[str]:
    component: list[str] = []
    while not component or component[-1] != root:
        component.append(stack.pop())
        on_stack.discard(component[-1])
    return component
