"""The pass `relax-fuse-transpose-matmul`."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ...dialects.relax.base import dims
from ...dialects.relax.ops.linear_algebra import LinearOp, MatmulOp
from ...dialects.relax.ops.manipulate import PermuteDimsOp
from ...dialects.walks import ops_inside
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import KernelFunctions, graph_functions


def transposed_operand(op: MatmulOp) -> PermuteDimsOp | None:
    """Returns the op that swaps the last two dims of the right operand, and nothing else."""
    permute = op.rhs.owner
    if not isinstance(permute, PermuteDimsOp):
        return None
    shape = dims(permute.x)
    if shape is None or len(shape) < 2:
        return None
    rank = len(shape)
    return permute if permute.permutation(rank) == (*range(rank - 2), rank - 1, rank - 2) else None


class FuseTransposeMatmulPass(ModulePass):
    """Lets a product read its right operand as it is rather than transposed.

    ```mlir
    %t = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %y = relax.matmul %x, %t : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
    ```
    becomes
    ```mlir
    %y = relax.linear %x, %w : (tensor<3x8xf32>, tensor<4x8xf32>) -> tensor<3x4xf32>
    ```

    With batches of transposed matrices the two ops become one kernel (a private function with `relax.primitive`), if nothing else reads
    the transposed ones. *Requires* known ranks, and to run before `relax-fuse-ops`. *Leaves* transposes that something else reads.
    """

    name = "relax-fuse-transpose-matmul"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = KernelFunctions(op)
        for function in graph_functions(op):
            for inner in ops_inside(function):
                if isinstance(inner, MatmulOp):
                    permute = transposed_operand(inner)
                    if permute is not None:
                        self._fuse(inner, permute, kernels)

    def _fuse(self, op: MatmulOp, permute: PermuteDimsOp, kernels: KernelFunctions) -> None:
        if len(dims(permute.x) or ()) == 2:
            emit = Emitter(op)
            emit.replace(op, [emit.op(LinearOp, op.lhs, permute.x, out_dtype=op.out_dtype)])
            if permute.result.first_use is None:
                Rewriter.erase_op(permute)
        elif permute.result.has_one_use() and permute.parent is op.parent:
            kernels.outline([permute, op])
