"""The C entry of a public function: `int64_t entry(void **buffers, int64_t *dims, void *workspace, int64_t *words)`."""

from __future__ import annotations

from collections.abc import Sequence

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
    frame = _Frame(function)
    builder = frame.builder
    arguments = frame.arguments()
    if signature.status:
        arguments.append(frame.block.args[3])
    returned = builder.call(signature.name, arguments, signature.return_type)
    values = unpack(builder, signature, returned)
    status = values.pop(0) if signature.status else builder.int_constant(0)
    frame.store_results(values)
    builder.append(llvm.ReturnOp.create(operands=(status,)))
    builder.finish()
    built = llvm.FuncOp(
        name,
        llvm.LLVMFunctionType([PTR, PTR, PTR, PTR], i64),
        llvm.LinkageAttr("external"),
        body=builder.region,
    )
    ENTRY_OF.set(built, function.sym_name.data)
    return built


class _Frame:
    """The four arguments of an entry: the one place that knows which slot of `buffers` and which of `dims` is what."""

    def __init__(self, function: func.FuncOp):
        self.function = function
        self.block = Block(arg_types=(PTR, PTR, PTR, PTR))
        self.builder = FunctionBuilder(Region(self.block), self.block)
        self.actual = ACTUAL_DIMS.of(function) or ()
        self._slot = 0
        """The next slot of `buffers`."""
        self._next_input, self._next_output = 0, _input_dims(function)
        """The next of `dims`, for an argument and for a result."""
        self._result_dims: list[int] = []
        """Where the dims of each result buffer start in `dims`."""

    def arguments(self) -> list[SSAValue]:
        """Returns what the function takes, loaded."""
        arguments: list[SSAValue] = []
        workspaces: list[int] = []
        for position, type_ in enumerate(self.function.function_type.inputs):
            if not isinstance(type_, MemRefType):
                arguments.append(self._scalar(type_))
            elif WORKSPACE.is_on_argument(self.function, position):
                workspaces.append(len(arguments))
                arguments.extend([self.block.args[2]] * 2)  # Stand-ins, until all slots are counted.
            else:
                arguments.extend(self._buffer(type_, RESULT.is_on_argument(self.function, position)))
        further = self._slot + len(self.function.function_type.outputs) - len(self.actual)
        for number, location in enumerate(workspaces):
            arguments[location + 1] = self._dim(self._next_output + number)
            if number:
                arguments[location] = self._pointer(further + number - 1)
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

    def _buffer(self, type_: MemRefType, is_result: bool) -> list[SSAValue]:
        """Returns the pointer and the dynamic dims of the next buffer."""
        rank = type_.get_num_dims()
        if is_result:
            first, self._next_output = self._next_output, self._next_output + rank
            self._result_dims.append(first)
        else:
            first, self._next_input = self._next_input, self._next_input + rank
        pointer = self._pointer(self._take_slot())
        return [pointer, *(self._dim(first + d) for d, s in enumerate(type_.get_shape()) if s == DYNAMIC_INDEX)]

    def _scalar(self, type_: Attribute) -> SSAValue:
        value = load(self.builder, self._pointer(self._take_slot()), memory_type(type_), byte_size(type_))
        return to_bits(self.builder, value) if type_ == i1 else value

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
