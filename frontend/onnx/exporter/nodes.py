"""Emits nodes of ONNX: each once where its inputs and attributes are the same, with the element types of all values known.

Runtimes have kernels for few element types. `wide` gives the type that they have them for: f32 for f16 and bf16, i32 and i64 for narrower
and unsigned integers. Sums, differences and products of integers are the same there, after `narrow` has cut off the upper bits.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import bf16, f16, f32, i1, i8, i16, i32, i64
from xdsl.ir import Attribute

from ....dialects.relax.dtypes import element_from_numpy, is_float, numpy_dtype, ui8, ui16, ui32, ui64
from ..types import kind_of

_WIDE: dict[Attribute, Attribute] = {
    f16: f32,
    bf16: f32,
    i1: i32,
    i8: i32,
    i16: i32,
    ui8: i32,
    ui16: i32,
    ui32: i64,
    ui64: i64,
}

_WITHOUT_KERNEL: dict[str, frozenset[Attribute]] = {
    "Where": frozenset((i1, i16, ui16, ui64)),
    "Pad": frozenset((i16, ui16)),
    "ScatterElements": frozenset((i1, f16)),
}
"""The element types of data that onnxruntime has no kernel for, besides bf16."""

_KEPT = 1024
"""Constants of at most so many bytes are stored once."""


def wider(element: Attribute) -> Attribute:
    """Returns the element type that computes with elements of a type."""
    return _WIDE.get(element, element)


@dataclass
class Graph:
    """The nodes of a graph, or of the body of a branch or loop."""

    nodes: list[NodeProto] = field(default_factory=list[NodeProto])
    made: dict[Any, list[str]] = field(default_factory=dict[Any, list[str]])
    """The outputs of each node by what it computes."""


class Nodes:
    """Emits nodes of an operator set into the innermost open graph."""

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.graph = Graph()
        self.initializers: list[TensorProto] = []
        self.stem = ""
        """What the next names start with; the type of the node, if empty."""
        self._elements: dict[str, Attribute] = {}
        self._names: set[str] = set()
        self._counts: dict[str, int] = {}
        self._stored: dict[Any, str] = {}
        self._open: list[Graph] = [self.graph]

    def name(self, stem: str) -> str:
        """Returns a new name of a value."""
        count = self._counts.get(stem, 0)
        while (name := f"{stem}_{count}" if count else stem) in self._names:
            count += 1
        self._counts[stem] = count + 1
        self._names.add(name)
        return name

    def define(self, name: str, element: Attribute) -> str:
        """Notes a value that is no output of a node: an input of the model or of a body."""
        self._names.add(name)
        self._elements[name] = element
        return name

    def element(self, value: str) -> Attribute:
        """Returns the element type of a value."""
        return self._elements[value]

    @contextmanager
    def body(self) -> Generator[Graph]:
        """Emits what comes into the body of a branch or loop, which sees the values around it."""
        graph = Graph()
        self._open.append(graph)
        try:
            yield graph
        finally:
            self._open.pop()

    def add(self, op_type: str, *inputs: str, element: Attribute | None = None, **attributes: Any) -> str:
        """Returns the output of a node, whose element type is that of the first input unless it is given."""
        return self.add_all(op_type, inputs, [element or self._elements[inputs[0]]], **attributes)[0]

    def add_all(
        self, op_type: str, inputs: Sequence[str], elements: Sequence[Attribute], **attributes: Any
    ) -> list[str]:
        """Returns the outputs of a node, with their element types. An empty input is one that is left out."""
        key = (op_type, tuple(inputs), tuple(sorted((name, str(value)) for name, value in attributes.items())))
        for graph in self._open:
            if key in graph.made:
                return graph.made[key]
        outputs = self.emit(op_type, inputs, elements, **attributes)
        self._open[-1].made[key] = outputs
        return outputs

    def emit(self, op_type: str, inputs: Sequence[str], elements: Sequence[Attribute], **attributes: Any) -> list[str]:
        """Returns the outputs of a node that is emitted even if there is one like it."""
        outputs = [self.name(self.stem or op_type.lower()) for _ in elements]
        for output, element in zip(outputs, elements, strict=True):
            self._elements[output] = element
        self._open[-1].nodes.append(helper.make_node(op_type, list(inputs), outputs, name=outputs[0], **attributes))
        return outputs

    def emit_as(self, op_type: str, x: str, output: str, element: Attribute) -> str:
        """Returns the output of a node under a name that is taken for it."""
        self._elements[output] = element
        self._open[-1].nodes.append(helper.make_node(op_type, [x], [output], name=output))
        return output

    # Constants

    def store(self, name: str, array: np.ndarray[Any, Any]) -> None:
        """Stores a tensor under a name that is taken for it."""
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))

    def constant(self, array: np.ndarray[Any, Any], stem: str = "constant") -> str:
        """Returns a stored tensor."""
        key = (array.dtype, array.shape, array.tobytes()) if array.nbytes <= _KEPT else None
        if key is not None and key in self._stored:
            return self._stored[key]
        name = self.define(self.name(stem), element_from_numpy(array.dtype))
        self.store(name, array)
        if key is not None:
            self._stored[key] = name
        return name

    def number(self, value: Any, element: Attribute) -> np.ndarray[Any, Any]:
        """Returns a number as an array without dims; integers wrap around."""
        if is_float(element):
            return np.asarray(value).astype(numpy_dtype(element))
        return np.asarray(int(value) & (2**64 - 1), np.uint64).astype(numpy_dtype(element))

    def scalar(self, value: Any, element: Attribute) -> str:
        """Returns a stored scalar; integers wrap around."""
        return self.constant(self.number(value, element))

    def filled(self, number: np.ndarray[Any, Any], shape: str) -> str:
        """Returns a tensor with a number everywhere."""
        value = numpy_helper.from_array(number.reshape(1))
        return self.add("ConstantOfShape", shape, element=element_from_numpy(number.dtype), value=value)

    def like(self, value: Any, other: str) -> str:
        """Returns a stored scalar of the element type of another value."""
        return self.scalar(value, self._elements[other])

    def integers(self, values: Sequence[int]) -> str:
        """Returns a stored vector of i64."""
        return self.constant(np.array(values, np.int64).reshape(-1))

    # Element types

    def cast(self, value: str, element: Attribute) -> str:
        """Returns `Cast`: integers wrap around, floats must be in the range of an integer type."""
        if self._elements[value] == element:
            return value
        return self.add("Cast", value, element=element, to=kind_of(element))

    def wide(self, value: str) -> str:
        """Returns a value in the element type that kernels compute in."""
        return self.cast(value, wider(self._elements[value]))

    def ordered(self, value: str) -> str:
        """Returns a value in the element type that kernels compute in, in the same order: ui64 is shifted into i64."""
        wide = self.wide(value)
        return self.add("Add", wide, self.like(-(2**63), wide)) if self._elements[value] == ui64 else wide

    def unordered(self, value: str, element: Attribute) -> str:
        """Returns what `ordered` was given."""
        return self.cast(self.add("Add", value, self.like(-(2**63), value)) if element == ui64 else value, element)

    def moved(
        self, op_type: str, data: Sequence[str], others: Sequence[str] = (), order: str = "", **attributes: Any
    ) -> str:
        """Returns a node that moves elements of data, in a type that kernels exist for; `order` has the inputs as `d` and `o`."""
        element = self._elements[data[0]]
        through = element == bf16 or element in _WITHOUT_KERNEL.get(op_type, ())
        given = iter([self.wide(value) for value in data] if through else data)
        rest = iter(others)
        order = order or "d" * len(data) + "o" * len(others)
        inputs = [next(given if letter == "d" else rest) for letter in order]
        return self.cast(
            self.add(op_type, *inputs, element=wider(element) if through else element, **attributes), element
        )

    def converted(self, value: str, element: Attribute) -> str:
        """Returns a value as `relax.astype` converts it: floats beyond the range of an integer type become its ends, NaN 0."""
        source = self._elements[value]
        if source == element:
            return value
        if is_float(element) and element in (f16, bf16):
            return self.cast(self.cast(value, f32), element)
        if not is_float(source) or is_float(element) or element == i1:
            return self.cast(value, element)
        x = self.wide(value)
        limits = np.iinfo(numpy_dtype(element))
        above = self.add("GreaterOrEqual", x, self.like(float(limits.max + 1), x), element=i1)
        below = self.add("Less", x, self.like(float(limits.min), x), element=i1)
        outside = self.add("Or", self.add("Or", above, below), self.add("IsNaN", x, element=i1))
        inside = self.cast(self.where(outside, self.like(0, x), x), element)
        highest, lowest = self.scalar(limits.max, element), self.scalar(limits.min, element)
        return self.where(above, highest, self.where(below, lowest, inside))

    # Nodes that many ops are made of

    def where(self, condition: str, x: str, y: str) -> str:
        """Returns `x` where the condition holds, else `y`."""
        return self.moved("Where", [x, y], [condition], "odd")

    def compare(self, op_type: str, x: str, y: str) -> str:
        """Returns a comparison."""
        return self.add(op_type, x, y, element=i1)

    def is_nan(self, x: str) -> str:
        """Returns where NaNs are."""
        return self.add("IsNaN", x, element=i1)

    def transposed(self, x: str, permutation: Sequence[int]) -> str:
        """Returns a value whose dim i is dim `permutation[i]`."""
        return x if list(permutation) == sorted(permutation) else self.moved("Transpose", [x], perm=list(permutation))

    def with_shape(self, x: str, shape: str) -> str:
        """Returns a value with another shape, given as a vector; 0 in it is a size."""
        return self.moved("Reshape", [x], [shape], allowzero=1)

    def flattened(self, x: str) -> str:
        """Returns the elements as a vector."""
        return self.moved("Reshape", [x], [self.integers([-1])])

    def unsqueezed(self, x: str, axes: Sequence[int]) -> str:
        """Returns a value with more dims of size 1; `axes` are those of the result."""
        return self.moved("Unsqueeze", [x], [self.integers(axes)]) if axes else x

    def squeezed(self, x: str, axes: Sequence[int]) -> str:
        """Returns a value without some dims of size 1."""
        return self.moved("Squeeze", [x], [self.integers(axes)]) if axes else x

    def joined(self, values: Sequence[str], axis: int) -> str:
        """Returns values side by side."""
        return values[0] if len(values) == 1 else self.moved("Concat", values, axis=axis)

    def gathered(self, x: str, indices: str, axis: int) -> str:
        """Returns the elements at indices of i64, which are in range."""
        return self.moved("Gather", [x], [indices], axis=axis)

    def sliced(self, x: str, axis: int, begin: str, end: str, step: int = 1) -> str:
        """Returns a slice along an axis; begin and end are vectors of one i64."""
        return self.moved("Slice", [x], [begin, end, self.integers([axis]), self.integers([step])])

    def to_vector(self, x: str) -> str:
        """Returns a scalar as a vector of one element."""
        return self.moved("Reshape", [x], [self.integers([1])])

    def to_scalar(self, x: str) -> str:
        """Returns a vector of one element as a scalar."""
        return self.moved("Reshape", [x], [self.integers([])])

    def reduced(self, op_type: str, x: str, axes: Sequence[int], keepdims: bool = False) -> str:
        """Returns a reduction over axes; over none of them it is one of single elements."""
        if not axes:
            return self.add(op_type, self.unsqueezed(x, [0]), self.integers([0]), keepdims=0)
        return self.add(op_type, x, self.integers(axes), keepdims=int(keepdims))

    def summed(self, x: str, rank: int, axes: Sequence[int], keepdims: bool = False) -> str:
        """Returns the sum over axes, of integers in i64, where it wraps around.

        onnxruntime sums integers in f64, so that those of 64 bits are multiplied by ones instead.
        """
        element = self._elements[x]
        if is_float(element):
            return self.reduced("ReduceSum", self.wide(x), axes, keepdims)
        wide = self.cast(x, i64)
        if element not in (i64, ui64):
            return self.reduced("ReduceSum", wide, axes, keepdims)
        if not axes:
            return wide
        kept = [axis for axis in range(rank) if axis not in axes]
        moved = self.transposed(wide, [*kept, *sorted(axes)])
        count = self.reduced("ReduceProd", self.add("Shape", moved, element=i64, start=len(kept)), [0], True)
        shape = self.joined([self.add("Shape", moved, element=i64, start=0, end=len(kept)), count], 0)
        ones = self.filled(self.number(1, i64), count)
        total = self.add("MatMul", self.with_shape(moved, shape), ones)
        return self.unsqueezed(total, sorted(axes)) if keepdims else total

    def any_nan(self, x: str, axes: Sequence[int], keepdims: bool = False) -> str:
        """Returns whether there is a NaN along axes."""
        marks = self.reduced("ReduceMax", self.cast(self.is_nan(x), i32), axes, keepdims)
        return self.compare("Greater", marks, self.scalar(0, i32))
