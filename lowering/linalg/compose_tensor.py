"""The pass `compose-tensor`: what insertions into filled tensors stand for, in the terms of other compilers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, ModuleOp, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ...dialects.upstream.tensor_ops import PadOp
from ...dialects.walks import ops_inside
from ...passes.options import PassWithOptions
from ..emit.tensor_builder import Size, TensorBuilder, tensor_shape
from ..sizes.op_sizes import mixed


class ComposeTensorPass(PassWithOptions):
    """Makes a `tensor.pad` of a `tensor.insert_slice` into a `linalg.fill`, of which it is the only reader.

    ```mlir
    %0 = tensor.empty() : tensor<2x5xf32>
    %1 = linalg.fill ins(%z : f32) outs(%0 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %p = tensor.insert_slice %a into %1[0, 1] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x5xf32>
    ```
    becomes
    ```mlir
    %p = tensor.pad %a low[0, 1] high[0, 1] { ... tensor.yield %z : f32 } : tensor<2x3xf32> to tensor<2x5xf32>
    ```

    No stage runs it, and `decompose-tensor` takes it back. It is for compilers that take what the stage `linalg` leaves: IREE 3.13 makes
    views that are out of bounds where the result of a convolution is inserted, and compiles the same program with pads.

    Before: linalg on tensors. After: the same, with `tensor.pad`, `arith` on sizes that are not known.
    """

    name = "compose-tensor"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in ops_inside(op):
            if isinstance(inner, tensor.InsertSliceOp):
                _compose(inner)


def _compose(insertion: tensor.InsertSliceOp) -> None:
    filled = insertion.dest.owner
    if not isinstance(filled, linalg.FillOp) or not insertion.dest.has_one_use():
        return
    made = filled.outputs[0].owner
    rank = len(tensor_shape(insertion.dest))
    strides = insertion.static_strides.get_values()
    if not isinstance(made, tensor.EmptyOp) or len(tensor_shape(insertion.source)) != rank or {*strides} - {1}:
        return
    pad = _pad(insertion, filled.inputs[0], made)
    pad.location = insertion.location
    pad.result.name_hint = insertion.result.name_hint
    insertion.result.replace_all_uses_with(pad.result)
    for unused in (insertion, filled, made):
        if all(result.first_use is None for result in unused.results):
            unused.detach()
            unused.erase()


def _pad(insertion: tensor.InsertSliceOp, value: SSAValue, made: tensor.EmptyOp) -> PadOp:
    """Inserts a pad with a value before an insertion into a tensor that was made empty; returns it."""
    builder = TensorBuilder(InsertPoint.before(insertion))
    low = mixed(insertion.static_offsets.get_values(), insertion.offsets)
    sizes = mixed(insertion.static_sizes.get_values(), insertion.sizes)
    whole = mixed(tensor_shape(insertion.dest), made.dynamic_sizes)
    parts = zip(whole, low, sizes, strict=True)
    high = [builder.sub(builder.sub(outer, inner), before) for outer, before, inner in parts]
    block = Block(arg_types=[IndexType()] * len(low))
    block.add_op(tensor.YieldOp(value))
    result_type = insertion.result.type
    assert isinstance(result_type, TensorType)
    (static_low, dynamic_low), (static_high, dynamic_high) = map(_amounts, (low, high))
    pad = PadOp(insertion.source, dynamic_low, dynamic_high, Region(block), static_low, static_high, result_type)
    builder.insert_op(pad)
    return pad


def _amounts(amounts: Sequence[Size]) -> tuple[list[int], list[SSAValue]]:
    """Returns the amounts that are numbers, with marks where the others stand, and the others."""
    static = [amount if isinstance(amount, int) else DYNAMIC_INDEX for amount in amounts]
    return static, [amount for amount in amounts if not isinstance(amount, int)]
