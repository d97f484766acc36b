"""The pass `relax-infer-shapes`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from ...dialects.relax.attrs import ShapeType, dims_of, element_type_of, tensor_type, vdevice_of
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.calls import call_result_types
from ...dialects.relax.function_signature import fresh, functions
from ...dialects.relax.ops.core import DataflowOp, MatchCastOp
from ...dialects.relax.program import uses_relax
from ...dialects.relax.symbol_ranges import declared_ranges, ranges_at
from ...dialects.relax.type_dims import map_dims, used_symbols
from ...dialects.symbolic.conditions import SizeContext
from ...dialects.symbolic.expressions import Dim, Symbol
from ..analysis.call_graph import called_functions
from ..rewriting.value_types import cast_operands, retype


def merged_dims(declared: Sequence[Dim] | None, inferred: Sequence[Dim] | None) -> Sequence[Dim] | None:
    """Returns the dims that say most: a known dim over an unknown one, a number over a symbol."""
    if declared is None or inferred is None:
        return inferred if declared is None else declared
    return [b if a is None or isinstance(b, int) else a for a, b in zip(declared, inferred, strict=True)]


def merged(declared: Attribute, inferred: Attribute) -> Attribute:
    """Returns the type that says most of two compatible ones."""
    if declared == inferred:
        return declared
    if isinstance(declared, TensorType | UnrankedTensorType) and isinstance(inferred, TensorType | UnrankedTensorType):
        dims = merged_dims(dims_of(declared), dims_of(inferred))
        return tensor_type(dims, element_type_of(declared), vdevice_of(declared) or vdevice_of(inferred))
    if isinstance(declared, ShapeType) and isinstance(inferred, ShapeType):
        return ShapeType(tuple(merged_dims(declared.data, inferred.data) or ()))
    return declared


def infer_block(block: Block, signatures: Mapping[str, FunctionType]) -> None:
    """Gives every result in a block the type that says most; `signatures` are those of the functions that are called."""
    declared = {op: [operand.type for operand in op.operands] for op in block.ops if isinstance(op, func.CallOp)}
    # Operands come before their readers, so one walk in order sees types that are final.
    for op in list(block.ops):
        match op:
            case DataflowOp():
                infer_block(op.body.block, signatures)
                for result, value in zip(op.outputs, op.output.values, strict=True):
                    retype(result, merged(result.type, value.type))
            case scf.IfOp():
                for region in op.regions:
                    if region.blocks:
                        infer_block(region.block, signatures)
                _infer_if(op)
            case func.CallOp():
                signature = signatures.get(op.callee.string_value())
                if signature is not None:
                    _infer_call(op, signature, declared[op])
            case RelaxOp():
                for result, inferred in zip(op.results, op.inferred_types(), strict=True):
                    if not isinstance(op, MatchCastOp):
                        retype(result, merged(result.type, inferred))
            case _:
                pass


def _infer_call(op: func.CallOp, signature: FunctionType, declared: Sequence[Attribute]) -> None:
    """Types the results of a call; its operands keep their declared types where more precise ones would not fit."""
    try:
        inferred = call_result_types(signature, [operand.type for operand in op.operands], ranges_at(op))
    except VerifyException:
        cast_operands(op, declared)
        return
    for result, inferred_type in zip(op.results, inferred, strict=True):
        retype(result, merged(result.type, inferred_type))


def _infer_if(op: scf.IfOp) -> None:
    yields = [region.block.last_op for region in op.regions if region.blocks]
    for index, result in enumerate(op.results):
        types = {terminator.operands[index].type for terminator in yields if terminator is not None}
        if len(types) == 1:
            retype(result, merged(result.type, types.pop()))
    for terminator in yields:
        if terminator is not None:
            cast_operands(terminator, [result.type for result in op.results])


def _named(tensor: TensorType[Attribute], stem: str, taken: set[str]) -> Attribute:
    """Returns a tensor type with a new symbol for each unknown dim; adds their names to those that are taken."""
    dims: list[Dim] = []
    for axis, dim in enumerate(dims_of(tensor) or ()):
        if dim is None:
            dim = Symbol(fresh(f"{stem}_{axis}", taken))
            taken.add(dim.name)
        dims.append(dim)
    return tensor_type(dims, tensor.element_type, vdevice_of(tensor))


def infer_function(function: func.FuncOp, signatures: Mapping[str, FunctionType]) -> None:
    """Names the unknown dims of the arguments of a function, unless it is called, and derives all types from those of the arguments."""
    context = SizeContext(declared_ranges(function))
    if context.ranges:
        _simplify_dims(function, context)
    if function.sym_name.data not in signatures:
        taken = set[str]().union(*map(used_symbols, function.function_type.inputs))
        for index, arg in enumerate(function.body.block.args):
            retype(arg, map_dims(arg.type, context.simplify))
            if isinstance(arg.type, TensorType) and None in (dims_of(arg.type) or ()):
                retype(arg, _named(arg.type, arg.name_hint or f"arg{index}", taken))
    refine_types(function, signatures, context)


def refine_types(function: func.FuncOp, signatures: Mapping[str, FunctionType], context: SizeContext) -> None:
    """Derives the types of what a function computes from those of its arguments; those of its results too, unless it is called."""
    block = function.body.block
    infer_block(block, signatures)
    terminator = block.last_op
    assert terminator is not None
    if function.sym_name.data in signatures:
        cast_operands(terminator, function.function_type.outputs.data)
        return
    declared = [map_dims(output, context.simplify) for output in function.function_type.outputs]
    outputs = [
        merged(declared_type, value.type) for declared_type, value in zip(declared, terminator.operands, strict=True)
    ]
    function.function_type = FunctionType.from_lists([arg.type for arg in block.args], outputs)


def infer_again(module: ModuleOp, changed: Iterable[func.FuncOp]) -> None:
    """Derives the types of what functions compute after a pass has changed them."""
    signatures = called_signatures(module)
    for function in changed:
        if function.body.blocks and uses_relax(function):
            refine_types(function, signatures, SizeContext(declared_ranges(function)))


def called_signatures(module: ModuleOp) -> dict[str, FunctionType]:
    """Returns the types of the functions that are called, by name; these types stay."""
    called = called_functions(module)
    return {
        function.sym_name.data: function.function_type
        for function in module.body.block.ops
        if isinstance(function, func.FuncOp) and function.sym_name.data in called
    }


def _simplify_dims(function: func.FuncOp, context: SizeContext) -> None:
    """Simplifies the dims of all values made in a function by the ranges that it declares."""
    for op in function.body.block.walk():
        for value in (*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)):
            retype(value, map_dims(value.type, context.simplify))


@dataclass(frozen=True)
class InferShapesPass(ModulePass):
    """Re-derives result types from operand types, in order, and names the unknown dims of arguments.

    ```mlir
    func.func @f(%x: tensor<?x4xf32>) -> tensor<?x?xf32> {
      %y = relax.nn.relu %x : (tensor<?x4xf32>) -> tensor<?x?xf32>
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<?x4xf32, #relax.sym<x_0>>) -> tensor<?x4xf32, #relax.sym<x_0>> {
      %y = relax.nn.relu %x : (tensor<?x4xf32, #relax.sym<x_0>>) -> tensor<?x4xf32, #relax.sym<x_0>>
    ```

    *Requires* valid IR. *Leaves* types that say at least as much as before; `relax.match_cast` keeps the type it asserts.
    The ranges that a function declares for its symbols simplify dims: `min(512, n)` is `n` where n <= 512.
    Functions that are called keep their types; where what is known beyond the declared types does not fit a callee, a
    `relax.match_cast` forgets it.
    """

    name = "relax-infer-shapes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        signatures = called_signatures(op)
        for function in functions(op):
            if uses_relax(function):
                infer_function(function, signatures)
