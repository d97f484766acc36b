"""One node as the converter of its op sees it: operands, attributes, and a builder for what it becomes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto
from xdsl.ir import SSAValue

from ...dialects.symbolic.nodes import Known
from ..model.inserter import TensorInserter
from ..model.node import TensorNode
from ..model.problems import Unsupported
from ..model.sizes import dims_in, is_symbolic
from ..model.value_types import normalized
from . import values
from .values import Tensor, Value

Output: TypeAlias = "SSAValue | Value | None"
Outputs: TypeAlias = "Output | Sequence[Output]"
Converter: TypeAlias = "Callable[[Node], Outputs]"
"""Inserts what a node becomes and returns its outputs."""

Default = TypeVar("Default")


class Importer(TensorInserter[Tensor]):
    """What a converter asks of the import of the graph."""

    @abstractmethod
    def run_graph(self, graph: GraphProto, inputs: Sequence[Value]) -> list[Value]:
        """Returns the outputs of a subgraph."""

    @abstractmethod
    def bound_attributes(self, proto: NodeProto) -> list[AttributeProto]:
        """Returns the attributes of a node, references to those of a function replaced."""

    @abstractmethod
    def weight(self, proto: TensorProto, name: str) -> Tensor:
        """Returns a stored tensor: a constant of the program or a parameter."""


class Node(TensorNode[Importer, Tensor]):
    """A node under import."""

    def __init__(
        self,
        importer: Importer,
        proto: NodeProto,
        inputs: Sequence[Value | None],
        attributes: dict[str, Any],
        since: int,
        opset: int,
    ):
        super().__init__(importer)
        self.proto = proto
        self.inputs = inputs
        self.attributes = attributes
        self.since = since
        """The version of the operator set that the op's definition is from."""
        self.opset = opset

    @property
    def op(self) -> str:
        """The name of the op."""
        return self.proto.op_type

    @property
    def outputs(self) -> int:
        """The number of outputs that are written down."""
        return len(self.proto.output)

    def wants(self, index: int) -> bool:
        """Returns whether an output has a name."""
        return index < len(self.proto.output) and bool(self.proto.output[index])

    def attr(self, name: str, default: Default) -> Default:
        """Returns an attribute as a Python value, or the default."""
        return self.attributes.get(name, default)

    def has(self, index: int) -> bool:
        """Returns whether an operand is given."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def any(self, index: int) -> Value:
        """Returns an operand of any kind."""
        value = self.inputs[index] if index < len(self.inputs) else None
        if value is None:
            raise Unsupported(f"needs operand {index}, which is left out")
        return value

    def tensor(self, index: int) -> Tensor:
        """Returns an operand that is a tensor."""
        value = self.any(index)
        if isinstance(value, values.Optional) and isinstance(value.item, Tensor):
            return value.item
        if not isinstance(value, Tensor):
            raise Unsupported(f"takes a tensor as operand {index}, got a {type(value).__name__.lower()}")
        return value

    def xs(self) -> list[SSAValue]:
        """Returns all operands as values of the program."""
        return [self.x(index) for index in range(len(self.inputs))]

    def kind(self, index: int) -> int:
        """Returns the element type of an operand, as ONNX numbers it."""
        return self.tensor(index).kind

    def axis(self, default: int, rank: int | None = None, name: str = "axis") -> int:
        """Returns the attribute `axis`, counted from 0."""
        return normalized(self.attr(name, default), self.rank(0) if rank is None else rank)

    # Operands whose values the import must know

    def is_known(self, index: int) -> bool:
        """Returns whether an operand is given and its elements are known."""
        return self.has(index) and self.tensor(index).is_known

    def sizes(self, index: int) -> list[Known]:
        """Returns the elements of an operand that lists sizes, integers or expressions."""
        tensor = self.tensor(index)
        if not tensor.is_known:
            name = self.proto.input[index]
            raise Unsupported(f"needs the value of '{name}' before the program runs", sorted(tensor.origin))
        return dims_in(tensor.known)

    def known(self, index: int) -> np.ndarray[Any, Any]:
        """Returns the elements of an operand, which must be numbers."""
        sizes = self.tensor(index)
        self.sizes(index)
        if is_symbolic(sizes.known):
            raise Unsupported(f"needs the value of '{self.proto.input[index]}', which depends on sizes")
        return sizes.known

    def ints(self, index: int) -> list[int]:
        """Returns the elements of an operand, which must be integers."""
        return [int(item) for item in self.known(index).reshape(-1)]

    def ints_of(self, name: str, index: int) -> list[int] | None:
        """Returns integers that older versions of an op have as an attribute, newer ones as an operand; `None` for neither."""
        if name in self.attributes:
            given = self.attributes[name]
            return [int(item) for item in given] if isinstance(given, list | tuple) else [int(given)]
        return self.ints(index) if self.has(index) else None

    def number(self, index: int, default: float) -> Any:
        """Returns an operand with one element as a number, or the default if it is left out."""
        if not self.has(index):
            return default
        elements = self.known(index)
        if elements.size != 1:
            raise Unsupported(f"takes one element as operand {index}, got {elements.size}")
        return elements.reshape(-1)[0].item()
