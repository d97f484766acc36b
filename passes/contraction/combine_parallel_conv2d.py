"""The pass `relax-combine-parallel-conv2d`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ...dialects.relax.base import RelaxOp, dims, element
from ...dialects.relax.ops.manipulate import ConcatOp
from ...dialects.relax.ops.nn_conv import Conv2DOp
from ..analysis.weight_values import Weights
from ..rewriting.emitter import Emitter
from .parallel_branches import Branch, combine_branches


def branch_of(op: Operation) -> Branch | None:
    """Returns the branch that a convolution without groups, and with known numbers of channels, starts."""
    if not isinstance(op, Conv2DOp) or op.group_count != 1:
        return None
    weight, result = dims(op.weight), dims(op.result)
    if weight is None or result is None or not isinstance(result[op.out_positions()[1]], int):
        return None
    return Branch(op, op.out_positions()[1])


def is_compatible(first: RelaxOp, other: RelaxOp) -> bool:
    """Returns whether two convolutions differ in the number of output channels at most."""
    assert isinstance(first, Conv2DOp) and isinstance(other, Conv2DOp)
    weight, other_weight = dims(first.weight), dims(other.weight)
    assert weight is not None and other_weight is not None
    places, other_places = first.kernel_positions(), other.kernel_positions()
    kernel = [weight[place] for place in places[1:]]
    other_kernel = [other_weight[place] for place in other_places[1:]]
    return (
        places == other_places
        and kernel == other_kernel
        and None not in kernel
        and first.windows(kernel[1:]) == other.windows(other_kernel[1:])
        and first.data_positions() == other.data_positions()
        and first.out_positions() == other.out_positions()
        and element(first.result) == element(other.result)
    )


def join(emit: Emitter, group: Sequence[Branch]) -> SSAValue:
    """Builds one convolution with all output channels."""
    first = group[0].root
    assert isinstance(first, Conv2DOp)
    weight = emit.op(ConcatOp, *(branch.root.operands[1] for branch in group), axis=first.kernel_positions()[0])
    return emit.like(first, first.data, weight)[0]


@dataclass(frozen=True)
class CombineParallelConv2DPass(ModulePass):
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

    min_branches: int = field(default=3)
    """The smallest number of convolutions that is combined."""
    only_weights: bool = field(default=False)
    """Whether only convolutions with weights are combined, whose concatenation costs nothing at run time."""
    weights: Weights = field(default="arguments")
    """What counts as a weight: `arguments`, `parameters` or `constants`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = self.weights if self.only_weights else None
        combine_branches(op, self.min_branches, weights, branch_of, is_compatible, join)
