"""The border between numpy and a native function: arguments to buffers and dims, results back, errors that name what is wrong."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.ir import Attribute

from ...dialects.relax.attrs import ObjectType, ShapeType, VDeviceAttr, dims_of
from ...dialects.relax.dtypes import numpy_dtype
from ...dialects.relax.function_signature import flat_types
from ...dialects.relax.size_limits import SizeError, limit_symbols, require_in_range, where
from ...dialects.symbolic.expressions import Dim, DivisorError, Symbol, evaluate, symbols
from ...dialects.symbolic.order import range_of_clamped
from ...interpreter.host import memory
from ...interpreter.host.device import HOST_DEVICE, Device, DeviceArray, device_for, device_of, on
from ...interpreter.host.errors import ArgumentError
from ...interpreter.host.sizes import size_argument
from ..interface.record import FunctionInterface
from .arguments import Argument
from .call_frame import current_frame

Dims: TypeAlias = "ctypes.Array[ctypes.c_int64]"
"""The `dims` array of the calling convention."""


def address(array: np.ndarray[Any, Any]) -> int:
    """Returns the address of an array's data; three times as fast as `array.ctypes.data`."""
    return array.__array_interface__["data"][0]


@dataclass(frozen=True)
class Leaf:
    """One value that crosses the border: a tensor, one dim of a shape value, or a scalar."""

    label: str
    """How errors call it: the argument's name, with the path inside of a tuple."""
    dtype: np.dtype[Any]
    rank: int
    dims: tuple[Dim, ...]
    """The expected size of each dim."""
    is_tensor: bool
    is_dim: bool
    device: Device = HOST_DEVICE
    """Where a tensor has to be."""
    is_object: bool = False
    """A handle of the current call frame."""

    def array(self, function: str, value: Any) -> np.ndarray[Any, Any]:
        """Returns a value as a contiguous, aligned array of the right type; raises `ArgumentError` if it does not fit."""
        # A tensor that is returned has the declared element type, rank and device; its sizes are not looked at here.
        if self.is_object:
            return np.asarray(current_frame().handle_of(value), self.dtype)
        if not self.is_tensor:
            place = f"{function}: argument '{self.label}'"
            return np.asarray(size_argument(place, value)) if self.is_dim else _number(place, value, self.dtype)
        if device_of(value) != self.device and isinstance(value, np.ndarray | DeviceArray):
            raise ArgumentError(
                f"{function}: argument '{self.label}': expected an array on {self.device}, got one on {device_of(value)}; "
                "copy it with to_device"
            )
        if isinstance(value, DeviceArray):
            value = value.data
        if not isinstance(value, np.ndarray):
            raise ArgumentError(
                f"{function}: argument '{self.label}': expected a numpy array, got {type(value).__name__}"
            )
        if value.dtype != self.dtype:
            raise ArgumentError(
                f"{function}: argument '{self.label}': expected element type {self.dtype}, got {value.dtype}"
            )
        if value.ndim != self.rank:
            raise ArgumentError(f"{function}: argument '{self.label}': expected rank {self.rank}, got {value.ndim}")
        if value.flags.c_contiguous and value.flags.aligned:
            return value
        return np.require(value, requirements=("C", "A"))


