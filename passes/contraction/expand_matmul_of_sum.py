"""The pass `relax-expand-matmul-of-sum`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from ...dialects.relax.base import dims, element
from ...dialects.relax.dtypes import is_float
from ...dialects.relax.ops.binary import AddOp
from ...dialects.relax.ops.linear_algebra import MatmulOp
from ...dialects.relax.ops.manipulate import PermuteDimsOp
from ...dialects.symbolic.expressions import shapes_equal
from ...records import record
from ..analysis.weight_values import Weights, weight_values
from ..options import PassWithOptions
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions


@record
class ExpandMatmulOfSum(RewritePattern):
    """Replaces `x * (a + b)` by `x * a + x * b`, the sum being transposed or not.

    Declines where the sum is a weight, as it is then computed once; where it broadcasts; for integers that are widened by the product,
    as their sum may have wrapped around.
    """

    weights: set[SSAValue]
    products: bool
    """Whether one of the terms must be a product itself."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        permuted = op.rhs.owner if isinstance(op.rhs.owner, PermuteDimsOp) else None
        source = op.rhs if permuted is None else permuted.x
        summed = source.owner
        if not isinstance(summed, AddOp) or source in self.weights:
            return
        if self.products and not any(map(is_product, summed.operands)):
            return
        if element(op.result) != element(op.rhs) and not is_float(element(op.rhs)):
            return
        shape, left, right = dims(source), dims(summed.lhs), dims(summed.rhs)
        if shape is None or left is None or right is None or dims(op.lhs) is None:
            return
        if len(shape) < 2 or not shapes_equal(left, shape) or not shapes_equal(right, shape):
            return
        # Both terms have the shape of the sum, so that each product has the shape of the result.
        emit = Emitter(op, rewriter)
        operands = [summed.lhs, summed.rhs]
        if permuted is not None:
            operands = [emit.like(permuted, operand)[0] for operand in operands]
        products = [emit.like(op, op.lhs, operand)[0] for operand in operands]
        emit.replace(op, [emit.op(AddOp, *products)])


def is_product(value: SSAValue) -> bool:
    """Returns whether a value is a matrix product, transposed or not."""
    owner = value.owner
    return isinstance(owner.x.owner if isinstance(owner, PermuteDimsOp) else owner, MatmulOp)


@dataclass(frozen=True)
class ExpandMatmulOfSumPass(PassWithOptions):
    """Turns the product with a sum into a sum of products.

    ```mlir
    %w = relax.add %base, %delta : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %y = relax.matmul %x, %w : ...
    ```
    becomes
    ```mlir
    %a = relax.matmul %x, %base : ...
    %b = relax.matmul %x, %delta : ...
    %y = relax.add %a, %b : ...
    ```

    It is for a weight with an update that comes at run time, `%delta` being the product of two thin matrices: `relax-adjust-matmul-order`
    then makes the second product cheap. A sum that depends on parameters alone stays, as it is computed once. *Requires* known ranks.
    *Leaves* sums that nothing reads any more to `dce`. Results differ by rounding.
    """

    name = "relax-expand-matmul-of-sum"

    weights: Weights = field(default="parameters")
    """What counts as a weight, and is thus computed once: `arguments`, `parameters` or `constants`."""
    products: bool = field(default=False)
    """Whether only sums with a product are expanded, whose order can then be chosen; for other sums, two products cost more than one."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in graph_functions(op):
            pattern = ExpandMatmulOfSum(weight_values(function, self.weights), self.products)
            PatternRewriteWalker(pattern).rewrite_region(function.body)
