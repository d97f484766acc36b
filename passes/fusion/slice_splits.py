"""The pass `relax-slice-splits`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ...dialects.relax.base import dims, normalized_axis
from ...dialects.relax.fusion_pattern import FusionPattern
from ...dialects.relax.ops.indexing import StridedSliceOp
from ...dialects.relax.ops.manipulate import SplitOp
from ..analysis.op_pattern import op_pattern
from ..rewriting.emitter import Emitter
from ..rewriting.rooted_walker import RootedWalker, of_types

LEAST_RUN = 64
"""The elements of a part that lie side by side, at least: a reader that computes on fewer has lanes without work, a copy costs little."""


class SliceSplit(RewritePattern):
    """Replaces a split by a slice for each part; declines unless each has a reader to join, and runs of known and sufficient length.

    Others must not read the tensor: between the split and the readers of its parts one of them might compute in its memory.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SplitOp, rewriter: PatternRewriter) -> None:
        shape = dims(op.x)
        if shape is None or not op.x.has_one_use() or not all(map(_is_taken_in, op.parts)):
            return
        axis = normalized_axis(op.prop("axis", 0), len(shape), "split_c3")
        # A size that is not known counts as none: the runs are too short then.
        size, *inner = (each if isinstance(each, int) else 0 for each in shape[axis:])
        ranges = cast(Sequence[tuple[int, int]], op.ranges(size))
        if min(length for _, length in ranges) * prod(inner) < LEAST_RUN:
            return
        emit = Emitter(op, rewriter)
        slices = [
            emit.op(StridedSliceOp, op.x, axes=[axis], begin=[begin], end=[begin + length]) for begin, length in ranges
        ]
        emit.replace(op, slices)


def _is_taken_in(part: SSAValue) -> bool:
    """Returns whether a part has a single reader, which may be one kernel with a slice."""
    uses = [*part.uses]
    if len(uses) != 1:
        return False
    reader = uses[0].operation
    return not isinstance(reader, SplitOp) and op_pattern(reader) <= FusionPattern.INJECTIVE


class SliceSplitsPass(ModulePass):
    """Takes slices instead of splitting, where what reads the parts takes them in.

    ```mlir
    %a, %b = relax.split %x {indices = array<i64: 64>, axis = 1 : i64} : (tensor<4x192xf32>) -> (tensor<4x64xf32>, tensor<4x128xf32>)
    %c = relax.exp %a : ...
    %d = relax.permute_dims %b : ...
    ```
    becomes
    ```mlir
    %a = relax.strided_slice %x {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 64>} : ...
    %b = relax.strided_slice %x {axes = array<i64: 1>, begin = array<i64: 64>, end = array<i64: 192>} : ...
    ```

    A split is one kernel, which copies all parts; a slice is read in place by the kernel that `relax-fuse-ops` makes of it and its reader.
    *Requires* nothing. *Leaves* splits of an axis of unknown size, those of what others read as well, and those with a part that nothing or
    more than one op reads, that a product, a reduction or a function reads, or of which less than 64 elements lie side by side.
    """

    name = "relax-slice-splits"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        RootedWalker([SliceSplit()], of_types(SplitOp), apply_recursively=False).rewrite_module(op)
