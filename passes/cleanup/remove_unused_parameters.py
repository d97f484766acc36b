"""The pass `relax-remove-unused-parameters`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from ...dialects.relax.attrs import ShapeType
from ...dialects.relax.calls import call_symbols
from ...dialects.relax.function_signature import (
    argument_attributes,
    calls,
    functions,
    insert_argument,
    is_private,
    update_signature,
)
from ...dialects.relax.ops.core import ShapeOp
from ...dialects.relax.type_dims import defined_symbols
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from ...dialects.symbolic.expressions import Dim, Symbol
from ...dialects.upstream.block_arguments import erase_arguments
from ...dialects.walks import ops_inside
from ..analysis.effects import RemovableFunctions
from ..analysis.symbol_map import ordered_definitions, symbols_in
from .dead_code_elimination import erase_unused


def _needed_symbols(function: func.FuncOp, kept: Sequence[Attribute]) -> set[str]:
    """Returns the symbols in the kept arguments, the ops and the results of a function."""
    types = [result.type for op in ops_inside(function) for result in op.results]
    return set[str]().union(*map(symbols_in, (*kept, *function.function_type.outputs.data, *types)))


def _sizes_in_caller(function: func.FuncOp, call: func.CallOp, sizes: Sequence[str]) -> list[Dim]:
    """Returns what symbols of a function are where it is called, `None` for one that is not known there."""
    names = call_symbols(function.function_type.inputs.data, [operand.type for operand in call.operands])
    return [names[size] for size in sizes]


def _remove(function: func.FuncOp, callers: Sequence[func.CallOp]) -> bool:
    """Drops what a function does not read; returns whether there was anything."""
    block = function.body.block
    args = list(block.args)
    kept = [arg for arg in args if arg.first_use is not None]
    dropped = [arg for arg in args if arg.first_use is None]
    if not dropped:
        return False
    kept_types = [arg.type for arg in kept]
    needed = _needed_symbols(function, kept_types) - set[str]().union(*map(defined_symbols, kept_types))
    sizes = [name for name in ordered_definitions([arg.type for arg in dropped]) if name in needed]
    size_types = [ShapeType((Symbol(name),)) for name in sizes]
    if [arg.type for arg in dropped] == size_types:
        return False
    passed = [_sizes_in_caller(function, call, sizes) for call in callers]
    if any(None in dims for dims in passed):
        return False
    attributes = argument_attributes(function)
    positions = [arg.index for arg in kept]
    count = NUM_INPUT.of(function)
    if count is not None:
        # Further arguments with sizes come last, among the parameters.
        NUM_INPUT.set(function, sum(position < count for position in positions))
    erase_arguments(block, dropped)
    entries = [attributes[position] for position in positions]
    for name, size_type in zip(sizes, size_types, strict=True):
        insert_argument(block, len(block.args), size_type, f"size_{name}")
        entries.append({})
    update_signature(function, entries)
    for call, dims in zip(callers, passed, strict=True):
        shapes = [ShapeOp.build_from(result_types=[ShapeType((dim,))]) for dim in dims]
        parent = call.parent
        assert parent is not None
        parent.insert_ops_before(shapes, call)
        call.operands = [*(call.operands[position] for position in positions), *(shape.result for shape in shapes)]
    return True


def _sweep(module: ModuleOp) -> bool:
    """Drops what private functions do not read; returns whether there was anything."""
    called = calls(module)
    private = [function for function in functions(module) if is_private(function)]
    return any([_remove(function, called.get(function.sym_name.data, [])) for function in private])


class RemoveUnusedParametersPass(ModulePass):
    """Drops the arguments of private functions that these do not read.

    ```mlir
    func.func private @f(%x: tensor<4xf32>, %y: tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
    func.call @f(%a, %b) : (tensor<4xf32>, tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32>
    func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
    ```

    Where symbols of a dropped argument are still needed, and no other argument defines them, a `!relax.shape` argument for each of these
    symbols takes its place, at the end; if a caller does not know one of these sizes, the arguments stay. A shape argument that repeats
    what others define goes. Dead code reads nothing: it is erased before, and so is what callers computed for a dropped argument.
    *Requires* nothing. *Leaves* public functions as they are.
    """

    name = "relax-remove-unused-parameters"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pure = RemovableFunctions(op)
        changed = True
        while changed:
            for function in functions(op):
                erase_unused(function.body.block, pure)
            changed = _sweep(op)
