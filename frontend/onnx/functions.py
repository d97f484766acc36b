"""The functions that a model defines: each is inlined where it is called, so that calls in calls multiply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from onnx import FunctionProto, ModelProto, NodeProto

from ..model.problems import ModelImportError

MAX_NESTED = 100_000
"""A model of more nodes inside of others, each counted as often as it is inlined or unrolled, is refused."""

ALIASES = {"ai.onnx": ""}

Key: TypeAlias = tuple[str, str, str]
"""The domain, the name and the overload of a function."""


def domain_of(name: str) -> str:
    """Returns the domain that a name stands for."""
    return ALIASES.get(name, name)


def function_key(call: NodeProto) -> Key:
    """Returns what names the function that a node calls."""
    return domain_of(call.domain), call.op_type, call.overload


def functions_of(model: ModelProto) -> dict[Key, FunctionProto]:
    """Returns the functions of a model.

    Raises `ModelImportError` for two of one name, one that calls itself, and calls that make more than `MAX_NESTED` nodes.
    """
    functions: dict[Key, FunctionProto] = {}
    for function in model.functions:
        key = (domain_of(function.domain), function.name, function.overload)
        if key in functions:
            raise ModelImportError(f"the function '{function.name}' is defined twice")
        functions[key] = function
    counts: dict[Key, int | None] = {}
    total = sum(_inlined(function_key(node), functions, counts) for node in _nodes(model.graph.node))
    if total > MAX_NESTED:
        raise ModelImportError(
            f"the functions of the model have {total} nodes when they are inlined, at most {MAX_NESTED} fit"
        )
    return functions


def _inlined(key: Key, functions: Mapping[Key, FunctionProto], counts: dict[Key, int | None]) -> int:
    """Returns the number of nodes that a call becomes; `counts` has those of functions, `None` for one that is being counted."""
    if key not in functions:
        return 0
    if key not in counts:
        counts[key] = None
        counts[key] = sum(1 + _inlined(function_key(node), functions, counts) for node in _nodes(functions[key].node))
    count = counts[key]
    if count is None:
        raise ModelImportError(f"the function '{key[1]}' calls itself")
    return count


def _nodes(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """Yields nodes, and those of their subgraphs."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from _nodes(graph.node)
