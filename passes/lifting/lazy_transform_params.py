"""The pass `relax-lazy-transform-params`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.relax.function_signature import argument_attributes, transforms, update_signature
from ...dialects.relax.ops.core import CallPackedOp, KillObjectOp
from ...dialects.relax.type_dims import map_dims
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from ..memory.kill_after_last_use import last_use
from ..options import PassWithOptions
from .bundle_model_params import is_one_tuple, take_apart, unbundle_results
from .lazy_get_input import load_parameters
from .lazy_set_output import inline_dataflow_blocks, insert_after_definition, returned_values


def _packed(callee: str, operands: list[SSAValue], results: list[Attribute], pure: bool) -> CallPackedOp:
    properties = {"callee": StringAttr(callee)}
    return CallPackedOp.create(
        operands=operands,
        properties={**properties, **({"pure": IntegerAttr.from_bool(True)} if pure else {})},
        result_types=results,
    )


def _kill_after_last_use(function: func.FuncOp) -> None:
    """Inserts `kill_object` after the last op that reads each loaded or computed value."""
    block = function.body.block
    position = {op: index for index, op in enumerate(block.ops)}
    ends: dict[Operation, list[SSAValue]] = {}
    for op in list(block.ops):
        if isinstance(op, arith.ConstantOp):
            continue
        for result in op.results:
            ends.setdefault(last_use(result, block, position) or op, []).append(result)
    for op, values in ends.items():
        if op.next_op is not None:
            block.insert_ops_after([KillObjectOp.build_from(value) for value in values], op)


def transform_lazily(function: func.FuncOp, get_item: str, set_item: str) -> None:
    """Makes a transform load its parameters and store its results one by one."""
    start = NUM_INPUT.of(function) or 0
    if is_one_tuple(function.function_type.inputs.data[start:]):
        take_apart(function)
    unbundle_results(function)
    inline_dataflow_blocks(function)
    values = returned_values(function)
    for index, value in reversed(list(enumerate(values))):
        constant = arith.ConstantOp(IntegerAttr(index, i64))
        insert_after_definition(function, value, [constant, _packed(set_item, [constant.result, value], [], False)])
    attributes = argument_attributes(function)

    def load(index: int, value_type: Attribute) -> tuple[list[Operation], SSAValue]:
        constant = arith.ConstantOp(IntegerAttr(index, i64))
        loaded_type = map_dims(value_type, lambda dim: dim if isinstance(dim, int) else None)
        call = _packed(get_item, [constant.result], [loaded_type], True)
        return [constant, call], call.results[0]

    load_parameters(function, start, load)
    update_signature(function, attributes[:start], [])
    _kill_after_last_use(function)
    NUM_INPUT.set(function, start)


@dataclass(frozen=True)
class LazyTransformParamsPass(PassWithOptions):
    """Makes transforms load each parameter when it is first needed, store each result when it is there, and release both early.

    ```mlir
    func.func @transform_params(%w: tensor<4x8xf32>) -> tensor<8x4xf32> attributes {relax.num_input = 0 : i64, relax.transform} {
      %r = relax.dataflow {
        %w_t = relax.permute_dims %w : ...
    ```
    becomes
    ```mlir
    func.func @transform_params() attributes {relax.num_input = 0 : i64, relax.transform} {
      %i = arith.constant 0 : i64
      %w = relax.call_packed %i {callee = "get_item", pure = true} : (i64) -> tensor<4x8xf32>
      %w_t = relax.permute_dims %w : ...
      relax.vm.kill_object %w : ...
      relax.call_packed %i, %w_t {callee = "set_item"} : (i64, tensor<8x4xf32>) -> ()
      relax.vm.kill_object %w_t : ...
    ```

    The functions are those with `relax.transform`, and those that a `relax.params_from` names. `get_item(index)` and
    `set_item(index, value)` are packed functions of the caller. One tuple that stands for all parameters counts as its fields, and so does
    a tuple made for the one result. *Requires*
    `relax-lift-transform-params`. *Leaves* other functions as they are.
    """

    name = "relax-lazy-transform-params"

    get_item: str = field(default="get_item")
    """The packed function that loads parameter i."""
    set_item: str = field(default="set_item")
    """The packed function that takes result i."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in transforms(op):
            transform_lazily(function, self.get_item, self.set_item)
