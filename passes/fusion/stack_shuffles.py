"""The pass `relax-stack-shuffles`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ...dialects.relax.base import dims, normalized_axis
from ...dialects.relax.ops.indexing import StridedSliceOp
from ...dialects.relax.ops.manipulate import ConcatOp, PermuteDimsOp, ReshapeOp, SplitOp, StackOp
from ..analysis.remarks import Topic, function_of, named_op, remark
from ..rewriting.emitter import Emitter
from ..rewriting.rooted_walker import RootedWalker, of_types
from .stacked_sums import is_sum, stacks_rows

REASON = "each element is copied once, or computed where it lies"


def _locations(*ops: Operation) -> list[Attribute]:
    return [op.location for op in ops]


class StackShuffle(RewritePattern):
    """Replaces the transpose of concatenated tensors that takes an element of each in turn by one stack of them.

    Declines where others read what is between.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReshapeOp, rewriter: PatternRewriter) -> None:
        # From the last op to the first, then whether the shapes between them are those of a shuffle.
        permute = op.x.owner
        if not isinstance(permute, PermuteDimsOp) or not isinstance(permute.x.owner, ReshapeOp):
            return
        apart = permute.x.owner
        concat = apart.x.owner
        if not isinstance(concat, ConcatOp) or not all(each.has_one_use() for each in (op.x, permute.x, apart.x)):
            return
        shape, groups = dims(concat.result), dims(apart.result)
        if shape is None or groups is None or dims(op.result) != shape:
            return
        axis = normalized_axis(concat.prop("axis", 0), len(shape), "concat_c2")
        count = len(concat.tensors)
        sizes = [None if (each := dims(tensor)) is None else each[axis] for tensor in concat.tensors]
        order = (*range(axis), axis + 1, axis, *range(axis + 2, len(groups)))
        if (
            any(size != sizes[0] or not isinstance(size, int) for size in sizes)
            or groups != (*shape[:axis], count, sizes[0], *shape[axis + 1 :])
            or permute.permutation(len(groups)) != order
        ):
            return
        remark(
            Topic.REWRITE,
            function_of(op),
            _locations(concat, apart, permute, op),
            f"{named_op(concat)} is a stack: {REASON}",
        )
        emit = Emitter(op, rewriter)
        stacked = emit.op(StackOp, *concat.tensors, axis=axis + 1)
        emit.replace(op, [emit.op(ReshapeOp, stacked, op.shape)])
        for each in (permute, apart, concat):
            rewriter.erase(each)


class SplitStack(RewritePattern):
    """Replaces a split of stacked tensors by slices of the stack where a kernel writes it in place, else by stacks of slices.

    Declines where a part has not as much of each tensor.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SplitOp, rewriter: PatternRewriter) -> None:
        # What is stacked, and then whether each part has as much of all tensors.
        merged = op.x.owner
        if not isinstance(merged, ReshapeOp) or not isinstance(merged.x.owner, StackOp):
            return
        stack = merged.x.owner
        shape, pairs = dims(merged.result), dims(stack.result)
        if shape is None or pairs is None or not (op.x.has_one_use() and merged.x.has_one_use()):
            return
        axis = normalized_axis(op.prop("axis", 0), len(shape), "split_c3")
        count, size = len(stack.tensors), shape[axis]
        stacked = normalized_axis(stack.prop("axis", 0), len(pairs), "stack_c3")
        if not isinstance(size, int):
            return
        ranges = cast(Sequence[tuple[int, int]], op.ranges(size))
        emit = Emitter(op, rewriter)
        if stacks_rows(stack) and any(map(is_sum, stack.tensors)):
            text = f"{named_op(op)} is slices of {named_op(stack)}, part of which a product or convolution writes where it lies"
            remark(Topic.REWRITE, function_of(op), _locations(op, stack), text)
            bounds = [(begin, begin + length) for begin, length in ranges]
            emit.replace(op, [emit.op(StridedSliceOp, op.x, axes=[axis], begin=[b], end=[e]) for b, e in bounds])
            return
        if stacked != axis + 1 or size % count:
            return
        is_whole = all(begin % count == 0 and length % count == 0 for begin, length in ranges)
        if not is_whole:
            cuts = f"its parts begin at {', '.join(str(begin) for begin, _ in ranges)}, want multiples of {count}"
            remark(
                Topic.REWRITE,
                function_of(op),
                op.location,
                f"{named_op(op)} copies what is stacked: {cuts}, the tensors of a stack",
            )
        if not is_whole or pairs != (*shape[:axis], size // count, count, *shape[axis + 1 :]):
            return

        def part(begin: int, length: int) -> SSAValue:
            first, end = begin // count, (begin + length) // count
            slices = [
                emit.op(StridedSliceOp, tensor, axes=[axis], begin=[first], end=[end]) for tensor in stack.tensors
            ]
            joined = emit.op(StackOp, *slices, axis=stacked)
            return emit.op(ReshapeOp, joined, emit.shape(*shape[:axis], length, *shape[axis + 1 :]))

        text = f"{named_op(op)} is a stack of slices for each part: {REASON}"
        remark(Topic.REWRITE, function_of(op), _locations(op, merged, stack), text)
        emit.replace(op, [part(begin, length) for begin, length in ranges])
        for each in (merged, stack):
            rewriter.erase(each)


class StackShufflesPass(ModulePass):
    """Stacks tensors whose elements are to lie in turn, in place of concatenating and transposing them, as a shuffle of two branches does.

    ```mlir
    %c = relax.concat %x, %y {axis = 1 : i64} : (tensor<1x58x28x28xf32>, tensor<1x58x28x28xf32>) -> tensor<1x116x28x28xf32>
    %g = relax.reshape %c, ... -> tensor<1x2x58x28x28xf32>
    %t = relax.permute_dims %g {axes = array<i64: 0, 2, 1, 3, 4>} : ...
    %s = relax.reshape %t, ... -> tensor<1x116x28x28xf32>
    %a, %b = relax.split %s {axis = 1 : i64, sections = 2 : i64} : ...
    ```
    becomes
    ```mlir
    %x0 = relax.strided_slice %x {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 29>} : ...
    %y0 = relax.strided_slice %y {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 29>} : ...
    %s0 = relax.stack %x0, %y0 {axis = 2 : i64} : ... -> tensor<1x29x2x28x28xf32>
    %a = relax.reshape %s0, ... -> tensor<1x58x28x28xf32>
    ```
    and the same of the second halves for `%b`: each element is copied once, in place of three times. Where a tensor is the result of a
    convolution, or another product, with nothing but element-wise ops behind it, the two parts become slices of one stack: `relax-fuse-ops`
    makes the stack part of that kernel, which writes the rows of its result there, so that they are not copied at all.

    *Requires* known sizes along the axis. *Leaves* shuffles of one tensor, which are one copy as they are, those with what others read as
    well, and splits of stacked tensors whose parts have more of one tensor than of another.
    """

    name = "relax-stack-shuffles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        RootedWalker([StackShuffle(), SplitStack()], of_types(ReshapeOp, SplitOp), erases_dead=False).rewrite_module(op)
