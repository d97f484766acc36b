"""Tensors from nothing but a shape or bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import is_float
from ....dialects.symbolic.expressions import product
from ...model.problems import Unsupported
from ...model.sizes import is_symbolic, size_array
from ..node import Node
from ..table import Table, converters
from ..types import storage
from ..values import Tensor

TABLE: Table = {}
op = converters(TABLE)


@op("Constant")
def _constant(node: Node) -> Tensor:
    """Converts a node. A stored tensor is a weight as those are that the graph holds."""
    for name, dtype in (("value_float", np.float32), ("value_floats", np.float32), ("value_int", np.int64)):
        if name in node.attributes:
            return Tensor(known=np.array(node.attributes[name], dtype))
    if "value_ints" in node.attributes:
        return Tensor(known=np.array(node.attributes["value_ints"], np.int64))
    stored = next((item for item in node.importer.bound_attributes(node.proto) if item.name == "value"), None)
    if stored is None:
        given = ", ".join(node.attributes) or "no attribute"
        raise Unsupported(f"constants of {given} have no counterpart")
    return node.importer.weight(stored.t, stored.t.name or node.proto.output[0])


@op("ConstantOfShape")
def _constant_of_shape(node: Node) -> SSAValue:
    value: Any = node.attributes.get("value", np.zeros(1, np.float32))
    value = np.asarray(value)
    if value.size != 1:
        raise Unsupported(f"takes a value with one element, got {value.size}")
    value = value.reshape(())
    g = node.g
    if not node.is_known(0):
        node.sizes(0)
    return g.full(g.shape(*node.sizes(0)), g.constant(value))


@op("Range")
def _range(node: Node) -> SSAValue:
    """Converts a node. The bounds are known, or are symbolic sizes: the number of elements is a dim of the result."""
    g, element = node.g, node.element(0)
    bounds = [node.sizes(index)[0] for index in range(3)]
    if any(is_symbolic(node.tensor(index).known) for index in range(3)):
        return g.arange(bounds, dtype=element)
    start, _, step = (node.known(index).reshape(())[()] for index in range(3))
    limit = node.known(1).reshape(())[()]
    if step == 0:
        raise Unsupported("the step must not be 0")
    if is_float(element):
        # As the definition has it: the number of elements, then each one a multiple of the step.
        count = max(int(np.ceil((np.float64(limit) - np.float64(start)) / np.float64(step))), 0)
        places = g.arange(start=0, end=count, dtype=element)
        return g.add(g.multiply(places, g.constant(step)), g.constant(start))
    return g.arange(start=int(start), end=int(limit), step=int(step), dtype=element)


@op("EyeLike")
def _eye_like(node: Node) -> SSAValue:
    kind = node.attr("dtype", node.kind(0))
    return node.g.eye_like(node.x(0), k=int(node.attr("k", 0)), dtype=storage(kind))


@op("Shape")
def _shape(node: Node) -> Tensor:
    shape, rank = node.shape(0), node.rank(0)
    bounds = [node.attr("start", 0), node.attr("end", rank)]
    start, end = (min(max(bound + rank if bound < 0 else bound, 0), rank) for bound in bounds)
    return Tensor(known=size_array(shape[start:end]))


@op("Size")
def _size(node: Node) -> Tensor:
    size = product(node.shape(0))
    assert size is not None
    return Tensor(known=size_array([size], ()))
