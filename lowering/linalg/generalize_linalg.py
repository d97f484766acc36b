"""The pass `generalize-linalg`: named linalg ops become `linalg.generic`."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from ...dialects.upstream.generic_form import (
    element_type,
    identity_or_scalar,
    is_elementwise,
    replace_op,
    to_generic_form,
)
from ...dialects.walks import ops_inside
from ...passes.options import PassWithOptions
from ..emit.constructors import constant


class GeneralizeLinalgPass(PassWithOptions):
    """Turns every named linalg op, and element-wise `arith` and `math` on tensors, into `linalg.generic`.

    ```mlir
    %r = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %r = linalg.generic {indexing_maps = [(d0) -> (d0), ...], iterator_types = ["parallel"]} ins(%a, %b) outs(%e) {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = arith.addf %0, %1 : f32
      linalg.yield %3 : f32
    ```

    Before: `linalg.batch_matmul`, `linalg.conv_2d_nhwc_hwcf`, `linalg.transpose`, `linalg.softmax`, `arith.addf` on
    tensors, ... After: `linalg.generic` with the scalar region of the named op, and `linalg.fill`.
    """

    name = "generalize-linalg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        to_generic_form(op)
        for inner in ops_inside(op):
            if _is_elementwise(inner):
                _generalize_scalar_op(inner)


def _is_elementwise(op: Operation) -> bool:
    return is_elementwise(op) and not (isinstance(op, arith.SelectOp) and not isinstance(op.cond.type, TensorType))


def _generalize_scalar_op(op: Operation) -> None:
    result = op.results[0]
    type_ = result.type
    assert isinstance(type_, TensorType)
    block_before = op.parent
    assert block_before is not None
    inputs = list(op.operands)
    sizes: list[SSAValue] = []
    shaped = next(v for v in inputs if isinstance(v.type, TensorType) and v.type.get_num_dims() == type_.get_num_dims())
    for d, size in enumerate(type_.get_shape()):
        if size == DYNAMIC_INDEX:
            position = constant(d)
            dim = tensor.DimOp(shaped, position.result)
            block_before.insert_ops_before([position, dim], op)
            sizes.append(dim.result)
    empty = tensor.EmptyOp(sizes, type_)
    block_before.insert_op_before(empty, op)
    body = Block(arg_types=[*(element_type(v) for v in inputs), type_.element_type])
    inner = type(op).create(
        operands=body.args[: len(inputs)],
        result_types=[type_.element_type],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    body.add_ops([inner, linalg.YieldOp(inner.results[0])])
    rank = type_.get_num_dims()
    maps = [AffineMapAttr(identity_or_scalar(v, rank)) for v in (*inputs, empty.tensor)]
    replace_op(
        op, linalg.GenericOp(inputs, [empty.tensor], Region(body), maps, [IteratorTypeAttr.parallel()] * rank, [type_])
    )
