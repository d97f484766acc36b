"""The pass `relax-lazy-get-input`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from ...dialects.relax.attrs import ObjectType
from ...dialects.relax.function_signature import (
    argument_attributes,
    functions,
    insert_argument,
    is_private,
    return_op,
    update_signature,
)
from ...dialects.relax.ops.core import InvokePureClosureOp, MatchCastOp
from ...dialects.relax.type_dims import defined_symbols, map_dims
from ...dialects.relax.vocabulary.attributes import NAME, NUM_INPUT
from ...dialects.symbolic.expressions import Dim, Symbol, symbols
from ...dialects.upstream.block_arguments import erase_arguments
from ..analysis.symbol_map import symbols_in
from ..rewriting.value_types import cast_before


def first_reader(block: Block, value: SSAValue) -> Operation | None:
    """Returns the op before which a value is needed: in the block that reads it if there is one such block, else in `block`."""
    users = [use.operation for use in value.uses]
    parents = {user.parent for user in users}
    if not users:
        return None
    if len(parents) == 1:
        (parent,) = parents
        assert parent is not None
        if parent.parent_op() is not None and parent.parent_op() is not block.parent_op() and _is_dataflow(parent):
            return min(users, key=lambda op: parent.get_operation_index(op))
    ancestors = [block.find_ancestor_op_in_block(user) for user in users]
    return min((op for op in ancestors if op is not None), key=lambda op: block.get_operation_index(op))


def _is_dataflow(block: Block) -> bool:
    parent = block.parent_op()
    return parent is not None and parent.name == "relax.dataflow"


Load = Callable[[int, Attribute], "tuple[list[Operation], SSAValue]"]
"""Makes the ops that load parameter i; the value need not have the type yet that it is given."""


def load_parameters(function: func.FuncOp, start: int, load: Load) -> None:
    """Loads the parameters, the arguments from `start` on, where they are first read, and erases the arguments."""
    block = function.body.block
    params = list(block.args[start:])
    defined = set[str]().union(*(defined_symbols(arg.type) for arg in block.args[:start]))
    top = block.first_op
    assert top is not None
    early: list[tuple[BlockArgument, MatchCastOp]] = []
    needed = _needed(function, params, defined)
    for index, param in enumerate(params):
        if param not in needed:
            continue
        # The sizes that a parameter tells are there from the start.
        sizes = bool(symbols_in(param.type) - defined)
        before = top if sizes else first_reader(block, param)
        assert before is not None
        ops, value = load(index, param.type)
        if value.type != param.type:
            cast = MatchCastOp.build_from(value, result_types=[map_dims(param.type, _bare) if sizes else param.type])
            ops.append(cast)
            value = cast.result
            early.append((param, cast))
        value.name_hint = param.name_hint
        assert before.parent is not None
        before.parent.insert_ops_before(ops, before)
        param.replace_all_uses_with(value)
    for param, cast in early:
        # What `2 * n` is can be checked once all sizes are known.
        if cast.result.type != param.type:
            full = MatchCastOp.build_from(cast.result, result_types=[param.type])
            block.insert_op_before(full, top)
            cast.result.replace_uses_with_if(full.result, lambda use, full=full: use.operation is not full)
            full.result.name_hint = param.name_hint
    erase_arguments(block, params)


def _needed(function: func.FuncOp, params: Sequence[BlockArgument], defined: set[str]) -> set[BlockArgument]:
    """Returns the parameters that are read, and those that alone tell a size which something else has."""
    needed = {param for param in params if param.first_use is not None}
    used = set[str]().union(*(symbols_in(param.type) for param in needed))
    for op in function.walk():
        for result in op.results:
            used |= symbols_in(result.type)
    missing = used - defined.union(*(defined_symbols(param.type) for param in needed))
    for param in params:
        told = defined_symbols(param.type) & missing
        if told:
            needed.add(param)
            missing -= told
    return needed


def _bare(dim: Dim) -> Dim:
    return dim if isinstance(dim, int | Symbol) else None


def get_lazily(function: func.FuncOp) -> None:
    """Replaces the parameters of a function by one function that loads them."""
    block = function.body.block
    start = NUM_INPUT.of(function) or 0
    attributes = argument_attributes(function)
    defined = set[str]().union(*(defined_symbols(arg.type) for arg in block.args[:start]))
    labels = [
        NAME.of(entry) or param.name_hint or f"param_{index}"
        for index, (entry, param) in enumerate(zip(attributes[start:], block.args[start:], strict=True))
    ]
    closure = insert_argument(block, start, ObjectType(), "fget_param")

    def load(index: int, value_type: Attribute) -> tuple[list[Operation], SSAValue]:
        position = arith.ConstantOp(IntegerAttr(index, i64))
        call = InvokePureClosureOp.build_from(
            closure, position.result, result_types=[ObjectType()], literals={"1": labels[index]}
        )
        return [position, call], call.results[0]

    load_parameters(function, start + 1, load)
    _erase_sizes(function, defined)
    update_signature(function, [*attributes[:start], {}])
    NUM_INPUT.set(function, start + 1)


def _erase_sizes(function: func.FuncOp, defined: set[str]) -> None:
    """Forgets, in the result types, the sizes that callers cannot know any more."""

    def change(dim: Dim) -> Dim:
        return dim if dim is None or isinstance(dim, int) or set(symbols(dim)) <= defined else None

    last = return_op(function)
    for index, value in enumerate(last.operands):
        if symbols_in(value.type) <= defined:
            continue
        last.operands[index] = cast_before(last, value, map_dims(value.type, change))


class LazyGetInputPass(ModulePass):
    """Replaces the parameters of public functions by a function that loads one when it is first needed.

    ```mlir
    func.func @transform_params(%w: tensor<4x8xf32> {relax.name = "fc.weight"}) -> ... attributes {relax.num_input = 0 : i64} {
      %w_t = relax.permute_dims %w : ...
    ```
    becomes
    ```mlir
    func.func @transform_params(%fget_param: !relax.object) -> ... attributes {relax.num_input = 1 : i64} {
      %i = arith.constant 0 : i64
      %0 = relax.invoke_pure_closure %fget_param, %i {literals = {"1" = "fc.weight"}} : (!relax.object, i64) -> !relax.object
      %w = relax.match_cast %0 : (!relax.object) -> tensor<4x8xf32>
      %w_t = relax.permute_dims %w : ...
    ```

    Indices count from the first parameter. Each parameter is loaded once, unused ones never unless they alone tell a size; one that
    defines a size is loaded first of all. Sizes of results that only parameters told become unknown.
    Without `relax.num_input` all arguments are parameters. *Requires* nothing. *Leaves* private functions as they are.
    """

    name = "relax-lazy-get-input"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            if not is_private(function) and len(function.body.block.args) > (NUM_INPUT.of(function) or 0):
                get_lazily(function)
