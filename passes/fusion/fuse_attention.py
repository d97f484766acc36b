"""The pass `relax-fuse-attention`."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ...dialects.relax.attrs import dims_of, element_type_of
from ...dialects.relax.base import RelaxOp, normalized_axis
from ...dialects.relax.fusion_pattern import FusionPattern
from ...dialects.relax.ops.core import DataflowOp
from ...dialects.relax.ops.linear_algebra import EinsumOp, MatmulOp
from ...dialects.relax.ops.nn.softmax import SoftmaxOp
from ...dialects.relax.vocabulary.attributes import CALL_OP_PATTERN
from ...dialects.symbolic.expressions import shapes_equal
from ...dialects.walks import ops_inside
from ..analysis.op_pattern import op_pattern
from ..rewriting.kernel_functions import KernelFunctions, graph_functions


class FuseAttentionPass(ModulePass):
    """Groups a product, the softmax of its rows, and the product of that into one kernel, with what is element-wise in between.

    ```mlir
    %s = relax.matmul %q, %k : ...
    %m = relax.add %s, %mask : ...
    %p = relax.nn.softmax %m : ...
    %o = relax.matmul %p, %v : ...
    ```
    becomes
    ```mlir
    func.func private @fused_matmul_add_softmax_matmul(%q: ..., %k: ..., %mask: ..., %v: ...) attributes {relax.primitive}
    %o = func.call @fused_matmul_add_softmax_matmul(%q, %k, %mask, %v) {op_pattern = 4} : ...
    ```

    so that it may be computed for some rows at a time (`tile-attention`). A single row stays as it is. *Requires* `relax-infer-shapes`
    and dataflow blocks. *Leaves* kernels that `relax-fuse-ops` fuses further, as it fuses a product.
    """

    name = "relax-fuse-attention"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = KernelFunctions(op)
        for function in graph_functions(op):
            for dataflow in [inner for inner in ops_inside(function) if isinstance(inner, DataflowOp)]:
                for product in [each for each in dataflow.body.block.ops if _is_product(each)]:
                    group = _group(product)
                    if group is not None:
                        call = kernels.outline(group)
                        CALL_OP_PATTERN.set(call, int(FusionPattern.OUT_ELEM_WISE_FUSABLE))


def _group(second: Operation) -> list[Operation] | None:
    """Returns the ops from the product of scores to that of their softmax; `None` where there are none."""
    reader: dict[Operation, Operation] = {}
    pending: list[tuple[SSAValue, Operation]] = [(second.operands[0], second)]
    while pending:
        value, user = pending.pop()
        op = value.owner
        if not isinstance(op, RelaxOp) or op.parent is not second.parent or not value.has_one_use():
            continue
        reader[op] = user
        if _is_product(op):
            group = _path(op, second, reader)
            if _has_rows(value) and sum(isinstance(each, SoftmaxOp) for each in group) == 1:
                return group
        elif _is_softmax_of_rows(op) or op_pattern(op) == FusionPattern.ELEM_WISE:
            # Any operand of the same shape may be made of the scores, such as the second one of a `where`.
            pending += [(operand, op) for operand in reversed(op.operands) if _same_shape(operand, value)]
    return None


def _path(first: Operation, last: Operation, reader: Mapping[Operation, Operation]) -> list[Operation]:
    """Returns an op, its reader, and so on until the last one."""
    path = [first]
    while path[-1] is not last:
        path.append(reader[path[-1]])
    return path


def _has_rows(scores: SSAValue) -> bool:
    """Returns whether scores are floats of more than a single row."""
    shape = dims_of(scores.type)
    return (
        shape is not None and len(shape) >= 2 and shape[-2] != 1 and isinstance(element_type_of(scores.type), AnyFloat)
    )


def _same_shape(value: SSAValue, other: SSAValue) -> bool:
    if not isinstance(value.type, TensorType) or not isinstance(other.type, TensorType):
        return False
    shape, wanted = dims_of(value.type), dims_of(other.type)
    return shape is not None and wanted is not None and shapes_equal(shape, wanted)


def _is_product(op: Operation) -> bool:
    """Returns whether an op multiplies two tensors; `relax-read-transposed-operands` makes some of these `einsum`."""
    is_matmul = isinstance(op, MatmulOp) or (isinstance(op, EinsumOp) and len(op.tensors) == 2)
    return is_matmul and _may_be_fused(op)


def _is_softmax_of_rows(op: Operation) -> bool:
    if not isinstance(op, SoftmaxOp) or not _may_be_fused(op):
        return False
    shape = dims_of(op.results[0].type)
    return shape is not None and normalized_axis(op.prop("axis", -1), len(shape), "softmax_c2") == len(shape) - 1


def _may_be_fused(op: Operation) -> bool:
    """Returns whether no attribute says that a product or softmax is of another kind of pattern, such as opaque."""
    return op_pattern(op) == FusionPattern.OUT_ELEM_WISE_FUSABLE
