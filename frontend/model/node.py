"""One op of a model as its converter sees it: what all of them offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from xdsl.ir import Attribute, SSAValue

from ...builder import BlockBuilder
from ...dialects.symbolic.nodes import Known
from .inserter import AnyTensor, OpInserter, TensorInserter
from .value_types import element_of

AnyInserter = TypeVar("AnyInserter", bound=OpInserter)
AnyTensorInserter = TypeVar("AnyTensorInserter", bound=TensorInserter[Any])


class ModelNode(ABC, Generic[AnyInserter]):
    """An op under import."""

    def __init__(self, importer: AnyInserter):
        self.importer = importer

    @property
    def g(self) -> BlockBuilder:
        """Inserts ops."""
        return self.importer.builder

    def cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Returns a value with other elements."""
        return value if element_of(value) == element else self.g.astype(value, dtype=element)


class TensorNode(ModelNode[AnyTensorInserter], Generic[AnyTensorInserter, AnyTensor]):
    """An op under import whose operands have places."""

    @abstractmethod
    def tensor(self, index: int) -> AnyTensor:
        """Returns an operand that is a tensor."""

    def x(self, index: int) -> SSAValue:
        """Returns an operand as a value of the program."""
        return self.importer.materialized(self.tensor(index))

    def shape(self, index: int) -> tuple[Known, ...]:
        """Returns the dims of an operand."""
        return self.tensor(index).shape

    def rank(self, index: int) -> int:
        """Returns the number of dims of an operand."""
        return len(self.shape(index))

    def element(self, index: int = 0) -> Attribute:
        """Returns the element type of an operand."""
        return self.tensor(index).element

    def constant(self, value: Any, element: Attribute | None = None) -> SSAValue:
        """Inserts a constant, of the element type of operand 0 if none is given."""
        return self.g.constant(value, self.element(0) if element is None else element)
