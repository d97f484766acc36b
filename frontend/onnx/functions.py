"""The functions that a model defines: each is inlined where it is called, so that calls in calls multiply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from onnx import FunctionProto, ModelProto, NodeProto

from ..model.inlining import check_inlined
from ..model.problems import ModelImportError

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

    Raises `ModelImportError` for two of one name, one that calls itself, and calls that make more nodes than fit.
    """
    functions: dict[Key, FunctionProto] = {}
    for function in model.functions:
        key = (domain_of(function.domain), function.name, function.overload)
        if key in functions:
            raise ModelImportError(f"the function '{function.name}' is defined twice")
        functions[key] = function

    def calls(nodes: Iterable[NodeProto]) -> list[Key]:
        keys = [function_key(node) for node in _nodes(nodes)]
        return [key for key in keys if key in functions]

    def called(key: Key) -> tuple[int, list[Key]]:
        nodes = functions[key].node
        return sum(1 for _ in _nodes(nodes)), calls(nodes)

    check_inlined(calls(model.graph.node), called, lambda key: key[1])
    return functions


def _nodes(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """Yields nodes, and those of their subgraphs."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from _nodes(graph.node)
