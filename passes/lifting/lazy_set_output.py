"""The pass `relax-lazy-set-output`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ...dialects.relax.attrs import ObjectType
from ...dialects.relax.function_signature import (
    argument_attributes,
    functions,
    insert_argument,
    is_private,
    return_op,
    update_signature,
)
from ...dialects.relax.ops.core import DataflowOp, InvokeClosureOp, MatchCastOp, TupleGetItemOp, TupleOp
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from ..rewriting.dataflow_blocks import inline_dataflow
from ..rewriting.value_types import asserts_nothing


def inline_dataflow_blocks(function: func.FuncOp) -> None:
    """Moves what is in dataflow blocks at the top of a function out of them, as they hold no effects."""
    for op in list(function.body.block.ops):
        if isinstance(op, DataflowOp):
            inline_dataflow(op)


def returned_values(function: func.FuncOp) -> list[SSAValue]:
    """Returns what a function returns; the fields of a tuple that it makes for its one result, behind casts too."""
    last = return_op(function)
    values = list(last.operands)
    last.operands = []
    if len(values) != 1:
        return values
    (whole,) = values
    while isinstance(whole.owner, MatchCastOp) and asserts_nothing(whole.owner):
        whole = whole.owner.input
    made = whole
    while isinstance(made.owner, MatchCastOp):
        made = made.owner.input
    bundle = made.owner
    if not isinstance(bundle, TupleOp):
        return values
    if isinstance(cast := whole.owner, MatchCastOp):
        fields = [TupleGetItemOp.build_from(whole, index=index) for index in range(len(bundle.fields))]
        function.body.block.insert_ops_after(fields, cast)
        return [field.result for field in fields]
    erase_unread(values[0])
    return list(bundle.fields)


def erase_unread(value: SSAValue) -> None:
    """Erases the op that makes a value that nothing reads, and the casts of which it is the result."""
    while isinstance(op := value.owner, TupleOp | MatchCastOp) and value.first_use is None:
        read = op.operands[0] if isinstance(op, MatchCastOp) else None
        Rewriter.erase_op(op)
        if read is None:
            return
        value = read


def insert_after_definition(function: func.FuncOp, value: SSAValue, ops: Sequence[Operation]) -> None:
    """Inserts ops right after a value is defined, those of an argument before all others."""
    block = function.body.block
    if isinstance(value, BlockArgument):
        first = block.first_op
        assert first is not None
        block.insert_ops_before(ops, first)
    else:
        owner = value.owner
        assert isinstance(owner, Operation) and owner.parent is not None
        owner.parent.insert_ops_after(ops, owner)


def _place(entry: tuple[int, SSAValue]) -> tuple[int, int]:
    """Returns where a result is handed over: arguments in their order."""
    index, value = entry
    return (value.index if isinstance(value, BlockArgument) else 0, index)


def set_lazily(function: func.FuncOp) -> None:
    """Makes a function hand over each result when it is there, instead of returning all."""
    inline_dataflow_blocks(function)
    block = function.body.block
    count = NUM_INPUT.of(function)
    attributes = argument_attributes(function)
    position = len(block.args) if count is None else count
    values = returned_values(function)
    closure = insert_argument(block, position, ObjectType(), "fset_output")
    # Backwards, as each call is put right after the definition, before those that are there.
    for index, value in sorted(enumerate(values), key=_place, reverse=True):
        constant = arith.ConstantOp(IntegerAttr(index, i64))
        call = InvokeClosureOp.build_from(closure, constant.result, value, result_types=[])
        insert_after_definition(function, value, [constant, call])
    update_signature(function, [*attributes[:position], {}, *attributes[position:]], [])
    if count is not None:
        NUM_INPUT.set(function, count + 1)


class LazySetOutputPass(ModulePass):
    """Replaces the results of public functions by calls that hand each over as soon as it is computed.

    ```mlir
    func.func @transform_params(%w: tensor<4x8xf32>) -> tensor<8x4xf32> attributes {relax.num_input = 0 : i64} {
      %r = relax.dataflow {
        %w_t = relax.permute_dims %w : ...
        relax.output %w_t : tensor<8x4xf32>
      } : tensor<8x4xf32>
      return %r : tensor<8x4xf32>
    ```
    becomes
    ```mlir
    func.func @transform_params(%fset_output: !relax.object, %w: tensor<4x8xf32>) attributes {relax.num_input = 1 : i64} {
      %w_t = relax.permute_dims %w : ...
      %i = arith.constant 0 : i64
      relax.invoke_closure %fset_output, %i, %w_t : (!relax.object, i64, tensor<8x4xf32>) -> ()
      return
    ```

    Results that are arguments come first, in the order of these; a value that is returned at several positions is handed over for each.
    The fields of a tuple that is the only result count as results. Dataflow blocks are inlined, as the calls have effects.
    *Requires* nothing. *Leaves* private functions as they are.
    """

    name = "relax-lazy-set-output"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            if not is_private(function):
                set_lazily(function)
