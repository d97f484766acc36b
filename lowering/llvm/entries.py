"""The C entry of a public function: `int64_t entry(void **buffers, int64_t *dims, void *workspace, int64_t *words)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from ...dialects.relax.vocabulary.attributes import ACTUAL_DIMS, ENTRY_OF, RESULT, WORKSPACE
from .builder import FunctionBuilder, Linear
from .calls import unpack
from .function import Signature
from .memref_ops import from_bits, load, store, to_bits
from .types import PTR, LoweringError, byte_size, memory_type

POINTER_ALIGNMENT = 4
"""Bytes to which pointers in memory are aligned on every target: they take four where addresses have 32 bits."""


Loader: TypeAlias = "Callable[[], list[SSAValue]]"
"""Loads an argument where code is built now."""


def left_as_it_is(function: llvm.FuncOp) -> llvm.FuncOp:
    """Asks LLVM not to optimize a function whose ops run once for each call; returns it.

    In a model of many layers these functions are most of the code, and no time of a call is spent in them.
    """
    function.properties |= {"no_inline": UnitAttr(), "optimize_none": UnitAttr()}
    return function


def build_entry(function: func.FuncOp, signature: Signature, name: str) -> llvm.FuncOp:
    """Loads the arguments from the arrays that C passes, calls the function, and stores its scalar results.

    `buffers` holds a pointer per argument and result buffer (not the workspace), then one per scalar result, then one per workspace
    after the first. `dims` holds the dims of the tensor arguments and the index arguments, then the dims of the result buffers and
    the bytes of the workspaces; actual dims are written back into it. `words` has `call_words.WORDS` words.
    """
    frame = Frame(function)
    builder = frame.builder
    arguments = [value for load_argument in frame.arguments() for value in load_argument()]
    if signature.status:
        arguments.append(frame.block.args[3])
    returned = builder.call(signature.name, arguments, signature.return_type)
    values = unpack(builder, signature, returned)
    status = values.pop(0) if signature.status else builder.int_constant(0)
    frame.store_results(values)
    builder.append(llvm.ReturnOp.create(operands=(status,)))
    builder.finish()
    return left_as_it_is(entry_of(function, frame, name))


def entry_of(function: func.FuncOp, frame: Frame, name: str) -> llvm.FuncOp:
    """Returns the entry of a function, with a body that is built."""
    built = llvm.FuncOp(
        name,
        llvm.LLVMFunctionType([PTR, PTR, PTR, PTR], i64),
        llvm.LinkageAttr("external"),
        body=frame.builder.region,
    )
    ENTRY_OF.set(built, function.sym_name.data)
    return built


class Frame:
    """The four arguments of an entry: the one place that knows which slot of `buffers` and which of `dims` is what."""

    def __init__(self, function: func.FuncOp):
        self.function = function
        self.block = Block(arg_types=(PTR, PTR, PTR, PTR))
        self.builder = FunctionBuilder(Region(self.block), self.block)
        self.actual = ACTUAL_DIMS.of(function) or ()
        self._slot = 0
        """The next slot of `buffers`."""
        self._further = 0
        """The slot of the second workspace, behind those of arguments and scalar results."""
        self._next_input, self._next_output = 0, _input_dims(function)
        """The next of `dims`, for an argument and for a result."""
        self._result_dims: list[int] = []
        """Where the dims of each result buffer start in `dims`."""

    def arguments(self) -> list[Loader]:
        """Returns what loads each argument of the function, with its dynamic dims."""
        arguments: list[Loader] = []
        workspaces = 0
        for position, type_ in enumerate(self.function.function_type.inputs):
            if not isinstance(type_, MemRefType):
                arguments.append(partial(self._scalar, type_, self._take_slot()))
            elif WORKSPACE.is_on_argument(self.function, position):
                arguments.append(partial(self._workspace, workspaces))
                workspaces += 1
            else:
                arguments.append(self._buffer(type_, RESULT.is_on_argument(self.function, position)))
        self._further = self._slot + len(self.function.function_type.outputs) - len(self.actual)
        return arguments

    def store_results(self, values: Sequence[SSAValue]) -> None:
        """Stores scalar results, and writes the actual dims, which come last, back into `dims`."""
        name = self.function.sym_name.data
        if len(self.actual) > len(values):
            raise LoweringError(
                f"convert-to-llvm: @{name} has {len(self.actual)} actual dims but returns {len(values)} values"
            )
        scalars = len(values) - len(self.actual)
        for value in values[:scalars]:
            stored = from_bits(self.builder, value) if value.type == i1 else value
            store(self.builder, stored, self._pointer(self._take_slot()), byte_size(value.type))
        for value, (result, axis) in zip(values[scalars:], self.actual, strict=True):
            if result >= len(self._result_dims):
                raise LoweringError(f"convert-to-llvm: @{name} has no result buffer {result}")
            index = Linear(self._result_dims[result] + axis)
            store(self.builder, value, self.builder.offset_pointer(self.block.args[1], index, i64), 8)

    def _workspace(self, number: int) -> list[SSAValue]:
        """Returns the pointer and the bytes of a workspace."""
        pointer = self._pointer(self._further + number - 1) if number else self.block.args[2]
        return [pointer, self._dim(self._next_output + number)]

    def _buffer(self, type_: MemRefType, is_result: bool) -> Loader:
        """Returns what loads the pointer and the dynamic dims of the next buffer."""
        rank = type_.get_num_dims()
        if is_result:
            first, self._next_output = self._next_output, self._next_output + rank
            self._result_dims.append(first)
        else:
            first, self._next_input = self._next_input, self._next_input + rank
        slot = self._take_slot()
        dims = [first + d for d, size in enumerate(type_.get_shape()) if size == DYNAMIC_INDEX]
        return lambda: [self._pointer(slot), *map(self._dim, dims)]

    def _scalar(self, type_: Attribute, slot: int) -> list[SSAValue]:
        value = load(self.builder, self._pointer(slot), memory_type(type_), byte_size(type_))
        return [to_bits(self.builder, value) if type_ == i1 else value]

    def _take_slot(self) -> int:
        self._slot += 1
        return self._slot - 1

    def _pointer(self, slot: int) -> SSAValue:
        return load(
            self.builder, self.builder.offset_pointer(self.block.args[0], Linear(slot), PTR), PTR, POINTER_ALIGNMENT
        )

    def _dim(self, index: int) -> SSAValue:
        return load(self.builder, self.builder.offset_pointer(self.block.args[1], Linear(index), i64), i64, 8)


def _input_dims(function: func.FuncOp) -> int:
    """Returns how many of `dims` the shape function reads: every tensor dim in order, then every index argument."""
    return sum(
        type_.get_num_dims() if isinstance(type_, MemRefType) else int(isinstance(type_, IndexType))
        for position, type_ in enumerate(function.function_type.inputs)
        if not RESULT.is_on_argument(function, position) and not WORKSPACE.is_on_argument(function, position)
    )
