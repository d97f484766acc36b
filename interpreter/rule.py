"""What an interpreter rule is, and the bindings it sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import TensorType, TupleType, UnrankedTensorType
from xdsl.ir import Attribute, Operation

from ..dialects.relax.attrs import ShapeType, dims_of, element_type_of
from ..dialects.relax.dtypes import numpy_dtype
from ..dialects.relax.size_limits import op_limits
from ..dialects.symbolic.conditions import Condition
from ..dialects.symbolic.expressions import Dim, DivisorError, Leaf, Symbol, evaluate, symbols
from ..dialects.symbolic.limits import SizeError, SizeLimit, limit_symbols, require_in_range, where
from ..dialects.symbolic.order import NO_RANGES, Ranges
from ..dialects.upstream.picklable_error import PicklableError
from ..dialects.upstream.positioned import POSITIONED
from ..dialects.upstream.positions import located, position_of
from ..records import record
from .host.errors import ArgumentError
from .host.memory import OutOfMemoryError, require_memory
from .host.sizes import size_argument


class InterpreterError(PicklableError):
    """A program or an argument that the interpreter must refuse; its text starts with where the op stands that found it out."""

    def __init__(self, reason: str):
        self.reason = reason
        """What is wrong."""
        self.op: Operation | None = None
        """The innermost op that was running and whose location is known."""
        super().__init__(reason)

    def raised_in(self, op: Operation) -> None:
        """Notes an op that was running, the innermost first."""
        # An assertion that a lowering has written tells the position of the op that it was written for.
        if self.op is None and position_of(op.location) is not None and POSITIONED.match(self.reason) is None:
            self.op = op

    def __str__(self) -> str:
        return super().__str__() if self.op is None else located(self.op.location, self.reason)


@record(frozen=False)
class Bindings:
    """The values of the symbols of one function call."""

    sizes: dict[str, int] = field(default_factory=dict[str, int])
    ranges: Ranges = NO_RANGES
    """What the function declares of the sizes of its symbols."""
    ops: Iterable[Operation] = ()
    """The ops of the function, one of which a message names that refuses a size."""

    def dims(self, dims: Sequence[Dim]) -> tuple[int, ...]:
        """Returns the sizes of dims; raises `InterpreterError` for an unknown dim or an unbound symbol."""
        return tuple(self.dim(dim) for dim in dims)

    def dim(self, dim: Dim, operands: Mapping[Leaf, int] | None = None) -> int:
        """Returns the size of one dim, which may be made of dims of operands."""
        if dim is None:
            raise InterpreterError("the size of an unknown dim is needed")
        try:
            return evaluate(dim, self.sizes, operands)
        except KeyError as error:
            raise InterpreterError(f"symbol {error.args[0]} is not bound") from None
        except DivisorError as error:
            raise InterpreterError(str(error)) from None

    def match(self, where: str, value: Any, expected: Attribute) -> None:
        """Checks a value against its type; a symbol that stands alone and is not bound yet is bound."""
        if isinstance(expected, TupleType):
            for index, (item, item_type) in enumerate(zip(value, expected.types.data, strict=True)):
                self.match(f"{where} field {index}", item, item_type)
        elif isinstance(expected, ShapeType):
            try:
                sizes = tuple(value)
            except TypeError:
                raise ArgumentError(f"{where}: expected {expected}, got {value!r:.80}") from None
            sizes = tuple(size_argument(f"{where}[{axis}]", size) for axis, size in enumerate(sizes))
            self._match_dims(where, sizes, expected.data)
        elif isinstance(expected, TensorType | UnrankedTensorType):
            dtype = numpy_dtype(element_type_of(expected))
            array = np.asarray(value)
            if array.dtype != dtype:
                raise InterpreterError(f"{where}: expected element type {dtype}, got {array.dtype}")
            dims = dims_of(expected)
            if dims is not None:
                self._match_dims(where, array.shape, dims)

    def _match_dims(self, where: str, sizes: tuple[int, ...], dims: Sequence[Dim]) -> None:
        if len(sizes) != len(dims):
            raise InterpreterError(f"{where}: expected rank {len(dims)}, got {len(sizes)}")
        # All new symbols are bound before any dim is compared, which may use a symbol of a later axis.
        for axis, (size, dim) in enumerate(zip(sizes, dims, strict=True)):
            if isinstance(dim, Symbol) and dim.name not in self.sizes:
                self.sizes[dim.name] = int(size)
                if not self.ranges.holds(dim.name, size):
                    ranges = Ranges({dim.name: self.ranges.of(dim)})
                    expected = f"expected {ranges.text(dim.name)}, got {size}{self._use(dim)}"
                    raise InterpreterError(f"{where} dim {axis}: {expected}")
        for axis, (size, dim) in enumerate(zip(sizes, dims, strict=True)):
            if dim is not None and self.known(dim) and self.dim(dim) != size:
                raise InterpreterError(f"{where} dim {axis}: expected {dim} = {self.dim(dim)}, got {size}")

    def _use(self, symbol: Symbol) -> str:
        """Returns which op a symbol is a size of, as the end of a message that it is out of its range."""
        # A range that the function declares is reason enough; that a size is not negative follows from its use.
        if self.ranges.of(symbol) != (0, None):
            return ""
        ops = (inner for op in self.ops for inner in op.walk())
        name = next((op.name for op in ops for limit in op_limits(op) if symbol.name in limit_symbols(limit)), None)
        return f" (a size of {name})" if name else ""

    def require(self, where: str, conditions: Sequence[Condition], operands: Sequence[Any]) -> None:
        """Raises `InterpreterError` if a condition on sizes, some of them those of operands, does not hold."""
        for condition in conditions:
            sizes: dict[Leaf, int] = {
                dim: int(np.shape(operands[dim.operand])[dim.axis]) for dim in condition.operand_dims
            }
            if condition.symbols <= self.sizes.keys():
                lhs, rhs = (self.dim(size, sizes) for size in (condition.lhs, condition.rhs))
                if not condition.holds(lhs, rhs):
                    raise InterpreterError(f"{where}: expected {condition}, got {lhs} and {rhs}")

    def require_in_range(self, limits: Sequence[SizeLimit]) -> None:
        """Raises `InterpreterError` for sizes that compiled code cannot compute with, and for more memory than there is."""
        for limit in limits:
            if limit_symbols(limit) <= self.sizes.keys():
                try:
                    require_memory(require_in_range(limit, self.sizes))
                except SizeError as error:
                    raise InterpreterError(str(error)) from None
                except OutOfMemoryError as error:
                    raise InterpreterError(f"{limit.op}: {error}{where(self.sizes)}") from None

    def known(self, dim: Dim) -> bool:
        """Returns whether all symbols of a dim are bound."""
        return dim is not None and all(name in self.sizes for name in symbols(dim))


Rule: TypeAlias = Callable[[Any, Sequence[Any], Bindings], Sequence[Any]]
Rules: TypeAlias = Mapping[type[Any], Rule]


def result_dtype(op: Any, index: int = 0) -> np.dtype[Any]:
    """Returns the numpy dtype of a tensor result."""
    return numpy_dtype(element_type_of(op.results[index].type))


def widened(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns f16 and bf16 data as f32, in which such ops are computed; other data as it is."""
    narrow = array.dtype == np.float16 or array.dtype.name == "bfloat16"
    return array.astype(np.float32) if narrow else array
