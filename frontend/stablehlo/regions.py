"""Regions of StableHLO to ops: the ops in order, the regions inside of them, and the functions that they call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Attribute, SSAValue

from ...builder import BlockBuilder
from ...builder.functions import FunctionBuilder
from ...dialects.relax.attrs import dims_of, element_type_of, tensor_type
from ...dialects.relax.dtypes import is_float, numpy_dtype
from ...dialects.relax.function_signature import fresh
from ...dialects.symbolic.expressions import Dim
from ...dialects.symbolic.nodes import Known
from ..model.inserter import REFUSALS
from ..model.problems import Unsupported
from ..model.value_types import element_of
from ..model.weights import Weights
from .fold import folded
from .load import Program
from .locations import location_of, path_of
from .markers import is_mark
from .node import CustomCall, Importer, Node, Outputs
from .ops.rules import CONVERTERS
from .ops.special import verify_call
from .small_floats import rounded
from .types import TensorShape, dense_array, tensor_shape
from .values import Failed, Tensor, Value

CONSTANT_ELEMENTS = 64
"""Larger constants of floats, unless all their elements are equal, are parameters."""

CONSTANT_BYTES = 1 << 16
"""So are constants of anything else from this size on."""

RETURNS = ("func.return", "stablehlo.return")

MOVES = frozenset(
    f"stablehlo.{name}"
    for name in "broadcast_in_dim concatenate dynamic_slice dynamic_update_slice gather optimization_barrier reshape reverse "
    "select slice sort transpose case if while get_tuple_element tuple maximum minimum clamp".split()
)
"""Ops whose results have elements of the operands: small integers need not be wrapped around."""


class RegionImporter(Importer):
    """Inserts what the ops of a function become."""

    def __init__(
        self,
        program: Program,
        functions: Mapping[str, Any],
        function: FunctionBuilder,
        weights: Weights,
        custom_calls: Mapping[str, CustomCall],
    ):
        super().__init__(function, weights)
        self.is_lifted = False
        self._program = program
        self._functions = functions
        self._custom_calls = custom_calls
        self._values: dict[Any, Value] = {}

    # Values

    def define(self, mlir_value: Any, value: Value) -> None:
        """Gives a value of MLIR what it became."""
        self._values[mlir_value] = value

    def lookup(self, mlir_value: Any) -> Value:
        """Returns what a value of MLIR became."""
        return self._values.get(mlir_value, Failed())

    def inserted_constant(self, array: np.ndarray[Any, Any], element: Attribute) -> SSAValue:
        """Returns numbers as a value of the program; where all are equal, as the bindings give them, of one number."""
        if _is_splat(array):
            g = self.builder
            return g.full(list(array.shape), g.constant(array.reshape(-1)[0], element), dtype=element)
        return super().inserted_constant(array, element)

    def constant(self, attribute: Any) -> Tensor:
        """Returns a constant of the program: a parameter if it is large."""
        stored = self._program.stored.get(attribute)
        if stored is not None:
            element, is_splat = stored.element.kept, False
            tensor = Tensor(read=stored.reader(self._program.file), sizes=stored.marked.shape, element=element)
        else:
            element, array = tensor_shape(attribute.type).element, dense_array(attribute)
            tensor, is_splat = Tensor(known=array, element=element), _is_splat(array)
        is_large = tensor.count * numpy_dtype(element).itemsize >= CONSTANT_BYTES
        if not is_splat and (is_large or (is_float(element) and tensor.count > CONSTANT_ELEMENTS)):
            tensor.weight = fresh("constant", {*self.weights, *self.function.params})
            self.weights.add(tensor.weight, lambda: tensor.array)
        return tensor

    def custom_call(self, name: str) -> CustomCall | None:
        """Returns the converter that was registered for a custom call."""
        return self._custom_calls.get(name)

    # Regions

    def run_region(self, region: Any, arguments: Sequence[Value], is_lifted: bool = False) -> list[Value]:
        """Returns what a region yields; what failed inside has been noted. A lifted one is applied to whole tensors in place of scalars."""
        outer, self.is_lifted = self.is_lifted, is_lifted or self.is_lifted
        try:
            values = self.run(region.blocks[0], arguments)
        finally:
            self.is_lifted = outer
        if any(isinstance(item, Failed) for item in values):
            raise Unsupported("")
        return values

    def run_call(self, name: str, arguments: Sequence[Value]) -> list[Value]:
        """Returns the results of a function of the program, whose ops stand in place of the call."""
        region = self._functions[name].regions[0]
        if not len(region.blocks):
            raise Unsupported(f"the function @{name} has no body")
        return self.run_region(region, arguments)

    def run(self, block: Any, arguments: Sequence[Value]) -> list[Value]:
        """Imports the ops of a block in order and returns what it yields; what has no counterpart is noted, and the import goes on."""
        for argument, value in zip(block.arguments, arguments, strict=True):
            self.define(argument, value)
        for op in block.operations:
            if op.operation.name in RETURNS:
                return [self._values.get(operand, Failed()) for operand in op.operation.operands]
            self._import(op.operation)
        return []

    def _import(self, op: Any) -> None:
        outputs: Sequence[Value] = ()
        location = op.location
        try:
            with self.function.at(location_of(location)):
                outputs = self._outputs(op)
        except REFUSALS as error:
            self.note(error, _what(op), path_of(location))
        for index, result in enumerate(op.results):
            self.define(result, outputs[index] if index < len(outputs) else Failed())

    def _outputs(self, op: Any) -> list[Value]:
        """Returns the results of an op: folded, or as its converter has them."""
        # Invariant: an op without a counterpart is told also where its operands failed, so that one report has all of them.
        if op.name == "stablehlo.constant":
            # The bindings cannot read constants of all types.
            tensor_shape(op.results[0].type)
            return [self.constant(op.attributes["value"])]
        inputs = [self._values.get(operand, Failed()) for operand in op.operands]
        if self._program.stored and is_mark(op):
            return inputs
        node = Node(self, op, inputs)
        if op.name == "func.call":
            failed = any(isinstance(item, Failed) for item in inputs)
            return [] if failed else self.run_call(str(op.attributes["callee"].value), inputs)
        entry = CONVERTERS.get(op.name)
        if entry is None:
            raise Unsupported("the op has no counterpart")
        if op.name == "stablehlo.custom_call":
            verify_call(node)
        if self.is_lifted and not entry.is_elementwise:
            raise Unsupported("the op stands in a body that is no function of single elements")
        types = [_shape_or_none(result.type) for result in op.results]
        if any(isinstance(item, Failed) for item in inputs):
            return []
        known = None if self.is_lifted else folded(node)
        if known is not None:
            return [known]
        outputs = listed(entry.convert(node))
        return [self._completed(item, shape, op.name) for item, shape in zip(outputs, types, strict=True)]

    def _completed(self, output: Any, expected: TensorShape | None, name: str) -> Value:
        """Returns a result as it is declared: sizes that are only known when the program runs get names, or are checked."""
        if isinstance(output, SSAValue):
            output = Tensor(value=output)
        if not isinstance(output, Tensor) or expected is None:
            return output
        if output.value is None:
            return output
        value = output.value
        if expected.small is not None and name not in MOVES:
            value = wrapped(self.builder, value, expected.small.bits, expected.small.is_signed)
        if expected.small_float is not None and name not in MOVES:
            value = rounded(self.builder, value, expected.small_float)
        return Tensor(value=value if self.is_lifted else self.declared(value, expected))

    def declared(self, value: SSAValue, expected: TensorShape) -> SSAValue:
        """Returns a value whose sizes are the declared ones and all have names. Raises `Unsupported` where they cannot be."""
        dims = dims_of(value.type)
        if dims is not None and len(dims) == len(expected.sizes) and element_of(value) == expected.element:
            sizes = [self._size(dim, size) for dim, size in zip(dims, expected.sizes, strict=True)]
            matched = self.matched(value, sizes)
            if matched is not None:
                return matched
        raise Unsupported(f"became {value.type}, expected {tensor_type(expected.sizes, expected.element)}")

    def _size(self, dim: Dim, declared: int | None) -> Known:
        if declared is not None:
            return declared
        return self.fresh_symbol("d") if dim is None else dim


def _is_splat(array: np.ndarray[Any, Any]) -> bool:
    return array.size > 1 and all(stride == 0 for stride in array.strides)


def _shape_or_none(mlir_type: Any) -> TensorShape | None:
    """Returns the type of a tensor, `None` for tokens and tuples."""
    text = str(mlir_type)
    return None if text.startswith(("!stablehlo.token", "tuple<")) else tensor_shape(mlir_type)


def _what(op: Any) -> str:
    if op.name == "stablehlo.custom_call":
        return f"custom_call @{op.attributes['call_target_name'].value}"
    return str(op.name)


def listed(outputs: Outputs) -> Sequence[Any]:
    """Returns the results of a converter as a list."""
    if isinstance(outputs, list):
        return outputs
    if isinstance(outputs, tuple) and outputs and isinstance(outputs[0], SSAValue):
        return outputs
    return [outputs]


def wrapped(g: BlockBuilder, value: SSAValue, bits: int, is_signed: bool) -> SSAValue:
    """Returns integers of 8 bits with the low bits alone, the sign extended."""
    element: Attribute = element_type_of(value.type)
    if not is_signed:
        return g.bitwise_and(value, g.constant((1 << bits) - 1, element))
    places = g.constant(8 - bits, element)
    return g.right_shift(g.left_shift(value, places), places)
