"""The pass `relax-bundle-model-params`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    TupleType,
    UnrankedTensorType,
    i64,
)
from xdsl.ir import Attribute, Block
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.function_signature import (
    Attributes,
    argument_attributes,
    functions,
    insert_argument,
    is_result_bundled,
    result_attributes,
    return_op,
    update_signature,
)
from ...dialects.relax.ops.core import CallPackedOp, TupleGetItemOp, TupleOp
from ...dialects.relax.type_dims import tuple_type
from ...dialects.relax.vocabulary.attributes import NAME, NAMES, NUM_INPUT
from ...dialects.upstream.block_arguments import erase_arguments
from ...dialects.walks import ops_inside
from ..cleanup.canonicalize_bindings import canonicalize
from ..cleanup.dead_code_elimination import erase_unused
from ..cleanup.expand_tuple_arguments import expand_arguments
from ..options import PassWithOptions


def is_bundled(function: func.FuncOp) -> bool:
    """Returns whether the parameters of a function are one tuple already."""
    args = function.body.block.args[NUM_INPUT.of(function) or 0 :]
    return len(args) == 1 and NAMES.is_on(argument_attributes(function)[-1])


def bundle_parameters(function: func.FuncOp, name: str) -> None:
    """Replaces the parameters of a function by one tuple; each use becomes a field of it, taken right before."""
    if is_bundled(function):
        return
    count = NUM_INPUT.of(function)
    assert count is not None
    block = function.body.block
    attributes = argument_attributes(function)
    params = list(block.args[count:])
    bundle = insert_argument(block, len(block.args), tuple_type(arg.type for arg in params), name)
    first = block.first_op
    assert first is not None
    for index, param in enumerate(params):
        if not isinstance(param.type, TensorType | UnrankedTensorType | TupleType) and param.first_use is not None:
            item = TupleGetItemOp.build_from(bundle, index=index)
            item.result.name_hint = param.name_hint
            block.insert_op_before(item, first)
            param.replace_all_uses_with(item.result)
    position = {op: index for index, op in enumerate(ops_inside(function))}
    uses = [
        (position[use.operation], use.index, index, use) for index, param in enumerate(params) for use in param.uses
    ]
    # In program order, so that fields that are read before one op stand in the order of its operands.
    for _, _, index, use in sorted(uses, key=lambda entry_of_use: entry_of_use[:2]):
        item = TupleGetItemOp.build_from(bundle, index=index)
        item.result.name_hint = params[index].name_hint
        parent = use.operation.parent
        assert parent is not None
        parent.insert_op_before(item, use.operation)
        use.operation.operands[use.index] = item.result
    names = [
        NAME.of(entry) or param.name_hint or f"param_{index}"
        for index, (entry, param) in enumerate(zip(attributes[count:], params, strict=True))
    ]
    erase_arguments(block, params)
    update_signature(function, [*attributes[:count], NAMES.entry(tuple(names))])


def bundle_results(function: func.FuncOp) -> None:
    """Makes a function return one tuple."""
    if is_result_bundled(function):
        return
    attributes = result_attributes(function)
    last = return_op(function)
    bundle = TupleOp.build_from(*last.operands)
    function.body.block.insert_op_before(bundle, last)
    last.operands = [bundle.result]
    names = [NAME.of(entry) or f"param_{index}" for index, entry in enumerate(attributes)]
    update_signature(function, None, [NAMES.entry(tuple(names))])


def is_one_tuple(types: Sequence[Attribute]) -> bool:
    """Returns whether the parameters or results of a transform are one tuple, with or without the names of its fields."""
    return len(types) == 1 and isinstance(types[0], TupleType)


def unbundle_parameters(function: func.FuncOp) -> None:
    """Makes a bundled parameter flat again; its fields carry the external names."""
    if is_bundled(function):
        take_apart(function)


def take_apart(function: func.FuncOp) -> None:
    """Makes the one tuple that a function takes for its parameters flat; its fields carry the external names that it has."""
    names = NAMES.of(argument_attributes(function)[-1]) or ()
    expand_arguments(function, recursive=False, first=NUM_INPUT.of(function) or 0)
    if names:
        kept = argument_attributes(function)[: -len(names)]
        update_signature(function, [*kept, *_named(names)])
    canonicalize(function)
    # The tuple is gone; what released its fields would keep them alive.
    erase_unused(function.body.block, set())


def unbundle(function: func.FuncOp) -> None:
    """Makes a bundled parameter, and a bundled result, flat again; their fields carry the external names."""
    unbundle_parameters(function)
    unbundle_results(function)


def unbundle_results(function: func.FuncOp) -> None:
    """Makes a bundled result flat again."""
    if is_result_bundled(function):
        update_signature(function, None, _named(_unpack_result(function)))


def _named(names: Iterable[str]) -> list[Attributes]:
    return [NAME.entry(name) for name in names]


def _unpack_result(function: func.FuncOp) -> tuple[str, ...]:
    """Makes a function return the fields of its one result; returns their names."""
    names = NAMES.of(result_attributes(function)[0]) or ()
    last = return_op(function)
    (bundle,) = last.operands
    if isinstance(bundle.owner, TupleOp):
        last.operands = bundle.owner.fields
        erase_unused(function.body.block, set())
        return names
    items = [TupleGetItemOp.build_from(bundle, index=index) for index in range(len(names))]
    function.body.block.insert_ops_before(items, last)
    last.operands = [item.result for item in items]
    return names


def reset_consumed_items(function: func.FuncOp) -> None:
    """Releases each field of a bundled parameter after it was first read; later reads use the value of the first."""
    if not is_bundled(function):
        return
    bundle = function.body.block.args[-1]
    first: dict[int, TupleGetItemOp] = {}
    for op in ops_inside(function):
        if not isinstance(op, TupleGetItemOp) or op.tuple_value is not bundle:
            continue
        index = op.index.value.data
        if index in first:
            op.result.replace_all_uses_with(first[index].result)
            Rewriter.erase_op(op)
            continue
        first[index] = op
        _insert_reset(op, index)


def _insert_reset(op: TupleGetItemOp, index: int) -> None:
    following = op.next_op
    if isinstance(following, arith.ConstantOp) and isinstance(following.next_op, CallPackedOp):
        if following.next_op.callee.data == RESET:
            return
    constant = arith.ConstantOp(IntegerAttr(index, i64))
    reset = CallPackedOp.create(
        operands=[op.tuple_value, constant.result],
        properties={"callee": StringAttr(RESET), "pure": IntegerAttr.from_bool(True)},
    )
    block: Block | None = op.parent
    assert block is not None
    block.insert_ops_after([constant, reset], op)


RESET = "vm.builtin.tuple_reset_item"


@dataclass(frozen=True)
class BundleModelParamsPass(PassWithOptions):
    """Replaces the model parameters of each function by one tuple.

    ```mlir
    func.func @main(%x: ..., %w: tensor<8x4xf32>) -> ... attributes {relax.num_input = 1 : i64} {
      %y = relax.matmul %x, %w : ...
    ```
    becomes
    ```mlir
    func.func @main(%x: ..., %model_params: tuple<tensor<8x4xf32>>) -> ... attributes {relax.num_input = 1 : i64} {
      %w = relax.tuple_get_item %model_params {index = 0 : i64} : ...
      %y = relax.matmul %x, %w : ...
    ```

    Each use of a parameter is a field of its own, right before the op that uses it; a scalar is taken once, at the top. The external names
    become `relax.names` of the tuple. *Requires* `relax.num_input`; functions without it are untouched. *Leaves* the inputs, and the
    results, as they are.
    """

    name = "relax-bundle-model-params"

    param_tuple_name: str = field(default="model_params")
    """The name of the tuple in the text."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            count = NUM_INPUT.of(function)
            if count is None:
                continue
            if not 0 <= count <= len(function.body.block.args):
                raise PassFailedException(f"@{function.sym_name.data} has {NUM_INPUT} = {count} beyond its arguments")
            bundle_parameters(function, self.param_tuple_name)
