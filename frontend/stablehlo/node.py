"""One op as its converter sees it: operands, attributes, and a builder for what it becomes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ...dialects.symbolic.nodes import Known
from ..model.inserter import TensorInserter
from ..model.node import TensorNode
from ..model.problems import Unsupported
from ..model.sizes import dims_in, is_symbolic
from .bindings import ir
from .types import TensorShape, splat_item, tensor_shape
from .values import Tensor, Token, Value

Output: TypeAlias = "SSAValue | Value"
Outputs: TypeAlias = "Output | Sequence[Output]"
Converter: TypeAlias = "Callable[[Node], Outputs]"
"""Inserts what an op becomes and returns its results."""

CustomCall: TypeAlias = "Callable[[Node], Outputs]"
"""Inserts what a custom call becomes: `node.xs()` are its operands, `node.g` the builder, `node.attr("backend_config")` an attribute."""


class Importer(TensorInserter[Tensor]):
    """What a converter asks of the import of the regions."""

    is_lifted: bool
    """Whether the ops of a body are applied to whole tensors in place of scalars."""

    @abstractmethod
    def run_region(self, region: Any, arguments: Sequence[Value], is_lifted: bool = False) -> list[Value]:
        """Returns what a region yields."""

    @abstractmethod
    def run(self, block: Any, arguments: Sequence[Value]) -> list[Value]:
        """Imports the ops of a block and returns what it yields."""

    @abstractmethod
    def lookup(self, mlir_value: Any) -> Value:
        """Returns what a value of MLIR became."""

    @abstractmethod
    def run_call(self, name: str, arguments: Sequence[Value]) -> list[Value]:
        """Returns the results of a function of the program."""

    @abstractmethod
    def custom_call(self, name: str) -> CustomCall | None:
        """Returns the converter that was registered for a custom call."""


class Node(TensorNode[Importer, Tensor]):
    """An op under import."""

    def __init__(self, importer: Importer, op: Any, inputs: Sequence[Value]):
        super().__init__(importer)
        self.op = op
        self.inputs = inputs

    @property
    def name(self) -> str:
        """The name of the op, without that of its dialect."""
        return str(self.op.name).partition(".")[2]

    @property
    def is_lifted(self) -> bool:
        """Whether the op stands for one on scalars: its operands have more dims than it says."""
        return self.importer.is_lifted

    # Attributes

    def has(self, name: str) -> bool:
        """Returns whether an attribute is given."""
        return name in self.op.attributes

    def attribute(self, name: str) -> Any:
        """Returns an attribute of MLIR, which must be given."""
        if name not in self.op.attributes:
            raise Unsupported(f"needs the attribute {name}")
        return self.op.attributes[name]

    def attr(self, name: str, default: Any = None) -> Any:
        """Returns an attribute that is a number, a string or a truth value, as a Python value."""
        if name not in self.op.attributes:
            return default
        attribute = self.op.attributes[name]
        return attribute.value if hasattr(attribute, "value") else str(attribute)

    def word(self, name: str) -> str:
        """Returns an attribute that is one of several words, or empty text."""
        return str(self.op.attributes[name]).rstrip(">").split()[-1] if name in self.op.attributes else ""

    def ints(self, name: str, default: Sequence[int] = ()) -> list[int]:
        """Returns an attribute that lists integers, of a matrix row by row."""
        if name not in self.op.attributes:
            return list(default)
        attribute = self.op.attributes[name]
        if isinstance(attribute, ir.DenseElementsAttr):
            dense = ir.DenseElementsAttr(attribute)
            if dense.is_splat:
                count = int(np.prod(ir.RankedTensorType(dense.type).shape, dtype=np.int64))
                return [int(splat_item(dense))] * count
            return [int(item) for item in np.asarray(dense).reshape(-1)]
        return [int(item) for item in attribute]

    def flags(self, name: str, count: int) -> list[bool]:
        """Returns an attribute that lists truth values, all false by default."""
        if name not in self.op.attributes:
            return [False] * count
        return [bool(item) for item in self.op.attributes[name]]

    @property
    def results(self) -> list[TensorShape]:
        """The types of the results."""
        return [tensor_shape(result.type) for result in self.op.results]

    @property
    def result(self) -> TensorShape:
        """The type of the first result."""
        return tensor_shape(self.op.results[0].type)

    @property
    def regions(self) -> list[Any]:
        """The regions of the op."""
        return list(self.op.regions)

    # Operands

    def tensor(self, index: int) -> Tensor:
        """Returns an operand that is a tensor."""
        value = self.inputs[index]
        if not isinstance(value, Tensor):
            raise Unsupported(f"takes a tensor as operand {index}, got a {type(value).__name__.lower()}")
        return value

    def xs(self) -> list[SSAValue]:
        """Returns all operands as values of the program."""
        return [self.x(index) for index, item in enumerate(self.inputs) if not isinstance(item, Token)]

    def is_known(self, index: int) -> bool:
        """Returns whether the elements of an operand are known."""
        return self.tensor(index).is_known

    def sizes(self, index: int) -> list[Known]:
        """Returns the elements of an operand that lists sizes, integers or expressions."""
        tensor = self.tensor(index)
        if not tensor.is_known:
            raise Unsupported(f"needs the value of operand {index} before the program runs")
        return dims_in(tensor.array)

    def known(self, index: int) -> np.ndarray[Any, Any]:
        """Returns the elements of an operand, which must be numbers."""
        self.sizes(index)
        array = self.tensor(index).array
        if is_symbolic(array):
            raise Unsupported(f"needs the value of operand {index}, which depends on sizes")
        return array

    # What converters insert again and again

    def number(self, size: Known) -> SSAValue:
        """Returns a size as a scalar of i64."""
        return self.g.constant(size, i64) if isinstance(size, int) else self.g.symbol_value(self.g.shape(size))


def known_sizes(sizes: Sequence[Known], what: str) -> list[int]:
    """Returns sizes that must be numbers."""
    for size in sizes:
        if not isinstance(size, int):
            raise Unsupported(f"{what} must be numbers, got {size}")
    return [size for size in sizes if isinstance(size, int)]
