"""Branches and loops: `scf` around ops, or the branch alone that is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from ....builder import BlockBuilder
from ....dialects.relax.attrs import tensor_type
from ...model.problems import Unsupported
from ..bodies import applied
from ..node import Node
from ..table import Table, converters
from ..types import tensor_shape
from ..values import Tensor, Token, Value

TABLE: Table = {}
op = converters(TABLE)


def _tensors(node: Node, values: Sequence[Value]) -> list[SSAValue]:
    """Returns the values that are tensors; tokens are left out."""
    for item in values:
        if not isinstance(item, Tensor | Token):
            raise Unsupported("control flow around tuples has no counterpart")
    return [node.importer.materialized(item) for item in values if isinstance(item, Tensor)]


def _with_tokens(node: Node, values: Sequence[SSAValue]) -> list[Value]:
    """Returns values with tokens where the results are such."""
    waiting = iter(values)
    return [
        Token() if str(result.type) == "!stablehlo.token" else Tensor(value=next(waiting)) for result in node.op.results
    ]


def _listed(results: Any) -> list[SSAValue]:
    return [] if results is None else list(results) if isinstance(results, tuple) else [results]


@op("if")
def _if(node: Node) -> list[Value]:
    then, otherwise = node.regions
    if node.is_known(0):
        return node.importer.run_region(then if node.known(0).reshape(-1)[0] else otherwise, [])
    branches = [_branch(node, region) for region in (then, otherwise)]
    return _with_tokens(node, _listed(node.g.if_(node.x(0), *branches)))


@op("case")
def _case(node: Node) -> list[Value]:
    """Converts an op. An index that names no branch takes the last one."""
    regions = node.regions
    if node.is_known(0):
        index = int(node.known(0).reshape(-1)[0])
        return node.importer.run_region(regions[index if 0 <= index < len(regions) else -1], [])
    selector = node.x(0)

    def chosen(number: int) -> Callable[[BlockBuilder], list[SSAValue]]:
        if number == len(regions) - 1:
            return _branch(node, regions[number])

        def write(g: BlockBuilder) -> list[SSAValue]:
            is_this = g.equal(selector, g.constant(number, i32))
            return _listed(g.if_(is_this, _branch(node, regions[number]), chosen(number + 1)))

        return write

    return _with_tokens(node, chosen(0)(node.g))


def _branch(node: Node, region: Any) -> Callable[[BlockBuilder], list[SSAValue]]:
    """Returns what writes a branch. Sizes that are only known inside have no names outside."""

    def write(g: BlockBuilder) -> list[SSAValue]:
        with node.importer.inserting(g):
            values = _tensors(node, node.importer.run_region(region, []))
            shapes = [tensor_shape(item.type) for item in node.op.results if str(item.type) != "!stablehlo.token"]
            wanted = [tensor_type(shape.sizes, shape.element) for shape in shapes]
            return [x if x.type == t else g.match_cast(x, t) for x, t in zip(values, wanted, strict=True)]

    return write


@op("while")
def _while(node: Node) -> list[Value]:
    condition, body = node.regions
    initial = _tensors(node, node.inputs)
    is_tensor = [isinstance(item, Tensor) for item in node.inputs]

    def inputs(values: Sequence[SSAValue]) -> list[Value]:
        waiting = iter(values)
        return [Tensor(value=next(waiting)) if flag else Token() for flag in is_tensor]

    def goes_on(g: BlockBuilder, *values: SSAValue) -> SSAValue:
        with node.importer.inserting(g):
            return _tensors(node, node.importer.run_region(condition, inputs(values)))[0]

    def iterate(g: BlockBuilder, *values: SSAValue) -> list[SSAValue]:
        with node.importer.inserting(g):
            return _tensors(node, node.importer.run_region(body, inputs(values)))

    if not initial:
        raise Unsupported("the loop carries no tensor")
    return _with_tokens(node, _listed(node.g.while_(initial, goes_on, iterate)))


@op("map")
def _map(node: Node) -> list[Value]:
    return [Tensor(value=value) for value in applied(node, node.regions[0], node.xs(), node.shape(0))]
