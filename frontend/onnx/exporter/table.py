"""What a rule is, by which an op is written as nodes, and what it sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from onnx import GraphProto, ValueInfoProto, helper
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from ....dialects.relax.attrs import dims_of
from ....dialects.symbolic.expressions import Dim, Known, apply, product, sub
from ....dialects.symbolic.order import is_nonnegative
from ...model.problems import Unsupported
from ..types import kind_of
from .nodes import Graph, Nodes
from .sizes import Sizes, ValueDim


class Scope:
    """What a rule sees besides the op: where nodes go, and the sizes that are known there."""

    def __init__(self, nodes: Nodes, sizes: Sizes):
        self.nodes = nodes
        self.sizes = sizes

    def dims(self, value: SSAValue, name: str) -> tuple[Known, ...]:
        """Returns the dims of a tensor; those that its type leaves open are read from the value."""
        known = dims_of(value.type)
        if known is None:
            raise Unsupported("a tensor of unknown rank")
        return tuple(ValueDim(name, axis) if dim is None else dim for axis, dim in enumerate(known))

    def reshaped(self, x: str, dims: Sequence[Dim]) -> str:
        """Returns a value with other dims."""
        return self.nodes.with_shape(x, self.sizes.shape(known(dims)))

    def expanded(self, x: str, dims: Sequence[Dim]) -> str:
        """Returns a value that is repeated to a shape."""
        nodes, sizes = self.nodes, known(dims)
        result = nodes.moved("Expand", [x], [self.sizes.shape(sizes)])
        # onnxruntime leaves a dim of size 1 that is to become one of size 0.
        axes = [axis for axis, dim in enumerate(sizes) if not is_positive(dim)]
        if not axes:
            return result
        ends = self.sizes.shape([sizes[axis] for axis in axes])
        return nodes.moved("Slice", [result], [nodes.integers([0] * len(axes)), ends, nodes.integers(axes)])

    def filled(self, value: Any, element: Any, dims: Sequence[Dim]) -> str:
        """Returns a tensor with one value everywhere."""
        nodes = self.nodes
        return nodes.filled(nodes.number(value, element), self.sizes.shape(known(dims)))

    def indices(self, size: Dim) -> str:
        """Returns 0, 1, ... as a vector of i64."""
        (count,) = known([size])
        nodes = self.nodes
        return nodes.add("Range", nodes.scalar(0, i64), self.sizes.scalar(count), nodes.scalar(1, i64))

    def with_one_more(self, x: str, dims: Sequence[Known], axis: int, value: Any) -> str:
        """Returns a value with one more item along an axis, of one number."""
        more = [1 if index == axis else dim for index, dim in enumerate(dims)]
        return self.nodes.joined([x, self.filled(value, self.nodes.element(x), more)], axis)

    def read(self, x: str, dims: Sequence[Known], axis: int, indices: str) -> str:
        """Returns the elements of `x` at indices of i64 along an axis, the nearest ones where they are out of range.

        Of a dim of size 0 zeros are read.
        """
        nodes, dim = self.nodes, dims[axis]
        if not is_positive(dim):
            x = self.with_one_more(x, dims, axis, 0)
        return nodes.gathered(x, self.nearest(indices, dim), axis)

    def nearest(self, indices: str, dim: Known) -> str:
        """Returns indices clipped to a dim; to 0 if that is empty."""
        nodes = self.nodes
        last = sub(dim, 1) if is_positive(dim) else apply("max", sub(dim, 1), 0)
        low = nodes.add("Max", indices, nodes.scalar(0, i64))
        return nodes.add("Min", low, self.sizes.scalar(known([last])[0]))

    def graph_of(
        self, body: Graph, inputs: Sequence[str], outputs: Sequence[str], scalars: Sequence[str] = ()
    ) -> GraphProto:
        """Returns the body of a branch or loop; runtimes ask which of its inputs are scalars."""

        def infos(names: Sequence[str]) -> list[ValueInfoProto]:
            return [
                helper.make_tensor_value_info(name, kind_of(self.nodes.element(name)), () if name in scalars else None)
                for name in names
            ]

        return helper.make_graph(body.nodes, "body", infos(inputs), infos(outputs))


def known(dims: Sequence[Dim]) -> tuple[Known, ...]:
    """Returns dims none of which is unknown."""
    if any(dim is None for dim in dims):
        raise Unsupported("a size that is not known")
    return tuple(dim for dim in dims if dim is not None)


def is_positive(dim: Dim) -> bool:
    """Returns whether a size is provably not 0."""
    less = sub(dim, 1)
    return less is not None and is_nonnegative(less)


def count_of(dims: Sequence[Known], axes: Sequence[int]) -> Known:
    """Returns how many elements some axes have together."""
    return known([product([dims[axis] for axis in axes])])[0]


Rule: TypeAlias = Callable[[Any, Sequence[Any], Scope], Any]
"""Returns the result, or a list of results, from an op and its operands as values of the model."""

Rules: TypeAlias = Mapping[type[Operation], Rule]