def _number(place: str, value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Returns a number as an array without dims; raises `ArgumentError` for one that the type has no place for."""
    try:
        given = np.asarray(value)
    except (OverflowError, ValueError):
        given = np.asarray(None)
    if given.ndim:
        raise ArgumentError(f"{place}: expected a scalar, got {type(value).__name__}")
    # bfloat16 is of the kind that numpy knows nothing of.
    if given.dtype.kind not in "biufV" or (dtype.kind in "iu" and given.dtype.kind not in "biu"):
        raise ArgumentError(f"{place}: expected a number of type {dtype}, got {value!r:.40}")
    if dtype.kind in "iu" and not np.iinfo(dtype).min <= int(given) <= np.iinfo(dtype).max:
        raise ArgumentError(f"{place}: expected an integer that {dtype} holds, got {value!r:.40}")
    return given.astype(dtype).reshape(())


def leaves(label: str, value_type: Attribute) -> Iterator[Leaf]:
    """Yields the leaves of a type, in the order of the lowered function's arguments."""
    match value_type:
        case TensorType():
            dims = dims_of(value_type) or ()
            device = device_for(value_type)
            yield Leaf(label, numpy_dtype(value_type.element_type), len(dims), dims, True, False, device)
        case ShapeType():
            for axis, dim in enumerate(value_type.data):
                yield Leaf(f"{label}[{axis}]", np.dtype(np.int64), 0, (dim,), False, True)
        case TupleType():
            for index, field in enumerate(value_type.types.data):
                yield from leaves(f"{label}.{index}", field)
        case ObjectType():
            yield Leaf(label, np.dtype(np.int64), 0, (), False, False, is_object=True)
        case _:
            dtype = numpy_dtype(value_type)
            yield Leaf(label, dtype, 0, (), False, str(value_type) == "index")


def _values(value: Any, value_type: Attribute) -> Iterator[Any]:
    if isinstance(value_type, TupleType):
        for item, field in zip(value, value_type.types.data, strict=True):
            yield from _values(item, field)
    elif isinstance(value_type, ShapeType):
        yield from value
    else:
        yield value


def _donated_to(argument: Argument) -> list[int | None]:
    """Returns for each leaf of an argument the result that is returned in its memory."""
    fields = flat_types([argument.type])
    results = argument.donate or [None] * len(fields)
    return [result for field, result in zip(fields, results, strict=True) for _ in leaves("", field)]


def _is_nested(value_type: Attribute) -> bool:
    return isinstance(value_type, TupleType | ShapeType)


class Boundary:
    """What is known at compile time of one function's arguments and results."""

    def __init__(
        self,
        interface: FunctionInterface,
    ):
        signature = interface.signature
        self.name = signature.name
        self.entry, self.shape_function = interface.entry, interface.shape_function
        self._argument_types = [argument.type for argument in signature.arguments]
        # Asked once, as isinstance of an attribute class costs as much as a whole argument does.
        self._flat_arguments = not any(map(_is_nested, self._argument_types))
        self._flat_results = not any(map(_is_nested, signature.results))
        self._labels = [argument.label for argument in signature.arguments]
        self._result_types = signature.results
        self._checks = interface.checks
        self._limits = interface.limits
        arguments = [
            pair for a in signature.arguments for pair in zip(leaves(a.label, a.type), _donated_to(a), strict=True)
        ]
        self._inputs = [leaf for leaf, _ in arguments]
        self._outputs = [leaf for i, result in enumerate(signature.results) for leaf in leaves(f"result {i}", result)]
        # `dims` of the ABI: all dims of tensors, then the index arguments; then the dims of results and the workspace bytes.
        self.input_dims = sum(leaf.rank for leaf in self._inputs) + sum(leaf.is_dim for leaf in self._inputs)
        results = flat_types(signature.results)
        starts = [*accumulate((len(list(leaves("", result))) for result in results), initial=0)]
        self.donated = {starts[result]: i for i, (_, result) in enumerate(arguments) if result is not None}
        """For each leaf of the results that is returned in the memory of an argument: the leaf of the arguments."""
        # Scalar results come after all buffers.
        written = [i for i in range(len(self._outputs)) if i not in self.donated]
        self._order = sorted(written, key=lambda i: not self._outputs[i].is_tensor)
        self.workspaces = [Device.of(VDeviceAttr.from_label(label)) for label in interface.workspaces]
        """The devices on which a call needs scratch memory."""
        output_dims = sum(self._outputs[i].rank for i in written)
        self._dims_type = ctypes.c_int64 * (self.input_dims + output_dims + len(self.workspaces))
        self.has_objects = any(leaf.is_object for leaf in (*self._inputs, *self._outputs))
        self._has_dim_arguments = any(leaf.is_dim for leaf in self._inputs)
        self.buffers = len(self._inputs) + len(written) + len(self.workspaces) - 1
        self._ordered_outputs = [(index, self._outputs[index]) for index in self._order]

    def flatten(self, args: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        """Returns the arguments as one array a leaf; raises `ArgumentError` for a wrong count, kind, element type or rank."""
        if len(args) != len(self._argument_types):
            names = ", ".join(self._labels)
            raise ArgumentError(
                f"{self.name}: expected {len(self._argument_types)} arguments ({names}), got {len(args)}"
            )
        values = args if self._flat_arguments else self._leaf_values(args)
        arrays = [leaf.array(self.name, value) for leaf, value in zip(self._inputs, values, strict=True)]
        return self._own_donated(arrays) if self.donated else arrays

    def _own_donated(self, arrays: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        """Returns the arrays of a call, with copies of the donated ones that may not be overwritten.

        These are read-only arrays, and those that share memory with another argument.
        """
        # Invariant: `end` is where the memory of the spans so far ends, and `last` the one that ends there.
        spans = sorted((address(array), array.nbytes, i) for i, array in enumerate(arrays) if array.nbytes)
        shared: set[int] = set()
        end, last = 0, -1
        for start, size, i in spans:
            if start < end:
                shared |= {i, last}
            if start + size > end:
                end, last = start + size, i
        owned = list(arrays)
        for i in self.donated.values():
            if i in shared or not owned[i].flags.writeable:
                owned[i] = self._inputs[i].device.empty(owned[i].shape, owned[i].dtype)
                owned[i][...] = arrays[i]
        return owned

    def _leaf_values(self, args: Sequence[Any]) -> list[Any]:
        values: list[Any] = []
        for label, arg, arg_type in zip(self._labels, args, self._argument_types, strict=True):
            try:
                values.extend(_values(arg, arg_type))
            except (TypeError, ValueError):
                raise ArgumentError(f"{self.name}: argument '{label}': expected {arg_type}, got {arg!r:.80}") from None
        if len(values) != len(self._inputs):
            message = f"expected {len(self._inputs)} values in tuples and shapes, got {len(values)}"
            raise ArgumentError(f"{self.name}: {message}")
        return values

    def dims(self, arrays: Sequence[np.ndarray[Any, Any]]) -> Dims:
        """Returns the `dims` array of the ABI with its input part filled in."""
        sizes: list[int] = []
        for array in arrays:
            sizes += array.shape
        if self._has_dim_arguments:
            sizes += [int(array) for leaf, array in zip(self._inputs, arrays, strict=True) if leaf.is_dim]
        return self._dims_type(*sizes)

    def allocate(self, dims: Dims) -> list[np.ndarray[Any, Any]]:
        """Returns one array a result, in the order of the ABI: tensors, then scalars."""
        arrays: list[np.ndarray[Any, Any]] = []
        position = self.input_dims
        for _, leaf in self._ordered_outputs:
            arrays.append(leaf.device.empty(dims[position : position + leaf.rank], leaf.dtype))
            position += leaf.rank
        return arrays

    def unflatten(
        self, arguments: Sequence[np.ndarray[Any, Any]], arrays: Sequence[np.ndarray[Any, Any]], dims: Dims
    ) -> tuple[Any, ...]:
        """Returns the results in their nested form, cut to their actual dims; donated arguments are results as they are."""
        leaves_in_order: list[Any] = [None] * len(self._outputs)
        position = self.input_dims
        for (index, leaf), array in zip(self._ordered_outputs, arrays, strict=True):
            shape = tuple(dims[position : position + leaf.rank])
            position += leaf.rank
            if array.shape != shape:
                # The buffer has the bound's size; its content is compact in the actual dims.
                array = array.reshape(-1)[: math.prod(shape)].reshape(shape)
            leaves_in_order[index] = on(array, leaf.device) if leaf.is_tensor else _scalar(leaf, array)
        for index, argument in self.donated.items():
            leaves_in_order[index] = on(arguments[argument], self._outputs[index].device)
        if self._flat_results:
            return tuple(leaves_in_order)
        remaining = iter(leaves_in_order)
        return tuple(_rebuilt(result_type, remaining) for result_type in self._result_types)

    def violation(self, check: int, dims: Dims) -> ArgumentError:
        """Returns the error for a violated check: both values, and where the expected one comes from."""
        sizes, origins = self._bindings(dims)
        if check >= len(self._checks):
            return ArgumentError(f"{self.name}: {self._limit_text(check - len(self._checks), dims)}")
        argument, axis, expected = self._checks[check]
        got = self._size(argument, axis, dims)
        place = f"{self.name}: argument '{self._inputs[argument].label}'" + (
            f" dim {axis}" if self._inputs[argument].is_tensor else ""
        )
        if isinstance(expected, int):
            return ArgumentError(f"{place}: expected {expected}, got {got}")
        declared = self._inputs[argument].dims[axis]
        if isinstance(declared, Symbol) and (ranges := range_of_clamped(expected, declared)) is not None:
            # A range that the function declares is reason enough; that a size is not negative follows from its use.
            is_declared = ranges.of(declared) != (0, None)
            uses = [limit.op for limit in self._limits if not is_declared and declared.name in limit_symbols(limit)]
            place_of_use = f" (a size of {uses[0]})" if uses else ""
            return ArgumentError(f"{place}: expected {ranges.text(declared.name)}, got {got}{place_of_use}")
        try:
            value = evaluate(expected, sizes)
        except DivisorError as error:
            return ArgumentError(
                f"{place}: {error}{where({name: sizes[name] for name in sorted(set(symbols(expected)))})}"
            )
        source = ", ".join(dict.fromkeys(origins[name] for name in symbols(expected)))
        return ArgumentError(f"{place}: expected {expected} = {value} (from {source}), got {got}")

    def sizes_text(self, dims: Dims) -> str:
        """Returns the sizes of a call's arguments as the end of a message: symbols by name, other sizes by argument and dim."""
        sizes, _ = self._bindings(dims)
        for index, leaf in enumerate(self._inputs):
            for axis in range(leaf.rank if leaf.is_tensor else int(leaf.is_dim)):
                if leaf.is_dim or leaf.dims[axis] is None:
                    place = f"'{leaf.label}'" + (f" dim {axis}" if leaf.is_tensor else "")
                    if not (leaf.dims and isinstance(leaf.dims[axis], Symbol)):
                        sizes[place] = self._size(index, axis, dims)
        return where(sizes)

    def out_of_memory(self, dims: Dims) -> ArgumentError:
        """Returns the error for results and workspaces that the machine has no memory for: how much, and the op of the largest value."""
        sizes, _ = self._bindings(dims)
        position, results = self.input_dims, 0
        for _, leaf in self._ordered_outputs:
            results += math.prod(dims[position : position + leaf.rank]) * leaf.dtype.itemsize
            position += leaf.rank
        return ArgumentError(
            f"{self.name}: results of {results} bytes and scratch memory of {sum(dims[position:])} bytes are needed, "
            f"{memory.available_memory()} are free{self.sizes_text(dims)}{self._largest(sizes)}"
        )

    def _largest(self, sizes: Mapping[str, int]) -> str:
        """Returns which op makes the largest value of a call, as the end of a message."""
        largest = max(self._limits, key=lambda limit: require_in_range(limit, sizes), default=None)
        return f", most of it for a result of {largest.op}" if largest is not None and largest.width else ""

    def _limit_text(self, position: int, dims: Dims) -> str:
        """Returns what is out of range: the sizes of an op, or in the end the memory of the whole call."""
        sizes, _ = self._bindings(dims)
        if position < len(self._limits):
            try:
                require_in_range(self._limits[position], sizes)
            except SizeError as error:
                return str(error)
        return f"results and scratch memory do not fit 64 bits{self.sizes_text(dims)}{self._largest(sizes)}"

    def _size(self, argument: int, axis: int, dims: Dims) -> int:
        leaf = self._inputs[argument]
        if leaf.is_tensor:
            return dims[sum(argument_leaf.rank for argument_leaf in self._inputs[:argument]) + axis]
        tensors = sum(argument_leaf.rank for argument_leaf in self._inputs)
        return dims[tensors + sum(argument_leaf.is_dim for argument_leaf in self._inputs[:argument])]

    def _bindings(self, dims: Dims) -> tuple[dict[str, int], dict[str, str]]:
        sizes: dict[str, int] = {}
        origins: dict[str, str] = {}
        for index, leaf in enumerate(self._inputs):
            for axis, dim in enumerate(leaf.dims):
                if isinstance(dim, Symbol) and dim.name not in sizes:
                    sizes[dim.name] = self._size(index, axis, dims)
                    origins[dim.name] = f"'{leaf.label}'" + (f" dim {axis}" if leaf.is_tensor else "")
        return sizes, origins


def _scalar(leaf: Leaf, array: np.ndarray[Any, Any]) -> Any:
    return current_frame().object_of(int(array)) if leaf.is_object else array[()]


def _rebuilt(value_type: Attribute, remaining: Iterator[Any]) -> Any:
    match value_type:
        case TupleType():
            return tuple(_rebuilt(field, remaining) for field in value_type.types.data)
        case ShapeType():
            return tuple(int(next(remaining)) for _ in value_type.data)
        case _:
            return next(remaining)
