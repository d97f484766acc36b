"""The limits of the sizes of ops and functions (`symbolic/limits.py`): each fits 64 bits, no tensor has too many bytes.

Conditions (`dialects/symbolic/conditions.py`) compare sizes, which means nothing where one of them has wrapped around. So that none
ever does, the sizes of a call are held against these limits first: by the shape function of compiled code, and by the interpreter at
each op.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, prod

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.ir import Attribute, Operation

from ..symbolic.expressions import Apply, Dim, Known
from ..symbolic.limits import SizeLimit, limit_symbols, strongest
from .attrs import ShapeType, dims_of
from .base import RelaxOp
from .calls import call_symbols, in_caller
from .dtypes import numpy_dtype
from .symbol_ranges import ranges_at
from .type_dims import defined_symbols


def op_limits(op: Operation, numbers_from: float = inf) -> list[SizeLimit]:
    """Returns the limits of the results of one op: of those whose sizes are numbers, those of so many bytes or more."""
    if not isinstance(op, RelaxOp):
        return []
    return [limit for result in op.results for limit in _type_limits(op.name, result.type, numbers_from)]


def _type_limits(name: str, value_type: Attribute, numbers_from: float = inf) -> Iterator[SizeLimit]:
    match value_type:
        case TensorType():
            limit = SizeLimit(name, numpy_dtype(value_type.element_type).itemsize, _known(dims_of(value_type) or ()))
            if _most_bytes(limit) >= numbers_from:
                yield limit
        case ShapeType():
            dims = tuple(dim for dim in _known(value_type.data) if isinstance(dim, Apply))
            if dims:
                yield SizeLimit(name, 0, dims)
        case TupleType():
            for field in value_type.types.data:
                yield from _type_limits(name, field, numbers_from)
        case _:
            pass


def _most_bytes(limit: SizeLimit) -> float:
    """Returns the bytes of a tensor whose sizes are numbers; those of other ones have no limit."""
    numbers = [dim for dim in limit.dims if isinstance(dim, int)]
    return limit.width * prod(numbers) if len(numbers) == len(limit.dims) else inf


def _known(dims: Sequence[Dim]) -> tuple[Known, ...]:
    return tuple(dim for dim in dims if dim is not None)


class FunctionLimits:
    """The limits of the functions of a module, each in terms of the symbols of its own; callees are included."""

    def __init__(self, functions: Mapping[str, func.FuncOp]):
        self._functions = functions
        self._limits: dict[str, tuple[SizeLimit, ...]] = {}
        self._of_calls: dict[tuple[str | int, ...], tuple[Sequence[Attribute], Sequence[SizeLimit]]] = {}
        """By callee and the addresses of types, the types of operands, which stay where they are, and the limits of calls alike."""

    def at_entry(self, function: func.FuncOp) -> tuple[SizeLimit, ...]:
        """Returns the limits that the sizes of the arguments decide, without those that others imply."""
        inputs = function.function_type.inputs
        defined = set[str]().union(*map(defined_symbols, inputs))
        given = [limit for value_type in inputs for limit in _type_limits("", value_type)]
        return strongest([limit for limit in self._of(function) if limit_symbols(limit) <= defined], given)

    def of_op(self, op: Operation) -> Iterable[SizeLimit]:
        """Returns the limits of an op, and of a call those of its callee, in terms of the caller."""
        callee = self._functions.get(op.callee.string_value()) if isinstance(op, func.CallOp) else None
        if callee is None or not callee.body.blocks:
            return op_limits(op)
        limits = self._of(callee)
        if not limits:
            return ()
        operands = [operand.type for operand in op.operands]
        ranges = ranges_at(op)
        # A model calls the kernels of its layers alike.
        key = (callee.sym_name.data, *map(id, operands))
        if ranges or key not in self._of_calls:
            names = call_symbols(callee.function_type.inputs.data, operands, ranges)
            translated = ((limit, [in_caller(dim, names) for dim in limit.dims]) for limit in limits)
            translated_limits = [
                SizeLimit(limit.op, limit.width, _known(dims)) for limit, dims in translated if None not in dims
            ]
            if ranges:
                return translated_limits
            self._of_calls[key] = operands, translated_limits
        return self._of_calls[key][1]

    def _of(self, function: func.FuncOp) -> tuple[SizeLimit, ...]:
        # Callees come first, by a list in place of recursion: a chain of calls may be longer than Python's stack. A function that
        # calls itself adds nothing to what its body says.
        pending = [(function, False)]
        while pending:
            current, is_ready = pending.pop()
            name = current.sym_name.data
            if is_ready:
                limits = (limit for op in current.body.walk() for limit in self.of_op(op))
                self._limits[name] = tuple(dict.fromkeys(limits))
            elif name not in self._limits:
                self._limits[name] = ()
                pending.append((current, True))
                pending.extend((callee, False) for callee in self._callees(current))
        return self._limits[function.sym_name.data]

    def _callees(self, function: func.FuncOp) -> list[func.FuncOp]:
        called = dict.fromkeys(op.callee.string_value() for op in function.body.walk() if isinstance(op, func.CallOp))
        return [self._functions[name] for name in called if name in self._functions]
