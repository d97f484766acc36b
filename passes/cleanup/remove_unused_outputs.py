"""The pass `relax-remove-unused-outputs`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, IntegerAttr, ModuleOp, TupleType, i64
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.relax.calls import call_result_types
from ...dialects.relax.function_signature import (
    calls,
    donating_to,
    functions,
    is_private,
    result_attributes,
    return_op,
    update_signature,
)
from ...dialects.relax.ops.core import MatchCastOp, TupleGetItemOp, TupleOp
from ...dialects.relax.symbol_ranges import ranges_at
from ...dialects.relax.type_dims import tuple_type
from ...dialects.upstream.func_ops import CallOp
from ..rewriting.value_types import asserts_nothing, cast_before
from .canonicalize_bindings import canonicalize
from .dead_code_elimination import DeadCodeEliminationPass


def _replaced_call(call: func.CallOp, result_types: Sequence[Attribute]) -> func.CallOp:
    """Returns a call with other result types that stands in front of a call, which is still to be erased."""
    new = CallOp(call.callee, list(call.operands), result_types)
    new.attributes, new.location = dict(call.attributes), call.location
    Rewriter.insert_op(new, InsertPoint.before(call))
    return new


def _keep_results(call: func.CallOp, positions: Sequence[int]) -> None:
    """Replaces a call by one with the results at `positions`."""
    new = _replaced_call(call, [call.results[position].type for position in positions])
    for position, result in zip(positions, new.results, strict=True):
        result.name_hint = call.results[position].name_hint
        call.results[position].replace_all_uses_with(result)
    Rewriter.erase_op(call)


def _drop_results(function: func.FuncOp, callers: Sequence[func.CallOp]) -> bool:
    """Drops the results that no call reads."""
    count = len(function.function_type.outputs)
    read = [any(call.results[index].first_use is not None for call in callers) for index in range(count)]
    if all(read):
        return False
    positions = [index for index in range(count) if read[index]]
    last = return_op(function)
    attributes = result_attributes(function)
    last.operands = [last.operands[index] for index in positions]
    arguments = donating_to(function, function.function_type.outputs.data, positions)
    update_signature(function, arguments, [attributes[index] for index in positions])
    for call in callers:
        _keep_results(call, positions)
    return True


def _read_before_casts(call: func.CallOp) -> None:
    """Lets fields that are read from a cast of the tuple result, which says no more than its type, be read from the result itself."""
    for use in list(call.results[0].uses):
        cast = use.operation
        if not isinstance(cast, MatchCastOp) or not asserts_nothing(cast):
            continue
        for item in [reader.operation for reader in cast.result.uses]:
            if isinstance(item, TupleGetItemOp):
                item.operands[0] = call.results[0]
        if cast.result.first_use is None:
            Rewriter.erase_op(cast)


def _fields_read(call: func.CallOp) -> set[int] | None:
    """Returns the fields of the tuple result that are read; `None` if it is used as a whole."""
    fields: set[int] = set()
    for use in call.results[0].uses:
        if not isinstance(use.operation, TupleGetItemOp):
            return None
        fields.add(use.operation.index.value.data)
    return fields


def _drop_fields(function: func.FuncOp, callers: Sequence[func.CallOp]) -> bool:
    """Drops the fields of a function's one tuple result that no call reads; a single one that is left is returned bare."""
    outputs = function.function_type.outputs.data
    if len(outputs) != 1 or not isinstance(outputs[0], TupleType):
        return False
    read: set[int] = set()
    for call in callers:
        _read_before_casts(call)
        fields = _fields_read(call)
        if fields is None:
            return False
        read |= fields
    kept = sorted(read)
    if not kept or len(kept) == len(outputs[0].types):
        return False
    last = return_op(function)
    block = function.body.block
    items = [TupleGetItemOp.build_from(last.operands[0], index=index) for index in kept]
    block.insert_ops_before(items, last)
    if len(kept) == 1:
        last.operands = [items[0].result]
    else:
        bundle = TupleOp.build_from(*(item.result for item in items))
        block.insert_op_before(bundle, last)
        last.operands = [bundle.result]
    update_signature(function, donating_to(function, outputs[0].types.data, kept), [{}])
    signature = FunctionType.from_lists(function.function_type.inputs.data, outputs)
    for call in callers:
        _keep_fields(call, kept, signature)
    return True


def _keep_fields(call: func.CallOp, kept: Sequence[int], signature: FunctionType) -> None:
    """Replaces a call by one whose result has the fields at `kept`, in the types that the callee's have in the caller."""
    # The call may say less; but a bare tensor without symbols has to be the callee's.
    (known,) = call_result_types(signature, [operand.type for operand in call.operands], ranges_at(call))
    assert isinstance(known, TupleType)
    types = [known.types.data[index] for index in kept]
    new = _replaced_call(call, types if len(types) == 1 else [tuple_type(types)])
    for use in list(call.results[0].uses):
        item = use.operation
        assert isinstance(item, TupleGetItemOp)
        if len(kept) == 1:
            value = new.results[0]
            if value.type != item.result.type:
                value = cast_before(item, value, item.result.type)
            item.result.replace_all_uses_with(value)
            Rewriter.erase_op(item)
        else:
            item.operands[0] = new.results[0]
            item.index = IntegerAttr(kept.index(item.index.value.data), i64)
    Rewriter.erase_op(call)


def _sweep(module: ModuleOp) -> bool:
    """Drops what no call reads of each private function; returns whether there was anything."""
    changed, called = False, calls(module)
    for function in functions(module):
        callers = called.get(function.sym_name.data, [])
        if is_private(function) and callers:
            changed |= _drop_results(function, callers) or _drop_fields(function, callers)
    return changed


class RemoveUnusedOutputsPass(ModulePass):
    """Drops the results of private functions, and the fields of a tuple that they return, that no call reads.

    ```mlir
    func.func private @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      ...
      return %y, %z
    %0, %1 = func.call @f(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)   // %1 is not read
    ```
    becomes
    ```mlir
    func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      ...
      return %y
    %0 = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
    ```

    Where one field of several is left, it is returned bare; a tuple that always had one field stays. Dead code reads nothing: it is
    erased before, and so is what is then no longer needed, by `relax-canonicalize-bindings` and `relax-dead-code-elimination`.
    *Requires* nothing. *Leaves* public functions as they are.
    """

    name = "relax-remove-unused-outputs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        changed = True
        while changed:
            for function in functions(op):
                canonicalize(function)
            DeadCodeEliminationPass().apply(ctx, op)
            changed = _sweep(op)
