"""One node as the converter of its op sees it: arguments by the names that torch gives them, and a builder for what it becomes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from xdsl.ir import Attribute, SSAValue

from ...builder import BlockBuilder
from ...dialects.relax.dtypes import accumulator, is_float
from ...dialects.symbolic.expressions import product
from ...dialects.symbolic.nodes import Apply, Known, Symbol
from ..model.inserter import OpInserter
from ..model.node import ModelNode
from ..model.problems import Unsupported
from ..model.value_types import element_of, normalized, sizes_of
from .types import DTYPES, element_of_dtype

Outputs: TypeAlias = "SSAValue | Number | Sequence[SSAValue | None] | None"
Converter: TypeAlias = "Callable[[Node], Outputs]"
"""Inserts what a node becomes and returns its results."""


@dataclass(frozen=True)
class Number:
    """A number that is computed from sizes, or by the program: a scalar tensor."""

    value: SSAValue


@dataclass(frozen=True)
class Failed:
    """A value that could not be imported; what reads it is left out."""


class Importer(OpInserter):
    """What a converter asks of the import of the graph."""

    @abstractmethod
    def run_graph(self, graph: Any, inputs: Sequence[Any], builder: BlockBuilder | None = None) -> list[Any]:
        """Returns the results of a graph inside of the model, written by a builder if that is given."""

    @abstractmethod
    def dims(self, sizes: Any) -> tuple[Known, ...]:
        """Returns the sizes of a tensor of torch."""


class Node(ModelNode[Importer]):
    """A node under import."""

    def __init__(
        self,
        importer: Importer,
        name: str,
        arguments: Mapping[str, Any],
        metas: Mapping[str, Any],
        val: Any,
        read: frozenset[int],
    ):
        super().__init__(importer)
        self.name = name
        """The name of the op, with its overload."""
        self.arguments = arguments
        self._metas = metas
        self.results: list[Any] = list(val) if isinstance(val, list | tuple) else [val]
        """What torch says of the results."""
        self._read = read

    @property
    def op(self) -> str:
        """The name of the op without namespace and overload."""
        return self.name.split(".")[1]

    def __getitem__(self, name: str) -> Any:
        """Returns an argument as it is: a value, a size, a number, a list, or `None`."""
        return self.arguments[name]

    def meta(self, name: str) -> Any:
        """Returns what torch knows of an argument."""
        return self._metas[name]

    def has(self, name: str) -> bool:
        """Returns whether an argument is given."""
        return self.arguments.get(name) is not None

    # Results

    def is_read(self, index: int) -> bool:
        """Returns whether one of several results is read by another node."""
        return index in self._read

    def dtype(self, index: int = 0) -> torch.dtype:
        """Returns the dtype of a result."""
        return self.results[index].dtype

    def element(self, index: int = 0) -> Attribute:
        """Returns the element type of a result."""
        return element_of_dtype(self.dtype(index))

    def result_dims(self, index: int = 0) -> tuple[Known, ...]:
        """Returns the sizes of a result, as torch has them."""
        return self.importer.dims(self.results[index].shape)

    # Arguments

    def value(self, name: str) -> SSAValue:
        """Returns an argument that is a tensor."""
        given = self[name]
        if not isinstance(given, SSAValue):
            raise Unsupported(f"takes a tensor as '{name}', got {given!r}")
        return given

    def x(self, name: str, element: Attribute | None = None) -> SSAValue:
        """Returns an argument as a tensor with elements of a type: a tensor, a number or a size."""
        return self.operand(self[name], self.element() if element is None else element)

    def rounded(self, name: str, element: Attribute) -> SSAValue:
        """Returns an argument with elements of a type; a number is rounded to the type of the result first.

        So torch does beside tensors of 16-bit floats, but in products and quotients.
        """
        return self.cast(self.x(name), element)

    def operand(self, given: Any, element: Attribute) -> SSAValue:
        """Returns a tensor, a number or a size as a tensor with elements of a type."""
        if isinstance(given, Number):
            given = given.value
        if isinstance(given, SSAValue):
            return self.cast(given, element)
        if isinstance(given, Symbol | Apply):
            return self.cast(self.g.symbol_value(self.g.shape(given)), element)
        if isinstance(given, float) and not is_float(element):
            given = bool(given) if element == element_of_dtype(torch.bool) else int(given)
        return self.g.constant(given, element)

    def values(self, name: str) -> list[SSAValue]:
        """Returns an argument that is a list of tensors."""
        return [item for item in self[name] if isinstance(item, SSAValue)]

    def shape(self, name: str) -> tuple[Known, ...]:
        """Returns the sizes of an argument."""
        return sizes_of(self.value(name))

    def rank(self, name: str) -> int:
        """Returns the number of dims of an argument."""
        return len(self.shape(name))

    def int(self, name: str) -> int:
        """Returns an argument that is an integer known to the import."""
        return self._known(self[name], name)

    def ints(self, name: str) -> list[int]:
        """Returns an argument that is a list of integers known to the import."""
        given = self[name]
        return [self._known(item, name) for item in (given if isinstance(given, list | tuple) else [given])]

    def _known(self, given: Any, name: str) -> int:
        if isinstance(given, Symbol | Apply):
            raise Unsupported(f"'{name}' must be a number, got the size {given}")
        if isinstance(given, Number):
            raise Unsupported(f"'{name}' must be a number, got one that depends on data")
        return int(given)

    def sizes(self, name: str) -> list[Known]:
        """Returns an argument that is a list of sizes."""
        return [self.known_size(item, name) for item in self[name]]

    def known_size(self, given: Any, name: str) -> Known:
        """Returns a size; raises `Unsupported` for one that depends on data."""
        if isinstance(given, Number | SSAValue):
            raise Unsupported(f"'{name}' depends on data")
        return given

    def axis(self, name: str, of: str = "self", extra: int = 0) -> int:
        """Returns an argument that is a dim of another one, counted from 0; a scalar has one dim."""
        return normalized(self.int(name), max(self.rank(of) + extra, 1), "dim")

    def axes(self, name: str, of: str = "self") -> list[int]:
        """Returns an argument that lists dims of another one, counted from 0; none, or an empty list, stands for all."""
        rank = self.rank(of)
        given = self.ints(name) if self.has(name) else []
        return [normalized(item, max(rank, 1), "dim") for item in given] if given else list(range(rank))

    # Types

    def common(self, *names: str) -> Attribute:
        """Returns the element type in which torch combines arguments: numbers and scalar tensors are weak."""
        metas = [self._metas[name] for name in names]
        result = _plain(metas[0])
        for meta in metas[1:]:
            dtype = torch.result_type(result, _plain(meta))
            result = _plain(meta) if isinstance(result, bool | int | float) else result
            if dtype != getattr(result, "dtype", None):
                result = torch.empty(getattr(result, "shape", ()), dtype=dtype, device="meta")
        return element_of_dtype(result.dtype)

    def computing(self, *names: str) -> Attribute:
        """Returns the element type to compute the result in: a wider one beside numbers, which 16 bits would round."""
        element = self.element()
        has_number = any(isinstance(self.arguments.get(name), float | Number) for name in names)
        return accumulator(element) if has_number else element

    # What converters insert again and again

    def number(self, value: Any, element: Attribute | None = None) -> SSAValue:
        """Inserts a constant, of the element type of the result if none is given."""
        return self.g.constant(value, self.element() if element is None else element)


def _plain(meta: Any) -> Any:
    """Returns a number or a tensor for `torch.result_type`; a symbolic number is any number of its kind."""
    if isinstance(meta, torch.SymInt):
        return 1
    return 1.0 if isinstance(meta, torch.SymFloat) else meta


def dtype_of(value: SSAValue) -> torch.dtype:
    """Returns the dtype of a value."""
    return DTYPES[element_of(value)]


def element_count(value: SSAValue) -> Known:
    """Returns the number of elements of a value."""
    count = product(sizes_of(value))
    assert count is not None
    return count
