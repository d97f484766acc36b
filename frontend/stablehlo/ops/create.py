"""Tensors from nothing."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ..node import Node
from ..table import Table, converters
from ..values import Token

TABLE: Table = {}
op = converters(TABLE)


def counted(node: Node, size: Known) -> SSAValue:
    """Returns the numbers from 0 to a size, in i64."""
    g = node.g
    if isinstance(size, int):
        return g.arange(start=0, end=size, dtype=i64)
    return g.arange(g.shape(0, size, 1), dtype=i64)


def _iota(node: Node, sizes: Sequence[Known]) -> SSAValue:
    g, axis = node.g, int(node.attr("iota_dimension"))
    row = g.astype(counted(node, sizes[axis]), dtype=node.result.element)
    if len(sizes) == 1:
        return row
    row = g.reshape(row, [size if index == axis else 1 for index, size in enumerate(sizes)])
    return g.broadcast_to(row, list(sizes))


@op("iota")
def _static_iota(node: Node) -> SSAValue:
    sizes = node.result.sizes
    if None in sizes:
        raise Unsupported("the sizes of the result are not known")
    return _iota(node, [size for size in sizes if size is not None])


@op("dynamic_iota")
def _dynamic_iota(node: Node) -> SSAValue:
    return _iota(node, node.sizes(0))


@op("get_dimension_size")
def _dimension_size(node: Node) -> SSAValue:
    return node.cast(node.number(node.shape(0)[int(node.attr("dimension"))]), node.result.element)


@op("after_all", "create_token")
def _token(node: Node) -> Token:
    return Token()


@op("replica_id", "partition_id")
def _replica(node: Node) -> SSAValue:
    """Converts an op: there is one replica."""
    return node.g.constant(0, node.result.element)
