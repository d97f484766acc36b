"""The pass `relax-convert-to-destination-style`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ...dialects.relax.attrs import ShapeType, dims_of, element_type_of, tensor_type
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.function_signature import functions, is_private
from ...dialects.relax.ops.core import CallDPSPackedOp, CallPackedOp, ConstantOp, DataflowOp, ShapeOp
from ...dialects.relax.ops.manipulate import ExpandDimsOp, FlattenOp, ReshapeOp, SqueezeOp
from ...dialects.relax.ops.memory import BuiltinAllocTensorOp, CallDPSOp
from ...dialects.walks import inner_blocks
from ..rewriting.dataflow_blocks import inline_dataflow
from ..rewriting.kernel_functions import is_kernel

RESHAPES = (ReshapeOp, ExpandDimsOp, SqueezeOp, FlattenOp)
"""Ops whose result is the operand's memory under another shape."""


def is_foreign_kernel(function: func.FuncOp) -> bool:
    """Returns whether a private function only hands its arguments to one destination-passing call of foreign code."""
    if not is_private(function) or not function.body.blocks:
        return False
    block = function.body.block
    call, last = block.first_op, block.last_op
    return (
        isinstance(call, CallDPSPackedOp)
        and call.next_op is last
        and last is not None
        and tuple(call.args) == block.args[: len(call.args)]
        and tuple(last.operands) == tuple(call.outputs)
    )


def is_reshape(function: func.FuncOp) -> bool:
    """Returns whether a kernel only gives its first argument another shape."""
    computed = [op for op in function.body.block.ops if not isinstance(op, ShapeOp | ConstantOp)]
    return (
        len(computed) == 2
        and isinstance(computed[0], RESHAPES)
        and computed[0].operands[0] is function.body.block.args[0]
        and tuple(computed[1].operands) == tuple(computed[0].results)
    )


def is_allocatable(value_type: Attribute) -> bool:
    """Returns whether a plain allocation gives this type: a tensor with every size known."""
    try:
        dims = dims_of(value_type)
    except TypeError:
        return False
    return dims is not None and None not in dims and tensor_type(dims, element_type_of(value_type)) == value_type


def shape_before(op: Operation, value_type: Attribute) -> SSAValue:
    """Returns the sizes of a tensor type as a shape value, made in front of an op."""
    shape = ShapeOp.build_from(result_types=[ShapeType(tuple(dims_of(value_type) or ()))])
    assert op.parent is not None
    op.parent.insert_op_before(shape, op)
    return shape.result


class _Converter:
    """Converts the calls of one module."""

    def __init__(self, module: ModuleOp):
        self.functions = {function.sym_name.data: function for function in functions(module)}

    def convert(self, block: Block) -> None:
        """Converts the calls of a block and of the blocks inside."""
        for op in list(block.ops):
            if isinstance(op, DataflowOp):
                inline_dataflow(op)
        for op in list(block.ops):
            for inner in inner_blocks(op):
                self.convert(inner)
            if isinstance(op, func.CallOp | CallDPSPackedOp) and all(is_allocatable(r.type) for r in op.results):
                self._call(op)

    def _call(self, op: func.CallOp | CallDPSPackedOp) -> None:
        if isinstance(op, CallDPSPackedOp):
            _write_into(op, CallPackedOp, {"callee": op.callee})
            return
        callee = self.functions.get(op.callee.string_value())
        if callee is None or not (is_kernel(callee) or is_foreign_kernel(callee)):
            return
        if is_reshape(callee):
            reshape = ReshapeOp.build_from(op.arguments[0], shape_before(op, op.results[0].type))
            _replace(op, [reshape], reshape.results)
            return
        properties: dict[str, Attribute] = {"callee": op.callee}
        if len(op.results) != 1:
            properties["num_outputs"] = IntegerAttr(len(op.results), i64)
        _write_into(op, CallDPSOp, properties)


def _write_into(op: Operation, call_type: type[RelaxOp], properties: dict[str, Attribute]) -> None:
    allocations = [
        BuiltinAllocTensorOp.build_from(shape_before(op, result.type), dtype=element_type_of(result.type))
        for result in op.results
    ]
    results = [allocation.result for allocation in allocations]
    call = call_type.create(operands=[*op.operands, *results], properties=properties)
    call.attributes.update(op.attributes)
    _replace(op, [*allocations, call], results)


def _replace(op: Operation, new: Sequence[Operation], values: Sequence[SSAValue]) -> None:
    assert op.parent is not None
    for inserted in new:
        inserted.location = op.location
    op.parent.insert_ops_before(new, op)
    for old, value in zip(op.results, values, strict=True):
        value.name_hint = old.name_hint or "alloc"
        old.replace_all_uses_with(value)
    Rewriter.erase_op(op)


class ConvertToDestinationStylePass(ModulePass):
    """Makes every call of a kernel write its results into tensors that are allocated in front of it.

    ```mlir
    %y = func.call @add(%x) : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %shape = relax.shape : () -> !relax.shape<[4]>
    %y = relax.builtin.alloc_tensor %shape {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
    relax.call_dps %x, %y {callee = @add} : (tensor<4xf32>, tensor<4xf32>) -> ()
    ```

    This is Relax's CallTIRRewrite; kernels are functions with `relax.primitive`, and those that only wrap a `relax.call_dps_packed`. A
    `relax.call_dps_packed` becomes a `relax.call_packed` that is given its results. The call of a kernel that only reshapes becomes a
    `relax.reshape`, which shares the memory of its operand. Dataflow blocks are inlined, as the calls have effects.

    *Requires* `relax-fuse-ops`, or other ops stay as they are. *Leaves* calls whose result sizes are not known, and calls of functions
    that are no kernels. `relax-convert-to-value-semantics` is the inverse.
    """

    name = "relax-convert-to-destination-style"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        converter = _Converter(op)
        for function in converter.functions.values():
            if not is_kernel(function) and not is_foreign_kernel(function):
                converter.convert(function.body.block)
