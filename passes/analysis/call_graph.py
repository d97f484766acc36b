"""Finds the functions of a module by name, and which of them mention which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import PassFailedException

from ...dialects.walks import ops_inside
from ...kinds import kind_test

is_call = kind_test(func.CallOp)
is_function = kind_test(func.FuncOp)
_may_mention = kind_test(SymbolRefAttr, ArrayAttr, DictionaryAttr)

Graph = Mapping[str, frozenset[str]]
"""The functions that each function mentions, by name."""


def named_functions(module: ModuleOp, *, declarations: bool = True) -> dict[str, func.FuncOp]:
    """Returns the functions of a module by name, in order, with or without those that have no body."""
    functions = [op for op in module.body.block.ops if is_function(op)]
    return {op.sym_name.data: op for op in functions if declarations or op.body.blocks}


def required_function(functions: Mapping[str, func.FuncOp], name: str) -> func.FuncOp:
    """Returns a function that an option of a pass names. Raises `PassFailedException` that lists what there is."""
    if name not in functions:
        names = ", ".join(map("@{}".format, functions)) or "none"
        raise PassFailedException(f"no function @{name}; the module has {names}")
    return functions[name]


def references(op: Operation) -> frozenset[str]:
    """Returns the names that an op, and what is inside of it, mention: callees, and symbols in attributes."""
    names: set[str] = set()
    # By where they are: most ops of a model have attributes that others have as well.
    seen: set[int] = set()
    for inner in ops_inside(op):
        for attr in (*inner.properties.values(), *inner.attributes.values()):
            if id(attr) not in seen:
                seen.add(id(attr))
                names.update(_names(attr))
    return frozenset(names)


def own_references(op: Operation) -> Iterator[str]:
    """Yields the names that the attributes of an op mention."""
    for attr in (*op.properties.values(), *op.attributes.values()):
        if _may_mention(attr):
            yield from _names(attr)


def called_functions(op: Operation) -> frozenset[str]:
    """Returns the names of the functions that are called inside of an op."""
    return frozenset(inner.callee.string_value() for inner in ops_inside(op) if is_call(inner))


def _names(attr: Attribute) -> Iterator[str]:
    if isinstance(attr, SymbolRefAttr):
        yield attr.root_reference.data
        return
    items = attr.data.values() if isinstance(attr, DictionaryAttr) else attr.data if isinstance(attr, ArrayAttr) else ()
    for item in filter(_may_mention, items):
        yield from _names(item)


def call_graph(module: ModuleOp) -> dict[str, frozenset[str]]:
    """Returns which functions of the module each of them mentions."""
    functions = named_functions(module)
    return {name: references(function) & functions.keys() for name, function in functions.items()}


def reachable(graph: Graph, roots: Iterable[str]) -> set[str]:
    """Returns the roots and all that they lead to."""
    visited: set[str] = set()
    pending = list(roots)
    while pending:
        name = pending.pop()
        if name not in visited:
            visited.add(name)
            pending.extend(graph[name])
    return visited


def components(graph: Graph) -> list[list[str]]:
    """Returns the strongly connected components, those that are mentioned before those that mention them (Tarjan)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    finished: list[list[str]] = []
    for root in graph:
        if root in order:
            continue
        work = [(root, iter(sorted(graph[root])))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            name, successors = work[-1]
            for successor in successors:
                if successor not in order:
                    order[successor] = low[successor] = len(order)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(sorted(graph[successor]))))
                    break
                if successor in on_stack:
                    low[name] = min(low[name], order[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[name])
                if low[name] == order[name]:
                    finished.append(_pop_component(name, stack, on_stack))
    return finished


def _pop_component(root: str, stack: list[str], on_stack: set[str]) -> list[str]:
    component: list[str] = []
    while not component or component[-1] != root:
        component.append(stack.pop())
        on_stack.discard(component[-1])
    return component
