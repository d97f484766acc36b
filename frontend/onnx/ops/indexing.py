"""Reading and writing at indices."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...model.problems import Unsupported
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)

REDUCTIONS = {"none": "update", "add": "add", "mul": "mul", "min": "min", "max": "max"}


@op("Gather")
def _gather(node: Node) -> SSAValue:
    return node.g.take(node.x(0), node.x(1), axis=node.axis(0))


@op("GatherElements")
def _gather_elements(node: Node) -> SSAValue:
    return node.g.gather_elements(node.x(0), node.x(1), axis=node.axis(0))


@op("GatherND")
def _gather_nd(node: Node) -> SSAValue:
    return node.g.gather_nd(node.x(0), node.x(1), batch_dims=int(node.attr("batch_dims", 0)))


@op("Scatter", "ScatterElements")
def _scatter_elements(node: Node) -> SSAValue:
    return node.g.scatter_elements(node.x(0), node.x(1), node.x(2), axis=node.axis(0), reduction=_reduction(node))


@op("ScatterND")
def _scatter_nd(node: Node) -> SSAValue:
    return node.g.scatter_nd(node.x(0), node.x(1), node.x(2), reduction=_reduction(node))


def _reduction(node: Node) -> str:
    given = node.attr("reduction", "none")
    if given not in REDUCTIONS:
        raise Unsupported(f"the reduction {given!r} is not known")
    return REDUCTIONS[given]
