"""The border between numpy and a native function: arguments to buffers and dims, results back, errors that name what is wrong."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np

from ...dialects.symbolic.limits import SizeError, checked_value, limit_symbols, require_in_range, where
from ...dialects.symbolic.nodes import DivisorError, Symbol, evaluate, symbols
from ...dialects.symbolic.order import Ranges, range_of_clamped
from ...interpreter.host import memory
from ...interpreter.host.arrays import Convert
from ...interpreter.host.device import Device, on
from ...interpreter.host.errors import ArgumentError
from ...interpreter.host.value_types import flat_values
from ..interface.record import FunctionInterface
from .call_frame import current_frame
from .destinations import Destinations
from .donated import donated_to, own_donated
from .leaf import Leaf, leaves
from .nested_values import is_nested, leaf_values, rebuilt
from .prepared import Prepared
from .results import ResultMemory

Dims: TypeAlias = "array[int]"
"""The `dims` array of the calling convention."""


class Boundary:
    """What is known at compile time of one function's arguments and results."""

    def __init__(
        self,
        interface: FunctionInterface,
        result_memory: ResultMemory | None = None,
    ):
        signature = interface.signature
        self._result_memory = ResultMemory(False) if result_memory is None else result_memory
        self.name = signature.name
        self.entry, self.shape_function = interface.entry, interface.shape_function
        self._argument_types = [argument.type for argument in signature.arguments]
        self._is_nested = [is_nested(argument_type) for argument_type in self._argument_types]
        self._flat_arguments = not any(self._is_nested)
        self._flat_results = not any(map(is_nested, signature.results))
        self._labels = [argument.label for argument in signature.arguments]
        self._result_types = signature.results
        self.checks = interface.checks
        self.limits = interface.limits
        arguments = [
            pair for a in signature.arguments for pair in zip(leaves(a.label, a.type), donated_to(a), strict=True)
        ]
        self.inputs = [leaf for leaf, _ in arguments]
        self.leaf_labels = [leaf.label for leaf in self.inputs]
        self.outputs = [leaf for i, result in enumerate(signature.results) for leaf in leaves(f"result {i}", result)]
        # `dims` of the ABI: all dims of tensors, then the index arguments; then the dims of results and the workspace bytes.
        self.input_dims = sum(leaf.rank for leaf in self.inputs) + sum(leaf.is_dim for leaf in self.inputs)
        results = flat_values(signature.results)
        starts = [*accumulate((len(list(leaves("", result))) for result in results), initial=0)]
        self.donated = {starts[result]: i for i, (_, result) in enumerate(arguments) if result is not None}
        """For each leaf of the results that is returned in the memory of an argument: the leaf of the arguments."""
        # Scalar results come after all buffers.
        written = [i for i in range(len(self.outputs)) if i not in self.donated]
        self._order = sorted(written, key=lambda i: not self.outputs[i].is_tensor)
        self.workspaces = [*map(Device.from_label, interface.workspaces)]
        """The devices on which a call needs scratch memory."""
        output_dims = sum(self.outputs[i].rank for i in written)
        self.first_workspace = self.input_dims + output_dims
        """Where in `dims` the bytes of workspaces stand."""
        self._unknown_dims = [0] * (output_dims + len(self.workspaces))
        self.has_objects = any(leaf.is_object for leaf in (*self.inputs, *self.outputs))
        self._has_dim_arguments = any(leaf.is_dim for leaf in self.inputs)
        self.buffers = len(self.inputs) + len(written) + len(self.workspaces) - 1
        self.ordered_outputs = [(index, self.outputs[index]) for index in self._order]
        self._only_arrays = (
            self._flat_arguments and not self.donated and all(leaf.is_host_tensor for leaf in self.inputs)
        )
        self._dtypes = [leaf.dtype for leaf in self.inputs]
        known = self.bindings()[0]
        self._returned_as_written = (
            self._flat_results
            and self._order == list(range(len(self.outputs)))
            and all(leaf.is_host_tensor and None not in leaf.dims for leaf in self.outputs)
            and all(name in known for leaf in self.outputs for dim in leaf.dims for name in symbols(dim))
        )
        """Whether all results are arrays whose sizes are known before the call, in the order in which native code takes them."""
        self.passes_arrays = self._only_arrays and self._returned_as_written
        """Whether arguments and results are arrays of the host and nothing else, and each has memory of its own."""

    def flatten(self, args: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        """Returns the arguments as one array a leaf; raises `ArgumentError` for a wrong count, kind, element type or rank."""
        if len(args) != len(self._argument_types):
            names = ", ".join(self._labels)
            raise ArgumentError(
                f"{self.name}: expected {len(self._argument_types)} arguments ({names}), got {len(args)}"
            )
        return self._flat(args, len(self.inputs), None)

    def flatten_first(self, args: Sequence[Any], prepared: Prepared) -> list[np.ndarray[Any, Any]]:
        """Returns the arguments in front of those of a prepared set, as `flatten` does."""
        return self._flat(args, len(self.inputs) - len(prepared.arrays), prepared)

    def _flat(self, args: Sequence[Any], count: int, prepared: Prepared | None) -> list[np.ndarray[Any, Any]]:
        """Returns the arguments, which have so many leaves."""
        values = args if self._flat_arguments else self._leaf_values(args, count)
        arrays = [leaf.array(self.name, value) for leaf, value in zip(self.inputs[:count], values, strict=True)]
        return own_donated(arrays, self.inputs, self.donated.values(), prepared) if self.donated else arrays

    def fit(self, args: Sequence[Any], shapes: Sequence[Any]) -> bool:
        """Returns whether arguments are arrays of numpy that calls take as they are, with the shapes of an earlier call."""
        if not self._only_arrays or len(args) != len(shapes):
            return False
        for value, shape, dtype in zip(args, shapes, self._dtypes, strict=False):
            if type(value) is not np.ndarray or value.shape != shape or value.dtype != dtype:
                return False
            flags = value.flags
            if not (flags.c_contiguous and flags.aligned):
                return False
        return True

    def _leaf_values(self, args: Sequence[Any], count: int) -> list[Any]:
        values: list[Any] = []
        for label, arg, arg_type, nested in zip(
            self._labels, args, self._argument_types, self._is_nested, strict=False
        ):
            if not nested:
                values.append(arg)
                continue
            try:
                values.extend(leaf_values(arg, arg_type))
            except (TypeError, ValueError):
                raise ArgumentError(f"{self.name}: argument '{label}': expected {arg_type}, got {arg!r:.80}") from None
        if len(values) != count:
            message = f"expected {count} values in tuples and shapes, got {len(values)}"
            raise ArgumentError(f"{self.name}: {message}")
        return values

    def shapes(self, arrays: Sequence[np.ndarray[Any, Any]]) -> list[Any]:
        """Returns all that the sizes of a call depend on: the shapes of its leaves, and the values of those that are sizes."""
        shapes: list[Any] = [leaf_array.shape for leaf_array in arrays]
        if self._has_dim_arguments:
            shapes += [int(value) for leaf, value in zip(self.inputs, arrays, strict=False) if leaf.is_dim]
        return shapes

    def sizes(self, arrays: Sequence[np.ndarray[Any, Any]], prepared: Prepared | None = None) -> list[int]:
        """Returns the input part of the `dims` array of the ABI; `arrays` are the leaves in front of those of a prepared set."""
        sizes: list[int] = []
        for leaf_array in arrays:
            sizes += leaf_array.shape
        if prepared is not None:
            sizes += prepared.sizes
        if self._has_dim_arguments:
            sizes += [int(value) for leaf, value in zip(self.inputs, arrays, strict=False) if leaf.is_dim]
        return sizes

    def dims(self, sizes: Sequence[int]) -> Dims:
        """Returns the `dims` array of the ABI with its input part filled in."""
        return array("q", [*sizes, *self._unknown_dims])

    def prepare(self, start: int, values: Sequence[Any]) -> Prepared | None:
        """Returns what calls need to know of values of the arguments from `start` on.

        `None` where a call has to look at them itself: they are nested, copied for a call, or overwritten by it. Raises `ArgumentError`
        where they do not fit.
        """
        first = len(self.inputs) - len(self._argument_types[start:])
        leaves_behind = self.inputs[first:]
        if (
            any(self._is_nested[start:])
            or any(i >= first for i in self.donated.values())
            or not all(leaf.is_host_tensor for leaf in leaves_behind)
        ):
            return None
        arrays = [leaf.array(self.name, value) for leaf, value in zip(leaves_behind, values, strict=True)]
        if any(given is not value for given, value in zip(arrays, values, strict=True)):
            return None
        return Prepared(arrays)

    def destinations(self, out: Any, arguments: Sequence[np.ndarray[Any, Any]], dims: Dims) -> Destinations:
        """Returns the arrays that results are written to; raises `ArgumentError` for one that cannot take its result."""
        into = Destinations(self.name, self._result_types, out)
        position = self.input_dims
        for index, leaf in self.ordered_outputs:
            if index in into.given:
                into.check(index, leaf, tuple(dims[position : position + leaf.rank]))
            position += leaf.rank
        for index, argument in self.donated.items():
            if index in into.given:
                into.check(index, self.outputs[index], arguments[argument].shape)
                into.check_donated(index, arguments[argument], self.inputs[argument].label)
        into.keep_apart(arguments, self.inputs, self.donated)
        return into

    def result_shapes(self, dims: Dims) -> list[tuple[int, ...]]:
        """Returns the shapes of what native code writes, in the order of the ABI: tensors, then scalars."""
        shapes: list[tuple[int, ...]] = []
        position = self.input_dims
        for _, leaf in self.ordered_outputs:
            shapes.append(tuple(dims[position : position + leaf.rank]))
            position += leaf.rank
        return shapes

    def allocate(
        self, shapes: Sequence[tuple[int, ...]], into: Destinations | None = None
    ) -> list[np.ndarray[Any, Any]]:
        """Returns one array a result, of `result_shapes`. Those of the caller are taken where they can be."""
        arrays: list[np.ndarray[Any, Any]] = []
        for (index, leaf), shape in zip(self.ordered_outputs, shapes, strict=True):
            buffer = None if into is None else into.buffer(index)
            arrays.append(self._result_memory.empty(leaf.device, shape, leaf.dtype) if buffer is None else buffer)
        return arrays

    def allocators(self, shapes: Sequence[tuple[int, ...]]) -> list[Callable[[], np.ndarray[Any, Any]]] | None:
        """Returns what makes each result of calls with these shapes; `None` where results are more than what native code writes."""
        if not self._returned_as_written:
            return None
        return [
            self._result_memory.allocator(leaf.device, shape, leaf.dtype)
            for (_, leaf), shape in zip(self.ordered_outputs, shapes, strict=True)
        ]

    def written(self, shapes: Sequence[tuple[int, ...]]) -> list[tuple[np.dtype[Any], tuple[int, ...]]]:
        """Returns the element types and shapes of what native code writes, of `result_shapes`."""
        return [(leaf.dtype, shape) for (_, leaf), shape in zip(self.ordered_outputs, shapes, strict=True)]

    def unflatten(
        self,
        arguments: Sequence[np.ndarray[Any, Any]],
        arrays: Sequence[np.ndarray[Any, Any]],
        dims: Dims,
        convert: Convert | None = None,
        into: Destinations | None = None,
    ) -> tuple[Any, ...]:
        """Returns the results in their nested form, cut to their actual dims; donated arguments are results as they are.

        Arrays of the caller are returned as they came; `convert` makes those of another library of the others.
        """
        if self._returned_as_written and into is None:
            return tuple(arrays) if convert is None else tuple(map(convert, arrays))
        leaves_in_order: list[Any] = [None] * len(self.outputs)
        for (index, leaf), buffer, shape in zip(self.ordered_outputs, arrays, self.result_shapes(dims), strict=True):
            result = buffer if into is None else into.filled(index, buffer)
            is_whole = result.shape == shape
            if not is_whole:
                # The buffer has the bound's size; its content is compact in the actual dims.
                result = result.reshape(-1)[: math.prod(shape)].reshape(shape)
            if into is not None and is_whole and index in into.given:
                leaves_in_order[index] = into.given[index]
            else:
                leaves_in_order[index] = _result(leaf, result, convert)
        for index, argument in self.donated.items():
            given = None if into is None else into.given.get(index)
            leaves_in_order[index] = (
                _result(self.outputs[index], arguments[argument], convert) if given is None else given
            )
        return self._nested(leaves_in_order)

    def results_of_steps(
        self, values: Sequence[np.ndarray[Any, Any]], convert: Convert | None, out: Any
    ) -> tuple[Any, ...]:
        """Returns results in their nested form, those that the caller has arrays for copied there; between steps, integers have no sign."""
        typed = [value.view(leaf.dtype) for leaf, value in zip(self.outputs, values, strict=True)]
        results = [_result(leaf, value, convert) for leaf, value in zip(self.outputs, typed, strict=True)]
        if out is not None:
            into = Destinations(self.name, self._result_types, out)
            for index in into.given:
                into.check(index, self.outputs[index], typed[index].shape)
            into.keep_apart((), (), {})
            for index, given in into.given.items():
                destination = into.buffer(index)
                assert destination is not None
                destination[...] = typed[index]
                results[index] = given
        return self._nested(results)

    def _nested(self, leaves_in_order: Sequence[Any]) -> tuple[Any, ...]:
        if self._flat_results:
            return tuple(leaves_in_order)
        remaining = iter(leaves_in_order)
        return tuple(rebuilt(result_type, remaining) for result_type in self._result_types)

    def violation(self, check: int, dims: Dims) -> ArgumentError:
        """Returns the error for a violated check: both values, and where the expected one comes from."""
        sizes, (_, origins) = self._bound_sizes(dims), self.bindings()
        if check >= len(self.checks):
            return ArgumentError(f"{self.name}: {self._limit_text(check - len(self.checks), dims)}")
        argument, axis, expected = self.checks[check]
        got = dims[self.position(argument, axis)]
        place = f"{self.name}: argument {self.place(argument, axis)}"
        if isinstance(expected, int):
            return ArgumentError(f"{place}: expected {expected}, got {got}")
        declared = self.inputs[argument].dims[axis]
        if isinstance(declared, Symbol) and (ranges := range_of_clamped(expected, declared)) is not None:
            return ArgumentError(
                f"{place}: expected {ranges.text(declared.name)}, got {got}{self.use(declared, ranges)}"
            )
        try:
            value = evaluate(expected, sizes)
        except DivisorError as error:
            return ArgumentError(
                f"{place}: {error}{where({name: sizes[name] for name in sorted(set(symbols(expected)))})}"
            )
        try:
            checked_value(expected, sizes)
        except OverflowError:
            named = where({name: sizes[name] for name in sorted(set(symbols(expected)))})
            return ArgumentError(f"{place}: expected {expected}, which does not fit 64 bits{named}, got {got}")
        source = ", ".join(dict.fromkeys(origins[name] for name in symbols(expected)))
        return ArgumentError(f"{place}: expected {expected} = {value} (from {source}), got {got}")

    def use(self, symbol: Symbol, ranges: Ranges) -> str:
        """Returns which op a symbol is a size of, as the end of a message that it is out of its range."""
        # A range that the function declares is reason enough; that a size is not negative follows from its use.
        is_declared = ranges.of(symbol) != (0, None)
        uses = [limit.op for limit in self.limits if not is_declared and symbol.name in limit_symbols(limit)]
        return f" (a size of {uses[0]})" if uses else ""

    def argument_sizes(self, dims: Dims) -> dict[str, int]:
        """Returns the sizes of a call's arguments that messages end with: symbols by name, other sizes by argument and dim."""
        return {name: dims[position] for name, position in self.shown_sizes().items()}

    def out_of_memory(self, dims: Dims) -> ArgumentError:
        """Returns the error for results and workspaces that the machine has no memory for: how much, and the op of the largest value."""
        sizes = self._bound_sizes(dims)
        scratch = sum(dims[self.first_workspace :])
        return ArgumentError(
            f"{self.name}: results of {self.result_bytes(dims)} bytes and scratch memory of {scratch} bytes are needed, "
            f"{memory.available_memory()} are free{where(self.argument_sizes(dims))}{self._largest(sizes)}"
        )

    def result_bytes(self, dims: Dims) -> int:
        """Returns the bytes of all results."""
        shapes = self.result_shapes(dims)
        return sum(
            math.prod(s) * leaf.dtype.itemsize for (_, leaf), s in zip(self.ordered_outputs, shapes, strict=True)
        )

    def _largest(self, sizes: Mapping[str, int]) -> str:
        """Returns which op makes the largest value of a call, as the end of a message."""
        largest = max(self.limits, key=lambda limit: require_in_range(limit, sizes), default=None)
        return f", most of it for a result of {largest.op}" if largest is not None and largest.width else ""

    def _limit_text(self, position: int, dims: Dims) -> str:
        """Returns what is out of range: the sizes of an op, or in the end the memory of the whole call."""
        sizes = self._bound_sizes(dims)
        if position < len(self.limits):
            try:
                require_in_range(self.limits[position], sizes)
            except SizeError as error:
                return str(error)
        return f"results and scratch memory do not fit 64 bits{where(self.argument_sizes(dims))}{self._largest(sizes)}"

    def position(self, argument: int, axis: int) -> int:
        """Returns where in `dims` the size of an argument stands."""
        leaf = self.inputs[argument]
        if leaf.is_tensor:
            return sum(argument_leaf.rank for argument_leaf in self.inputs[:argument]) + axis
        tensors = sum(argument_leaf.rank for argument_leaf in self.inputs)
        return tensors + sum(argument_leaf.is_dim for argument_leaf in self.inputs[:argument])

    def bindings(self) -> tuple[dict[str, int], dict[str, str]]:
        """Returns for each symbol where in `dims` its value stands, and the argument that it comes from, as messages name it."""
        positions: dict[str, int] = {}
        origins: dict[str, str] = {}
        for index, leaf in enumerate(self.inputs):
            for axis, dim in enumerate(leaf.dims):
                if isinstance(dim, Symbol) and dim.name not in positions:
                    positions[dim.name] = self.position(index, axis)
                    origins[dim.name] = self.place(index, axis)
        return positions, origins

    def place(self, argument: int, axis: int) -> str:
        """Returns what messages call a size of an argument."""
        leaf = self.inputs[argument]
        return f"'{leaf.label}'" + (f" dim {axis}" if leaf.is_tensor else "")

    def shown_sizes(self) -> dict[str, int]:
        """Returns where in `dims` the sizes stand that messages end with: symbols by name, other sizes by argument and dim."""
        positions, _ = self.bindings()
        for index, leaf in enumerate(self.inputs):
            for axis in range(leaf.rank if leaf.is_tensor else int(leaf.is_dim)):
                if leaf.is_dim or leaf.dims[axis] is None:
                    if not (leaf.dims and isinstance(leaf.dims[axis], Symbol)):
                        positions[self.place(index, axis)] = self.position(index, axis)
        return positions

    def _bound_sizes(self, dims: Dims) -> dict[str, int]:
        return {name: dims[position] for name, position in self.bindings()[0].items()}


def _result(leaf: Leaf, array: np.ndarray[Any, Any], convert: Convert | None) -> Any:
    if not leaf.is_tensor:
        return current_frame().object_of(int(array)) if leaf.is_object else array[()]
    if leaf.is_host_tensor:
        return array if convert is None else convert(array)
    return on(array, leaf.device)
