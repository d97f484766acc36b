"""The pass `relax-combine-parallel-conv2d`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from ...dialects.relax.base import dims, element
from ...dialects.relax.ops.manipulate import ConcatOp
from ...dialects.relax.ops.nn.conv import Conv2DOp
from ...dialects.symbolic.expressions import Dim
from ..analysis.weight_values import Weights
from ..options import PassWithOptions, within
from ..rewriting.emitter import Emitter
from .parallel_branches import Branch, ParallelRule, combine_branches


class Conv2DRule(ParallelRule):
    """Joins convolutions without groups along their output channels."""

    def branch_of(self, op: Operation) -> Branch | None:
        if not isinstance(op, Conv2DOp) or op.group_count != 1 or op.kernel_block:
            return None
        result, axis = dims(op.result), op.out_positions()[1]
        if dims(op.weight) is None or result is None or not isinstance(result[axis], int):
            return None
        return Branch(op, axis, result[axis])

    def is_compatible(self, first: Branch, other: Branch) -> bool:
        conv, other_conv = first.root, other.root
        assert isinstance(conv, Conv2DOp) and isinstance(other_conv, Conv2DOp)
        kernel, other_kernel = _kernel(conv), _kernel(other_conv)
        return (
            conv.kernel_positions() == other_conv.kernel_positions()
            and kernel == other_kernel
            and None not in kernel
            and conv.windows(kernel[1:]) == other_conv.windows(other_kernel[1:])
            and conv.data_positions() == other_conv.data_positions()
            and conv.out_positions() == other_conv.out_positions()
            and element(conv.result) == element(other_conv.result)
        )

    def join(self, emit: Emitter, branches: Sequence[Branch]) -> SSAValue:
        root = branches[0].root
        assert isinstance(root, Conv2DOp)
        weights = [branch.root.operands[1] for branch in branches]
        weight = emit.op(ConcatOp, *weights, axis=root.kernel_positions()[0])
        return emit.like(root, root.data, weight)[0]


def _kernel(op: Conv2DOp) -> list[Dim]:
    """Returns the sizes of a weight without its output channels: input channels, height, width."""
    weight = dims(op.weight)
    assert weight is not None
    return [weight[axis] for axis in op.kernel_positions()[1:]]


@dataclass(frozen=True)
class CombineParallelConv2DPass(PassWithOptions):
    """Combines convolutions of one value into one convolution with the output channels of all.

    ```mlir
    %y1 = relax.nn.conv2d %x, %w1 : (tensor<1x4x16x16xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x16x16xf32>
    %y2 = relax.nn.conv2d %x, %w2 : (tensor<1x4x16x16xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x16x16xf32>
    ```
    becomes
    ```mlir
    %w = relax.concat %w1, %w2 {axis = 0 : i64} : ...
    %y = relax.nn.conv2d %x, %w : (tensor<1x4x16x16xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x16x16xf32>
    %y1 = relax.strided_slice %y {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 4>, strides = array<i64: 1>} : ...
    %y2 = relax.strided_slice %y {axes = array<i64: 1>, begin = array<i64: 4>, end = array<i64: 8>, strides = array<i64: 1>} : ...
    ```

    The convolutions have no groups, and equal strides, padding, dilation, layouts, kernel sizes and types. Element-wise ops that follow
    each of them are combined as far as they are the same, their other operands concatenated along the channels, which each must have.

    *Requires* known numbers of output channels. *Leaves* groups smaller than `min_branches`; the concatenated weights are arithmetic
    on weights, which `relax-lift-transform-params` lifts.
    """

    name = "relax-combine-parallel-conv2d"

    min_branches: int = within(3, 2)
    """The smallest number of convolutions that is combined."""
    only_weights: bool = field(default=False)
    """Whether only convolutions with weights are combined, whose concatenation costs nothing at run time."""
    weights: Weights = field(default="arguments")
    """What counts as a weight: `arguments`, `parameters` or `constants`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = self.weights if self.only_weights else None
        combine_branches(op, Conv2DRule(), self.min_branches, weights)
