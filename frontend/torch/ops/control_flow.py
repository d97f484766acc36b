"""Branches and loops: `torch.cond` and `torch.while_loop`, whose bodies are graphs of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import SSAValue

from ....builder import BlockBuilder
from ...model.problems import Unsupported
from ..node import Node
from ..table import Table

TABLE: Table = {}


def _values(node: Node, graph: Any, inputs: Sequence[Any], builder: BlockBuilder) -> list[SSAValue]:
    """Returns the results of a body, which are tensors."""
    results = node.importer.run_graph(graph, inputs, builder)
    values = [item for item in results if isinstance(item, SSAValue)]
    if len(values) != len(results):
        raise Unsupported("a body returns something that is no tensor")
    return values


def _cond(node: Node) -> Sequence[SSAValue]:
    """Converts a node. Operands: the condition, the two graphs, and what both of them read."""
    condition, inputs = node["0"], node["3"]
    if not isinstance(condition, SSAValue):
        raise Unsupported("the condition depends on sizes")
    results = node.g.if_(
        condition,
        lambda inner: _values(node, node["1"], inputs, inner),
        lambda inner: _values(node, node["2"], inputs, inner),
    )
    return results if isinstance(results, tuple) else [results]


def _while_loop(node: Node) -> Sequence[SSAValue]:
    """Converts a node. Operands: the graphs of the condition and the body, what the loop carries, and what both graphs read besides."""
    carried, others = node["2"], node["3"]
    if not all(isinstance(item, SSAValue) for item in carried):
        raise Unsupported("carries something that is no tensor")
    results = node.g.while_(
        carried,
        lambda inner, *values: _values(node, node["0"], [*values, *others], inner)[0],
        lambda inner, *values: _values(node, node["1"], [*values, *others], inner),
    )
    return results if isinstance(results, tuple) else [results]


TABLE.update({"cond": _cond, "while_loop": _while_loop})
