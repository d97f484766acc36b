"""The C entry of a public function: `int64_t entry(void **buffers, int64_t *dims, void *workspace)`."""

from __future__ import annotations

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import Block, Region, SSAValue

from ...dialects.relax.vocabulary.attributes import ACTUAL_DIMS, ENTRY_OF, RESULT, WORKSPACE
from .builder import FunctionBuilder, Linear
from .calls import unpack
from .function import Signature
from .memref_ops import from_bits, load, store, to_bits
from .types import PTR, LoweringError, byte_size, memory_type

LONG = 2000
"""From this number of ops on, LLVM takes more time for the selection of instructions and registers than is linear."""


def leave_if_long(function: llvm.FuncOp) -> llvm.FuncOp:
    """Asks LLVM not to optimize a function of many arguments that only reads sizes and pointers, once a call; returns it."""
    if sum(len(block.ops) for block in function.body.blocks) >= LONG:
        function.properties |= {"no_inline": UnitAttr(), "optimize_none": UnitAttr()}
    return function


def build_entry(function: func.FuncOp, signature: Signature, name: str) -> llvm.FuncOp:
    """Loads the arguments from the arrays that C passes, calls the function, and stores its scalar results.

    `buffers` holds a pointer per argument and result buffer (not the workspace), then one per scalar result, then one per workspace
    after the first. `dims` holds the dims of the tensor arguments and the index arguments, then the dims of the result buffers and
    the bytes of the workspaces; actual dims are written back into it.
    """
    entry = Block(arg_types=(PTR, PTR, PTR))
    builder = FunctionBuilder(Region(entry), entry)
    buffers, dims, workspace = entry.args
    types = list(function.function_type.inputs.data)
    result_dims: dict[int, int] = {}
    arguments: list[SSAValue] = []
    # `dims` starts with what the shape function reads: every tensor dim in order, then every index argument.
    is_result = [RESULT.is_on_argument(function, p) for p in range(len(types))]
    is_workspace = [WORKSPACE.is_on_argument(function, p) for p in range(len(types))]
    inputs = sum(
        type_.get_num_dims() if isinstance(type_, MemRefType) else int(type_.name == "index")
        for type_, result, scratch in zip(types, is_result, is_workspace, strict=True)
        if not result and not scratch
    )
    next_input, next_output, results, slot = 0, inputs, 0, 0

    def slot_pointer(position: int) -> SSAValue:
        return load(builder, builder.offset_pointer(buffers, Linear(position), PTR), PTR, 8)

    def dim(position: int) -> SSAValue:
        return load(builder, builder.offset_pointer(dims, Linear(position), i64), i64, 8)

    workspace_places: list[int] = []
    for position, type_ in enumerate(types):
        if isinstance(type_, MemRefType):
            if is_workspace[position]:
                workspace_places.append(len(arguments) + 1)
                arguments.extend((workspace, workspace))  # Stand-ins, until all slots are counted.
                continue
            if is_result[position]:
                result_dims[results] = first = next_output
                results += 1
                next_output += type_.get_num_dims()
            else:
                first = next_input
                next_input += type_.get_num_dims()
            arguments.append(slot_pointer(slot))
            arguments.extend(dim(first + d) for d, s in enumerate(type_.get_shape()) if s == DYNAMIC_INDEX)
        else:
            memory = memory_type(type_)
            value = load(builder, slot_pointer(slot), memory, byte_size(type_))
            arguments.append(to_bits(builder, value) if type_ == i1 else value)
        slot += 1
    further = slot + len(function.function_type.outputs) - len(ACTUAL_DIMS.of(function) or ())
    for number, location in enumerate(workspace_places):
        arguments[location] = dim(next_output + number)
        if number:
            arguments[location - 1] = slot_pointer(further + number - 1)
    returned = builder.call(signature.name, arguments, signature.return_type)
    values = unpack(builder, signature, returned)
    status = values.pop(0) if signature.status else builder.int_constant(0)
    actual = ACTUAL_DIMS.of(function) or ()
    if len(actual) > len(values):
        raise LoweringError(
            f"convert-to-llvm: @{function.sym_name.data} has {len(actual)} actual dims but returns {len(values)} values"
        )
    scalars = len(values) - len(actual)
    for value in values[:scalars]:
        stored = from_bits(builder, value) if value.type == i1 else value
        store(builder, stored, slot_pointer(slot), byte_size(value.type))
        slot += 1
    for value, (result, position) in zip(values[scalars:], actual, strict=True):
        if result not in result_dims:
            raise LoweringError(f"convert-to-llvm: @{function.sym_name.data} has no result buffer {result}")
        target = builder.offset_pointer(dims, Linear(result_dims[result] + position), i64)
        store(builder, value, target, 8)
    builder.append(llvm.ReturnOp.create(operands=(status,)))
    builder.finish()
    built = llvm.FuncOp(
        name,
        llvm.LLVMFunctionType([PTR, PTR, PTR], i64),
        llvm.LinkageAttr("external"),
        body=builder.region,
    )
    ENTRY_OF.set(built, function.sym_name.data)
    return built
