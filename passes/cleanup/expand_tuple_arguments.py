"""The pass `relax-expand-tuple-arguments`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ...dialects.relax.function_signature import (
    Attributes,
    argument_attributes,
    calls,
    functions,
    insert_argument,
    is_private,
    update_signature,
)
from ...dialects.relax.ops.core import TupleGetItemOp, TupleOp
from ...dialects.relax.vocabulary.attributes import DONATE, NUM_INPUT
from ...dialects.walks import enclosing_function
from .canonicalize_bindings import canonicalize
from .dead_code_elimination import DeadCodeEliminationPass


def _leaves(
    block: Block, index: int, value_type: TupleType, hint: str, built: list[Operation], recursive: bool
) -> tuple[SSAValue, int]:
    """Inserts the leaves of a tuple as arguments from `index` on; returns the tuple of them, and how many there are."""
    fields: list[SSAValue] = []
    count = 0
    for position, field in enumerate(value_type.types.data):
        name = f"{hint}_{position}"
        if recursive and isinstance(field, TupleType):
            value, inserted = _leaves(block, index + count, field, name, built, True)
        else:
            value, inserted = insert_argument(block, index + count, field, name), 1
        fields.append(value)
        count += inserted
    bundle = TupleOp.build_from(*fields)
    built.append(bundle)
    return bundle.result, count


def _fields(value: SSAValue, built: list[Operation]) -> Iterator[SSAValue]:
    """Yields the leaves of a tuple value."""
    if not isinstance(value.type, TupleType):
        yield value
        return
    for index in range(len(value.type.types)):
        item = TupleGetItemOp.build_from(value, index=index)
        built.append(item)
        yield from _fields(item.result, built)


def expand_arguments(function: func.FuncOp, recursive: bool = True, first: int = 0) -> None:
    """Replaces the tuple arguments of a function, from the first one on, by their leaves, or by their fields."""
    # Invariant: `attributes` has an entry for each argument that comes before the next one, and `kept` counts the inputs as they are now.
    block = function.body.block
    attributes: list[Attributes] = []
    built: list[Operation] = []
    inputs = NUM_INPUT.of(function)
    kept = inputs
    for position, (arg, entry) in enumerate(zip(list(block.args), argument_attributes(function), strict=True)):
        if position < first or not isinstance(arg.type, TupleType):
            attributes.append(entry)
            continue
        value, count = _leaves(block, arg.index, arg.type, arg.name_hint or f"arg{position}", built, recursive)
        arg.replace_all_uses_with(value)
        block.erase_arg(arg)
        donated = DONATE.of(entry) or (None,) * count
        attributes.extend({} if result is None else DONATE.entry((result,)) for result in donated)
        if inputs is not None and kept is not None and position < inputs:
            kept += count - 1
    start = block.first_op
    assert start is not None
    block.insert_ops_before(built, start)
    update_signature(function, attributes)
    if kept is not None:
        NUM_INPUT.set(function, kept)


def _pass_leaves(callers: Sequence[func.CallOp]) -> None:
    for call in callers:
        built: list[Operation] = []
        operands = [leaf for operand in call.operands for leaf in _fields(operand, built)]
        parent = call.parent
        assert parent is not None
        parent.insert_ops_before(built, call)
        call.operands = operands


class ExpandTupleArgumentsPass(ModulePass):
    """Replaces tuple arguments of private functions by their leaves.

    ```mlir
    func.func private @f(%t: tuple<tensor<4xf32>, tensor<8xf32>>) -> tensor<4xf32> {
      %x = relax.tuple_get_item %t {index = 0 : i64} : ...
    func.call @f(%arg) : (tuple<tensor<4xf32>, tensor<8xf32>>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    func.func private @f(%t_0: tensor<4xf32>, %t_1: tensor<8xf32>) -> tensor<4xf32> {
    %0 = relax.tuple_get_item %arg {index = 0 : i64} : ...
    %1 = relax.tuple_get_item %arg {index = 1 : i64} : ...
    func.call @f(%0, %1) : (tensor<4xf32>, tensor<8xf32>) -> tensor<4xf32>
    ```

    Leaves are named after the tuple, and tuples inside of it are expanded as well. The functions that change are then canonicalized, and
    `relax-dead-code-elimination` follows; leaves that nothing reads stay arguments (`relax-remove-unused-parameters` drops them).
    *Requires* nothing. *Leaves* public functions as they are.
    """

    name = "relax-expand-tuple-arguments"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        called = calls(op)
        changed: dict[func.FuncOp, None] = {}
        for function in functions(op):
            if is_private(function) and any(isinstance(arg.type, TupleType) for arg in function.body.block.args):
                callers = called.get(function.sym_name.data, [])
                expand_arguments(function)
                _pass_leaves(callers)
                changed[function] = None
                changed |= dict.fromkeys(enclosing_function(call) for call in callers)
        for function in changed:
            canonicalize(function)
        DeadCodeEliminationPass().apply(ctx, op)
