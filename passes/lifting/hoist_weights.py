"""The pass `relax-hoist-weights`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.core import ConstantOp, DataflowOp, MatchCastOp, OutputOp, ShapeOp
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from ...dialects.walks import ops_inside
from ...kinds import kind_test
from ..analysis.symbol_map import symbols_in
from ..analysis.weight_values import weight_values
from ..rewriting.dataflow_blocks import insert_dataflow

_stays = kind_test(DataflowOp, OutputOp, MatchCastOp)
_is_constant = kind_test(ConstantOp, ShapeOp)


def _source(value: SSAValue, inside: set[Operation]) -> SSAValue:
    """Returns the value that leaves a dataflow block inside, for a result of one."""
    while isinstance(value, OpResult) and isinstance(value.owner, DataflowOp) and value.owner in inside:
        value = value.owner.output.values[value.index]
    return value


def _is_outside(value: SSAValue, inside: set[Operation]) -> bool:
    owner = value.owner
    return (owner.parent_op() if isinstance(owner, Block) else owner) not in inside


def _reads_parameters(value: SSAValue, inside: set[Operation], known: set[Operation]) -> bool:
    """Returns whether a weight is no constant."""
    return value.owner in known or (_is_outside(value, inside) and not _is_constant(value.owner))


def _movable(top: Operation, weights: set[SSAValue], symbols: frozenset[str]) -> list[Operation]:
    """Returns the ops in the bodies of an op that can stand before it, in order: they depend on weights alone, and on one at least."""
    inside = {*ops_inside(top)}
    movable: dict[Operation, None] = {}
    reads_parameters: set[Operation] = set()
    for op in ops_inside(top):
        # Operations come in program order, so that what an operand is made by has been decided.
        if not op.results or op.regions or _stays(op) or not weights.issuperset(op.results):
            continue
        operands = [_source(operand, inside) for operand in op.operands]
        if not all(operand.owner in movable or _is_outside(operand, inside) for operand in operands):
            continue
        if any(not symbols >= symbols_in(result.type) for result in op.results):
            continue
        movable[op] = None
        if any(_reads_parameters(operand, inside, reads_parameters) for operand in operands):
            reads_parameters.add(op)
    # From the last to the first: constants and shapes go where one that moves reads them.
    needed: set[Operation] = set()
    for op in reversed(movable):
        if op in reads_parameters or op in needed:
            needed.add(op)
            needed.update(o.owner for v in op.operands if isinstance((o := _source(v, inside)).owner, Operation))
    return [op for op in movable if op in needed]


def _hoist(top: Operation, ops: Sequence[Operation]) -> None:
    """Moves ops into a dataflow block before the one that they are inside of."""
    inside, inner = {*ops_inside(top)}, Block()
    for op in ops:
        op.operands = [_source(operand, inside) for operand in op.operands]
        op.detach()
        inner.add_op(op)
    insert_dataflow(inner, top)


def _hoist_weights(function: func.FuncOp, inputs: int) -> None:
    body = function.body.block
    tops = [op for op in body.ops if op.regions and not isinstance(op, DataflowOp)]
    if not tops:
        return
    weights = weight_values(function)
    symbols = frozenset[str]().union(*(symbols_in(argument.type) for argument in body.args[inputs:]))
    for top in tops:
        ops = _movable(top, weights, symbols)
        if ops:
            _hoist(top, ops)


class HoistWeightsPass(ModulePass):
    """Moves what depends on parameters alone out of loops and branches, where it would be computed again and again.

    ```mlir
    %r = scf.for %i = %0 to %n step %1 iter_args(%a = %x) -> (tensor<4x8xf32>) {
      %w_t = relax.permute_dims %w : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %b = relax.matmul %a, %w_t : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      scf.yield %b : tensor<4x8xf32>
    }
    ```
    becomes
    ```mlir
    %w_t = relax.dataflow {
      %0 = relax.permute_dims %w : (tensor<8x8xf32>) -> tensor<8x8xf32>
      relax.output %0 : tensor<8x8xf32>
    } : tensor<8x8xf32>
    %r = scf.for %i = %0 to %n step %1 iter_args(%a = %x) -> (tensor<4x8xf32>) {
      %b = relax.matmul %a, %w_t : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      scf.yield %b : tensor<4x8xf32>
    }
    ```

    Constants move with what reads them. What has a symbol that no parameter has stays, and so does a `match_cast`, which may fail.

    *Requires* `relax.num_input`. *Leaves* dataflow blocks, for `relax-lift-transform-params` to move what is in them into the transform:
    without lifting, what one branch needs is computed for both.
    """

    name = "relax-hoist-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            count = NUM_INPUT.of(function)
            if count is not None and function.body.blocks:
                _hoist_weights(function, count)
